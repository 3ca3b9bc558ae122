//! Every beginning of a valid body, as a cut stream leaves it.

use toolmend_core::{Evidence, NoJudge, Policy, Verdict, mend};

use crate::checked::verify;
use crate::said::{Said, said, strings};
use crate::tape::Tape;
use crate::tree::{WORDS, Words, joined, object, style};

const BODIES: u64 = 1_000;

/// Words of which a beginning looks like something that the reader takes for more than it is.
const BAIT: Words = &[
    "a",
    "... }{}",
    "{...} {'x': 1}",
    "wait... } then {path: 5}",
    "```\n",
    "</tool_call>",
    "{'a': 1}",
    "}",
    "]}",
    "it's",
    "say 'hi' now",
    "/* x */",
    "# x\n",
    "True",
    "“x”",
    "「",
    "🙂",
    "\\",
    "\"",
    "\n",
    "<think>{'a': 1}</think>{'b': 2}",
    ": 5",
    ", b: 1}",
    "(x)",
    "\u{a0}",
    "`",
    "'''",
    "\u{10ffff}",
    "';",
    "{name} ",
    "Done.",
];

fn body(seed: u64) -> (String, Vec<Said>) {
    let mut tape = Tape::seeded(seed);
    let tree = object(&mut tape, 3, if seed.is_multiple_of(2) { WORDS } else { BAIT });
    let style = style(&mut tape);
    (joined(&tree.tokens(style, &mut tape)), tree.said())
}

/// How many strings stand whole at the beginning of a body.
fn whole_strings(prefix: &str) -> usize {
    let (mut whole, mut open, mut escaped) = (0, false, false);
    for c in prefix.bytes() {
        match c {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => {
                whole += usize::from(open);
                open = !open;
            }
            _ => {}
        }
    }
    whole
}

fn prefixes(mut each: impl FnMut(&str, &[Said])) {
    for (text, truth) in (0..BODIES).map(body) {
        for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
            each(&text[..at], &truth);
        }
    }
}

#[test]
fn cut_or_unknown_is_the_truth_or_declined() {
    prefixes(|prefix, truth| {
        for evidence in [
            Evidence::new(),
            Evidence::new().finish_reason(None),
            Evidence::new().finish_reason(Some("length")),
        ] {
            let verdict = mend(prefix, &evidence, &NoJudge).under(Policy::STANDARD);
            if let Some(text) = verdict.text(prefix) {
                assert_eq!(said(text).as_deref(), Some(truth), "{evidence:?}\n{prefix:?}\n-> {text:?}");
            }
        }
    });
}

#[test]
fn no_string_is_closed_and_none_is_changed() {
    // Under every policy and ending: what comes back is a beginning of what was said, and no string of it
    // was open at the end of the text.
    prefixes(|prefix, truth| {
        let whole = whole_strings(prefix);
        for evidence in
            [Evidence::new().finish_reason(Some("stop")), Evidence::new().finish_reason(Some("length"))]
        {
            let verdict = mend(prefix, &evidence, &NoJudge);
            if let Verdict::Mended { output, .. } = &verdict {
                let output = said(output).expect("an object");
                let kept: Vec<&[u16]> = strings(&output).collect();
                let meant: Vec<&[u16]> = strings(truth).take(whole).collect();
                assert!(meant.starts_with(&kept), "{evidence:?}\n{prefix:?}\n-> {verdict:?}");
                // Nor is any number or literal other than one that was said.
                let words = |said: &[Said]| -> Vec<String> {
                    said.iter()
                        .filter_map(|s| if let Said::Word(w) = s { Some(w.clone()) } else { None })
                        .collect()
                };
                let (kept, meant) = (words(&output), words(truth));
                let last = kept.len().saturating_sub(1);
                assert!(meant.starts_with(&kept[..last]), "{prefix:?}\n-> {verdict:?}");
                assert!(
                    kept.get(last).is_none_or(|w| meant[last].starts_with(w.as_str())),
                    "{prefix:?}\n-> {verdict:?}"
                );
                verify(prefix, &evidence, &NoJudge, &verdict);
            }
        }
    });
}
