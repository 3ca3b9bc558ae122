//! `inner-quotes`: unescaped quotes inside a string

use super::{Act, Counter, Example, Spec};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "inner-quotes",
    what: "Quotes inside a string that were not escaped.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"sql":"select "id" from t","n":1}"#,
        after: r#"{"sql":"select \"id\" from t","n":1}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "All readings with as few stray quotes are listed, and exactly one of them is left; quotes come in pairs, so an odd number in a string counts only where no costlier reading exists either.",
    wrong: Counter {
        text: r#"{"argv":["awk","{print "$1 "," $2"}"]}"#,
        why: "The quotes split the item in two readings: fewest edits is not safe here.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Search,
};
