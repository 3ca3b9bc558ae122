//! Intact bodies checked against their tool's schema, and the whole of what is done to them with it.

use serde_json::Value;
use toolmend_core::{Admission, Evidence, Judge, Verdict, mend};
use toolmend_schema::Tool;

use crate::body::varied;
use crate::measure::{Effort, Job, interleave};
use crate::peers::{self, Peer};
use crate::report::{Cell, Table};
use crate::{size_name, tools};

const SIZES: [usize; 2] = [2_000, 20_000];

/// The calls of each tool at every size; ratios are to parsing them into a `Value`.
pub fn run(effort: Effort) -> Table {
    let columns =
        tools::ALL.iter().flat_map(|tool| SIZES.map(|size| format!("{}, {}", tool.kind, size_name(size))));
    let mut table = Table::new(
        "schema",
        "Intact bodies with their tool's schema",
        "Nanoseconds a byte, and times serde_json's `Value`. Schemas are compiled before, where the library lets \
         them be. Bar: the check alone at most 2 times. The Python peers take their times inside their own process. \
         In brackets how often a peer made another value of a body.",
        columns.collect(),
    );
    for (number, tool) in tools::ALL.iter().enumerate() {
        let peers = peers::with_types(tool.file);
        for (at, &size) in SIZES.iter().enumerate() {
            eprintln!("calls of a tool, {}, {}", tool.kind, size_name(size));
            let bodies = varied(size, |seed| (tool.call)(size, seed));
            measure(&mut table, number * SIZES.len() + at, tool, &peers, &bodies, effort);
        }
    }
    table
}

fn measure(
    table: &mut Table,
    column: usize,
    of: &tools::Tool,
    peers: &[(&'static str, Option<Peer>)],
    bodies: &[String],
    effort: Effort,
) {
    let tool = Tool::one(of.json).expect("the tool is one");
    let name = tool.name().unwrap_or_default();
    let validator = jsonschema::validator_for(&schema(of)).expect("the schema is one");
    let evidence = Evidence::new().tool(name);
    for body in bodies {
        assert_eq!(tool.admits(body), Admission::Valid, "the schema admits the call");
        assert!(matches!(mend(body, &evidence, &tool), Verdict::Intact { .. }), "the call is intact");
        assert!(value(body).is_ok_and(|value| validator.is_valid(&value)), "jsonschema admits the call");
    }
    let n = bodies.iter().map(String::len).sum();
    let mut names = vec![
        "serde_json `Value`",
        "**toolmend `Tool::admits`**, the check alone",
        "**toolmend `mend`**, with the tool",
        "serde_json `Value`, then jsonschema",
    ];
    let mut remarks = vec![String::new(); names.len()];
    let mut jobs = vec![
        Job::through(n, bodies, value),
        Job::through(n, bodies, |body| tool.admits(body)),
        Job::through(n, bodies, |body| mend(body, &evidence, &tool)),
        Job::through(n, bodies, |body| value(body).is_ok_and(|value| validator.is_valid(&value))),
    ];
    let mut absent = Vec::new();
    for (name, peer) in peers {
        match peer.as_ref().map(|peer| peer.judged_job(bodies, bodies, n)) {
            Some(Some((job, remark))) => {
                names.push(name);
                remarks.push(remark);
                jobs.push(job);
            }
            Some(None) => absent.push((name, "an error")),
            None => absent.push((name, "not installed")),
        }
    }
    let timings = interleave(jobs, effort);
    for ((name, remark), timing) in names.iter().zip(remarks).zip(&timings) {
        table.set(name, column, Cell::ratio_with(*timing, &timings[0], remark));
    }
    for (name, why) in absent {
        table.set(name, column, Cell::Text(why.into()));
    }
}

fn value(body: &str) -> serde_json::Result<Value> {
    serde_json::from_str(body)
}

/// The schema of the tool's parameters.
fn schema(tool: &tools::Tool) -> Value {
    let mut described = value(tool.json).expect("the tool's description is JSON");
    described["input_schema"].take()
}

#[cfg(test)]
mod tests {
    use super::value;

    /// A dependency may turn on features that make the unit dearer: digits or the order of keys kept.
    #[test]
    fn the_unit_is_plain() {
        assert_eq!(value(r#"{"b": 1.10, "a": 1}"#).unwrap().to_string(), r#"{"a":1,"b":1.1}"#);
    }
}
