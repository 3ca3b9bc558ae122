//! `code-statement`: a statement around the body

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "code-statement",
    what: "An assignment, a call or a `return` around the body.",
    grade: Grade::Packaging,
    example: Example {
        before: r#"const args = {"city":"Lyon"};"#,
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Only bytes outside the object go, and the statement ends where the object does.",
    wrong: Counter {
        text: r#"opts: {"x":1}}"#,
        why: "One brace too many, and a name before the object: it may be a member of an object whose beginning was lost.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Frame,
};
