//! A code fence around the body and a comma too many: the commonest repair.

use serde::de::IgnoredAny;
use toolmend_core::{Evidence, NoJudge, mend};

use crate::body::{body, varied};
use crate::measure::{Effort, Job, interleave};
use crate::peers::Peer;
use crate::report::{Cell, Table};
use crate::{SIZES, size_name};

/// The fence and the comma at every size; ratios are to `IgnoredAny` on the repaired bytes.
pub fn run(peers: &[Peer], effort: Effort) -> Table {
    let mut table = Table::new(
        "repair",
        "Code fence and trailing comma, certificate included",
        "Nanoseconds a byte, and times `IgnoredAny` on the repaired bytes. Bar: `mend` at most 3 times, \
         aim 2. The Node.js and Python peers take their times inside their own process. In brackets how often a \
         peer made another value of a body.",
        SIZES.iter().map(|&size| size_name(size)).collect(),
    );
    for (column, &size) in SIZES.iter().enumerate() {
        eprintln!("fence and trailing comma, {}", size_name(size));
        let repaired = varied(size, |seed| body(size, seed));
        let faulty: Vec<String> =
            repaired.iter().map(|body| format!("```json\n{},}}\n```", &body[..body.len() - 1])).collect();
        for (faulty, repaired) in faulty.iter().zip(&repaired) {
            let verdict = mend(faulty, &Evidence::new(), &NoJudge);
            assert_eq!(verdict.text(faulty), Some(&**repaired), "toolmend repairs the body");
        }
        measure(&mut table, column, peers, &faulty, &repaired, effort);
    }
    table
}

fn measure(
    table: &mut Table,
    column: usize,
    peers: &[Peer],
    faulty: &[String],
    repaired: &[String],
    effort: Effort,
) {
    let n = repaired.iter().map(String::len).sum();
    let mut names = vec!["serde_json `IgnoredAny`, repaired bytes", "**toolmend `mend`**"];
    let mut remarks = vec![String::new(); 2];
    let mut jobs = vec![
        Job::through(n, repaired, |text| serde_json::from_str::<IgnoredAny>(text).is_ok()),
        Job::through(n, faulty, |text| mend(text, &Evidence::new(), &NoJudge)),
    ];
    for peer in peers {
        if let Some((job, remark)) = peer.judged_job(faulty, repaired, n) {
            names.push(&peer.name);
            remarks.push(remark);
            jobs.push(job);
        } else {
            table.set(&peer.name, column, Cell::Text("not repaired".into()));
        }
    }
    let timings = interleave(jobs, effort);
    for ((name, remark), timing) in names.iter().zip(remarks).zip(&timings) {
        table.set(name, column, Cell::ratio_with(*timing, &timings[0], remark));
    }
}
