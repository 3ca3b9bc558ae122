//! `hex-number`: a hexadecimal number

use super::number::run;
use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot};
use crate::{Edit, Ending, Grade, Rule};
use alloc::string::ToString;
use alloc::vec;

pub(super) const SPEC: Spec = Spec {
    name: "hex-number",
    what: "A hexadecimal number of at most 16 digits.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{"n": 0x1F}"#,
        after: r#"{"n": 31}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "0x1F is 31.",
    wrong: Counter {
        text: r#"{"n": 0x}"#,
        why: "No digits follow: the number is not there.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let number = run(spot)?;
    let digits = number.strip_prefix("0x").or_else(|| number.strip_prefix("0X"))?;
    if digits.starts_with('+') {
        return None;
    }
    let value = u64::from_str_radix(digits, 16).ok()?;
    let end = spot.at + number.len();
    Some(Lexeme { end, edits: vec![Edit::replace(Rule::HexNumber, spot.at, end, value.to_string())] })
}
