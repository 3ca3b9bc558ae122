//! Calls whose parameters stand in tags of their own, untyped and unescaped.
//!
//! Where a value ends is a question of what follows: a value may hold its own closing tag. A closing tag
//! ends it where a structural continuation stands behind: the next parameter, or the end of the call. A
//! reading that leaves ends of calls over, or whose next parameter the tool does not have, is not the only
//! one, and declines.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toolmend_core::{Ending, TextCall};

use crate::context::Context;
use crate::envelope::Said;
use crate::json::{self, End};
use crate::marks::{self, Fit, Found, fit, white};
use crate::typed::{self, Says};

/// How a format writes parameters.
pub(crate) struct Tags<'g> {
    /// What a call begins with.
    pub(crate) opener: &'g str,
    /// What ends a call.
    pub(crate) end: &'g str,
    /// The parameter that begins at the beginning of a text.
    pub(crate) open: &'g dyn Fn(&str) -> Option<Param>,
    /// How many bytes the end of the parameter with this key takes at the beginning of a text.
    pub(crate) close: &'g dyn Fn(&str, &str) -> Option<usize>,
    /// Whether one line end on either side of a value is markup.
    pub(crate) trims: bool,
    /// Whether values are written as Python prints them.
    pub(crate) python: bool,
}

/// The beginning of a parameter.
pub(crate) struct Param {
    pub(crate) key: String,
    pub(crate) says: Says,
    /// How many bytes it takes.
    pub(crate) length: usize,
}

/// Where a value ends, and where what follows it begins.
struct Ends {
    value: usize,
    next: usize,
}

impl Tags<'_> {
    /// Reads a call of the tool `name` whose parameters begin at `at`, and where it ends.
    pub(crate) fn call(
        &self,
        text: &str,
        name: &str,
        mut at: usize,
        ending: Ending,
        ctx: &Context<'_>,
    ) -> Option<(TextCall, usize)> {
        let judge = ctx.judge(name)?;
        let known = |key: &str| {
            let mut probe = String::from("{");
            json::put_string(&mut probe, key);
            probe.push_str(": null}");
            judge.is_blind() || judge.declared_only(&probe)
        };
        at += white(&text[at..]);
        if text[at..].starts_with('{') {
            return self.json_body(text, name, at, ending, ctx);
        }
        let mut members: Vec<(String, String)> = Vec::new();
        loop {
            at += white(&text[at..]);
            if let Some(param) = (self.open)(&text[at..]) {
                let start = at + param.length;
                let given = |key: &str| key == param.key || members.iter().any(|(k, _)| k == key);
                let ends = self.value_end(text, start, &param.key, &known, &given)?;
                let raw = self.trimmed(&text[start..ends.value]);
                let kinds = ctx.kinds(name, &param.key);
                let value = match cdata(raw) {
                    Some(inner) => typed::value(inner, kinds, param.says, self.python),
                    None => typed::value(raw, kinds, param.says, self.python),
                };
                members.push((param.key, value));
                at = ends.next;
                continue;
            }
            let rest = &text[at..];
            let end = match fit(rest.as_bytes(), self.end) {
                Fit::Full(length) => at + length,
                // The enclosing mark ends the call, too.
                _ if matches!(marks::closer(rest.as_bytes()), Found::Full(..)) && !members.is_empty() => at,
                _ => return None,
            };
            if self.leaves_ends(&text[end..]) || (ending == Ending::Cut && !self.is_structural(&text[end..]))
            {
                return None;
            }
            let call = Said::plain(name, typed::object(&members)?).judged(Ending::Complete, ctx)?;
            return Some((call, end));
        }
    }

    /// A JSON object in the place of parameters.
    fn json_body(
        &self,
        text: &str,
        name: &str,
        at: usize,
        ending: Ending,
        ctx: &Context<'_>,
    ) -> Option<(TextCall, usize)> {
        let (body, behind) = match json::value_end(text, at) {
            End::At(end) => (&text[at..end], end),
            // Not whole by itself, but its end is marked.
            _ => {
                let end = at + text[at..].find(self.end)?;
                (&text[at..end], end)
            }
        };
        let behind = behind + white(&text[behind..]);
        let end = match fit(&text.as_bytes()[behind..], self.end) {
            Fit::Full(length) => behind + length,
            _ if text.len() == behind && ending != Ending::Cut => behind,
            _ => return None,
        };
        Some((Said::plain(name, body).judged(Ending::Complete, ctx)?, end))
    }

    fn trimmed<'t>(&self, raw: &'t str) -> &'t str {
        if !self.trims {
            return raw;
        }
        let inner = raw.strip_prefix("\r\n").or_else(|| raw.strip_prefix('\n')).unwrap_or(raw);
        inner.strip_suffix("\r\n").or_else(|| inner.strip_suffix('\n')).unwrap_or(inner)
    }

    fn value_end(
        &self,
        text: &str,
        start: usize,
        key: &str,
        known: &dyn Fn(&str) -> bool,
        given: &dyn Fn(&str) -> bool,
    ) -> Option<Ends> {
        let bytes = text.as_bytes();
        let mut i = start;
        if let Some(inside) = text[start..].trim_ascii_start().strip_prefix("<![CDATA[") {
            i = text.len() - inside.len() + inside.find("]]>")? + 3;
        }
        loop {
            i += bytes[i..].iter().position(|b| matches!(b, b'<' | b']'))?;
            let here = &text[i..];
            if let Some(length) = (self.close)(here, key) {
                let mut next = i + length;
                loop {
                    next += white(&text[next..]);
                    match (self.close)(&text[next..], key) {
                        Some(again) => next += again,
                        None => break,
                    }
                }
                let rest = &text[next..];
                match (self.open)(rest) {
                    // Whether it is a parameter or the value's text: nothing tells.
                    Some(param) if !known(&param.key) => return None,
                    Some(param) if !given(&param.key) => return Some(Ends { value: i, next }),
                    // Given already: either it, or that this value ended before, is not so.
                    Some(_) => return None,
                    None if matches!(fit(rest.as_bytes(), self.end), Fit::Full(_)) => {
                        return Some(Ends { value: i, next });
                    }
                    None if !rest.is_empty() && self.ends_here(rest) => return Some(Ends { value: i, next }),
                    None => {}
                }
            } else if bytes[..i].ends_with(b"\n")
                && (self.open)(here).is_some_and(|param| known(&param.key) && !given(&param.key))
            {
                let value = if self.trims { i } else { i - 1 };
                return Some(Ends { value: value.max(start), next: i });
            } else if self.ends_here(here) {
                return Some(Ends { value: i, next: i });
            }
            i += 1;
        }
    }

    /// Whether the call ends here although the value's own end is missing: marks that end the call and what
    /// is around it, and then no text of the same call.
    fn ends_here(&self, rest: &str) -> bool {
        let mut at = match fit(rest.as_bytes(), self.end) {
            Fit::Full(length) => length,
            _ => 0,
        };
        let first = at;
        loop {
            at += white(&rest[at..]);
            match marks::closer(&rest.as_bytes()[at..]) {
                Found::Full(mark, length) if !mark.contains("parameter") && mark != self.end => at += length,
                _ => break,
            }
        }
        at > 0
            && (first > 0 || !rest.starts_with(char::is_whitespace))
            && (rest[at..].is_empty() || matches!(marks::open(&rest.as_bytes()[at..], true), Found::Full(..)))
    }

    /// Whether nothing but marks stands in `rest` before another call, or its end.
    fn is_structural(&self, rest: &str) -> bool {
        let (at, _) = marks::skip_closers(rest);
        let bytes = &rest.as_bytes()[at..];
        bytes.is_empty()
            || matches!(marks::open(bytes, true), Found::Full(..) | Found::Part)
            || [self.opener, "<|close|>", "<|start|>"].iter().any(|mark| fit(bytes, mark) != Fit::No)
    }

    /// Whether more calls end in `rest` than begin there: then one of them is the end of this call.
    fn leaves_ends(&self, rest: &str) -> bool {
        let bytes = rest.as_bytes();
        let mut open = 0usize;
        let mut i = 0;
        while let Some(step) = bytes[i..].iter().position(|b| matches!(b, b'<' | b']')) {
            i += step;
            if matches!(fit(&bytes[i..], self.opener), Fit::Full(_)) {
                open += 1;
            } else if matches!(fit(&bytes[i..], self.end), Fit::Full(_)) {
                match open.checked_sub(1) {
                    Some(less) => open = less,
                    None => return true,
                }
            }
            i += 1;
        }
        false
    }
}

fn cdata(raw: &str) -> Option<&str> {
    raw.trim_ascii().strip_prefix("<![CDATA[")?.strip_suffix("]]>")
}

/// Reads `NAME>` or `"NAME" …>`: the name, the rest of the tag, and how many bytes all takes.
pub(crate) fn tag_rest(text: &str) -> Option<(String, &str, usize)> {
    let (name, used) = match text.as_bytes().first()? {
        quote @ (b'"' | b'\'') => {
            let inner = &text[1..];
            let end = inner.find(char::from(*quote))?;
            (unescape(&inner[..end]), end + 2)
        }
        _ => {
            let end = text.find(['>', ' ', '\n', '<'])?;
            (text[..end].to_string(), end)
        }
    };
    let rest = &text[used..];
    let close = rest.find('>')?;
    let sound = !name.is_empty() && name.len() <= MAX_TAG_NAME && !rest[..close].contains(['<', '\n']);
    sound.then(|| (name, &rest[..close], used + close + 1))
}

/// The longest name that is taken for one, in bytes.
const MAX_TAG_NAME: usize = 256;

/// The value of an attribute in the rest of a tag.
pub(crate) fn attribute(tag: &str, name: &str) -> Option<String> {
    let at = tag.find(name)? + name.len();
    let value = tag[at..].strip_prefix("=\"")?;
    Some(unescape(&value[..value.find('"')?]))
}

/// Undoes the entities that attributes are written with.
pub(crate) fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_string();
    }
    text.replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}
