//! `escaped-apostrophe`: `\'` in a string

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, escape_raw, inside, json_escape};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec::Vec;

pub(super) const SPEC: Spec = Spec {
    name: "escaped-apostrophe",
    what: r"`\'` in a string in double quotes, for a word's apostrophe.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{"msg":"it\'s fine"}"#,
        after: r#"{"msg":"it's fine"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: r"Every apostrophe of the string stands inside a word and has its backslash, so `\'` can only be an apostrophe.",
    wrong: Counter {
        text: r#"{"c":"echo \'it's\'"}"#,
        why: "Bare apostrophes stand beside it: the backslash may be content.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    if !spot.rest().starts_with('"') {
        return None;
    }
    let read = inside(spot.text, spot.at + 1, b'"')?;
    let b = spot.text.as_bytes();
    let mut edits = Vec::new();
    for &at in &read.pairs {
        if json_escape(spot.text, at) {
            continue;
        }
        let in_word = b[at - 1].is_ascii_alphabetic() && b.get(at + 2).is_some_and(u8::is_ascii_lowercase);
        if b.get(at + 1) != Some(&b'\'') || !in_word {
            return None;
        }
        edits.push(Edit::delete(Rule::EscapedApostrophe, at, at + 1));
    }
    let apostrophes = memchr::memchr_iter(b'\'', &b[spot.at..read.close]).count();
    let end = read.close + 1;
    if edits.is_empty() || edits.len() != apostrophes || !spot.followed(end) {
        return None;
    }
    edits.extend(escape_raw(spot.text, &read.raw));
    edits.sort_by_key(|e| e.start);
    Some(Lexeme { end, edits })
}
