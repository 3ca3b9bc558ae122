//! `envelope`: the call's name and arguments where the arguments alone belong

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "envelope",
    what: r#"`{"name": …, "arguments": …}` around the body."#,
    grade: Grade::Schema,
    example: Example {
        before: r#"{"name": "get_weather", "arguments": {"city": "Lyon"}}"#,
        after: r#"{"city": "Lyon"}"#,
        ending: Ending::Complete,
        schema: r#"{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}"#,
    },
    safe: "The name is the tool's, the inner object fits its schema, and the outer one does not.",
    wrong: Counter {
        text: r#"{"name": "delete_all", "arguments": {"city": "Lyon"}}"#,
        why: "It names another tool: whose arguments these are is not certain.",
        ending: Ending::Complete,
        schema: r#"{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}"#,
    },
    act: Act::Frame,
};
