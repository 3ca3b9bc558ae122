//! `key-spelling`: a declared key in another spelling

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "key-spelling",
    what: "`filePath` or `file-path` for `file_path`, where the call is invalid as it stands.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"filePath": "a"}"#,
        after: r#"{"file_path": "a"}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}"#,
    },
    safe: "One declared, missing property is the same when case is ignored, and `_`, `-` and spaces between words, and the sign before a flag that the model left out.",
    wrong: Counter {
        text: r#"{"path": "a"}"#,
        why: "The letters differ: it may be another argument.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}"#,
    },
    act: Act::Search,
};
