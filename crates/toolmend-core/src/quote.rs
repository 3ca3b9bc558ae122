//! Text as a JSON string (RFC 8259, section 7): what must be escaped is, and nothing else.

use alloc::string::String;
use core::fmt::Write as _;

/// The text as a JSON string, quotes included.
///
/// ```
/// assert_eq!(toolmend_core::quote::quoted("say \"hi\"\n"), r#""say \"hi\"\n""#);
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote_into(text, &mut out);
    out
}

/// Appends the text as a JSON string, quotes included.
pub fn quote_into(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|c| c < 0x20 || c == b'"' || c == b'\\') {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            // A String takes whatever is written.
            c => _ = write!(out, "\\u{c:04x}"),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}
