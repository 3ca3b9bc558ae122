//! `doubled-opener`: the opening brace twice

use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "doubled-opener",
    what: "One opening brace too many before a complete object.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#"{{"city":"Lyon"}}"#,
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "A key cannot be an object, so the second brace is one too many.",
    wrong: Counter {
        text: r#"{"a":{{"b":"x"#,
        why: "The string is open: the call is cut.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::FirstKey], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    // One brace too many is a slip; a row of them is something else.
    if fault.rest().strip_prefix('{').is_some_and(|r| !r.trim_start().starts_with('{')) {
        out.add(Edit::delete(Rule::DoubledOpener, fault.at, fault.at + 1), fault.at + 1, fault.slot);
    }
}
