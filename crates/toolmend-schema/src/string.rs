//! What a JSON string says.

use std::borrow::Cow;

use toolmend_core::scan::plain;

/// Reads the string whose opening quote stands at `start`: where it ends, and whether it holds a backslash.
///
/// # Errors
/// The first byte that cannot stand in a JSON string, or the length of a text that ends inside it.
pub(crate) fn scan(bytes: &[u8], start: usize) -> Result<(usize, bool), usize> {
    let mut at = start + 1;
    let mut escaped = false;
    loop {
        at = plain(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok((at + 1, escaped)),
            Some(b'\\') => {
                escaped = true;
                match bytes.get(at + 1) {
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                    Some(b'u') => {
                        let hex =
                            (at + 2..at + 6).find(|&i| !bytes.get(i).is_some_and(u8::is_ascii_hexdigit));
                        match hex {
                            None => at += 6,
                            Some(bad) => return Err(bad.min(bytes.len())),
                        }
                    }
                    _ => return Err((at + 1).min(bytes.len())),
                }
            }
            _ => return Err(at),
        }
    }
}

/// What the inside of a JSON string says. A lone surrogate reads as U+FFFD.
pub(crate) fn decode(inner: &str) -> Cow<'_, str> {
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (c, len) = unescape(&rest[at..]);
        out.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = &rest[at + len..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether the inside of a JSON string holds half of a surrogate pair, which no text can say.
pub(crate) fn has_lone_surrogate(inner: &str) -> bool {
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        let (c, len) = unescape(&rest[at..]);
        if c.is_none() {
            return true;
        }
        rest = &rest[at + len..];
    }
    false
}

/// The character that an escape stands for, if it stands for one, and its length in bytes.
fn unescape(rest: &str) -> (Option<char>, usize) {
    let unit = |at: usize| rest.get(at..at + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let c = match rest.as_bytes().get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            let Some(high) = unit(2) else { return (None, rest.len().min(2)) };
            if (0xD800..0xDC00).contains(&high)
                && rest.get(6..8) == Some("\\u")
                && let Some(low @ 0xDC00..0xE000) = unit(8)
            {
                return (char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)), 12);
            }
            return (char::from_u32(high), 6);
        }
        Some(&b) if b.is_ascii() => char::from(b),
        _ => return (None, 1),
    };
    (Some(c), 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_say_what_their_escapes_say() {
        for (inner, says) in [
            ("", ""),
            ("plain", "plain"),
            (r"a\nb\t\\\/\b\f\r\u0041", "a\nb\t\\/\u{8}\u{c}\rA"),
            (r"\ud83d\ude00!", "😀!"),
            (r"\ud83d", "\u{fffd}"),
            (r"\ud83dx", "\u{fffd}x"),
            (r"\ud83d\u0041", "\u{fffd}A"),
            (r"\ude00\ud83d", "\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(decode(inner), says, "{inner}");
            assert_eq!(has_lone_surrogate(inner), says.contains('\u{fffd}'), "{inner}");
        }
    }

    #[test]
    fn what_is_quoted_reads_back() {
        for text in ["", "a\"b\\c", "\u{0}\u{1f}\n\r\t", "北京 😀"] {
            let quoted = toolmend_core::quote::quoted(text);
            assert_eq!(scan(quoted.as_bytes(), 0), Ok((quoted.len(), quoted.contains('\\'))));
            assert_eq!(decode(&quoted[1..quoted.len() - 1]), text);
        }
    }

    #[test]
    fn what_is_no_string_is_refused_at_its_place() {
        for (text, at) in
            [("\"abc", 4), ("\"a\nb\"", 2), ("\"a\\x\"", 3), ("\"a\\", 3), ("\"\\u12\"", 5), ("\"\\u12", 5)]
        {
            assert_eq!(scan(text.as_bytes(), 0), Err(at), "{text:?}");
        }
    }
}
