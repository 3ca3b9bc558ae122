//! Calls as Python writes them: `[f(a='x', b=True), g()]`. Only literals; everything else declines.

use alloc::string::String;
use alloc::vec::Vec;

use toolmend_core::quote::quote_into;

use crate::json;
use crate::literal::{Cursor, Words};
use crate::typed;

/// One call: its name, its arguments as JSON.
pub(crate) type Called = (String, String);

/// Reads calls that stand in brackets, from `[` on; and how many bytes they take.
pub(crate) fn list(text: &str) -> Option<(Vec<Called>, usize)> {
    let mut cursor = Cursor { text, at: 0 };
    cursor.take('[')?;
    let mut calls = Vec::new();
    loop {
        cursor.white();
        if cursor.take(']').is_some() {
            return (!calls.is_empty()).then_some((calls, cursor.at));
        }
        calls.push(call(&mut cursor)?);
        cursor.white();
        if cursor.take(',').is_none() {
            cursor.take(']')?;
            return Some((calls, cursor.at));
        }
    }
}

/// Reads calls that follow each other, with white space, `,` or `;` between.
pub(crate) fn calls(text: &str) -> Option<(Vec<Called>, usize)> {
    let mut cursor = Cursor { text, at: 0 };
    let mut calls = Vec::new();
    let mut end = 0;
    loop {
        cursor.white();
        if !cursor.rest().starts_with(is_name_start) {
            return (!calls.is_empty()).then_some((calls, end));
        }
        calls.push(call(&mut cursor)?);
        end = cursor.at;
        cursor.white();
        let _ = cursor.take(',').or_else(|| cursor.take(';'));
    }
}

/// The JSON of a Python literal that is all of `text`.
pub(crate) fn literal(text: &str) -> Option<String> {
    let mut cursor = Cursor { text, at: 0 };
    let mut out = String::new();
    Python.value(&mut cursor, &mut out, 0)?;
    cursor.white();
    cursor.rest().is_empty().then_some(out)
}

/// Whether a name may begin with it.
pub(crate) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn name<'t>(cursor: &mut Cursor<'t>, also: &[char]) -> Option<&'t str> {
    let rest = cursor.rest();
    if !rest.starts_with(is_name_start) {
        return None;
    }
    let more = |c: char| c.is_alphanumeric() || c == '_' || also.contains(&c);
    let end = rest.find(|c| !more(c)).unwrap_or(rest.len());
    Some(cursor.bytes(end))
}

fn call(cursor: &mut Cursor<'_>) -> Option<Called> {
    // Tools have names that no Python function may have.
    let called = name(cursor, &['.', '-'])?;
    cursor.white();
    cursor.take('(')?;
    let mut members = Vec::new();
    loop {
        cursor.white();
        if cursor.take(')').is_some() {
            return Some((called.into(), typed::object(&members)?));
        }
        let key = name(cursor, &[])?;
        cursor.white();
        cursor.take('=')?;
        let mut value = String::new();
        Python.value(cursor, &mut value, 0)?;
        members.push((key.into(), value));
        cursor.white();
        if cursor.take(',').is_none() {
            cursor.take(')')?;
            return Some((called.into(), typed::object(&members)?));
        }
    }
}

struct Python;

impl Words for Python {
    fn scalar(&self, cursor: &mut Cursor<'_>, out: &mut String) -> Option<()> {
        let rest = cursor.rest();
        if rest.starts_with(['\'', '"']) {
            quote_into(&string(cursor)?, out);
            return Some(());
        }
        let more = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
        let end = rest.find(|c| !more(c)).unwrap_or(rest.len());
        out.push_str(match cursor.bytes(end) {
            "True" | "true" => "true",
            "False" | "false" => "false",
            "None" | "null" => "null",
            word if json::is_number(word) => word,
            _ => return None,
        });
        Some(())
    }

    fn key(&self, cursor: &mut Cursor<'_>) -> Option<String> {
        let key = string(cursor)?;
        cursor.white();
        cursor.take(':')?;
        Some(key)
    }
}

/// A string with its escapes undone. An escape that Python does not know declines, and so does a
/// string with a prefix or one that another one follows.
fn string(cursor: &mut Cursor<'_>) -> Option<String> {
    let quote = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quote| cursor.rest().starts_with(quote))?;
    cursor.at += quote.len();
    let mut out = String::new();
    loop {
        let rest = cursor.rest();
        if rest.starts_with(quote) {
            cursor.at += quote.len();
            cursor.white();
            return (!cursor.rest().starts_with(['\'', '"'])).then_some(out);
        }
        let c = rest.chars().next()?;
        cursor.at += c.len_utf8();
        if c == '\\' { escape(cursor, &mut out)? } else { out.push(c) }
    }
}

fn escape(cursor: &mut Cursor<'_>, out: &mut String) -> Option<()> {
    let rest = cursor.rest();
    let c = rest.chars().next()?;
    cursor.at += c.len_utf8();
    let digits = match c {
        '\n' => return Some(()),
        '\\' | '\'' | '"' => 0,
        'n' | 'r' | 't' | 'a' | 'b' | 'f' | 'v' => 0,
        'x' => 2,
        'u' => 4,
        'U' => 8,
        '0' if !rest[1..].starts_with(|c: char| c.is_ascii_digit()) => 0,
        _ => return None,
    };
    out.push(match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '0' => '\0',
        _ if digits > 0 => {
            let code = json::hex(cursor.rest(), digits)?;
            cursor.at += digits;
            char::from_u32(code)?
        }
        other => other,
    });
    Some(())
}
