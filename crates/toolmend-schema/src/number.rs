//! Numbers as they are written: compared digit by digit, never rounded.

use std::cmp::Ordering;
use std::iter::repeat_n;

use serde_json::Number;

/// The longest number, in digits, that is written out without its exponent.
const MAX_PLAIN: i64 = 1024;

/// A JSON number taken apart: ± `int` `.` `frac` · 10^`exp`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal<'a> {
    negative: bool,
    int: &'a str,
    frac: &'a str,
    exp: i64,
}

impl<'a> Decimal<'a> {
    /// Takes a JSON number apart.
    pub(crate) fn of(lexeme: &'a str) -> Decimal<'a> {
        let (negative, rest) = match lexeme.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, lexeme),
        };
        let (mantissa, exp) = rest.split_once(['e', 'E']).unwrap_or((rest, ""));
        let (int, frac) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        Decimal { negative, int, frac, exp: exponent(exp) }
    }

    /// Whether it has no fraction: `5`, `5.0` and `1e3` have none.
    pub(crate) fn is_integer(self) -> bool {
        let significant = self.frac.trim_end_matches('0').len();
        let shift = match significant {
            // Only the zeros at the end of the integer part may be shifted behind the point.
            0 => -(self.int.bytes().rev().take_while(|&b| b == b'0').count() as i64),
            n => n as i64,
        };
        self.is_zero() || self.exp >= shift
    }

    fn is_zero(self) -> bool {
        self.digits().next().is_none()
    }

    /// The digits without the zeros before the first and after the last that counts.
    fn digits(self) -> impl Iterator<Item = u8> + Clone {
        let frac = self.frac.trim_end_matches('0');
        let int = if frac.is_empty() { self.int.trim_end_matches('0') } else { self.int };
        int.bytes().chain(frac.bytes()).skip_while(|&b| b == b'0')
    }

    /// The power of ten that the first digit that counts stands for, plus one.
    fn magnitude(self) -> i64 {
        let int = self.int.trim_start_matches('0');
        let places = if int.is_empty() {
            -(self.frac.bytes().take_while(|&b| b == b'0').count() as i64)
        } else {
            int.len() as i64
        };
        self.exp.saturating_add(places)
    }

    /// A text that two numbers share exactly when they are equal.
    pub(crate) fn canonical(self) -> String {
        let digits: String = self.digits().map(char::from).collect();
        let sign = if self.negative { "-" } else { "" };
        if digits.is_empty() { "0".to_owned() } else { format!("{sign}{digits}e{}", self.magnitude()) }
    }

    /// Written without an exponent, where that is not too long.
    pub(crate) fn plain(self) -> Option<String> {
        let digits: String = self.digits().map(char::from).collect();
        let (len, point) = (digits.len() as i64, self.magnitude());
        if point.abs() > MAX_PLAIN || len > MAX_PLAIN {
            return None;
        }
        let mut out = String::from(if self.negative { "-" } else { "" });
        if len == 0 {
            out.push('0');
        } else if point <= 0 {
            out.push_str("0.");
            out.extend(repeat_n('0', point.unsigned_abs() as usize));
            out.push_str(&digits);
        } else if point >= len {
            out.push_str(&digits);
            out.extend(repeat_n('0', (point - len) as usize));
        } else {
            let (int, frac) = digits.split_at(point as usize);
            out.extend([int, ".", frac]);
        }
        Some(out)
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal<'_> {}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |d: &Decimal<'_>| {
            if d.is_zero() {
                0
            } else if d.negative {
                -1
            } else {
                1
            }
        };
        let size =
            || self.magnitude().cmp(&other.magnitude()).then_with(|| self.digits().cmp(other.digits()));
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => size(),
            _ => size().reverse(),
        })
    }
}

/// An exponent; one beyond all measure counts as the largest there is.
fn exponent(text: &str) -> i64 {
    const LARGEST: i64 = i64::MAX / 4;
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() {
        return 0;
    }
    let size = digits.parse::<i64>().unwrap_or(LARGEST).min(LARGEST);
    if negative { -size } else { size }
}

/// Whether `text` is a number as JSON writes it.
pub(crate) fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && crate::doc::Doc::parse(text).is_ok_and(|doc| doc.raw(0).len() == text.len())
}

/// As many digits as every double is told from its neighbours by: with no more, a decimal means the double.
const DOUBLE_DIGITS: usize = 17;

/// The nearest number that serde_json holds without being told to keep digits, and whether that is what
/// the digits mean.
pub(crate) fn nearest(lexeme: &str) -> (Number, bool) {
    if let Ok(n) = lexeme.parse::<u64>() {
        return (n.into(), true);
    }
    if let Ok(n) = lexeme.parse::<i64>() {
        return (n.into(), true);
    }
    let double = lexeme.parse::<f64>().unwrap_or(0.0);
    let decimal = Decimal::of(lexeme);
    let meant = double.is_finite()
        && decimal.digits().count() <= DOUBLE_DIGITS
        && (double == 0.0) == decimal.is_zero();
    (Number::from_f64(double.clamp(f64::MIN, f64::MAX)).unwrap_or_else(|| 0.into()), meant)
}

/// Whether a number in a body is one of a schema.
pub(crate) fn equals(lexeme: &str, expected: &Number) -> bool {
    let decimal = Decimal::of(lexeme);
    if decimal == Decimal::of(&expected.to_string()) {
        return true;
    }
    expected.is_f64()
        && decimal.digits().count() <= DOUBLE_DIGITS
        && expected.as_f64() == lexeme.parse().ok()
        && (expected.as_f64() == Some(0.0)) == decimal.is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_what_they_are() {
        for (a, order, b) in [
            ("1", Ordering::Equal, "1.0"),
            ("100", Ordering::Equal, "1e2"),
            ("-0", Ordering::Equal, "0.000"),
            ("0e99999999999999999999", Ordering::Equal, "0"),
            ("1.10", Ordering::Equal, "1.1"),
            ("0.001", Ordering::Equal, "1e-3"),
            ("10.5e1", Ordering::Equal, "105"),
            ("123456789012345678901234", Ordering::Less, "123456789012345678901235"),
            ("-123456789012345678901234", Ordering::Greater, "-123456789012345678901235"),
            ("0.1", Ordering::Less, "0.10000000000000000000001"),
            ("1e400", Ordering::Greater, "9e399"),
            ("-1e400", Ordering::Less, "1e-400"),
            ("1e99999999999999999999", Ordering::Greater, "1e400"),
            ("2", Ordering::Greater, "-3"),
            ("9", Ordering::Less, "10"),
            ("0", Ordering::Less, "1e-400"),
        ] {
            assert_eq!(Decimal::of(a).cmp(&Decimal::of(b)), order, "{a} {b}");
            assert_eq!(Decimal::of(b).cmp(&Decimal::of(a)), order.reverse(), "{b} {a}");
        }
    }

    #[test]
    fn integers_are_told_by_their_value() {
        for lexeme in
            ["0", "-0", "5", "5.0", "1e3", "1.5e1", "100e-2", "1e400", "0.0e-7", "123456789012345678901234"]
        {
            assert!(Decimal::of(lexeme).is_integer(), "{lexeme}");
        }
        for lexeme in ["0.5", "5.5", "1e-3", "15e-1", "1e-400", "100e-3"] {
            assert!(!Decimal::of(lexeme).is_integer(), "{lexeme}");
        }
    }

    #[test]
    fn exponents_are_written_out() {
        for (lexeme, plain) in [
            ("1e3", Some("1000")),
            ("-1.5e1", Some("-15")),
            ("15e-1", Some("1.5")),
            ("1e-3", Some("0.001")),
            ("0e9", Some("0")),
            ("12.50", Some("12.5")),
            ("1e1024", None),
            ("1e-1026", None),
        ] {
            assert_eq!(Decimal::of(lexeme).plain().as_deref(), plain, "{lexeme}");
        }
        assert_eq!(Decimal::of("1e1023").plain().map(|p| p.len()), Some(1024));
        assert_eq!(Decimal::of("1e-1025").plain().map(|p| p.len()), Some(1027));
    }

    #[test]
    fn what_serde_cannot_hold_is_known() {
        for lexeme in [
            "0",
            "-1",
            "18446744073709551615",
            "0.1",
            "1e23",
            "100000000000000000000000",
            "1.7976931348623157e308",
            "1.2345678901234568e23",
            "5e-324",
        ] {
            assert!(nearest(lexeme).1, "{lexeme}");
        }
        for lexeme in [
            "18446744073709551617",
            "123456789012345678901234",
            "1e400",
            "-1e400",
            "1e-400",
            "0.10000000000000000001",
        ] {
            assert!(!nearest(lexeme).1, "{lexeme}");
        }
    }

    #[test]
    fn only_json_numbers_are_numbers() {
        for text in ["0", "-1", "1.10", "1e-05", "1e400"] {
            assert!(is_number(text), "{text}");
        }
        for text in
            ["", "-", "05", "+5", ".5", "5.", "0x1F", " 5", "5 ", "5 km", "NaN", "1_000", "5,5", "true"]
        {
            assert!(!is_number(text), "{text}");
        }
    }
}
