//! `missing-closer`: a closer is not there

use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves};
use crate::read::lexeme::skip_white;
use crate::scan::Slot;
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "missing-closer",
    what: "A closing bracket or brace that is not there: at the end, or before what cannot stand inside.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#"{"a":{"b":[1,{"c":"d"}]"#,
        after: r#"{"a":{"b":[1,{"c":"d"}]}}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "A closer only ends what is there. It is certain where the model ended by itself and there is one place for it; elsewhere the repair has grade `schema`, `closing` or `cut`.",
    wrong: Counter {
        text: r#"{"a":{"b":"c","d":"e"#,
        why: "The string is open: its rest is unknown, and no closer helps.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(Ways::at(&[Slot::After, Slot::Key], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    match (fault.slot, fault.byte()) {
        // `[{"x":1]`: what is open inside the bracket ends before it.
        (Slot::After, Some(closer @ (b'}' | b']'))) => {
            if let Some(count) = fault.closers_to(closer == b'}') {
                let (scan, edits) = fault.close(count, fault.scan.end());
                out.add(edits, fault.at, scan);
            }
        }
        // `[1, 2, "key": …`: a key cannot stand in an array, so the array ended before it.
        (Slot::After, Some(b':')) if !fault.in_object() && fault.scan.comma() < fault.scan.token() => {
            let key = fault.scan.token();
            let text = fault.text.as_bytes();
            let own = text[key] == b'"' && skip_white(fault.text, fault.scan.comma() + 1) == key;
            // `["./a", "b": …`: a string before it may be a key as well, and an object hold one.
            let own = own && !fault.text[..fault.scan.comma()].trim_ascii_end().ends_with(['"', '\'', '}']);
            if let Some(count) = fault.closers_to(true).filter(|_| own) {
                let (mut scan, edits) = fault.close(count, value_end(fault.text, fault.scan.comma()));
                scan.took_comma(fault.scan.comma());
                scan.took(key, fault.scan.end());
                scan.set_slot(Slot::Colon);
                out.add(edits, fault.at, scan);
            }
        }
        // `{"x":1, {`: a value without a key cannot stand in an object, so the object ended before it.
        (Slot::Key, Some(b'{' | b'[' | b'0'..=b'9' | b'-')) => {
            if let Some(count) = fault.closers_to(false) {
                let comma = fault.scan.comma();
                let (mut scan, edits) = fault.close(count, value_end(fault.text, comma));
                scan.took_comma(comma);
                out.add(edits, fault.at, scan);
            }
        }
        _ => {}
    }
}

/// Where the value before the comma ended.
fn value_end(text: &str, comma: usize) -> usize {
    text[..comma].trim_ascii_end().len()
}
