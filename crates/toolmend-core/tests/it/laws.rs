//! The laws of the design, one test each, on generated bodies.

use proptest::prelude::*;
use toolmend_core::scan::Status;
use toolmend_core::{Admission, Clue, Ending, Evidence, Grade, Judge, NoJudge, Policy, Verdict, mend};

use crate::checked::{any_split, ending, fed, judged, mended, parses, verify};
use crate::faults::{AROUND, Act, SPELLING, STRUCTURE, Slip};
use crate::oracle;
use crate::said::{Said, said};
use crate::tape::Tape;
use crate::tree::{WORDS, joined, object, style};

const ENDINGS: [Ending; 3] = [Ending::Complete, Ending::Unknown, Ending::Cut];

/// Choices for a generator.
fn tape() -> impl Strategy<Value = Tape> {
    prop::collection::vec(any::<u32>(), 0..160).prop_map(Tape::new)
}

/// A valid body in some style, and what it says.
fn body() -> impl Strategy<Value = (String, Vec<Said>)> {
    tape().prop_map(|mut tape| {
        let tree = object(&mut tape, 4, WORDS);
        let style = style(&mut tape);
        (joined(&tree.tokens(style, &mut tape)), tree.said())
    })
}

/// A body with one or two slips.
#[derive(Debug, Clone)]
struct Faulty {
    text: String,
    truth: Vec<Said>,
    slips: Vec<&'static str>,
}

fn faulty() -> impl Strategy<Value = Faulty> {
    tape().prop_filter_map("a body without a place for the slip", |mut tape| {
        let inside = [SPELLING, STRUCTURE].concat();
        let slips = match tape.below(5) {
            0 => vec![tape.pick(&inside)],
            1 => vec![tape.pick(AROUND)],
            2 => vec![tape.pick(SPELLING), tape.pick(STRUCTURE)],
            3 => vec![tape.pick(&inside), tape.pick(AROUND)],
            _ => vec![tape.pick(SPELLING), tape.pick(SPELLING)],
        };
        bent(&slips, &mut tape)
    })
}

/// A body with these slips, those inside first.
fn bent(slips: &[Slip], tape: &mut Tape) -> Option<Faulty> {
    if clash(slips) {
        return None;
    }
    let tree = object(tape, 3, WORDS);
    let style = style(tape);
    let mut tokens = tree.tokens(style, tape);
    for slip in slips {
        let bent = match slip.act {
            Act::Spelling(act) | Act::Structure(act) => act(&mut tokens, tape),
            Act::Around(_) => true,
        };
        if !bent {
            return None;
        }
    }
    let mut text = joined(&tokens);
    for slip in slips {
        if let Act::Around(act) = slip.act {
            text = act(&text, tape)?;
        }
    }
    Some(Faulty { text, truth: tree.said(), slips: slips.iter().map(|s| s.name).collect() })
}

/// Whether these slips together look like another one.
fn clash(slips: &[Slip]) -> bool {
    let any = |rules: &[&str]| slips.iter().any(|s| rules.contains(&s.rule));
    // A level of escaping is known by its double quotes.
    any(&["over-escaped", "html-entities"]) && any(&["single-quotes", "smart-quotes"])
        // A copy is known by its first brace and its last one.
        || any(&["doubled-body"]) && slips.iter().any(|s| matches!(s.act, Act::Structure(_)))
}

/// Text that looks like a body here and there.
fn soup() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "'",
        "\\",
        "\\n",
        "\\\"",
        "\\u00e9",
        "\\u",
        "```",
        "`",
        "```json\n",
        "<tool_call>",
        "</tool_call>",
        "<think>",
        "</think>",
        "<｜a｜>",
        "[A]",
        "//",
        "/*",
        "*/",
        "#",
        "\n",
        " ",
        "\t",
        "\r\n",
        "\u{feff}",
        "\u{a0}",
        "\0",
        "\u{1}",
        "“",
        "”",
        "„",
        "«",
        "»",
        "true",
        "True",
        "nul",
        "None",
        "NaN",
        "0",
        "1",
        "007",
        "-",
        "+",
        ".",
        "1.",
        "e5",
        "0x1F",
        "_",
        "a",
        "key",
        "\"a\":",
        "\"b\": 1",
        "{\"a\":1}",
        "{}",
        "[]",
        "...",
        "{name}",
        "&quot;",
        "&amp;",
        "=",
        "=>",
        ";",
        "(",
        ")",
        "args = ",
        "f(",
        "it's",
        "\"x\" + \"y\"",
        "\"\"\"",
        "'''",
        "北",
        "🙂",
        "$",
        "${",
        "~~~",
        "</s",
        ">>>",
        "\\t",
        "undefined",
    ];
    prop_oneof![
        4 => prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|p| p.concat()),
        1 => any::<String>(),
        // A body into which something fell, or out of which.
        3 => (body(), any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::sample::select(PIECES)).prop_map(
            |((text, _), from, to, piece)| {
                let bounds: Vec<usize> = (0..=text.len()).filter(|&i| text.is_char_boundary(i)).collect();
                let from = from.index(bounds.len());
                let to = (from + to.index(4)).min(bounds.len() - 1);
                format!("{}{piece}{}", &text[..bounds[from]], &text[bounds[to]..])
            },
        ),
    ]
}

/// `PROPTEST_CASES` asks for another number of cases, for a longer search.
fn config(cases: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(cases);
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// Admits the objects that say one of these.
struct Only<'a>(&'a [Vec<Said>]);

impl Judge for Only<'_> {
    fn admits(&self, object: &str) -> Admission {
        match said(object) {
            Some(said) if self.0.contains(&said) => Admission::Valid,
            _ => Admission::Invalid { at: String::new(), what: "something else".into() },
        }
    }
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn l1_intact((text, truth) in body(), white in "[ \t\r\n]{0,3}") {
        let text = format!("{white}{text}{white}");
        prop_assert_eq!(said(&text), Some(truth));
        for end in ENDINGS {
            let verdict = mended(&text, &ending(end));
            prop_assert_eq!(verdict.name(), "intact");
            prop_assert_eq!(verdict.text(&text), Some(text.as_str()));
        }
    }

    #[test]
    fn l2_parses(text in soup()) {
        for end in ENDINGS {
            if let Verdict::Mended { output, .. } = mended(&text, &ending(end)) {
                parses(&output);
            }
        }
    }

    #[test]
    fn l6_receipt(text in prop_oneof![soup(), faulty().prop_map(|f| f.text)]) {
        // Sorted, disjoint, on character boundaries, invertible, certified: all of it is in `verify`.
        let verdict = mend(&text, &Evidence::whole(), &NoJudge);
        verify(&text, &Evidence::whole(), &NoJudge, &verdict);
    }

    #[test]
    fn l9_fail_open(text in soup()) {
        let mut mender = toolmend_core::Mender::new();
        mender.feed(&text);
        let verdict = mender.finish(&Evidence::new(), &NoJudge);
        prop_assert_eq!(mender.text(), &text, "what was fed is still there");
        match verdict.text(&text) {
            None => prop_assert_eq!(verdict.name(), "declined"),
            Some(out) => prop_assert!(said(out).is_some()),
        }
        prop_assert_eq!(mender.finish(&Evidence::new(), &NoJudge), verdict, "asking twice answers twice the same");
    }

    #[test]
    fn l10_idempotent(text in prop_oneof![soup(), faulty().prop_map(|f| f.text)]) {
        if let Verdict::Mended { output, .. } = mend(&text, &Evidence::whole(), &NoJudge) {
            for end in ENDINGS {
                prop_assert_eq!(mend(&output, &ending(end), &NoJudge).name(), "intact");
            }
        }
    }
}

proptest! {
    #![proptest_config(config(6000))]

    #[test]
    fn l3_nothing_invented_nothing_lost(f in faulty()) {
        if let Verdict::Mended { output, receipt } = mended(&f.text, &Evidence::whole()) {
            prop_assert_eq!(
                said(&output), Some(f.truth.clone()),
                "{:?}\n{:?}\n-> {:?} by {:?}", &f.slips, &f.text, &output, receipt.rules()
            );
        }
    }
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn l4_one_reading(f in faulty()) {
        let certain = mended(&f.text, &Evidence::whole());
        // A judge that knows the truth gets the truth or nothing.
        if let Some(text) = judged(&f.text, &Evidence::whole(), &Only(std::slice::from_ref(&f.truth))).text(&f.text) {
            prop_assert_eq!(said(text), Some(f.truth.clone()));
        }
        // A judge that admits nothing gets nothing.
        prop_assert_eq!(judged(&f.text, &Evidence::whole(), &Only(&[])).name(), "declined");
        // What is certain without a judge is not made uncertain by one that agrees.
        if let Verdict::Mended { output, receipt } = &certain && receipt.grade <= Grade::Schema {
            let agreed = judged(&f.text, &Evidence::whole(), &Only(std::slice::from_ref(&f.truth)));
            prop_assert_eq!(agreed.text(&f.text), Some(output.as_str()));
        }
    }

    #[test]
    fn l5_evidence(f in faulty(), clues in prop::collection::vec(0..8usize, 0..4)) {
        let by_ending = ENDINGS.map(|end| mended(&f.text, &ending(end)));
        let grade = |v: &Verdict| match v {
            Verdict::Intact { .. } => Some(Grade::Packaging),
            Verdict::Mended { receipt, .. } => Some(receipt.grade),
            Verdict::Declined(_) => None,
        };
        // Less is known about the end, more is asked of the reader; what the text says stays the same.
        for pair in by_ending.windows(2) {
            prop_assert_eq!(pair[0].text(&f.text), pair[1].text(&f.text));
            prop_assert!(grade(&pair[0]) <= grade(&pair[1]), "{:?}", &f.text);
        }
        // Whatever the clues are, the verdict is that of the ending which they add up to.
        let evidence = clues.iter().fold(Evidence::new(), |e, clue| match clue {
            0 => e.stated(Ending::Complete),
            1 => e.stated(Ending::Unknown),
            2 => e.stated(Ending::Cut),
            3 => e.finish_reason(Some("stop")),
            4 => e.finish_reason(Some("length")),
            5 => e.finish_reason(None),
            6 => e.usage(100, 100),
            _ => e.usage(99, 100),
        });
        let says_cut = clues.iter().any(|c| [2, 4, 5, 6].contains(c));
        let says_end = clues.iter().any(|c| [0, 3].contains(c));
        let expected = if says_cut { Ending::Cut } else if says_end { Ending::Complete } else { Ending::Unknown };
        prop_assert_eq!(evidence.ending(), expected);
        let verdict = mended(&f.text, &evidence);
        let same = &by_ending[ENDINGS.iter().position(|e| *e == expected).unwrap_or(0)];
        prop_assert_eq!(verdict.text(&f.text), same.text(&f.text));
        prop_assert_eq!(grade(&verdict), grade(same));
        if let Verdict::Mended { receipt, .. } = &verdict {
            let end_mark = receipt.clues.contains(Clue::EndMark);
            prop_assert_eq!(receipt.ending, if end_mark && expected == Ending::Unknown { Ending::Complete } else { expected });
        }
    }

    #[test]
    fn l7_chunks_do_not_matter(
        text in prop_oneof![soup(), faulty().prop_map(|f| f.text)],
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let verdict = mend(&text, &Evidence::new(), &NoJudge);
        let mut at: Vec<usize> = cuts.iter().map(|i| i.index(text.len() + 1)).filter(|&i| text.is_char_boundary(i)).collect();
        at.extend([0, text.len()]);
        at.sort_unstable();
        let pieces = at.windows(2).map(|w| &text[w[0]..w[1]]);
        prop_assert_eq!(&fed(pieces, &Evidence::new(), &NoJudge), &verdict);
        if text.len() < 60 {
            any_split(&text, &Evidence::new(), &NoJudge, &verdict);
        }
    }

    #[test]
    fn l8_bounded(pieces in prop::collection::vec(
        prop::sample::select(vec!["[", "{\"a\":", "{", "}", "]", "\"", "'", ",", "\\", "“", "```", "<", "1", ":", "{\"a\":{", "\", \""]), 1..12,
    ), times in 1..400usize) {
        let text = pieces.concat().repeat(times);
        let verdict = mended(&text, &Evidence::whole());
        // Nesting never goes beyond what is accepted, whatever the repair adds or takes.
        if let Some(out) = verdict.text(&text) {
            prop_assert_eq!(oracle::scan(out.as_bytes()), Status::Whole);
        }
    }

    #[test]
    fn a_cut_body_is_the_truth_or_declined(f in faulty(), at in any::<prop::sample::Index>()) {
        // Under `standard` a cut turn yields what was meant, or nothing. (Behind a closer too many, the
        // beginning of a body may be a body.)
        prop_assume!(!f.slips.contains(&"extra closer in the middle"));
        let bounds: Vec<usize> = (0..f.text.len()).filter(|&i| f.text.is_char_boundary(i)).collect();
        prop_assume!(!bounds.is_empty());
        let cut = &f.text[..bounds[at.index(bounds.len())]];
        for end in [Ending::Unknown, Ending::Cut] {
            // Where nothing says that it was cut, `{"a":[1}` lacks a bracket and is whole.
            if end == Ending::Unknown && f.slips.contains(&"wrong closer") {
                continue;
            }
            if let Verdict::Mended { output, receipt } = mended(cut, &ending(end)).under(Policy::STANDARD) {
                prop_assert_eq!(
                    said(&output), Some(f.truth.clone()),
                    "{:?} {:?}\n{:?}\n-> {:?} by {:?}", &f.slips, end, cut, &output, receipt.rules()
                );
            }
        }
    }
}
