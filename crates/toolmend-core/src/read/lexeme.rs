//! Tokens that are not written as JSON writes them.

use alloc::vec::Vec;

use super::quotes::QUOTES;
use crate::context::Context;
use crate::scan::Slot;
use crate::{Edit, Rule};

/// A place where the grammar expects a token and strict JSON has none.
#[derive(Clone, Copy)]
pub(crate) struct Spot<'a> {
    pub(crate) text: &'a str,
    /// Where the token begins.
    pub(crate) at: usize,
    /// What is expected there.
    pub(crate) slot: Slot,
    pub(crate) ctx: &'a Context<'a>,
}

/// A token, and the edits that write it as JSON does.
#[derive(Debug)]
pub(crate) struct Lexeme {
    pub(crate) end: usize,
    pub(crate) edits: Vec<Edit>,
}

impl<'a> Spot<'a> {
    /// The text from the token's first byte on.
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Whether a token that ends at `end` is followed by what may follow it here: a colon after a key;
    /// a comma, a closer, a comment, the next member or the end after a value.
    pub(crate) fn followed(&self, end: usize) -> bool {
        if self.slot.takes_key() { colon_ahead(self.text, end) } else { follows_value(self.text, end) }
    }
}

/// The index of the first byte from `at` on that is no white space.
#[inline]
pub(crate) fn skip_white(text: &str, at: usize) -> usize {
    let b = text.as_bytes();
    let mut i = at;
    while matches!(b.get(i), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        i += 1;
    }
    i
}

/// The byte behind the white space at `at`.
fn next_byte(text: &str, at: usize) -> Option<u8> {
    text.as_bytes().get(skip_white(text, at)).copied()
}

/// Whether a colon, or what stands for one, follows.
pub(crate) fn colon_ahead(text: &str, end: usize) -> bool {
    matches!(next_byte(text, end), Some(b':' | b'='))
}

/// Whether `end` is followed by what may follow a value.
pub(crate) fn follows_value(text: &str, end: usize) -> bool {
    let next = skip_white(text, end);
    match text.as_bytes().get(next) {
        None | Some(b',' | b'}' | b']' | b';') => true,
        // A comment, a fence or a mark; the reader decides what it is.
        Some(b'/' | b'#' | b'`' | b'~' | b'<') => true,
        Some(b'\\') => text[next..].starts_with("\\n"),
        // A comma may be missing before the next item.
        Some(b'{' | b'[') => true,
        Some(b'0'..=b'9' | b'-' | b't' | b'f' | b'n' | b'T' | b'F' | b'N') if next > end => true,
        Some(_) => invisible(text, next).is_some() || key_ahead(text, next),
    }
}

/// Whether a quote with a colon behind it stands in these words: the end of another key.
pub(crate) fn holds_key(words: &str) -> bool {
    words.match_indices(['"', '\'', '`']).any(|(at, _)| colon_ahead(words, at + 1))
}

/// Whether the words of a key hold a quote that is one too many: `{'"a': 1}`, `{'a": 1, "b': 2}`.
pub(crate) fn holds_border(words: &str) -> bool {
    words.starts_with(QUOTES) || words.ends_with(QUOTES) || holds_key(words)
}

/// Whether a key in quotes, followed by a colon, begins at `at`.
pub(crate) fn key_ahead(text: &str, at: usize) -> bool {
    quoted_end(text, at).is_ok_and(|end| colon_ahead(text, end))
}

/// The first quote in `text[from..until]` that opens a key with its colon; of quotes that open none only
/// apostrophes may stand before it.
pub(crate) fn first_key(text: &str, from: usize, until: usize) -> Option<usize> {
    // Apostrophes before this place were passed over, as escaped ones, by a string that opens no key: theirs
    // would end where that one does.
    let mut passed = from;
    // The quotes' first bytes, as they are in UTF-8.
    let first = |&(_, c): &(usize, &u8)| matches!(*c, b'"' | b'\'' | 0xc2 | 0xe2);
    for (n, _) in text.as_bytes().get(from..until)?.iter().enumerate().filter(first) {
        let at = from + n;
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { continue };
        if !matches!(c, '"' | '\'' | '“' | '”' | '„' | '«') || c == '\'' && at < passed {
            continue;
        }
        let end = quoted_end(text, at);
        if end.is_ok_and(|end| colon_ahead(text, end)) {
            return Some(at);
        }
        if c != '\'' {
            return None;
        }
        passed = end.map_or_else(|stopped| stopped, |end| end - 1);
    }
    None
}

/// Where the string that begins at `at` with any kind of quote ends, taking its first closing quote; `Err`
/// with the place where it is given up: at a line break, at the end, or where no string begins.
fn quoted_end(text: &str, at: usize) -> Result<usize, usize> {
    let mut chars = text[at..].char_indices();
    let close: &[char] = match chars.next().map(|(_, open)| open) {
        Some('"') => &['"'],
        Some('\'') => &['\''],
        open => open.and_then(crate::rules::smart_closers).ok_or(at)?,
    };
    let mut escaped = false;
    for (i, c) in chars {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return Err(at + i),
            c if close.contains(&c) => return Ok(at + i + c.len_utf8()),
            _ => {}
        }
    }
    Err(text.len())
}

/// Where the identifier at `at` ends: ASCII letters, digits, `_`, `$`, and `-` inside; none that begins
/// with a digit.
pub(crate) fn identifier_end(text: &str, at: usize) -> Option<usize> {
    let b = text.as_bytes();
    if !matches!(b.get(at), Some(c) if c.is_ascii_alphabetic() || matches!(c, b'_' | b'$')) {
        return None;
    }
    let mut i = at + 1;
    while matches!(b.get(i), Some(c) if c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'-')) {
        i += 1;
    }
    Some(i)
}

/// Where the character at `at` ends, if it is white space that JSON does not know, or cannot be seen.
#[inline]
pub(crate) fn invisible(text: &str, at: usize) -> Option<usize> {
    if matches!(text.as_bytes().get(at), None | Some(b' '..=b'~')) {
        return None;
    }
    unseen(text, at)
}

/// As [`invisible`], for what is no plain ASCII.
fn unseen(text: &str, at: usize) -> Option<usize> {
    let c = text.get(at..)?.chars().next()?;
    let is = matches!(c,
        '\u{0}' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{a0}' | '\u{ad}' | '\u{1680}' | '\u{2000}'..='\u{200f}'
        | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202f}' | '\u{205f}'..='\u{2064}' | '\u{3000}' | '\u{feff}');
    is.then(|| at + c.len_utf8())
}

/// The inside of a string between quotes, as its characters are written.
#[derive(Debug)]
pub(crate) struct Inside {
    /// Where the closing quote stands.
    pub(crate) close: usize,
    /// Where control characters stand raw.
    pub(crate) raw: Vec<usize>,
    /// Where backslashes stand that begin a pair.
    pub(crate) pairs: Vec<usize>,
}

/// Reads the inside of a string from `from` up to the first `quote` that no backslash precedes.
pub(crate) fn inside(text: &str, from: usize, quote: u8) -> Option<Inside> {
    let b = text.as_bytes();
    let (mut raw, mut pairs) = (Vec::new(), Vec::new());
    let mut i = from;
    loop {
        match *b.get(i)? {
            c if c == quote => return Some(Inside { close: i, raw, pairs }),
            b'\\' => {
                pairs.push(i);
                i += 2;
            }
            c => {
                if c < 0x20 {
                    raw.push(i);
                }
                i += 1;
            }
        }
    }
}

/// Whether the pair at `at` is one of JSON's escapes (RFC 8259, section 7).
pub(crate) fn json_escape(text: &str, at: usize) -> bool {
    let b = text.as_bytes();
    match b.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => true,
        Some(b'u') => b.get(at + 2..at + 6).is_some_and(|h| h.iter().all(u8::is_ascii_hexdigit)),
        _ => false,
    }
}

/// The edits that escape control characters.
pub(crate) fn escape_raw(text: &str, raw: &[usize]) -> impl Iterator<Item = Edit> {
    raw.iter().map(move |&at| {
        let put = match text.as_bytes()[at] {
            b'\n' => "\\n".into(),
            b'\r' => "\\r".into(),
            b'\t' => "\\t".into(),
            0x8 => "\\b".into(),
            0xc => "\\f".into(),
            c => alloc::format!("\\u{c:04x}").into(),
        };
        Edit { start: at, end: at + 1, put, rule: Rule::RawControl }
    })
}

/// The text without the white space at its end, raw or written as escapes.
pub(crate) fn trim_escaped_white(mut text: &str) -> &str {
    loop {
        let shorter = text.trim_ascii_end();
        let shorter = ["\\n", "\\r", "\\t"].iter().fold(shorter, |t, e| t.strip_suffix(e).unwrap_or(t));
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}
