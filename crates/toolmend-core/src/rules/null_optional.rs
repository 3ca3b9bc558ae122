//! `null-optional`: null for an optional property that has no null

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "null-optional",
    what: "`null` for a property that is optional and has no null.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"city": "Lyon", "unit": null}"#,
        after: r#"{"city": "Lyon"}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"city":{"type":"string"},"unit":{"type":"string"}},"required":["city"]}"#,
    },
    safe: r#"It says "not given"; the one member goes."#,
    wrong: Counter {
        text: r#"{"city": null}"#,
        why: "A required property: its value is unknown.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"city":{"type":"string"},"unit":{"type":"string"}},"required":["city"]}"#,
    },
    act: Act::Search,
};
