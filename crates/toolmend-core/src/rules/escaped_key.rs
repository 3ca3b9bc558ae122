//! `escaped-key`: a declared key with backslashes before its underscores

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "escaped-key",
    what: "A key in which underscores carry a backslash, as Markdown writes them.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"file\_path": "a"}"#,
        after: r#"{"file_path": "a"}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"file_path":{"type":"string"}}}"#,
    },
    safe: "The schema declares the key without the backslashes, and JSON has no such escape.",
    wrong: Counter {
        text: r#"{"file\_name": "a"}"#,
        why: "The schema declares no such key.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"file_path":{"type":"string"}}}"#,
    },
    act: Act::Search,
};
