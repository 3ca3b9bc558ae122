//! Calls in the text of a turn become calls of its protocol, whatever the pieces; everything else stays.

use toolmend::formats::Promote;
use toolmend::wire::{StreamEnd, Turn, TurnOptions};
use toolmend::{Policy, Tool, Toolmend};

const TOOLS: &str = r#"[{"name": "find", "input_schema": {"type": "object", "properties": {
    "key": {"type": "string"}, "most": {"type": "integer"}
}, "required": ["key"]}}]"#;

const ARGUMENTS: &str = "{\"key\": \"é\", \"most\": 3}";

fn call() -> String {
    format!("<tool_call>\n{{\"name\": \"find\", \"arguments\": {ARGUMENTS}}}\n</tool_call>")
}

fn toolmend() -> Toolmend<'static> {
    Toolmend::new().policy(Policy::STANDARD).tools(Tool::list(TOOLS).unwrap())
}

/// What a client gets of these bytes, cut into pieces of this length.
fn through(bytes: &str, size: usize, promote: Promote, max_tokens: Option<u64>) -> String {
    let toolmend = toolmend();
    let mut promoter = toolmend.promoter(promote, max_tokens);
    let mut turn = Turn::new(TurnOptions { max_tokens, ..TurnOptions::default() }, &toolmend);
    let (mut told, mut out) = (Vec::new(), Vec::new());
    for piece in bytes.as_bytes().chunks(size) {
        promoter.push(piece, &mut told);
        turn.push(&std::mem::take(&mut told), &mut out);
    }
    promoter.finish(StreamEnd::Clean, &mut told);
    turn.push(&told, &mut out);
    turn.finish(StreamEnd::Clean, &mut out);
    String::from_utf8(out).unwrap()
}

/// The same for every length of pieces.
fn anyhow(bytes: &str) -> String {
    let whole = through(bytes, bytes.len(), Promote::All, None);
    for size in [1, 2, 3, 7, 64] {
        assert_eq!(through(bytes, size, Promote::All, None), whole, "in pieces of {size}");
    }
    whole
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// The text as a stream of Chat Completions, some characters an event.
fn chat(text: &str, finish: &str) -> String {
    let mut stream = "data: {\"id\":\"c\",\"model\":\"qwen3\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n".to_owned();
    let chars: Vec<char> = text.chars().collect();
    for piece in chars.chunks(5) {
        let piece = quoted(&piece.iter().collect::<String>());
        stream += &format!(
            "data: {{\"id\":\"c\",\"model\":\"qwen3\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{piece}}},\"finish_reason\":null}}]}}\n\n"
        );
    }
    stream
        + &format!(
            "data: {{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{finish}\"}}]}}\n\ndata: {{\"id\":\"c\",\"choices\":[],\"usage\":{{\"completion_tokens\":9}}}}\n\ndata: [DONE]\n\n"
        )
}

/// Text, calls and finish reason that a client of Chat Completions puts together.
fn of_chat(stream: &str) -> (String, Vec<(String, String)>, String) {
    let (mut text, mut calls, mut finish) = (String::new(), Vec::new(), String::new());
    for data in stream.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]")
    {
        for choice in json(data)["choices"].as_array().unwrap() {
            text += choice["delta"]["content"].as_str().unwrap_or_default();
            for (n, call) in choice["delta"]["tool_calls"].as_array().into_iter().flatten().enumerate() {
                assert!(call["index"] == n && !call["id"].as_str().unwrap().is_empty());
                let function = |key: &str| call["function"][key].as_str().unwrap().to_owned();
                calls.push((function("name"), function("arguments")));
            }
            finish = choice["finish_reason"].as_str().map_or(finish, str::to_owned);
        }
    }
    (text, calls, finish)
}

#[test]
fn chat_streamed() {
    let found = vec![("find".to_owned(), ARGUMENTS.to_owned())];
    let stream = chat(&format!("I look.\n\n{}", call()), "stop");
    assert_eq!(of_chat(&anyhow(&stream)), ("I look.\n\n".to_owned(), found.clone(), "tool_calls".to_owned()));
    let twice = chat(&format!("{}\n{}", call(), call()), "stop");
    assert_eq!(of_chat(&anyhow(&twice)).1, [found.clone(), found.clone()].concat());
    // Cut by the cap, behind a whole call: the call is whole, the turn is not.
    let cut = chat(&call(), "length");
    assert_eq!(of_chat(&anyhow(&cut)), (String::new(), found, "length".to_owned()));
}

#[test]
fn what_is_no_call_leaves_as_it_came() {
    for text in [
        "Nothing to look for.".to_owned(),
        "  \n".to_owned(),
        format!("Write it like this:\n\n```xml\n{}\n```\n", call()),
        "<tool_call>\n{\"name\": \"lose\", \"arguments\": {}}\n</tool_call>".to_owned(),
        "<tool_call>\n{\"name\": \"find\", \"arguments\": {\"key\": \"a".to_owned(),
        "{\"answer\": 42, \"name\": \"find\"}".to_owned(),
        "Done.<|tool_call_end|>".to_owned(),
        "<think>\nHm.\n</think>\n\nNo.".to_owned(),
    ] {
        for finish in ["stop", "length"] {
            let stream = chat(&text, finish);
            assert_eq!(anyhow(&stream), stream, "{text}");
        }
    }
    let stream = chat(&call(), "stop");
    assert_eq!(through(&stream, 8, Promote::Off, None), stream);
}

/// The usage says that the cap was reached, whatever the finish reason says: an open call is none.
#[test]
fn usage_at_the_cap_is_a_cut() {
    let open = call().replace("<tool_call>\n", "").replace("}}\n</tool_call>", "}");
    let stream = chat(&open, "stop");
    assert_eq!(of_chat(&through(&stream, 64, Promote::All, None)).1.len(), 1);
    assert_eq!(through(&stream, 64, Promote::All, Some(9)), stream);
}

#[test]
fn chat_whole() {
    let body = format!(
        "{{\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":{}}},\"finish_reason\":\"stop\"}}]}}",
        quoted(&call())
    );
    let answer = json(&anyhow(&body));
    let choice = &answer["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert!(choice["message"]["content"].is_null());
    assert_eq!(choice["message"]["tool_calls"][0]["function"]["arguments"], ARGUMENTS);
}

#[test]
fn anthropic() {
    let text = quoted(&call());
    let stream = format!(
        "event: message_start\ndata: {{\"type\":\"message_start\",\"message\":{{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"q\",\"content\":[],\"usage\":{{\"input_tokens\":1,\"output_tokens\":1}}}}}}\n\n\
         event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"text\",\"text\":\"\"}}}}\n\n\
         event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"Now. \"}}}}\n\n\
         event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":{text}}}}}\n\n\
         event: content_block_stop\ndata: {{\"type\":\"content_block_stop\",\"index\":0}}\n\n\
         event: message_delta\ndata: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\"}},\"usage\":{{\"output_tokens\":9}}}}\n\n\
         event: message_stop\ndata: {{\"type\":\"message_stop\"}}\n\n"
    );
    let told = anyhow(&stream);
    let events: Vec<_> = told.lines().filter_map(|line| line.strip_prefix("data: ")).map(json).collect();
    let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).collect::<Vec<_>>();
    assert_eq!(of("content_block_start")[1]["content_block"]["name"], "find");
    assert_eq!(of("content_block_delta")[1]["delta"]["partial_json"], ARGUMENTS);
    assert_eq!(of("content_block_stop").len(), 2);
    assert_eq!(of("message_delta")[0]["delta"]["stop_reason"], "tool_use");

    let whole = format!(
        "{{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":{text}}}],\"stop_reason\":\"end_turn\",\"usage\":{{\"output_tokens\":9}}}}"
    );
    let answer = json(&anyhow(&whole));
    assert_eq!(answer["content"][1]["input"], json(ARGUMENTS));
    assert_eq!(answer["stop_reason"], "tool_use");
}

#[test]
fn ollama() {
    let text = quoted(&call());
    let stream = format!(
        "{{\"model\":\"q\",\"message\":{{\"role\":\"assistant\",\"content\":{text}}},\"done\":false}}\n{{\"model\":\"q\",\"message\":{{\"role\":\"assistant\",\"content\":\"\"}},\"done\":true,\"done_reason\":\"stop\"}}\n"
    );
    let told = anyhow(&stream);
    let events: Vec<_> = told.lines().map(json).collect();
    let calls: Vec<_> =
        events.iter().filter_map(|event| event["message"]["tool_calls"].as_array()).flatten().collect();
    assert_eq!(calls.len(), 1, "{told}");
    assert_eq!(calls[0]["function"]["arguments"], json(ARGUMENTS));
    assert!(events.iter().all(|event| event["message"]["content"] == ""));
}

#[test]
fn gemini() {
    let text = quoted(&call());
    let stream = format!(
        "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":{text}}}],\"role\":\"model\"}},\"index\":0}}]}}\n\ndata: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"\"}}],\"role\":\"model\"}},\"finishReason\":\"STOP\",\"index\":0}}]}}\n\n"
    );
    let told = anyhow(&stream);
    let parts: Vec<_> = told
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .flat_map(|data| json(data)["candidates"][0]["content"]["parts"].as_array().unwrap().clone())
        .collect();
    let calls: Vec<_> = parts.iter().filter(|part| part.get("functionCall").is_some()).collect();
    assert_eq!(calls.len(), 1, "{told}");
    assert_eq!(calls[0]["functionCall"]["args"], json(ARGUMENTS));
}

#[test]
fn responses() {
    let text = quoted(&format!("Now.\n\n{}", call()));
    let message = |text: &str| {
        format!(
            "{{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":[{{\"type\":\"output_text\",\"text\":{text}}}]}}"
        )
    };
    let response = |text: &str| {
        format!(
            "{{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[{}],\"usage\":{{\"output_tokens\":9}}}}",
            message(text)
        )
    };
    let events = [
        "{\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"in_progress\"}}".to_owned(),
        "{\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"delta\":\"Now.\"}".to_owned(),
        format!("{{\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"delta\":{}}}", quoted(&format!("\n\n{}", call()))),
        format!("{{\"type\":\"response.output_text.done\",\"item_id\":\"m\",\"text\":{text}}}"),
        format!("{{\"type\":\"response.output_item.done\",\"item\":{}}}", message(&text)),
        format!("{{\"type\":\"response.completed\",\"response\":{}}}", response(&text)),
    ];
    let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let told = anyhow(&stream);
    let events: Vec<_> = told.lines().filter_map(|line| line.strip_prefix("data: ")).map(json).collect();
    let of = |kind: &str| {
        events.iter().find(|event| event["type"] == kind).unwrap_or_else(|| panic!("{kind}: {told}"))
    };
    assert_eq!(of("response.output_text.done")["text"], "Now.\n\n");
    assert_eq!(of("response.function_call_arguments.done")["arguments"], ARGUMENTS);
    assert_eq!(of("response.output_item.added")["output_index"], 1);
    let output = &of("response.completed")["response"]["output"];
    assert_eq!(output[0]["content"][0]["text"], "Now.\n\n");
    assert_eq!(
        (&output[1]["name"], &output[1]["arguments"]),
        (&json("\"find\""), &serde_json::Value::from(ARGUMENTS))
    );

    let answer = json(&anyhow(&response(&text)));
    assert_eq!(answer["output"][1]["arguments"], ARGUMENTS);
    assert_eq!(answer["output"][0]["content"][0]["text"], "Now.\n\n");
}

/// A turn of Anthropic Messages: a text, and behind it what else there is.
fn messages(text: &str, behind: &str, stop: &str) -> String {
    let text = quoted(text);
    format!(
        "event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"text\",\"text\":\"\"}}}}\n\nevent: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":{text}}}}}\n\nevent: content_block_stop\ndata: {{\"type\":\"content_block_stop\",\"index\":0}}\n\n{behind}event: message_delta\ndata: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{stop}\"}},\"usage\":{{\"output_tokens\":9}}}}\n\nevent: message_stop\ndata: {{\"type\":\"message_stop\"}}\n\n"
    )
}

/// A call of the server's own.
const OWN: &str = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"find\",\"input\":{}}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"key\\\":\\\"b\\\"}\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n";

/// Calls are made behind those of the server: one in front of them stays text, as it would change its place.
#[test]
fn calls_keep_their_order() {
    let stream = messages(&call(), OWN, "tool_use");
    assert_eq!(anyhow(&stream), stream);
    let whole = format!(
        "{{\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":{},\"tool_calls\":[{{\"id\":\"t\",\"type\":\"function\",\"function\":{{\"name\":\"find\",\"arguments\":\"{{\\\"key\\\":\\\"b\\\"}}\"}}}}]}},\"finish_reason\":\"tool_calls\"}}]}}",
        quoted(&call())
    );
    assert_eq!(anyhow(&whole), whole);
}

/// At a stop sequence, which is how ReAct ends, the client has to run calls as at any other end.
#[test]
fn a_stop_sequence_is_a_stop() {
    let told = anyhow(&messages(&call(), "", "stop_sequence"));
    assert!(
        told.contains("\"type\":\"tool_use\"") && told.contains("\"stop_reason\":\"tool_use\""),
        "{told}"
    );
}

/// A cut that the server tells once is one, and so is a count at the cap, whatever it says behind.
#[test]
fn the_first_word_for_a_cut_counts() {
    let open = call().replace("<tool_call>\n", "").replace("}}\n</tool_call>", "}");
    let made = chat(&open, "stop");
    assert_ne!(anyhow(&made), made);
    let stream = chat(&open, "length").replace(
        "data: {\"id\":\"c\",\"choices\":[],\"usage\"",
        "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"id\":\"c\",\"choices\":[],\"usage\"",
    );
    assert_eq!(anyhow(&stream), stream);
    let counted = chat(&open, "stop").replace(
        "data: [DONE]",
        "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"completion_tokens\":0}}\n\ndata: [DONE]",
    );
    assert_eq!(through(&counted, 64, Promote::All, Some(9)), counted);
}
