//! Named limits on both sides, and shapes that would make a careless reader take for ever.

use toolmend_core::scan::Status;
use toolmend_core::{Evidence, MAX_BODY, MAX_NESTING, NoJudge, Reason, Scanner, Verdict, certify, mend};

use crate::checked::mended;

fn reason(body: &str) -> Option<Reason> {
    match mend(body, &Evidence::whole(), &NoJudge) {
        Verdict::Declined(no) => Some(no.reason),
        _ => None,
    }
}

/// An object of this many levels.
fn nested(levels: usize, innermost: &str) -> String {
    format!("{{\"a\":{}{innermost}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1))
}

#[test]
fn nesting() {
    let deepest = nested(MAX_NESTING, "1");
    assert_eq!(Scanner::new().push(deepest.as_bytes()), Status::Whole);
    assert_eq!(mended(&deepest, &Evidence::whole()).name(), "intact");
    let deeper = nested(MAX_NESTING + 1, "1");
    let at = "{\"a\":".len() + MAX_NESTING - 1;
    assert_eq!(Scanner::new().push(deeper.as_bytes()), Status::TooDeep { at });
    assert_eq!(reason(&deeper), Some(Reason::TooDeep));
}

#[test]
fn nesting_of_faulty_bodies() {
    // (levels, faulty body, mended)
    for (levels, good) in [(MAX_NESTING, true), (MAX_NESTING + 1, false)] {
        let bodies = [
            ("a trailing comma", nested(levels, "1,")),
            ("words before", format!("Here: {}", nested(levels, "1"))),
            ("single quotes", nested(levels, "'x'")),
            ("no opener", nested(levels, "1")[1..].into()),
            ("no closers", format!("{{\"a\":{}1", "[".repeat(levels - 1))),
            ("encoded", serde_json::to_string(&nested(levels, "1")).expect("text")),
        ];
        for (name, body) in bodies {
            let verdict = mended(&body, &Evidence::whole());
            assert_eq!(verdict.name(), if good { "mended" } else { "declined" }, "{name}, {levels} levels");
            if let Verdict::Declined(no) = verdict {
                assert_eq!(no.reason, Reason::TooDeep, "{name}, {levels} levels");
            }
        }
    }
}

#[test]
fn the_longest_body() {
    let body = |length: usize, tail: &str| {
        let head = "{\"a\":\"";
        format!("{head}{}{tail}", "x".repeat(length - head.len() - tail.len()))
    };
    let longest = body(MAX_BODY, "\",}");
    let Verdict::Mended { output, receipt } = mend(&longest, &Evidence::whole(), &NoJudge) else {
        panic!("a body of MAX_BODY bytes is looked into");
    };
    assert_eq!(output.len(), MAX_BODY - 1);
    assert_eq!(certify(&longest, &receipt), Ok(output));
    assert_eq!(reason(&body(MAX_BODY + 1, "\",}")), Some(Reason::TooLong));
    // A valid one is used as it is, whatever its length.
    assert_eq!(mend(&body(MAX_BODY + 1, "\"}"), &Evidence::whole(), &NoJudge).name(), "intact");
}

#[test]
fn over_budget_is_declined() {
    // Each object may lack its closer at many places: too many readings to count.
    let members = "\"a\":1,".repeat(40_000);
    let body = format!("{{\"o\":{{\"p\":{{\"q\":{{{members}\"z\":1}}");
    match mended(&body, &Evidence::whole()) {
        Verdict::Declined(no) => assert_eq!(no.reason, Reason::OverBudget),
        Verdict::Mended { receipt, .. } => {
            // Or shown as what it is: closed at its end, with nothing that says that this was the place.
            assert_eq!(receipt.grade, toolmend_core::Grade::Closing);
        }
        Verdict::Intact { .. } => panic!("it is not whole"),
    }
}

/// About this many bytes of each shape.
const LONG: usize = 100_000;

/// `head`, then `piece` again and again, then `tail`.
const SHAPES: &[(&str, &str, &str)] = &[
    ("", "[", ""),
    ("", "{", ""),
    ("", "}", ""),
    ("", "{\"a\":", ""),
    ("{\"a\":", "[", ""),
    ("", "\"", ""),
    ("{", "\"", ""),
    ("", "'", ""),
    ("{", "'", ""),
    ("", "“", ""),
    ("", "„", ""),
    ("", "«a ", ""),
    ("{", "“", ""),
    ("", "`", ""),
    ("{\"a\":", "`", ""),
    ("", "\\", ""),
    ("{", "\\\"", ""),
    ("", "<", ""),
    ("", "<think>", ""),
    ("<think>", "</", ""),
    ("", "it's ", ""),
    ("", "{a} ", ""),
    ("", "[\", \":", ""),
    ("", "{...", ""),
    ("{\"a\":1", "}", ","),
    ("{\"a\":1", "}", ",\"b\":2}"),
    ("{\"a\":[1", "]", ",\"b\":2}"),
    ("{\"a\":1", ",", "\"b\":2}"),
    ("{", ",", "\"b\":2}"),
    ("{\"a\":1", ";", "\"b\":2}"),
    ("{", "\"a\":1 ", "}"),
    ("{", "\"a\" 1,", "}"),
    ("{\"a\":[", "1 ", "]}"),
    ("{\"a\":[", "[1,],", "1]}"),
    ("{\"a\":[", "[1},", "1]}"),
    ("{", "\"a\":{\"b\":1],", "\"z\":1}"),
    ("{", "\"a\":[1,", "\"z\":1}"),
    ("{\"a\":[", "{\"b\":1,", "1]}"),
    ("{\"o\":{", "\"a\":1,", "\"z\":1}"),
    ("{\"o\":[{\"p\":[", "\"a\",", "\"x\""),
    ("{\"a\":\"", "x \"y\" ", "\"}"),
    ("{\"a\":\"b ", "\",\" b", "\"}"),
    ("{\"a\":[\"b", "\",", "\"]}"),
    ("{'a':'", "it's ", "'}"),
    ("{'a':'", "x', 'y ", "'}"),
    ("{", "a:1,", "b:2}"),
    ("{", "a=1;", "b=2}"),
    ("{", "'a':'b',", "'c':1}"),
    ("{", "“a”:“b”,", "“c”:1}"),
    ("{", "\"a\":`x`,", "\"b\":1}"),
    ("{", "\"a\":0x1,", "\"b\":1}"),
    ("{", "\"a\":.5,", "\"b\":5.}"),
    ("{", "\"a\":\"\\d\",", "\"b\":1}"),
    ("{", "\"a\":\"x\ny\",", "\"b\":1}"),
    ("{", "a\":1,", "\"b\":1}"),
    ("{\"a\":\"x\"", "+\"y\"", "}"),
    ("{\"a\":\"x\"", "+\"y\"", "+}"),
    ("{\"a\":", "\"\"\"", "}"),
    ("{\"a\":+", "1", "}"),
    ("{\"a\":", "1_", "1}"),
    ("{", "/* x */", "\"a\":1}"),
    ("{\"a\":1 ", "/* ", ""),
    ("{\"a\":1 ", "# \" ", "\n}"),
    ("{", "\u{a0}", "\"a\":1}"),
    ("{", "\\n", "\"a\":1}"),
    ("", "```\n", "{\"a\":1}"),
    ("{\"a\":1}", "```\n", ","),
    ("", "<a>", "{\"a\":1,}"),
    ("", "{\"a\":1}", ","),
    ("", "[", "{\"a\":1}"),
    ("{\"a\":1}", "]", ""),
    ("{\"a\":1", " ", "x"),
    ("", "say \"x\" ", "{\"a\":1}"),
    ("{\"a\":1} ", "say \"x\" ", ""),
    ("{\"a\":\"x\" ", "\"k ", ""),
    ("{", "&quot;", ""),
    ("", "it's ", ""),
    ("'", "\\'", ""),
    ("{", "\\n", "}"),
    ("{\"a\":1, ", "\\n", ""),
];

#[test]
fn hostile_shapes_come_back() {
    // Work is linear in the body. A reader that goes back over a shape again and again would need minutes
    // for this test, not seconds.
    for (head, piece, tail) in SHAPES {
        let body = format!("{head}{}{tail}", piece.repeat(LONG / piece.len()));
        let verdict = mend(&body, &Evidence::whole(), &NoJudge);
        if let Verdict::Mended { output, receipt } = &verdict {
            assert_eq!(certify(&body, receipt).as_ref(), Ok(output), "{head}{piece}…{tail}");
        }
        if let Verdict::Declined(no) = &verdict {
            assert!(!matches!(no.reason, Reason::Uncertified(_)), "{head}{piece}…{tail}: {}", no.reason);
        }
    }
}
