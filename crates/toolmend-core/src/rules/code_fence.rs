//! `code-fence`: a code fence around the body

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "code-fence",
    what: "A code fence before or behind the body, with or without a language tag.",
    grade: Grade::Packaging,
    example: Example {
        before: "```json\n{\"city\":\"Lyon\"}\n```",
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Only bytes outside the object go; a fence inside a string is part of a token and is never looked at.",
    wrong: Counter {
        text: "```json\n{\"path\":\"/etc/pas\n```",
        why: "The string is open: the fence may be content, and the rest of the path is unknown.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Frame,
};
