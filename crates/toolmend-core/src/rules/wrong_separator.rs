//! `wrong-separator`: another sign in the place of a colon or comma

use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves, Then};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "wrong-separator",
    what: "`=`, `=>` or `:=` for the colon, `;` for the comma of an object.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#"{"a"=1;"b"=>2}"#,
        after: r#"{"a":1,"b":2}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Each sign has one role at its place: behind a key a value must follow, behind a value the next key.",
    wrong: Counter {
        text: r#"{"a":[1;2]}"#,
        why: "In an array a semicolon may part rows.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::Colon, Slot::Value, Slot::After], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    if fault.slot == Slot::Colon {
        let Some(sign) = ["=>", "=", ":="].into_iter().find(|s| fault.rest().starts_with(s)) else { return };
        let end = fault.at + sign.len();
        out.add(Edit::replace(Rule::WrongSeparator, fault.at, end, ":"), end, Slot::Value);
    } else if fault.slot == Slot::Value && fault.byte() == Some(b'=') && fault.text[..fault.at].ends_with(':')
    {
        out.add(Edit::delete(Rule::WrongSeparator, fault.at, fault.at + 1), fault.at + 1, fault.slot);
    } else if fault.slot == Slot::After && fault.in_object() && fault.byte() == Some(b';') {
        let edit = Edit::replace(Rule::WrongSeparator, fault.at, fault.at + 1, ",");
        out.add(edit, fault.at + 1, Then::Comma(fault.at));
    }
}
