//! `smart-quotes`: strings in typographic quotes

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{
    Lexeme, Spot, colon_ahead, escape_raw, holds_border, identifier_end, json_escape, key_ahead, skip_white,
};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;

pub(super) const SPEC: Spec = Spec {
    name: "smart-quotes",
    what: "A string between typographic quotes: `“…”`, `”…”`, `„…“`, `«…»`.",
    grade: Grade::Spelling,
    example: Example {
        before: "{“path”: “/srv/a”}",
        after: r#"{"path": "/srv/a"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "None of these quotes stands inside the string, so its borders are plain to see.",
    wrong: Counter {
        text: "{“t”: “a “b” c”}",
        why: "The same quotes stand inside: more than one place could be the end.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

/// The quotes that may close what `open` opens.
pub(crate) fn closers(open: char) -> Option<&'static [char]> {
    match open {
        '“' | '”' => Some(&['”']),
        '„' => Some(&['“', '”']),
        '«' => Some(&['»']),
        _ => None,
    }
}

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let open = spot.rest().chars().next()?;
    let close = closers(open)?;
    let from = spot.at + open.len_utf8();
    let mut edits = vec![Edit::replace(Rule::SmartQuotes, spot.at, from, "\"")];
    let mut chars = spot.text[from..].char_indices();
    let (mut owed, mut raw, mut control) = ((0, 0), false, false);
    while let Some((n, c)) = chars.next() {
        let at = from + n;
        match c {
            c if close.contains(&c) => {
                if spot.slot.takes_key() && holds_border(&spot.text[from..at]) {
                    return None;
                }
                let end = at + c.len_utf8();
                edits.push(Edit::replace(Rule::SmartQuotes, at, end, "\""));
                // `\b` beside a raw line break: the string's escapes may be its own as well.
                return (spot.followed(end) && !(raw && control)).then_some(Lexeme { end, edits });
            }
            '“' | '”' | '„' | '«' | '»' => return None,
            '\\' if json_escape(spot.text, at) => {
                control |= matches!(chars.next(), Some((_, 'b' | 'f')));
            }
            '\\' => return None,
            // `“ls", "cwd": "/tmp”`: the string may end in a quote of the other kind.
            '"' if ends_string(spot, at + 1, owed) => return None,
            '"' => edits.push(Edit::insert(Rule::SmartQuotes, at, "\\")),
            '{' => owed.0 += 1,
            '}' => owed.0 -= 1,
            '[' => owed.1 += 1,
            ']' => owed.1 -= 1,
            c if c < ' ' => {
                raw = true;
                edits.extend(escape_raw(spot.text, &[at]));
            }
            _ => {}
        }
    }
    None
}

/// Whether the string may end in the straight quote before `at`: what may follow a string here follows, and a closer
/// is none of those that are owed to its words, braces and brackets.
fn ends_string(spot: &Spot<'_>, at: usize, (braces, brackets): (isize, isize)) -> bool {
    let next = skip_white(spot.text, at);
    match spot.text.as_bytes().get(next) {
        None => true,
        Some(b':' | b'=') => spot.slot.takes_key(),
        Some(b'}') => braces <= 0,
        Some(b']') => brackets <= 0,
        // In an object a key follows.
        Some(b',') if spot.slot == Slot::Value => {
            let key = skip_white(spot.text, next + 1);
            key_ahead(spot.text, key)
                || identifier_end(spot.text, key).is_some_and(|end| colon_ahead(spot.text, end))
        }
        Some(b',') => spot.slot.takes_value(),
        Some(_) => false,
    }
}
