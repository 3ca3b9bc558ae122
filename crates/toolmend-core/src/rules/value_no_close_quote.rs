//! `value-no-close-quote`: a string without its closing quote

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "value-no-close-quote",
    what: "A string that has lost its closing quote, where the next line opens with a declared key that is not given yet.",
    grade: Grade::Schema,
    example: Example {
        before: "{\"q\": \"words,\n \"top_k\": 5}",
        after: "{\"q\": \"words\",\n \"top_k\": 5}",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"q":{"type":"string"},"top_k":{"type":"integer"}}}"#,
    },
    safe: "A JSON string holds no raw line break, and the next line opens with a declared key and its colon.",
    wrong: Counter {
        text: r#"{"q": "words}"#,
        why: "The last string of a body: the brace may be content, and an open string is never closed.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"q":{"type":"string"},"top_k":{"type":"integer"}}}"#,
    },
    act: Act::Search,
};
