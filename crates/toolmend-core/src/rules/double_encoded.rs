//! `double-encoded`: the body as a JSON string

use super::over_escaped::unescape;
use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{inside, skip_white};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec;
use alloc::vec::Vec;

pub(super) const SPEC: Spec = Spec {
    name: "double-encoded",
    what: "The body written as a JSON string, once or several times over.",
    grade: Grade::Packaging,
    example: Example {
        before: r#""{\"city\":\"Lyon\"}""#,
        after: r#"{"city":"Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "Arguments are an object, so the string holds it; one whole level of escaping is taken off evenly.",
    wrong: Counter {
        text: r#""{\"city\":\"Ly""#,
        why: "The string holds a body that is cut off.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Layer(layer),
};

fn layer(text: &str) -> Option<Vec<Edit>> {
    let start = skip_white(text, 0);
    let end = text.trim_ascii_end().len();
    let string = text.get(start..end)?;
    if string.len() < 4 || !string.starts_with('"') {
        return None;
    }
    let read = inside(text, start + 1, b'"')?;
    // `"{⏎ \"path\": \"C:\tmp\"}"`: where line breaks are raw, only the quotes may have been escaped.
    let quote = |&at: &usize| text.as_bytes().get(at + 1) == Some(&b'"');
    if !read.raw.is_empty() && !read.pairs.iter().all(quote) {
        return None;
    }
    // What is inside must look like a body once the level is off.
    let inner = text[start + 1..].trim_ascii_start();
    if read.close + 1 != end || !(inner.starts_with(['{', '[', '\\']) || inner.starts_with("```")) {
        return None;
    }
    let mut edits = vec![Edit::delete(Rule::DoubleEncoded, 0, start + 1)];
    edits.extend(unescape(text, &read.pairs, Rule::DoubleEncoded)?);
    edits.push(Edit::delete(Rule::DoubleEncoded, read.close, text.len()));
    Some(edits)
}
