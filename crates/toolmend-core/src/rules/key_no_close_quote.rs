//! `key-no-close-quote`: a key without its closing quote

use super::{Act, Counter, Example, Spec, Ways};
use crate::read::fault::{Fault, Moves};
use crate::read::lexeme::{colon_ahead, identifier_end};
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "key-no-close-quote",
    what: r#"A declared key that has lost its closing quote: `"name: "x"`."#,
    grade: Grade::Schema,
    example: Example {
        before: r#"{"name: "x"}"#,
        after: r#"{"name": "x"}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"name":{"type":"string"}}}"#,
    },
    safe: "The schema declares the word, and a colon stands behind it.",
    wrong: Counter {
        text: r#"{"nome: "x"}"#,
        why: "The schema declares no such key: the words may be content.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"name":{"type":"string"}}}"#,
    },
    act: Act::Move(Ways::at(&[Slot::Colon, Slot::FirstKey, Slot::Key], moves)),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    // Either the key was read up to the quote that opens the value, or it runs on into the next line.
    let key = match fault.slot {
        Slot::Colon => fault.scan.token(),
        _ => fault.at,
    };
    let Some(name_end) = identifier_end(fault.text, key + 1) else { return };
    if fault.text[key..].starts_with('"')
        && colon_ahead(fault.text, name_end)
        // `"a:" 5"`: the key's quote may stand behind the colon.
        && !fault.text[name_end..].starts_with(":\" ")
        && fault.ctx.judge.declares(&fault.text[key + 1..name_end])
    {
        let mut scan = fault.scan.clone();
        scan.took(key, name_end);
        scan.set_slot(Slot::Colon);
        out.add(Edit::insert(Rule::KeyNoCloseQuote, name_end, "\""), name_end, scan);
    }
}
