//! The lines about a call on standard error.

use std::fmt::{self, Write};

use toolmend::{Ending, Grade, Note, Outcome, Verdict};

use crate::done::Done;
use crate::receipt::rule_names;
use crate::say::Plain;

/// What stands in a column that has nothing to say.
const NOTHING: &str = "-";

/// `repaired: <name>: <rules> <grade> <ending> <in>→<out> bytes`, and `intact:` and `declined:` likewise.
///
/// A declined call also gets its reason, and the readings between which nothing decided; above the
/// policy, rules and grade are those of the repair that it would have been. Such a call is used as it is,
/// so its two sizes are the same. One that was made of text says so, and its first size is that of the text.
pub(crate) fn line(name: &str, body: &str, ending: Ending, done: Done<'_>) -> String {
    let before = done.found.map_or(body.len(), |found| found.source.len());
    let columns = |word, rules: Vec<&str>, grade: Option<Grade>, ending, after| {
        let rules = if rules.is_empty() { NOTHING.into() } else { rules.join(",") };
        let grade = grade.map_or(NOTHING, Grade::name);
        let found = if done.found.is_some() { ", found in the text" } else { "" };
        format!("{word}: {}: {rules} {grade} {ending} {before}→{after} bytes{found}", Called(name))
    };
    let word = if done.is_repaired() { "repaired" } else { "intact" };
    match done.outcome {
        Outcome::Judged(Verdict::Intact { notes }) => {
            columns(word, done.rules(), done.grade(), ending, body.len()) + &noticed(notes)
        }
        Outcome::Judged(Verdict::Mended { output, receipt }) => {
            columns(word, done.rules(), done.grade(), receipt.ending, output.len()) + &noticed(&receipt.notes)
        }
        Outcome::Judged(Verdict::Declined(decline)) => {
            let would = decline.would.as_deref().map(|(_, receipt)| receipt);
            let rules = would.map(rule_names).unwrap_or_default();
            let line = columns("declined", rules, would.map(|r| r.grade), decline.ending, body.len());
            let readings: Vec<String> = decline.readings.iter().map(|r| Plain(r).to_string()).collect();
            let shown = if readings.is_empty() { "" } else { "; readings: " };
            format!("{line}, {}{shown}{}", Because(done.outcome), readings.join(" | "))
        }
        Outcome::Misassembled(_) | Outcome::UnknownTool | Outcome::TooLate => {
            let line = columns("declined", Vec::new(), None, ending, body.len());
            format!("{line}, {}", Because(done.outcome))
        }
    }
}

/// `repair failed: <name>: <reason> at byte N`, where it did.
pub(crate) fn failed(name: Option<&str>, outcome: &Outcome) -> Option<String> {
    if matches!(outcome, Outcome::Judged(Verdict::Intact { .. } | Verdict::Mended { .. })) {
        return None;
    }
    let name = name.map(|name| format!("{}: ", Called(name))).unwrap_or_default();
    Some(format!("repair failed: {name}{}", Because(outcome)))
}

fn noticed(notes: &[Note]) -> String {
    let mut text = String::new();
    for note in notes {
        let _ = write!(text, ", {}", note.kind.name());
        if !note.at.is_empty() {
            let _ = write!(text, " at {}", Plain(&note.at));
        }
    }
    text
}

/// A tool's name on a line.
struct Called<'a>(&'a str);

impl fmt::Display for Called<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Plain(if self.0.is_empty() { "(no name)" } else { self.0 }).fmt(f)
    }
}

/// Why a call was declined, and where in its body.
struct Because<'a>(&'a Outcome);

impl fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Outcome::Judged(Verdict::Declined(decline)) => {
                write!(f, "{} at byte {}", Plain(&decline.reason.to_string()), decline.at)
            }
            // The fault names its own place, where it has one.
            Outcome::Misassembled(fault) => Plain(&fault.to_string()).fmt(f),
            Outcome::UnknownTool => f.write_str("no such tool was offered"),
            Outcome::TooLate => f.write_str("the repair would change what was sent already"),
            Outcome::Judged(_) => Ok(()),
        }
    }
}
