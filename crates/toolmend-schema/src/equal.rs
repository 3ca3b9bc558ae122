//! Equality as JSON Schema means it: numbers by their value, objects whatever the order of their keys.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;
use toolmend_core::quote::quoted;

use crate::doc::{Doc, Kind};
use crate::number::{self, Decimal};

/// Whether a value in a text equals one of a schema.
pub(crate) fn to_value(doc: &Doc<'_>, at: u32, expected: &Value) -> bool {
    let mut pairs = vec![(at, expected)];
    while let Some((at, expected)) = pairs.pop() {
        let same = match (doc.kind(at), expected) {
            (Kind::Null, Value::Null)
            | (Kind::True, Value::Bool(true))
            | (Kind::False, Value::Bool(false)) => true,
            (Kind::String, Value::String(text)) => doc.string(at) == text.as_str(),
            (Kind::Number, Value::Number(n)) => number::equals(doc.raw(at), n),
            (Kind::Array, Value::Array(elements)) => {
                pairs.extend(doc.children(at).zip(elements));
                doc.item(at).len as usize == elements.len()
            }
            (Kind::Object, Value::Object(members)) => {
                doc.item(at).len as usize == members.len()
                    && members.iter().all(|(name, value)| match doc.get(at, name) {
                        Some(member) => {
                            pairs.push((member, value));
                            true
                        }
                        None => false,
                    })
            }
            _ => false,
        };
        if !same {
            return false;
        }
    }
    true
}

/// Whether no two elements of an array are equal.
pub(crate) fn all_differ(doc: &Doc<'_>, array: u32) -> bool {
    let mut seen = HashSet::with_capacity(doc.item(array).len as usize);
    doc.effort.step(u64::from(doc.item(array).next - array))
        && doc.children(array).all(|element| seen.insert(canonical(doc, element)))
}

enum Part {
    Item(u32),
    Text(&'static str),
}

/// A text that two values share exactly when they are equal.
fn canonical<'t>(doc: &Doc<'t>, at: u32) -> Cow<'t, str> {
    match doc.kind(at) {
        Kind::Object | Kind::Array | Kind::Number | Kind::String | Kind::Key => {}
        Kind::True | Kind::False | Kind::Null => return Cow::Borrowed(doc.raw(at)),
    }
    let mut out = String::new();
    let mut parts = vec![Part::Item(at)];
    while let Some(part) = parts.pop() {
        let at = match part {
            Part::Text(text) => {
                out.push_str(text);
                continue;
            }
            Part::Item(at) => at,
        };
        match doc.kind(at) {
            Kind::Array => {
                out.push('[');
                parts.push(Part::Text("]"));
                let elements: Vec<u32> = doc.children(at).collect();
                parts.extend(elements.into_iter().rev().flat_map(|e| [Part::Text(","), Part::Item(e)]));
            }
            Kind::Object => {
                out.push('{');
                parts.push(Part::Text("}"));
                let mut members: Vec<(Cow<'_, str>, u32)> =
                    doc.members(at).map(|(key, value)| (doc.string(key), value)).collect();
                members.sort_unstable_by(|a, b| b.0.cmp(&a.0));
                for (_, value) in members {
                    parts.extend([Part::Text(","), Part::Item(value), Part::Item(value - 1)]);
                }
            }
            Kind::String | Kind::Key => out.push_str(&quoted(&doc.string(at))),
            Kind::Number => out.push_str(&Decimal::of(doc.raw(at)).canonical()),
            Kind::True | Kind::False | Kind::Null => out.push_str(doc.raw(at)),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_equal_whatever_their_spelling() {
        for (text, value, same) in [
            ("1.0", json!(1), true),
            ("1e2", json!(100), true),
            ("123456789012345678901234", json!(1.2345678901234568e23), false),
            ("true", json!(1), false),
            ("\"\\u0041\"", json!("A"), true),
            (r#"{"b":[1,{}],"a":null}"#, json!({"a": null, "b": [1.0, {}]}), true),
            (r#"{"b":[1,{}]}"#, json!({"a": null, "b": [1, {}]}), false),
            (r#"{"a":1,"a":2}"#, json!({"a": 2}), true),
            (r#"{"c":1}"#, json!({"a": 1}), false),
            ("[1,2]", json!([1]), false),
            ("[1,2]", json!([1, 3]), false),
        ] {
            let doc = Doc::parse(text).expect("JSON");
            assert_eq!(to_value(&doc, 0, &value), same, "{text} {value}");
        }
    }

    #[test]
    fn elements_differ_by_what_they_are() {
        for (text, differ) in [
            ("[]", true),
            ("[1,2,\"1\",true,null,[],{}]", true),
            ("[1,1.0]", false),
            ("[-0,0]", false),
            ("[1e4000,10e3999]", false),
            (r#"[{"a":1,"b":2},{"b":2,"a":1}]"#, false),
            (r#"[{"a":1,"b":2},{"a":2,"b":1}]"#, true),
            (r#"["A","\u0041"]"#, false),
            ("[[1,2],[1,2]]", false),
            ("[[1,2],[[1],2]]", true),
        ] {
            let doc = Doc::parse(text).expect("JSON");
            assert_eq!(all_differ(&doc, 0), differ, "{text}");
        }
    }
}
