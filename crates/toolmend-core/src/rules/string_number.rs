//! `string-number`: a number where a string belongs

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "string-number",
    what: "A number where the schema wants a string without a list of allowed ones.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"zip": 1.10}"#,
        after: r#"{"zip": "1.10"}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"zip":{"type":"string"}}}"#,
    },
    safe: "The same digits, as they are written, in quotes.",
    wrong: Counter {
        text: r#"{"zip": true}"#,
        why: "A literal is no text that anybody wrote.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"zip":{"type":"string"}}}"#,
    },
    act: Act::Search,
};
