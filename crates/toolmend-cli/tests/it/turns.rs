//! `repair --as turn` and `--as stream`, and whole turns in `batch`.

use serde_json::{Value, json};

use crate::{Ran, scratch, toolmend};

const TOOLS: &str = "testdata/turns.tools.json";

/// The stream of a case of `testdata/turns.jsonl`, and what leaves of it.
fn case(id: &str) -> (String, String) {
    let cases = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/turns.jsonl"));
    let cases = cases.unwrap();
    let mut cases = cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let case = cases.find(|case| case["id"] == id).unwrap();
    let stream = case["stream"].as_str().unwrap().to_owned();
    match case["written"].as_str().unwrap() {
        "same" => (stream.clone(), stream),
        written => (stream, written.to_owned()),
    }
}

#[test]
fn a_turn_is_one_object() {
    let (stream, _) = case("anthropic-trailing-comma");
    let Ran { code, out, .. } = toolmend(&["repair", "-", "--as", "turn", "--tools", TOOLS], stream);
    assert_eq!(code, Some(0));
    let turn: Value = serde_json::from_str(&out).unwrap();
    let expected = json!({
        "protocol": "anthropic", "model": "c", "content": "", "reasoning": "",
        "calls": [{
            "choice": 0, "index": 0, "id": "t", "name": "add", "arguments": "{\"a\":1,\"b\":2}",
            "verdict": "mended", "grade": "punctuation", "rules": ["trailing-comma"], "ending": "complete",
        }],
        "finish_reason": "tool_use", "ending": "complete",
        "usage": {"input_tokens": null, "output_tokens": 20},
    });
    assert_eq!(turn, expected);
    let keys =
        ["{\"protocol\"", "\"model\"", "\"content\"", "\"reasoning\"", "\"calls\"", "\"finish_reason\""];
    let places: Vec<usize> = keys.iter().map(|key| out.find(key).unwrap()).collect();
    assert!(places.is_sorted(), "{out}");

    // The cap that the request set makes a cut turn of it, and of its last call only if that is not whole.
    let (stream, _) = case("anthropic-missing-closer");
    let args = ["repair", "-", "--as", "turn", "--max-tokens", "20"];
    let Ran { code, out, .. } = toolmend(&args, stream);
    let turn: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &turn["ending"], &turn["calls"][0]["reason"]),
        (Some(1), &json!("cut"), &json!("above-policy"))
    );
}

#[test]
fn a_stream_is_the_body_with_its_calls_repaired() {
    for id in
        ["chat-fence", "chat-crlf", "responses-four-copies", "ollama-wrong-type", "gemini-array", "chat-cr"]
    {
        let (stream, written) = case(id);
        for chunk in ["1", "5", "100000"] {
            let args = ["repair", "-", "--as", "stream", "--tools", TOOLS, "--chunk", chunk];
            let ran = toolmend(&args, stream.clone());
            assert_eq!(ran, Ran { code: Some(0), out: written.clone(), err: String::new() }, "{id}");
        }
    }
    // A declined call leaves as it came, and is told of.
    let (stream, _) = case("chat-cut-in-object");
    let ran = toolmend(&["repair", "-", "--as", "stream", "--tools", TOOLS, "--trace"], stream.clone());
    assert_eq!((ran.code, ran.out), (Some(1), stream));
    assert!(ran.err.starts_with("declined: write_file: "), "{}", ran.err);
    assert!(ran.err.contains("repair failed: write_file: "), "{}", ran.err);
    // What is no turn passes.
    let page = "<html>502 Bad Gateway</html>";
    let ran = toolmend(&["repair", "-", "--as", "stream"], page);
    assert_eq!(ran, Ran { code: Some(0), out: page.into(), err: String::new() });
}

/// `--tool` describes one of the tools; calls of others are judged without a schema, not declined.
#[test]
fn other_tools_may_have_been_offered() {
    let tool = scratch("turns-add.json");
    let schema = r#"{"name":"add","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}"#;
    std::fs::write(&tool, schema).unwrap();
    let (stream, _) = case("chat-fence");
    let args = ["repair", "-", "--as", "stream", "--tool", tool.to_str().unwrap()];
    let Ran { code, out, .. } = toolmend(&args, stream);
    assert_eq!(code, Some(0));
    assert!(!out.contains("```"), "{out}");
}

#[test]
fn batch_takes_whole_turns() {
    let tools: Value = serde_json::from_str(
        &std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/turns.tools.json"))
            .unwrap(),
    )
    .unwrap();
    let (stream, _) = case("chat-two-calls-one-broken");
    let (cut, _) = case("gemini-partial-arguments-cut");
    let lines = [
        json!({"id": "a", "body": stream, "tools": tools}),
        json!({"id": "b", "body": cut}),
        json!({"id": "c", "body": "<html>"}),
        json!({"id": "d", "body": "", "arguments": "{}"}),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let Ran { code, out, .. } = toolmend(&["batch"], input);
    assert_eq!(code, Some(1));
    let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&answers[0]["verdict"], &answers[0]["ok"]), (&json!("mended"), &json!(true)));
    assert_eq!(answers[0]["calls"][0]["arguments"], "{\"a\":1,\"b\":2}");
    assert_eq!(answers[0]["calls"][1]["verdict"], "intact");
    assert_eq!((&answers[1]["verdict"], &answers[1]["protocol"]), (&json!("declined"), &json!("gemini")));
    assert_eq!(answers[1]["calls"][0]["reason"], "open-string");
    assert!(answers[2]["error"].as_str().unwrap().contains("HTML"), "{}", answers[2]);
    assert!(answers[3]["error"].as_str().unwrap().contains("more than one"), "{}", answers[3]);
}
