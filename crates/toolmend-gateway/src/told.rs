//! The words for what became of a call, in logs and metrics.

use toolmend::formats::families;
use toolmend::wire::Outcome;
use toolmend::{Clue, Grade, Receipt, Rule, Verdict};

use crate::inspect::Settled;

/// What became of a call.
#[derive(Debug)]
pub(crate) struct Told<'a> {
    /// `intact`, `mended`, `promoted`, `declined` or `withheld`.
    pub(crate) verdict: &'static str,
    /// The rules that changed bytes.
    pub(crate) rules: Vec<&'static str>,
    /// The grade of the repair.
    pub(crate) grade: Option<&'static str>,
    /// Why it was declined, for people.
    pub(crate) reason: Option<String>,
    /// What it was mended to.
    pub(crate) output: Option<&'a str>,
    /// Where it was found in the text: the mark that it stood behind, or the form that it had.
    pub(crate) mark: Option<&'static str>,
    receipt: Option<&'a Receipt>,
}

/// Edits of a receipt that are told; the rest is counted.
const MAX_TOLD: usize = 32;

impl<'a> Told<'a> {
    pub(crate) fn of(settled: &'a Settled) -> Told<'a> {
        let mut told = Told::of_outcome(&settled.call.outcome);
        if told.verdict == "declined" && settled.call.rewritten {
            told.verdict = "withheld";
        }
        // The turn sees a promoted call as one that the server told itself; what it was made by is known here.
        if let Some(found) = &settled.found {
            told.verdict = if told.verdict == "intact" { "promoted" } else { told.verdict };
            if settled.switched_off.is_none() {
                let rules = found.rules.iter().map(|rule| rule.name());
                told.rules = rules.chain(told.rules).collect();
                told.grade = told.grade.or(found.grade.map(Grade::name));
            }
            told.mark = Some(mark_of(&found.source));
        }
        if let (Some(rule), Outcome::Judged(Verdict::Declined(decline))) =
            (settled.switched_off, &settled.call.outcome)
        {
            let place =
                if settled.found.is_some() { "in the text" } else { &format!("at byte {}", decline.at) };
            told.reason = Some(format!("it needs the rule {}, which is switched off, {place}", rule.name()));
        }
        told
    }

    fn of_outcome(outcome: &'a Outcome) -> Told<'a> {
        let mut told = Told {
            verdict: "declined",
            rules: Vec::new(),
            grade: None,
            reason: None,
            output: None,
            mark: None,
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
        let clues = self.receipt.map(|receipt| receipt.clues).unwrap_or_default();
        clues.iter().map(Clue::name).collect::<Vec<_>>().join(",")
    }
}

/// The longest mark of a family that a call's text begins with; else the form that it has. The words are ours:
/// nothing of the text is told.
fn mark_of(source: &str) -> &'static str {
    let text = source.trim_start();
    let marks = families().iter().flat_map(|family| family.marks).copied();
    let longest = marks.filter(|mark| text.starts_with(mark)).max_by_key(|mark| mark.len());
    longest.unwrap_or(match text.as_bytes() {
        [b'`', ..] => "fence",
        [b'{' | b'[', ..] => "bare JSON",
        _ => "other",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_calls_were_found() {
        for (source, mark) in [
            ("\n<tool_call>\n{\"name\":\"f\"}</tool_call>", "<tool_call>"),
            ("[TOOL_CALLS][{\"name\":\"f\"}]", "[TOOL_CALLS]"),
            ("```json\n{}\n```", "fence"),
            ("{\"name\":\"f\"}", "bare JSON"),
            ("Action: f", "other"),
        ] {
            assert_eq!(mark_of(source), mark, "{source}");
        }
    }
}
