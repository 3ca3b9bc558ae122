//! What checking an intact body costs, beside parsing it into a `serde_json::Value`.
//!
//! ```text
//! cargo run --release -p toolmend-schema --example cost
//! ```

use std::hint::black_box;
use std::time::Instant;

use toolmend_core::{Admission, Judge};
use toolmend_schema::Tool;

/// A tool as agents have them: nested objects, a list of alternatives, enums, a reference.
const TOOL: &str = r##"{"name": "plan", "input_schema": {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "steps": {"type": "array", "items": {"$ref": "#/$defs/step"}},
        "dry_run": {"type": "boolean"}
    },
    "required": ["title", "steps"],
    "additionalProperties": false,
    "$defs": {"step": {
        "type": "object",
        "properties": {
            "description": {"type": "string"},
            "priority": {"type": "string", "enum": ["low", "medium", "high"]},
            "minutes": {"type": "integer", "minimum": 0},
            "assignee": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "tags": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["description", "priority"],
        "additionalProperties": false
    }}
}}"##;

/// A tool for which the body is mostly one long text.
const WRITE: &str = r#"{"name": "write_file", "input_schema": {
    "type": "object",
    "properties": {"path": {"type": "string"}, "content": {"type": "string"}, "mode": {"type": "integer"}},
    "required": ["path", "content"]
}}"#;

fn plan(size: usize) -> String {
    let mut body = String::from(r#"{"title": "Release", "dry_run": true, "steps": ["#);
    for n in 0.. {
        let step = format!(
            r#"{{"description": "Check the build of part {n} and write down what broke", "priority": "medium", "minutes": {n}, "assignee": null, "tags": ["ci", "part-{n}"]}}"#
        );
        if body.len() + step.len() + 3 > size && n > 0 {
            return body + "]}";
        }
        body.push_str(if n > 0 { ", " } else { "" });
        body.push_str(&step);
    }
    unreachable!("the loop ends by its size");
}

fn write(size: usize) -> String {
    let line = r#"    let total = rows.iter().map(|row| row.amount).sum::<f64>(); // \"all\" rows\n"#;
    format!(r#"{{"path": "src/billing.rs", "content": "{}", "mode": 420}}"#, line.repeat(size / line.len()))
}

/// Nanoseconds of the fastest of many runs.
fn best(mut run: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..200 {
        let start = Instant::now();
        for _ in 0..20 {
            run();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / 20.0);
    }
    best
}

fn main() -> Result<(), toolmend_schema::ToolError> {
    let bodies = [
        ("plan 2 KB", TOOL, plan(2_000)),
        ("plan 20 KB", TOOL, plan(20_000)),
        ("write 2 KB", WRITE, write(2_000)),
        ("write 20 KB", WRITE, write(20_000)),
    ];
    println!(
        "{:<12} {:>7} {:>11} {:>11} {:>6} {:>11}",
        "body", "bytes", "Value ns", "admits ns", "ratio", "notes ns"
    );
    for (name, tool, body) in bodies {
        let tool = Tool::one(tool)?;
        assert_eq!(tool.admits(&body), Admission::Valid);
        let value = best(|| drop(black_box(serde_json::from_str::<serde_json::Value>(black_box(&body)))));
        let admits = best(|| drop(black_box(tool.admits(black_box(&body)))));
        let notes = best(|| drop(black_box(tool.notes(black_box(&body)))));
        println!(
            "{name:<12} {:>7} {value:>11.0} {admits:>11.0} {:>6.2} {notes:>11.0}",
            body.len(),
            admits / value
        );
    }
    Ok(())
}
