//! `invisible-space`: white space that JSON does not know

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "invisible-space",
    what: "A byte order mark, a no-break, zero-width or ideographic space around the body or between tokens.",
    grade: Grade::Packaging,
    example: Example {
        before: "\u{feff}{\"a\":\u{a0}1}",
        after: r#"{"a":1}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Between tokens only white space can stand; inside a string such a character is part of the token and stays.",
    wrong: Counter {
        text: "{\"a\":1\u{200b}2}",
        why: "Inside a number it is not known whether one number or two were meant.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Gap(crate::read::lexeme::invisible),
};
