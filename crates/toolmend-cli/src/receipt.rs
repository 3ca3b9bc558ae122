//! The receipt as JSON. Keys are sorted, as the fields here are.

use serde::Serialize;
use toolmend::{Clue, Clues, Edit, Evidence, Grade, Note, Outcome, Receipt, Rule, Verdict};

use crate::done::Done;

/// What was done, and on what grounds. The edits count in UTF-8 bytes of the original arguments text;
/// applied to it, they give the new one.
#[derive(Debug, Serialize)]
pub(crate) struct ReceiptJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    edits: Vec<EditJson>,
    ending: &'static str,
    evidence: Vec<&'static str>,
    /// The text that the call was made of. What the rules did there is not in the edits.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<NoteJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    readings: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    rules: Vec<&'static str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    would: Option<Would<'a>>,
}

#[derive(Debug, Serialize)]
struct EditJson {
    end: usize,
    put: String,
    rule: &'static str,
    start: usize,
}

#[derive(Debug, Serialize)]
struct NoteJson<'a> {
    at: &'a str,
    kind: &'static str,
}

/// The repair that a laxer policy would have accepted.
#[derive(Debug, Serialize)]
struct Would<'a> {
    edits: Vec<EditJson>,
    grade: &'static str,
    output: &'a str,
    rules: Vec<&'static str>,
}

impl<'a> ReceiptJson<'a> {
    /// The receipt of what became of `body`.
    pub(crate) fn new(body: &str, evidence: &Evidence<'_>, done: Done<'a>) -> Self {
        let blank = ReceiptJson {
            at: None,
            edits: Vec::new(),
            ending: evidence.ending().name(),
            evidence: clue_names(evidence.clues()),
            found: done.found.map(|found| found.source.as_str()),
            grade: None,
            notes: Vec::new(),
            readings: Vec::new(),
            reason: None,
            rules: Vec::new(),
            verdict: "declined",
            would: None,
        };
        let (grade, rules) = (done.grade().map(Grade::name), done.rules());
        match done.outcome {
            Outcome::Misassembled(fault) => ReceiptJson { reason: Some(fault.name()), ..blank },
            Outcome::UnknownTool => ReceiptJson { reason: Some("unknown-tool"), ..blank },
            Outcome::TooLate => ReceiptJson { reason: Some("too-late"), ..blank },
            Outcome::Judged(Verdict::Intact { notes }) => {
                let verdict = if done.is_repaired() { "mended" } else { "intact" };
                ReceiptJson { grade, notes: notes_json(notes), rules, verdict, ..blank }
            }
            Outcome::Judged(Verdict::Mended { receipt, .. }) => ReceiptJson {
                edits: edits_json(body, receipt),
                ending: receipt.ending.name(),
                evidence: clue_names(receipt.clues),
                grade,
                notes: notes_json(&receipt.notes),
                rules,
                verdict: "mended",
                ..blank
            },
            Outcome::Judged(Verdict::Declined(decline)) => ReceiptJson {
                at: Some(decline.at),
                ending: decline.ending.name(),
                readings: decline.readings.iter().map(String::as_str).collect(),
                reason: Some(decline.reason.name()),
                would: decline.would.as_deref().map(|(output, receipt)| Would {
                    edits: edits_json(body, receipt),
                    grade: receipt.grade.name(),
                    output,
                    rules: rule_names(receipt),
                }),
                ..blank
            },
        }
    }
}

fn edits_json(body: &str, receipt: &Receipt) -> Vec<EditJson> {
    let json =
        |e: Edit| EditJson { end: e.end, put: e.put.into_owned(), rule: e.rule.name(), start: e.start };
    receipt.edits(body).into_iter().map(json).collect()
}

fn notes_json(notes: &[Note]) -> Vec<NoteJson<'_>> {
    notes.iter().map(|note| NoteJson { at: &note.at, kind: note.kind.name() }).collect()
}

/// The rules that changed bytes.
pub(crate) fn rule_names(receipt: &Receipt) -> Vec<&'static str> {
    receipt.rules().into_iter().map(Rule::name).collect()
}

fn clue_names(clues: Clues) -> Vec<&'static str> {
    clues.iter().map(Clue::name).collect()
}
