//! Turns in flight: how what leaves is written.

use toolmend_wire::{Hold, Limits, OnCut, StreamEnd, Turn, TurnOptions};

mod anything;
#[allow(dead_code, reason = "shared with other tests")]
mod passing;

use anything::Anything;

#[allow(dead_code, reason = "shared with other tests")]
mod turns;

use passing::{chunks, is_written, is_written_in_any_pieces, pass, sse};
use turns::TURNS;

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
        // Where the server names no details, what is incomplete needs some.
        (
            responses("completed", "null").replace("\"incomplete_details\":null,", ""),
            responses("incomplete", "{\"reason\":\"max_output_tokens\"}"),
        ),
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

/// An object that takes the place of a text stays on its line: a line end would end its event.
#[test]
fn objects_stay_on_their_line() {
    let object = r#"{\n  \"a\": [1,\r\n 2]\n}"#;
    let ollama = |arguments: &str| {
        format!(
            "{{\"message\":{{\"role\":\"assistant\",\"tool_calls\":[{{\"function\":{{\"name\":\"f\",\"arguments\":{arguments}}}}}]}},\"done\":false}}\n\
             {{\"message\":{{\"role\":\"assistant\"}},\"done\":true,\"done_reason\":\"stop\"}}\n"
        )
    };
    let gemini = |arguments: &str| {
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"functionCall\":{{\"name\":\"f\",\"args\":{arguments}}}}}]}},\"finishReason\":\"STOP\"}}]}}\n\n"
        )
    };
    let written = "{   \"a\": [1,   2] }";
    let quoted = format!("\"{object}\"");
    is_written(&ollama(&quoted), &ollama(written));
    is_written(&gemini(&quoted), &gemini(written));
}

/// Whatever a server leaves out, what is written is JSON.
#[test]
fn envelopes_that_lack_everything() {
    let call = r#"{"index":0,"function":{"name":"f","arguments":"{\"a\":1}"}}"#;
    let unnumbered = r#"{"id":"a","function":{"name":"f","arguments":"{\"a\":1}"}}"#;
    for deltas in [
        [r#"{"index":0,"id":"a","type":"function","function":null}"#, call],
        ["{}", unnumbered],
        ["{}", "{}"],
        [call, r#"{"id":"x"}"#],
        [call, r#"{"id":"x","function":{"name":"f"}}"#],
        [call, "null"],
        ["7", call],
    ] {
        let deltas = deltas.map(|call| format!("{{\"tool_calls\":[{call}]}}"));
        let said = chunks(&[&deltas[0], &deltas[1]]);
        for hold in [Hold::Call, Hold::Deviation] {
            let (out, _) = pass(TurnOptions { hold, ..TurnOptions::default() }, &[said.as_bytes()]);
            let out = String::from_utf8(out).unwrap();
            for line in out.lines().filter_map(|line| line.strip_prefix("data: ")) {
                let is_json = serde_json::from_str::<serde_json::Value>(line).is_ok();
                assert!(is_json || line == "[DONE]", "{line}");
            }
        }
    }
}

/// The number of a tool that takes free text is no call's.
#[test]
fn numbers_of_custom_tools() {
    let role = r#"{"role":"assistant"}"#;
    let call = |number: u32, id: &str| {
        format!(
            r#"{{"tool_calls":[{{"index":{number},"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#
        )
    };
    let custom = |number: u32| {
        format!(
            r#"{{"tool_calls":[{{"index":{number},"id":"x","type":"custom","custom":{{"name":"sh","input":"ls"}}}}]}}"#
        )
    };
    for (said, becomes) in [
        ([call(0, "a"), custom(1), call(2, "b")], [call(0, "a"), custom(1), call(2, "b")]),
        ([custom(0), call(1, "a"), call(2, "b")], [custom(0), call(1, "a"), call(2, "b")]),
        ([call(0, "a"), custom(1), call(0, "b")], [call(0, "a"), custom(1), call(2, "b")]),
        ([call(0, "a"), call(0, "b"), custom(2)], [call(0, "a"), call(1, "b"), custom(2)]),
    ] {
        let all = |calls: &[String; 3]| chunks(&[role, &calls[0], &calls[1], &calls[2]]);
        is_written(&all(&said), &all(&becomes));
    }
}

/// Data in several lines that nothing is changed about stays in several lines.
#[test]
fn data_in_several_lines() {
    let turn = |data: &str, arguments: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,{data}\"delta\":{{\"role\":\"assistant\",\"tool_calls\":[{{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{{\"name\":\"f\",\"arguments\":\"{arguments}\"}}}}]}}}}]}}\n\n\
             data: {{\"choices\":[{{\"index\":0,\ndata:  \"delta\":{{}},\"finish_reason\":\"tool_calls\"}}]}}\n\ndata: [DONE]\n\n"
        )
    };
    let start = "event: message_start\ndata: {\"type\":\"message_start\",\ndata: \"message\":{\"content\":[]}}\n\n\
        event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\ndata: \"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}}\n\n\
        event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":1}\"}}\n\n\
        event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    is_written(start, start);
    is_written(&turn("\ndata: ", "{}"), &turn("\ndata: ", "{}"));
    is_written(&turn("\ndata: ", "{\\\"a\\\":1,}"), &turn(" ", "{\\\"a\\\":1}"));
    // Framed twice.
    let twice = |arguments: &str| format!("data: {}", turn("\ndata: ", arguments));
    is_written(&twice("{}"), &turn(" ", "{}"));
    is_written(&twice("{\\\"a\\\":1,}"), &turn(" ", "{\\\"a\\\":1}"));
}

/// Who speaks is said once.
#[test]
fn the_role_is_said_once() {
    let call = |number: u32| {
        format!(
            r#"{{"index":{number},"id":"c{number}","type":"function","function":{{"name":"f","arguments":"{{\"a\":1}}"}}}}"#
        )
    };
    let calls = |role: &str, calls: &str| format!("{{{role}\"tool_calls\":[{calls}]}}");
    let role = r#""role":"assistant","#;
    let (one, two) = (call(0), call(1));
    is_written(
        &chunks(&[&calls("", &one), &calls("", &two)]),
        &chunks(&[&calls(role, &one), &calls("", &two)]),
    );
    let both = format!("{one},{two}");
    is_written(&chunks(&[&calls("", &both)]), &chunks(&[&calls(role, &both)]));
}

/// A declined call leaves as it came, all of it.
#[test]
fn declined_calls_are_left_alone() {
    for pieces in [
        [
            r#"{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}"#,
            r#"{"index":0,"id":"b","function":{"name":"f","arguments":"{\"a\":\"x"}}"#,
            r#"{"index":0,"id":"c","type":"x","function":{"name":"f","arguments":"yz"}}"#,
        ],
        [
            r#"{"id":"a","function":{"name":"f","arguments":"{\"a\":[1}"}}"#,
            r#"{"id":"b","function":{"arguments":"x"}}"#,
            r#"{"function":{"name":"f","arguments":"y"}}"#,
        ],
    ] {
        let deltas = pieces.map(|call| format!("{{\"tool_calls\":[{call}]}}"));
        let said = chunks(&[r#"{"role":"assistant"}"#, &deltas[0], &deltas[1], &deltas[2]]);
        let (out, reports) = pass(TurnOptions::default(), &[said.as_bytes()]);
        assert!(reports.iter().all(|report| report.arguments().is_none()), "{reports:?}");
        assert_eq!(String::from_utf8_lossy(&out), said);
    }
}

/// What stands beside the second part of a call stays.
#[test]
fn signatures_stay() {
    let turn = |parts: &str| {
        sse(&[&format!(r#"{{"candidates":[{{"content":{{"parts":[{parts}]}},"finishReason":"STOP"}}]}}"#)])
    };
    let said = turn(
        r#"{"functionCall":{"name":"f","args":{}}},{"functionCall":{"args":{"a":1}},"thoughtSignature":"S"}"#,
    );
    let becomes = turn(r#"{"functionCall":{"name":"f","args":{"a":1}}},{"text":"","thoughtSignature":"S"}"#);
    is_written(&said, &becomes);
    let said = turn(r#"{"functionCall":{"name":"f","args":{}}},{"functionCall":{"args":{"a":1}}}"#);
    is_written(&said, &turn(r#"{"functionCall":{"name":"f","args":{"a":1}}}"#));
}

/// Items whose ids are others in each event; arguments that are all there when the item is added.
#[test]
fn items_of_responses() {
    let turn = |ids: [&str; 4], arguments: &str, added: &str, place: u32| {
        let item = |id: &str, arguments: &str| {
            format!(
                r#"{{"id":"{id}","type":"function_call","arguments":"{arguments}","call_id":"c","name":"f"}}"#
            )
        };
        sse(&[
            &format!(
                r#"{{"type":"response.output_item.added","output_index":{place},"item":{}}}"#,
                item(ids[0], added)
            ),
            &format!(
                r#"{{"type":"response.function_call_arguments.done","item_id":"{}","output_index":{place},"arguments":"{arguments}"}}"#,
                ids[1]
            ),
            &format!(
                r#"{{"type":"response.output_item.done","output_index":{place},"item":{}}}"#,
                item(ids[2], arguments)
            ),
            &format!(
                r#"{{"type":"response.completed","response":{{"status":"completed","output":[{}]}}}}"#,
                item(ids[3], arguments)
            ),
        ])
    };
    let (broken, good) = (r#"{\"a\":1,}"#, r#"{\"a\":1}"#);
    for ids in [["x"; 4], ["x1", "x2", "x3", "x4"]] {
        for place in [0, 1] {
            is_written(&turn(ids, broken, "", place), &turn(ids, good, "", place));
            is_written(&turn(ids, broken, broken, place), &turn(ids, good, good, place));
        }
    }
}

/// Only the choice whose call was cut is told so, and Responses says it of the item and of the whole.
#[test]
fn a_cut_is_told_where_it_is() {
    let options = TurnOptions { on_cut: OnCut::Relabel, ..TurnOptions::default() };
    let finish = |choice: u32, word: &str| {
        format!(r#"{{"choices":[{{"index":{choice},"delta":{{}},"finish_reason":"{word}"}}]}}"#)
    };
    let call = |choice: u32, arguments: &str| {
        format!(
            r#"{{"choices":[{{"index":{choice},"delta":{{"role":"assistant","tool_calls":[{{"index":0,"id":"c{choice}","type":"function","function":{{"name":"f","arguments":"{arguments}"}}}}]}}}}]}}"#
        )
    };
    let (open, whole) = (r#"{\"a\":\"x"#, r#"{\"a\":1}"#);
    let turn = |first: &str, second: &str, words: [&str; 2]| {
        sse(&[&call(0, first), &call(1, second), &finish(0, words[0]), &finish(1, words[1]), "[DONE]"])
    };
    for (first, second, words) in
        [(open, whole, ["length", "stop"]), (whole, open, ["stop", "length"]), (open, open, ["length"; 2])]
    {
        let (out, _) = pass(options, &[turn(first, second, ["stop", "stop"]).as_bytes()]);
        assert_eq!(String::from_utf8_lossy(&out), turn(first, second, words));
    }
    let responses = |word: &str, details: &str| {
        let item = format!(
            r#"{{"type":"function_call","id":"i","call_id":"c","name":"f","status":"{word}","arguments":"{open}"}}"#
        );
        sse(&[
            &format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{item}}}"#),
            &format!(
                r#"{{"type":"response.{word}","response":{{"status":"{word}","incomplete_details":{details},"output":[{item}]}}}}"#
            ),
        ])
    };
    let (out, _) = pass(options, &[responses("completed", "null").as_bytes()]);
    let becomes = responses("incomplete", r#"{"reason":"max_output_tokens"}"#);
    assert_eq!(String::from_utf8_lossy(&out), becomes);
}

/// A name that comes in two pieces: whoever joins them gets all of it.
#[test]
fn names_in_pieces() {
    let turn = |first: &str, second: &str| {
        let call = |rest: &str| format!(r#"{{"role":"assistant","tool_calls":[{{"index":0,{rest}}}]}}"#);
        chunks(&[
            &call(&format!(r#""id":"a","type":"function","function":{{"name":"{first}","arguments":""}}"#)),
            &call(&format!(r#""function":{{{second}"arguments":"{{\"a\":1}}"}}"#)),
        ])
    };
    let said = turn("get_wea", r#""name":"ther","#);
    let (out, _) = pass(TurnOptions::default(), &[said.as_bytes()]);
    assert_eq!(String::from_utf8_lossy(&out), turn("get_weather", ""));
    let options = TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() };
    let (out, reports) = pass(options, &[said.as_bytes()]);
    assert_eq!(String::from_utf8_lossy(&out), said, "{reports:?}");
}

/// Blocks get their places as numbers, in how many lines their data may stand.
#[test]
fn numbers_of_blocks_in_several_lines() {
    let turn = |number: u32, gap: &str| {
        format!(
            "event: message_start\ndata: {{\"type\":\"message_start\",\"message\":{{\"content\":[]}}}}\n\n\
             event: content_block_start\ndata: {{\"type\":\"content_block_start\",{gap}\"index\":{number},\"content_block\":{{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{{}}}}}}\n\n\
             event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",{gap}\"index\":{number},\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":\"{{\\\"a\\\":1}}\"}}}}\n\n\
             event: content_block_stop\ndata: {{\"type\":\"content_block_stop\",\"index\":{number}}}\n\n\
             event: message_stop\ndata: {{\"type\":\"message_stop\"}}\n\n"
        )
    };
    is_written(&turn(3, "\ndata: "), &turn(0, " "));
    is_written(&turn(0, "\ndata: "), &turn(0, "\ndata: "));
}

/// An event leaves with all of its blank line, where that has come.
#[test]
fn line_ends_of_two_bytes() {
    let event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\r\n\r\n";
    let mut turn = Turn::new(TurnOptions::default(), Anything);
    for _ in 0..3 {
        let mut out = Vec::new();
        turn.push(event.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), event);
    }
    let mut out = Vec::new();
    let (most, last) = event.as_bytes().split_at(event.len() - 1);
    turn.push(most, &mut out);
    assert_eq!(out, most);
    turn.push(last, &mut out);
    turn.push(event.as_bytes(), &mut out);
    assert_eq!(String::from_utf8_lossy(&out), event.repeat(2));
}

/// What stands before a value counts as its event does.
#[test]
fn the_limit_of_what_stands_before_a_value() {
    let limits = Limits { event_bytes: 64, ..Limits::default() };
    for (begin, filler) in [("[", "1,"), ("[", " "), ("{}\n{\n}", "\n"), ("{\n}", "\n"), ("{}", " ")] {
        let mut turn = Turn::new(TurnOptions { limits, ..TurnOptions::default() }, Anything);
        let mut out = Vec::new();
        turn.push(begin.as_bytes(), &mut out);
        let mut came = begin.len();
        for _ in 0..1000 {
            turn.push(filler.as_bytes(), &mut out);
            came += filler.len();
            assert!(turn.held() <= 64, "{begin}{filler}");
        }
        turn.finish(StreamEnd::Clean, &mut out);
        assert_eq!(out.len(), came);
    }
}

/// A stream may begin with a field that the standard does not know.
#[test]
fn fields_that_are_not_known() {
    let call = |arguments: &str| {
        chunks(&[&format!(
            r#"{{"role":"assistant","tool_calls":[{{"index":0,"id":"a","type":"function","function":{{"name":"f","arguments":"{arguments}"}}}}]}}"#
        )])
    };
    let (broken, good) = (call(r#"{\"a\":1,}"#), call(r#"{\"a\":1}"#));
    for lead in ["foo: bar\n", "x-trace: 1\r\nfoo:\r\n", "foo: bar\r"] {
        is_written(&(lead.to_owned() + &broken), &(lead.to_owned() + &good));
        let options = TurnOptions::default();
        let bytes = lead.to_owned() + &broken;
        let pieces: Vec<&[u8]> = bytes.as_bytes().chunks(1).collect();
        assert_eq!(String::from_utf8_lossy(&pass(options, &pieces).0), lead.to_owned() + &good);
    }
    for text in ["Note: this is text.\n\ndata: no\n", "what is this?\ndata: x\n\n"] {
        let mut turn = Turn::new(TurnOptions::default(), Anything);
        let mut out = Vec::new();
        turn.push(text.as_bytes(), &mut out);
        turn.finish(StreamEnd::Clean, &mut out);
        assert!(turn.is_transparent() && out == text.as_bytes());
    }
}

/// A byte order mark stays in front of all.
#[test]
fn byte_order_marks() {
    let turn = chunks(&[r#"{"role":"assistant","content":"a"}"#]);
    is_written(&format!("\u{feff}: ping\n\n{turn}"), &format!("\u{feff}: ping\n\n{turn}"));
    is_written(&format!("\u{feff}event: ping\n\n{turn}"), &format!("\u{feff}:event: ping\n\n{turn}"));
    let start = |name: &str, gap: &str| {
        format!(
            "\u{feff}{name}data: {{\"type\":\"message_start\",{gap}\"message\":{{\"content\":[]}}}}\n\n\
             event: message_stop\ndata: {{\"type\":\"message_stop\"}}\n\n"
        )
    };
    is_written(&start("", ""), &start("event: message_start\n", ""));
    is_written(&start("", "\ndata: "), &start("event: message_start\n", " "));
    is_written(&start(": a\n", ""), &start(": a\nevent: message_start\n", ""));
    is_written(&start("event: message_start\n", ""), &start("event: message_start\n", ""));
    let call = |gap: &str, arguments: &str| {
        format!(
            "\u{feff}data: {{\"choices\":[{{\"index\":0,{gap}\"delta\":{{\"role\":\"assistant\",\"tool_calls\":[{{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{{\"name\":\"f\",\"arguments\":\"{arguments}\"}}}}]}}}}]}}\n\ndata: [DONE]\n\n"
        )
    };
    is_written(&call("\ndata: ", "{\\\"a\\\":1,}"), &call(" ", "{\\\"a\\\":1}"));
}

/// Some servers of Gemini give a finish reason with every part of a turn: none of them ends the reading, and none
/// of them makes a text wait.
#[test]
fn finish_reasons_that_end_nothing() {
    let event = |part: &str| {
        sse(&[&format!(
            r#"{{"candidates":[{{"content":{{"role":"model","parts":[{part}]}},"finishReason":"STOP","index":0}}]}}"#
        )])
    };
    let call = |name: &str, arguments: &str| {
        event(&format!(r#"{{"functionCall":{{"name":"{name}","args":{arguments}}}}}"#))
    };
    let turn = |first: &str, second: &str| {
        event(r#"{"text":"I look"}"#)
            + &call("f", first)
            + &event(r#"{"text":"and"}"#)
            + &call("g", second)
            + &event(r#"{"text":"."}"#)
    };
    let (broken, good) = (r#""{\"a\":1,}""#, r#"{"a":1}"#);
    is_written_in_any_pieces(&turn(broken, broken), &turn(good, good));
    is_written_in_any_pieces(&turn(good, broken), &turn(good, good));
    is_written_in_any_pieces(&turn(good, good), &turn(good, good));
    let mut turn = Turn::new(TurnOptions::default(), Anything);
    for event in [event(r#"{"text":"I look"}"#), call("f", good), event(r#"{"text":"so"}"#), call("g", good)]
    {
        let mut out = Vec::new();
        turn.push(event.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), event);
    }
}

/// A choice whose number is none is no one's: its pieces are left alone, and the call of which one may be missing is
/// declined. The pieces of other choices in the same event stay in their places.
#[test]
fn choices_of_no_number() {
    let piece = |index: u32, id: &str, arguments: &str| {
        format!(
            r#"{{"role":"assistant","tool_calls":[{{"index":{index},"id":"{id}","type":"function","function":{{"name":"f","arguments":"{arguments}"}}}}]}}"#
        )
    };
    let choice = |number: &str, delta: &str| format!(r#"{{"index":{number},"delta":{delta}}}"#);
    let end = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;
    let turn =
        |choices: &[String]| sse(&[&format!(r#"{{"choices":[{}]}}"#, choices.join(",")), end, "[DONE]"]);
    let nowhere = choice("\"zz\"", &piece(0, "x", r#"{\"a\":[}"#));
    let said = turn(&[nowhere.clone(), choice("0", &piece(0, "a", r#"{\"a\":1,}"#))]);
    is_written(&said, &turn(&[nowhere, choice("0", &piece(0, "a", r#"{\"a\":1}"#))]));

    let begin = choice("0", &piece(0, "a", r#"{\"a\":\"x"#));
    let lost = choice("[]", r#"{"tool_calls":[{"index":0,"function":{"arguments":"y"}}]}"#);
    let rest = choice("0", r#"{"tool_calls":[{"index":0,"function":{"arguments":"\",}"}}]}"#);
    let said = turn(&[begin, lost, rest]);
    is_written(&said, &said);
}

/// Where a declined call has the highest number there is, a good one gets another.
#[test]
fn no_two_calls_share_a_number() {
    let call = |number: u32, id: &str, arguments: &str| {
        format!(
            r#"{{"tool_calls":[{{"index":{number},"id":"{id}","type":"function","function":{{"name":"f","arguments":"{arguments}"}}}}]}}"#
        )
    };
    let (open, broken, good) = (r#"{\"a\":\"x"#, r#"{\"a\":1,}"#, r#"{\"a\":1}"#);
    let turn = |first: &str, number: u32, second: &str| {
        chunks(&[r#"{"role":"assistant"}"#, &call(u32::MAX, "a", first), &call(number, "b", second)])
    };
    let (out, reports) = pass(TurnOptions::default(), &[turn(open, 1, broken).as_bytes()]);
    assert_eq!(String::from_utf8_lossy(&out), turn(open, 0, good), "{reports:?}");
    let (_, reports) = pass(TurnOptions::default(), &[turn(good, u32::MAX, broken).as_bytes()]);
    let numbers: Vec<u32> = reports.iter().map(|report| report.index).collect();
    assert_eq!(numbers, [u32::MAX, 0], "in the reports, too");
}

/// Calls that share a number get numbers of their own in JSON lines, too. No event is added there, and none moves: the
/// last line may end with the stream.
#[test]
fn calls_in_json_lines() {
    let line = |entry: &str| {
        format!(
            "{{\"choices\":[{{\"index\":0,\"delta\":{{\"role\":\"assistant\",\"tool_calls\":[{entry}]}}}}]}}"
        )
    };
    let call = |number: u32, id: &str, arguments: &str| {
        line(&format!(
            r#"{{"index":{number},"id":"{id}","type":"function","function":{{"name":"f","arguments":"{arguments}"}}}}"#
        ))
    };
    let finish = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;
    let (broken, good, other) = (r#"{\"a\":1,}"#, r#"{\"a\":1}"#, r#"{\"b\":1}"#);
    for (lines, left) in [
        (
            [call(0, "c", broken), call(0, "d", other), finish.to_owned()],
            [call(0, "c", good), call(1, "d", other), finish.to_owned()],
        ),
        (
            [call(0, "c", good), finish.to_owned(), call(0, "d", other)],
            [call(0, "c", good), finish.to_owned(), call(1, "d", other)],
        ),
    ] {
        for hold in [Hold::Call, Hold::Deviation] {
            let options = TurnOptions { hold, ..TurnOptions::default() };
            let (out, reports) = pass(options, &[lines.join("\n").as_bytes()]);
            let out = String::from_utf8_lossy(&out);
            assert_eq!(out.lines().collect::<Vec<_>>(), left, "{reports:?}");
        }
    }
    let open =
        line(r#"{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1"}}"#);
    for hold in [Hold::Call, Hold::Deviation] {
        let options = TurnOptions { hold, ..TurnOptions::default() };
        let (out, _) = pass(options, &[format!("{open}\n{finish}\n").as_bytes()]);
        assert_eq!(String::from_utf8_lossy(&out), format!("{}\n{finish}\n", call(0, "c", good)));
    }
}

/// The name of an event is made of its type only where it can be one: a line end in it would begin another event.
#[test]
fn types_that_are_no_names() {
    let begin = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\n";
    for (kind, name) in [("ping", "event: ping\n"), ("", ""), (r"a\ndata: {}\n\n", ""), ("a b", "")] {
        let event = format!("data: {{\"type\":\"{kind}\"}}\n\n");
        is_written(&format!("{begin}{event}"), &format!("{begin}{name}{event}"));
    }
}

/// Copies that lack, or that are no text, say it too; an event of no type is no whole answer, and ends nothing.
#[test]
fn copies_that_lack() {
    let turn = |between: &str, delta: &str, copies: [&str; 3]| {
        let [done, item, whole] = copies;
        sse(&[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"i","call_id":"c","name":"f","arguments":""}}"#,
            &format!(
                r#"{{"type":"response.function_call_arguments.delta","item_id":"i","output_index":0,"delta":"{delta}"}}"#
            ),
            between,
            &format!(
                r#"{{{done}"type":"response.function_call_arguments.done","item_id":"i","output_index":0}}"#
            ),
            &format!(
                r#"{{"type":"response.output_item.done","output_index":0,"item":{{{item}"type":"function_call","id":"i","call_id":"c","name":"f"}}}}"#
            ),
            &format!(
                r#"{{"type":"response.completed","response":{{"status":"completed","output":[{{{whole}"type":"function_call","id":"i","call_id":"c","name":"f"}}]}}}}"#
            ),
        ])
    };
    let good = r#""arguments":"{\"a\":1}","#;
    for between in [r#"{"response":{}}"#, r#"{"type":7,"delta":"x"}"#] {
        for lacks in ["", r#""arguments":null,"#, r#""arguments":"","#, r#""arguments":{},"#] {
            is_written(
                &turn(between, r#"{\"a\":1,}"#, [lacks; 3]),
                &turn(between, r#"{\"a\":1}"#, [good; 3]),
            );
        }
        let contradicts = turn(between, r#"{\"a\":1,}"#, [r#""arguments":7,"#; 3]);
        is_written(&contradicts, &contradicts);
    }
}

/// An error ends a turn: a repair that the copies behind it would not have is none.
#[test]
fn an_error_before_the_copies() {
    let turn = sse(&[
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"i","call_id":"c","name":"f","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"i","output_index":0,"delta":"{\"a\":1,}"}"#,
        r#"{"type":"error","message":"no"}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"i","call_id":"c","name":"f","arguments":"{\"a\":1,}"}}"#,
    ]);
    is_written(&turn, &turn);
}

/// A piece of no block stays where it came, so that it does not get to be of the one that is open.
#[test]
fn pieces_of_no_block_stay_in_their_place() {
    let start = |name: &str| {
        format!(
            "event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"content_block\":{{\"type\":\"tool_use\",\"id\":\"{name}\",\"name\":\"{name}\",\"input\":{{}}}}}}\n\n"
        )
    };
    let piece = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n";
    let said = [&*start("f"), &*start("g"), piece].concat();
    for hold in [Hold::Call, Hold::Deviation] {
        let (out, _) = pass(TurnOptions { hold, ..TurnOptions::default() }, &[said.as_bytes()]);
        let out = String::from_utf8(out).unwrap();
        let place = |text: &str| out.find(text).unwrap();
        assert!(place("\"f\"") < place("\"g\"") && place("\"g\"") < place("partial_json"), "{out}");
    }
}

/// Where all calls that share a number are declined, each keeps it: nothing is changed.
#[test]
fn declined_calls_share_their_number() {
    let call = |id: &str, arguments: &str| {
        format!(
            r#"{{"tool_calls":[{{"index":0,"id":"{id}","type":"function","function":{{"name":"f","arguments":"{arguments}"}}}}]}}"#
        )
    };
    let said = chunks(&[
        r#"{"role":"assistant"}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}}"}}]}"#,
        &call("a", r#"{\"a\":\"x"#),
    ]);
    let (out, reports) = pass(TurnOptions::default(), &[said.as_bytes()]);
    assert!(reports.len() == 2 && reports.iter().all(|report| report.arguments().is_none()), "{reports:?}");
    assert_eq!(String::from_utf8_lossy(&out), said);
}

/// What stands in the place of a call and is none, and the mark behind a call's parts, get no arguments.
#[test]
fn places_of_no_arguments() {
    let turn = |arguments: &str, behind: &str| {
        sse(&[&format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{"name":"f","args":{arguments}}}}},{{"functionCall":{behind}}}]}},"finishReason":"STOP"}}]}}"#
        )])
    };
    for behind in ["{}", "\"zz\"", "7", "[]"] {
        is_written(&turn(r#""{\"a\":1,}""#, behind), &turn(r#"{"a":1}"#, behind));
    }
}

/// A piece that gives another name than its call has keeps it, and its id: a client would take its arguments for
/// those of the call before.
#[test]
fn another_name_stays() {
    let call = |number: u32, id: &str, name: &str, arguments: &str| {
        format!(
            r#"{{"tool_calls":[{{"index":{number},"id":"{id}","type":"function","function":{{"name":"{name}","arguments":"{arguments}"}}}}]}}"#
        )
    };
    let role = r#"{"role":"assistant"}"#;
    let good = r#"{\"a\":1}"#;
    for deltas in [
        [call(0, "a", "f", "{"), call(0, "b", "g", r#"\"a\":"#), call(0, "c", "h", "1}")],
        [call(0, "a", "f", "{"), call(0, "b", "f g", r#"\"a\":1}"#), call(1, "c", "h", good)],
        [call(0, "a", "f", good), call(1, "b", "g", good), call(0, "a", "h", &format!("```{good}"))],
        [call(0, "a", "f", good), call(1, "b", "g", good), call(0, "a", "h", "")],
    ] {
        for hold in [Hold::Call, Hold::Deviation] {
            let said = chunks(&[role, &deltas[0], &deltas[1], &deltas[2]]);
            let (out, reports) = pass(TurnOptions { hold, ..TurnOptions::default() }, &[said.as_bytes()]);
            assert_eq!(String::from_utf8_lossy(&out), said, "{hold:?}");
            assert!(reports.iter().any(|report| report.arguments().is_none()), "{hold:?}: {reports:?}");
        }
    }
    // What a call that was good so far says again is taken out; what comes with the other name is not.
    let options = TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() };
    let begin = [call(0, "a", "f", "{"), call(0, "b", "f", r#"\"a\":"#), call(0, "c", "g", "1}")];
    let (out, _) = pass(options, &[chunks(&[role, &begin[0], &begin[1], &begin[2]]).as_bytes()]);
    let once = r#"{"tool_calls":[{"index":0,"type":"function","function":{"arguments":"\"a\":"}}]}"#;
    assert_eq!(String::from_utf8_lossy(&out), chunks(&[role, &begin[0], once, &begin[2]]));
    // The same of a call that has no number of its own.
    let unnumbered = |piece: &str| piece.replace("\"index\":0,", "");
    let said = chunks(&[role, &unnumbered(&begin[0]), &unnumbered(&begin[1]), &unnumbered(&begin[2])]);
    let (out, _) = pass(options, &[said.as_bytes()]);
    assert_eq!(String::from_utf8_lossy(&out), chunks(&[role, &begin[0], once, &begin[2]]));
}
