//! `single-item`: one item where an array of such items belongs

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "single-item",
    what: "One item where the schema wants an array of such items.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"tags": "red"}"#,
        after: r#"{"tags": ["red"]}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}}}}"#,
    },
    safe: "The item fits the array's items, and it is neither a written list nor the call, begun anew.",
    wrong: Counter {
        text: r#"{"tags": "red, green"}"#,
        why: "It may be a list itself.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}}}}"#,
    },
    act: Act::Search,
};
