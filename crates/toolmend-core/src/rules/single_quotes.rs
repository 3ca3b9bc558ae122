//! `single-quotes`: strings in single quotes

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Inside, Lexeme, Spot, escape_raw, holds_border, inside, json_escape};
use crate::read::quotes::swallows_member;
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;
use alloc::vec::Vec;

pub(super) const SPEC: Spec = Spec {
    name: "single-quotes",
    what: "A string in single quotes, as Python or JavaScript writes it.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{'a': 'don\'t', 'b': 'say "hi"'}"#,
        after: r#"{"a": "don't", "b": "say \"hi\""}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "The closing quote is the first one that no backslash precedes, and what follows it may follow a string; each escape means the same in Python, JavaScript and JSON.",
    wrong: Counter {
        text: r"{'a': '\x41'}",
        why: r"`\x` is a character in Python and JavaScript, or a backslash that was meant.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    if !spot.rest().starts_with('\'') {
        return None;
    }
    let read = inside(spot.text, spot.at + 1, b'\'')?;
    let end = read.close + 1;
    // `separators=(',', ':')`: between quotes that belong to a string stands no key.
    let says = |words: &str| words.contains(|c: char| c.is_alphanumeric() || c == '_');
    if spot.slot.takes_key() && !says(&spot.text[spot.at..end]) {
        return None;
    }
    // `'x", "b": "y'`, `{'a": 1, "b': 2}`: each of its ends may be a quote of the other kind.
    let words = &spot.text[spot.at + 1..read.close];
    if swallows_member(words, &[spot.at], spot.ctx) || spot.slot.takes_key() && holds_border(words) {
        return None;
    }
    spot.followed(end).then_some(())?;
    Some(Lexeme { end, edits: edits(spot.text, spot.at, &read, Rule::SingleQuotes)? })
}

/// The edits that write a single-quoted string in double quotes. `None` where an escape does not mean
/// the same everywhere.
pub(crate) fn edits(text: &str, open: usize, read: &Inside, rule: Rule) -> Option<Vec<Edit>> {
    let mut edits = vec![Edit::replace(rule, open, open + 1, "\"")];
    for &at in &read.pairs {
        match text.as_bytes().get(at + 1) {
            Some(b'\'') => edits.push(Edit::delete(rule, at, at + 1)),
            // `\b` beside a raw line break: the string's escapes may be its own as well.
            Some(b'b' | b'f') if !read.raw.is_empty() => return None,
            // `\/` is two characters in Python and one in JavaScript.
            Some(b'/') => return None,
            _ if json_escape(text, at) => {}
            _ => return None,
        }
    }
    let mut escaped = false;
    for (n, c) in text[open + 1..read.close].bytes().enumerate() {
        if c == b'"' && !escaped {
            edits.push(Edit::insert(rule, open + 1 + n, "\\"));
        }
        escaped = c == b'\\' && !escaped;
    }
    edits.extend(escape_raw(text, &read.raw));
    edits.push(Edit::replace(rule, read.close, read.close + 1, "\""));
    edits.sort_by_key(|e| (e.start, e.end));
    Some(edits)
}
