//! `unquoted-word`: an allowed word without its quotes

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "unquoted-word",
    what: "A bare word that the schema lists as an allowed string.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"unit": celsius}"#,
        after: r#"{"unit": "celsius"}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"unit":{"enum":["celsius","fahrenheit"]}}}"#,
    },
    safe: "The schema lists the word, so it is no variable's name.",
    wrong: Counter {
        text: r#"{"unit": kelvin}"#,
        why: "The schema does not list the word.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"unit":{"enum":["celsius","fahrenheit"]}}}"#,
    },
    act: Act::Search,
};
