//! `bare-key`: a key without quotes

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, colon_ahead, identifier_end};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;

pub(super) const SPEC: Spec = Spec {
    name: "bare-key",
    what: "A key without quotes before a colon.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{path: "/srv/a"}"#,
        after: r#"{"path": "/srv/a"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Between `{` or `,` and a colon nothing but a key can stand.",
    wrong: Counter {
        text: r#"{path "/srv/a"}"#,
        why: "There is no colon: the word may be anything.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

/// Whether the key stands between two strings that each hold an odd number of escaped quotes: those around
/// it may be quotes of one string that were not escaped, and the key a word of it: `"f(\"a", key="b\")"`.
fn half_escaped(before: &str, behind: &str) -> bool {
    // On a line of its own a key is one.
    let Some(before) = before.trim_end_matches([' ', '\t']).strip_suffix(',') else { return false };
    let before = before.trim_end().as_bytes();
    let value =
        behind.trim_start_matches(|c: char| matches!(c, ':' | '=' | '>') || c.is_whitespace()).as_bytes();
    let (Some(&quote @ (b'"' | b'\'')), Some(first)) = (before.last(), value.first()) else { return false };
    let escaped = |quotes: &mut dyn Iterator<Item = bool>| quotes.take_while(|&escaped| escaped).count();
    let before = &before[..before.len() - 1];
    let mut back = memchr::memrchr_iter(quote, before).map(|at| at > 0 && before[at - 1] == b'\\');
    let mut on = memchr::memchr_iter(quote, value).skip(1).map(|at| value[at - 1] == b'\\');
    *first == quote && escaped(&mut back) % 2 == 1 && escaped(&mut on) % 2 == 1
}

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let end = identifier_end(spot.text, spot.at)?;
    let key = spot.slot.takes_key() && colon_ahead(spot.text, end);
    (key && !half_escaped(&spot.text[..spot.at], &spot.text[end..])).then(|| Lexeme {
        end,
        edits: vec![Edit::insert(Rule::BareKey, spot.at, "\""), Edit::insert(Rule::BareKey, end, "\"")],
    })
}
