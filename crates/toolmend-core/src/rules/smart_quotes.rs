//! `smart-quotes`: strings in typographic quotes

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, escape_raw, json_escape, skip_white};
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
    while let Some((n, c)) = chars.next() {
        let at = from + n;
        match c {
            c if close.contains(&c) => {
                let end = at + c.len_utf8();
                edits.push(Edit::replace(Rule::SmartQuotes, at, end, "\""));
                return spot.followed(end).then_some(Lexeme { end, edits });
            }
            '“' | '”' | '„' | '«' | '»' => return None,
            '\\' if json_escape(spot.text, at) => {
                chars.next();
            }
            '\\' => return None,
            // `“ls", "cwd": "/tmp”`: the string may end in a quote of the other kind.
            '"' if ends_string(spot.text, at + 1) => return None,
            '"' => edits.push(Edit::insert(Rule::SmartQuotes, at, "\\")),
            c if c < ' ' => edits.extend(escape_raw(spot.text, &[at])),
            _ => {}
        }
    }
    None
}

/// Whether what follows a straight quote is what may follow a string.
fn ends_string(text: &str, at: usize) -> bool {
    matches!(text.as_bytes().get(skip_white(text, at)), None | Some(b',' | b':' | b'=' | b'}' | b']'))
}
