//! What stands at a mark: the calls, or none.
//!
//! A region is read when the whole message is there. Its bodies are scanned, never searched for a closing
//! mark that a string in them might hold; only where a body is no JSON by itself does its mark tell its end.

use alloc::string::ToString;
use alloc::vec::Vec;

use toolmend_core::{Ending, TextCall};

use crate::brace;
use crate::context::Context;
use crate::envelope::{self, Said, Shape};
use crate::json::{self, End};
use crate::marks::{self, Body, Fit, Found, Invoke, M3, Opener, fit, white};
use crate::python;
use crate::tags::{self, Param, Tags, Trims};
use crate::typed::Says;
use crate::{Grammar, Values};

/// What was read at a mark. Places are bytes from the mark on.
pub(crate) enum Read {
    /// Calls, and where they end.
    Calls(Vec<TextCall>, usize),
    /// No call. The text up to this place belongs to what is none, so no call is looked for in it.
    Not(usize),
}

/// Reads what stands at the beginning of `text`, where `opener` stands and takes `length` bytes.
pub(crate) fn read(text: &str, opener: &Opener, length: usize, ending: Ending, ctx: &Context<'_>) -> Read {
    Region { text, opener, around: None, ending, ctx }.read(length)
}
struct Region<'t, 'c> {
    text: &'t str,
    opener: &'t Opener,
    /// The mark around it.
    around: Option<&'static str>,
    ending: Ending,
    ctx: &'t Context<'c>,
}

/// What the fence around a body begins with.
pub(crate) const FENCES: [&str; 2] = ["```json\n", "```\n"];

/// The longest noise between a section's mark and its first call, in bytes.
const MAX_NOISE: usize = 64;

impl<'t> Region<'t, '_> {
    fn read(&self, length: usize) -> Read {
        let at = length + white(self.rest(length));
        match self.opener.body {
            Body::Wrap => self.wrapped(at),
            Body::Json | Body::Python | Body::Tagged | Body::Named => self.any(length, at),
            Body::Identified => self.identified(at),
            Body::IdAndName => self.id_and_name(at),
            Body::Header => self.header(at),
            Body::Brace(quote) => self.brace(at, quote),
            Body::Function => self.function(at),
            Body::Invoke(invoke) => self.invoke(at, invoke),
        }
    }

    fn rest(&self, at: usize) -> &'t str {
        &self.text[at..]
    }

    /// Nothing is promoted out of this region, nor out of anything that may be a part of it.
    fn no(&self) -> Read {
        Read::Not(self.text.len())
    }

    fn one(&self, call: Option<TextCall>, end: usize) -> Read {
        call.map_or_else(|| self.no(), |call| Read::Calls([call].into(), end))
    }

    /// Another mark, behind white space, or in Kimi's sections behind a little noise (vllm's own tests
    /// show it).
    fn wrapped(&self, at: usize) -> Read {
        let mut at = at;
        if let Found::No = marks::open(self.rest(at).as_bytes(), true) {
            let section = self.opener.mark.contains("section");
            let noise = self.rest(at).find('<').filter(|n| section && *n <= MAX_NOISE);
            at += match noise {
                // Words say something of the call.
                Some(noise) if !self.rest(at)[..noise].contains(['\n', ' ']) => noise,
                _ => return Read::Not(self.text.len() - self.rest(at).len()),
            };
        }
        self.nested(at)
    }

    fn nested(&self, at: usize) -> Read {
        match marks::open(self.rest(at).as_bytes(), false) {
            Found::Full(opener, length) if opener.mark != self.opener.mark => {
                let inner = Region { text: self.rest(at), opener, around: Some(self.opener.mark), ..*self };
                match inner.read(length) {
                    Read::Calls(calls, end) => Read::Calls(calls, at + end),
                    Read::Not(end) => Read::Not(at + end),
                }
            }
            _ => Read::Not(at),
        }
    }

    fn any(&self, length: usize, at: usize) -> Read {
        let rest = self.rest(at);
        let body = self.opener.body;
        // The mark ends with the bracket that opens the list.
        if self.opener.mark.ends_with('[') {
            return self.list(length - 1);
        }
        match rest.as_bytes().first() {
            Some(b'{') => self.objects(at),
            Some(b'[') => self.list(at),
            Some(b'<' | b']') => self.nested(at),
            Some(b'`') => self.fenced(at),
            Some(_) if body == Body::Tagged => self.key_values(at),
            Some(_) if body == Body::Python => self.python(at),
            Some(_) if body == Body::Named => self.named(at),
            _ => Read::Not(at),
        }
    }

    /// How the body that ends before `end` ended: it is whole where a mark stands behind it. What is not whole by
    /// itself is cut without one, whatever the turn says of its end.
    fn ending_at(&self, end: usize, whole: bool) -> Ending {
        let behind = end + white(self.rest(end));
        let marked = matches!(marks::closer(self.rest(behind).as_bytes()), Found::Full(..))
            || matches!(marks::open(self.rest(behind).as_bytes(), true), Found::Full(..))
            || self.rest(behind).starts_with("```");
        match marked {
            true => Ending::Complete,
            false if whole => self.ending,
            false => Ending::Cut,
        }
    }

    /// The JSON body at `at`: what it is, where it ends, and whether it does by itself. Where it does not, the
    /// first mark behind it ends it, or the end of the text.
    fn body(&self, at: usize) -> (&'t str, usize, bool) {
        let scanned = match json::value_end(self.text, at) {
            // A closer too many before the mark that ends the body is a part of it.
            End::At(end) => {
                let behind = self.rest(end).trim_start_matches(['}', ']', ' ', '\n', '\r', '\t']);
                let more = self.text.len() - behind.len();
                let extra = matches!(marks::closer(behind.as_bytes()), Found::Full(..));
                End::At(if extra { end + self.text[end..more].trim_ascii_end().len() } else { end })
            }
            open => open,
        };
        let end = match scanned {
            End::At(end) => end,
            End::Broken(end) if self.is_end(end) => end,
            End::Broken(end) => self.next_end(end),
            // A mark in what is left stands in a string.
            End::Open => self.text.len(),
        };
        let trimmed = self.text[at..end].trim_ascii_end();
        (trimmed, end, scanned == End::At(end))
    }

    /// Whether the body that is no JSON ends here: at a mark that ends calls, or, where there is none, where the
    /// one that begins them stands again.
    fn is_end(&self, at: usize) -> bool {
        let rest = self.rest(at);
        rest.starts_with("```")
            || matches!(marks::closer(rest.as_bytes()), Found::Full(..))
            || (self.opener.body == Body::Named && rest.starts_with(self.opener.mark))
    }

    fn next_end(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut i = at;
        while let Some(step) = bytes[i..].iter().position(|b| matches!(b, b'<' | b'[' | b']')) {
            i += step;
            if matches!(marks::closer(&bytes[i..]), Found::Full(..)) {
                return i;
            }
            i += 1;
        }
        self.text.len()
    }

    fn shape(&self) -> Shape {
        if self.opener.mark == "<|tools_prefix|>" { Shape::SingleKey } else { Shape::Marked }
    }

    /// Envelopes that follow each other, with white space or `;` or `,` between.
    fn objects(&self, at: usize) -> Read {
        let mut calls = Vec::new();
        let mut at = at;
        loop {
            let (body, end, whole) = self.body(at);
            let Some(call) = envelope::read(body, self.ending_at(end, whole), self.shape(), self.ctx) else {
                // Where one call is allowed, two are none, whatever the second one is.
                let none = calls.is_empty() || !self.ctx.parallel;
                // Where it ends is not known where it is no JSON by itself: a mark behind may stand in it.
                let end = if whole { end } else { self.text.len() };
                return if none { Read::Not(end) } else { Read::Calls(calls, at) };
            };
            calls.push(call);
            let mut next = end + white(self.rest(end));
            if self.rest(next).starts_with([';', ',']) {
                next += 1 + white(self.rest(next + 1));
            }
            if !self.rest(next).starts_with('{') {
                return Read::Calls(calls, self.behind_fence(end));
            }
            at = next;
        }
    }

    /// Behind the fence that closes the region, if a fence opened it.
    fn behind_fence(&self, end: usize) -> usize {
        if !self.opener.mark.starts_with("```") {
            return end;
        }
        let at = end + white(self.rest(end));
        if self.rest(at).starts_with("```") { at + 3 } else { end }
    }

    /// Envelopes in a fence within the marks.
    fn fenced(&self, at: usize) -> Read {
        let inner = FENCES.iter().find_map(|fence| self.rest(at).strip_prefix(fence));
        let Some(inner) = inner.map(str::trim_ascii_start).filter(|inner| inner.starts_with('{')) else {
            return Read::Not(at);
        };
        match self.objects(self.text.len() - inner.len()) {
            Read::Calls(calls, end) => {
                let fence = end + white(self.rest(end));
                match self.rest(fence).starts_with("```") {
                    true => Read::Calls(calls, fence + 3),
                    false => self.no(),
                }
            }
            not => not,
        }
    }

    /// A list: of envelopes, or of Python calls.
    fn list(&self, at: usize) -> Read {
        let inner = at + 1 + white(self.rest(at + 1));
        if self.rest(inner).starts_with(python::is_name_start) {
            return self.python_list(at);
        }
        match items(self.text, at, self.ending, self.shape(), self.ctx) {
            Some((calls, end)) if !calls.is_empty() => Read::Calls(calls, self.behind_fence(end)),
            Some((_, end)) => Read::Not(end),
            None => self.no(),
        }
    }

    fn python_list(&self, at: usize) -> Read {
        match python::list(self.rest(at)) {
            Some((called, used)) => self.called(called, at + used),
            None => self.no(),
        }
    }

    fn python(&self, at: usize) -> Read {
        match python::calls(self.rest(at)) {
            Some((called, used)) => self.called(called, at + used),
            None => self.no(),
        }
    }

    /// Calls that Python wrote: all of them, or none.
    fn called(&self, called: Vec<python::Called>, end: usize) -> Read {
        match judged(called, false, self.ctx) {
            Some(calls) if !calls.is_empty() => Read::Calls(calls, self.behind_fence(end)),
            _ => Read::Not(end),
        }
    }

    /// `NAME[CALL_ID]ID[ARGS]{…}`, with or without either mark.
    fn named(&self, at: usize) -> Read {
        let rest = self.rest(at);
        let Some(end) = rest.find(['[', '{']) else { return Read::Not(at) };
        let name = rest[..end].trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Read::Not(at);
        }
        let mut at = at + end;
        let mut id = None;
        if let Some(given) = self.rest(at).strip_prefix("[CALL_ID]") {
            let Some(end) = given.find('[') else { return self.no() };
            id = Some(given[..end].trim().to_string());
            at = self.text.len() - given.len() + end;
        }
        if self.rest(at).starts_with("[ARGS]") {
            at += "[ARGS]".len();
        }
        at += white(self.rest(at));
        self.arguments(name, id, at)
    }

    /// The call of `name` whose arguments begin at `at`.
    fn arguments(&self, name: &str, id: Option<alloc::string::String>, at: usize) -> Read {
        let (Some(name), true) = (self.ctx.offered(name), self.rest(at).starts_with('{')) else {
            return match json::value_end(self.text, at) {
                End::At(end) => Read::Not(end),
                _ => self.no(),
            };
        };
        let (body, end, whole) = self.body(at);
        let said = Said { id, ..Said::plain(name, body) };
        match said.judged(self.ending_at(end, whole), self.ctx) {
            Some(call) => Read::Calls([call].into(), end),
            None if whole => Read::Not(end),
            None => self.no(),
        }
    }

    /// Kimi's `functions.NAME:IDX` and DeepSeek's `NAME`, with their marks between.
    fn identified(&self, at: usize) -> Read {
        let rest = self.rest(at);
        let Some(mark) = rest.find('<') else { return self.no() };
        let head = rest[..mark].trim();
        let behind = at + mark;
        if let Fit::Full(length) = fit(self.rest(behind).as_bytes(), "<|tool_call_argument_begin|>") {
            let (name, index) = head.rsplit_once(':').unwrap_or((head, ""));
            let counted = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
            let name = if counted { name } else { head };
            let arguments = behind + length + white(self.rest(behind + length));
            return self.arguments(name, Some(head.to_string()), arguments);
        }
        let Fit::Full(length) = fit(self.rest(behind).as_bytes(), "<|tool_sep|>") else { return self.no() };
        let at = behind + length + white(self.rest(behind + length));
        if self.rest(at).starts_with('{') {
            return self.arguments(head, None, at);
        }
        // `function<sep>NAME`, then JSON, in a fence or not; or tags. What stands before is a type, and the only one.
        if head != "function" {
            return self.no();
        }
        if self.rest(at).starts_with('<') {
            return self.nested(at);
        }
        let rest = self.rest(at);
        let Some(line) = rest.find(['\n', '{', '<']) else { return self.no() };
        let name = &rest[..line];
        let mut at = at + line + white(self.rest(at + line));
        if let Some(fenced) = self.rest(at).strip_prefix("```") {
            let Some(line) = fenced.find('\n') else { return self.no() };
            at = self.text.len() - fenced.len() + line;
            at += white(self.rest(at));
        }
        match self.arguments(name, None, at) {
            Read::Calls(calls, end) => {
                let fence = end + white(self.rest(end));
                let end = if self.rest(fence).starts_with("```") { fence + 3 } else { end };
                Read::Calls(calls, end)
            }
            not => not,
        }
    }

    fn id_and_name(&self, at: usize) -> Read {
        let head = self.rest(at);
        let parts = head.find('<').and_then(|mark| {
            let id = head[..mark].trim();
            let named = head[mark..].strip_prefix("<|tool_call:name|>")?;
            let end = named.find('<')?;
            let arguments = named[end..].strip_prefix("<|tool_call:args|>")?;
            Some((id, &named[..end], self.text.len() - arguments.trim_ascii_start().len()))
        });
        match parts {
            Some((id, name, at)) => self.arguments(name, (!id.is_empty()).then(|| id.to_string()), at),
            None => self.no(),
        }
    }

    fn header(&self, at: usize) -> Read {
        let head = self.rest(at);
        let body = head.find('<').and_then(|mark| {
            let body = head[mark..].strip_prefix("<|content_invoke_tool_json|>")?;
            let name = head[..mark].trim();
            let at = self.text.len() - body.trim_ascii_start().len();
            (!name.contains(char::is_whitespace)).then_some((name, at))
        });
        match body {
            Some((name, at)) if self.rest(at).starts_with('{') => match self.objects(at) {
                // The header may name the tool, too; then it is the same one.
                Read::Calls(calls, _) if calls.iter().any(|c| !name.is_empty() && c.name != name) => {
                    self.no()
                }
                read => read,
            },
            _ => Read::Not(at),
        }
    }

    fn brace(&self, at: usize, quote: &str) -> Read {
        let Some((name, arguments, used)) = brace::call(self.rest(at), quote) else { return self.no() };
        let end = at + used;
        // Without its mark it may go on, and it does where something else stands here.
        let behind = self.rest(end).trim_ascii_start();
        if self.ending_at(end, true) == Ending::Cut
            || !(behind.is_empty() || self.is_end(self.text.len() - behind.len()))
        {
            return self.no();
        }
        let Some(name) = self.ctx.offered(&name) else { return Read::Not(end) };
        match Said::plain(name, arguments).judged(Ending::Complete, self.ctx) {
            Some(call) => Read::Calls([call].into(), end),
            None => Read::Not(end),
        }
    }

    fn function(&self, at: usize) -> Read {
        let Some((name, "", used)) = tags::tag_rest(self.rest(at)) else { return self.no() };
        let open = |text: &str| {
            let (key, "", used) = tags::tag_rest(text.strip_prefix("<parameter=")?)? else { return None };
            Some(Param { key, says: Says::Nothing, length: "<parameter=".len() + used })
        };
        let format = self.ctx.format().filter(|format| format.grammar == Grammar::FunctionTags);
        // What is around the call says more than the model's name.
        let values = match (self.around, format.map(|format| format.values)) {
            (Some("<seed:tool_call>"), _) => Some(Values::Python),
            (Some(_), Some(Values::Python)) => None,
            (_, values) => values,
        };
        let tags = Tags {
            opener: "<function=",
            end: "</function>",
            begins: &["<parameter"],
            wrapped: self.around.is_some(),
            around: &["</tool_call>", "</seed:tool_call>"],
            open: &open,
            close: &|text, _| text.starts_with("</parameter>").then_some("</parameter>".len()),
            trims: match values {
                None => Trims::Paired,
                Some(Values::Python | Values::Verbatim) => Trims::Never,
                Some(_) => Trims::Always,
            },
            python: values == Some(Values::Python),
            cdata: false,
        };
        self.tagged(&tags, name.trim(), at + used)
    }

    fn invoke(&self, at: usize, invoke: &Invoke) -> Read {
        let Some((name, tag, used)) = tags::tag_rest(self.rest(at)) else { return self.no() };
        // What else a tag says of the call has no place in it.
        if !matches!(tag.trim_ascii(), "" | "/") {
            return self.no();
        }
        if tag.ends_with('/') {
            // `<invoke name="…"/>`: no parameters, and no end of its own.
            let call = Said::plain(name.trim(), "{}").judged(Ending::Complete, self.ctx);
            return self.one(call, at + used);
        }
        let m3 = *invoke == M3;
        let open = |text: &str| {
            if m3 {
                let tag = text.strip_prefix("]<]minimax[>[<")?;
                let end = tag.find('>').filter(|n| !tag.starts_with('/') && *n <= MAX_NOISE)?;
                let key = tag[..end].to_string();
                return Some(Param { key, says: Says::Nothing, length: text.len() - tag.len() + end + 1 });
            }
            let Fit::Full(mark) = fit(text.as_bytes(), invoke.parameter) else { return None };
            let tag = text[mark..].trim_start_matches(' ').strip_prefix("name=")?;
            let (key, rest, used) = tags::tag_rest(tag)?;
            let says = match tags::attribute(rest, "string").as_deref() {
                Some("true") => Says::Text,
                Some("false") => Says::Json,
                _ => Says::Nothing,
            };
            Some(Param { key, says, length: text.len() - tag.len() + used })
        };
        let close = |text: &str, key: &str| {
            let Fit::Full(mark) = fit(text.as_bytes(), invoke.parameter_end) else { return None };
            if !m3 {
                return Some(mark);
            }
            text[mark..].strip_prefix(key)?.starts_with('>').then_some(mark + key.len() + 1)
        };
        let tags = Tags {
            opener: self.opener.mark,
            end: invoke.end,
            begins: &[if m3 { "]<]minimax[>[<" } else { invoke.parameter }],
            wrapped: self.around.is_some(),
            around: invoke.around,
            open: &open,
            close: &close,
            trims: Trims::Never,
            python: false,
            cdata: invoke.parameter == "<param",
        };
        self.tagged(&tags, name.trim(), at + used)
    }

    fn key_values(&self, at: usize) -> Read {
        let rest = self.rest(at);
        let Some(end) = rest.find('<') else { return Read::Not(at) };
        let name = rest[..end].trim();
        let mut at = at + end;
        if let Some(behind) = self.rest(at).strip_prefix("<tool_sep>") {
            at = self.text.len() - behind.len();
        }
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Read::Not(at);
        }
        let inner = self.opener.mark.strip_prefix("<longcat_");
        let [key_open, key_close, value_open, value_close] = if inner.is_some() {
            ["<longcat_arg_key>", "</longcat_arg_key>", "<longcat_arg_value>", "</longcat_arg_value>"]
        } else {
            ["<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"]
        };
        let end = ["</", &self.opener.mark[1..]].concat();
        let open = |text: &str| {
            let key = text.strip_prefix(key_open)?;
            let close = key.find('<')?;
            let value = key[close..].strip_prefix(key_close)?.trim_ascii_start().strip_prefix(value_open)?;
            let key = key[..close].trim().to_string();
            Some(Param { key, says: Says::Nothing, length: text.len() - value.len() })
        };
        let tags = Tags {
            opener: self.opener.mark,
            end: &end,
            begins: &[key_open, value_open],
            wrapped: self.around.is_some(),
            around: &["</tool_calls>"],
            open: &open,
            close: &|text, _| text.starts_with(value_close).then_some(value_close.len()),
            trims: Trims::Never,
            python: false,
            cdata: false,
        };
        self.tagged(&tags, name, at)
    }

    fn tagged(&self, tags: &Tags<'_>, name: &str, at: usize) -> Read {
        match tags.call(self.text, name, at, self.ending, self.ctx) {
            Some((call, end)) => self.one(Some(call), end),
            None => self.no(),
        }
    }
}

/// Calls with their arguments as JSON: all of them good, or none.
pub(crate) fn judged(called: Vec<python::Called>, strict: bool, ctx: &Context<'_>) -> Option<Vec<TextCall>> {
    called
        .into_iter()
        .map(|(name, arguments)| {
            Said { strict, ..Said::plain(name, arguments) }.judged(Ending::Complete, ctx)
        })
        .collect()
}

/// The envelopes of the list that begins at `at`, and where it ends. Where the text ends before the list
/// does, the whole ones of it; `None` where one of them is no call.
pub(crate) fn items(
    text: &str,
    at: usize,
    ending: Ending,
    shape: Shape,
    ctx: &Context<'_>,
) -> Option<(Vec<TextCall>, usize)> {
    let mut calls = Vec::new();
    let mut at = at + 1;
    loop {
        at += white(&text[at..]);
        match text.as_bytes().get(at) {
            Some(b']') => return Some((calls, at + 1)),
            Some(b',') if !calls.is_empty() => at += 1,
            Some(b'{') => {
                let End::At(end) = json::value_end(text, at) else {
                    // Cut inside of an item: those before it are whole.
                    let whole = ending == Ending::Cut && ctx.parallel && !calls.is_empty();
                    return whole.then_some((calls, text.len()));
                };
                calls.push(envelope::read(&text[at..end], Ending::Complete, shape, ctx)?);
                at = end;
            }
            // The bracket is missing, and nothing else.
            None if !calls.is_empty() => return Some((calls, text.len())),
            Some(b'<') if !calls.is_empty() => return Some((calls, at)),
            _ => return None,
        }
    }
}
