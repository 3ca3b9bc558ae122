//! `escaped-key`: a declared key with backslashes before its underscores

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{Lexeme, Spot, inside};
use crate::{Edit, Ending, Grade, Rule};

pub(super) const SPEC: Spec = Spec {
    name: "escaped-key",
    what: "A key in which underscores carry a backslash, as Markdown writes them.",
    grade: Grade::Schema,
    example: Example {
        before: r#"{"file\_path": "a"}"#,
        after: r#"{"file_path": "a"}"#,
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"file_path":{"type":"string"}}}"#,
    },
    safe: "The schema declares the key without the backslashes, and JSON has no such escape.",
    wrong: Counter {
        text: r#"{"file\_name": "a"}"#,
        why: "The schema declares no such key.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"file_path":{"type":"string"}}}"#,
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    if !spot.slot.takes_key() || !spot.rest().starts_with('"') {
        return None;
    }
    let read = inside(spot.text, spot.at + 1, b'"')?;
    let underscores = read.pairs.iter().all(|&p| spot.text[p + 1..].starts_with('_'));
    let name = spot.text[spot.at + 1..read.close].replace('\\', "");
    let end = read.close + 1;
    if read.pairs.is_empty() || !underscores || !spot.ctx.judge.declares(&name) {
        return None;
    }
    let edits = read.pairs.iter().map(|&p| Edit::delete(Rule::EscapedKey, p, p + 1)).collect();
    Some(Lexeme { end, edits })
}
