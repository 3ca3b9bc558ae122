//! `triple-quotes`: a string in triple quotes

use super::backtick_string::plain_words;
use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot};
use crate::read::quotes::swallows_member;
use crate::{Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "triple-quotes",
    what: "A string in three double or single quotes, without a backslash.",
    grade: Grade::Spelling,
    example: Example {
        before: "{\"code\": \"\"\"x = \"1\"\ny\"\"\", \"n\": 1}",
        after: r#"{"code": "x = \"1\"\ny", "n": 1}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Raw words up to the next three quotes; no quote stands at either end, so the borders are plain to see.",
    wrong: Counter {
        text: r#"{"code": """"x" = 1"""}"#,
        why: "Four quotes: one may belong to the words.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let mark = ["\"\"\"", "'''"].into_iter().find(|m| spot.rest().starts_with(m))?;
    let from = spot.at + 3;
    let close = from + spot.text[from..].find(mark)?;
    let (words, quote) = (&spot.text[from..close], mark.as_bytes()[0] as char);
    // `"""say "hi"""`: one of the three may be the partner of the one within.
    if quote == '"' && words.matches(quote).count() % 2 == 1 && !words.ends_with(char::is_whitespace) {
        return None;
    }
    let borders = words.starts_with(quote) || spot.text[close + 3..].starts_with(quote);
    // `""", """`: quotes around what separates words are a string's own as well as its borders.
    if words.chars().all(|c| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '+' | '|' | '.' | '&')) {
        return None;
    }
    // `"a": """, "b": "v", "c": """`: each may be a string of one quote.
    if swallows_member(words, &[from], spot.ctx) {
        return None;
    }
    if borders || words.contains('\\') || !spot.slot.takes_value() || !spot.followed(close + 3) {
        return None;
    }
    Some(Lexeme { end: close + 3, edits: plain_words(spot.text, spot.at, close, 3, Rule::TripleQuotes) })
}
