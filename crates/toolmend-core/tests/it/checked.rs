//! What must hold of every verdict, whatever the body.

use serde_json::Value;
use toolmend_core::edit::{apply, invert};
use toolmend_core::scan::Status;
use toolmend_core::{Ending, Evidence, Grade, Judge, MAX_SHOWN, Mender, NoJudge, Policy, Reason, Verdict};
use toolmend_core::{certify, mend};

use crate::oracle;

/// The ending as it is stated by a caller.
pub(crate) fn ending(ending: Ending) -> Evidence<'static> {
    Evidence::new().stated(ending)
}

/// Mends, and checks all that must hold of any verdict.
pub(crate) fn mended(body: &str, evidence: &Evidence<'_>) -> Verdict {
    judged(body, evidence, &NoJudge)
}

/// [`mended`], with a judge.
pub(crate) fn judged(body: &str, evidence: &Evidence<'_>, judge: &dyn Judge) -> Verdict {
    let verdict = mend(body, evidence, judge);
    verify(body, evidence, judge, &verdict);
    verdict
}

/// Panics where a verdict breaks a law that holds for every body.
pub(crate) fn verify(body: &str, evidence: &Evidence<'_>, judge: &dyn Judge, verdict: &Verdict) {
    let whole = oracle::scan(body.as_bytes()) == Status::Whole;
    match verdict {
        Verdict::Intact { .. } => {
            assert!(whole, "intact, but no object: {body:?}");
            assert_eq!(verdict.text(body), Some(body));
        }
        Verdict::Mended { output, receipt } => {
            assert!(!whole || !judge.is_blind(), "a whole object was altered: {body:?}");
            parses(output);
            assert_eq!(certify(body, receipt).as_ref(), Ok(output), "{body:?}");
            assert!(receipt.steps.iter().all(|s| !s.is_empty()) && !receipt.steps.is_empty());
            assert!(!receipt.rules().is_empty());
            assert!(receipt.steps.iter().flatten().all(|e| e.rule.grade() <= receipt.grade));
            assert!(evidence.clues().iter().all(|clue| receipt.clues.contains(clue)));
            let edits = receipt.edits(body);
            assert!(edits.windows(2).all(|w| w[0].end <= w[1].start), "not sorted: {body:?} {edits:?}");
            assert_eq!(apply(body, &edits).as_ref(), Ok(output), "{body:?} {edits:?}");
            let back = invert(body, &edits).expect("edits that apply can be inverted");
            assert_eq!(apply(output, &back).as_deref(), Ok(body), "{body:?}");
            if judge.is_blind() {
                let again = mend(output, evidence, judge);
                assert_eq!(again.name(), "intact", "not idempotent: {body:?} -> {output:?}");
            }
            for grade in Grade::ALL {
                let accepted = verdict.clone().under(Policy::up_to(grade));
                if grade >= receipt.grade {
                    assert_eq!(&accepted, verdict);
                } else {
                    let Verdict::Declined(no) = accepted else { panic!("above the policy: {body:?}") };
                    assert_eq!(no.reason, Reason::AbovePolicy { grade: receipt.grade });
                    assert_eq!(no.would.as_deref(), Some(&(output.clone(), receipt.clone())));
                }
            }
        }
        Verdict::Declined(no) => {
            assert!(!whole || !judge.is_blind(), "a whole object was declined: {body:?}");
            assert!(no.at <= body.len(), "declined beyond the text: {body:?} at {}", no.at);
            assert!(no.readings.len() <= MAX_SHOWN);
            no.readings.iter().for_each(|r| parses(r));
            assert_eq!(verdict.text(body), None);
            assert!(!no.reason.to_string().is_empty());
            // The reader must not propose what the checker refuses.
            assert!(!matches!(no.reason, Reason::Uncertified(_)), "{body:?}: {}", no.reason);
        }
    }
}

/// Panics where this is not one JSON object, by two independent readers.
pub(crate) fn parses(output: &str) {
    assert_eq!(oracle::scan(output.as_bytes()), Status::Whole, "not an object: {output:?}");
    // serde_json counts its recursion, and has no strings for halves of surrogate pairs.
    if output.matches(['{', '[']).count() < 100 && !output.to_ascii_lowercase().contains("\\ud") {
        let value: Value = serde_json::from_str(output).unwrap_or_else(|e| panic!("{e}: {output:?}"));
        assert!(value.is_object());
    }
}

/// The verdict on a body that is fed in these pieces.
pub(crate) fn fed<'a>(
    pieces: impl IntoIterator<Item = &'a str>,
    evidence: &Evidence<'_>,
    judge: &dyn Judge,
) -> Verdict {
    let mut mender = Mender::new();
    for piece in pieces {
        mender.feed(piece);
        let status = mender.status();
        assert_eq!(status, mender.status());
    }
    mender.finish(evidence, judge)
}

/// Panics where the body is settled otherwise when it comes in two pieces, split at any place, or a
/// character at a time.
pub(crate) fn any_split(body: &str, evidence: &Evidence<'_>, judge: &dyn Judge, verdict: &Verdict) {
    for at in (0..=body.len()).filter(|&at| body.is_char_boundary(at)) {
        let (left, right) = body.split_at(at);
        assert_eq!(&fed([left, right], evidence, judge), verdict, "split at {at}: {body:?}");
    }
    let chars = body.char_indices().map(|(at, c)| &body[at..at + c.len_utf8()]);
    assert_eq!(&fed(chars, evidence, judge), verdict, "a character at a time: {body:?}");
}
