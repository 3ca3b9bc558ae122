//! The turns of `testdata/turns.jsonl`, read and written, in any pieces.

use std::fs;
use std::path::Path;

use serde_json::Value;
use toolmend::wire::{CallReport, Hold, Recorded, Recorder, StreamEnd, Turn, TurnOptions};
use toolmend::{Outcome, Tool, Toolmend, Verdict};

struct Case {
    id: String,
    protocol: String,
    stream: String,
    calls: Vec<Value>,
    finish_reason: Option<String>,
    /// What leaves, where calls wait for their verdict and where they stream.
    written: [String; 2],
}

fn testdata(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cases() -> Vec<Case> {
    let case = |line: &str| {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().map(str::to_owned);
        let stream = text("stream").unwrap();
        let written = |key| match text(key) {
            Some(same) if same == "same" => Some(stream.clone()),
            other => other,
        };
        let call = written("written").unwrap();
        let deviation = written("written_deviation").unwrap_or_else(|| call.clone());
        Case {
            id: text("id").unwrap(),
            protocol: text("protocol").unwrap(),
            calls: case["calls"].as_array().unwrap().clone(),
            finish_reason: text("finish_reason"),
            written: [call, deviation],
            stream,
        }
    };
    testdata("turns.jsonl").lines().map(case).collect()
}

fn judge() -> Toolmend<'static> {
    Toolmend::new().tools(Tool::list(&testdata("turns.tools.json")).unwrap())
}

fn read(bytes: &[u8]) -> Recorded {
    let mut recorder = Recorder::new();
    recorder.push(bytes).unwrap();
    recorder.finish().unwrap()
}

fn write(judge: &Toolmend<'_>, hold: Hold, pieces: &[&[u8]]) -> (String, Vec<CallReport>) {
    let mut turn = Turn::new(TurnOptions { hold, ..TurnOptions::default() }, judge);
    let mut out = Vec::new();
    for piece in pieces {
        turn.push(piece, &mut out);
    }
    turn.finish(StreamEnd::Clean, &mut out);
    assert_eq!(turn.held(), 0);
    (String::from_utf8(out).unwrap(), turn.reports())
}

/// A call as the cases have it.
fn shown(choice: u32, name: &str, arguments: &str, outcome: &Outcome) -> Value {
    let (verdict, reason) = match outcome {
        Outcome::Judged(Verdict::Declined(decline)) => ("declined", Some(decline.reason.name())),
        Outcome::Judged(verdict) => (verdict.name(), None),
        Outcome::Misassembled(fault) => ("declined", Some(fault.name())),
        Outcome::UnknownTool => ("declined", Some("unknown-tool")),
        Outcome::TooLate => ("declined", Some("too-late")),
    };
    let mut call = serde_json::json!({
        "choice": choice, "name": name, "arguments": arguments, "verdict": verdict,
    });
    if let Some(reason) = reason {
        call["reason"] = reason.into();
    }
    call
}

#[test]
fn turns_are_read() {
    let judge = judge();
    for case in cases() {
        let turn = read(case.stream.as_bytes());
        assert_eq!(turn.protocol.name(), case.protocol, "{}", case.id);
        assert_eq!(turn.finish.word(), case.finish_reason.as_deref(), "{}", case.id);
        let settled = judge.turn(&turn, None);
        let calls: Vec<Value> = settled
            .iter()
            .map(|call| {
                let arguments = call.arguments().unwrap_or(&call.body);
                shown(call.choice, &call.name, arguments, &call.outcome)
            })
            .collect();
        assert_eq!(calls, case.calls, "{}", case.id);
    }
}

#[test]
fn turns_are_written_in_any_pieces() {
    let judge = judge();
    for case in cases() {
        let bytes = case.stream.as_bytes();
        for (hold, expected) in [Hold::Call, Hold::Deviation].into_iter().zip(&case.written) {
            let whole = write(&judge, hold, &[bytes]);
            assert_eq!(whole.0, *expected, "{} ({hold:?})", case.id);
            for size in [1, 2, 3, 5, 7, 64] {
                let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
                assert_eq!(write(&judge, hold, &pieces), whole, "{} in pieces of {size} ({hold:?})", case.id);
            }
        }
        let whole = write(&judge, Hold::Call, &[bytes]);
        for at in 0..bytes.len() {
            let (before, behind) = bytes.split_at(at);
            assert_eq!(write(&judge, Hold::Call, &[before, behind]), whole, "{} cut at {at}", case.id);
        }
    }
}

/// What left reads as calls that need no repair, and leaves again as it is.
#[test]
fn what_was_written_is_left_alone() {
    let judge = judge();
    for case in cases() {
        for (hold, written) in [Hold::Call, Hold::Deviation].into_iter().zip(&case.written) {
            let (again, reports) = write(&judge, hold, &[written.as_bytes()]);
            assert_eq!(again, *written, "{} ({hold:?})", case.id);
            let good = |call: &&Value| call["verdict"] != "declined";
            let mut good: Vec<&str> =
                case.calls.iter().filter(good).filter_map(|call| call["arguments"].as_str()).collect();
            // What is told of a call once more is that it is spoiled.
            let spoiled = |(at, report): &(usize, &CallReport)| {
                reports[at + 1..]
                    .iter()
                    .any(|other| (other.choice, other.index) == (report.choice, report.index))
            };
            let mut intact: Vec<&str> = reports
                .iter()
                .enumerate()
                .filter(|report| !spoiled(report))
                .map(|(_, report)| report)
                .filter(|report| matches!(report.outcome, Outcome::Judged(Verdict::Intact { .. })))
                .filter_map(CallReport::arguments)
                .collect();
            // Calls are told of as they are settled.
            good.sort_unstable();
            intact.sort_unstable();
            let too_late = hold == Hold::Deviation && case.written[0] != *written;
            assert!(intact == good || too_late, "{} ({hold:?}): {intact:?}", case.id);
        }
    }
}

/// A connection that breaks anywhere: nothing of the turn is lost, and no call is made of a part of one.
#[test]
fn turns_that_break_off() {
    let judge = judge();
    // Of arguments that come twice and differ, the first ones look good until the others come, and so does a name until
    // the rest of it comes.
    let is_contradiction =
        |call: &Value| call["reason"] == "mixed-arguments" || call["reason"] == "name-changed";
    let contradicts = |case: &Case| case.calls.iter().any(is_contradiction);
    for case in cases().into_iter().filter(|case| !contradicts(case)) {
        let bytes = case.stream.as_bytes();
        let good = |call: &Value| call["verdict"] != "declined";
        let whole: Vec<&str> = case
            .calls
            .iter()
            .filter(|call| good(call))
            .filter_map(|call| call["arguments"].as_str())
            .collect();
        for at in (0..bytes.len()).step_by(3) {
            let mut turn = Turn::new(TurnOptions::default(), &judge);
            let mut out = Vec::new();
            turn.push(&bytes[..at], &mut out);
            turn.finish(StreamEnd::Broken, &mut out);
            for report in turn.reports() {
                if let Some(arguments) = report.arguments() {
                    assert!(whole.contains(&arguments), "{} cut at {at}: {arguments}", case.id);
                }
            }
            // Given up instead: every byte leaves as it came.
            let mut turn = Turn::new(TurnOptions::default(), &judge);
            let mut out = Vec::new();
            turn.push(&bytes[..at], &mut out);
            let left = out.len();
            turn.release(&mut out);
            assert!(bytes[..at].ends_with(&out[left..]), "{} cut at {at}", case.id);
        }
    }
}
