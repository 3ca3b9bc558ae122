//! `boolean-string`: a boolean written as a string

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "boolean-string",
    what: r#"`"true"` or `"False"` where the schema wants a boolean."#,
    grade: Grade::Schema,
    example: Example {
        before: r#"{"b": "False"}"#,
        after: r#"{"b": false}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"b":{"type":"boolean"}}}"#,
    },
    safe: "Each word is one literal.",
    wrong: Counter {
        text: r#"{"b": "no"}"#,
        why: r#""no" is no literal: what it means is not certain."#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"b":{"type":"boolean"}}}"#,
    },
    act: Act::Search,
};
