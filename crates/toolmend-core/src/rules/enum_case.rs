//! `enum-case`: an allowed word in another case

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "enum-case",
    what: "A word of the schema's list in another case.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"unit": "Celsius"}"#,
        after: r#"{"unit": "celsius"}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"unit":{"enum":["celsius","fahrenheit"]}}}"#,
    },
    safe: "Exactly one allowed word is the same when case is ignored, and it is a word, or a letter with a number: no flag, unit or pattern, in which case tells one from another.",
    wrong: Counter {
        text: r#"{"unit": "celcius"}"#,
        why: "A typing error: which word was meant is not certain.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"unit":{"enum":["celsius","fahrenheit"]}}}"#,
    },
    act: Act::Search,
};
