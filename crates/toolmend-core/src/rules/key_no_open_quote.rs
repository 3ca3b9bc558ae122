//! `key-no-open-quote`: a key without its opening quote

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, colon_ahead, identifier_end};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;

pub(super) const SPEC: Spec = Spec {
    name: "key-no-open-quote",
    what: r#"A key that has lost its opening quote: `name":`."#,
    grade: Grade::Spelling,
    example: Example {
        before: r#"{"a":1,name": "x"}"#,
        after: r#"{"a":1,"name": "x"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Between `{` or `,` and a quote with its colon nothing but a key can stand.",
    wrong: Counter {
        text: r#"me": "x"}"#,
        why: "At the very beginning bytes may be lost, of the key and before it.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let end = identifier_end(spot.text, spot.at)?;
    let quoted = spot.text.as_bytes().get(end) == Some(&b'"');
    (spot.slot.takes_key() && quoted && colon_ahead(spot.text, end + 1))
        .then(|| Lexeme { end: end + 1, edits: vec![Edit::insert(Rule::KeyNoOpenQuote, spot.at, "\"")] })
}
