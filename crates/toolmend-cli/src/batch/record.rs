//! One line of `batch`: the record on it, or what is wrong with it.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use toolmend::Evidence;
use toolmend_schema::{Tool, ToolError};

use super::lines::{Line, MAX_LINE};
use super::request::{self, Choice, Text};

/// A record that can be worked on.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    /// As it was written, whatever its type.
    pub(crate) id: Option<&'a RawValue>,
    /// What is to be repaired.
    pub(crate) said: Said,
    pub(crate) model: Option<String>,
    pub(crate) finish: Finish,
    pub(crate) usage: Usage,
    /// The tool that is called; with a turn or a text, all that were offered.
    pub(crate) tools: Vec<Tool>,
}

/// What a record holds, decoded.
#[derive(Debug)]
pub(crate) enum Said {
    /// The text of one call's arguments.
    Arguments(String),
    /// The body of a response: a whole turn, in any protocol.
    Turn(String),
    /// An assistant's text.
    Text(Text),
}

/// What a record says about how its turn ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Finish {
    /// Nothing.
    #[default]
    Unknown,
    /// The stream ended without a finish reason.
    Null,
    Word(String),
}

/// What a record says about tokens; both numbers are needed to say anything.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) completion_tokens: Option<u64>,
    pub(crate) max_tokens: Option<u64>,
}

/// A line that is no record that can be worked on.
#[derive(Debug)]
pub(crate) struct Malformed<'a> {
    /// The record's id, where it could be made out.
    pub(crate) id: Option<&'a RawValue>,
    /// Where the line stands and what is wrong with it.
    pub(crate) what: String,
}

impl Record<'_> {
    /// What the record says beside the body.
    pub(crate) fn evidence(&self) -> Evidence<'static> {
        let evidence = match &self.finish {
            Finish::Unknown => Evidence::new(),
            Finish::Null => Evidence::new().finish_reason(None),
            Finish::Word(word) => Evidence::new().finish_reason(Some(word)),
        };
        match (self.usage.completion_tokens, self.usage.max_tokens) {
            (Some(tokens), Some(cap)) => evidence.usage(tokens, cap),
            _ => evidence,
        }
    }
}

/// Reads the record on a line.
pub(crate) fn read(line: &Line) -> Result<Record<'_>, Malformed<'_>> {
    let (text, broken) = match std::str::from_utf8(&line.bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let (valid, _) = line.bytes.split_at(error.valid_up_to());
            (std::str::from_utf8(valid).unwrap_or_default(), Some(error.valid_up_to()))
        }
    };
    let mut fields = Fields::default();
    let read = fields.read(text);
    let id = fields.id.filter(|id| !is_null(id));
    let malformed = |what: Wrong<'_>| Malformed { id, what: format!("line {}{what}", line.number) };
    if line.too_long {
        return Err(malformed(Wrong::TooLong));
    }
    if let Some(at) = broken {
        return Err(malformed(Wrong::NotUtf8 { at }));
    }
    read.map_err(|error| malformed(Wrong::NotJson(&error)))?;
    fields.into_record(id).map_err(malformed)
}

/// What is wrong with a line.
pub(super) enum Wrong<'a> {
    TooLong,
    NotUtf8 { at: usize },
    NotJson(&'a serde_json::Error),
    NoBody,
    TwoBodies,
    TwoTexts,
    NotOfType { field: &'static str, wanted: &'static str },
    LoneSurrogate { field: &'static str, at: usize },
    Tool { field: &'static str, error: ToolError },
}

/// The rest of a sentence that begins with the line's number. Places are bytes of the line, from 0.
impl fmt::Display for Wrong<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::TooLong => write!(f, " is longer than {MAX_LINE} bytes, so it was not read"),
            Wrong::NotUtf8 { at } => write!(f, ", byte {at}: not UTF-8"),
            Wrong::NotJson(error) => {
                let text = error.to_string();
                // The place is said in our own words.
                let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
                write!(f, ", byte {}: not a JSON record: {what}", error.column().saturating_sub(1))
            }
            Wrong::NoBody => f.write_str(
                ": the record has no \"arguments\", no \"body\" and no assistant text (\"content\", \"chunks\")",
            ),
            Wrong::TwoBodies => {
                f.write_str(": the record has more than one of \"arguments\", \"body\" and assistant text; give one of them")
            }
            Wrong::TwoTexts => {
                f.write_str(": the record has both \"content\" and \"chunks\"; give one of them")
            }
            Wrong::NotOfType { field, wanted } => write!(f, ": {field:?} is not {wanted}"),
            Wrong::LoneSurrogate { field, at } => write!(
                f,
                ": {field:?} holds an unpaired surrogate (the escape at byte {at} of its value), so it is no Unicode text"
            ),
            Wrong::Tool { field, error } => write!(f, ": {field:?}: {error}"),
        }
    }
}

/// The fields of a record as they were written.
#[derive(Default)]
struct Fields<'a> {
    id: Option<&'a RawValue>,
    arguments: Option<&'a RawValue>,
    body: Option<&'a RawValue>,
    content: Option<&'a RawValue>,
    chunks: Option<&'a RawValue>,
    model: Option<&'a RawValue>,
    finish_reason: Option<&'a RawValue>,
    usage: Option<&'a RawValue>,
    tool: Option<&'a RawValue>,
    tools: Option<&'a RawValue>,
    prefill: Option<&'a RawValue>,
    tool_choice: Option<&'a RawValue>,
    parallel_tool_calls: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Field {
    Id,
    Arguments,
    Body,
    Content,
    Chunks,
    Model,
    FinishReason,
    Usage,
    Tool,
    Tools,
    Prefill,
    ToolChoice,
    ParallelToolCalls,
    #[serde(other)]
    Other,
}

impl<'a> Fields<'a> {
    /// Reads what it can: fields before a fault are there even when this fails.
    fn read(&mut self, text: &'a str) -> Result<(), serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(text);
        self.deserialize(&mut json)?;
        json.end()
    }

    fn into_record(self, id: Option<&'a RawValue>) -> Result<Record<'a>, Wrong<'static>> {
        let given = |field: Option<&'a RawValue>| field.filter(|raw| !is_null(raw));
        let text = given(self.content).or(given(self.chunks));
        let said = match (given(self.arguments), given(self.body), text) {
            (Some(raw), None, None) => Said::Arguments(string(raw, "arguments")?),
            (None, Some(raw), None) => Said::Turn(string(raw, "body")?),
            (None, None, Some(_)) => Said::Text(self.text()?),
            (None, None, None) => return Err(Wrong::NoBody),
            _ => return Err(Wrong::TwoBodies),
        };
        let finish = match self.finish_reason {
            None => Finish::Unknown,
            Some(raw) if is_null(raw) => Finish::Null,
            Some(raw) => Finish::Word(string(raw, "finish_reason")?),
        };
        let model = given(self.model).map(|raw| string(raw, "model")).transpose()?;
        let usage = given(self.usage).map(usage).transpose()?.unwrap_or_default();
        let mut tools = tools(given(self.tool), given(self.tools))?;
        // A record does not name the tool of its arguments, so of several offered ones none is it for certain.
        if matches!(said, Said::Arguments(_)) && tools.len() > 1 {
            tools.clear();
        }
        Ok(Record { id, said, model, finish, usage, tools })
    }
}

impl Fields<'_> {
    /// The assistant's text, and what the request said of calls.
    fn text(&self) -> Result<Text, Wrong<'static>> {
        let given = |field: Option<&RawValue>| field.filter(|raw| !is_null(raw)).map(ToOwned::to_owned);
        let pieces = match (given(self.content), given(self.chunks)) {
            (Some(_), Some(_)) => return Err(Wrong::TwoTexts),
            (Some(raw), None) => vec![string(&raw, "content")?],
            (None, Some(raw)) => request::pieces(&raw)?,
            (None, None) => Vec::new(),
        };
        Ok(Text {
            pieces,
            prefill: given(self.prefill).map(|raw| string(&raw, "prefill")).transpose()?.unwrap_or_default(),
            choice: given(self.tool_choice).map(|raw| Choice::read(&raw)).transpose()?.unwrap_or_default(),
            parallel: given(self.parallel_tool_calls)
                .map(|raw| request::parallel(&raw))
                .transpose()?
                .unwrap_or(true),
        })
    }
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for &mut Fields<'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for &mut Fields<'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(field) = map.next_key()? {
            let (place, name) = match field {
                Field::Id => (&mut self.id, "id"),
                Field::Arguments => (&mut self.arguments, "arguments"),
                Field::Body => (&mut self.body, "body"),
                Field::Content => (&mut self.content, "content"),
                Field::Chunks => (&mut self.chunks, "chunks"),
                Field::Model => (&mut self.model, "model"),
                Field::FinishReason => (&mut self.finish_reason, "finish_reason"),
                Field::Usage => (&mut self.usage, "usage"),
                Field::Tool => (&mut self.tool, "tool"),
                Field::Tools => (&mut self.tools, "tools"),
                Field::Prefill => (&mut self.prefill, "prefill"),
                Field::ToolChoice => (&mut self.tool_choice, "tool_choice"),
                Field::ParallelToolCalls => (&mut self.parallel_tool_calls, "parallel_tool_calls"),
                Field::Other => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            // Which of two would be meant is not for us to guess.
            if place.is_some() {
                return Err(serde::de::Error::duplicate_field(name));
            }
            *place = Some(map.next_value()?);
        }
        Ok(())
    }
}

/// The tool that is described, or those that were offered.
fn tools(one: Option<&RawValue>, offered: Option<&RawValue>) -> Result<Vec<Tool>, Wrong<'static>> {
    match (one, offered) {
        (Some(raw), _) => {
            let tool = Tool::one(raw.get()).map_err(|error| Wrong::Tool { field: "tool", error })?;
            Ok(vec![tool])
        }
        (None, Some(raw)) => Tool::list(raw.get()).map_err(|error| Wrong::Tool { field: "tools", error }),
        (None, None) => Ok(Vec::new()),
    }
}

fn usage(raw: &RawValue) -> Result<Usage, Wrong<'static>> {
    #[derive(Deserialize)]
    struct Numbers<'a> {
        #[serde(borrow)]
        completion_tokens: Option<&'a RawValue>,
        #[serde(borrow)]
        max_tokens: Option<&'a RawValue>,
    }
    let wrong = |_| Wrong::NotOfType { field: "usage", wanted: "an object" };
    let numbers: Numbers<'_> = serde_json::from_str(raw.get()).map_err(wrong)?;
    let number = |raw: Option<&RawValue>, field| {
        let wrong = |_| Wrong::NotOfType { field, wanted: "a whole number" };
        raw.filter(|raw| !is_null(raw)).map(|raw| serde_json::from_str(raw.get()).map_err(wrong)).transpose()
    };
    Ok(Usage {
        completion_tokens: number(numbers.completion_tokens, "usage.completion_tokens")?,
        max_tokens: number(numbers.max_tokens, "usage.max_tokens")?,
    })
}

fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

pub(super) fn string(raw: &RawValue, field: &'static str) -> Result<String, Wrong<'static>> {
    let text = raw.get();
    if !text.starts_with('"') {
        return Err(Wrong::NotOfType { field, wanted: "a string" });
    }
    // The text is known to be a JSON string; half a surrogate pair is all that can be wrong in one.
    match serde_json::from_str::<Cow<'_, str>>(text) {
        Ok(decoded) => Ok(decoded.into_owned()),
        Err(_) => Err(Wrong::LoneSurrogate { field, at: lone_surrogate(text).unwrap_or_default() }),
    }
}

/// Where the first escape of half a surrogate pair without its other half stands (RFC 8259, section 8.2).
fn lone_surrogate(json: &str) -> Option<usize> {
    let bytes = json.as_bytes();
    let unit = |at: usize| {
        let escape = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(escape, 16).ok()
    };
    let mut at = 0;
    while at < bytes.len() {
        at += match (bytes[at], unit(at)) {
            (b'\\', Some(0xd800..=0xdbff)) => match unit(at + 6) {
                Some(0xdc00..=0xdfff) => 12,
                _ => return Some(at),
            },
            (b'\\', Some(0xdc00..=0xdfff)) => return Some(at),
            (b'\\', _) => 2,
            _ => 1,
        };
    }
    None
}
