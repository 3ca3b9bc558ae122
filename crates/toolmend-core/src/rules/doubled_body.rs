//! `doubled-body`: the whole body twice

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "doubled-body",
    what: "The same object a second time, letter for letter.",
    grade: Grade::Packaging,
    example: Example {
        before: r#"{"city":"Lyon"}{"city":"Lyon"}"#,
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Both copies say the same; servers that send the arguments again at the end of a stream make them.",
    wrong: Counter {
        text: r#"{"city":"Lyon"}{"city":"Nice"}"#,
        why: "Two different bodies: which one is the call is not certain.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Frame,
};
