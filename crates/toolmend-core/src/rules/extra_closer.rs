//! `extra-closer`: a closer that closes nothing

use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves};
use crate::read::lexeme::skip_white;
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "extra-closer",
    what: "A closer with nothing to close: behind the object, or doubled before the next member.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#"{"a":[1]],"b":2}}"#,
        after: r#"{"a":[1],"b":2}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "What is open decides which closers belong; one more, or one that would leave keys outside, ends nothing.",
    wrong: Counter {
        text: r#"{"city":"Milan"}me"}"#,
        why: "What follows the brace holds a quote: it is the rest of another string, not a closer too many.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::After], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    if !matches!(fault.byte(), Some(b'}' | b']')) {
        return;
    }
    let next = fault.text.as_bytes().get(skip_white(fault.text, fault.at + 1));
    let goes_on = matches!(next, None | Some(b',' | b'}' | b']'));
    // Behind a closer it is one too many; behind another value its opener may be what is missing, and only
    // the schema can tell.
    let before = fault.text[..fault.at].trim_ascii_end();
    let same = before.as_bytes().last().copied() == fault.byte();
    if !(same || fault.ctx.has_schema() && before.ends_with(['}', ']'])) {
        return;
    }
    if goes_on {
        out.add(Edit::delete(Rule::ExtraCloser, fault.at, fault.at + 1), fault.at + 1, fault.slot);
    }
}
