//! `unquoted-word`: an allowed word without its quotes

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, identifier_end};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;

pub(super) const SPEC: Spec = Spec {
    name: "unquoted-word",
    what: "A bare word that the schema lists as an allowed string.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"unit": celsius}"#,
        after: r#"{"unit": "celsius"}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"unit":{"enum":["celsius","fahrenheit"]}}}"#,
    },
    safe: "The schema lists the word, so it is no variable's name.",
    wrong: Counter {
        text: r#"{"unit": kelvin}"#,
        why: "The schema does not list the word.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"unit":{"enum":["celsius","fahrenheit"]}}}"#,
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    const OTHER: &[&str] = &["true", "false", "null", "none", "nan", "infinity", "undefined"];
    // Whether the schema lists the word is asked when the whole reading is judged.
    if !spot.slot.takes_value() || !spot.ctx.has_schema() {
        return None;
    }
    let end = identifier_end(spot.text, spot.at)?;
    let word = &spot.text[spot.at..end];
    let other = OTHER.iter().any(|o| word.eq_ignore_ascii_case(o));
    (!other && spot.followed(end)).then(|| Lexeme {
        end,
        edits: vec![
            Edit::insert(Rule::UnquotedWord, spot.at, "\""),
            Edit::insert(Rule::UnquotedWord, end, "\""),
        ],
    })
}
