//! `plus-sign`: a plus sign before a number

use super::number::{self, run};
use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;

pub(super) const SPEC: Spec = Spec {
    name: "plus-sign",
    what: "A plus sign before a number.",
    grade: Grade::Spelling,
    example: Example { before: r#"{"n": +5}"#, after: r#"{"n": 5}"#, ending: Ending::Complete, schema: "" },
    safe: "+5 is 5.",
    wrong: Counter {
        text: r#"{"n": 1+5}"#,
        why: "It is a sum, and nobody is asked to work it out.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let number = run(spot)?;
    number.strip_prefix('+').is_some_and(|n| !n.starts_with('-') && number::is_json(n)).then(|| Lexeme {
        end: spot.at + number.len(),
        edits: vec![Edit::delete(Rule::PlusSign, spot.at, spot.at + 1)],
    })
}
