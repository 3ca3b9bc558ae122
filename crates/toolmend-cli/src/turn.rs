//! A turn as one JSON object: what `repair --as turn` prints, and what `batch` answers to one.

use serde::Serialize;
use toolmend::wire::Recorded;
use toolmend::{Grade, Outcome, SettledCall, TextCall, Verdict};

use crate::done::Done;

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

/// The turn as a line of JSON. `found` tells of each call what text it was made of, if it was.
pub(crate) fn json(
    turn: &Recorded,
    settled: &[SettledCall],
    found: &[Option<TextCall>],
    max_tokens: Option<u64>,
) -> Vec<u8> {
    let mut json = serde_json::to_vec(&TurnJson::new(turn, settled, found, max_tokens))
        .expect("strings and numbers are always JSON");
    json.push(b'\n');
    json
}

impl<'a> TurnJson<'a> {
    pub(crate) fn new(
        turn: &'a Recorded,
        settled: &'a [SettledCall],
        found: &[Option<TextCall>],
        max_tokens: Option<u64>,
    ) -> Self {
        let found = found.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        let calls = turn.calls.iter().zip(settled).zip(found);
        TurnJson {
            protocol: turn.protocol.name(),
            model: turn.model.as_deref(),
            content: &turn.content,
            reasoning: &turn.reasoning,
            calls: calls
                .map(|((call, settled), found)| {
                    CallJson::new(settled, found, turn.evidence(call, max_tokens).ending().name())
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
    fn new(call: &'a SettledCall, found: Option<&TextCall>, ending: &'static str) -> Self {
        let done = Done { outcome: &call.outcome, found };
        let blank = CallJson {
            choice: call.choice,
            index: call.index,
            id: call.id.as_deref(),
            name: &call.name,
            arguments: call.arguments().unwrap_or(&call.body),
            verdict: "declined",
            grade: done.grade().map(Grade::name),
            rules: done.rules(),
            ending,
            reason: None,
        };
        match &call.outcome {
            Outcome::Judged(Verdict::Intact { .. } | Verdict::Mended { .. }) => {
                CallJson { verdict: if done.is_repaired() { "mended" } else { "intact" }, ..blank }
            }
            Outcome::Judged(Verdict::Declined(decline)) => {
                CallJson { reason: Some(decline.reason.name()), ..blank }
            }
            Outcome::Misassembled(fault) => CallJson { reason: Some(fault.name()), ..blank },
            Outcome::UnknownTool => CallJson { reason: Some("unknown-tool"), ..blank },
            Outcome::TooLate => CallJson { reason: Some("too-late"), ..blank },
        }
    }
}
