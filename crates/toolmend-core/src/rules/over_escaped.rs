//! `over-escaped`: the inside of a JSON string without its quotes

use super::{Act, Counter, Example, Spec};
use crate::Scanner;
use crate::envelope::ARGUMENTS;
use crate::read::lexeme::{colon_ahead, invisible, json_escape};
use crate::scan::Status;
use crate::{Edit, Ending, Grade, Rule};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

pub(super) const SPEC: Spec = Spec {
    name: "over-escaped",
    what: "A body in which every quote is escaped: the inside of a JSON string, without the quotes around it.",
    grade: Grade::Packaging,
    example: Example {
        before: r#"{\"city\": \"Lyon\"}"#,
        after: r#"{"city": "Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "No JSON begins with an escaped quote; every quote is escaped, so one whole level of escaping is taken off evenly.",
    wrong: Counter {
        text: r#"{\"city\": "Lyon"}"#,
        why: "Only some quotes are escaped: no even level can be taken off.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Layer(layer),
};

fn layer(text: &str) -> Option<Vec<Edit>> {
    taken_off(text, level_begin(text)?)
}

/// The edits that take off a level that begins inside of JSON as it stands: the arguments in
/// `{"name": "f", "arguments": {\"a\": 1}}`.
pub(crate) fn inner_layer(text: &str) -> Option<Vec<Edit>> {
    let b = text.as_bytes();
    memchr::memchr_iter(b'\\', b).find(|&slash| begins_level(text, slash))?;
    let open = memchr::memchr(b'{', b)?;
    let mut scan = Scanner::new();
    let Status::Fault { at } = scan.push(&b[open..]) else { return None };
    let at = open + at;
    // `"cmd": "{\"`: behind half a quotation the brace is a string's.
    let outside = memchr::memchr_iter(b'"', &b[..open]).count().is_multiple_of(2)
        && !scan.in_string()
        && b[at] == b'\\'
        && takes_level(&text[..at], open);
    outside.then(|| taken_off(text, at))?
}

/// Whether these words end in the brace at `open`, or in one behind a key that holds all arguments of a call: behind
/// another key, what is escaped may be a string that lost its quotes, `"content": {\"k\": 1}`.
fn takes_level(before: &str, open: usize) -> bool {
    let Some(before) = before.trim_ascii_end().strip_suffix('{') else { return false };
    let key = before.trim_ascii_end().strip_suffix(':').map_or("", str::trim_ascii_end);
    before.len() == open || ARGUMENTS.iter().any(|name| key.ends_with(name))
}

/// The edits that take off a level that begins at `from`, if every quote behind it is escaped.
fn taken_off(text: &str, from: usize) -> Option<Vec<Edit>> {
    let mut pairs = Vec::new();
    let b = text.as_bytes();
    let mut i = from;
    while let Some(at) = memchr::memchr2(b'"', b'\\', &b[i..]).map(|n| i + n) {
        if b[at] == b'"' {
            return None;
        }
        pairs.push(at);
        i = at + 2;
        if i > b.len() {
            return None;
        }
    }
    if only_quotes(text, from, &pairs) {
        return None;
    }
    unescape(text, &pairs, Rule::OverEscaped)
}

/// Whether the backslashes show that only the quotes were escaped: a drive's path whose doubled backslashes
/// would become control characters, or raw line breaks in a string beside escaped ones.
fn only_quotes(text: &str, from: usize, pairs: &[usize]) -> bool {
    let b = text.as_bytes();
    let control = |at: usize| b[at + 1] == b'\\' && b.get(at + 2).is_some_and(|c| b"bfnrtu".contains(c));
    let drive = |at: usize| {
        at > 2 && b[at - 1] == b':' && b[at - 2].is_ascii_alphabetic() && !b[at - 3].is_ascii_alphanumeric()
    };
    let (mut controls, mut broken) = (false, false);
    let (mut within, mut escaped, mut last) = (false, false, from);
    for &at in pairs {
        if matches!(b[at + 1], b'b' | b'f') && !(escaped && at == last) {
            return true;
        }
        if control(at) && !escaped {
            controls = true;
            // Nobody means a backspace or a form feed.
            if drive(at) || matches!(b[at + 2], b'b' | b'f') {
                return true;
            }
        }
        broken |= within && b[last..at].iter().any(|c| matches!(c, b'\n' | b'\r'));
        // `\\\"` is a quote of the content, one level down.
        escaped &= at == last;
        if b[at + 1] == b'"' {
            within ^= !escaped;
            escaped = false;
        } else {
            escaped = b[at + 1] == b'\\' && !escaped;
        }
        last = at + 2;
    }
    controls && broken
}

/// Where the level begins: behind a brace, or at the first quote where the brace is missing.
fn level_begin(text: &str) -> Option<usize> {
    let b = text.as_bytes();
    let first = memchr::memchr(b'"', b)?;
    let slash = first.checked_sub(1).filter(|&i| b[i] == b'\\');
    let slash = slash?;
    // Nothing but bare words and punctuation may stand between the brace and the quote, and nothing but
    // words before them: else the quote may be one inside a string of another kind.
    let before = &text[..slash];
    let seen = |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "\\,:{}[]_-+.".contains(c);
    let bare = |c: char| seen(c) || invisible(c.encode_utf8(&mut [0; 4]), 0).is_some();
    if before.contains(['“', '”', '„', '«']) {
        return None;
    }
    let mut open = before.find('{');
    while let Some(brace) = open {
        if uncommented(&before[brace + 1..]).chars().all(bare) {
            return Some(brace + 1);
        }
        // A placeholder in words is not the body's brace.
        let close =
            brace + before[brace..].find('}').filter(|&n| !before[brace + 1..brace + n].contains('{'))?;
        open = before[close..].find('{').map(|n| close + n);
    }
    // Without a brace, the quote must open a key.
    let close = slash + 2 + text[slash + 2..].find("\\\"")?;
    colon_ahead(text, close + 2).then_some(slash)
}

/// What follows the comments in `/* */` with which this begins.
fn uncommented(mut text: &str) -> &str {
    while let Some(rest) = text.trim_start().strip_prefix("/*")
        && let Some(end) = rest.find("*/")
    {
        text = &rest[end + 2..];
    }
    text
}

/// Whether the escapes at `slash` stand behind a brace and lead to an escaped quote.
fn begins_level(text: &str, slash: usize) -> bool {
    // Asked first: of a row of escapes only the first is behind a brace.
    if !text[..slash].trim_ascii_end().ends_with('{') {
        return false;
    }
    let mut rest = &text[slash..];
    while let Some(next) = ["\\n", "\\r", "\\t"].iter().find_map(|e| rest.strip_prefix(e)) {
        rest = next.trim_ascii_start();
    }
    rest.starts_with("\\\"")
}

/// The edits that decode JSON's escapes at `pairs`; `None` where one of the pairs is no JSON escape, or
/// stands for half a character.
pub(super) fn unescape(text: &str, pairs: &[usize], rule: Rule) -> Option<Vec<Edit>> {
    let mut edits = Vec::with_capacity(pairs.len());
    let mut pairs = pairs.iter().copied().peekable();
    while let Some(at) = pairs.next() {
        if !json_escape(text, at) {
            return None;
        }
        let put: Cow<'static, str> = match text.as_bytes()[at + 1] {
            b'"' => "\"".into(),
            b'\\' => "\\".into(),
            b'/' => "/".into(),
            b'b' => "\u{8}".into(),
            b'f' => "\u{c}".into(),
            b'n' => "\n".into(),
            b'r' => "\r".into(),
            b't' => "\t".into(),
            _ => {
                let unit = |at: usize| u32::from_str_radix(text.get(at + 2..at + 6)?, 16).ok();
                let high = unit(at)?;
                if let Some(c) = char::from_u32(high) {
                    edits.push(Edit::replace(rule, at, at + 6, String::from(c)));
                    continue;
                }
                let low_at = pairs.next_if(|&next| next == at + 6 && json_escape(text, next))?;
                let low = unit(low_at).filter(|low| (0xdc00..0xe000).contains(low))?;
                let c =
                    char::from_u32(0x10000 + ((high.checked_sub(0xd800)? & 0x3ff) << 10) + (low - 0xdc00))?;
                edits.push(Edit::replace(rule, at, low_at + 6, String::from(c)));
                continue;
            }
        };
        edits.push(Edit::replace(rule, at, at + 2, put));
    }
    Some(edits)
}
