//! `no-arguments`: nothing at all, for a tool that takes nothing

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "no-arguments",
    what: r#"No text, `""`, `null` or `None` for a tool that declares no property."#,
    grade: Grade::Schema,
    example: Example {
        before: "null",
        after: "{}",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{}}"#,
    },
    safe: "A tool without properties can only be called with an empty object, unless the turn was cut.",
    wrong: Counter {
        text: "null",
        why: "The tool takes arguments: they are lost.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"city":{"type":"string"}}}"#,
    },
    act: Act::Frame,
};
