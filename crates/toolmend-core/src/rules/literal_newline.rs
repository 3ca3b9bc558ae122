//! `literal-newline`: the two characters `\n` between tokens

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{colon_ahead, identifier_end};
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "literal-newline",
    what: r"An over-escaped line break or tab (`\n`, `\t`, `\r`) between tokens.",
    grade: Grade::Spelling,
    example: Example {
        before: r#"{\n  "a": 1,\n  "b": 2\n}"#,
        after: r#"{  "a": 1,  "b": 2}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Outside a string the two characters can only be white space.",
    wrong: Counter {
        text: r#"{"a":"x\n}"#,
        why: "Inside the string it is content, and the string is open.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Gap(end),
};

/// How many bytes of packaging are looked through for the first brace.
const NEAR: usize = 256;

fn end(text: &str, at: usize) -> Option<usize> {
    if !["\\n", "\\r", "\\t"].iter().any(|e| text[at..].starts_with(e)) {
        return None;
    }
    // `\true`, `\name`: the letter may belong to the word, unless that is a whole key.
    let word = identifier_end(text, at + 2).is_some_and(|end| !colon_ahead(text, end));
    (!word && !within_quotation(text, at)).then_some(at + 2)
}

/// Whether `at` is right behind a string that holds an odd number of escaped quotes, so that its last quote may
/// be the partner of one of them, and what follows its words: `"x = \""\n,`. Not in a body whose line breaks are
/// all spelled out, as the first one shows.
fn within_quotation(text: &str, at: usize) -> bool {
    let Some(before) = text[..at].strip_suffix('"').map(str::as_bytes) else { return false };
    let escaped = |&at: &usize| at > 0 && before[at - 1] == b'\\';
    memchr::memrchr_iter(b'"', before).take_while(escaped).count() % 2 == 1 && !spells_breaks(text)
}

/// Whether a line break that is spelled out follows the first brace, if that stands near the beginning.
fn spells_breaks(text: &str) -> bool {
    let begin = &text.as_bytes()[..text.len().min(NEAR)];
    let Some(brace) = memchr::memchr(b'{', begin) else { return false };
    let first = text[brace + 1..].trim_start_matches(' ');
    first.starts_with("\\n") || first.starts_with("\\r")
}
