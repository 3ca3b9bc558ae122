//! `value-no-open-quote`: a string without its opening quote

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, skip_white};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;

pub(super) const SPEC: Spec = Spec {
    name: "value-no-open-quote",
    what: "Words up to a quote before a delimiter: a string that has lost its opening quote.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{"city": Paris", "n": 1}"#,
        after: r#"{"city": "Paris", "n": 1}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "The words are no literal and no number, and the quote before the delimiter shows where they end.",
    wrong: Counter {
        text: r#"{"city": Paris, "n": 1}"#,
        why: "Without any quote it may be a variable or a word.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    const OTHER: &[&str] = &["true", "false", "null", "none", "nan", "infinity", "undefined"];
    let word_like = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b' ' | b'.' | b'/' | b'-');
    let words = &spot.rest()[..spot.rest().bytes().take_while(|c| word_like(c)).count()];
    let end = spot.at + words.len() + 1;
    let b = words.as_bytes();
    let borders = b.len() > 1 && b[0].is_ascii_alphabetic() && b[b.len() - 1].is_ascii_alphabetic();
    if !borders || spot.text.as_bytes().get(end - 1) != Some(&b'"') {
        return None;
    }
    let first = words.split(' ').next().unwrap_or("");
    let delimiter = matches!(spot.text.as_bytes().get(skip_white(spot.text, end)), Some(b',' | b'}' | b']'));
    let lost = !OTHER.iter().any(|o| first.eq_ignore_ascii_case(o));
    // In a list the quote may be one within the item before it on the line: `["a", b", "c"]`.
    let before = &spot.text[..spot.at];
    let alone = spot.slot != Slot::Value
        && spot.slot.takes_value()
        && before.trim_end_matches([' ', '\t']).ends_with(['\n', '[']);
    // What cannot be seen before them may be the first of the words.
    let unseen = before.chars().next_back().is_some_and(|c| !c.is_ascii());
    // `"a":   eps"`: more blanks than a separator has may be the first of the words as well.
    let margin = before.trim_end_matches([' ', '\t']);
    let wide = before.len() - margin.len() > 1 && !margin.ends_with('\n');
    // `"a":"5", b: big"`: behind a bare key on the line of another member the quote may be one within it.
    let key = margin.trim_end().strip_suffix(':').unwrap_or("").trim_end();
    let first_on_line =
        || memchr::memrchr2(b'"', b'\n', before.as_bytes()).is_none_or(|at| before.as_bytes()[at] == b'\n');
    let value = spot.slot == Slot::Value && (key.ends_with('"') || first_on_line());
    (lost && delimiter && !unseen && !wide && (value || alone))
        .then(|| Lexeme { end, edits: vec![Edit::insert(Rule::ValueNoOpenQuote, spot.at, "\"")] })
}
