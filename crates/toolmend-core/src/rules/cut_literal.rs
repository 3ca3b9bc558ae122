//! `cut-literal`: a literal cut off at the end

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "cut-literal",
    what: "A `t…`, `f…` or `n…` at the end of the text.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"a": tru"#,
        after: r#"{"a": true}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"]}"#,
    },
    safe: "Only one literal begins like it and the schema wants that literal; then the rule for what follows a value holds.",
    wrong: Counter {
        text: r#"{"a": tru"#,
        why: "The schema does not say that a boolean belongs here.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"a":{"type":"string"}}}"#,
    },
    act: Act::Search,
};
