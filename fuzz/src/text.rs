//! The laws of an assistant's text.

use toolmend_core::{Ending, Judge, Kinds, NoJudge, Offer, TextEvent, TextReader};
use toolmend_formats::{Parts, Reader};
use toolmend_schema::Tool;

use crate::pieces::Split;

/// One tool with a schema, and one without.
struct Tools {
    save: Tool,
}

impl Offer for Tools {
    fn judge(&self, tool: &str) -> Option<&dyn Judge> {
        match tool {
            "save" => Some(&self.save),
            "now" => Some(&NoJudge),
            _ => None,
        }
    }

    fn kinds(&self, tool: &str, parameter: &str) -> Kinds {
        if tool == "save" { self.save.kinds(parameter) } else { Kinds::UNKNOWN }
    }
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"path": {"type": "string"}, "size": {"type": "integer"},
    "tags": {"type": "array"}, "note": {"type": ["string", "null"]}}, "required": ["path"]}"#;

/// Models of families that decide something.
const MODELS: &[&str] =
    &["", "qwen3", "mimo-v2", "seed-oss", "llama-3.1", "apertus", "ernie-4.5", "functionary-v3.2"];

/// What the prompt wrote.
const PREFILLS: &[&str] = &["", "<think>\n", "<|start|>assistant", "<|open|>think<|sep|>", ">>>", "[THINK]"];

/// The first byte chooses model, prefill and ending; no split of the rest changes what comes of it.
pub fn check_split(split: &Split, data: &[u8]) {
    let Some((&choice, text)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let choice = usize::from(choice);
    let (model, prefill) = (MODELS[choice % MODELS.len()], PREFILLS[choice / MODELS.len() % PREFILLS.len()]);
    let ending = [Ending::Complete, Ending::Unknown, Ending::Cut][choice % 3];
    let tools = Tools { save: Tool::new("save", SCHEMA) };
    let whole = read(&tools, model, prefill, ending, &[&text]);
    let cut = read(&tools, model, prefill, ending, &split.text(&text));
    assert_eq!(cut, whole, "{text:?}");
    for call in &whole.calls {
        let judge = tools.judge(&call.name).expect("only offered tools are called");
        assert!(judge.admits(&call.arguments).allows(), "{call:?} of {text:?}");
        assert!(crate::oracle::is_object(&call.arguments), "{call:?} of {text:?}");
    }
}

fn read(tools: &Tools, model: &str, prefill: &str, ending: Ending, pieces: &[&str]) -> Parts {
    let mut reader = Reader::new(tools).model(model).prefill(prefill);
    let (mut parts, mut again) = (Parts::default(), String::new());
    let mut sink = |event: TextEvent<'_>| {
        match &event {
            TextEvent::Content(text) | TextEvent::Reasoning(text) | TextEvent::Mark(text) => {
                again.push_str(text)
            }
            TextEvent::Call(call) => again.push_str(&call.source),
        }
        parts.take(event);
    };
    for piece in pieces {
        reader.push(piece, &mut sink);
    }
    reader.finish(ending, &mut sink);
    assert_eq!(again, pieces.concat(), "the parts are not the text");
    parts.end()
}
