//! `null` for a property that may be left out: the member goes, with one comma.

use toolmend_core::{Edit, Rule};

use crate::doc::{Doc, Kind};

/// The edits that remove the members with these values, which are sorted. A member takes the comma before it along, or,
/// where nothing that stays stands before it, the one behind it.
pub(super) fn leave_out(doc: &Doc<'_>, values: &[u32]) -> Vec<Edit> {
    let mut edits = Vec::new();
    if values.is_empty() {
        return edits;
    }
    let goes = |value: u32| values.binary_search(&value).is_ok();
    for object in (0..doc.len()).filter(|&i| doc.kind(i) == Kind::Object) {
        let members: Vec<(u32, u32)> = doc.all_members(object).collect();
        if !members.iter().any(|&(_, value)| goes(value)) {
            continue;
        }
        let mut stays_before = false;
        for (n, &(key, value)) in members.iter().enumerate() {
            if !goes(value) {
                stays_before = true;
                continue;
            }
            let (start, end) = if stays_before {
                (doc.item(members[n - 1].1).end, doc.item(value).end)
            } else {
                let next = members.get(n + 1).map(|&(key, _)| doc.item(key).start);
                (doc.item(key).start, next.unwrap_or(doc.item(value).end))
            };
            edits.push(super::put(Rule::NullOptional, start, end, String::new()));
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolmend_core::edit;

    #[test]
    fn members_go_with_one_comma_each() {
        for (text, after) in [
            (r#"{"a":null}"#, "{}"),
            (r#"{ "a" : null }"#, "{  }"),
            (r#"{"a":null,"b":1}"#, r#"{"b":1}"#),
            (r#"{"b":1,"a":null}"#, r#"{"b":1}"#),
            (r#"{"b":1, "a":null , "c":2}"#, r#"{"b":1 , "c":2}"#),
            (r#"{"a":null, "b":null}"#, "{}"),
            (r#"{"a":null,"b":null,"c":1,"d":null,"e":null}"#, r#"{"c":1}"#),
            (r#"{"c":{"a":null},"d":null}"#, r#"{"c":{}}"#),
        ] {
            let doc = Doc::parse(text).expect("JSON");
            let nulls: Vec<u32> = (0..doc.len()).filter(|&i| doc.kind(i) == Kind::Null).collect();
            let mut edits = leave_out(&doc, &nulls);
            edits.sort_by_key(|e| (e.start, e.end));
            assert_eq!(edit::apply(text, &edits).as_deref(), Ok(after), "{text}");
        }
    }
}
