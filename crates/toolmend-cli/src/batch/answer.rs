//! What `batch` answers to a record.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;
use serde_json::value::RawValue;
use toolmend::formats::{Parts, Promote};
use toolmend::wire::Recorder;
use toolmend::{
    Edit, Ending, Outcome, Policy, Receipt, SettledCall, TextCall, TextReader, Toolmend, Verdict,
};
use toolmend_schema::Tool;

use super::lines::Chunk;
use super::record::{self, Malformed, Record, Said};
use super::request::Text;
use crate::model::General;
use crate::receipt::rule_names;
use crate::tools::mend_body;
use crate::turn::TurnJson;

/// Answers records. One for all workers.
pub(crate) struct Clerk {
    pub(crate) policy: Policy,
    pub(crate) promote: Promote,
}

/// The answers to a chunk, and what they come to.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// One line each.
    pub(crate) json: Vec<u8>,
    /// How many bytes of the input are answered.
    pub(crate) bytes: u64,
    pub(crate) intact: u64,
    pub(crate) mended: u64,
    pub(crate) declined: u64,
    /// What is wrong with lines that are no records.
    pub(crate) faults: Vec<String>,
    /// How many records name a model of no known family, and the first such name.
    pub(crate) strange_models: u64,
    pub(crate) strange_model: Option<String>,
}

impl Clerk {
    /// Answers every line of the chunk, in order.
    pub(crate) fn answer(&self, chunk: Chunk) -> Answers {
        let mut answers = Answers { bytes: chunk.bytes, ..Answers::default() };
        for line in &chunk.lines {
            match record::read(line) {
                Ok(record) => self.mend(&record, &mut answers),
                Err(malformed) => {
                    let Malformed { id, what } = malformed;
                    answers.put(&ErrorJson { id, error: &what });
                    answers.faults.push(what);
                }
            }
        }
        answers
    }

    fn mend(&self, record: &Record<'_>, answers: &mut Answers) {
        match &record.said {
            Said::Arguments(body) => self.mend_body(record, body, answers),
            Said::Turn(body) => self.mend_turn(record, body, answers),
            Said::Text(text) => self.read_text(record, text, answers),
        }
    }

    /// A turn speaks for itself; the record adds the tools, the cap, and the model where the turn names none.
    fn mend_turn(&self, record: &Record<'_>, body: &str, answers: &mut Answers) {
        let mut recorder = Recorder::new();
        let turn = match recorder.push(body.as_bytes()).and_then(|()| recorder.finish()) {
            Ok(turn) => turn,
            Err(error) => {
                let what = format!("\"body\": {error}");
                answers.put(&ErrorJson { id: record.id, error: &what });
                answers.faults.push(what);
                return;
            }
        };
        let model = record.model.as_deref().or(turn.model.as_deref()).unwrap_or_default();
        let mender = Toolmend::new().policy(self.policy).model(model).tools(record.tools.iter().cloned());
        let cap = record.usage.max_tokens;
        let settled = mender.turn(&turn, cap);
        let any = |name: &str| settled.iter().any(|call| verdict_of(call) == name);
        let verdict = ["declined", "mended"].into_iter().find(|name| any(name)).unwrap_or("intact");
        *match verdict {
            "declined" => &mut answers.declined,
            "mended" => &mut answers.mended,
            _ => &mut answers.intact,
        } += 1;
        let turn = TurnJson::new(&turn, &settled, &[], cap);
        answers.put(&TurnAnswerJson { id: record.id, verdict, ok: verdict != "declined", turn });
    }

    /// Whose rules a record is under; notes a model of no known family.
    fn mender(&self, record: &Record<'_>, answers: &mut Answers) -> Toolmend<'static> {
        let mut mender = Toolmend::new().policy(self.policy);
        if let Some(model) = &record.model {
            mender = mender.model(model);
            if General::of(&mender, model).is_some() {
                answers.strange_models += 1;
                answers.strange_model.get_or_insert_with(|| model.clone());
            }
        }
        mender
    }

    fn mend_body(&self, record: &Record<'_>, body: &str, answers: &mut Answers) {
        let mender = self.mender(record, answers);
        let evidence = record.evidence();
        let ending = evidence.ending();
        let tool = record.tools.first();
        let verdict = mend_body(mender, tool.and_then(Tool::name), tool, body, evidence);
        match &verdict {
            Verdict::Intact { .. } => answers.intact += 1,
            Verdict::Mended { .. } => answers.mended += 1,
            Verdict::Declined(_) => answers.declined += 1,
        }
        answers.put(&AnswerJson::new(record.id, body, ending, &verdict));
    }

    fn read_text(&self, record: &Record<'_>, text: &Text, answers: &mut Answers) {
        let mender = self.mender(record, answers);
        let ending = record.evidence().ending();
        let mender = mender.tools(text.choice.of(&record.tools));
        let mut reader = mender.reader().promote(self.promote).parallel(text.parallel).prefill(&text.prefill);
        let mut parts = Parts::default();
        for piece in &text.pieces {
            reader.push(piece, &mut |event| parts.take(event));
        }
        reader.finish(ending, &mut |event| parts.take(event));
        let parts = parts.end();
        if parts.calls.is_empty() {
            answers.intact += 1;
        } else {
            answers.mended += 1;
        }
        answers.put(&TextJson::new(record.id, ending, &parts));
    }
}

impl Answers {
    fn put(&mut self, answer: &impl Serialize) {
        let mut json = serde_json::Serializer::with_formatter(&mut self.json, OneLine);
        answer.serialize(&mut json).expect("strings and numbers are always JSON");
        self.json.push(b'\n');
    }
}

/// Compact JSON in which a line is a line to every reader. To some, the Unicode line separators end one,
/// too (Python's `splitlines` is such a reader), so they are written as escapes.
struct OneLine;

impl Formatter for OneLine {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        if !rest.is_ascii() {
            while let Some(at) = rest.find(['\u{85}', '\u{2028}', '\u{2029}']) {
                let (before, from) = rest.split_at(at);
                out.write_all(before.as_bytes())?;
                let mut chars = from.chars();
                if let Some(separator) = chars.next() {
                    write!(out, "\\u{:04x}", u32::from(separator))?;
                }
                rest = chars.as_str();
            }
        }
        out.write_all(rest.as_bytes())
    }
}

/// The answer to a record. The fields and their order are the contract.
#[derive(Serialize)]
struct AnswerJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    verdict: &'static str,
    ok: bool,
    output: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<&'static str>,
    rules: Vec<&'static str>,
    edits: Vec<EditJson>,
    ending: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// The answer to an assistant's text.
#[derive(Serialize)]
struct TextJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    /// `mended` where calls were made of it, else `intact`.
    verdict: &'static str,
    ok: bool,
    /// Always null, and the edits none: these are a body's.
    output: Option<&'a str>,
    rules: Vec<&'static str>,
    edits: Vec<EditJson>,
    content: &'a str,
    reasoning: Option<&'a str>,
    calls: Vec<CallJson<'a>>,
    ending: &'static str,
}

/// A call that was made of a text.
#[derive(Serialize)]
struct CallJson<'a> {
    name: &'a str,
    arguments: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    /// `intact` where the call stood as its format writes it.
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<&'static str>,
    rules: Vec<&'static str>,
}

impl<'a> TextJson<'a> {
    fn new(id: Option<&'a RawValue>, ending: Ending, parts: &'a Parts) -> Self {
        let call = |call: &'a TextCall| CallJson {
            name: &call.name,
            arguments: &call.arguments,
            id: call.id.as_deref(),
            verdict: if call.rules.is_empty() { "intact" } else { "mended" },
            grade: call.grade.map(toolmend::Grade::name),
            rules: call.rules.iter().map(|rule| rule.name()).collect(),
        };
        TextJson {
            id,
            verdict: if parts.calls.is_empty() { "intact" } else { "mended" },
            ok: true,
            output: None,
            rules: rules(&parts.calls),
            edits: Vec::new(),
            content: &parts.content,
            reasoning: Some(parts.reasoning.as_str()).filter(|text| !text.is_empty()),
            calls: parts.calls.iter().map(call).collect(),
            ending: ending.name(),
        }
    }
}

/// The rules that mended any of the calls, each once.
fn rules(calls: &[TextCall]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for rule in calls.iter().flat_map(|call| &call.rules) {
        if !names.contains(&rule.name()) {
            names.push(rule.name());
        }
    }
    names
}

/// The answer to a record that holds a whole turn. `verdict` is that of its worst call.
#[derive(Serialize)]
struct TurnAnswerJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    verdict: &'static str,
    ok: bool,
    #[serde(flatten)]
    turn: TurnJson<'a>,
}

/// Counts in UTF-8 bytes of the decoded text.
#[derive(Serialize)]
struct EditJson {
    start: usize,
    end: usize,
    put: String,
}

/// The answer to a line that is no record.
#[derive(Serialize)]
struct ErrorJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    error: &'a str,
}

impl<'a> AnswerJson<'a> {
    /// `ending` is what the record's evidence says; the schema or the text may have said more.
    fn new(id: Option<&'a RawValue>, body: &'a str, ending: Ending, verdict: &'a Verdict) -> Self {
        let output = verdict.text(body);
        let blank = AnswerJson {
            id,
            verdict: verdict.name(),
            ok: output.is_some(),
            output,
            grade: None,
            rules: Vec::new(),
            edits: Vec::new(),
            ending: ending.name(),
            reason: None,
        };
        match verdict {
            Verdict::Intact { .. } => blank,
            Verdict::Mended { receipt, .. } => AnswerJson {
                grade: Some(receipt.grade.name()),
                rules: rule_names(receipt),
                edits: edits(body, receipt),
                ending: receipt.ending.name(),
                ..blank
            },
            // Above the policy, grade and rules say what it would have been. There are no edits: whoever
            // applied them would run what was declined.
            Verdict::Declined(decline) => AnswerJson {
                grade: decline.would.as_deref().map(|(_, receipt)| receipt.grade.name()),
                rules: decline.would.as_deref().map(|(_, receipt)| rule_names(receipt)).unwrap_or_default(),
                ending: decline.ending.name(),
                reason: Some(decline.reason.name()),
                ..blank
            },
        }
    }
}

fn verdict_of(call: &SettledCall) -> &'static str {
    match &call.outcome {
        Outcome::Judged(verdict) => verdict.name(),
        _ => "declined",
    }
}

fn edits(body: &str, receipt: &Receipt) -> Vec<EditJson> {
    let json = |e: Edit| EditJson { start: e.start, end: e.end, put: e.put.into_owned() };
    receipt.edits(body).into_iter().map(json).collect()
}
