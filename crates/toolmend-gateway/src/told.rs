//! The words for what became of a call, in logs and metrics.

use toolmend::wire::Outcome;
use toolmend::{Receipt, Rule, Verdict};

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
    receipt: Option<&'a Receipt>,
}

/// Edits of a receipt that are told; the rest is counted.
const MAX_TOLD: usize = 32;

impl<'a> Told<'a> {
    pub(crate) fn of(outcome: &'a Outcome) -> Told<'a> {
        let mut told = Told {
            verdict: "declined",
            rules: Vec::new(),
            grade: None,
            reason: None,
            output: None,
            receipt: None,
        };
        match outcome {
            Outcome::Judged(Verdict::Mended { output, receipt }) => {
                told.verdict = "mended";
                told.rules = receipt.rules().into_iter().map(Rule::name).collect();
                told.grade = Some(receipt.grade.name());
                told.output = Some(output);
                told.receipt = Some(receipt);
            }
            Outcome::Judged(Verdict::Intact { .. }) => told.verdict = "intact",
            Outcome::Judged(Verdict::Declined(decline)) => {
                told.reason = Some(format!("{} at byte {}", decline.reason, decline.at));
            }
            other => told.reason = Some(other.to_string()),
        }
        told
    }

    /// Which rule touched which bytes of `body`, as `trailing-comma 15..16`. What was put there is the model's
    /// word and not told.
    pub(crate) fn edits(&self, body: &str) -> String {
        let edits = self.receipt.map(|receipt| receipt.edits(body)).unwrap_or_default();
        let mut told: Vec<String> = edits
            .iter()
            .take(MAX_TOLD)
            .map(|edit| format!("{} {}..{}", edit.rule.name(), edit.start, edit.end))
            .collect();
        if edits.len() > MAX_TOLD {
            told.push(format!("and {} more", edits.len() - MAX_TOLD));
        }
        told.join(", ")
    }

    /// What the ending was taken from.
    pub(crate) fn clues(&self) -> String {
        let clues = self.receipt.map(|receipt| &receipt.clues[..]).unwrap_or_default();
        clues.iter().map(|clue| clue.name()).collect::<Vec<_>>().join(",")
    }
}
