//! `batch` with assistant texts: `content`, `chunks`, and what the request says of calls.

use serde_json::{Value, json};

use crate::{scratch, toolmend};

const TEXT: &str = "On it.\n\n<tool_call>\n{\"name\": \"lookup\", \"arguments\": {\"key\": \"a b\", \"max\": \"3\"}}\n</tool_call>";

fn record() -> Value {
    json!({"id": "t", "content": TEXT, "finish_reason": "stop", "tools": [
        {"type": "function", "function": {"name": "lookup", "parameters": {
            "type": "object",
            "properties": {"key": {"type": "string"}, "max": {"type": "integer"}},
            "required": ["key"]
        }}},
        {"type": "function", "function": {"name": "other", "parameters": {"type": "object"}}},
    ]})
}

fn answer(record: &Value, flags: &[&str]) -> Value {
    let ran = toolmend(&[&["batch"], flags].concat(), record.to_string());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn an_answer_is_exactly_this() {
    assert_eq!(
        answer(&record(), &[]),
        json!({
            "id": "t", "verdict": "mended", "ok": true, "output": null, "rules": ["number-string"], "edits": [],
            "content": "On it.", "reasoning": null,
            "calls": [{
                "name": "lookup", "arguments": "{\"key\": \"a b\", \"max\": 3}", "verdict": "mended",
                "grade": "schema", "rules": ["number-string"]
            }],
            "ending": "complete",
        })
    );
}

#[test]
fn pieces_come_to_the_same() {
    let whole = answer(&record(), &[]);
    let mut pieces = record();
    pieces["chunks"] = TEXT.chars().map(String::from).collect::<Vec<_>>().into();
    pieces.as_object_mut().unwrap().remove("content");
    assert_eq!(answer(&pieces, &[]), whole);
}

#[test]
fn the_request_says_which_calls_may_be_made() {
    let stays = |answer: &Value| answer["calls"] == json!([]) && answer["content"] == TEXT;
    for (field, value, made) in [
        ("tool_choice", json!("auto"), true),
        ("tool_choice", json!("required"), true),
        ("tool_choice", json!({"type": "function", "function": {"name": "lookup"}}), true),
        ("tool_choice", json!({"type": "tool", "name": "lookup"}), true),
        ("tool_choice", json!({"type": "function", "function": {"name": "other"}}), false),
        ("tool_choice", json!("none"), false),
        ("tool_choice", json!({"type": "none"}), false),
        ("tools", json!([]), false),
        ("parallel_tool_calls", json!(false), true),
    ] {
        let mut record = record();
        record[field] = value.clone();
        assert_eq!(!stays(&answer(&record, &[])), made, "{field}: {value}");
    }
    let mut twice = record();
    twice["content"] = format!("{TEXT}\n{}", TEXT.replace("On it.", "")).into();
    assert_eq!(answer(&twice, &[])["calls"].as_array().unwrap().len(), 2);
    twice["parallel_tool_calls"] = json!(false);
    let declined = answer(&twice, &[]);
    assert_eq!((&declined["calls"], &declined["content"]), (&json!([]), &twice["content"]));
}

#[test]
fn what_is_promoted_is_a_choice() {
    let python = "lookup(key='x')";
    let react = "Thought: one look.\nAction: lookup\nAction Input: {\"key\": \"x\"}";
    let bare = "{\"name\": \"lookup\", \"arguments\": {\"key\": \"x\"}}";
    for (text, off, marked, all) in [
        (TEXT, false, true, true),
        (bare, false, true, true),
        (python, false, false, true),
        (react, false, false, true),
    ] {
        for (flag, made) in [("off", off), ("marked", marked), ("all", all)] {
            let mut record = record();
            record["content"] = text.into();
            let answer = answer(&record, &["--promote", flag]);
            assert_eq!(answer["calls"].as_array().unwrap().len(), usize::from(made), "{flag}: {text}");
            if !made {
                assert_eq!(answer["content"], text);
            }
        }
    }
}

#[test]
fn the_prompt_may_have_begun_the_message() {
    let mut record = record();
    record["content"] = format!("Hm.\n</think>\n\n{TEXT}").into();
    record["prefill"] = "<|im_start|>assistant\n<think>\n".into();
    let answer = answer(&record, &[]);
    assert_eq!((&answer["reasoning"], &answer["content"]), (&json!("Hm."), &json!("On it.")));
    assert_eq!(answer["calls"].as_array().unwrap().len(), 1);
}

#[test]
fn repair_tells_what_mended_a_call_of_the_text() {
    let record = record();
    let tools = scratch("texts.tools.json");
    std::fs::write(&tools, record["tools"].to_string()).unwrap();
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!("data: {}\n\n", json!({"object": "chat.completion.chunk", "model": "m", "choices": [choice]}))
    };
    let stream = |text: &str| {
        let begun = chunk(json!({"role": "assistant", "content": text}), Value::Null);
        begun + &chunk(json!({}), json!("stop")) + "data: [DONE]\n\n"
    };
    let run = |text: &str, shape: &str| {
        let flags =
            ["repair", "-", "--trace", "--receipt", "--as", shape, "--tools", tools.to_str().unwrap()];
        let ran = toolmend(&flags, stream(text));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran
    };
    let source = TEXT.strip_prefix("On it.").unwrap().trim_start().len();
    for shape in ["envelope", "turn", "stream"] {
        let ran = run(TEXT, shape);
        let line =
            format!("repaired: lookup: number-string schema complete {source}→24 bytes, found in the text\n");
        assert!(ran.err.contains(&line), "{shape}: {}", ran.err);
    }
    let envelope: Value = serde_json::from_str(&run(TEXT, "envelope").out).unwrap();
    let receipt = &envelope["_receipt"];
    assert_eq!(envelope["_repaired"], true);
    assert_eq!((&receipt["verdict"], &receipt["grade"]), (&json!("mended"), &json!("schema")));
    assert_eq!((&receipt["rules"], &receipt["edits"]), (&json!(["number-string"]), &json!([])));
    assert!(TEXT.ends_with(receipt["found"].as_str().unwrap()));
    let turn = run(TEXT, "turn");
    let told = turn.err.lines().find_map(|line| serde_json::from_str::<Value>(line).ok()).unwrap();
    assert_eq!(&told, receipt);
    assert!(run(TEXT, "stream").err.contains("a stream has no place for receipts"));
    let turn: Value = serde_json::from_str(&turn.out).unwrap();
    assert_eq!(
        (&turn["calls"][0]["verdict"], &turn["calls"][0]["rules"]),
        (&json!("mended"), &json!(["number-string"]))
    );
    // One that stood as its format writes it was repaired by nobody.
    let whole = TEXT.replace("\"3\"", "3");
    let ran = run(&whole, "envelope");
    assert!(
        ran.err.contains("intact: lookup: - - complete ") && ran.err.contains("found in the text"),
        "{}",
        ran.err
    );
    let envelope: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&envelope["_repaired"], &envelope["_receipt"]["verdict"]), (&json!(false), &json!("intact")));
}
