//! `raw-control`: a control character written raw in a string

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, escape_raw, inside, json_escape};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "raw-control",
    what: "A line break, tab or other control character that stands raw inside a string.",
    grade: Grade::Spelling,
    example: Example {
        before: "{\"code\":\"a\n\tb\"}",
        after: r#"{"code":"a\n\tb"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "The string still ends at its quote; the character is written as its escape.",
    wrong: Counter {
        text: "{\"q\": \"words,\n\"top_k\": 5}",
        why: "The line break may show that the closing quote is missing.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    // A key is seldom written so: the quote before it may stand elsewhere.
    if !spot.rest().starts_with('"') || !spot.slot.takes_value() {
        return None;
    }
    let read = inside(spot.text, spot.at + 1, b'"')?;
    // `\b` beside a raw line break: the string's escapes may be its own as well.
    let code = read.pairs.iter().any(|&p| matches!(spot.text.as_bytes()[p + 1], b'b' | b'f'));
    if code || read.raw.is_empty() || !read.pairs.iter().all(|&p| json_escape(spot.text, p)) {
        return None;
    }
    let end = read.close + 1;
    let edits = escape_raw(spot.text, &read.raw).collect();
    spot.followed(end).then_some(Lexeme { end, edits })
}
