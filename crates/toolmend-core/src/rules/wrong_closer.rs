//! `wrong-closer`: a brace for a bracket

use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "wrong-closer",
    what: "`}` where `]` belongs, or the other way round.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#"{"a":[1,2},"b":3}"#,
        after: r#"{"a":[1,2],"b":3}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "What is open decides which closer was meant.",
    wrong: Counter {
        text: r#"{"a":[{"b":1],"c":"x"#,
        why: "The string is open: however the closer is read, the call is cut.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::After, Slot::FirstKey, Slot::FirstItem], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    let put = match fault.byte() {
        Some(b'}') if !fault.in_object() => "]",
        Some(b']') if fault.in_object() => "}",
        _ => return,
    };
    // The scanner reads the closer that belongs; the text behind it is read as it stands.
    let mut scan = fault.scan.clone();
    scan.close(fault.at + 1);
    out.add(Edit::replace(Rule::WrongCloser, fault.at, fault.at + 1, put), fault.at + 1, scan);
}
