//! `doubled-comma`: two commas between members

use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "doubled-comma",
    what: "Two commas between members of an object.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#"{"a":1,,"b":2}"#,
        after: r#"{"a":1,"b":2}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "A member needs a key, so nothing is missing between the two commas.",
    wrong: Counter {
        text: r#"{"a":[1,,2]}"#,
        why: "In an array an item may be missing between them.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::Key], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    if fault.byte() == Some(b',') {
        out.add(Edit::delete(Rule::DoubledComma, fault.at, fault.at + 1), fault.at + 1, fault.scan.clone());
    }
}
