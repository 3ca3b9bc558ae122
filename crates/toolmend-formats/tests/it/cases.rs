//! The cases of `testdata/texts.jsonl`, whole and cut anywhere.

use serde_json::{Value, json};
use toolmend_core::Ending;

use crate::desk::{Asked, Desk, read_anyhow};

#[test]
fn texts() {
    let cases = include_str!("../../../../testdata/texts.jsonl");
    let mut count = 0;
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let field = |name: &str| case[name].as_str().unwrap_or_default().to_owned();
        let desk = if case["tools"].is_null() { Desk::new() } else { Desk::of(&case["tools"].to_string()) };
        let ending = match case["ending"].as_str() {
            None => Ending::Complete,
            Some(word) => Ending::named(word).unwrap(),
        };
        let asked = Asked { model: field("model"), prefill: field("prefill"), ending: Some(ending) };
        let parts = read_anyhow(&desk, &asked, &field("text"));
        let calls: Vec<Value> = parts
            .calls
            .iter()
            .map(|call| {
                let mut shown = json!({"name": call.name, "arguments": call.arguments});
                if let Some(id) = &call.id {
                    shown["id"] = json!(id);
                }
                if !call.rules.is_empty() {
                    shown["rules"] = call.rules.iter().map(|rule| rule.name()).collect();
                }
                shown
            })
            .collect();
        let id = field("id");
        assert_eq!(Value::Array(calls), case["calls"], "{id}: calls");
        assert_eq!(parts.content, case["content"].as_str().unwrap_or_default(), "{id}: content");
        assert_eq!(parts.reasoning, case["reasoning"].as_str().unwrap_or_default(), "{id}: reasoning");
        count += 1;
    }
    assert!(count > 60, "{count} cases");
}
