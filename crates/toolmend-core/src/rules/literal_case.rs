//! `literal-case`: a literal as another language writes it

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;

pub(super) const SPEC: Spec = Spec {
    name: "literal-case",
    what: "`True`, `FALSE`, `None`, `NULL` and the like.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{"a": True, "b": None}"#,
        after: r#"{"a": true, "b": null}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Each is one JSON literal.",
    wrong: Counter {
        text: r#"{"a": undefined}"#,
        why: r#"`undefined` may mean null or "not given"."#,
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

/// The JSON literal that this word writes.
pub(super) fn literal(word: &str) -> Option<&'static str> {
    match word {
        "True" | "TRUE" => Some("true"),
        "False" | "FALSE" => Some("false"),
        "None" | "NONE" | "Null" | "NULL" => Some("null"),
        _ => None,
    }
}

/// Whether a literal begins here, in any of its spellings.
pub(super) fn literal_ahead(rest: &str) -> bool {
    let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    literal(word).is_some() || matches!(word, "true" | "false" | "null")
}

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let length = spot.rest().bytes().take_while(|c| c.is_ascii_alphanumeric() || *c == b'_').count();
    let put = literal(&spot.rest()[..length])?;
    let end = spot.at + length;
    (spot.slot.takes_value() && spot.followed(end))
        .then(|| Lexeme { end, edits: vec![Edit::replace(Rule::LiteralCase, spot.at, end, put)] })
}
