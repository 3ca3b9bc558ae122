//! `bare-backslash`: a string whose backslashes were not doubled

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, escape_raw, inside};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec::Vec;

pub(super) const SPEC: Spec = Spec {
    name: "bare-backslash",
    what: "A regular expression, Windows path or LaTeX formula whose backslashes were not doubled.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{"re":"^\d+\.\w*$"}"#,
        after: r#"{"re":"^\\d+\\.\\w*$"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "The string is taken as one: none of its pairs is a JSON escape or an escape of another language, and one at least is a letter that nobody escapes needlessly, so every backslash is content.",
    wrong: Counter {
        text: r#"{"p":"C:\temp\docs"}"#,
        why: r"`\t` is a JSON escape and `\d` is not: the two ways to write cannot both be meant, and the text does not say which was.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    // A key is seldom written so: the quote before it may stand elsewhere.
    if !spot.rest().starts_with('"') || !spot.slot.takes_value() {
        return None;
    }
    let read = inside(spot.text, spot.at + 1, b'"')?;
    let end = read.close + 1;
    let content = read.pairs.iter().all(|&at| is_content(&spot.text[at + 1..]));
    let letter = read.pairs.iter().any(|&at| spot.text.as_bytes()[at + 1].is_ascii_alphabetic());
    if !content || !letter || !spot.followed(end) {
        return None;
    }
    let mut edits: Vec<Edit> =
        read.pairs.iter().map(|&at| Edit::insert(Rule::BareBackslash, at, "\\")).collect();
    edits.extend(escape_raw(spot.text, &read.raw));
    edits.sort_by_key(|e| e.start);
    Some(Lexeme { end, edits })
}

/// Whether a backslash before this text can only be content: what follows is an escape neither in JSON
/// nor in Python, JavaScript or C, and no quote.
fn is_content(after: &str) -> bool {
    let hex = |from: usize| after.bytes().skip(from).take_while(u8::is_ascii_hexdigit).count();
    match after.as_bytes().first() {
        None | Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'0'..=b'9') => false,
        Some(b'\'' | b'_' | b'`' | 0..=0x1f) => false,
        Some(b'u' | b'N') if after[1..].starts_with('{') => false,
        Some(b'a' | b'e') if !after[1..].starts_with(|c: char| c.is_ascii_alphabetic()) => false,
        // `\u1`: a character of which digits were lost.
        Some(b'u') if after[1..].starts_with(|c: char| c.is_ascii_digit()) => false,
        Some(b'x' | b'u') => hex(1) < 2,
        Some(b'U') => hex(1) < 4,
        Some(_) => true,
    }
}
