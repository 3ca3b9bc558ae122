//! The checker's own reading of JSON (RFC 8259).

use alloc::vec::Vec;

use super::Objection;

/// How deep an object may nest.
const MAX_DEPTH: usize = 1024;

/// Walks one JSON object, with white space around it, and calls `token` with the span of each string,
/// number and literal. Answers the object's span.
pub(super) fn object(
    text: &str,
    mut token: impl FnMut(usize, usize) -> Result<(), Objection>,
) -> Result<(usize, usize), Objection> {
    let b = text.as_bytes();
    // The closers that are owed, the innermost last.
    let mut owed: Vec<u8> = Vec::new();
    let start = blank(b, 0);
    let mut at = start;
    if b.get(at) != Some(&b'{') {
        return Err((at, "not an object"));
    }
    loop {
        // A value begins at `at`.
        match b.get(at) {
            Some(&open @ (b'{' | b'[')) => {
                if owed.len() == MAX_DEPTH {
                    return Err((at, "too deep"));
                }
                let close = open + 2;
                owed.push(close);
                at = blank(b, at + 1);
                if b.get(at) != Some(&close) {
                    if close == b'}' {
                        at = key(b, at, &mut token)?;
                    }
                    continue;
                }
            }
            Some(b'"') => {
                let end = string(b, at)?;
                token(at, end)?;
                at = blank(b, end);
            }
            Some(_) => {
                let end = scalar(b, at)?;
                token(at, end)?;
                at = blank(b, end);
            }
            None => return Err((at, "a value is missing")),
        }
        // A value has ended before `at`.
        loop {
            let Some(&close) = owed.last() else {
                return Err((at, "more than one value"));
            };
            match b.get(at) {
                Some(b',') => {
                    at = blank(b, at + 1);
                    if close == b'}' {
                        at = key(b, at, &mut token)?;
                    }
                    break;
                }
                Some(&c) if c == close => {
                    owed.pop();
                    let end = at + 1;
                    at = blank(b, end);
                    if owed.is_empty() {
                        return if at == b.len() {
                            Ok((start, end))
                        } else {
                            Err((at, "text behind the object"))
                        };
                    }
                }
                _ => return Err((at, "a comma or a closer is missing")),
            }
        }
    }
}

/// A key and its colon; answers where the value begins.
#[inline]
fn key(
    b: &[u8],
    at: usize,
    token: &mut impl FnMut(usize, usize) -> Result<(), Objection>,
) -> Result<usize, Objection> {
    let end = string(b, at)?;
    token(at, end)?;
    let colon = blank(b, end);
    if b.get(colon) != Some(&b':') {
        return Err((colon, "a colon is missing"));
    }
    Ok(blank(b, colon + 1))
}

#[inline]
fn blank(b: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = b.get(at) {
        at += 1;
    }
    at
}

/// Where the string at `at` ends.
#[inline]
fn string(b: &[u8], at: usize) -> Result<usize, Objection> {
    if b.get(at) != Some(&b'"') {
        return Err((at, "a string is missing"));
    }
    let mut i = at + 1;
    loop {
        // Blocks in which nothing needs a look are passed at once.
        while let Some(block) = b.get(i..i + 16) {
            let special = block
                .iter()
                .fold(false, |s, &c| s | (c < 0x20) | (c == b'"') | (c == b'\\'));
            if special {
                break;
            }
            i += 16;
        }
        while let Some(&c) = b.get(i) {
            if c < 0x20 || c == b'"' || c == b'\\' {
                break;
            }
            i += 1;
        }
        match b.get(i) {
            Some(b'"') => return Ok(i + 1),
            Some(b'\\') => match b.get(i + 1) {
                Some(b'u') => {
                    let hex = b.get(i + 2..i + 6).unwrap_or(&[]);
                    if hex.len() != 4 || !hex.iter().all(u8::is_ascii_hexdigit) {
                        return Err((i, "a bad escape"));
                    }
                    i += 6;
                }
                Some(c) if b"\"\\/bfnrt".contains(c) => i += 2,
                _ => return Err((i, "a bad escape")),
            },
            Some(_) => return Err((i, "a control character in a string")),
            None => return Err((at, "an open string")),
        }
    }
}

/// Where the number or literal at `at` ends.
fn scalar(b: &[u8], at: usize) -> Result<usize, Objection> {
    for word in [&b"true"[..], b"false", b"null"] {
        if b[at..].starts_with(word) {
            return Ok(at + word.len());
        }
    }
    let digits = |mut i: usize| {
        let from = i;
        while b.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        if i > from {
            Ok(i)
        } else {
            Err((from, "a digit is missing"))
        }
    };
    let mut i = at + usize::from(b[at] == b'-');
    i = if b.get(i) == Some(&b'0') {
        i + 1
    } else {
        digits(i)?
    };
    if b.get(i) == Some(&b'.') {
        i = digits(i + 1)?;
    }
    if let Some(b'e' | b'E') = b.get(i) {
        i += 1;
        if let Some(b'+' | b'-') = b.get(i) {
            i += 1;
        }
        i = digits(i)?;
    }
    Ok(i)
}
