//! `number-string`: a number written as a string

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "number-string",
    what: "Digits in quotes where the schema wants a number.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"n": "5"}"#,
        after: r#"{"n": 5}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#,
    },
    safe: "The digits are those of a JSON number, and stay as they are written.",
    wrong: Counter {
        text: r#"{"n": "5 km"}"#,
        why: "No integer is written there.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#,
    },
    act: Act::Search,
};
