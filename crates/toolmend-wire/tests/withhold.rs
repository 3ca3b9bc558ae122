//! Calls that were cut, and that do not leave as calls.

use toolmend_wire::{Hold, OnCut, Recorder, StreamEnd, Turn, TurnOptions};

mod anything;

use anything::Anything;

fn pass(options: TurnOptions, turn: &str, size: usize) -> (String, Vec<bool>) {
    let mut flow = Turn::new(options, Anything);
    let mut out = Vec::new();
    for piece in turn.as_bytes().chunks(size) {
        flow.push(piece, &mut out);
    }
    flow.finish(StreamEnd::Clean, &mut out);
    (String::from_utf8(out).unwrap(), flow.reports().iter().map(|report| report.rewritten).collect())
}

const WITHHOLD: TurnOptions = TurnOptions {
    protocol: None,
    hold: Hold::Call,
    on_cut: OnCut::Withhold,
    observe: false,
    max_tokens: Some(9),
    limits: toolmend_wire::Limits {
        event_bytes: 1 << 20,
        calls: 8,
        choices: 8,
        held_bytes: 1 << 20,
        queued_bytes: 1 << 20,
    },
};

const NOTICE: &str = "[a call of the tool f was cut off before its end and is withheld]";

fn sse(events: &[&str]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

fn named(events: &[(&str, &str)]) -> String {
    events.iter().map(|(name, data)| format!("event: {name}\ndata: {data}\n\n")).collect()
}

/// A turn as it comes, and as it leaves; `@` is the notice.
fn turns() -> Vec<(&'static str, String, String)> {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":9}}"#;
    let start = r#"{"type":"message_start","message":{"type":"message","role":"assistant","content":[],"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}"#;
    let stop = r#"{"type":"content_block_stop","index":0}"#;
    let over = r#"{"type":"message_stop"}"#;
    vec![
        (
            "chat",
            sse(&[
                r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"so"}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":\"x"}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
                usage,
                "[DONE]",
            ]),
            sse(&[
                r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"so"}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"content":"@"}}]}"#,
                r#"{"choices":[{"index":0,"delta":{}}]}"#,
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#,
                usage,
                "[DONE]",
            ]),
        ),
        (
            "chat, the second of two",
            sse(&[
                r#"{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"d","type":"function","function":{"name":"f","arguments":"{\"a\":\"x"}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#,
                "[DONE]",
            ]),
            sse(&[
                r#"{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"content":"@"}}]}"#,
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#,
                "[DONE]",
            ]),
        ),
        (
            "chat, whole",
            r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"so ","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"d","type":"function","function":{"name":"f","arguments":"{\"a\":\"x"}}]},"finish_reason":"tool_calls"}],"usage":{"completion_tokens":9}}"#.to_owned(),
            r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"so @","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"length"}],"usage":{"completion_tokens":9}}"#.to_owned(),
        ),
        (
            "the older form, whole",
            r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"a\":\"x"}},"finish_reason":"length"}]}"#.to_owned(),
            r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"@"},"finish_reason":"length"}]}"#.to_owned(),
        ),
        (
            "messages",
            named(&[
                ("message_start", start),
                ("content_block_start", r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#),
                ("content_block_delta", r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}"#),
                ("content_block_delta", r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"x"}}"#),
                ("content_block_stop", stop),
                ("message_delta", r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#),
                ("message_stop", over),
            ]),
            named(&[
                ("message_start", start),
                ("content_block_start", r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#),
                ("content_block_delta", r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"@"}}"#),
                ("content_block_delta", r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}}"#),
                ("content_block_stop", stop),
                ("message_delta", r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}}"#),
                ("message_stop", over),
            ]),
        ),
        (
            "messages, whole",
            r#"{"type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t","name":"f","input":"{\"a\":\"x"}],"stop_reason":"tool_use","usage":{"output_tokens":9}}"#.to_owned(),
            r#"{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"@"}],"stop_reason":"max_tokens","usage":{"output_tokens":9}}"#.to_owned(),
        ),
        (
            "responses",
            named(&[
                ("response.output_item.added", r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"c","name":"f","arguments":""}}"#),
                ("response.function_call_arguments.delta", r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":"{\"a\":\"x"}"#),
                ("response.function_call_arguments.done", r#"{"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":0,"arguments":"{\"a\":\"x"}"#),
                ("response.output_item.done", r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"{\"a\":\"x"}}"#),
                ("response.completed", r#"{"type":"response.completed","response":{"status":"completed","incomplete_details":null,"output":[{"id":"fc_1","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"{\"a\":\"x"}],"usage":{"output_tokens":9}}}"#),
            ]),
            named(&[
                ("response.output_item.added", r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}"#),
                ("response.output_item.done", r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"msg_1","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"@","annotations":[]}]}}"#),
                ("response.incomplete", r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"id":"msg_1","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"@","annotations":[]}]}],"usage":{"output_tokens":9}}}"#),
            ]),
        ),
        (
            "responses, broken off",
            named(&[
                ("response.output_item.added", r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"c","name":"f","arguments":""}}"#),
                ("response.function_call_arguments.delta", r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":"{\"a\":\"x"}"#),
            ]),
            named(&[
                ("response.output_item.added", r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"@","annotations":[]}]}}"#),
            ]),
        ),
        (
            "responses, whole",
            r#"{"object":"response","status":"completed","incomplete_details":null,"output":[{"id":"fc_1","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"{\"a\":\"x"}],"usage":{"output_tokens":9}}"#.to_owned(),
            r#"{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"id":"msg_1","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"@","annotations":[]}]}],"usage":{"output_tokens":9}}"#.to_owned(),
        ),
        (
            "gemini",
            sse(&[
                r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"so"},{"functionCall":{"name":"f","args":"{\"a\":\"x"}}]},"finishReason":"STOP"}],"usageMetadata":{"candidatesTokenCount":9}}"#,
            ]),
            sse(&[
                r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"so"},{"text":"@"}]},"finishReason":"MAX_TOKENS"}],"usageMetadata":{"candidatesTokenCount":9}}"#,
            ]),
        ),
        (
            "ollama",
            "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\\\"x\"}}]},\"done\":false}\n{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"eval_count\":9}\n".to_owned(),
            "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"@\"},\"done\":false}\n{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"length\",\"eval_count\":9}\n".to_owned(),
        ),
    ]
}

#[test]
fn a_notice_stands_in_the_place_of_a_cut_call() {
    for (name, came, leaves) in turns() {
        let leaves = leaves.replace('@', NOTICE);
        for size in [1, 3, 64, came.len()] {
            let (out, rewritten) = pass(WITHHOLD, &came, size);
            assert_eq!(out, leaves, "{name}");
            assert_eq!(rewritten.last(), Some(&true), "{name}");
        }
        // What left is a turn without that call, which says that it was cut; and it stays as it is.
        let mut recorder = Recorder::new();
        recorder.push(leaves.as_bytes()).unwrap();
        let recorded = recorder.finish().unwrap();
        assert!(recorded.calls.iter().all(|call| call.arguments == r#"{"a":1}"#), "{name}");
        assert_eq!(pass(WITHHOLD, &leaves, 7).0, leaves, "{name}");
    }
}

#[test]
fn what_is_not_cut_stays() {
    // What broke off is cut, whoever says so.
    for (name, came, _) in turns().into_iter().filter(|(name, ..)| !name.ends_with("broken off")) {
        for broken in [r#"{\"a\":1}"#, r#"{\"a\" 1 2}"#] {
            // Nobody says that it was cut.
            let came = came
                .replace("\"length\"", "\"stop\"")
                .replace(r#"{\"a\":\"x"#, broken)
                .replace(r#""{\"a\":""#, "\"{\"");
            let came = came.replace(r#""partial_json":"\"x""#, r#""partial_json":"}""#);
            let relabelled = TurnOptions { on_cut: OnCut::Relabel, max_tokens: None, ..WITHHOLD };
            let expected = pass(relabelled, &came, 5);
            assert_eq!(pass(TurnOptions { max_tokens: None, ..WITHHOLD }, &came, 5), expected, "{name}");
        }
    }
}

#[test]
fn what_has_left_already_is_not_withheld() {
    for (name, came, _) in turns().into_iter().filter(|(name, ..)| ["chat", "messages"].contains(name)) {
        let streams = TurnOptions { hold: Hold::Deviation, ..WITHHOLD };
        let relabels = TurnOptions { on_cut: OnCut::Relabel, ..streams };
        assert_eq!(pass(streams, &came, 5), pass(relabels, &came, 5), "{name}");
        let observes = TurnOptions { observe: true, ..WITHHOLD };
        assert_eq!(pass(observes, &came, 5).0, came, "{name}");
    }
}

#[test]
fn the_longest_call_that_waits() {
    let (_, came, _) = &turns()[0];
    let mut turn = Turn::new(WITHHOLD, Anything);
    let (before, after) = came.split_at(came.find("{\"choices\":[{\"index\":0,\"delta\":{},").unwrap());
    turn.push(before.as_bytes(), &mut Vec::new());
    assert_eq!(turn.held_call(), "{\"a\":\"x".len());
    turn.push(after.as_bytes(), &mut Vec::new());
    turn.finish(StreamEnd::Clean, &mut Vec::new());
    assert_eq!(turn.held_call(), 0);
}
