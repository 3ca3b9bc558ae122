//! `leading-zero`: zeros before a number

use super::number::{self, run};
use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;

pub(super) const SPEC: Spec = Spec {
    name: "leading-zero",
    what: "Zeros before a number that is the same in decimal and octal, or cannot be octal.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{"n": 007, "m": 08.5}"#,
        after: r#"{"n": 7, "m": 8.5}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Up to 7 decimal and octal agree; with an 8, a 9, a point or an exponent it cannot be octal.",
    wrong: Counter {
        text: r#"{"zip": 02134}"#,
        why: r#"2134, octal 1116, or the text "02134"."#,
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let number = run(spot)?;
    // `[12, 000]`: a comma between thousands, on one line.
    let before = spot.text[..spot.at].trim_end_matches([' ', '\t']);
    let thousands = before.ends_with(',') || number == "000";
    if spot.slot == Slot::Item && number.len() == 3 && thousands {
        return None;
    }
    // `[5,00]`, `[2,000.5]`: or before decimals, unless the item before it is written with zeros as well.
    let item = spot.text[..spot.at].strip_suffix(',').unwrap_or("");
    let digits = item.len() - item.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let few = number.bytes().take_while(u8::is_ascii_digit).count() < 4;
    if spot.slot == Slot::Item && few && digits > 0 && !item[item.len() - digits..].starts_with('0') {
        return None;
    }
    let sign = usize::from(number.starts_with('-'));
    let zeros = number[sign..].bytes().take_while(|&c| c == b'0').count();
    // One zero stays where no other digit stands before the point or the end.
    let digit_follows = number.as_bytes().get(sign + zeros).is_some_and(u8::is_ascii_digit);
    let extra = if digit_follows { zeros } else { zeros.checked_sub(1)? };
    let rest = &number[sign + extra..];
    let agrees = rest.len() == 1 || rest.bytes().any(|c| matches!(c, b'8' | b'9' | b'.' | b'e' | b'E'));
    (extra > 0 && agrees && number::is_json(rest)).then(|| Lexeme {
        end: spot.at + number.len(),
        edits: vec![Edit::delete(Rule::LeadingZero, spot.at + sign, spot.at + sign + extra)],
    })
}
