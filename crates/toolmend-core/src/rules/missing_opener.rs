//! `missing-opener`: the opening brace is not there

use super::{Act, Counter, Example, Spec, Ways};
use crate::envelope::ARGUMENTS;
use crate::read::fault::{Fault, Moves};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "missing-opener",
    what: "The body begins at its first key, which stands whole in its quotes.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#""city":"Lyon"}"#,
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Arguments are always an object, and a key with its colon can stand nowhere else.",
    wrong: Counter {
        text: r#"ity":"Lyon"}"#,
        why: "The body begins inside a token: bytes were lost, and perhaps whole arguments.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::After], moves)),
};

/// The brace at the beginning of the text is set by `read::frame`. Here: `"arguments": "city": "Lyon"}`, the
/// same body in an envelope, which only a schema can open.
fn moves(fault: &Fault<'_>, out: &mut Moves) {
    let there = fault.byte() == Some(b':') && fault.in_object();
    if !there || !fault.ctx.has_schema() {
        return;
    }
    let key = fault.scan.token();
    let before = fault.text[..key].trim_end().strip_suffix(':').map_or("", str::trim_end);
    // A key of that name that the tool declares is no envelope's.
    let holds = ARGUMENTS.iter().find(|name| before.ends_with(*name));
    let holds = holds.is_some_and(|name| !fault.ctx.judge.declares(name.trim_matches('"')));
    if fault.text[key..].starts_with('"') && holds {
        let mut scan = fault.scan.clone();
        if scan.open(true) {
            scan.took(key, fault.scan.end());
            scan.set_slot(Slot::Colon);
            out.add(Edit::insert(Rule::MissingOpener, key, "{"), fault.at, scan);
        }
    }
}
