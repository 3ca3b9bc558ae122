//! The tools that the tests offer, and a text read by them.

use serde_json::Value;
use toolmend_core::{Ending, Judge, Kinds, Offer, TextCall, TextEvent, TextReader};
use toolmend_formats::{Parts, Reader};
use toolmend_schema::Tool;

/// A bookshop.
pub(crate) const TOOLS: &str = r#"[
    {"name": "add_book", "input_schema": {"type": "object", "properties": {
        "title": {"type": "string"}, "pages": {"type": "integer"}, "price": {"type": "number"},
        "lent": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}},
        "shelf": {"type": "object"}, "note": {"type": ["string", "null"]}
    }, "required": ["title"], "additionalProperties": false}},
    {"name": "open_shop", "input_schema": {"type": "object", "properties": {}}},
    {"name": "save_page", "input_schema": {"type": "object", "properties": {
        "path": {"type": "string"}, "text": {"type": "string"}
    }, "required": ["path", "text"]}}
]"#;

/// Tools that are offered.
pub(crate) struct Desk(Vec<Tool>);

impl Desk {
    pub(crate) fn new() -> Desk {
        Desk::of(TOOLS)
    }

    pub(crate) fn of(tools: &str) -> Desk {
        Desk(Tool::list(tools).unwrap())
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.0.iter().find(|tool| tool.name() == Some(name))
    }
}

impl Offer for Desk {
    fn judge(&self, tool: &str) -> Option<&dyn Judge> {
        self.tool(tool).map(|tool| tool as &dyn Judge)
    }

    fn kinds(&self, tool: &str, parameter: &str) -> Kinds {
        self.tool(tool).map_or(Kinds::UNKNOWN, |tool| tool.kinds(parameter))
    }
}

/// How a text is read, beside the text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    pub(crate) model: String,
    pub(crate) prefill: String,
    pub(crate) ending: Option<Ending>,
}

impl Asked {
    pub(crate) fn model(model: &str) -> Asked {
        Asked { model: model.to_owned(), ..Asked::default() }
    }
}

/// Reads a text in pieces, and checks what must hold of any: its parts are the text again.
pub(crate) fn read<'t>(desk: &Desk, asked: &Asked, pieces: impl IntoIterator<Item = &'t str>) -> Parts {
    let mut reader = Reader::new(desk).model(&asked.model).prefill(&asked.prefill);
    let mut parts = Parts::default();
    let (mut given, mut again) = (String::new(), String::new());
    let mut sink = |event: TextEvent<'_>| {
        match &event {
            TextEvent::Content(text) | TextEvent::Reasoning(text) | TextEvent::Mark(text) => {
                again.push_str(text);
            }
            TextEvent::Call(call) => again.push_str(&call.source),
        }
        parts.take(event);
    };
    for piece in pieces {
        given.push_str(piece);
        reader.push(piece, &mut sink);
    }
    reader.finish(asked.ending.unwrap_or(Ending::Complete), &mut sink);
    assert_eq!(again, given, "the parts are not the text");
    let parts = parts.end();
    for call in &parts.calls {
        let judge = desk.judge(&call.name).expect("only offered tools are called");
        assert!(judge.admits(&call.arguments).allows(), "{}", call.arguments);
    }
    parts
}

/// Every cut of the text in two, and the text by characters: all must come to the same.
pub(crate) fn read_anyhow(desk: &Desk, asked: &Asked, text: &str) -> Parts {
    let whole = read(desk, asked, [text]);
    for (at, _) in text.char_indices() {
        let (left, right) = text.split_at(at);
        assert_eq!(read(desk, asked, [left, right]), whole, "cut at byte {at} of {text:?}");
    }
    let singly: Vec<&str> = text.split_inclusive(|_| true).collect();
    assert_eq!(read(desk, asked, singly), whole, "by characters: {text:?}");
    whole
}

/// Name and arguments as values.
pub(crate) fn said(calls: &[TextCall]) -> Vec<(String, Value)> {
    calls.iter().map(|call| (call.name.clone(), serde_json::from_str(&call.arguments).unwrap())).collect()
}
