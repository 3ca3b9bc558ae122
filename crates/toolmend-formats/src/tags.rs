//! Calls whose parameters stand in tags of their own, untyped and unescaped.
//!
//! Where a value ends is a question of what follows: a value may hold its own closing tag. A closing tag
//! ends it where a structural continuation stands behind: the next parameter, or the end of the call. A
//! reading that leaves ends of calls over, or whose next parameter the tool does not have, is not the only
//! one, and declines.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toolmend_core::quote::quote_into;
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
    /// What parameters and their values begin with.
    pub(crate) begins: &'g [&'g str],
    /// What ends the marks around calls.
    pub(crate) around: &'g [&'g str],
    /// Whether such a mark stands before the call.
    pub(crate) wrapped: bool,
    /// The parameter that begins at the beginning of a text.
    pub(crate) open: &'g dyn Fn(&str) -> Option<Param>,
    /// How many bytes the end of the parameter with this key takes at the beginning of a text.
    pub(crate) close: &'g dyn Fn(&str, &str) -> Option<usize>,
    pub(crate) trims: Trims,
    /// Whether values are written as Python prints them.
    pub(crate) python: bool,
    /// Whether values may stand in CDATA sections.
    pub(crate) cdata: bool,
}

/// Whether one line end on either side of a value is markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trims {
    /// It is the value's own.
    Never,
    /// It is, where there is one.
    Always,
    /// The call tells: it is, where all of its values have one on both sides. Where only some have, it is not known.
    Paired,
}

/// The beginning of a parameter.
pub(crate) struct Param {
    pub(crate) key: String,
    pub(crate) says: Says,
    /// How many bytes it takes.
    pub(crate) length: usize,
}

/// A parameter as it stands.
struct Given<'t> {
    key: String,
    says: Says,
    raw: &'t str,
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
            quote_into(key, &mut probe);
            probe.push_str(": null}");
            judge.is_blind() || judge.declared_only(&probe)
        };
        at += white(&text[at..]);
        if text[at..].starts_with('{') {
            return self.json_body(text, name, at, ending, ctx);
        }
        let mut params: Vec<Given<'_>> = Vec::new();
        loop {
            at += white(&text[at..]);
            if let Some(param) = (self.open)(&text[at..]) {
                let start = at + param.length;
                let given = |key: &str| key == param.key || params.iter().any(|p| p.key == key);
                let ends = self.value_end(text, start, &param.key, ending, &known, &given)?;
                params.push(Given { key: param.key, says: param.says, raw: &text[start..ends.value] });
                at = ends.next;
                continue;
            }
            let rest = &text[at..];
            let end = match fit(rest.as_bytes(), self.end) {
                Fit::Full(length) => at + length,
                // The enclosing mark ends the call, too.
                _ if self.is_around(rest).is_some() && !params.is_empty() && ending != Ending::Cut => at,
                _ => return None,
            };
            if self.leaves_ends(&text[end..]) || (ending == Ending::Cut && !self.is_structural(&text[end..]))
            {
                return None;
            }
            let arguments = typed::object(&self.members(&params, name, ctx)?)?;
            let call = Said::plain(name, arguments).judged(Ending::Complete, ctx)?;
            return Some((call, end));
        }
    }

    /// The parameters of a call with their values as JSON; `None` where it is open whose their line ends are.
    fn members(&self, params: &[Given<'_>], name: &str, ctx: &Context<'_>) -> Option<Vec<(String, String)>> {
        let paired = |raw: &str| raw.len() > 1 && raw.starts_with(['\r', '\n']) && raw.ends_with('\n');
        let value = |param: &Given<'_>, trims: bool| {
            let raw = if trims { trimmed(param.raw) } else { param.raw };
            let raw = if self.cdata { cdata(raw)? } else { Cow::Borrowed(raw) };
            typed::value(&raw, ctx.kinds(name, &param.key), param.says, self.python)
        };
        let trims = match self.trims {
            Trims::Never => false,
            Trims::Always => true,
            Trims::Paired if params.iter().all(|param| paired(param.raw)) => true,
            // A line end before a value is markup or its own; one behind it alone is a text's last.
            Trims::Paired
                if params
                    .iter()
                    .any(|p| p.raw.starts_with(['\r', '\n']) && value(p, true) != value(p, false)) =>
            {
                return None;
            }
            Trims::Paired => false,
        };
        params.iter().map(|param| Some((param.key.clone(), value(param, trims)?))).collect()
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

    /// Where the value of `key` ends that begins at `start`; `None` where more than one place may be meant.
    fn value_end(
        &self,
        text: &str,
        start: usize,
        key: &str,
        ending: Ending,
        known: &dyn Fn(&str) -> bool,
        given: &dyn Fn(&str) -> bool,
    ) -> Option<Ends> {
        let bytes = text.as_bytes();
        let mut i = start;
        // Whether this value may have ended already, and another parameter begun.
        let mut begun = self.begins(text[start..].trim_ascii_start());
        loop {
            i += bytes[i..].iter().position(|b| matches!(b, b'<' | b']'))?;
            let here = &text[i..];
            if let Some(section) = here.strip_prefix(CDATA).filter(|_| self.cdata) {
                i += CDATA.len() + section.find(CDATA_END)? + CDATA_END.len();
                continue;
            }
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
                let ends = match (self.open)(rest) {
                    // Whether it is a parameter or the value's text: nothing tells. Where it is given
                    // already, either it, or that this value ended before, is not so.
                    Some(param) if !known(&param.key) || given(&param.key) => return None,
                    Some(_) => true,
                    None => {
                        matches!(fit(rest.as_bytes(), self.end), Fit::Full(_))
                            || (!rest.is_empty() && self.ends_here(rest))
                    }
                };
                if ends {
                    begun |= ending == Ending::Cut && self.leaves_open(&text[start..i]);
                    return (!begun).then_some(Ends { value: i, next });
                }
                // In a line of words it is a part of them.
                let behind = &text[i + length..];
                begun |= behind.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
                    || behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '<' | '[' | '{'));
                i += length;
                continue;
            } else if (self.open)(here).is_some_and(|param| known(&param.key) && !given(&param.key)) {
                // Behind a line end it is one, and this value's own end is missing.
                if let Some(value) = text[start..i].strip_suffix('\n') {
                    let end = start + value.len() + usize::from(self.trims != Trims::Never);
                    let plain = !value.ends_with('\n') && !value.contains(['<', '>']);
                    return plain.then_some(Ends { value: end, next: i });
                }
                begun = true;
            } else if self.ends_here(here) {
                let plain = self.is_plain(&text[start..i], ending) && self.closes(here);
                return plain.then_some(Ends { value: i, next: i });
            }
            i += 1;
        }
    }

    /// Whether a value whose own end is missing ends where its call does: only where no markup stands in it
    /// that may be that end, misspelt, and no line end of which it is open whose it is.
    fn is_plain(&self, value: &str, ending: Ending) -> bool {
        let inner = if self.trims == Trims::Never { value } else { trimmed(value) };
        ending != Ending::Cut && !inner.ends_with('\n') && !inner.contains(['<', '>'])
    }

    /// Whether `rest` begins with the end of the call, and of the mark around it, if there is one.
    fn closes(&self, rest: &str) -> bool {
        let Fit::Full(length) = fit(rest.as_bytes(), self.end) else { return false };
        !self.wrapped || self.is_around(rest[length..].trim_ascii_start()).is_some()
    }

    /// Whether `rest` begins with what a parameter or its value begins with, whole or not.
    fn begins(&self, rest: &str) -> bool {
        self.begins.iter().any(|mark| matches!(fit(rest.as_bytes(), mark), Fit::Full(_)))
    }

    /// How many bytes the end of a mark around calls takes that `rest` begins with.
    fn is_around(&self, rest: &str) -> Option<usize> {
        self.around.iter().find_map(|mark| match fit(rest.as_bytes(), mark) {
            Fit::Full(length) => Some(length),
            _ => None,
        })
    }

    /// Whether the call ends here although the value's own end is missing: marks that end the call and what
    /// is around it, and then no text of the same call.
    fn ends_here(&self, rest: &str) -> bool {
        let first = match fit(rest.as_bytes(), self.end) {
            Fit::Full(length) => Some(length),
            _ => self.is_around(rest),
        };
        let Some(mut at) = first else { return false };
        loop {
            at += white(&rest[at..]);
            match marks::closer(&rest.as_bytes()[at..]) {
                Found::Full(mark, length) if !mark.contains("parameter") && mark != self.end => at += length,
                _ => break,
            }
        }
        rest[at..].is_empty() || matches!(marks::open(&rest.as_bytes()[at..], true), Found::Full(..))
    }

    /// Whether a call begins in the value that does not end there: in a cut turn what ends behind it is that.
    fn leaves_open(&self, value: &str) -> bool {
        let bytes = value.as_bytes();
        let mut open = 0usize;
        for i in (0..bytes.len()).filter(|i| matches!(bytes[*i], b'<' | b']')) {
            if matches!(fit(&bytes[i..], self.opener), Fit::Full(_)) {
                open += 1;
            } else if matches!(fit(&bytes[i..], self.end), Fit::Full(_)) {
                open = open.saturating_sub(1);
            }
        }
        open > 0
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

/// `raw` without one line end on either side.
fn trimmed(raw: &str) -> &str {
    // The call is written with one kind of line end; what else stands before the last one is the value's.
    if let Some(inner) = raw.strip_prefix("\r\n") {
        return inner.strip_suffix("\r\n").or_else(|| inner.strip_suffix('\n')).unwrap_or(inner);
    }
    let inner = raw.strip_prefix('\n').unwrap_or(raw);
    inner.strip_suffix('\n').unwrap_or(inner)
}

const CDATA: &str = "<![CDATA[";
const CDATA_END: &str = "]]>";

/// What a value says that may be written in sections; `None` where they are only a part of it.
fn cdata(raw: &str) -> Option<Cow<'_, str>> {
    if !raw.contains(CDATA) {
        return Some(Cow::Borrowed(raw));
    }
    let mut said = String::new();
    let mut rest = raw.trim_ascii();
    while !rest.is_empty() {
        let (section, behind) = rest.strip_prefix(CDATA)?.split_once(CDATA_END)?;
        said.push_str(section);
        rest = behind;
    }
    Some(Cow::Owned(said))
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
    let plain = !text[..used].contains(['>', '\n']) && !rest[..close].contains(['<', '\n']);
    let sound = !name.is_empty() && name.len() <= MAX_TAG_NAME && plain;
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
