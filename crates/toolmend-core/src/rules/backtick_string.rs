//! `backtick-string`: a string in backticks

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, escape_raw, holds_border};
use crate::read::quotes::swallows_member;
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;
use alloc::vec::Vec;

pub(super) const SPEC: Spec = Spec {
    name: "backtick-string",
    what: "A string as a JavaScript template literal, without backslash and without `${`.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{"s": `say "hi"`, "n": 1}"#,
        after: r#"{"s": "say \"hi\"", "n": 1}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Without a backslash, a backtick or `${` inside, every reading gives the same words.",
    wrong: Counter {
        text: r#"{"s": `cost: ${n}`}"#,
        why: "The words depend on a variable.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    if !spot.rest().starts_with('`') || spot.rest().starts_with("``") {
        return None;
    }
    let close = spot.at + 1 + memchr::memchr(b'`', &spot.text.as_bytes()[spot.at + 1..])?;
    let words = &spot.text[spot.at + 1..close];
    if words.contains('\\') || words.contains("${") || !spot.followed(close + 1) {
        return None;
    }
    // `` `x", "b": "y` ``, `` {`a": 1, "b`: 2} ``: each of its ends may be a quote of another kind.
    if swallows_member(words, &[spot.at], spot.ctx) || spot.slot.takes_key() && holds_border(words) {
        return None;
    }
    let edits = plain_words(spot.text, spot.at, close, 1, Rule::BacktickString);
    Some(Lexeme { end: close + 1, edits })
}

/// The edits that put raw words, which stand between delimiters of `width` bytes, in double quotes.
pub(super) fn plain_words(text: &str, open: usize, close: usize, width: usize, rule: Rule) -> Vec<Edit> {
    let mut edits = vec![Edit::replace(rule, open, open + width, "\"")];
    for at in open + width..close {
        match text.as_bytes()[at] {
            b'"' => edits.push(Edit::insert(rule, at, "\\")),
            c if c < 0x20 => edits.extend(escape_raw(text, &[at])),
            _ => {}
        }
    }
    edits.push(Edit::replace(rule, close, close + width, "\""));
    edits
}
