//! The laws of one body.

use toolmend_core::edit::{apply, invert};
use toolmend_core::scan::Status;
use toolmend_core::{
    Ending, Evidence, Grade, MAX_NESTING, MAX_SHOWN, Mender, NoJudge, Policy, Reason, Receipt, Rule, Scanner,
    Verdict, certify, coerce_json_object, mend,
};

use crate::pieces::Split;
use crate::{oracle, quotes};

/// Marks as a family of models leaks them.
const MARKS: &[&str] = &["<｜tool▁call▁end｜>", "<|tool_call_end|>"];

/// The rules that take off a level of escaping: behind it the same words are written in other bytes.
const LEVELS: [Rule; 3] = [Rule::DoubleEncoded, Rule::OverEscaped, Rule::HtmlEntities];

/// What may be known beside the text.
fn evidences() -> [Evidence<'static>; 4] {
    [
        Evidence::new(),
        Evidence::whole(),
        Evidence::new().stated(Ending::Cut),
        Evidence::new().finish_reason(Some("stop")).marks(MARKS).tool("get_weather"),
    ]
}

/// Checks one body under all evidence.
pub fn check(body: &str) {
    let valid = oracle::is_object(body);
    let deep = valid && oracle::depth(body) > MAX_NESTING;
    let in_string = oracle::ends_in_string(body);
    for evidence in evidences() {
        let verdict = mend(body, &evidence, &NoJudge);
        assert_eq!(
            matches!(verdict, Verdict::Intact { .. }),
            valid && !deep,
            "intact is what is valid: {body:?} {verdict:?}"
        );
        match &verdict {
            Verdict::Intact { .. } => prefixes(body),
            Verdict::Mended { output, receipt } => {
                assert!(!in_string, "a string is open at the end: {body:?} became {output:?}");
                mended(body, &evidence, output, receipt);
            }
            Verdict::Declined(no) => {
                assert!(!deep || no.reason == Reason::TooDeep, "{no:?}");
                assert!(no.at <= body.len(), "declined at byte {} of {body:?}", no.at);
                assert!(no.readings.len() <= MAX_SHOWN && no.would.is_none());
                assert!(no.readings.iter().all(|reading| oracle::is_object(reading)), "{body:?} {no:?}");
            }
        }
    }
    coerced(body);
}

/// The plain form says what the full form says.
fn coerced(body: &str) {
    let verdict = mend(body, &Evidence::whole(), &NoJudge).under(Policy::up_to(Grade::Closing));
    assert_eq!(coerce_json_object(body).as_deref(), verdict.text(body), "{body:?}");
}

fn mended(body: &str, evidence: &Evidence<'_>, output: &str, receipt: &Receipt) {
    assert!(oracle::is_object(output), "{body:?} became {output:?}, which is not JSON");
    assert_eq!(certify(body, receipt).as_deref(), Ok(output), "{body:?}");

    // The receipt as one list, and step by step.
    let edits = receipt.edits(body);
    assert_eq!(apply(body, &edits).as_deref(), Ok(output), "{body:?} {edits:?}");
    let back = invert(body, &edits).expect("edits that apply can be inverted");
    assert_eq!(apply(output, &back).as_deref(), Ok(body), "{edits:?}");
    assert!(!receipt.steps.is_empty() && receipt.steps.iter().all(|step| !step.is_empty()), "{body:?}");
    let mut text = body.to_string();
    for (number, step) in receipt.steps.iter().enumerate() {
        let next = apply(&text, step).expect("every step applies");
        if number + 1 == receipt.steps.len() {
            quotes::check(&text, step, &next);
        }
        text = next;
    }
    let rules = receipt.rules();
    assert!(rules.iter().all(|rule| rule.grade() <= receipt.grade), "{body:?} {receipt:?}");

    // Nothing was invented.
    if receipt.grade <= Grade::Punctuation && !rules.iter().any(|rule| LEVELS.contains(rule)) {
        let (from, to) = (squeezed(body), squeezed(output));
        assert!(from.contains(&to), "{body:?} became {output:?}: other words");
    }

    let again = mend(output, evidence, &NoJudge);
    assert!(matches!(again, Verdict::Intact { .. }), "{body:?} became {output:?}, which is {again:?}");
    assert_eq!(
        mend(body, evidence, &NoJudge),
        Verdict::Mended { output: output.into(), receipt: receipt.clone() }
    );
}

/// What a text says beside its punctuation and white space.
fn squeezed(text: &str) -> String {
    let says_nothing = |c: char| {
        "{}[],:;=>".contains(c)
            || c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
    };
    text.chars().filter(|&c| !says_nothing(c)).collect()
}

/// The longest body of which prefixes are tried, in bytes, and how many of them.
const MAX_PREFIXED: usize = 512;
const PREFIXES: usize = 12;

/// A valid body that was cut: nothing at all, or exactly what it says, and never half a string.
fn prefixes(body: &str) {
    if body.len() > MAX_PREFIXED {
        return;
    }
    let truth = oracle::lexemes(body);
    for at in (0..body.len()).step_by(body.len() / PREFIXES + 1).filter(|&at| body.is_char_boundary(at)) {
        let cut = &body[..at];
        for ending in [Ending::Cut, Ending::Unknown] {
            let verdict = mend(cut, &Evidence::new().stated(ending), &NoJudge);
            if oracle::ends_in_string(cut) {
                assert!(matches!(verdict, Verdict::Declined(_)), "{cut:?} of {body:?}: {verdict:?}");
            }
            if let Some(text) = verdict.under(Policy::STANDARD).text(cut) {
                assert_eq!(oracle::lexemes(text), truth, "{cut:?} of {body:?}");
            }
        }
    }
}

/// Any split of a body gives what the whole gives.
pub fn check_split(split: &Split, bytes: &[u8]) {
    scanned(split, bytes);
    let text = &*String::from_utf8_lossy(bytes);
    let mut mender = Mender::new();
    let mut length = 0;
    for piece in split.text(text) {
        length += piece.len();
        mender.feed(piece);
        let status = mender.status();
        let fed = &text[..length];
        assert_eq!((mender.status(), mender.text()), (status, fed));
        if oracle::depth_at_most(fed, MAX_NESTING) {
            assert_eq!(status == Status::Whole, oracle::is_object(fed), "{fed:?}");
            assert_eq!(status == Status::Prefix, oracle::is_prefix(fed), "{fed:?}");
        }
    }
    for evidence in evidences() {
        assert_eq!(mender.finish(&evidence, &NoJudge), mend(text, &evidence, &NoJudge), "{text:?}");
    }
}

fn scanned(split: &Split, bytes: &[u8]) {
    let mut whole = Scanner::new();
    let status = whole.push(bytes);
    let mut cut = Scanner::new();
    for piece in split.bytes(bytes) {
        cut.push(piece);
    }
    assert_eq!((cut.status(), &cut), (status, &whole), "{:?}", String::from_utf8_lossy(bytes));
}
