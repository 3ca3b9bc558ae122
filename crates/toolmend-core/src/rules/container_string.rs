//! `container-string`: an array or object written as a string

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "container-string",
    what: "A string that holds exactly the array or object that the schema wants.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"ids": "[1, 2]"}"#,
        after: r#"{"ids": [1, 2]}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"ids":{"type":"array","items":{"type":"integer"}}}}"#,
    },
    safe: "The string holds one JSON value, and it fits the schema where the string does not.",
    wrong: Counter {
        text: r#"{"ids": "[1, 2"}"#,
        why: "The value in the string is cut off.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"ids":{"type":"array","items":{"type":"integer"}}}}"#,
    },
    act: Act::Search,
};
