//! OpenAI Responses.
//!
//! Streamed, a turn is a row of events with a `type`, and the arguments of a call come up to four times:
//!
//! ```text
//! {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":""}}
//! {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":"{\"a\":1}"}
//! {"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":0,"arguments":"{\"a\":1}"}
//! {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_1",…,"arguments":"{\"a\":1}"}}
//! {"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call",…}],"usage":{…}}}
//! ```
//!
//! Clients differ in which of them they read, so all are written alike. Not streamed, it is the `response`
//! alone. Items of other kinds (custom tools, MCP, code) hold no JSON that is ours.
//!
//! Servers of the same name leave out the deltas (LM Studio), the `item_id` or the `output_index` (llama.cpp),
//! or the arguments of `.done`.

use super::{More, Needs, Protocol, arguments_in, is_elsewhere, whole_text};
use toolmend_core::quote::quoted;

use crate::assembly::ANNOUNCED;
use crate::json::Value;
use crate::limits::{Exceeded, MAX_CALLS};
use crate::recorded::Usage;
use crate::signal::{Arguments, Form, Piece, Signal, Sink, Slot};
use crate::site::{Keys, Part, Site};
use crate::text::Text;

/// Reads OpenAI Responses.
#[derive(Debug, Default)]
pub(super) struct OpenAiResponses {
    /// The function calls so far; the place of one is its slot.
    items: Vec<Item>,
}

#[derive(Debug, Default)]
struct Item {
    id: Option<String>,
    call_id: Option<String>,
    output_index: Option<u64>,
}

/// How much each copy of the arguments is worth, where they differ.
const ADDED: u8 = ANNOUNCED;
const DONE: u8 = 1;
const COMPLETED: u8 = 2;
const ITEM_DONE: u8 = 3;

impl Protocol for OpenAiResponses {
    fn recognises(&self, event: Value<'_>) -> bool {
        let [kind, object] = event.pick(["type", "object"]);
        let begins = |value: Option<Value<'_>>| {
            value.and_then(Value::text).is_some_and(|text| text.to_text().starts_with("response."))
        };
        begins(kind) || object.and_then(Value::text).is_some_and(|text| text.is("response"))
    }

    fn ends(&self, data: &str) -> bool {
        // Not of this protocol, but some bridges send it.
        data.starts_with("[DONE]")
    }

    fn read<'a>(&mut self, event: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
        let Some(kind) = kind_of(event) else {
            return if is_response(event) { self.response(event, true, sink) } else { Ok(()) };
        };
        match &*kind {
            "response.output_text.delta" => match event.get("delta").and_then(Value::text) {
                Some(text) => sink(Signal::Content { choice: 0, text }),
                None => Ok(()),
            },
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                match event.get("delta").and_then(Value::text) {
                    Some(text) => sink(Signal::Reasoning { choice: 0, text }),
                    None => Ok(()),
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let word = Text::from(match &*kind {
                    "response.completed" => "completed",
                    "response.incomplete" => CUT,
                    _ => "failed",
                });
                if let Some(response) = event.get("response") {
                    self.response(response, false, sink)?;
                }
                sink(Signal::Finish { choice: 0, word: Some(word) })?;
                sink(Signal::End)
            }
            _ => {
                if let Some(response) = event.get("response") {
                    return tell_model(response, sink);
                }
                match call_in(event, &kind) {
                    Some((call, step)) => self.step(event, call, step, sink),
                    None => Ok(()),
                }
            }
        }
    }

    fn sites<'a>(&self, event: Value<'a>, each: &mut dyn FnMut(Site<'a>)) {
        let kind = kind_of(event);
        let site = |entry, keys| Site { item: entry, entry, function: entry, message: None, keys };
        if let Some((call, step)) = kind.as_deref().and_then(|kind| call_in(event, kind)) {
            each(site(call, step.keys(call)));
            return;
        }
        let response =
            if kind.is_none() { Some(event) } else { event.get("response").filter(|_| ends(&kind)) };
        let keys = if kind.is_none() { &WHOLE } else { &COPY };
        for call in response.into_iter().flat_map(calls) {
            each(site(call, keys));
        }
    }

    fn needs(&self) -> Needs {
        Needs { data: true, finish: true, ..Needs::default() }
    }

    fn more(&self, event: Value<'_>, more: More<'_>) -> Option<String> {
        if !self.adds(event) {
            return None;
        }
        let same = ["item_id", "output_index"].into_iter().filter_map(|key| event.member(key));
        let same: String = same.map(|(key, value)| format!("{}:{},", key.raw(), value.raw())).collect();
        let kind = "response.function_call_arguments.delta";
        let is_delta = event.get("type").and_then(Value::text).is_some_and(|own| own.is(kind));
        is_delta.then(|| {
            format!("event: {kind}\ndata: {{\"type\":\"{kind}\",{same}\"delta\":{}}}\n\n", quoted(more.text))
        })
    }

    /// Where events are numbered, there is no number for one more.
    fn adds(&self, event: Value<'_>) -> bool {
        !event.has("sequence_number")
    }

    fn ends_as_cut<'a>(&self, event: Value<'a>) -> Vec<(u32, Value<'a>, &'static str)> {
        let kind = event.member("type").map(|(_, kind)| kind).filter(|_| ends(&kind_of(event)));
        let response = if kind.is_some() { event.get("response") } else { Some(event) };
        let mut said: Vec<_> = kind.map(|kind| (0, kind, "\"response.incomplete\"")).into_iter().collect();
        if let Some(response) = response {
            // Where the server does not say what is incomplete about it, a member is set behind the status.
            let details = response.member("incomplete_details").map(|(_, details)| details);
            let status = if details.is_some() { "\"incomplete\"" } else { INCOMPLETE };
            said.extend(response.get("status").map(|own| (0, own, status)));
            said.extend(
                calls(response)
                    .last()
                    .and_then(|call| call.get("status"))
                    .map(|own| (0, own, "\"incomplete\"")),
            );
            said.extend(details.map(|details| (0, details, "{\"reason\":\"max_output_tokens\"}")));
        }
        said
    }
}

/// The status of what was cut, be it an answer or a call.
const CUT: &str = "incomplete";

/// The status of a cut answer that does not say why.
const INCOMPLETE: &str = "\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}";

/// What an event about one call says of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Added,
    Delta,
    Done,
    ItemDone,
}

const ITEM: Keys = Keys {
    index: None,
    id: Some("call_id"),
    kind: None,
    function: None,
    name: Some("name"),
    arguments: "arguments",
    status: None,
    form: Form::Text,
    part: Part::Piece,
};
const DELTA: Keys = Keys { id: None, name: None, arguments: "delta", ..ITEM };
const COPY: Keys = Keys { part: Part::Copy, ..ITEM };
const LAST: Keys = Keys { status: Some(("status", CUT)), ..COPY };
const WHOLE: Keys = ITEM;

impl Step {
    fn keys(self, call: Value<'_>) -> &'static Keys {
        match self {
            Step::Added if says_all(call) => &COPY,
            Step::Added => &ITEM,
            Step::Delta => &DELTA,
            Step::Done => &COPY,
            Step::ItemDone => &LAST,
        }
    }
}

impl OpenAiResponses {
    fn step<'a>(
        &mut self,
        event: Value<'a>,
        call: Value<'a>,
        step: Step,
        sink: &mut Sink<'_, 'a>,
    ) -> Result<(), Exceeded> {
        let [item_id, output_index] = event.pick(["item_id", "output_index"]);
        let [id, call_id, name] =
            call.pick(["id", "call_id", "name"]).map(|value| value.and_then(Value::text));
        let output_index = output_index.and_then(Value::unsigned);
        let id = if matches!(step, Step::Delta | Step::Done) { item_id.and_then(Value::text) } else { id };
        let known = if step == Step::Added { None } else { self.known(id, call_id, output_index) };
        let opens = known.is_none();
        let slot = match known {
            Some(slot) => slot,
            None => self.open(id, call_id, output_index)?,
        };
        let said = call.get(step.keys(call).arguments);
        let arguments = match step {
            Step::Added if says_all(call) => Some(copy_in(call, said, ADDED)),
            Step::Added => None,
            Step::Delta => arguments_in(said, &[]),
            Step::Done => Some(copy_in(call, said, DONE)),
            Step::ItemDone => Some(copy_in(call, said, ITEM_DONE)),
        };
        let id = if step == Step::Delta { None } else { call_id };
        sink(Signal::Call(Piece {
            choice: 0,
            slot,
            opens,
            id,
            kind: None,
            name,
            form: Form::Text,
            arguments,
        }))?;
        if step != Step::ItemDone {
            return Ok(());
        }
        tell_cut(call, slot, sink)?;
        sink(Signal::Closed { choice: 0, slot })
    }

    /// A response: the whole of a turn that was not streamed, or a copy of what was.
    fn response<'a>(
        &mut self,
        response: Value<'a>,
        whole: bool,
        sink: &mut Sink<'_, 'a>,
    ) -> Result<(), Exceeded> {
        tell_model(response, sink)?;
        let [output, status, details, usage] =
            response.pick(["output", "status", "incomplete_details", "usage"]);
        for (position, item) in output.into_iter().flat_map(Value::items).enumerate() {
            if !is_call(item) {
                if whole {
                    read_item(item, sink)?;
                }
                continue;
            }
            let [id, call_id, name, said] = item.pick(["id", "call_id", "name", "arguments"]);
            let [id, call_id, name] = [id, call_id, name].map(|value| value.and_then(Value::text));
            let position = u64::try_from(position).ok();
            let known = if whole { None } else { self.known(id, call_id, position) };
            let opens = known.is_none();
            let slot = match known {
                Some(slot) => slot,
                None if whole => Slot::Whole,
                None => self.open(id, call_id, position)?,
            };
            let arguments = match whole {
                true => arguments_in(said, &[item]),
                false => Some(copy_in(item, said, COMPLETED)),
            };
            sink(Signal::Call(Piece {
                choice: 0,
                slot,
                opens,
                id: call_id,
                kind: None,
                name,
                form: Form::Text,
                arguments,
            }))?;
            tell_cut(item, slot, sink)?;
        }
        let count = |name| usage.and_then(|usage| usage.get(name)).and_then(Value::count);
        if let Some(output_tokens) = count("output_tokens") {
            sink(Signal::Usage(Usage { input_tokens: count("input_tokens"), output_tokens }))?;
        }
        // One word for a cut beats all that say otherwise.
        let reason = details.and_then(|details| details.get("reason")).map(|_| Text::from(CUT));
        let status = status.and_then(Value::text).filter(|word| whole || word.is(CUT) || word.is("failed"));
        for word in reason.into_iter().chain(status) {
            sink(Signal::Finish { choice: 0, word: Some(word) })?;
        }
        if whole { sink(Signal::Whole) } else { Ok(()) }
    }

    /// The slot of a call that was opened: by its ids, else by its place, else the latest one. Servers give an item
    /// another id in each event, so one that is not known says nothing; the id of a call does. Where several calls
    /// share an id, the one that has most in common is meant.
    fn known(&self, id: Option<Text<'_>>, call_id: Option<Text<'_>>, place: Option<u64>) -> Option<Slot> {
        let same = |own: &Option<String>, other: Option<Text<'_>>| match (own, other) {
            (Some(own), Some(other)) => other.is(own),
            _ => false,
        };
        let is_other = |item: &Item| {
            item.call_id.is_some()
                && call_id.is_some_and(|id| !id.is_empty())
                && !same(&item.call_id, call_id)
        };
        let here = |item: &Item| place.is_some() && item.output_index == place;
        let by_id = (self.items.iter().enumerate())
            .filter(|(_, item)| !is_other(item))
            .map(|(at, item)| (same(&item.call_id, call_id), same(&item.id, id), here(item), at))
            .filter(|(same_call, same_item, ..)| *same_call || *same_item)
            .max()
            .map(|(.., at)| at);
        let by_place = || self.items.iter().rposition(here).filter(|at| !is_other(&self.items[*at]));
        let nameless = id.is_none() && call_id.is_none();
        let latest = || self.items.len().checked_sub(1).filter(|_| nameless && place.is_none());
        let at = by_id.or_else(by_place).or_else(latest)?;
        u32::try_from(at).ok().map(Slot::Numbered)
    }

    fn open(
        &mut self,
        id: Option<Text<'_>>,
        call_id: Option<Text<'_>>,
        output_index: Option<u64>,
    ) -> Result<Slot, Exceeded> {
        let at = u32::try_from(self.items.len()).ok().filter(|_| self.items.len() < MAX_CALLS);
        let slot = at.map(Slot::Numbered).ok_or(Exceeded::Calls(MAX_CALLS))?;
        let text = |text: Option<Text<'_>>| text.map(Text::to_text).filter(|text| !text.is_empty());
        self.items.push(Item { id: text(id), call_id: text(call_id), output_index });
        Ok(slot)
    }
}

/// A copy that lacks says nothing; it is a copy all the same, and has to say it.
fn copy_in<'a>(call: Value<'a>, said: Option<Value<'a>>, rank: u8) -> Arguments<'a> {
    match said {
        None if is_elsewhere(&[call]) => Arguments::Unreadable,
        _ => Arguments::Copy { text: said.map_or(Text::Plain(""), whole_text), rank },
    }
}

/// Whether this is a turn that was not streamed. Events of other kinds say of which.
fn is_response(event: Value<'_>) -> bool {
    let [object, output] = event.pick(["object", "output"]);
    object.and_then(Value::text).is_some_and(|object| object.is("response"))
        || output.is_some_and(Value::is_array)
}

fn kind_of(event: Value<'_>) -> Option<String> {
    Some(event.get("type")?.text()?.to_text())
}

fn ends(kind: &Option<String>) -> bool {
    matches!(kind.as_deref(), Some("response.completed" | "response.incomplete" | "response.failed"))
}

/// The object of an event that tells of one function call, and what it tells.
fn call_in<'a>(event: Value<'a>, kind: &str) -> Option<(Value<'a>, Step)> {
    let item = || event.get("item").filter(|item| is_call(*item));
    match kind {
        "response.output_item.added" => Some((item()?, Step::Added)),
        "response.output_item.done" => Some((item()?, Step::ItemDone)),
        "response.function_call_arguments.delta" => Some((event, Step::Delta)),
        "response.function_call_arguments.done" => Some((event, Step::Done)),
        _ => None,
    }
}

fn is_call(item: Value<'_>) -> bool {
    item.get("type").and_then(Value::text).is_some_and(|kind| kind.is("function_call"))
}

/// Whether a call that is added has its arguments already; most have none, or an empty object in their place.
fn says_all(call: Value<'_>) -> bool {
    is_elsewhere(&[call])
}

fn calls(response: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    response.get("output").into_iter().flat_map(Value::items).filter(|item| is_call(*item))
}

fn tell_model<'a>(response: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
    sink(Signal::Choice(0))?;
    match response.get("model").and_then(Value::text) {
        Some(model) => sink(Signal::Model(model)),
        None => Ok(()),
    }
}

/// The server may say that a call was cut.
fn tell_cut<'a>(call: Value<'a>, slot: Slot, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
    match call.get("status").and_then(Value::text).filter(|status| status.is(CUT)) {
        Some(_) => sink(Signal::Cut { choice: 0, slot: Some(slot) }),
        None => Ok(()),
    }
}

/// Text and reasoning of a turn that was not streamed.
fn read_item<'a>(item: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
    let [kind, content, summary] = item.pick(["type", "content", "summary"]);
    let is_reasoning = kind.and_then(Value::text).is_some_and(|kind| kind.is("reasoning"));
    for part in content.into_iter().chain(summary).flat_map(Value::items) {
        if let Some(text) = part.get("text").and_then(Value::text) {
            sink(match is_reasoning {
                true => Signal::Reasoning { choice: 0, text },
                false => Signal::Content { choice: 0, text },
            })?;
        }
    }
    Ok(())
}
