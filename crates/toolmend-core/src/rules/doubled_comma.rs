//! `doubled-comma`: more than one comma between members

use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "doubled-comma",
    what: "More than one comma between members of an object.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#"{"a":1,,"b":2}"#,
        after: r#"{"a":1,"b":2}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "A member needs a key, so nothing is missing between the commas.",
    wrong: Counter {
        text: r#"{"a":[1,,2]}"#,
        why: "In an array an item may be missing between them.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::Key], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    // A row of them is one edit.
    let end = fault.at + fault.rest().bytes().take_while(|&c| c == b',').count();
    if end > fault.at {
        out.add(Edit::delete(Rule::DoubledComma, fault.at, end), end, fault.slot);
    }
}
