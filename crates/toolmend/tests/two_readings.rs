//! The bodies in `testdata/two_readings.jsonl`: a reading that looks whole stands beside one with another
//! value, so each is declined, whatever is said of its ending.

use serde_json::Value;
use toolmend::{Ending, Evidence, Policy, Tool, Toolmend};

const TABLE: &str = include_str!("../../../testdata/two_readings.jsonl");

#[test]
fn what_can_be_read_in_two_ways_is_declined() {
    const FIELDS: &[&str] = &["id", "input", "tool", "alone"];
    let mut wrong = String::new();
    let mut settled = 0;
    for line in TABLE.lines() {
        let row: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let fields = row.as_object().expect("a row is an object");
        assert!(fields.keys().all(|k| FIELDS.contains(&k.as_str())), "an unknown field: {line}");
        let input = row["input"].as_str().expect("input");
        let tool = fields.get("tool").map(|tool| Tool::one(&tool.to_string()).expect("a tool"));
        let alone = row["alone"].as_bool().expect("alone").then(Toolmend::new);
        for toolmend in alone.into_iter().chain(tool.map(|tool| Toolmend::new().tools([tool]))) {
            for ending in [Ending::Complete, Ending::Unknown, Ending::Cut] {
                let verdict = toolmend.mend(input, Evidence::new().stated(ending)).under(Policy::STANDARD);
                settled += 1;
                if let Some(text) = verdict.text(input) {
                    wrong += &format!("{}, {ending:?}: {input:?} -> {text:?}\n", row["id"]);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "settled though there are two readings:\n{wrong}");
    assert!(settled > 250, "the table has shrunk");
}

/// What the doubts about other readings must leave alone.
#[test]
fn what_only_looks_like_two_readings_is_settled() {
    for (schema, input, output) in [
        // A comma is missing before a key, so the number is whole.
        (
            r#"{"properties":{"query":{"type":"string"},"read_only":{"type":"boolean"}}}"#,
            r#"{"query": 245 "read_only": false}"#,
            r#"{"query": "245", "read_only": false}"#,
        ),
        // The script's own quotes are escaped, and its string's are not.
        (
            r#"{"properties":{"content":{"type":"string"}}}"#,
            r#"{"content": "{\n  "scripts": {"build": "tsc && echo \\"ok\\""}\n}"}"#,
            r#"{"content": "{\n  \"scripts\": {\"build\": \"tsc && echo \\\"ok\\\"\"}\n}"}"#,
        ),
        // A name of two words is one item.
        (
            r#"{"properties":{"tags":{"type":"array","items":{"type":"string"}}}}"#,
            r#"{"tags": "New York",}"#,
            r#"{"tags": ["New York"]}"#,
        ),
        // The key in the map is not the body's, which has its own.
        (
            r#"{"properties":{"name":{"type":"string"},"labels":{"additionalProperties":{"type":"string"}}}}"#,
            r#"{"name":"a","labels":{"name":"x",},}"#,
            r#"{"name":"a","labels":{"name":"x"}}"#,
        ),
        // What was mended is no bracket, so the map is as the model wrote it.
        (
            r#"{"properties":{"url":{},"timeout":{"type":"integer"},"headers":{"additionalProperties":{"type":"string"}}}}"#,
            r#"{"url":"u","headers":{"Accept":"*/*","timeout":"5"},}"#,
            r#"{"url":"u","headers":{"Accept":"*/*","timeout":"5"}}"#,
        ),
        // The command is no list.
        (
            r#"{"properties":{"command":{"type":"string"}},"additionalProperties":false}"#,
            r#"{"command":"ls"]}"#,
            r#"{"command":"ls"}"#,
        ),
        // Three closers are missing, so one in the string is its own.
        (
            r#"{"properties":{"edits":{"items":{"properties":{"put":{"type":"string"}}}}}}"#,
            r#"{"edits":[{"put":"}""#,
            r#"{"edits":[{"put":"}"}]}"#,
        ),
        (
            r#"{"properties":{"to":{"type":"array","items":{"type":"string"}}}}"#,
            r#"{"to": "Ann Lee <ann@x.io>"}"#,
            r#"{"to": ["Ann Lee <ann@x.io>"]}"#,
        ),
        // Arguments are an object, so the bracket has no partner.
        (
            r#"{"properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#,
            r#"{"name":"t","arguments":{"n":1}]}}"#,
            r#"{"n":1}"#,
        ),
    ] {
        let verdict = Toolmend::new()
            .tools([Tool::new("t", schema)])
            .mend(input, Evidence::new().finish_reason(Some("stop")))
            .under(Policy::STANDARD);
        assert_eq!(verdict.text(input), Some(output), "{input}: {verdict:?}");
    }
}
