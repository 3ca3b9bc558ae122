//! OpenAI Chat Completions.
//!
//! Streamed, a turn is a row of `chat.completion.chunk` objects and then the text `[DONE]`:
//!
//! ```text
//! {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"f","arguments":""}}]}}]}
//! {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]}}]}
//! {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
//! {"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":20}}
//! [DONE]
//! ```
//!
//! Not streamed, it is one `chat.completion` object with a `message` in the place of each `delta`; its calls
//! have no `index`. Servers of the same name differ in all the ways that are told apart here: no `index`
//! (the Mistral API), arguments that are an object (bridges), content in parts, `reasoning_content` or
//! `reasoning` beside it, the older `function_call`, llama.cpp's `timings`.

use super::{More, Needs, Protocol, arguments_in};
use toolmend_core::quote::quoted;

use crate::json::Value;
use crate::limits::Exceeded;
use crate::recorded::Usage;
use crate::signal::{Form, Piece, Signal, Sink, Slot};
use crate::site::{Keys, Part, Site};

/// Reads OpenAI Chat Completions.
#[derive(Debug)]
pub(super) struct OpenAiChat;

impl Protocol for OpenAiChat {
    fn recognises(&self, event: Value<'_>) -> bool {
        let Some(choices) = event.get("choices").filter(|choices| choices.is_array()) else {
            return false;
        };
        // The older text completions have choices too, with a `text` each.
        choices.items().next().is_none_or(|choice| choice.has("delta") || choice.has("message"))
    }

    fn ends(&self, data: &str) -> bool {
        data.starts_with("[DONE]")
    }

    fn read<'a>(&mut self, event: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
        let [model, choices, usage, timings] = event.pick(["model", "choices", "usage", "timings"]);
        if let Some(model) = model.and_then(Value::text) {
            sink(Signal::Model(model))?;
        }
        let mut whole = false;
        for (position, choice) in choices.into_iter().flat_map(Value::items).enumerate() {
            whole |= read_choice(position, choice, sink)?;
        }
        if let Some(usage) = counted(usage, timings) {
            sink(Signal::Usage(usage))?;
        }
        if whole { sink(Signal::Whole) } else { Ok(()) }
    }

    fn remembers(&self) -> bool {
        false
    }

    fn sites<'a>(&self, event: Value<'a>, each: &mut dyn FnMut(Site<'a>)) {
        for choice in event.get("choices").into_iter().flat_map(Value::items) {
            let [index, delta, message] = choice.pick(["index", "delta", "message"]);
            if let Some(said) = delta.or(message).filter(|_| !is_nowhere(index)) {
                let keys = if delta.is_some() { &STREAMED } else { &WHOLE };
                let [calls, legacy] = said.pick(["tool_calls", "function_call"]);
                each_call(calls, legacy, |call| each(call.site(said, keys)));
            }
        }
    }

    fn needs(&self) -> Needs {
        Needs { data: true, numbers: true, ids: true, roles: true, finish: true }
    }

    fn more(&self, event: Value<'_>, more: More<'_>) -> Option<String> {
        let same = ["id", "object", "created", "model"].into_iter().filter_map(|key| event.member(key));
        let same: String = same.map(|(key, value)| format!("{}:{},", key.raw(), value.raw())).collect();
        Some(format!(
            "data: {{{same}\"choices\":[{{\"index\":{},\"delta\":{{\"tool_calls\":[{{\"index\":{},\"function\":{{\"arguments\":{}}}}}]}},\"finish_reason\":null}}]}}\n\n",
            more.choice,
            more.number?,
            quoted(more.text)
        ))
    }

    fn ends_as_cut<'a>(&self, event: Value<'a>) -> Vec<(u32, Value<'a>, &'static str)> {
        let choices = event.get("choices").into_iter().flat_map(Value::items);
        let said = choices.enumerate().filter_map(|(position, choice)| {
            let [index, reason] = choice.pick(["index", "finish_reason"]);
            Some((number_or(position, index)?, reason?, "\"length\""))
        });
        said.collect()
    }
}

const STREAMED: Keys = Keys {
    index: Some("index"),
    id: Some("id"),
    kind: Some(("type", "function")),
    function: Some("function"),
    name: Some("name"),
    arguments: "arguments",
    status: None,
    form: Form::Text,
    part: Part::Piece,
};
const WHOLE: Keys = Keys { index: None, ..STREAMED };
const LEGACY: Keys = Keys { function: None, index: None, id: None, kind: None, ..STREAMED };

/// An entry of `tool_calls`, or the older `function_call`.
struct Entry<'a> {
    entry: Value<'a>,
    function: Value<'a>,
    index: Option<Value<'a>>,
    id: Option<Value<'a>>,
    kind: Option<Value<'a>>,
    legacy: bool,
}

impl<'a> Entry<'a> {
    fn site(&self, message: Value<'a>, keys: &'static Keys) -> Site<'a> {
        let keys = if self.legacy { &LEGACY } else { keys };
        Site { item: self.entry, entry: self.entry, function: self.function, message: Some(message), keys }
    }
}

/// The calls that a message or a part of one holds, in both forms.
fn each_call<'a>(calls: Option<Value<'a>>, legacy: Option<Value<'a>>, mut each: impl FnMut(Entry<'a>)) {
    for entry in calls.into_iter().flat_map(Value::items).filter(|entry| entry.is_object()) {
        let [index, id, kind, function, custom] = entry.pick(["index", "id", "type", "function", "custom"]);
        // Custom tools take free text, which is none of our business.
        if custom.is_none() {
            // A few bridges leave `function` out and put its fields into the call.
            let function = function.unwrap_or(entry);
            each(Entry { entry, function, index, id, kind, legacy: false });
        }
    }
    if let Some(entry) = legacy.filter(|function| function.is_object()) {
        each(Entry { entry, function: entry, index: None, id: None, kind: None, legacy: true });
    }
}

/// Answers whether the choice holds a whole message.
fn read_choice<'a>(position: usize, choice: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<bool, Exceeded> {
    let [index, delta, message, finish] = choice.pick(["index", "delta", "message", "finish_reason"]);
    let Some(number) = number_or(position, index) else {
        return sink(Signal::Lost).map(|()| false);
    };
    sink(Signal::Choice(number))?;
    let whole = delta.is_none() && message.is_some();
    if let Some(said) = delta.or(message) {
        read_message(number, said, whole, sink)?;
    }
    match finish.and_then(Value::text).filter(|word| !word.is_empty()) {
        Some(word) => sink(Signal::Finish { choice: number, word: Some(word) })?,
        None if whole && choice.has("finish_reason") => sink(Signal::Finish { choice: number, word: None })?,
        None => {}
    }
    Ok(whole)
}

fn read_message<'a>(
    choice: u32,
    said: Value<'a>,
    whole: bool,
    sink: &mut Sink<'_, 'a>,
) -> Result<(), Exceeded> {
    let [role, thought, other_thought, content, calls, legacy] =
        said.pick(["role", "reasoning_content", "reasoning", "content", "tool_calls", "function_call"]);
    if role.is_some() {
        sink(Signal::Role(choice))?;
    }
    // Some servers send both, with the same text.
    if let Some(text) = thought.or(other_thought).and_then(Value::text) {
        sink(Signal::Reasoning { choice, text })?;
    }
    if let Some(content) = content {
        match content.text() {
            Some(text) => sink(Signal::Content { choice, text })?,
            None => read_parts(choice, content, sink)?,
        }
    }
    for entry in calls.into_iter().flat_map(Value::items).filter(|entry| entry.has("custom")) {
        if let (true, Some(number)) = (!whole, number(entry.get("index"))) {
            sink(Signal::Foreign { choice, number })?;
        }
    }
    let mut told = Ok(());
    each_call(calls, legacy, |call| {
        if told.is_ok() {
            told = sink(Signal::Call(piece(choice, whole, &call)));
        }
    });
    told
}

/// Content in parts: `[{"type":"text","text":…},{"type":"thinking","thinking":[…]}]`.
fn read_parts<'a>(choice: u32, content: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
    for part in content.items() {
        let [text, thinking] = part.pick(["text", "thinking"]);
        if let Some(text) = text.and_then(Value::text) {
            sink(Signal::Content { choice, text })?;
        }
        for thought in thinking.into_iter().flat_map(Value::items) {
            if let Some(text) = thought.get("text").and_then(Value::text) {
                sink(Signal::Reasoning { choice, text })?;
            }
        }
    }
    Ok(())
}

fn piece<'a>(choice: u32, whole: bool, call: &Entry<'a>) -> Piece<'a> {
    let [name, arguments] = call.function.pick(["name", "arguments"]);
    let slot = match number(call.index) {
        _ if call.legacy => Slot::Legacy,
        _ if whole => Slot::Whole,
        Some(number) => Slot::Numbered(number),
        None => Slot::Unnumbered,
    };
    Piece {
        choice,
        slot,
        opens: false,
        id: call.id.and_then(Value::text),
        kind: call.kind.and_then(Value::text),
        form: Form::Text,
        name: name.and_then(Value::text),
        arguments: arguments_in(arguments, &[call.function, call.entry]),
    }
}

/// llama.cpp counts in `timings`, whether or not the request asked for `usage`.
fn counted(usage: Option<Value<'_>>, timings: Option<Value<'_>>) -> Option<Usage> {
    let field = |object: Option<Value<'_>>, name| object?.get(name)?.count();
    Some(Usage {
        input_tokens: field(usage, "prompt_tokens").or_else(|| field(timings, "prompt_n")),
        output_tokens: field(usage, "completion_tokens").or_else(|| field(timings, "predicted_n"))?,
    })
}

/// Whether a choice has a number that is none: nothing can be told of where it belongs.
fn is_nowhere(index: Option<Value<'_>>) -> bool {
    index.is_some() && number(index).is_none()
}

/// The number of a choice: what it says, else its place; `None` where what it says is none.
fn number_or(position: usize, index: Option<Value<'_>>) -> Option<u32> {
    match index {
        Some(_) => number(index),
        None => Some(u32::try_from(position).unwrap_or(u32::MAX)),
    }
}

/// The number of a choice or call. Some bridges write it as a string.
fn number(value: Option<Value<'_>>) -> Option<u32> {
    let value = value?;
    let number = value.unsigned().or_else(|| value.text()?.to_text().parse().ok())?;
    u32::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::OpenAiChat;
    use crate::json::Value;
    use crate::protocol::Protocol;

    #[test]
    fn recognises() {
        let cases = [
            (r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{}}]}"#, true),
            (r#"{"object":"","choices":[],"prompt_filter_results":[]}"#, true),
            (r#"{"choices":[{"message":{"content":"Hi"}}]}"#, true),
            (r#"{"object":"text_completion","choices":[{"index":0,"text":"Hi"}]}"#, false),
            (r#"{"choices":{"a":1}}"#, false),
            (r#"{"model":"m","messages":[],"stream":true}"#, false),
            (r#"{"type":"message_start","message":{"content":[]}}"#, false),
            (r#"{"model":"q","message":{"content":""},"done":false}"#, false),
            (r#"{"candidates":[]}"#, false),
            ("[1]", false),
            ("7", false),
        ];
        for (event, yes) in cases {
            assert_eq!(OpenAiChat.recognises(Value::parse(event).unwrap()), yes, "{event}");
        }
    }
}
