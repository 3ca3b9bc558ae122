//! `digit-separator`: underscores between digits

use super::number::{self, run};
use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec::Vec;

pub(super) const SPEC: Spec = Spec {
    name: "digit-separator",
    what: "Underscores between the digits of a number.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{"n": 1_000}"#,
        after: r#"{"n": 1000}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "1_000 is 1000 in every language that writes it.",
    wrong: Counter {
        text: r#"{"n": 1,000}"#,
        why: "A comma parts members: 1000, or 1 and something lost.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let number = run(spot)?;
    let b = number.as_bytes();
    let digit = |i: usize| b.get(i).is_some_and(u8::is_ascii_digit);
    let between = |&i: &usize| i > 0 && digit(i - 1) && digit(i + 1);
    let places: Vec<usize> = memchr::memchr_iter(b'_', b).collect();
    if places.is_empty() || !places.iter().all(between) || !number::is_json(&number.replace('_', "")) {
        return None;
    }
    let edits =
        places.iter().map(|i| Edit::delete(Rule::DigitSeparator, spot.at + i, spot.at + i + 1)).collect();
    Some(Lexeme { end: spot.at + number.len(), edits })
}
