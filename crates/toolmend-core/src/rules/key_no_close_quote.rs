//! `key-no-close-quote`: a key without its closing quote

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "key-no-close-quote",
    what: r#"A declared key that has lost its closing quote: `"name: "x"`."#,
    grade: Grade::Schema,
    example: Example {
        before: r#"{"name: "x"}"#,
        after: r#"{"name": "x"}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"name":{"type":"string"}}}"#,
    },
    safe: "The schema declares the word, and a colon stands behind it.",
    wrong: Counter {
        text: r#"{"nome: "x"}"#,
        why: "The schema declares no such key: the words may be content.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"name":{"type":"string"}}}"#,
    },
    act: Act::Search,
};
