//! How each protocol tells text and calls, for those who write them.

use core::ops::Range;

use toolmend_core::TextCall;
use toolmend_core::quote::quoted;

use crate::json::Value;
use crate::made_up::made_up_id;
use crate::protocol::ProtocolKind;
use crate::recorder::single;
use crate::splice::{Splices, on_a_line};
use crate::text::Text;

/// A protocol that calls can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Chat,
    Anthropic,
    Ollama,
    Gemini,
    Responses,
}

/// The calls that are told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told<'a> {
    pub(super) calls: &'a [TextCall],
    /// How many calls the server told.
    pub(super) before: usize,
    /// Ids that are made up are made of it.
    pub(super) seed: u64,
}

impl Form {
    pub(super) fn of(kind: ProtocolKind) -> Form {
        match kind {
            ProtocolKind::OpenAiChat => Form::Chat,
            ProtocolKind::Anthropic => Form::Anthropic,
            ProtocolKind::Ollama => Form::Ollama,
            ProtocolKind::Gemini => Form::Gemini,
            ProtocolKind::OpenAiResponses => Form::Responses,
        }
    }

    /// The strings of an event that are text for the user, in order.
    pub(super) fn texts<'a>(self, event: Value<'a>) -> Vec<Value<'a>> {
        let is_text = |value: &Value<'a>| value.text().is_some();
        match self {
            Form::Chat => {
                let choice = event.get("choices").and_then(|choices| choices.items().next());
                let said = choice.and_then(|choice| choice.get("delta").or_else(|| choice.get("message")));
                said.and_then(|said| said.get("content")).filter(is_text).into_iter().collect()
            }
            Form::Ollama => event
                .get("message")
                .and_then(|said| said.get("content"))
                .filter(is_text)
                .into_iter()
                .collect(),
            Form::Anthropic => {
                let delta = event.get("delta").filter(|delta| is(*delta, "type", "text_delta"));
                let block = event.get("content_block").filter(|block| is(*block, "type", "text"));
                let message = event.get("content").into_iter().flat_map(Value::items);
                let blocks = message.filter(|block| is(*block, "type", "text"));
                let all = delta.into_iter().chain(block).chain(blocks);
                all.filter_map(|said| said.get("text")).filter(is_text).collect()
            }
            Form::Responses if event.has("output") => texts_of(event.get("output")),
            Form::Responses => {
                let delta = is(event, "type", "response.output_text.delta").then(|| event.get("delta"));
                delta.flatten().filter(is_text).into_iter().collect()
            }
            Form::Gemini => {
                let parts = parts(event).into_iter().flat_map(Value::items);
                let shown =
                    parts.filter(|part| part.get("thought").is_none_or(|thought| thought.raw() != "true"));
                shown.filter_map(|part| part.get("text")).filter(is_text).collect()
            }
        }
    }

    /// Whether nobody speaks in an event but the model.
    pub(super) fn is_models(self, event: Value<'_>) -> bool {
        let choice = || event.get("choices").and_then(|choices| choices.items().next());
        let items = |key: &str| event.get(key).into_iter().flat_map(Value::items);
        let speakers: Vec<Value<'_>> = match self {
            Form::Chat => choice()
                .and_then(|choice| choice.get("delta").or_else(|| choice.get("message")))
                .into_iter()
                .collect(),
            Form::Ollama => event.get("message").into_iter().collect(),
            Form::Anthropic => [Some(event), event.get("message")].into_iter().flatten().collect(),
            Form::Gemini => items("candidates").filter_map(|candidate| candidate.get("content")).collect(),
            Form::Responses => items("output").chain(event.get("item")).collect(),
        };
        let models =
            |role: Value<'_>| role.text().is_none_or(|role| role.is("assistant") || role.is("model"));
        speakers.into_iter().filter_map(|said| said.get("role")).all(models)
    }

    /// The strings of an event that say the whole text once more.
    pub(super) fn copies<'a>(self, event: Value<'a>) -> Vec<Value<'a>> {
        if self != Form::Responses || event.has("output") {
            return Vec::new();
        }
        let text = is(event, "type", "response.output_text.done").then(|| event.get("text")).flatten();
        let part = event.get("part").and_then(|part| part.get("text"));
        let item = texts_of_item(event.get("item"));
        let output = texts_of(event.get("response").and_then(|response| response.get("output")));
        text.into_iter().chain(part).chain(item).chain(output).collect()
    }

    /// Whether an event of a stream says nothing but text.
    pub(super) fn is_only_text(self, event: Value<'_>) -> bool {
        match self {
            Form::Chat => {
                let choice = event.get("choices").and_then(|choices| choices.items().next());
                let delta = choice.and_then(|choice| choice.get("delta"));
                delta.is_some_and(|delta| delta.members().count() == 1)
            }
            Form::Anthropic => is(event, "type", "content_block_delta"),
            Form::Ollama => event.get("message").is_some_and(|said| said.members().count() <= 2),
            Form::Responses => is(event, "type", "response.output_text.delta"),
            Form::Gemini => false,
        }
    }

    /// Puts these texts in the places of those of the event.
    pub(super) fn set_texts(
        self,
        raw: &[u8],
        event: Value<'_>,
        texts: &[String],
        whole: bool,
        changes: &mut Splices,
    ) {
        for (said, text) in self.texts(event).into_iter().zip(texts) {
            let same = said.text().is_some_and(|said| said.is(text));
            let gone = whole && self == Form::Chat && text.trim().is_empty();
            if gone {
                changes.replace(raw, said, "null");
            } else if !same {
                changes.replace(raw, said, quoted(text));
            }
        }
    }

    /// Tells the calls in events of their own, like the one in `template`.
    pub(super) fn tell(
        self,
        template: &[u8],
        data: Range<usize>,
        Told { calls, before, seed }: Told<'_>,
        end: Option<Value<'_>>,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let text = core::str::from_utf8(&template[data.clone()]).ok()?;
        let value = Value::parse(single(text)).ok()?;
        let mut changes = Splices::default();
        match self {
            Form::Chat => {
                let choice = value.get("choices")?.items().next()?;
                let told: Vec<String> = calls
                    .iter()
                    .enumerate()
                    .map(|(n, call)| format!("{{\"index\":{},{}}}", before + n, chat_call(call, n, seed)))
                    .collect();
                changes.replace(
                    template,
                    choice.get("delta")?,
                    format!("{{\"tool_calls\":[{}]}}", told.join(",")),
                );
                if let Some((_, said)) = choice.member("finish_reason") {
                    changes.replace(template, said, "null");
                }
                // What was counted is told once.
                if value.get("usage").is_some() {
                    changes.remove(template, value, "usage");
                }
            }
            Form::Ollama => {
                let message = value.get("message")?;
                let told: Vec<String> = calls.iter().map(ollama_call).collect();
                changes.replace(template, message.get("content")?, "\"\"");
                changes.set(template, message, "tool_calls", &format!("[{}]", told.join(",")));
            }
            Form::Gemini => {
                let told: Vec<String> = calls.iter().map(gemini_call).collect();
                changes.replace(template, parts(value)?, format!("[{}]", told.join(",")));
            }
            Form::Responses => {
                let output = end.and_then(|end| end.get("response")?.get("output"));
                let index = output.map_or(1 + before, |output| output.items().count());
                let named = template.starts_with(b"event:");
                for (n, call) in calls.iter().enumerate() {
                    let item = responses_item(call, n, seed);
                    let at = format!("\"output_index\":{}", index + n);
                    let of = format!("\"item_id\":{},{at}", quoted(&item_id(call, n, seed)));
                    let open = item.replacen(
                        &format!("\"arguments\":{}", quoted(&call.arguments)),
                        "\"arguments\":\"\"",
                        1,
                    );
                    let open = open.replacen("\"completed\"", "\"in_progress\"", 1);
                    for (name, fields) in [
                        ("response.output_item.added", format!("{at},\"item\":{{{open}}}")),
                        (
                            "response.function_call_arguments.delta",
                            format!("{of},\"delta\":{}", quoted(&call.arguments)),
                        ),
                        (
                            "response.function_call_arguments.done",
                            format!("{of},\"arguments\":{}", quoted(&call.arguments)),
                        ),
                        ("response.output_item.done", format!("{at},\"item\":{{{item}}}")),
                    ] {
                        let event = format!("data: {{\"type\":\"{name}\",{fields}}}\n\n");
                        if named {
                            out.extend_from_slice(format!("event: {name}\n").as_bytes());
                        }
                        out.extend_from_slice(event.as_bytes());
                    }
                }
                return Some(());
            }
            Form::Anthropic => {
                let index = value.get("index")?.unsigned()? + 1 + before as u64;
                for (n, call) in calls.iter().enumerate() {
                    let at = format!("\"index\":{}", index + n as u64);
                    let start = format!(
                        "{at},\"content_block\":{{\"type\":\"tool_use\",\"id\":{},\"name\":{},\"input\":{{}}}}",
                        quoted(&id(call, n, seed)),
                        quoted(&call.name)
                    );
                    let delta = format!(
                        "{at},\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":{}}}",
                        quoted(&call.arguments)
                    );
                    out.extend_from_slice(&anthropic_event("content_block_start", &start));
                    out.extend_from_slice(&anthropic_event("content_block_delta", &delta));
                    out.extend_from_slice(&anthropic_event("content_block_stop", &at));
                }
                return Some(());
            }
        }
        changes.apply(template, out);
        Some(())
    }

    /// Tells the calls in a message that is there: the one that holds the whole turn, or the last one.
    pub(super) fn tell_whole(
        self,
        raw: &[u8],
        event: Value<'_>,
        Told { calls, seed, .. }: Told<'_>,
        changes: &mut Splices,
    ) -> Option<()> {
        let numbered = |write: fn(&TextCall, usize, u64) -> String| -> String {
            let told: Vec<String> = calls.iter().enumerate().map(|(n, call)| write(call, n, seed)).collect();
            told.join(",")
        };
        match self {
            Form::Chat => {
                let message = event.get("choices")?.items().next()?.get("message")?;
                let told = numbered(|call, n, seed| format!("{{{}}}", chat_call(call, n, seed)));
                append(raw, message, "tool_calls", &told, changes);
            }
            Form::Ollama => {
                let told = numbered(|call, _, _| ollama_call(call));
                append(raw, event.get("message")?, "tool_calls", &told, changes);
            }
            Form::Anthropic => {
                let told = numbered(|call, n, seed| {
                    format!(
                        "{{\"type\":\"tool_use\",\"id\":{},\"name\":{},\"input\":{}}}",
                        quoted(&id(call, n, seed)),
                        quoted(&call.name),
                        on_a_line(&call.arguments)
                    )
                });
                append(raw, event, "content", &told, changes);
            }
            Form::Responses => {
                let told = numbered(|call, n, seed| format!("{{{}}}", responses_item(call, n, seed)));
                append(raw, event, "output", &told, changes);
            }
            Form::Gemini => {
                let candidate = event.get("candidates")?.items().next()?;
                let told = numbered(|call, _, _| gemini_call(call));
                match candidate.get("content").filter(|content| content.is_object()) {
                    Some(content) => append(raw, content, "parts", &told, changes),
                    None => {
                        let content = format!("{{\"role\":\"model\",\"parts\":[{told}]}}");
                        changes.set(raw, candidate, "content", &content);
                    }
                }
            }
        }
        Some(())
    }

    /// Whether an event that ends a turn can hold calls beside its finish reason.
    pub(super) fn ends_with_message(self) -> bool {
        matches!(self, Form::Ollama | Form::Gemini)
    }

    /// Makes the finish reason, where the event says that the model stopped, the one for calls. At a stop sequence it
    /// stopped where `alone`, no call of the server's may have broken off there.
    pub(super) fn end_with_calls(self, raw: &[u8], event: Value<'_>, alone: bool, changes: &mut Splices) {
        let (said, from, to) = match self {
            Form::Chat => {
                let choice = event.get("choices").and_then(|choices| choices.items().next());
                (choice.and_then(|choice| choice.get("finish_reason")), "stop", "\"tool_calls\"")
            }
            Form::Anthropic => {
                let said = event.get("delta").unwrap_or(event).get("stop_reason");
                (said, "end_turn", "\"tool_use\"")
            }
            // Their word for a stop is the same with calls.
            Form::Ollama | Form::Gemini | Form::Responses => return,
        };
        let stopped = |word: Text<'_>| word.is(from) || alone && word.is("stop_sequence");
        if let Some(said) = said.filter(|said| said.text().is_some_and(stopped)) {
            changes.replace(raw, said, to);
        }
    }
}

fn is(value: Value<'_>, key: &str, word: &str) -> bool {
    value.get(key).and_then(Value::text).is_some_and(|text| text.is(word))
}

/// The strings of an `output` list that are text for the user.
fn texts_of(output: Option<Value<'_>>) -> Vec<Value<'_>> {
    output.into_iter().flat_map(Value::items).flat_map(|item| texts_of_item(Some(item))).collect()
}

fn texts_of_item(item: Option<Value<'_>>) -> Vec<Value<'_>> {
    let message = item.filter(|item| is(*item, "type", "message"));
    let parts = message.and_then(|item| item.get("content")).into_iter().flat_map(Value::items);
    let texts = parts.filter(|part| is(*part, "type", "output_text")).filter_map(|part| part.get("text"));
    texts.filter(|text| text.text().is_some()).collect()
}

fn parts(event: Value<'_>) -> Option<Value<'_>> {
    event.get("candidates")?.items().next()?.get("content")?.get("parts")
}

/// Appends items to the array that is a member, or sets it.
fn append(raw: &[u8], object: Value<'_>, key: &str, items: &str, changes: &mut Splices) {
    match object.get(key).filter(|value| value.is_array()) {
        Some(array) => {
            let end = array.range_in(raw).end - 1;
            let comma = if array.items().next().is_some() { "," } else { "" };
            changes.add(end..end, format!("{comma}{items}"));
        }
        None => changes.set(raw, object, key, &format!("[{items}]")),
    }
}

/// The model's own id, or one that is made up.
fn id(call: &TextCall, n: usize, seed: u64) -> String {
    call.id.clone().unwrap_or_else(|| made_up_id(seed, n))
}

fn item_id(call: &TextCall, n: usize, seed: u64) -> String {
    format!("fc_{}", id(call, n, seed).trim_start_matches("call_"))
}

fn responses_item(call: &TextCall, n: usize, seed: u64) -> String {
    format!(
        "\"type\":\"function_call\",\"id\":{},\"call_id\":{},\"name\":{},\"arguments\":{},\"status\":\"completed\"",
        quoted(&item_id(call, n, seed)),
        quoted(&id(call, n, seed)),
        quoted(&call.name),
        quoted(&call.arguments)
    )
}

fn chat_call(call: &TextCall, n: usize, seed: u64) -> String {
    format!(
        "\"id\":{},\"type\":\"function\",\"function\":{{\"name\":{},\"arguments\":{}}}",
        quoted(&id(call, n, seed)),
        quoted(&call.name),
        quoted(&call.arguments)
    )
}

fn ollama_call(call: &TextCall) -> String {
    format!(
        "{{\"function\":{{\"name\":{},\"arguments\":{}}}}}",
        quoted(&call.name),
        on_a_line(&call.arguments)
    )
}

fn gemini_call(call: &TextCall) -> String {
    format!(
        "{{\"functionCall\":{{\"name\":{},\"args\":{}}}}}",
        quoted(&call.name),
        on_a_line(&call.arguments)
    )
}

fn anthropic_event(name: &str, fields: &str) -> Vec<u8> {
    format!("event: {name}\ndata: {{\"type\":\"{name}\",{fields}}}\n\n").into_bytes()
}
