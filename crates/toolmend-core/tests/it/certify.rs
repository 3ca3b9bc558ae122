//! The checker refuses what a repair may not do.
//!
//! Each test forges receipts: it must object, or the output still says the same, which is what it proves:
//! the strings, numbers and literals, in their order. (That the brackets stand where they were meant is the
//! reader's work.)

use std::borrow::Cow;

use toolmend_core::{Edit, Ending, Evidence, Grade, Receipt, Rule, Verdict, certify};

use crate::checked::mended;
use crate::said::{Said, said};

fn edit(start: usize, end: usize, put: &str, rule: Rule) -> Edit {
    Edit { start, end, put: Cow::Owned(put.into()), rule }
}

fn receipt(step: Vec<Edit>) -> Receipt {
    let (clues, notes) = Default::default();
    Receipt { steps: step.into(), grade: Grade::Cut, ending: Ending::Complete, clues, notes }
}

/// What a text says, its brackets aside.
fn tokens(text: &str) -> Vec<Said> {
    let said = said(text).unwrap_or_else(|| panic!("the checker let through what is no object: {text:?}"));
    said.into_iter().filter(|s| !matches!(s, Said::Mark(_))).collect()
}

/// Panics where the checker accepts a receipt whose output says something else than `truth`.
fn refused_or_same(input: &str, receipt: &Receipt, truth: &[Said], what: &str) {
    if let Ok(output) = certify(input, receipt) {
        assert_eq!(tokens(&output), truth, "{what}: {input:?}\n{:?}\n-> {output:?}", receipt.steps);
    }
}

/// Bodies of every rule's example, and their receipts.
fn real() -> Vec<(&'static str, Receipt, Vec<Said>)> {
    let more = [
        "```json\n{\"city\": \"Lyon\", \"days\": 3, \"ok\": [true, null],}\n```",
        "{'a': 'it\\'s', \"b\": \"x\ny\", c: +1.50, 'd': None}",
        "\"{\\\"path\\\": \\\"C:\\\\\\\\new\\\", \\\"n\\\": 17}\"",
        "Here: [{\"a\": 1 \"b\": {\"c\": \"d\"}, \"e\": 5,}] Done.",
        "{\"a\":{\"b\":[1,{\"c\":\"d\"}]",
    ];
    let examples = Rule::ALL.iter().map(|r| &r.spec().example).filter(|e| e.schema.is_empty());
    examples
        .map(|e| e.before)
        .chain(more)
        .filter_map(|body| match mended(body, &Evidence::whole()) {
            Verdict::Mended { output, receipt } => Some((body, receipt, tokens(&output))),
            _ => None,
        })
        .collect()
}

/// Every receipt that `change` makes of the real ones, an edit at a time.
fn each_edit(what: &str, change: impl Fn(&str, &mut Vec<Edit>, usize) -> bool) {
    let mut made = 0;
    for (body, receipt, truth) in real() {
        for step in 0..receipt.steps.len() {
            for n in 0..receipt.steps[step].len() {
                let mut forged = receipt.clone();
                forged.grade = Grade::Cut;
                if change(body, &mut forged.steps[step], n) {
                    refused_or_same(body, &forged, &truth, what);
                    made += 1;
                }
            }
        }
    }
    assert!(made > 40, "{what}: only {made} forged");
}

#[test]
fn an_edit_less() {
    each_edit("an edit less", |_, edits, n| {
        edits.remove(n);
        true
    });
}

#[test]
fn another_replacement() {
    for put in ["", "x", "\"", "0", "1", ",", "\\", "}", "null", "\"a\":1,"] {
        each_edit("another replacement", |_, edits, n| {
            edits[n].put = Cow::Borrowed(put);
            true
        });
        each_edit("more behind the replacement", |_, edits, n| {
            edits[n].put = Cow::Owned(edits[n].put.clone().into_owned() + put);
            true
        });
    }
}

#[test]
fn another_range() {
    let shifts: [fn(&mut Edit); 6] = [
        |e| e.start += 1,
        |e| e.end += 1,
        |e| e.start = e.start.saturating_sub(1),
        |e| e.end = e.end.saturating_sub(1),
        |e| (e.start, e.end) = (e.start + 1, e.end + 1),
        |e| (e.start, e.end) = (e.start.saturating_sub(1), e.end.saturating_sub(1)),
    ];
    for shift in shifts {
        each_edit("another range", |_, edits, n| {
            shift(&mut edits[n]);
            true
        });
    }
}

#[test]
fn another_rule() {
    for rule in Rule::ALL {
        each_edit("another rule", |_, edits, n| {
            edits[n].rule = *rule;
            true
        });
    }
}

/// Every receipt with one more edit of any rule, made for each character of the body.
fn one_more(what: &str, more: impl Fn(&str, usize, char) -> Option<(usize, String)>) {
    for (body, receipt, truth) in real() {
        for (at, c) in body.char_indices() {
            let Some((length, put)) = more(body, at, c) else { continue };
            for rule in Rule::ALL {
                let mut forged = receipt.clone();
                forged.grade = Grade::Cut;
                let edits = &mut forged.steps[0];
                let place = edits.partition_point(|e| e.start < at);
                edits.insert(place, edit(at, at + length, &put, *rule));
                refused_or_same(body, &forged, &truth, what);
            }
        }
    }
}

#[test]
fn a_character_less() {
    one_more("a character less", |_, _, c| c.is_alphanumeric().then(|| (c.len_utf8(), String::new())));
}

#[test]
fn another_digit() {
    one_more("another digit", |_, _, c| c.is_ascii_digit().then(|| (1, "7".into())));
}

#[test]
fn something_more() {
    for put in ["x", "0", "\\n", "\"", " null"] {
        one_more("something more", |_, _, _| Some((0, put.into())));
    }
}

#[test]
fn a_member_less() {
    // From each comma or brace to the next comma: a member, and one of its separators.
    one_more("a member less", |body, at, c| {
        let next = body[at + c.len_utf8()..].find(',')?;
        matches!(c, ',' | '{')
            .then(|| if c == ',' { (next + 1, String::new()) } else { (next + 2, "{".into()) })
    });
    one_more("the last member less", |body, at, c| {
        let end = body.rfind('}')?;
        (c == ',' && end > at).then(|| (end - at, String::new()))
    });
}

#[test]
fn a_lower_grade() {
    for (body, receipt, _) in real() {
        let riskiest = receipt.steps.iter().flatten().map(|e| e.rule.grade()).max();
        for grade in Grade::ALL.into_iter().filter(|&g| Some(g) < riskiest) {
            let forged = Receipt { grade, ..receipt.clone() };
            assert!(certify(body, &forged).is_err(), "{grade}: {body:?}");
        }
    }
}

/// A forged receipt, and what the checker says to it.
struct Forged {
    name: &'static str,
    input: &'static str,
    edits: &'static [(usize, usize, &'static str, Rule)],
    /// Some words of the objection; any objection where it is empty.
    says: &'static str,
}

const FORGED: &[Forged] = &[
    Forged { name: "no step edits", input: "{}", edits: &[], says: "without a step" },
    Forged { name: "beyond the text", input: "{}", edits: &[(1, 9, "", Rule::Prose)], says: "do not apply" },
    Forged {
        name: "not in order",
        input: "x {\"a\":1,}",
        edits: &[(8, 9, "", Rule::TrailingComma), (0, 2, "", Rule::Prose)],
        says: "do not apply",
    },
    Forged {
        name: "inside a character",
        input: "é{}",
        edits: &[(0, 1, "", Rule::Prose)],
        says: "do not apply",
    },
    Forged { name: "no object", input: "x [1]", edits: &[(0, 2, "", Rule::Prose)], says: "not an object" },
    Forged {
        name: "two objects",
        input: "x {}{}",
        edits: &[(0, 2, "", Rule::Prose)],
        says: "behind the object",
    },
    Forged {
        name: "an open string is closed",
        input: "{\"path\":\"/etc/ho",
        edits: &[(16, 16, "\"", Rule::RawControl), (16, 16, "}", Rule::MissingCloser)],
        says: "",
    },
    Forged {
        name: "an open string is closed as punctuation",
        input: "{\"path\":\"/etc/ho",
        edits: &[(16, 16, "\"}", Rule::MissingCloser)],
        says: "",
    },
    Forged {
        name: "an open string is closed as a value without its quote",
        input: "{\"q\":\"words",
        edits: &[(11, 11, "\"", Rule::ValueNoCloseQuote), (11, 11, "}", Rule::MissingCloser)],
        says: "",
    },
    Forged {
        name: "an open single quote is closed",
        input: "{\"q\":'words",
        edits: &[
            (5, 6, "\"", Rule::SingleQuotes),
            (11, 11, "\"", Rule::SingleQuotes),
            (11, 11, "}", Rule::MissingCloser),
        ],
        says: "",
    },
    Forged {
        name: "a member as words behind",
        input: "{\"a\":1},\"b\":2}",
        edits: &[(7, 14, "", Rule::Prose)],
        says: "a member taken as packaging",
    },
    Forged {
        name: "a member as words before",
        input: "{\"path\":\"a\",\"opts\":{\"x\":1}}",
        edits: &[(0, 19, "", Rule::Prose), (26, 27, "", Rule::ExtraCloser)],
        says: "",
    },
    Forged {
        name: "an open body around as words before",
        input: "{\"path\":\"a\",\"opts\":{\"x\":1}",
        edits: &[(0, 19, "", Rule::LeakedMark)],
        says: "",
    },
    Forged {
        name: "a member behind, after a comma that went alone",
        input: "{\"a\":1},\"b\":2}",
        edits: &[(7, 8, "", Rule::TrailingComma), (8, 14, "", Rule::LeakedMark)],
        says: "a member taken as packaging",
    },
    Forged {
        name: "another body as a copy",
        input: "{\"a\":1}{\"a\":2}",
        edits: &[(7, 14, "", Rule::DoubledBody)],
        says: "a copy that differs",
    },
    Forged {
        name: "another body as words",
        input: "{\"a\":1} {\"b\":2}",
        edits: &[(7, 15, "", Rule::Prose)],
        says: "",
    },
    Forged {
        name: "an item as a comment",
        input: "{\"a\":[1,2,3]}",
        edits: &[(7, 9, "", Rule::Comment)],
        says: "says something",
    },
    Forged {
        name: "an item as white space",
        input: "{\"a\":[1,2]}",
        edits: &[(7, 9, "", Rule::InvisibleSpace)],
        says: "says something",
    },
    Forged {
        name: "what stands between two comments",
        input: "{\"a\":1/**/,\"b\":2/**/}",
        edits: &[(6, 20, "", Rule::Comment)],
        says: "says something",
    },
    Forged {
        name: "a line behind a line comment",
        input: "{\"a\":1 // x\n,\"b\":2}",
        edits: &[(7, 18, "", Rule::Comment)],
        says: "says something",
    },
    Forged {
        name: "two numbers made one",
        input: "{\"a\":[1,2]}",
        edits: &[(7, 8, "", Rule::TrailingComma)],
        says: "inside a token",
    },
    Forged {
        name: "a comma out of a string",
        input: "{\"a\":\"1,2\",}",
        edits: &[(7, 8, "", Rule::TrailingComma), (10, 11, "", Rule::TrailingComma)],
        says: "inside a token",
    },
    Forged {
        name: "one level of a string's own escapes",
        input: "{\"p\":\"C:\\\\temp\"}",
        edits: &[(8, 10, "\\", Rule::OverEscaped)],
        says: "",
    },
    Forged {
        name: "one entity of a string",
        input: "{\"h\":\"a &amp; b\"}",
        edits: &[(8, 13, "&", Rule::HtmlEntities)],
        says: "",
    },
    Forged {
        name: "one level taken off unevenly",
        input: "{\\\"a\\\":\\\"b\\\\nc\\\"}",
        edits: &[
            (1, 3, "\"", Rule::OverEscaped),
            (4, 6, "\"", Rule::OverEscaped),
            (7, 9, "\"", Rule::OverEscaped),
            (14, 16, "\"", Rule::OverEscaped),
        ],
        says: "an escape left",
    },
    Forged {
        name: "an escape for another",
        input: "{\\\"a\\\":1}",
        edits: &[(1, 3, "'", Rule::OverEscaped), (4, 6, "'", Rule::OverEscaped)],
        says: "",
    },
    Forged {
        name: "a string that is not the whole",
        input: "x \"{}\"",
        edits: &[(2, 3, "", Rule::DoubleEncoded), (5, 6, "", Rule::DoubleEncoded)],
        says: "",
    },
    Forged {
        name: "a literal for another",
        input: "{\"a\":True}",
        edits: &[(5, 9, "false", Rule::LiteralCase)],
        says: "something else",
    },
    Forged {
        name: "a number for another",
        input: "{\"a\":+5}",
        edits: &[(5, 7, "6", Rule::PlusSign)],
        says: "something else",
    },
    Forged {
        name: "hexadecimal misread",
        input: "{\"a\":0x1F}",
        edits: &[(5, 9, "30", Rule::HexNumber)],
        says: "something else",
    },
    Forged {
        name: "a sign lost",
        input: "{\"a\":-07}",
        edits: &[(5, 7, "", Rule::LeadingZero)],
        says: "something else",
    },
    Forged {
        name: "a fraction lost",
        input: "{\"a\":5.0}",
        edits: &[(6, 8, "", Rule::BarePoint)],
        says: "something else",
    },
    Forged {
        name: "digits joined",
        input: "{\"a\":1_0}",
        edits: &[(6, 8, "", Rule::DigitSeparator)],
        says: "something else",
    },
    Forged {
        name: "half of the backslashes doubled",
        input: "{\"re\":\"\\d\\n\"}",
        edits: &[(7, 7, "\\", Rule::BareBackslash)],
        says: "something else",
    },
    Forged {
        name: "a backslash dropped",
        input: "{\"re\":\"\\d\"}",
        edits: &[(7, 8, "", Rule::BareBackslash)],
        says: "something else",
    },
    Forged {
        name: "a final newline lost",
        input: "{\"c\":\"a\n\"}",
        edits: &[(7, 8, "", Rule::RawControl)],
        says: "something else",
    },
    Forged {
        name: "an inner quote lost",
        input: "{\"c\":\"say \"hi\" now\"}",
        edits: &[(10, 11, "", Rule::InnerQuotes), (13, 14, "", Rule::InnerQuotes)],
        says: "something else",
    },
    Forged {
        name: "words of a template filled in",
        input: "{\"c\":`${x}`}",
        edits: &[(5, 6, "\"", Rule::BacktickString), (10, 11, "\"", Rule::BacktickString)],
        says: "something else",
    },
    Forged {
        name: "a variable concatenated",
        input: "{\"c\":\"a\" + b}",
        edits: &[(7, 11, "", Rule::Concatenation), (12, 12, "\"", Rule::Concatenation)],
        says: "",
    },
    Forged {
        name: "a value put as a key's quotes",
        input: "{a: 1}",
        edits: &[(1, 1, "\"b\":2,\"", Rule::BareKey), (2, 2, "\"", Rule::BareKey)],
        says: "",
    },
    Forged {
        name: "a value put as punctuation",
        input: "{\"a\":}",
        edits: &[(5, 5, "[]", Rule::MissingComma)],
        says: "",
    },
    Forged {
        name: "a copy of nothing",
        input: "{\"a\":1}{",
        edits: &[(7, 8, "", Rule::DoubledBody)],
        says: "a copy that differs",
    },
];

#[test]
fn forged_receipts_are_refused() {
    let mut complaints = Vec::new();
    for forged in FORGED {
        let edits = forged.edits.iter().map(|&(start, end, put, rule)| edit(start, end, put, rule)).collect();
        match certify(forged.input, &receipt(edits)) {
            Ok(output) => complaints.push(format!("{}: accepted: {output:?}", forged.name)),
            Err(no) if !no.what.contains(forged.says) => complaints.push(format!("{}: {no}", forged.name)),
            Err(no) => assert!(!no.to_string().is_empty()),
        }
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn a_receipt_without_a_step_proves_nothing() {
    let no = certify("{}", &receipt(Vec::new())).expect_err("nothing is proved");
    assert_eq!((no.step, no.what), (0, "a receipt without a step"));
}

#[test]
fn an_objection_names_its_step() {
    let body = "\"{\\\"a\\\": 1,}\"";
    let Verdict::Mended { mut receipt, .. } = mended(body, &Evidence::whole()) else { panic!("certain") };
    assert_eq!(receipt.steps.len(), 2, "a level, then what is inside");
    receipt.steps[1][0].put = Cow::Borrowed("x");
    assert_eq!(certify(body, &receipt).map_err(|no| no.step), Err(1));
}
