//! Home-made ways to write a call, without any mark: a fenced or bare JSON envelope, a list of envelopes,
//! Python calls, ReAct. Such a text is a call only if it is the whole message.

use alloc::string::ToString;
use alloc::vec::Vec;

use toolmend_core::{Ending, TextCall};

use crate::Promote;
use crate::context::Context;
use crate::envelope::{self, Said, Shape};
use crate::json::{self, End};
use crate::marks::{skip_closers, white};
use crate::prose;
use crate::python;
use crate::region;

/// Whether a message that begins like this can still be a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sniff {
    No,
    /// So far.
    Maybe,
    /// It can only be told at its end.
    Likely,
}

/// Keys that an envelope begins with.
const NAMES: &[&str] = &["name", "tool", "tool_name", "function_name", "action"];
const OTHERS: &[&str] = &[
    "arguments",
    "parameters",
    "args",
    "input",
    "action_input",
    "id",
    "type",
    "function",
    "tool_call_id",
    "index",
];

/// The longest beginning that is looked at, in bytes.
pub(crate) const MAX_SNIFFED: usize = 512;

/// Looks at the beginning of a message; `text` begins with what is no white space.
pub(crate) fn sniff(text: &str, ctx: &Context<'_>) -> Sniff {
    if ctx.tools.is_none() {
        return Sniff::No;
    }
    let all = ctx.promote == Promote::All;
    match text.as_bytes().first() {
        None => Sniff::Maybe,
        Some(b'{') => object(text, ctx),
        Some(b'[') => {
            let inner = text[1..].trim_ascii_start();
            match inner.chars().next() {
                None => Sniff::Maybe,
                Some('{') => object(inner, ctx),
                Some(_) if is_begin(inner, "Calling tool:") => Sniff::Likely,
                Some(c) if python::is_name_start(c) && all => call(inner, ctx),
                Some(_) => Sniff::No,
            }
        }
        Some(b'`') => fence(text, ctx),
        Some(_) if ["Action:", "Thought:"].iter().any(|word| is_begin(text, word)) => {
            if all || (text.starts_with("Action:") && is_begin(text[7..].trim_ascii_start(), "```")) {
                Sniff::Likely
            } else if text.len() < 8 || text[7..].trim_ascii().is_empty() {
                Sniff::Maybe
            } else {
                Sniff::No
            }
        }
        Some(_) if all && text.starts_with(python::is_name_start) => call(text, ctx),
        Some(_) => Sniff::No,
    }
}

/// Whether one of the two is the beginning of the other.
fn is_begin(text: &str, word: &str) -> bool {
    text.starts_with(word) || word.starts_with(text)
}

fn fence(text: &str, ctx: &Context<'_>) -> Sniff {
    let Some(info) = text.strip_prefix("```") else {
        return if "```".starts_with(text) { Sniff::Maybe } else { Sniff::No };
    };
    match info.split_once('\n') {
        None if info.len() <= 12 => Sniff::Maybe,
        Some((info, body)) if is_info(info) => match body.trim_ascii_start() {
            "" => Sniff::Maybe,
            body if body.starts_with('{') => object(body, ctx),
            body if body.starts_with('[') => match body[1..].trim_ascii_start() {
                "" => Sniff::Maybe,
                inner if inner.starts_with('{') => object(inner, ctx),
                _ => Sniff::No,
            },
            _ => Sniff::No,
        },
        _ => Sniff::No,
    }
}

fn is_info(info: &str) -> bool {
    matches!(info.trim(), "" | "json" | "JSON" | "jsonc" | "json5" | "tool" | "tool_call" | "tool_calls")
}

/// Whether this begins as an envelope does, and names an offered tool if it comes to that.
fn object(text: &str, ctx: &Context<'_>) -> Sniff {
    let inner = text.trim_start_matches(['{', ' ', '\n', '\t', '\r']);
    let mut chars = inner.chars();
    let close = match chars.next() {
        None => return Sniff::Maybe,
        Some(quote @ ('"' | '\'')) => quote,
        Some('“') => '”',
        Some(c) if c.is_alphabetic() => ':',
        Some(_) => return Sniff::No,
    };
    let key = if close == ':' { inner } else { chars.as_str() };
    let Some((key, rest)) = key.split_once(close) else {
        return if key.len() <= 16 { Sniff::Maybe } else { Sniff::No };
    };
    let key = key.trim();
    if OTHERS.contains(&key) {
        return Sniff::Likely;
    }
    if !NAMES.contains(&key) {
        return Sniff::No;
    }
    let value = rest.trim_start_matches([':', ' ', '\n', '\t', '\r']);
    let mut chars = value.chars();
    let close = match chars.next() {
        None => return Sniff::Maybe,
        Some(quote @ ('"' | '\'')) => quote,
        Some('“') => '”',
        Some(_) => return Sniff::No,
    };
    match chars.as_str().split_once(close) {
        None => Sniff::Maybe,
        Some((name, _)) if ctx.judge(name).is_some() => Sniff::Likely,
        Some(_) => Sniff::No,
    }
}

fn call(text: &str, ctx: &Context<'_>) -> Sniff {
    let more = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    match text.find(|c| !more(c)) {
        None if text.len() <= 64 => Sniff::Maybe,
        Some(end) if text[end..].starts_with('(') && ctx.judge(&text[..end]).is_some() => Sniff::Likely,
        _ => Sniff::No,
    }
}

/// What a whole message is.
#[derive(Debug, Default)]
pub(crate) struct Home {
    pub(crate) calls: Vec<TextCall>,
    /// How many bytes at its beginning are reasoning (a thought before an action), with their mark.
    pub(crate) thought: Option<(usize, usize)>,
    /// Where the calls end, and text for the user begins.
    pub(crate) end: usize,
}

/// Reads a whole message; `text` has no white space around it.
pub(crate) fn read(text: &str, ending: Ending, ctx: &Context<'_>) -> Option<Home> {
    let all = ctx.promote == Promote::All;
    let end = text.len();
    let home = |calls: Vec<TextCall>| (!calls.is_empty()).then_some(Home { calls, thought: None, end });
    match text.as_bytes().first()? {
        b'{' => bare(text, ending, ctx),
        b'[' if text[1..].trim_ascii_start().starts_with('{') => {
            let (calls, used) = region::items(text, 0, ending, Shape::Bare, ctx)?;
            home(calls).filter(|_| is_over(&text[used..]))
        }
        b'[' if text.starts_with("[Calling tool:") => home([calling(text, ctx)?].into()),
        b'[' if all => {
            let (called, used) = python::list(text)?;
            home(region::judged(called, true, ctx)?).filter(|_| is_over(&text[used..]))
        }
        b'`' => fenced(text, ending, ctx),
        b'A' | b'T' if text.starts_with("Action:") || text.starts_with("Thought:") => {
            let action = text.strip_prefix("Action:").map(str::trim_ascii_start);
            match action {
                Some(list) if list.starts_with("```") => {
                    fenced(list, ending, ctx).map(|home| Home { end, ..home })
                }
                _ if all => react(text, ending, ctx),
                _ => None,
            }
        }
        _ if all && text.starts_with(python::is_name_start) => {
            let (called, used) = python::calls(text)?;
            // Without its bracket a second line may be anything.
            let single = called.len() == 1 && is_over(&text[used..]);
            home(region::judged(called, true, ctx)?).filter(|_| single)
        }
        _ => None,
    }
}

/// Nothing but marks is left, or what ends a sentence.
fn is_over(rest: &str) -> bool {
    let (at, _) = skip_closers(rest);
    rest[at..].chars().all(|c| c.is_whitespace() || matches!(c, '.' | ';' | ',' | ']' | '}' | '`'))
}

fn bare(text: &str, ending: Ending, ctx: &Context<'_>) -> Option<Home> {
    let native = ctx.format().is_some_and(|format| format.leads);
    let shape = if native { Shape::Marked } else { Shape::Bare };
    let mut calls = Vec::new();
    let mut at = 0;
    while let End::At(end) = json::value_end(text, at) {
        let Some(call) = envelope::read(&text[at..end], Ending::Complete, shape, ctx) else { break };
        // The whole text twice, with nothing between, is one call or two.
        if text[end..] == text[at..end] {
            return None;
        }
        calls.push(call);
        let mut next = end + white(&text[end..]);
        if text[next..].starts_with([';', ',']) {
            next += 1 + white(&text[next + 1..]);
        }
        at = next;
        if !text[next..].starts_with('{') {
            let over = is_over(&text[end..]);
            let rest = if over { text.len() } else { end };
            let told = native && prose::leaves(&text[end..]);
            return (over || told).then_some(Home { calls, thought: None, end: rest });
        }
    }
    if !calls.is_empty() {
        // The first one is whole, and the message was cut inside of another.
        let cut = ending == Ending::Cut && ctx.parallel && json::value_end(text, at) == End::Open;
        return cut.then_some(Home { calls, thought: None, end: at });
    }
    // Not an object by itself: then it must be one with all that stands around it.
    let body = without_closers(text);
    let marked = skip_closers(&text[body.len()..]).1;
    let call = envelope::read(body, if marked { Ending::Complete } else { ending }, Shape::Bare, ctx)?;
    Some(Home { calls: [call].into(), thought: None, end: text.len() })
}

/// The text without the marks at its end.
fn without_closers(text: &str) -> &str {
    let from = text.rfind(['}', '”', '"']).map_or(0, |at| at + 1);
    let from = (from..=text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(text.len());
    let (at, marked) = skip_closers(&text[from..]);
    let rest = text[from + at..].trim_ascii();
    if marked && (rest.is_empty() || rest == ".") {
        &text[..from]
    } else {
        text.strip_suffix('.').unwrap_or(text)
    }
}

fn fenced(text: &str, ending: Ending, ctx: &Context<'_>) -> Option<Home> {
    let (info, inner) = text.strip_prefix("```")?.split_once('\n')?;
    if !is_info(info) {
        return None;
    }
    let (body, closed) = match inner.rfind("```") {
        Some(at) if is_over(&inner[at + 3..]) => (&inner[..at], true),
        Some(_) => return None,
        None => (inner, false),
    };
    let body = body.trim_ascii();
    let whole = matches!(json::value_end(body, 0), End::At(_));
    let ending = match closed {
        true => Ending::Complete,
        false if whole => ending,
        false => Ending::Cut,
    };
    let calls = if body.starts_with('[') {
        let (calls, used) = region::items(body, 0, ending, Shape::Bare, ctx)?;
        (body[used..].trim_ascii().is_empty()).then_some(calls)?
    } else {
        // One object: two in one fence are no call.
        match json::value_end(body, 0) {
            End::At(end) if body[end..].trim_ascii().starts_with('{') => return None,
            _ => [envelope::read(body, ending, Shape::Bare, ctx)?].into(),
        }
    };
    (!calls.is_empty()).then_some(Home { calls, thought: None, end: text.len() })
}

/// `[Calling tool: NAME({…})]`, a habit of Qwen3 (vllm-mlx#15).
fn calling(text: &str, ctx: &Context<'_>) -> Option<TextCall> {
    let inner = text.strip_prefix("[Calling tool:")?.trim_ascii();
    let inner = inner.strip_suffix(']')?.trim_ascii_end();
    let (name, body) = inner.split_once('(')?;
    let body = body.strip_suffix(')')?.trim_ascii();
    let body = if body.is_empty() { "{}" } else { body };
    Said { strict: true, ..Said::plain(name.trim(), body) }.judged(Ending::Complete, ctx)
}

/// `Thought: … Action: NAME Action Input: {…}`, and nothing behind it: an observation there is invented.
///
/// A thought that rejects the action, or that has answered before it, calls nothing.
fn react(text: &str, ending: Ending, ctx: &Context<'_>) -> Option<Home> {
    let (thought, action) = match text.find("\nAction:") {
        Some(at) if text.starts_with("Thought:") => (Some(at), &text[at + "\nAction:".len()..]),
        None if text.starts_with("Action:") => (None, &text["Action:".len()..]),
        _ => return None,
    };
    let (name, input) = action.split_once("\nAction Input:")?;
    let input = input.trim_ascii();
    if input.contains("\nAction:") || !input.starts_with(['{', '`']) {
        return None;
    }
    let body = match input.strip_prefix("```") {
        Some(fenced) => fenced.strip_suffix("```")?.split_once('\n')?.1.trim_ascii(),
        None => input,
    };
    let ending = match json::value_end(body, 0) {
        End::At(end) if end == body.len() => Ending::Complete,
        End::At(_) => return None,
        _ => ending,
    };
    if thought.is_some_and(|end| text[..end].contains("\nFinal Answer:") || prose::rejects(&text[..end])) {
        return None;
    }
    let name = name.trim().to_string();
    let call = Said { strict: true, ..Said::plain(name, body) }.judged(ending, ctx)?;
    let thought = thought.map(|end| ("Thought:".len(), end));
    Some(Home { calls: [call].into(), thought, end: text.len() })
}
