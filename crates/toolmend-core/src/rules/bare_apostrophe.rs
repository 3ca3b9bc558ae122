//! `bare-apostrophe`: unescaped apostrophes inside a single-quoted string

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "bare-apostrophe",
    what: "Apostrophes inside a string in single quotes that were not escaped.",
    grade: Grade::Schema,
    example: Example {
        before: "{'msg': 'it's fine', 'n': 1}",
        after: r#"{"msg": "it's fine", "n": 1}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "All readings with as few stray apostrophes are listed, and exactly one of them is left.",
    wrong: Counter {
        text: "{'a': 'it''s'}",
        why: "Where apostrophes are doubled to be escaped, this is one apostrophe; else it is two.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Search,
};
