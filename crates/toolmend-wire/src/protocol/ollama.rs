//! Ollama `/api/chat`.
//!
//! Streamed, a turn is one JSON object a line; its calls come whole, and their arguments as objects:
//!
//! ```text
//! {"model":"q","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done":false}
//! {"model":"q","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":20}
//! ```
//!
//! Not streamed, it is the last of these lines with all that the others say. Bridges write the arguments as
//! text; its clients do not take that.

use super::{Needs, Protocol, arguments_in};
use crate::json::Value;
use crate::limits::Exceeded;
use crate::recorded::Usage;
use crate::signal::{Form, Piece, Signal, Sink, Slot};
use crate::site::{Keys, Part, Site};

/// Reads Ollama `/api/chat`.
#[derive(Debug)]
pub(super) struct Ollama;

const KEYS: Keys = Keys {
    index: None,
    id: Some("id"),
    kind: None,
    function: Some("function"),
    name: Some("name"),
    arguments: "arguments",
    status: None,
    form: Form::Object,
    part: Part::Piece,
};

impl Protocol for Ollama {
    fn recognises(&self, event: Value<'_>) -> bool {
        let [message, done] = event.pick(["message", "done"]);
        message.is_some_and(Value::is_object)
            && done.is_some_and(|done| matches!(done.raw(), "true" | "false"))
    }

    fn ends(&self, _data: &str) -> bool {
        false
    }

    fn read<'a>(&mut self, event: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
        let [model, message, done, reason, prompt, output] =
            event.pick(["model", "message", "done", "done_reason", "prompt_eval_count", "eval_count"]);
        sink(Signal::Choice(0))?;
        if let Some(model) = model.and_then(Value::text) {
            sink(Signal::Model(model))?;
        }
        let [content, thinking] = message.map_or([None; 2], |message| message.pick(["content", "thinking"]));
        if let Some(text) = thinking.and_then(Value::text) {
            sink(Signal::Reasoning { choice: 0, text })?;
        }
        if let Some(text) = content.and_then(Value::text) {
            sink(Signal::Content { choice: 0, text })?;
        }
        for call in calls(event) {
            let [id, function] = call.pick(["id", "function"]);
            let [name, arguments] = function.unwrap_or(call).pick(["name", "arguments"]);
            sink(Signal::Call(Piece {
                choice: 0,
                slot: Slot::Whole,
                opens: true,
                id: id.and_then(Value::text),
                kind: None,
                name: name.and_then(Value::text),
                form: Form::Object,
                arguments: arguments_in(arguments, &[function.unwrap_or(call), call]),
            }))?;
        }
        if done.is_none_or(|done| done.raw() != "true") {
            return Ok(());
        }
        if let Some(output_tokens) = output.and_then(Value::count) {
            let input_tokens = prompt.and_then(Value::count);
            sink(Signal::Usage(Usage { input_tokens, output_tokens }))?;
        }
        match reason.and_then(Value::text).filter(|word| !word.is_empty()) {
            Some(word) => {
                sink(Signal::Finish { choice: 0, word: Some(word) })?;
                sink(Signal::End)
            }
            // Servers of before 0.3 give no reason.
            None => sink(Signal::Whole),
        }
    }

    fn remembers(&self) -> bool {
        false
    }

    fn sites<'a>(&self, event: Value<'a>, each: &mut dyn FnMut(Site<'a>)) {
        for call in calls(event) {
            let function = call.get("function").unwrap_or(call);
            each(Site { item: call, entry: call, function, message: event.get("message"), keys: &KEYS });
        }
    }

    fn needs(&self) -> Needs {
        Needs { finish: true, ..Needs::default() }
    }

    fn ends_as_cut<'a>(&self, event: Value<'a>) -> Vec<(u32, Value<'a>, &'static str)> {
        event.get("done_reason").map(|reason| (0, reason, "\"length\"")).into_iter().collect()
    }
}

fn calls(event: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let message = event.get("message");
    message.and_then(|message| message.get("tool_calls")).into_iter().flat_map(Value::items)
}
