//! Turns in flight: what leaves, and when.

use toolmend_core::{CallJudge, Evidence, FoundCall, NoJudge, Policy, Verdict, mend};
use toolmend_wire::{CallReport, Hold, Limits, OnCut, StreamEnd, Turn, TurnOptions};

#[allow(dead_code, reason = "shared with other tests")]
mod turns;

use turns::TURNS;

/// Judges without a schema; every tool was offered.
struct Anything;

impl CallJudge for Anything {
    fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict> {
        Some(mend(call.body, &evidence, &NoJudge).under(Policy::STANDARD))
    }

    fn offers(&self, _name: &str) -> Option<bool> {
        None
    }
}

fn pass(options: TurnOptions, pieces: &[&[u8]]) -> (Vec<u8>, Vec<CallReport>) {
    let mut turn = Turn::new(options, Anything);
    let mut out = Vec::new();
    for piece in pieces {
        turn.push(piece, &mut out);
    }
    turn.finish(StreamEnd::Clean, &mut out);
    assert_eq!(turn.held(), 0);
    (out, turn.reports())
}

#[test]
fn what_is_only_observed_leaves_as_it_came() {
    for turn in TURNS {
        for hold in [Hold::Call, Hold::Deviation] {
            let options = TurnOptions { hold, observe: true, ..TurnOptions::default() };
            for size in [1, 7, 4096] {
                let pieces: Vec<&[u8]> = turn.recording.as_bytes().chunks(size).collect();
                let (out, _) = pass(options, &pieces);
                assert_eq!(String::from_utf8_lossy(&out), turn.recording, "{}", turn.name);
            }
        }
    }
}

#[test]
fn any_pieces_leave_the_same() {
    for turn in TURNS {
        for hold in [Hold::Call, Hold::Deviation] {
            let options = TurnOptions { hold, ..TurnOptions::default() };
            let whole = pass(options, &[turn.recording.as_bytes()]);
            for size in [1, 2, 3, 5, 7, 64] {
                let pieces: Vec<&[u8]> = turn.recording.as_bytes().chunks(size).collect();
                assert_eq!(pass(options, &pieces), whole, "{}", turn.name);
            }
        }
    }
}

/// A finish reason that hides a cut, in every protocol: what it is, and what it becomes.
#[test]
fn a_finish_reason_that_hides_a_cut() {
    let chat = |arguments: &str, finish: &str, tokens: u32| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"role\":\"assistant\",\"tool_calls\":[{{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{{\"name\":\"f\",\"arguments\":\"{arguments}\"}}}}]}}}}]}}\n\n\
             data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{finish}\"}}]}}\n\n\
             data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":1,\"completion_tokens\":{tokens}}}}}\n\n\
             data: [DONE]\n\n"
        )
    };
    let anthropic = |reason: &str| {
        format!(
            "event: message_start\ndata: {{\"type\":\"message_start\",\"message\":{{\"content\":[]}}}}\n\n\
             event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{{}}}}}}\n\n\
             event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":\"{{\\\"a\\\":\\\"x\"}}}}\n\n\
             event: content_block_stop\ndata: {{\"type\":\"content_block_stop\",\"index\":0}}\n\n\
             event: message_delta\ndata: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}}}}\n\n\
             event: message_stop\ndata: {{\"type\":\"message_stop\"}}\n\n"
        )
    };
    let responses = |word: &str, details: &str| {
        format!(
            "event: response.output_item.added\ndata: {{\"type\":\"response.output_item.added\",\"item\":{{\"type\":\"function_call\",\"id\":\"i\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"\"}}}}\n\n\
             event: response.function_call_arguments.delta\ndata: {{\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"i\",\"delta\":\"{{\\\"a\\\":\"}}\n\n\
             event: response.{word}\ndata: {{\"type\":\"response.{word}\",\"response\":{{\"status\":\"{word}\",\"incomplete_details\":{details},\"output\":[{{\"type\":\"function_call\",\"id\":\"i\",\"call_id\":\"c\",\"name\":\"f\",\"status\":\"{word}\",\"arguments\":\"{{\\\"a\\\":\"}}],\"usage\":{{\"input_tokens\":1,\"output_tokens\":20}}}}}}\n\n"
        )
    };
    let ollama = |reason: &str| {
        format!(
            "{{\"message\":{{\"role\":\"assistant\",\"tool_calls\":[{{\"function\":{{\"name\":\"f\",\"arguments\":\"{{\\\"a\\\":\"}}}}]}},\"done\":false}}\n\
             {{\"message\":{{\"role\":\"assistant\"}},\"done\":true,\"done_reason\":\"{reason}\",\"eval_count\":20}}\n"
        )
    };
    let gemini = |reason: &str| {
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"functionCall\":{{\"name\":\"f\",\"args\":\"{{\\\"a\\\":\"}}}}]}},\"finishReason\":\"{reason}\"}}]}}\r\n\r\n"
        )
    };
    let open = "{\\\"a\\\":\\\"x";
    let cases = [
        // The text alone proves it; and the cap does, for a text that a closer could end.
        (chat(open, "tool_calls", 5), chat(open, "length", 5)),
        (chat("{\\\"a\\\":1", "stop", 20), chat("{\\\"a\\\":1", "length", 20)),
        // What is said already, or says something else, stays.
        (chat(open, "length", 5), chat(open, "length", 5)),
        (chat(open, "content_filter", 5), chat(open, "content_filter", 5)),
        // A whole call is whole, whatever became of the turn.
        (chat("{\\\"a\\\":1}", "stop", 20), chat("{\\\"a\\\":1}", "stop", 20)),
        (anthropic("tool_use"), anthropic("max_tokens")),
        (responses("completed", "null"), responses("incomplete", "{\"reason\":\"max_output_tokens\"}")),
        (ollama("stop"), ollama("length")),
        (gemini("STOP"), gemini("MAX_TOKENS")),
    ];
    for (said, becomes) in cases {
        for hold in [Hold::Call, Hold::Deviation] {
            let options =
                TurnOptions { hold, on_cut: OnCut::Relabel, max_tokens: Some(20), ..TurnOptions::default() };
            let (out, _) = pass(options, &[said.as_bytes()]);
            assert_eq!(String::from_utf8_lossy(&out), becomes, "{hold:?}");
            let options = TurnOptions { on_cut: OnCut::Pass, ..options };
            let (out, _) = pass(options, &[said.as_bytes()]);
            assert_eq!(String::from_utf8_lossy(&out), said, "{hold:?}: nothing is changed unless asked for");
        }
    }
}

/// Text passes at once, before a call and where there is none; a call waits, or streams.
#[test]
fn what_waits() {
    let event = |delta: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    let piece = |arguments: &str| {
        let arguments = serde_json::to_string(arguments).unwrap();
        event(&format!("{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":{arguments}}}}}]}}"))
    };
    let opening = event(
        r#"{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}"#,
    );
    let mut turn = Turn::new(TurnOptions::default(), Anything);
    let mut out = Vec::new();
    for (bytes, waits) in [
        (event(r#"{"role":"assistant","content":"Hm"}"#), false),
        (event(r#"{"reasoning_content":"so"}"#), false),
        (opening.clone(), true),
        (piece("{\"a\":1}"), true),
        (event(r#"{"content":"and"}"#), true),
    ] {
        out.clear();
        turn.push(bytes.as_bytes(), &mut out);
        assert_eq!((out.is_empty(), turn.holds()), (waits, waits), "{bytes}");
    }
    assert!(turn.held() > 0);

    let mut turn = Turn::new(TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() }, Anything);
    for (bytes, leaves) in [
        (opening.clone(), 1),
        (piece("{\"a\":1"), 1),
        // A comma may prove to be one too many; the next piece tells.
        (piece(","), 0),
        (piece("\"b\":\"x,"), 2),
        (piece("y\","), 0),
        (piece("}"), 0),
        (piece("\n```"), 0),
    ] {
        out.clear();
        turn.push(bytes.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out).matches("data:").count(), leaves, "{bytes}");
    }
    // A body that is just `{}`, and a piece that begins with all there was.
    let mut turn = Turn::new(TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() }, Anything);
    for (bytes, leaves) in [(opening.clone(), 1), (piece("{}"), 0), (piece("{\"a\":1}"), 0)] {
        out.clear();
        turn.push(bytes.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out).matches("data:").count(), leaves, "{bytes}");
    }
    let mut turn = Turn::new(TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() }, Anything);
    for (bytes, leaves) in
        [(opening, 1), (piece("{\"a\":"), 1), (piece("{\"a\":{"), 0), (piece("\"c\":1}}}"), 2)]
    {
        out.clear();
        turn.push(bytes.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out).matches("data:").count(), leaves, "{bytes}");
    }
}

/// More than the turn may hold: everything leaves as it came.
#[test]
fn the_limit_of_what_waits() {
    let opening = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{,\"}}]}}]}\n\n";
    for (room, given_up) in [(opening.len(), false), (opening.len() - 1, true)] {
        let limits = Limits { queued_bytes: room, ..Limits::default() };
        let mut turn = Turn::new(TurnOptions { limits, ..TurnOptions::default() }, Anything);
        let mut out = Vec::new();
        turn.push(opening.as_bytes(), &mut out);
        assert_eq!(turn.is_transparent(), given_up);
        assert_eq!(out.len(), if given_up { opening.len() } else { 0 });
    }
    // An event that is longer than one may be, in pieces.
    let limits = Limits { event_bytes: 64, ..Limits::default() };
    let long = opening.repeat(3);
    for size in [1, 50, 1000] {
        let mut turn = Turn::new(TurnOptions { limits, ..TurnOptions::default() }, Anything);
        let mut out = Vec::new();
        for piece in long.as_bytes().chunks(size) {
            turn.push(piece, &mut out);
        }
        turn.finish(StreamEnd::Clean, &mut out);
        assert_eq!(out, long.as_bytes());
    }
}
