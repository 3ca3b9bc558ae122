//! Tokens: read at once where all their bytes are there, and on from where the bytes ended where not.

use super::State;

/// How far a string went.
pub(super) enum Piece {
    /// The string ended; the index is behind its quote.
    Closed,
    /// The bytes ended inside the string.
    Open(State),
    /// The byte at the index cannot stand in a string.
    Fault(State),
}

/// Reads on inside a string.
#[inline(always)]
pub(super) fn string(b: &[u8], i: &mut usize) -> Piece {
    loop {
        *i = plain(b, *i);
        match b.get(*i) {
            None => return Piece::Open(State::Str),
            Some(b'"') => {
                *i += 1;
                return Piece::Closed;
            }
            Some(b'\\') => match b.get(*i + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => *i += 2,
                Some(b'u') => {
                    *i += 2;
                    for left in [State::Hex4, State::Hex3, State::Hex2, State::Hex1] {
                        match b.get(*i) {
                            None => return Piece::Open(left),
                            Some(c) if c.is_ascii_hexdigit() => *i += 1,
                            Some(_) => return Piece::Fault(left),
                        }
                    }
                }
                None => {
                    *i += 1;
                    return Piece::Open(State::Escape);
                }
                Some(_) => {
                    *i += 1;
                    return Piece::Fault(State::Escape);
                }
            },
            Some(_) => return Piece::Fault(State::Str),
        }
    }
}

/// The index of the first byte from `i` on that does not stand for itself in a JSON string (RFC 8259,
/// section 7): a quote, a backslash or a control character. The length of `b` where there is none.
#[inline(always)]
pub fn plain(b: &[u8], mut i: usize) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    // Eight bytes at a time: a byte's high bit is set in the differences below where the byte is the one
    // looked for, and none that has it itself is. Turning bit 1 puts the quote, 0x22, right behind the control
    // characters. A false alarm can only stand above a true one, so the lowest is right.
    while let Some(word) = b.get(i..i + 8) {
        let w = u64::from_le_bytes([word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7]]);
        let quote = (w ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
        let slash = (w ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
        let hit = (quote | slash) & !w & HIGH;
        if hit != 0 {
            return i + hit.trailing_zeros() as usize / 8;
        }
        i += 8;
    }
    while i < b.len() && !matches!(b[i], b'"' | b'\\' | 0..=0x1f) {
        i += 1;
    }
    i
}

/// Reads a number as far as it goes: [`State::After`] behind a whole one that a byte follows; else the state
/// in which the rest is to be read from `i` on.
#[inline(always)]
pub(super) fn number(b: &[u8], i: &mut usize) -> State {
    *i += usize::from(b[*i] == b'-');
    let mut part = match b.get(*i) {
        Some(b'0') => {
            *i += 1;
            State::Zero
        }
        Some(b'1'..=b'9') => {
            *i = digits(b, *i + 1);
            State::Int
        }
        _ => return State::Minus,
    };
    // Most numbers are whole ones that a comma follows.
    if b.get(*i) == Some(&b',') {
        return State::After;
    }
    if b.get(*i) == Some(&b'.') {
        *i += 1;
        let Some(b'0'..=b'9') = b.get(*i) else { return State::Point };
        *i = digits(b, *i + 1);
        part = State::Fraction;
    }
    if let Some(b'e' | b'E') = b.get(*i) {
        *i += 1;
        part = State::Exp;
        if let Some(b'+' | b'-') = b.get(*i) {
            *i += 1;
            part = State::ExpSign;
        }
        let Some(b'0'..=b'9') = b.get(*i) else { return part };
        *i = digits(b, *i + 1);
        part = State::ExpInt;
    }
    if *i == b.len() { part } else { State::After }
}

/// The index of the first byte from `i` on that is no digit.
#[inline(always)]
fn digits(b: &[u8], mut i: usize) -> usize {
    while matches!(b.get(i), Some(b'0'..=b'9')) {
        i += 1;
    }
    i
}

/// The index of the first byte from `i` on that is no space. A loop, though most often there is one space or
/// none: a branch that is foreseen does not wait for the byte.
#[inline(always)]
pub(super) fn spaces(b: &[u8], mut i: usize) -> usize {
    while b.get(i) == Some(&b' ') {
        i += 1;
    }
    i
}

/// White space of RFC 8259.
#[inline(always)]
pub(super) fn is_white(c: u8) -> bool {
    matches!(c, b' ' | b'\n' | b'\r' | b'\t')
}

/// The index of the first byte from `i` on that is no white space.
#[inline(always)]
pub(super) fn white(b: &[u8], mut i: usize) -> usize {
    while b.get(i).is_some_and(|&c| is_white(c)) {
        i += 1;
    }
    i
}

/// Reads on inside a token that the bytes before it cut: [`State::After`] behind its last byte; `Err` where
/// the byte at `i` cannot stand, with the state there. There is a byte at `i`.
pub(super) fn resume(state: State, b: &[u8], i: &mut usize) -> Result<State, State> {
    let c = b[*i];
    let mut taken = |next| {
        *i += 1;
        Ok(next)
    };
    match (state, c) {
        (State::Str, _) => match string(b, i) {
            Piece::Closed => Ok(State::After),
            Piece::Open(inside) => Ok(inside),
            Piece::Fault(inside) => Err(inside),
        },
        (State::Escape, b'u') => taken(State::Hex4),
        (State::Escape, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => taken(State::Str),
        (State::Hex4, c) if c.is_ascii_hexdigit() => taken(State::Hex3),
        (State::Hex3, c) if c.is_ascii_hexdigit() => taken(State::Hex2),
        (State::Hex2, c) if c.is_ascii_hexdigit() => taken(State::Hex1),
        (State::Hex1, c) if c.is_ascii_hexdigit() => taken(State::Str),
        (State::T, b'r') => taken(State::Tr),
        (State::Tr, b'u') => taken(State::Tru),
        (State::F, b'a') => taken(State::Fa),
        (State::Fa, b'l') => taken(State::Fal),
        (State::Fal, b's') => taken(State::Fals),
        (State::N, b'u') => taken(State::Nu),
        (State::Nu, b'l') => taken(State::Nul),
        (State::Tru | State::Fals, b'e') | (State::Nul, b'l') => taken(State::After),
        (State::Minus, b'0') => taken(State::Zero),
        (State::Minus, b'1'..=b'9') | (State::Int, b'0'..=b'9') => taken(State::Int),
        (State::Zero | State::Int, b'.') => taken(State::Point),
        (State::Point | State::Fraction, b'0'..=b'9') => taken(State::Fraction),
        (State::Zero | State::Int | State::Fraction, b'e' | b'E') => taken(State::Exp),
        (State::Exp, b'+' | b'-') => taken(State::ExpSign),
        (State::Exp | State::ExpSign | State::ExpInt, b'0'..=b'9') => taken(State::ExpInt),
        // A number that could end has ended.
        (State::Zero | State::Int | State::Fraction | State::ExpInt, _) => Ok(State::After),
        _ => Err(state),
    }
}
