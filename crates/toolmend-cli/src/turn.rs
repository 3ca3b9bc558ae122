//! A turn as one JSON object: what `repair --as turn` prints, and what `batch` answers to one.

use serde::Serialize;
use toolmend::wire::Recorded;
use toolmend::{Outcome, SettledCall, Verdict};

use crate::receipt::rule_names;

/// The turn, in the order in which it is read.
#[derive(Debug, Serialize)]
pub(crate) struct TurnJson<'a> {
    protocol: &'static str,
    model: Option<&'a str>,
    content: &'a str,
    reasoning: &'a str,
    calls: Vec<CallJson<'a>>,
    finish_reason: Option<&'a str>,
    ending: &'static str,
    usage: Option<UsageJson>,
}

#[derive(Debug, Serialize)]
struct CallJson<'a> {
    choice: u32,
    index: u32,
    id: Option<&'a str>,
    name: &'a str,
    /// The text to run it with; of a declined call, the text that the model wrote.
    arguments: &'a str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<&'static str>,
    rules: Vec<&'static str>,
    ending: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct UsageJson {
    input_tokens: Option<u64>,
    output_tokens: u64,
}

/// The turn as a line of JSON.
pub(crate) fn json(turn: &Recorded, settled: &[SettledCall], max_tokens: Option<u64>) -> Vec<u8> {
    let mut json = serde_json::to_vec(&TurnJson::new(turn, settled, max_tokens))
        .expect("strings and numbers are always JSON");
    json.push(b'\n');
    json
}

impl<'a> TurnJson<'a> {
    pub(crate) fn new(turn: &'a Recorded, settled: &'a [SettledCall], max_tokens: Option<u64>) -> Self {
        let calls = turn.calls.iter().zip(settled);
        TurnJson {
            protocol: turn.protocol.name(),
            model: turn.model.as_deref(),
            content: &turn.content,
            reasoning: &turn.reasoning,
            calls: calls
                .map(|(call, settled)| {
                    CallJson::new(settled, turn.evidence(call, max_tokens).ending().name())
                })
                .collect(),
            finish_reason: turn.finish.word(),
            ending: turn.ending(max_tokens).name(),
            usage: turn.usage.map(|usage| UsageJson {
                input_tokens: usage.input_tokens,
                output_tokens: usage.output_tokens,
            }),
        }
    }
}

impl<'a> CallJson<'a> {
    fn new(call: &'a SettledCall, ending: &'static str) -> Self {
        let blank = CallJson {
            choice: call.choice,
            index: call.index,
            id: call.id.as_deref(),
            name: &call.name,
            arguments: call.arguments().unwrap_or(&call.body),
            verdict: "declined",
            grade: None,
            rules: Vec::new(),
            ending,
            reason: None,
        };
        match &call.outcome {
            Outcome::Judged(Verdict::Intact { .. }) => CallJson { verdict: "intact", ..blank },
            Outcome::Judged(Verdict::Mended { receipt, .. }) => CallJson {
                verdict: "mended",
                grade: Some(receipt.grade.name()),
                rules: rule_names(receipt),
                ..blank
            },
            Outcome::Judged(Verdict::Declined(decline)) => {
                CallJson { reason: Some(decline.reason.name()), ..blank }
            }
            Outcome::Misassembled(fault) => CallJson { reason: Some(fault.name()), ..blank },
            Outcome::UnknownTool => CallJson { reason: Some("unknown-tool"), ..blank },
            Outcome::TooLate => CallJson { reason: Some("too-late"), ..blank },
        }
    }
}
