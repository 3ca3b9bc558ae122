//! What a JSON text says: its tokens in their order, strings decoded, numbers and literals as written.
//!
//! Two texts that say the same differ in white space and in the spelling of their escapes and in nothing
//! else: key order, duplicate keys, `1.10`, `1e400` and halves of surrogate pairs all count.

use toolmend_core::scan::Status;

use crate::oracle;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// One of `{ } [ ]`.
    Mark(char),
    /// UTF-16 code units.
    Str(Vec<u16>),
    /// A number or literal.
    Word(String),
}

/// What this text says; `None` where it is not one JSON object.
pub(crate) fn said(text: &str) -> Option<Vec<Said>> {
    if oracle::scan(text.as_bytes()) != Status::Whole {
        return None;
    }
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' | '[' | ']' => out.push(Said::Mark(c)),
            '"' => out.push(Said::Str(units(&mut chars))),
            ' ' | '\t' | '\r' | '\n' | ',' | ':' => {}
            _ => {
                let mut word = String::from(c);
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || "+-.".contains(*c)) {
                    word.push(c);
                }
                out.push(Said::Word(word));
            }
        }
    }
    Some(out)
}

/// The rest of a valid string, its closing quote taken.
fn units(chars: &mut impl Iterator<Item = char>) -> Vec<u16> {
    let mut units = Vec::new();
    let mut buffer = [0; 2];
    while let Some(c) = chars.next().filter(|&c| c != '"') {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut buffer));
            continue;
        }
        units.push(match chars.next() {
            Some('b') => 8,
            Some('f') => 12,
            Some('n') => 10,
            Some('r') => 13,
            Some('t') => 9,
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                u16::from_str_radix(&digits, 16).unwrap_or(0)
            }
            Some(other) => other as u16,
            None => 0,
        });
    }
    units
}

/// All strings that it says, keys among them.
pub(crate) fn strings(said: &[Said]) -> impl Iterator<Item = &[u16]> {
    said.iter().filter_map(|s| match s {
        Said::Str(units) => Some(units.as_slice()),
        _ => None,
    })
}
