//! `trailing-comma`: a comma before a closer

use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "trailing-comma",
    what: "A comma before a closer.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#"{"a":[1,2,],}"#,
        after: r#"{"a":[1,2]}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "A comma before a closer adds nothing: nothing stands between the two.",
    wrong: Counter {
        text: r#"{"ids":[1,2,"#,
        why: "At the end of the text a comma says that more was to come.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::Key, Slot::Item], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    if matches!(fault.byte(), Some(b'}' | b']')) {
        let comma = fault.scan.comma();
        // Another sign stood there for the comma: two slips at one place.
        if fault.text.as_bytes()[comma] != b',' {
            return;
        }
        out.add(Edit::delete(Rule::TrailingComma, comma, comma + 1), fault.at, Slot::After);
    }
}
