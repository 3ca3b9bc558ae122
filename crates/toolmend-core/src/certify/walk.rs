//! The checker's own reading of JSON (RFC 8259).

use super::Objection;

/// How deep an object may nest.
const MAX_DEPTH: usize = 1024;

/// Walks one JSON object, with white space around it. Answers the object's span.
pub(super) fn object(text: &str) -> Result<(usize, usize), Objection> {
    tokens(text, usize::MAX, |_, _| Ok(usize::MAX))
}

/// Walks an object as [`object`] does, and calls `token` with the span of each string,
/// number and literal that ends at `from` or later; it answers from where on it is to be called next.
// A function of its own keeps what it works with in registers.
#[inline(never)]
pub(super) fn tokens(
    text: &str,
    mut from: usize,
    mut token: impl FnMut(usize, usize) -> Result<usize, Objection>,
) -> Result<(usize, usize), Objection> {
    let b = text.as_bytes();
    let mut owed = Owed { depth: 0, bits: [0; MAX_DEPTH / 64] };
    // The innermost closer that is owed.
    let mut close = b'}';
    let start = blank(b, 0);
    let mut at = start;
    if b.get(at) != Some(&b'{') {
        return Err((at, "not an object"));
    }
    loop {
        // A value begins at `at`.
        match b.get(at) {
            Some(&open @ (b'{' | b'[')) => {
                close = open + 2;
                if !owed.push(close == b'}') {
                    return Err((at, "too deep"));
                }
                at = blank(b, at + 1);
                if b.get(at) != Some(&close) {
                    if close == b'}' {
                        let end = string(b, at)?;
                        if end >= from {
                            from = token(at, end)?;
                        }
                        at = colon(b, end)?;
                    }
                    continue;
                }
            }
            Some(&c) => {
                let end = if c == b'"' { string(b, at)? } else { scalar(b, at)? };
                if end >= from {
                    from = token(at, end)?;
                }
                at = blank(b, end);
            }
            None => return Err((at, "a value is missing")),
        }
        // A value has ended before `at`.
        loop {
            match b.get(at) {
                Some(b',') => {
                    at = blank(b, at + 1);
                    if close == b'}' {
                        let end = string(b, at)?;
                        if end >= from {
                            from = token(at, end)?;
                        }
                        at = colon(b, end)?;
                    }
                    break;
                }
                Some(&c) if c == close => {
                    let end = at + 1;
                    at = blank(b, end);
                    match owed.pop() {
                        Some(outer) => close = outer,
                        None if at == b.len() => return Ok((start, end)),
                        None => return Err((at, "text behind the object")),
                    }
                }
                _ => return Err((at, "a comma or a closer is missing")),
            }
        }
    }
}

/// The closers that are owed: one bit a level, set for a brace.
struct Owed {
    depth: usize,
    bits: [u64; MAX_DEPTH / 64],
}

impl Owed {
    /// Owes one more; answers false where that goes too deep.
    #[inline]
    fn push(&mut self, brace: bool) -> bool {
        let Some(word) = self.bits.get_mut(self.depth / 64) else { return false };
        *word = *word & !(1 << (self.depth % 64)) | u64::from(brace) << (self.depth % 64);
        self.depth += 1;
        true
    }

    /// Pays the innermost closer; answers the one that is then owed, if any is.
    #[inline]
    fn pop(&mut self) -> Option<u8> {
        self.depth -= 1;
        let top = self.depth.checked_sub(1)?;
        let brace = self.bits[top / 64 % (MAX_DEPTH / 64)] >> (top % 64) & 1 == 1;
        Some(if brace { b'}' } else { b']' })
    }
}

/// The colon behind a key that ends at `end`; answers where the value begins.
#[inline(always)]
fn colon(b: &[u8], end: usize) -> Result<usize, Objection> {
    let colon = blank(b, end);
    if b.get(colon) != Some(&b':') {
        return Err((colon, "a colon is missing"));
    }
    Ok(blank(b, colon + 1))
}

/// The end of the white space at `at`; most often there is one space, or none.
#[inline(always)]
fn blank(b: &[u8], mut at: usize) -> usize {
    let shown = |at| b.get(at).is_some_and(|&c| c > b' ');
    if shown(at) {
        return at;
    }
    if b.get(at) == Some(&b' ') && shown(at + 1) {
        return at + 1;
    }
    while let Some(&(b' ' | b'\t' | b'\n' | b'\r')) = b.get(at) {
        at += 1;
    }
    at
}

/// The first place from `i` on of a byte that does not stand for itself in a string: a quote, a backslash
/// or a control character. Words of eight bytes in which no byte is one go by at once.
#[inline(always)]
fn special(b: &[u8], mut i: usize) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const TOP: u64 = 0x8080_8080_8080_8080;
    while let Some(Ok(word)) = b.get(i..i + 8).map(<[u8; 8]>::try_from) {
        let word = u64::from_le_bytes(word);
        // With bit 1 turned, a quote comes right behind the control characters: both lie below 0x21.
        let quote_or_control = (word ^ (EACH * 2)).wrapping_sub(EACH * 0x21);
        let backslash = (word ^ (EACH * 0x5c)).wrapping_sub(EACH);
        let found = (quote_or_control | backslash) & !word & TOP;
        if found != 0 {
            return i + (found.trailing_zeros() >> 3) as usize;
        }
        i += 8;
    }
    while b.get(i).is_some_and(|&c| c >= 0x20 && c != 0x22 && c != 0x5c) {
        i += 1;
    }
    i
}

/// Where the string at `at` ends.
#[inline(always)]
fn string(b: &[u8], at: usize) -> Result<usize, Objection> {
    if b.get(at) != Some(&b'"') {
        return Err((at, "a string is missing"));
    }
    let mut i = at + 1;
    loop {
        i = special(b, i);
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
#[inline(always)]
fn scalar(b: &[u8], at: usize) -> Result<usize, Objection> {
    if b[at] <= b'9' {
        return number(b, at);
    }
    let word: &[u8] = match b[at] {
        b't' => b"true",
        b'f' => b"false",
        _ => b"null",
    };
    if b[at..].starts_with(word) { Ok(at + word.len()) } else { Err((at, "a value is missing")) }
}

/// Where the number at `at` ends.
#[inline(always)]
fn number(b: &[u8], at: usize) -> Result<usize, Objection> {
    let digits = |mut i: usize| {
        let from = i;
        while b.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        if i > from { Ok(i) } else { Err((from, "a digit is missing")) }
    };
    let mut i = at + usize::from(b[at] == b'-');
    i = if b.get(i) == Some(&b'0') { i + 1 } else { digits(i)? };
    // Most numbers are whole ones that a comma follows.
    if b.get(i) == Some(&b',') {
        return Ok(i);
    }
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
