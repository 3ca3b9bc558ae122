//! Messages on channels: Harmony (gpt-oss), its relative with recipients (Muse), and XTML (Kimi K3).
//!
//! ```text
//!            <|message|>                 end mark, then a header or the end
//!   header ─────────────▶ body: content ───────────────────────────────────▶ header
//!                         body: reasoning
//!                         body: a call        (waits for the end of the text)
//!                         body: addressed to something else
//! ```

use alloc::string::String;
use alloc::vec::Vec;

use toolmend_core::{Ending, TextCall};

use crate::context::Context;
use crate::envelope::Said;
use crate::json::{self, End};
use crate::marks::{self, Fit, Found, fit, white};
use crate::region::{self, Read};
use crate::tags::{self, Param, Tags, Trims};
use crate::typed::Says;

/// What a piece of the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Content,
    Reasoning,
    Mark,
}

/// What is next.
pub(crate) enum Step {
    /// So many bytes of this.
    Out(Part, usize),
    /// Calls, made of so many bytes.
    Calls(Vec<TextCall>, usize),
    /// Text stands here where none may stand: what is called before it is talked about.
    Stray,
    /// More text is needed.
    Wait,
    /// All of the text is needed.
    Hold,
}

/// The longest header, in bytes.
const MAX_HEADER: usize = 512;

/// Marks that end a message.
const ENDS: &[&str] = &["<|end|>", "<|return|>", "<|call|>", "<|eom|>", "<|eot|>"];

/// Which kind of messages, and where in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Channel {
    /// A header is next.
    Header,
    /// A body; whether its header could be read.
    Body(Part, bool),
    /// No messages any more.
    Text,
    /// XTML, between elements.
    Between,
    /// XTML, where the prompt opened an element: the model may open another one.
    Opened(Part, &'static str),
    /// XTML, inside of `think` or `response`.
    Element(Part, &'static str),
}

/// What a text begins with, where it begins with messages; `None` where it does not, or not yet for certain.
pub(crate) fn begins(text: &str) -> Found<Channel> {
    let bytes = text.as_bytes();
    let tries = [
        ("<|channel|>", Channel::Header),
        ("<|start|>", Channel::Header),
        ("<|open|>", Channel::Between),
        ("<|close|>", Channel::Between),
    ];
    let mut part = false;
    for (mark, channel) in tries {
        match fit(bytes, mark) {
            Fit::Full(_) => return Found::Full(channel, 0),
            Fit::Part => part = true,
            Fit::No => {}
        }
    }
    if part { Found::Part } else { Found::No }
}

/// What a prompt that ends like this says of the text that follows it.
pub(crate) fn prefilled(prefill: &str) -> Option<Channel> {
    let prefill = prefill.trim_end();
    if prefill.ends_with("<|start|>assistant") {
        return Some(Channel::Header);
    }
    if prefill.ends_with("<|open|>think<|sep|>") {
        return Some(Channel::Opened(Part::Reasoning, "<|close|>think<|sep|>"));
    }
    if prefill.ends_with("<|open|>response<|sep|>") {
        return Some(Channel::Opened(Part::Content, "<|close|>response<|sep|>"));
    }
    None
}

impl Channel {
    /// What is next in `text`; `last` is whether nothing follows it.
    pub(crate) fn step(&mut self, text: &str, last: bool, ending: Ending, ctx: &Context<'_>) -> Step {
        if text.is_empty() {
            return Step::Wait;
        }
        match self {
            Channel::Header => self.header(text, last, ending, ctx),
            Channel::Body(part, sound) => {
                let (part, sound) = (*part, *sound);
                self.body(text, last, part, sound)
            }
            Channel::Text => Step::Out(Part::Content, text.len()),
            Channel::Between => self.between(text, last, ending, ctx),
            Channel::Opened(part, close) => {
                match fit(text.trim_ascii_start().as_bytes(), "<|open|>") {
                    Fit::Part if !last => return Step::Wait,
                    Fit::Full(_) => *self = Channel::Between,
                    _ => *self = Channel::Element(*part, close),
                }
                Step::Out(Part::Mark, 0)
            }
            Channel::Element(part, close) => {
                let (part, close) = (*part, *close);
                self.element(text, last, part, close)
            }
        }
    }

    fn header(&mut self, text: &str, last: bool, ending: Ending, ctx: &Context<'_>) -> Step {
        let blank = white(text);
        let start = &text[blank..];
        let plausible =
            ["<|", "<｜", "to="].iter().any(|begin| start.starts_with(begin) || begin.starts_with(start));
        if !plausible {
            *self = Channel::Body(Part::Content, false);
            return self.body(text, last, Part::Content, false);
        }
        let head = &text[..floor(text, MAX_HEADER)];
        let Some((at, length)) = find(head, "<|message|>") else {
            if !last && text.len() < MAX_HEADER {
                return Step::Wait;
            }
            let part = if last && Header::read(text).is_some() { Part::Mark } else { Part::Content };
            *self = Channel::Body(Part::Content, false);
            return Step::Out(part, if last { text.len() } else { head.len() });
        };
        let body = at + length;
        match addressed(&text[..at], ctx) {
            To::User => self.enter(Part::Content, body),
            To::Self_ => self.enter(Part::Reasoning, body),
            To::Else => self.enter(Part::Mark, body),
            To::Nobody if last && is_stray(&text[body..]) => {
                *self = Channel::Text;
                Step::Stray
            }
            To::Nobody => {
                *self = Channel::Body(Part::Content, false);
                Step::Out(Part::Content, body)
            }
            To::Tool(_) if !last => Step::Hold,
            To::Tool(name) => match call(text, body, &name, ending, ctx) {
                Some((call, end)) => {
                    let end = end + white(&text[end..]);
                    let mark = ENDS.iter().find_map(|mark| match fit(&text.as_bytes()[end..], mark) {
                        Fit::Full(length) => Some(length),
                        _ => None,
                    });
                    Step::Calls([call].into(), end + mark.unwrap_or(0))
                }
                None => {
                    *self = Channel::Text;
                    // Where one call is allowed, two are none, whatever the second one is.
                    let stray = is_stray(&text[body..]) || !ctx.parallel;
                    if stray { Step::Stray } else { Step::Out(Part::Content, text.len()) }
                }
            },
        }
    }

    fn enter(&mut self, part: Part, length: usize) -> Step {
        *self = Channel::Body(part, true);
        Step::Out(Part::Mark, length)
    }

    fn body(&mut self, text: &str, last: bool, part: Part, sound: bool) -> Step {
        let bytes = text.as_bytes();
        let mut i = 0;
        while let Some(step) = bytes[i..].iter().position(|b| *b == b'<') {
            i += step;
            match end_of_message(&text[i..], last) {
                Found::Full((), length) if i == 0 => {
                    *self = Channel::Header;
                    return Step::Out(if sound { Part::Mark } else { Part::Content }, length);
                }
                Found::Full(..) => return Step::Out(part, i),
                Found::Part => return if i > 0 { Step::Out(part, i) } else { Step::Wait },
                Found::No => i += 1,
            }
        }
        Step::Out(part, text.len())
    }

    fn between(&mut self, text: &str, last: bool, ending: Ending, ctx: &Context<'_>) -> Step {
        let blank = white(text);
        let rest = &text[blank..];
        if rest.is_empty() {
            return if last { Step::Out(Part::Mark, text.len()) } else { Step::Wait };
        }
        let opens = [
            ("<|open|>think<|sep|>", Part::Reasoning, "<|close|>think<|sep|>"),
            ("<|open|>response<|sep|>", Part::Content, "<|close|>response<|sep|>"),
        ];
        let mut part = false;
        for (open, kind, close) in opens {
            match fit(rest.as_bytes(), open) {
                Fit::Full(length) => {
                    *self = Channel::Element(kind, close);
                    return Step::Out(Part::Mark, blank + length);
                }
                Fit::Part => part = true,
                Fit::No => {}
            }
        }
        match fit(rest.as_bytes(), "<|open|>tools<|sep|>") {
            Fit::Full(length) if last => {
                let (calls, end) = tools(rest, length, ending, ctx);
                if calls.is_empty() {
                    return Step::Out(Part::Content, text.len());
                }
                return Step::Calls(calls, blank + end);
            }
            Fit::Full(_) => return Step::Hold,
            Fit::Part => part = true,
            Fit::No => {}
        }
        if part && !last {
            return Step::Wait;
        }
        // Any other element's mark.
        let mark = ["<|open|>", "<|close|>"].iter().any(|m| fit(rest.as_bytes(), m) != Fit::No);
        match find(&rest[..floor(rest, MAX_HEADER)], "<|sep|>") {
            Some((at, length)) if mark => Step::Out(Part::Mark, blank + at + length),
            None if mark && !last && rest.len() < MAX_HEADER => Step::Wait,
            _ => {
                *self = Channel::Element(Part::Content, "<|close|>response<|sep|>");
                Step::Stray
            }
        }
    }

    fn element(&mut self, text: &str, last: bool, part: Part, close: &'static str) -> Step {
        let bytes = text.as_bytes();
        let mut i = 0;
        while let Some(step) = bytes[i..].iter().position(|b| *b == b'<') {
            i += step;
            match fit(&bytes[i..], close) {
                Fit::Full(length) if i == 0 => {
                    *self = Channel::Between;
                    return Step::Out(Part::Mark, length);
                }
                Fit::Full(_) => return Step::Out(part, i),
                Fit::Part if !last => return if i > 0 { Step::Out(part, i) } else { Step::Wait },
                _ => i += 1,
            }
        }
        Step::Out(part, text.len())
    }
}

/// To whom a message goes.
enum To {
    User,
    Self_,
    Tool(String),
    /// A recipient that is no tool of the request, such as a built-in one.
    Else,
    /// The header cannot be read.
    Nobody,
}

/// What a header says.
#[derive(Default)]
struct Header {
    role: Option<String>,
    recipient: Option<String>,
    channel: Option<String>,
}

impl Header {
    /// Reads a header; `None` where it holds anything that is no part of one, or says something twice.
    fn read(header: &str) -> Option<Header> {
        let header = header.replace(['｜', '‖'], "|").replace("||", "|");
        let mut read = Header::default();
        let mut mark = "";
        let mut rest = header.trim_ascii_start();
        while !rest.is_empty() {
            let begun =
                ["<|start|>", "<|channel|>", "<|constrain|>"].iter().find(|mark| rest.starts_with(**mark));
            if let Some(begun) = begun {
                (mark, rest) = (begun, rest[begun.len()..].trim_ascii_start());
                continue;
            }
            let end = rest.find(|c: char| c.is_whitespace() || c == '<').filter(|end| *end > 0);
            // A mark that is cut off at the end of the text.
            let end =
                end.or((!rest.starts_with('<') || "<|message|>".starts_with(rest)).then_some(rest.len()))?;
            let word = &rest[..end];
            rest = rest[end..].trim_ascii_start();
            let said = match (word.strip_prefix("to="), mark) {
                (Some(name), _) => {
                    // In a role's header and again behind the channel.
                    let again = read.recipient.as_deref() == Some(name);
                    read.recipient.take_if(|_| again);
                    read.recipient.replace(name.into())
                }
                (None, "<|start|>") => read.role.replace(word.into()),
                // What the body is: it is not asked.
                (None, "<|constrain|>") => None,
                (None, "<|channel|>") if read.channel.is_none() || read.channel.as_deref() == Some(word) => {
                    read.channel = Some(word.into());
                    None
                }
                (None, _) if matches!(word, "json" | "code") || "<|message|>".starts_with(word) => None,
                _ => return None,
            };
            if said.is_some() {
                return None;
            }
        }
        Some(read)
    }
}

fn addressed(header: &str, ctx: &Context<'_>) -> To {
    let Some(Header { role, recipient, channel }) = Header::read(header) else { return To::Nobody };
    let known = channel.as_deref().is_none_or(|c| matches!(c, "analysis" | "commentary" | "final"));
    let own = role.as_deref().is_none_or(|role| role == "assistant");
    match recipient.as_deref() {
        _ if !known || !own => To::Nobody,
        Some("user") => To::User,
        Some("self") => To::Self_,
        Some("assistant") | None => match channel.as_deref() {
            Some("analysis") => To::Self_,
            Some(_) => To::User,
            None => To::Nobody,
        },
        Some(name) => match ctx.offered(name) {
            Some(tool) => To::Tool(tool.into()),
            None if name.starts_with("functions.") => To::Nobody,
            None => To::Else,
        },
    }
}

/// The call whose message body begins at `at`, and where it ends.
fn call(text: &str, at: usize, name: &str, ending: Ending, ctx: &Context<'_>) -> Option<(TextCall, usize)> {
    let at = at + white(&text[at..]);
    if let Found::Full(opener, length) = marks::open(&text.as_bytes()[at..], false) {
        return match region::read(&text[at..], opener, length, ending, ctx) {
            Read::Calls(mut calls, end) if calls.len() == 1 && calls[0].name == name => {
                let end = at + end + around(&text[at + end..]).0;
                is_over(&text[end..]).then_some((calls.pop()?, end))
            }
            _ => None,
        };
    }
    if !text[at..].starts_with('{') {
        return None;
    }
    let (end, whole) = match json::value_end(text, at) {
        End::At(end) => (end, true),
        _ => (
            ENDS.iter()
                .filter_map(|mark| find(&text[at..], mark))
                .map(|(n, _)| at + n)
                .min()
                .unwrap_or(text.len()),
            false,
        ),
    };
    let behind = text[end..].trim_ascii_start();
    let marked =
        ENDS.iter().chain(&["<|start|>"]).any(|mark| matches!(fit(behind.as_bytes(), mark), Fit::Full(_)));
    let ending = match marked {
        true => Ending::Complete,
        false if whole => ending,
        false => Ending::Cut,
    };
    let call = is_over(&text[end..]).then(|| Said::plain(name, text[at..end].trim_ascii_end()))?;
    Some((call.judged(ending, ctx)?, end))
}

/// Whether a message may end here: only another one may stand behind it.
fn is_over(text: &str) -> bool {
    let behind = text.trim_ascii_start();
    let over = ENDS.iter().find_map(|mark| match fit(behind.as_bytes(), mark) {
        Fit::Full(length) => Some(behind[length..].trim_ascii_start()),
        _ => None,
    });
    is_message(over.unwrap_or(behind))
}

/// Whether a message begins here, or nothing stands here.
fn is_message(text: &str) -> bool {
    let begins = ["<|start|>", "<|channel|>"];
    text.is_empty() || begins.iter().any(|mark| matches!(fit(text.as_bytes(), mark), Fit::Full(_)))
}

/// Whether something else than a message stands behind the end of the one that `body` begins with.
fn is_stray(body: &str) -> bool {
    let end = ENDS.iter().filter_map(|mark| find(body, mark)).min();
    end.is_some_and(|(at, length)| !is_message(body[at + length..].trim_ascii_start()))
}

/// White space and closers that wrap a call, but for the end of the message.
fn around(text: &str) -> (usize, bool) {
    let mut at = 0;
    loop {
        let next = at + white(&text[at..]);
        let rest = &text.as_bytes()[next..];
        let ends = ENDS.iter().any(|mark| matches!(fit(rest, mark), Fit::Full(_)));
        match marks::closer(rest) {
            Found::Full(_, length) if !ends => at = next + length,
            _ => return (at, at > 0),
        }
    }
}

/// The calls of a `tools` element whose content begins at `at`, and where it ends.
fn tools(text: &str, mut at: usize, ending: Ending, ctx: &Context<'_>) -> (Vec<TextCall>, usize) {
    let open = |text: &str| {
        let Fit::Full(mark) = fit(text.as_bytes(), "<|open|>argument ") else { return None };
        let (end, length) = find(&text[..floor(text, MAX_HEADER)], "<|sep|>")?;
        let tag = element(&text[mark..end])?;
        let says = match tags::attribute(tag, "type").as_deref() {
            Some("string") => Says::Text,
            Some(_) => Says::Json,
            None if tag.contains("type=") => return None,
            None => Says::Nothing,
        };
        Some(Param { key: tags::attribute(tag, "key")?, says, length: end + length })
    };
    let close = |text: &str, _: &str| match fit(text.as_bytes(), "<|close|>argument<|sep|>") {
        Fit::Full(length) => Some(length),
        _ => None,
    };
    let tags = Tags {
        opener: "<|open|>call ",
        end: "<|close|>call<|sep|>",
        begins: &["<|open|>argument", "<|sep|>"],
        wrapped: true,
        around: &["<|close|>tools<|sep|>"],
        open: &open,
        close: &close,
        trims: Trims::Never,
        python: false,
        cdata: false,
    };
    let mut calls = Vec::new();
    loop {
        let start = at + white(&text[at..]);
        let rest = &text[start..];
        if let Fit::Full(mark) = fit(rest.as_bytes(), "<|open|>call ")
            && let Some((sep, length)) = find(&rest[..floor(rest, MAX_HEADER)], "<|sep|>")
            && let Some(tag) = element(&rest[mark..sep])
            && let Some(name) = tags::attribute(tag, "tool")
            && let Some((call, end)) = tags.call(rest, &name, sep + length, ending, ctx)
        {
            calls.push(call);
            at = start + end;
            continue;
        }
        return match fit(rest.as_bytes(), "<|close|>tools<|sep|>") {
            Fit::Full(length) => (calls, start + length),
            // What stands here is another call, or the beginning of one.
            _ if !ctx.parallel && !rest.is_empty() => (Vec::new(), at),
            _ => (calls, at),
        };
    }
}

/// The attributes of an element, if no other mark stands in what was taken for them.
fn element(tag: &str) -> Option<&str> {
    (!tag.contains('<')).then_some(tag)
}

/// Whether a message ends here: at an end mark behind which another message begins, or nothing.
fn end_of_message(text: &str, last: bool) -> Found<()> {
    let bytes = text.as_bytes();
    match fit(bytes, "<|start|>assistant") {
        Fit::Full(_) => return Found::Full((), 0),
        Fit::Part if !last => return Found::Part,
        _ => {}
    }
    for mark in ENDS {
        let length = match fit(bytes, mark) {
            Fit::Full(length) => length,
            Fit::Part if !last => return Found::Part,
            _ => continue,
        };
        let behind = text[length..].trim_ascii_start();
        if behind.is_empty() {
            return if last { Found::Full((), text.len()) } else { Found::Part };
        }
        for begin in ["<|start|>", "<|channel|>"] {
            match fit(behind.as_bytes(), begin) {
                Fit::Full(_) => return Found::Full((), length),
                Fit::Part if !last => return Found::Part,
                _ => {}
            }
        }
        return Found::No;
    }
    Found::No
}

/// Where `mark` stands in `text` first, and its length.
fn find(text: &str, mark: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut i = 0;
    while let Some(step) = bytes[i..].iter().position(|b| *b == b'<') {
        i += step;
        if let Fit::Full(length) = fit(&bytes[i..], mark) {
            return Some((i, length));
        }
        i += 1;
    }
    None
}

/// The last border of a character at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
