//! Bodies whose strings look like everything that the reader looks for, in every packaging.
//!
//! Wrong is a value other than the truth. None may be; and most must be rescued, or the test would pass by
//! declining.

use std::collections::BTreeMap;

use toolmend_core::{Evidence, Verdict};

use crate::checked::mended;
use crate::faults::{AROUND, Act, STRUCTURE, Slip};
use crate::said::said;
use crate::tape::Tape;
use crate::tree::{Words, joined, object, style};

const CASES: u64 = 10_000;

/// How many of a hundred cases of one packaging must be rescued at least, and of all.
const FLOOR_EACH: usize = 70;
const FLOOR: usize = 94;

const WORDS: Words = &[
    "```json\n{\"a\":1}\n```",
    "```",
    "`",
    "~~~\n",
    "<tool_call>{\"name\":\"x\"}</tool_call>",
    "</tool_call>",
    "<|im_end|>",
    "<｜tool▁call▁end｜>",
    "[TOOL_CALLS]",
    "[/INST]",
    "</s>",
    "✿RESULT✿",
    ">>>f\n",
    "functions.f:0",
    "<think>",
    "</think>",
    "<function=f>",
    "\",}",
    "\"}",
    "}{",
    "}}}",
    "{{",
    "]}",
    "[{",
    ",]",
    "{\"b\": 2}",
    "{'x': 1}",
    "{x: 1}",
    "{}",
    "... }{}",
    "{name}",
    "{...}",
    "// c",
    "/* c */",
    "# c\n",
    "/*",
    "*/",
    "\\",
    "\\\\\"",
    "\\\"",
    "\\n",
    "\\u0041",
    "\\'",
    "'",
    "it's",
    "'}",
    "', '",
    "\"",
    "\"\"\"",
    "'''",
    "\" + \"",
    "“x”",
    "„",
    "«»",
    ", \"key\": 1",
    "\": \"",
    "\", \"b\": \"",
    "key: 5",
    "a = 1;",
    "args = {",
    "f({})",
    ");",
    "&quot;",
    "&amp;",
    "&",
    "True",
    "None",
    "undefined",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{8}",
    "\u{feff}",
    "\u{2028}",
    "\u{a0}",
    "é",
    "ß中",
    "🙂",
    "𝄞",
    "\u{e0001}",
    "\u{f0000}",
    "\u{10fffd}",
    "Done.\n{\"a\": 1}",
    "\n\nObservation:",
    "${x}",
    "`${x}`",
    "1_000",
    "0x1F",
    " ",
    "<!-- -->",
    "<a href=\"x\">",
    "\"a\":",
    "(see \"b\")",
    "$1 \",\" $2",
];

/// A packaging, a slip inside or none.
struct Case {
    text: String,
    truth: Vec<crate::said::Said>,
    around: &'static str,
    inside: &'static str,
}

fn case(seed: u64) -> Option<Case> {
    let mut tape = Tape::seeded(seed);
    let tree = object(&mut tape, 3, WORDS);
    let style = style(&mut tape);
    let mut tokens = tree.tokens(style, &mut tape);
    let slip = |name: &str| STRUCTURE.iter().find(|s| s.name == name).copied();
    let inside = match tape.below(5) {
        0 | 1 => None,
        2 => slip("trailing comma"),
        3 => slip("extra closer at the end"),
        _ => slip("missing closers"),
    };
    let around: &Slip = &AROUND[(seed % AROUND.len() as u64) as usize];
    // A copy is known by its first brace and its last one.
    let inside = inside.filter(|_| around.rule != "doubled-body");
    if let Some(Slip { act: Act::Structure(act), .. }) = inside
        && !act(&mut tokens, &mut tape)
    {
        return None;
    }
    let Act::Around(act) = around.act else { return None };
    let text = act(&joined(&tokens), &mut tape)?;
    Some(Case { text, truth: tree.said(), around: around.name, inside: inside.map_or("nothing", |s| s.name) })
}

#[test]
fn nothing_wrong_in_ten_thousand() {
    // For each packaging and slip: rescued, declined.
    let mut counts: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in (0..).filter_map(case).take(CASES as usize) {
        let count = counts.entry((case.around, case.inside)).or_default();
        match mended(&case.text, &Evidence::whole()) {
            Verdict::Declined(_) => count.1 += 1,
            verdict => {
                let text = verdict.text(&case.text).unwrap_or("");
                if said(text).as_ref() == Some(&case.truth) {
                    count.0 += 1;
                } else {
                    wrong.push(format!(
                        "{} around {}: {:?}\n   -> {text:?}",
                        case.around, case.inside, case.text
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    let (rescued, all) = counts.values().fold((0, 0), |(r, a), c| (r + c.0, a + c.0 + c.1));
    assert!(rescued * 100 >= all * FLOOR, "{rescued} of {all} rescued: {counts:#?}");
    for packaging in AROUND {
        let own = counts.iter().filter(|((around, _), _)| *around == packaging.name);
        let (rescued, all) = own.fold((0, 0), |(r, a), (_, c)| (r + c.0, a + c.0 + c.1));
        assert!(
            rescued * 100 >= all * FLOOR_EACH,
            "{}: {rescued} of {all} rescued: {counts:#?}",
            packaging.name
        );
    }
}
