//! JSON as far as a format needs it: where a value ends, and how a text is written as a string.

use alloc::string::String;
use alloc::vec::Vec;

/// How the scan of a value ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The value ends before this byte.
    At(usize),
    /// Something stands here, outside of strings, that is in no JSON and in nothing that is mended to it.
    Broken(usize),
    /// The text ends inside of the value.
    Open,
}

/// Where the object or list ends that begins at `at`.
///
/// Strings are skipped, with either quote where one may begin, so a mark inside of one ends nothing. A bracket
/// of the other kind ends nothing either: which one is missing before it is not told here.
pub(crate) fn value_end(text: &str, at: usize) -> End {
    let bytes = text.as_bytes();
    if !matches!(bytes.get(at), Some(b'{' | b'[')) {
        return End::Broken(at);
    }
    let mut open = Vec::new();
    let mut before = b'{';
    let mut i = at;
    while let Some(&byte) = bytes.get(i) {
        match byte {
            b'"' => match string_end(bytes, i + 1, b'"') {
                Some(end) => i = end,
                None => return End::Open,
            },
            b'\'' if matches!(before, b'{' | b'[' | b',' | b':') => match string_end(bytes, i + 1, b'\'') {
                Some(end) => i = end,
                None => return End::Open,
            },
            b'{' | b'[' => {
                // The two brackets of a kind are two apart.
                open.push(byte + 2);
                i += 1;
            }
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    return End::Broken(i);
                }
                i += 1;
                if open.is_empty() {
                    return End::At(i);
                }
            }
            b'<' | b'`' => return End::Broken(i),
            _ => i += 1,
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    End::Open
}

/// Where the string ends, behind its quote, whose content begins at `i`.
pub(crate) fn string_end(bytes: &[u8], mut i: usize, quote: u8) -> Option<usize> {
    loop {
        match *bytes.get(i)? {
            b'\\' => i += 2,
            byte if byte == quote => return Some(i + 1),
            _ => i += 1,
        }
    }
}

/// What a JSON string says, given with its quotes; `None` where it is none, or holds half a surrogate pair.
pub(crate) fn decode(string: &str) -> Option<String> {
    let inner = string.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = rest[at + 1..].chars().next()?;
        rest = &rest[at + 1 + escape.len_utf8()..];
        out.push(match escape {
            '"' | '\\' | '/' => escape,
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let mut unit = hex(rest, 4)?;
                rest = &rest[4..];
                if (0xd800..0xdc00).contains(&unit) {
                    let low = hex(rest.strip_prefix("\\u")?, 4)?;
                    rest = &rest[6..];
                    if !(0xdc00..0xe000).contains(&low) {
                        return None;
                    }
                    unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                }
                char::from_u32(unit)?
            }
            _ => return None,
        });
    }
    out.push_str(rest);
    Some(out)
}

/// The number that the first `digits` hexadecimal digits of `text` write.
pub(crate) fn hex(text: &str, digits: usize) -> Option<u32> {
    let word = text.get(..digits)?;
    word.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(word, 16).ok())?
}

/// Whether `text` is a JSON number (RFC 8259, section 6).
pub(crate) fn is_number(text: &str) -> bool {
    let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.starts_with('0')) {
        return false;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let n = digits(fraction);
        if n == 0 {
            return false;
        }
        rest = &fraction[n..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let n = digits(exponent);
        return n > 0 && n == exponent.len();
    }
    rest.is_empty()
}

/// The members of the valid JSON object that `object` is: each key decoded, each value as it stands.
pub(crate) fn members(object: &str) -> Option<Vec<(String, &str)>> {
    let bytes = object.as_bytes();
    let skip = |mut i: usize| {
        while bytes.get(i).is_some_and(u8::is_ascii_whitespace) {
            i += 1;
        }
        i
    };
    let mut found = Vec::new();
    let mut i = skip(0);
    if bytes.get(i) != Some(&b'{') {
        return None;
    }
    i = skip(i + 1);
    if bytes.get(i) == Some(&b'}') {
        return Some(found);
    }
    loop {
        let key_end = string_end(bytes, i + 1, b'"')?;
        let key = decode(object.get(i..key_end)?)?;
        let value = skip(skip(key_end) + 1);
        let end = scalar_or_container_end(object, value)?;
        found.push((key, &object[value..end]));
        i = skip(end);
        match bytes.get(i)? {
            b',' => i = skip(i + 1),
            b'}' => return Some(found),
            _ => return None,
        }
    }
}

fn scalar_or_container_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.get(at)? {
        b'{' | b'[' => nested_end(bytes, at),
        b'"' => string_end(bytes, at + 1, b'"'),
        _ => {
            let more = |b: &u8| !matches!(b, b',' | b'}' | b']') && !b.is_ascii_whitespace();
            Some(at + bytes[at..].iter().take_while(|b| more(b)).count())
        }
    }
}

/// As [`value_end`], for JSON that is known to be valid.
fn nested_end(bytes: &[u8], mut i: usize) -> Option<usize> {
    let mut depth = 0usize;
    loop {
        match *bytes.get(i)? {
            b'"' => i = string_end(bytes, i + 1, b'"')?,
            open @ (b'{' | b'[' | b'}' | b']') => {
                i += 1;
                if matches!(open, b'{' | b'[') {
                    depth += 1;
                } else {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(i);
                    }
                }
            }
            _ => i += 1,
        }
    }
}
