//! A call that was cut does not reach the client as a call: a notice in the text stands in its place.
//!
//! | protocol | in the place of the call |
//! |---|---|
//! | OpenAI Chat | the notice behind the message's `content`; its `tool_calls` lose the call |
//! | Anthropic | a block of text with the same number |
//! | OpenAI Responses | an item that is a message; the events of its arguments are left out |
//! | Gemini | a part that is a text |
//! | Ollama | as OpenAI Chat |

use toolmend_core::CallJudge;
use toolmend_core::quote::quoted;

use super::Flow;
use super::queue::{Has, Piece, Way};
use crate::json::Value;
use crate::protocol::ProtocolKind;
use crate::site::{Part, Site};
use crate::splice::Splices;
use crate::text::Text;

impl<J: CallJudge> Flow<J> {
    /// Whether a call is the last one of its choice.
    pub(super) fn is_last(&self, call: usize) -> bool {
        let choice_of = |at| self.assembly.known_as(at).map(|(choice, ..)| choice);
        (call + 1..self.states.len()).all(|other| choice_of(other) != choice_of(call))
    }

    /// Whether nothing of an event is left once these pieces are withheld.
    pub(super) fn is_needless(&self, site: Site<'_>, piece: &Piece) -> bool {
        let is_responses = matches!(self.protocol, Some((ProtocolKind::OpenAiResponses, _)));
        is_responses && self.states[piece.call].withheld && !is_item(site.entry)
    }

    /// Puts the notice, or nothing more, in the place of a piece.
    pub(super) fn withhold(&self, raw: &[u8], site: Site<'_>, piece: &Piece, changes: &mut Splices) {
        let Some((kind, _)) = &self.protocol else { return };
        let name = self.assembly.known_as(piece.call).map_or("", |(.., name)| name);
        let notice = quoted(&notice(name));
        let first = piece.number == 0;
        match kind {
            ProtocolKind::Gemini if first => {
                changes.replace(raw, site.item, format!("{{\"text\":{notice}}}"));
            }
            ProtocolKind::Gemini => changes.cut(site.item.range_in(raw)),
            ProtocolKind::Anthropic => {
                let later = self.states[piece.call].pieces > 1;
                let block = match site.keys.part {
                    Part::Start if later => "{\"type\":\"text\",\"text\":\"\"}".to_owned(),
                    Part::Piece if piece.has == Has::Text && piece.way != Way::Whole => {
                        let text = if piece.number == 1 { &notice } else { "\"\"" };
                        format!("{{\"type\":\"text_delta\",\"text\":{text}}}")
                    }
                    _ => format!("{{\"type\":\"text\",\"text\":{notice}}}"),
                };
                changes.replace(raw, site.entry, block);
            }
            ProtocolKind::OpenAiResponses => {
                if is_item(site.entry) {
                    // The item behind it says the notice, where it came.
                    let begins = first && piece.way != Way::Whole && self.assembly.is_ended(piece.call);
                    changes.replace(raw, site.entry, message(site.entry, &notice, begins));
                }
            }
            ProtocolKind::OpenAiChat | ProtocolKind::Ollama => {
                let Some(said) = site.message else { return };
                if first {
                    let before = said.get("content").and_then(Value::text).map(Text::to_text);
                    let text =
                        before.map_or(notice, |before| quoted(&format!("{before}{}", self::notice(name))));
                    changes.set(raw, said, "content", &text);
                }
                let calls = said.get("tool_calls");
                match calls.filter(|calls| calls.items().any(|call| call == site.item)) {
                    Some(calls) if calls.items().count() > 1 => changes.cut(site.item.range_in(raw)),
                    Some(_) => changes.remove(raw, said, "tool_calls"),
                    None => changes.remove(raw, said, "function_call"),
                }
            }
        }
    }
}

/// What stands in the place of a call.
fn notice(name: &str) -> String {
    match name {
        "" => "[a tool call was cut off before its end and is withheld]".to_owned(),
        name => format!("[a call of the tool {name} was cut off before its end and is withheld]"),
    }
}

/// An item of Responses, rather than an event about one.
fn is_item(entry: Value<'_>) -> bool {
    entry.get("type").and_then(Value::text).is_some_and(|kind| kind.is("function_call"))
}

/// A message of Responses in the place of a call.
fn message(call: Value<'_>, notice: &str, begins: bool) -> String {
    let id = call.get("id").and_then(Value::text).map(Text::to_text).unwrap_or_default();
    let id = quoted(&format!("msg_{}", id.strip_prefix("fc_").unwrap_or(&id)));
    let (status, content) = match begins {
        true => ("in_progress", String::new()),
        false => ("incomplete", format!("{{\"type\":\"output_text\",\"text\":{notice},\"annotations\":[]}}")),
    };
    format!(
        "{{\"id\":{id},\"type\":\"message\",\"status\":\"{status}\",\"role\":\"assistant\",\"content\":[{content}]}}"
    )
}
