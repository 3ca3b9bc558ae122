//! `missing-comma`: no comma between members

use crate::read::fault::{Fault, Moves};
use crate::read::lexeme::{colon_ahead, identifier_end, key_ahead};
use crate::scan::Slot;
use super::literal_case::literal_ahead;
use super::{Act, Counter, Example, Spec};
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "missing-comma",
    what: "No comma before a key, or between numbers, literals or containers of an array.",
    grade: Grade::Punctuation,
    example: Example {
        before: r#"{"a":1 "b":[1 2]}"#,
        after: r#"{"a":1, "b":[1, 2]}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "The next key with its colon marks the border of the member; between numbers white space does, between containers the brackets do.",
    wrong: Counter {
        text: r#"{"a":["x" "y"]}"#,
        why: "Two strings in an array may be one string in two parts.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Move(moves),
};

fn moves(fault: &Fault<'_>, out: &mut Moves) {
    if fault.slot != Slot::After {
        return;
    }
    let apart = fault.at > fault.scan.end();
    let follows = if fault.in_object() {
        // Right behind a string, the next quote must be the one that opens the key.
        key_ahead(fault.text, fault.at)
            || apart && identifier_end(fault.text, fault.at).is_some_and(|end| colon_ahead(fault.text, end))
    } else {
        match fault.byte() {
            Some(b'{' | b'[') => true,
            Some(b'0'..=b'9' | b'-') => apart,
            Some(b't' | b'f' | b'n' | b'T' | b'F' | b'N') => apart && literal_ahead(fault.rest()),
            _ => false,
        }
    };
    if follows {
        let end = fault.scan.end();
        let mut scan = fault.scan.clone();
        scan.took_comma(end);
        out.add(Edit::insert(Rule::MissingComma, end, ","), fault.at, scan);
    }
}
