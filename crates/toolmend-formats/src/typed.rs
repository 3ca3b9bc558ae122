//! A value without a type becomes JSON: the tool's schema says what it may be.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toolmend_core::quote::quote_into;
use toolmend_core::{Evidence, Kinds, NoJudge, Verdict, mend};

use crate::json;
use crate::python;

/// What the format itself says about a value's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// Nothing.
    Nothing,
    /// It is a string.
    Text,
    /// It is JSON.
    Json,
}

/// Writes `text` as JSON. Digits stay as they are written; where a string may stand, it stays a string.
/// `python` is whether the format writes values as Python prints them, so that `None` is `null`. `None` is what
/// the format calls JSON and is none, or markup where no string may stand.
pub(crate) fn value(text: &str, kinds: Kinds, says: Says, python: bool) -> Option<String> {
    let word = text.trim();
    if says == Says::Text || (says == Says::Nothing && kinds.holds(Kinds::STRING)) {
        let null = text == "null" || (python && text == "None");
        if says == Says::Nothing && null && kinds.holds(Kinds::NULL) && !kinds.holds(Kinds::NULL_WORD) {
            return Some("null".into());
        }
        return Some(string(text));
    }
    if kinds.is_unknown() && says == Says::Nothing {
        return Some(string(text));
    }
    let as_text = says == Says::Nothing && !word.starts_with('<');
    literal(word).or_else(|| as_text.then(|| string(text)))
}

fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote_into(text, &mut out);
    out
}

/// The JSON that `word` is, strictly or as Python writes it. What has to be mended is mended as the whole call is,
/// with a receipt.
fn literal(word: &str) -> Option<String> {
    match word {
        "true" | "false" | "null" => return Some(word.to_string()),
        "True" => return Some("true".into()),
        "False" => return Some("false".into()),
        "None" => return Some("null".into()),
        _ if json::is_number(word) => return Some(word.to_string()),
        _ => {}
    }
    if word.starts_with(['{', '[']) {
        // As the value of a member, because only objects are judged.
        let object = ["{\"value\":", word, "}"].concat();
        let verdict = mend(&object, &Evidence::whole(), &NoJudge);
        let one = || json::members(&object).is_some_and(|members| members.len() == 1);
        if matches!(verdict, Verdict::Intact { .. }) && one() {
            return Some(word.to_string());
        }
        return python::literal(word);
    }
    word.starts_with('"').then(|| json::decode(word).map(|_| word.to_string()))?
}

/// The arguments object that these members are; `None` where a key stands twice.
pub(crate) fn object(members: &[(String, String)]) -> Option<String> {
    let mut out = String::from("{");
    let mut seen: Vec<&str> = Vec::new();
    for (key, value) in members {
        if seen.contains(&key.as_str()) {
            return None;
        }
        if !seen.is_empty() {
            out.push_str(", ");
        }
        seen.push(key);
        quote_into(key, &mut out);
        out.push_str(": ");
        out.push_str(value);
    }
    out.push('}');
    Some(out)
}
