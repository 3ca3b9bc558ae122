//! `leaked-mark`: marks of a tool-call format around the body

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "leaked-mark",
    what: "Marks with which a model family writes calls, before or behind the body, the tool's name among them.",
    grade: Grade::Packaging,
    example: Example {
        before: "<tool_call>\n{\"city\":\"Lyon\"}\n</tool_call>",
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Only bytes outside the object go; the body is scanned to its own end, never searched for a closing mark.",
    wrong: Counter {
        text: r#"<tool_call>{"s":"a</tool_call>"#,
        why: "The string is open, and the mark stands inside it.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Frame,
};
