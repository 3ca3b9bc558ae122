//! `missing-opener`: the opening brace is not there

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "missing-opener",
    what: "The body begins at its first key, which stands whole in its quotes.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#""city":"Lyon"}"#,
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Arguments are always an object, and a key with its colon can stand nowhere else.",
    wrong: Counter {
        text: r#"ity":"Lyon"}"#,
        why: "The body begins inside a token: bytes were lost, and perhaps whole arguments.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Frame,
};
