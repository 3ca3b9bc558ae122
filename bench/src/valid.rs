//! Valid bodies: what it costs that most calls pass through.

use serde::de::IgnoredAny;
use toolmend_core::{Evidence, Mender, NoJudge, Verdict, mend};

use crate::body::{body, varied};
use crate::measure::{Effort, Job, interleave};
use crate::report::{Cell, Table};
use crate::{SIZES, pieces, size_name};

const YARDSTICK: &str = "serde_json `IgnoredAny`";

/// Valid bodies of every size; ratios are to `IgnoredAny`.
pub fn run(effort: Effort) -> Table {
    let mut table = Table::new(
        "valid",
        "Valid bodies",
        "Nanoseconds a byte, and times `IgnoredAny`. Bar: `mend` at most 1.0 times.",
        SIZES.iter().map(|&size| size_name(size)).collect(),
    );
    for (column, &size) in SIZES.iter().enumerate() {
        eprintln!("valid bodies, {}", size_name(size));
        let bodies = varied(size, |seed| body(size, seed));
        let intact = |body| matches!(mend(body, &Evidence::new(), &NoJudge), Verdict::Intact { .. });
        assert!(bodies.iter().all(|body| intact(body)), "valid bodies are intact");
        let (names, jobs): (Vec<_>, Vec<_>) = jobs(&bodies).into_iter().unzip();
        let timings = interleave(jobs, effort);
        for (name, timing) in names.iter().zip(&timings) {
            table.set(name, column, Cell::ratio(*timing, &timings[0]));
        }
    }
    table
}

fn jobs(bodies: &[String]) -> Vec<(&'static str, Job<'_>)> {
    let n = bodies.iter().map(String::len).sum();
    vec![
        (YARDSTICK, Job::through(n, bodies, |body| serde_json::from_str::<IgnoredAny>(body).is_ok())),
        ("**toolmend `mend`**", Job::through(n, bodies, |body| mend(body, &Evidence::new(), &NoJudge))),
        ("**toolmend `Mender`**, one piece", fed(n, bodies.iter().map(|body| vec![&**body]).collect())),
        (
            "**toolmend `Mender`**, pieces of 16 bytes",
            fed(n, bodies.iter().map(|body| pieces(body, 16)).collect()),
        ),
        (
            "sonic-rs `LazyValue` (skips)",
            Job::through(n, bodies, |body| sonic_rs::from_str::<sonic_rs::LazyValue>(body).is_ok()),
        ),
        (
            "sonic-rs `IgnoredAny`",
            Job::through(n, bodies, |body| sonic_rs::from_str::<IgnoredAny>(body).is_ok()),
        ),
        ("serde_json `Value`", Job::through(n, bodies, serde_json::from_str::<serde_json::Value>)),
    ]
}

/// The bodies through a `Mender`, each in its pieces.
fn fed<'a>(bytes: usize, bodies: Vec<Vec<&'a str>>) -> Job<'a> {
    Job::new(bytes, move || {
        for pieces in &bodies {
            let mut mender = Mender::new();
            for piece in pieces {
                mender.feed(piece);
            }
            std::hint::black_box(mender.finish(&Evidence::new(), &NoJudge));
        }
    })
}
