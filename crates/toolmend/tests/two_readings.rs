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
