//! `empty-then-body`: an empty object before the body

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "empty-then-body",
    what: "`{}` and then the body: a server's placeholder.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{}{"city": "Lyon"}"#,
        after: r#"{"city": "Lyon"}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}"#,
    },
    safe: "The required arguments rule the empty object out as the call.",
    wrong: Counter {
        text: r#"{}{"city": "Lyon"}"#,
        why: "Nothing is required: the empty object may be the call.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"city":{"type":"string"}}}"#,
    },
    act: Act::Frame,
};
