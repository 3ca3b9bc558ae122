//! `inline-code`: backticks around the body

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "inline-code",
    what: "One or two backticks before or behind the body.",
    grade: Grade::Packaging,
    example: Example {
        before: r#"`{"city":"Lyon"}`"#,
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Only bytes outside the object go.",
    wrong: Counter {
        text: r#"`{"city":"Lyon`"#,
        why: "The string is open: the backtick may be content.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Frame,
};
