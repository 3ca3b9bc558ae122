//! `prose`: words around the body

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "prose",
    what: "Words before the object, or words behind it that white space sets apart.",
    grade: Grade::Packaging,
    example: Example {
        before: "Sure, here is the call:\n{\"city\":\"Lyon\"}\nDone.",
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "The object is read first and in full; words are taken off only where none of them can be a part of it: no key and colon among them, no bracket without its partner, no second object.",
    wrong: Counter {
        text: r#"{"path":"a","opts":{"x":1},"target":"/home/u"#,
        why: "Cut at its last brace, the text would lose an argument; an object inside an unfinished one is never taken for the call.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Frame,
};
