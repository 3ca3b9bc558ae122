//! `bare-key`: a key without quotes

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, colon_ahead, identifier_end};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;

pub(super) const SPEC: Spec = Spec {
    name: "bare-key",
    what: "A key without quotes before a colon.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{path: "/srv/a"}"#,
        after: r#"{"path": "/srv/a"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Between `{` or `,` and a colon nothing but a key can stand.",
    wrong: Counter {
        text: r#"{path "/srv/a"}"#,
        why: "There is no colon: the word may be anything.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let end = identifier_end(spot.text, spot.at)?;
    (spot.slot.takes_key() && colon_ahead(spot.text, end)).then(|| Lexeme {
        end,
        edits: vec![Edit::insert(Rule::BareKey, spot.at, "\""), Edit::insert(Rule::BareKey, end, "\"")],
    })
}
