//! What the rules for numbers share.

use crate::read::lexeme::Spot;

/// The run of bytes at a place for a value that is meant as one number, if what follows may follow it.
pub(super) fn run<'a>(spot: &Spot<'a>) -> Option<&'a str> {
    let rest = spot.rest();
    let length = rest
        .bytes()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'+' | b'-'))
        .count();
    let number = &rest[..length];
    let begins = number.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
    (spot.slot.takes_value() && begins && spot.followed(spot.at + length)).then_some(number)
}

/// Whether these are digits and nothing else.
pub(super) fn is_whole(number: &str) -> bool {
    !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit())
}

/// Whether this is a number as RFC 8259, section 6 writes it.
pub(super) fn is_json(number: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|c| c.is_ascii_digit());
    let number = number.strip_prefix('-').unwrap_or(number);
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((m, e)) => (m, Some(e.strip_prefix(['+', '-']).unwrap_or(e))),
        None => (number, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((w, f)) => (w, Some(f)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}
