//! `batch`: many bodies, one JSON record a line in, one answer a line out, in the same order.
//!
//! ```text
//! input ─ Lines ─▶ chunks ─▶ worker ─▶ answers ─▶ output
//!        (reader   (bytes   worker    (in the     (this
//!         thread)   bounded)  …        input's     thread)
//!                                      order)
//! ```
//!
//! A line is answered by itself, whatever stands on the others: a record that cannot be read gets an
//! answer that says so, and the rest goes on.

mod answer;
mod lines;
mod pipeline;
mod progress;
mod record;
mod request;

use crate::failure::{Exit, Failure};
use crate::input::Input;
use crate::options::Batch;
use crate::output::Output;
use crate::say::Plain;
use answer::{Answers, Clerk};
use lines::Lines;
use progress::Progress;

/// How many faulty lines are reported one by one on standard error; their answers all say it too.
const MAX_TOLD: u64 = 10;

/// Reads, mends, and answers.
pub(crate) fn run(options: Batch) -> Result<Exit, Failure> {
    let input = options.source.open()?;
    let mut progress = Progress::new(input.length, options.source.is_terminal());
    let mut lines = Lines::new(input);
    lines.check_text()?;
    let output = Output::named(options.output, &options.source)?;
    progress.share_terminal(output.is_terminal());
    let clerk = Clerk { policy: options.policy, promote: options.promote };
    let mut report = Report { output, progress, source: options.source.to_string(), seen: Seen::default() };
    pipeline::run(options.jobs, lines, move |chunk| clerk.answer(chunk), |answers| report.file(&answers))?;
    report.close();
    Ok(report.seen.exit())
}

/// What has been answered so far.
#[derive(Debug, Default)]
struct Seen {
    intact: u64,
    mended: u64,
    declined: u64,
    /// Lines that are no record that can be read.
    faulty: u64,
    /// Records that name a model of no known family.
    strange_models: u64,
    /// The first of them.
    strange_model: Option<String>,
}

impl Seen {
    fn exit(&self) -> Exit {
        if self.declined + self.faulty == 0 { Exit::Good } else { Exit::Declined }
    }
}

/// Writes the answers, in order, and tells people how it goes.
struct Report {
    output: Output,
    progress: Progress,
    source: String,
    seen: Seen,
}

impl Report {
    fn file(&mut self, answers: &Answers) -> Result<(), Failure> {
        let seen = &mut self.seen;
        seen.intact += answers.intact;
        seen.mended += answers.mended;
        seen.declined += answers.declined;
        for fault in &answers.faults {
            seen.faulty += 1;
            if seen.faulty <= MAX_TOLD {
                self.progress.say(&format!("{}: {}", self.source, Plain(fault)));
            }
        }
        seen.strange_models += answers.strange_models;
        if seen.strange_model.is_none() {
            seen.strange_model.clone_from(&answers.strange_model);
        }
        let so_far = seen.exit();
        let output = &mut self.output;
        self.progress.around(|| output.put(&answers.json, so_far))?;
        self.progress.advance(answers.bytes);
        Ok(())
    }

    /// What is to be said at the end.
    fn close(&mut self) {
        let Seen { intact, mended, declined, faulty, strange_models, strange_model } = &self.seen;
        if *faulty > MAX_TOLD {
            let more = faulty - MAX_TOLD;
            self.progress.say(&format!("{}: {more} more lines are no records that can be read", self.source));
        }
        if let Some(name) = strange_model {
            self.progress.say(&format!(
                "note: {strange_models} records name a model in no known family (the first: {:?}), so the general rules applied to them",
                Plain(name).to_string()
            ));
        }
        if intact + mended + declined + faulty == 0 {
            self.progress.say(&format!("note: {} holds no records", self.source));
        }
        self.progress
            .finish(&format!("{intact} intact, {mended} mended, {declined} declined, {faulty} unreadable"));
    }
}

impl pipeline::Work for Lines<Input> {
    type Job = lines::Chunk;

    fn next(&mut self) -> Result<Option<lines::Chunk>, Failure> {
        self.next_chunk()
    }
}
