//! `leading-comma`: a comma after an opening brace

use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves};
use crate::read::lexeme::skip_white;
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "leading-comma",
    what: "A comma between an opening brace and the first key.",
    grade: Grade::Punctuation,
    example: Example { before: r#"{,"a":1}"#, after: r#"{"a":1}"#, ending: Ending::Complete, schema: "" },
    safe: "A member needs a key, so nothing is missing before the comma.",
    wrong: Counter {
        text: r#"{"a":[,1]}"#,
        why: "In an array an item may be missing before it.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::FirstKey], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    if fault.byte() == Some(b',') {
        // Another key must follow, or this may be all that is left of a member.
        if !matches!(
            fault.text.as_bytes().get(skip_white(fault.text, fault.at + 1)),
            None | Some(b'}' | b',')
        ) {
            out.add(Edit::delete(Rule::LeadingComma, fault.at, fault.at + 1), fault.at + 1, Slot::FirstKey);
        }
    }
}
