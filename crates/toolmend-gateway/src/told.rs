//! The words for what became of a call, in logs and metrics.

use toolmend::wire::Outcome;
use toolmend::{Rule, Verdict};

/// What became of a call.
#[derive(Debug)]
pub(crate) struct Told<'a> {
    /// `intact`, `mended` or `declined`.
    pub(crate) verdict: &'static str,
    /// The rules that changed bytes.
    pub(crate) rules: Vec<&'static str>,
    /// The grade of the repair.
    pub(crate) grade: Option<&'static str>,
    /// Why it was declined, for people.
    pub(crate) reason: Option<String>,
    /// What it was mended to.
    pub(crate) output: Option<&'a str>,
}

impl<'a> Told<'a> {
    pub(crate) fn of(outcome: &'a Outcome) -> Told<'a> {
        let mut told =
            Told { verdict: "declined", rules: Vec::new(), grade: None, reason: None, output: None };
        match outcome {
            Outcome::Judged(Verdict::Mended { output, receipt }) => {
                told.verdict = "mended";
                told.rules = receipt.rules().into_iter().map(Rule::name).collect();
                told.grade = Some(receipt.grade.name());
                told.output = Some(output);
            }
            Outcome::Judged(Verdict::Intact { .. }) => told.verdict = "intact",
            Outcome::Judged(Verdict::Declined(decline)) => {
                told.reason = Some(format!("{} at byte {}", decline.reason, decline.at));
            }
            other => told.reason = Some(other.to_string()),
        }
        told
    }
}
