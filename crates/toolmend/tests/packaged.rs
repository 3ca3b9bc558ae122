//! The bodies in `testdata/packaged.jsonl`: one call of the tool in what models and formats put around it. What says that
//! an object is no call must not say it of these.

use serde_json::Value;
use toolmend::{Evidence, Policy, Tool, Toolmend};

const TABLE: &str = include_str!("../../../testdata/packaged.jsonl");

#[test]
fn a_call_of_the_tool_is_taken_out_of_what_stands_around_it() {
    let mut wrong = String::new();
    for line in TABLE.lines() {
        let row: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let word = |field: &str| row[field].as_str().unwrap_or_else(|| panic!("{field}: {line}"));
        let tool = Tool::one(&row["tool"].to_string()).expect("a tool");
        let (input, output) = (word("input"), word("output"));
        let evidence = Evidence::new().finish_reason(Some("stop"));
        let verdict = Toolmend::new().tools([tool]).mend(input, evidence).under(Policy::STANDARD);
        if verdict.text(input) != Some(output) {
            wrong += &format!("{}: {input:?} -> {verdict:?}\n", word("id"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
