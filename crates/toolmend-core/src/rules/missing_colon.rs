//! `missing-colon`: no colon between key and value

use super::literal_case::literal_ahead;
use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "missing-colon",
    what: "A key in quotes and a value side by side, without a colon.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#"{"a" 1,"b":2}"#,
        after: r#"{"a": 1,"b":2}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "In an object a key is followed by its value; only the colon can be missing between the two.",
    wrong: Counter {
        text: r#"{"a","b":1}"#,
        why: "There is a comma behind the key: its value is missing, not the colon.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::Colon], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    let end = fault.scan.end();
    let quoted = end > 0 && fault.text.as_bytes()[end - 1] == b'"';
    // The colon may stand on the wrong side of a quote: `"a:" 1`, `"a:1"0`, `"a"[":b"]`.
    let key = fault.text[..end].strip_suffix('"').unwrap_or("");
    let opens = |c: char| matches!(c, '[' | '{' | '"' | '\'') || c.is_whitespace();
    let astray = fault.text[fault.scan.token()..end].contains(':')
        || fault.rest().starts_with("\":")
        || fault.rest().trim_start_matches(opens).starts_with(':');
    // `"n"-1`, three quotes: the sign may belong to the key, or the quotes be more than a pair.
    let glued = fault.at == end && matches!(fault.byte(), Some(b'-' | b'+' | b'.')) || key.ends_with('"');
    // `"x = ""`: words, and an empty string in them.
    let words = key.ends_with(|c: char| c.is_whitespace() || matches!(c, '=' | ',' | '(' | '['));
    if !astray
        && !glued
        && !words
        && quoted
        && (matches!(fault.byte(), Some(b'"' | b'{' | b'[' | b'0'..=b'9' | b'-' | b'+' | b'.' | b'`'))
            || fault.rest().starts_with(['“', '”', '„', '«'])
            || literal_ahead(fault.rest()))
    {
        out.add(Edit::insert(Rule::MissingColon, end, ":"), fault.at, Slot::Value);
    }
}
