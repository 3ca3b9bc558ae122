//! `concatenation`: strings joined by a plus sign

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, inside, json_escape, skip_white};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec::Vec;

pub(super) const SPEC: Spec = Spec {
    name: "concatenation",
    what: "Strings in double quotes joined by `+`.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{"a": "x" + "y"}"#,
        after: r#"{"a": "xy"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "In every language that writes it, it is one string.",
    wrong: Counter {
        text: r#"{"a": "x" + y}"#,
        why: "A variable's value is not in the text.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    if !spot.rest().starts_with('"') {
        return None;
    }
    let b = spot.text.as_bytes();
    // Where the part closes, and how many escaped quotes it holds.
    let part = |at: usize| {
        let read = inside(spot.text, at + 1, b'"')?;
        let strict = read.raw.is_empty() && read.pairs.iter().all(|&p| json_escape(spot.text, p));
        let quotes = read.pairs.iter().filter(|&&p| b[p + 1] == b'"').count();
        (b.get(at) == Some(&b'"') && strict).then_some((read.close, quotes))
    };
    let mut edits = Vec::new();
    let (mut close, mut quotes) = part(spot.at)?;
    loop {
        let plus = skip_white(spot.text, close + 1);
        if b.get(plus) != Some(&b'+') {
            break;
        }
        let next = skip_white(spot.text, plus + 1);
        edits.push(Edit::delete(Rule::Concatenation, close, next + 1));
        let (end, more) = part(next)?;
        // `"\"a" + "b\""`: each half of a quotation may be one, and the sign a word between them. Not over a line
        // break, which no string in JSON holds.
        if (quotes, more) == (1, 1) && !spot.text[close..next].contains('\n') {
            return None;
        }
        (close, quotes) = (end, more);
    }
    let end = close + 1;
    (!edits.is_empty() && spot.slot.takes_value() && spot.followed(end)).then_some(Lexeme { end, edits })
}
