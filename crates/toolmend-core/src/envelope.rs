//! `{"name": …, "arguments": …}` where the arguments alone belong.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use crate::context::Context;
use crate::edit::apply;
use crate::read::lexeme::{inside, skip_white};
use crate::rules::LAYERS;
use crate::verdict::Reason;
use crate::{Edit, Rule, Steps};

/// The most members that an envelope may have.
const MAX_MEMBERS: usize = 8;

/// The keys that hold all arguments of a call, in their quotes.
pub(crate) const ARGUMENTS: &[&str] =
    &["\"arguments\"", "\"parameters\"", "\"args\"", "\"input\"", "\"action_input\"", "\"tool_input\""];

/// Key of the name, and key of the arguments, as the APIs and formats pair them.
const PAIRS: &[(&str, &str)] = &[
    ("name", "arguments"),
    ("name", "parameters"),
    ("name", "input"),
    ("tool", "args"),
    ("tool", "arguments"),
    ("action", "action_input"),
    ("function", "arguments"),
    ("function", "parameters"),
    ("tool_name", "tool_input"),
    ("tool_name", "arguments"),
];

/// Keys that may stand beside them and say nothing about the call.
const BESIDE: &[&str] = &["id", "type", "index", "call_id"];

/// An envelope that was opened.
pub(crate) struct Opened {
    /// The edits that take it off, and those that take off the string around the arguments.
    pub(crate) steps: Steps,
    pub(crate) inner: String,
}

/// Opens the envelope that `object`, a valid JSON object, is; `None` where it is none, or names no tool
/// that could be compared.
///
/// # Errors
/// [`Reason::OtherTool`] where it names another tool than the one that is called.
pub(crate) fn open(object: &str, ctx: &Context<'_>) -> Result<Option<Opened>, Reason> {
    let Some(tool) = ctx.evidence.tool_name() else { return Ok(None) };
    let Some((name, (start, end))) = parts(object, (0, object.len())) else { return Ok(None) };
    if name != tool {
        return Err(Reason::OtherTool { name: name.to_string() });
    }
    let edits = vec![Edit::delete(Rule::Envelope, 0, start), Edit::delete(Rule::Envelope, end, object.len())];
    let inner = &object[start..end];
    if inner.starts_with('{') {
        return Ok(Some(Opened { steps: edits.into(), inner: inner.into() }));
    }
    let Some(level) = LAYERS.iter().find_map(|(_, layer)| layer(inner)) else { return Ok(None) };
    let Ok(text) = apply(inner, &level) else { return Ok(None) };
    Ok(Some(Opened { steps: [edits, level].into_iter().collect(), inner: text }))
}

type Span = (usize, usize);

/// The name, and the span of the arguments, of the envelope that stands at `span`.
fn parts(text: &str, span: Span) -> Option<(&str, Span)> {
    let members = members(text, span)?;
    let find = |key: &str| members.iter().find(|(k, _)| *k == key).map(|(_, value)| *value);
    // `{"type": "function", "function": {"name": …, "arguments": …}}`
    if let Some(inner) = find("function").filter(|v| text[v.0..].starts_with('{')) {
        let beside = members.iter().all(|(k, _)| *k == "function" || BESIDE.contains(k));
        return if beside { pair(text, &self::members(text, inner)?) } else { None };
    }
    pair(text, &members)
}

fn pair<'t>(text: &'t str, members: &[(&'t str, Span)]) -> Option<(&'t str, Span)> {
    let find = |key: &str| members.iter().find(|(k, _)| *k == key).map(|(_, value)| *value);
    PAIRS.iter().find_map(|&(name, arguments)| {
        let (named, given) = (find(name)?, find(arguments)?);
        let beside = members.iter().all(|(k, _)| *k == name || *k == arguments || BESIDE.contains(k));
        let word = text[named.0..named.1].strip_prefix('"')?.strip_suffix('"')?;
        let fits = beside && !word.contains('\\') && text[given.0..].starts_with(['{', '"']);
        fits.then_some((word, given))
    })
}

/// The members of the valid JSON object at `span`: key (as written), span of the value.
fn members(text: &str, span: Span) -> Option<Vec<(&str, Span)>> {
    let b = text.as_bytes();
    let mut members: Vec<(&str, Span)> = Vec::new();
    let mut at = skip_white(text, span.0) + 1;
    loop {
        at = skip_white(text, at);
        if b.get(at) != Some(&b'"') || members.len() == MAX_MEMBERS {
            return None;
        }
        let close = inside(text, at + 1, b'"')?.close;
        let key = &text[at + 1..close];
        let value = skip_white(text, skip_white(text, close + 1) + 1);
        let end = value_end(text, value)?;
        if members.iter().any(|(k, _)| *k == key) {
            return None;
        }
        members.push((key, (value, end)));
        at = skip_white(text, end);
        match b.get(at)? {
            b',' => at += 1,
            _ => return Some(members),
        }
    }
}

/// Where the valid JSON value at `at` ends.
fn value_end(text: &str, at: usize) -> Option<usize> {
    let b = text.as_bytes();
    let mut depth = 0usize;
    let mut i = at;
    loop {
        match *b.get(i)? {
            b'"' => i = inside(text, i + 1, b'"')?.close + 1,
            b'{' | b'[' => {
                depth += 1;
                i += 1;
            }
            b'}' | b']' if depth == 0 => return Some(text[..i].trim_ascii_end().len()),
            b'}' | b']' => {
                depth -= 1;
                i += 1;
            }
            b',' if depth == 0 => return Some(text[..i].trim_ascii_end().len()),
            _ => i += 1,
        }
        if depth == 0 && matches!(b[i - 1], b'"' | b'}' | b']') {
            return Some(i);
        }
    }
}
