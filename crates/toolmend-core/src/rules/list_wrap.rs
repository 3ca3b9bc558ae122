//! `list-wrap`: one object in a list

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "list-wrap",
    what: "Square brackets around the one object.",
    grade: Grade::Packaging,
    example: Example {
        before: r#"[{"city":"Lyon"}]"#,
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Arguments are an object; a list of one object says nothing more than the object.",
    wrong: Counter {
        text: r#"[{"city":"Lyon"},{"city":"Nice"}]"#,
        why: "Two objects: which one is the call is not certain.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Frame,
};
