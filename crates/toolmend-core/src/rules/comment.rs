//! `comment`: a comment

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::holds_key;
use crate::{Ending, Grade};

pub(super) const SPEC: Spec = Spec {
    name: "comment",
    what: "A `//`, `#` or `/* */` comment between tokens.",
    grade: Grade::Spelling,
    example: Example {
        before: "{\"a\":1, // the first\n\"b\":2}",
        after: "{\"a\":1, \n\"b\":2}",
        ending: Ending::Complete,
        schema: "",
    },
    safe: "JSON has no comments: between tokens one says nothing about the value, and inside a string it is part of the token.",
    wrong: Counter {
        text: r#"{"url":http://x.org,"b":1}"#,
        why: "`//` inside a bare word is no comment: nothing says where the word ends.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Gap(end),
};

fn end(text: &str, at: usize) -> Option<usize> {
    if !matches!(text.as_bytes().get(at), Some(b'/' | b'#')) {
        return None;
    }
    // Right behind a token it is more likely the rest of a string that ended too early.
    let before = text[..at].chars().next_back()?;
    if !(before.is_whitespace() || matches!(before, ',' | ':' | '{' | '[' | '}' | ']' | '/')) {
        return None;
    }
    let rest = &text[at..];
    if let Some(note) = rest.strip_prefix("//").or_else(|| rest.strip_prefix('#')) {
        // Glued to a word it is one: a colour, a number, a path.
        if !note.starts_with(char::is_whitespace) {
            return None;
        }
        // A comment that runs to the end of the text would take the closers with it, and one with an
        // odd number of quotes may be the rest of a string. An over-escaped line break ends it as well.
        let b = rest.as_bytes();
        let breaks = |&end: &usize| b[end] == b'\n' || b.get(end + 1) == Some(&b'n');
        let end = memchr::memchr2_iter(b'\n', b'\\', b).find(breaks)?;
        let even = memchr::memchr_iter(b'"', &b[..end]).count().is_multiple_of(2);
        // `10 // 3`: a division.
        let number = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || matches!(c, '(' | ')'));
        let divides = rest.starts_with("//")
            && number(text[..at].trim_ascii_end().chars().next_back())
            && number(note.trim_ascii_start().chars().next());
        // `1, // c, "b": 2`: the line break behind the words may be what was lost.
        let swallows = holds_key(&rest[..end]) && !begins_line(text, at);
        (even && !divides && !swallows).then_some(at + end)
    } else if let Some(note) = rest.strip_prefix("/*") {
        Some(at + 2 + note.find("*/")? + 2)
    } else {
        None
    }
}

/// Whether nothing but white space stands before `at` on its line.
fn begins_line(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t', '\r']);
    before.is_empty() || before.ends_with('\n') || before.ends_with("\\n")
}
