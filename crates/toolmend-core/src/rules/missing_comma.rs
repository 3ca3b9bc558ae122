//! `missing-comma`: no comma between members

use super::literal_case::literal_ahead;
use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves, Then};
use crate::read::lexeme::{colon_ahead, identifier_end, key_ahead};
use crate::read::quotes::QUOTES;
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "missing-comma",
    what: "No comma before a key, or between numbers, literals or containers of an array.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#"{"a":1 "b":[1 2]}"#,
        after: r#"{"a":1, "b":[1, 2]}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "The next key with its colon marks the border of the member; between numbers white space does, between containers the brackets do.",
    wrong: Counter {
        text: r#"{"a":["x" "y"]}"#,
        why: "Two strings in an array may be one string in two parts.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::After], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    let apart = fault.at > fault.scan.end();
    // `"New York," "dst"`: the comma may stand on the wrong side of the quote.
    let before = &fault.text[..fault.scan.end()];
    let value = before.trim_end_matches(QUOTES);
    // `["a,"] "b"`: or of a bracket.
    let inside = before.trim_end_matches(|c| QUOTES.contains(&c) || matches!(c, ']' | '}'));
    if inside.len() < before.len() && inside.trim_ascii_end().ends_with(',') {
        return;
    }
    // `1"0,f"`: the quote may stand on the wrong side of a digit.
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    if !apart && digit(before.chars().next_back()) && digit(fault.rest().chars().nth(1)) {
        return;
    }
    // `''"b":1`: an empty string right before a quote may be one string in other quotes.
    if !apart && value.trim_ascii_end().ends_with(':') {
        return;
    }
    // `"x"",mode":null`, `"x"" and p": 1`: what opens with a comma, or with a space right behind a string, is no key, but
    // the rest of a string that ended too early.
    if let Some(key) = fault.rest().strip_prefix(['"', '\''])
        && (key.trim_start().starts_with([',', ':', '}', ']'])
            || !apart && key.starts_with(char::is_whitespace))
    {
        return;
    }
    let follows = if fault.in_object() {
        // Right behind a string, the next quote must be the one that opens the key.
        key_ahead(fault.text, fault.at)
            || apart
                && bare_key_may_follow(fault)
                && identifier_end(fault.text, fault.at).is_some_and(|end| colon_ahead(fault.text, end))
    } else {
        match fault.byte() {
            // `2[]`: nothing in it shows that it is a container.
            Some(b'{' | b'[') => {
                before.ends_with(['}', ']']) || !fault.rest()[1..].trim_start().starts_with(['}', ']'])
            }
            // `1 000` may be one number.
            Some(b'0') if fault.text.as_bytes().get(fault.at + 1).is_some_and(u8::is_ascii_digit) => false,
            // `1 234`: nor may it be thousands.
            Some(b'0'..=b'9') if thousands(fault.rest()) => {
                fault.text[fault.scan.end()..fault.at].contains('\n')
            }
            Some(b'0'..=b'9' | b'-') => apart,
            Some(b't' | b'f' | b'n' | b'T' | b'F' | b'N') => apart && literal_ahead(fault.rest()),
            _ => false,
        }
    };
    if follows {
        let end = fault.scan.end();
        out.add(Edit::insert(Rule::MissingComma, end, ","), fault.at, Then::Comma(end));
    }
}

/// Whether a key without quotes may follow without a comma: behind a string only on a line of its own, or
/// where the body writes its keys so from the first one on; else the string may have ended too early.
fn bare_key_may_follow(fault: &Fault<'_>) -> bool {
    let between = &fault.text[fault.scan.end()..fault.at];
    let first = fault.text.find('{').map_or("", |open| fault.text[open + 1..].trim_start());
    let bare = first.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    bare || between.contains('\n') || !fault.text[..fault.scan.end()].ends_with('"')
}

/// Whether three digits stand here, and no more.
fn thousands(rest: &str) -> bool {
    rest.bytes().take_while(u8::is_ascii_digit).count() == 3
}
