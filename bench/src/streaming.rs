//! A body fed in pieces of four bytes, as a server streams it, against the whole at once.

use toolmend_core::{Evidence, Mender, NoJudge, mend};

use crate::body::members;
use crate::measure::{Effort, Job, interleave};
use crate::pieces;
use crate::report::{Cell, Table};

const SIZE: usize = 256 << 10;
const PIECE: usize = 4;

/// 256 KB in pieces over the same text at once; ratios are to `mend`.
pub fn run(effort: Effort) -> Table {
    let mut table = Table::new(
        "streaming",
        "256 KB in pieces of 4 bytes",
        "Nanoseconds a byte, and times `mend` on the same text at once. Bar: at most 3 times.",
        vec!["at once".into(), "in pieces".into()],
    );
    let members = members(SIZE, 1);
    let texts = [
        ("valid", format!("{{{members}}}")),
        ("trailing comma", format!("{{{members},}}")),
        ("code fence and trailing comma", format!("```json\n{{{members},}}\n```")),
        ("a comma too many at the beginning", format!("{{\"first\": 1,, {members}}}")),
    ];
    for (name, text) in &texts {
        eprintln!("streaming, {name}");
        let fed = pieces(text, PIECE);
        let jobs = vec![
            Job::new(text.len(), || mend(text, &Evidence::new(), &NoJudge)),
            Job::new(text.len(), || {
                let mut mender = Mender::new();
                for piece in &fed {
                    mender.feed(piece);
                }
                mender.finish(&Evidence::new(), &NoJudge)
            }),
        ];
        let timings = interleave(jobs, effort);
        table.set(name, 0, Cell::ratio(timings[0], &timings[0]));
        table.set(name, 1, Cell::ratio(timings[1], &timings[0]));
    }
    table
}
