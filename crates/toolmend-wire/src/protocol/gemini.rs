//! Gemini `generateContent`.
//!
//! Streamed, a turn is a row of whole responses, as an event stream or as the items of an array, and ends with
//! its bytes:
//!
//! ```text
//! {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"…"}]}}]}
//! {"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}],"usageMetadata":{"candidatesTokenCount":20}}
//! ```
//!
//! Not streamed, it is one of them. A call comes whole; `args` may be missing where there are none. Vertex
//! streams arguments value by value (`partialArgs`, each with a path), until a call without `willContinue`.
//! Bridges send a call in two parts, the second one without a name.

use super::{Needs, Protocol, arguments_in};
use crate::json::Value;
use crate::limits::Exceeded;
use crate::recorded::Usage;
use crate::signal::{Arguments, Form, Piece, Signal, Sink, Slot};
use crate::site::{Keys, Part, Site};

/// Reads Gemini `generateContent`.
#[derive(Debug)]
pub(super) struct Gemini;

const KEYS: Keys = Keys {
    index: None,
    id: Some("id"),
    kind: None,
    function: None,
    name: Some("name"),
    arguments: "args",
    status: None,
    form: Form::Object,
    part: Part::Piece,
};

impl Protocol for Gemini {
    fn recognises(&self, event: Value<'_>) -> bool {
        let [candidates, feedback, usage] = event.pick(["candidates", "promptFeedback", "usageMetadata"]);
        candidates.is_some_and(Value::is_array) || feedback.is_some() || usage.is_some()
    }

    fn ends(&self, _data: &str) -> bool {
        false
    }

    fn read<'a>(&mut self, event: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
        let [model, usage] = event.pick(["modelVersion", "usageMetadata"]);
        if let Some(model) = model.and_then(Value::text) {
            sink(Signal::Model(model))?;
        }
        let (mut count, mut ended) = (0, 0);
        for (position, candidate) in candidates(event).enumerate() {
            let finish = candidate.get("finishReason");
            let choice = number_of(position, candidate);
            sink(Signal::Choice(choice))?;
            for part in parts(candidate) {
                read_part(choice, part, sink)?;
            }
            count += 1;
            if let Some(word) = finish.and_then(Value::text).filter(|word| !word.is_empty()) {
                sink(Signal::Finish { choice, word: Some(word) })?;
                ended += 1;
            }
        }
        if let Some(usage) = usage {
            let field = |name| usage.get(name).and_then(Value::count);
            if let Some(written) = field("candidatesTokenCount") {
                let output_tokens = written.saturating_add(field("thoughtsTokenCount").unwrap_or(0));
                sink(Signal::Usage(Usage { input_tokens: field("promptTokenCount"), output_tokens }))?;
            }
        }
        // There is no mark of the end, and some servers give a finish reason with every part of a turn.
        if count == 1 && ended == 1 { sink(Signal::Ended) } else { Ok(()) }
    }

    fn remembers(&self) -> bool {
        false
    }

    fn sites<'a>(&self, event: Value<'a>, each: &mut dyn FnMut(Site<'a>)) {
        for part in candidates(event).flat_map(parts) {
            if let Some(call) = part.get("functionCall").filter(|call| call.is_object()) {
                each(Site { item: part, entry: call, function: call, message: None, keys: &KEYS });
            }
        }
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn ends_as_cut<'a>(&self, event: Value<'a>) -> Vec<(u32, Value<'a>, &'static str)> {
        let said = candidates(event).enumerate().filter_map(|(position, candidate)| {
            Some((number_of(position, candidate), candidate.get("finishReason")?, "\"MAX_TOKENS\""))
        });
        said.collect()
    }
}

fn candidates(event: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    event.get("candidates").into_iter().flat_map(Value::items)
}

/// The number of a candidate: what it says, else its place.
fn number_of(position: usize, candidate: Value<'_>) -> u32 {
    let index = candidate.get("index").and_then(Value::unsigned);
    index.and_then(|index| u32::try_from(index).ok()).unwrap_or(u32::try_from(position).unwrap_or(u32::MAX))
}

fn parts(candidate: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let content = candidate.get("content");
    content.and_then(|content| content.get("parts")).into_iter().flat_map(Value::items)
}

fn read_part<'a>(choice: u32, part: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
    let [text, thought, call] = part.pick(["text", "thought", "functionCall"]);
    if let Some(text) = text.and_then(Value::text).filter(|_| call.is_none()) {
        return sink(match thought.is_some_and(|thought| thought.raw() == "true") {
            true => Signal::Reasoning { choice, text },
            false => Signal::Content { choice, text },
        });
    }
    let Some(call) = call.filter(|call| call.is_object()) else {
        return Ok(());
    };
    let [id, name, args, partial, more] = call.pick(["id", "name", "args", "partialArgs", "willContinue"]);
    let name = name.and_then(Value::text).filter(|name| !name.is_empty());
    let more = more.is_some_and(|more| more.raw() == "true");
    // The mark behind the last of the partial arguments is an empty call.
    let parts = partial.map_or("[]", Value::raw);
    let has_parts = partial.is_some_and(|partial| partial.raw() != "[]");
    let is_whole = name.is_some() && args.is_some_and(Value::is_object);
    let arguments = match arguments_in(args, &[call]) {
        Some(_) if has_parts => Arguments::Unreadable,
        Some(arguments) => arguments,
        None if partial.is_none() && !more && name.is_some() => Arguments::Json("{}"),
        None => Arguments::Parts { parts, more },
    };
    sink(Signal::Call(Piece {
        choice,
        slot: Slot::Unnumbered,
        opens: name.is_some(),
        id: id.and_then(Value::text),
        kind: None,
        name,
        form: Form::Object,
        arguments: Some(arguments),
    }))?;
    if is_whole { sink(Signal::Closed { choice, slot: Slot::Unnumbered }) } else { Ok(()) }
}
