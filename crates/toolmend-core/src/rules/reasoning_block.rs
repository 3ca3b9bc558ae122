//! `reasoning-block`: a reasoning block before the body

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "reasoning-block",
    what: "A `<think>` block before the body.",
    grade: Grade::Packaging,
    example: Example {
        before: "<think>Maybe {\"city\":\"Nice\"}?</think>\n{\"city\":\"Lyon\"}",
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "What a model thinks is no call; the block has its own end mark, and the body begins behind it.",
    wrong: Counter {
        text: r#"<think>{"city":"Nice"}"#,
        why: "The block is still open: nothing shows that the model ever came to a call.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Frame,
};
