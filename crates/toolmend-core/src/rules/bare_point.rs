//! `bare-point`: a decimal point without digits on one side

use super::number::{self, run};
use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::skip_white;
use crate::read::lexeme::{Lexeme, Spot};
use crate::{Edit, Ending, Grade, Rule};
use alloc::string::String;
use alloc::vec;

pub(super) const SPEC: Spec = Spec {
    name: "bare-point",
    what: "`.5` for 0.5, and `5.` for 5 where a delimiter follows.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{"n": .5, "m": 5.}"#,
        after: r#"{"n": 0.5, "m": 5}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: ".5 is 0.5, and 5. before a delimiter is 5.",
    wrong: Counter {
        text: r#"{"amount": 12."#,
        why: "At the end of the text digits may be missing.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let number = run(spot)?;
    let end = spot.at + number.len();
    let sign = usize::from(number.starts_with('-'));
    let edit = if number[sign..].starts_with('.') {
        Edit::insert(Rule::BarePoint, spot.at + sign, "0")
    } else if number[sign..].strip_suffix('.').is_some_and(number::is_whole) && delimited(spot.text, end) {
        Edit::delete(Rule::BarePoint, end - 1, end)
    } else {
        return None;
    };
    let written = if edit.put.is_empty() {
        String::from(&number[..number.len() - 1])
    } else {
        alloc::format!("{}0{}", &number[..sign], &number[sign..])
    };
    number::is_json(&written).then(|| Lexeme { end, edits: vec![edit] })
}

fn delimited(text: &str, end: usize) -> bool {
    matches!(text.as_bytes().get(skip_white(text, end)), Some(b',' | b'}' | b']'))
}
