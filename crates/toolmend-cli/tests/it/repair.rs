//! `repair`: envelopes, lines on standard error, exit codes.

use serde_json::{Value, json};

use crate::{Ran, toolmend};

const QWEN: &str = "\
{
  \"_repaired\": true,
  \"function\": {
    \"arguments\": \"{\\\"city\\\":\\\"北京\\\",\\\"unit\\\":\\\"celsius\\\"}\",
    \"name\": \"get_weather\"
  },
  \"id\": \"call_01\",
  \"index\": 0,
  \"type\": \"function\"
}
";

const DEEPSEEK: &str = "\
{
  \"_repaired\": true,
  \"function\": {
    \"arguments\": \"{\\\"query\\\":\\\"vllm 工具调用\\\",\\\"top_k\\\":3}\",
    \"name\": \"search_web\"
  },
  \"id\": \"call_04\",
  \"index\": 0,
  \"type\": \"function\"
}
";

const OPEN: &str = "\
{
  \"_repaired\": false,
  \"function\": {
    \"arguments\": \"```json\\n{\\\"city\\\":\\\"北京\\\",\\\"unit\\\":\\\"celsius\",
    \"name\": \"get_weather\"
  },
  \"id\": \"call_01\",
  \"index\": 0,
  \"type\": \"function\"
}
";

#[test]
fn the_examples_print_exactly_this() {
    for (args, code, out, err) in [
        (&["repair", "examples/qwen3-fence.sse"][..], 0, QWEN, ""),
        (
            &["repair", "--trace", "examples/qwen3-fence.sse"],
            0,
            QWEN,
            "repaired: get_weather: code-fence,missing-closer cut cut 41→34 bytes\n",
        ),
        (&["repair", "examples/deepseek-mark.sse", "--model", "deepseek-v4"], 0, DEEPSEEK, ""),
        (
            &["repair", "--model", "deepseek-v4", "--trace", "examples/deepseek-mark.sse"],
            0,
            DEEPSEEK,
            "repaired: search_web: leaked-mark,missing-closer cut cut 77→39 bytes\n",
        ),
        (
            &["repair", "examples/qwen3-open-string.sse"],
            1,
            OPEN,
            "repair failed: get_weather: a string is open at the end of the text at byte 32\n",
        ),
        (
            &["repair", "--policy", "standard", "examples/qwen3-fence.sse"],
            1,
            &QWEN
                .replace("true", "false")
                .replace("\"{\\\"city", "\"```json\\n{\\\"city")
                .replace("celsius\\\"}", "celsius\\\""),
            "repair failed: get_weather: the repair is of grade cut, above the policy at byte 0\n",
        ),
    ] {
        let ran = Ran { code: Some(code), out: out.to_owned(), err: err.to_owned() };
        assert_eq!(toolmend(args, ""), ran, "{args:?}");
    }
}

#[test]
fn a_recording_may_come_from_standard_input() {
    let recording = std::fs::read("examples/qwen3-fence.sse")
        .or_else(|_| std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/qwen3-fence.sse")))
        .unwrap();
    assert_eq!(toolmend(&["repair", "-"], recording).out, QWEN);
}

#[test]
fn a_receipt_replays_the_repair() {
    let ran = toolmend(&["repair", "--receipt", "examples/qwen3-fence.sse"], "");
    let envelope: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        envelope["_receipt"],
        json!({
            "edits": [
                {"end": 8, "put": "", "rule": "code-fence", "start": 0},
                {"end": 41, "put": "}", "rule": "missing-closer", "start": 41},
            ],
            "ending": "cut",
            "evidence": ["finish-length"],
            "grade": "cut",
            "rules": ["code-fence", "missing-closer"],
            "verdict": "mended",
        })
    );
    let open = toolmend(&["repair", "--receipt", "examples/qwen3-open-string.sse"], "");
    let envelope: Value = serde_json::from_str(&open.out).unwrap();
    assert_eq!(envelope["_receipt"]["verdict"], "declined");
    assert_eq!(envelope["_receipt"]["reason"], "open-string");
}

#[test]
fn a_receipt_says_what_the_policy_kept_out() {
    let args = ["repair", "--receipt", "--trace", "--policy", "strict", "examples/qwen3-fence.sse"];
    let ran = toolmend(&args, "");
    let envelope: Value = serde_json::from_str(&ran.out).unwrap();
    let would = &envelope["_receipt"]["would"];
    assert_eq!(would["grade"], "cut");
    assert_eq!(would["output"], "{\"city\":\"北京\",\"unit\":\"celsius\"}");
    assert!(ran.err.starts_with("declined: get_weather: code-fence,missing-closer cut cut 41→41 bytes, "));
}

#[test]
fn keys_are_sorted_at_every_depth() {
    for file in ["examples/qwen3-fence.sse", "examples/qwen3-open-string.sse"] {
        let out = toolmend(&["repair", "--receipt", file], "").out;
        // serde_json's own maps are sorted.
        let sorted: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(out, serde_json::to_string_pretty(&sorted).unwrap() + "\n");
    }
}

/// A whole response with these calls, as a server answers without streaming.
fn response(model: &Value, finish: &Value, calls: &[(&str, &str)]) -> String {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(n, (name, arguments))| {
            json!({"id": format!("call_{n}"), "type": "function", "function": {"name": name, "arguments": arguments}})
        })
        .collect();
    json!({
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": calls}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 20, "total_tokens": 29},
    })
    .to_string()
}

#[test]
fn every_call_gets_its_own_verdict() {
    let calls = [("intact", "{ \"a\" : 1.10 }"), ("mended", "{\"a\":1,}"), ("declined", "{\"a\":\"b")];
    let ran = toolmend(&["repair", "--trace", "-"], response(&json!("qwen3"), &json!("tool_calls"), &calls));
    let envelopes: Vec<Value> =
        serde_json::Deserializer::from_str(&ran.out).into_iter().map(Result::unwrap).collect();
    let shown: Vec<(&Value, &Value)> =
        envelopes.iter().map(|e| (&e["_repaired"], &e["function"]["arguments"])).collect();
    assert_eq!(
        shown,
        [
            (&json!(false), &json!("{ \"a\" : 1.10 }")),
            (&json!(true), &json!("{\"a\":1}")),
            (&json!(false), &json!("{\"a\":\"b"))
        ]
    );
    assert_eq!(
        ran.err.lines().collect::<Vec<_>>(),
        [
            "intact: intact: - - complete 14→14 bytes",
            "repaired: mended: trailing-comma punctuation complete 8→7 bytes",
            "declined: declined: - - cut 7→7 bytes, a string is open at the end of the text at byte 5",
            "repair failed: declined: a string is open at the end of the text at byte 5",
        ]
    );
    assert_eq!(ran.code, Some(1));
}

#[test]
fn tokens_at_the_cap_mean_cut() {
    let turn = response(&json!("qwen3"), &json!("tool_calls"), &[("f", "{\"a\":1")]);
    for (args, grade) in [
        (&["repair", "--trace", "-"][..], "punctuation complete"),
        (&["repair", "--trace", "--max-tokens", "20", "-"], "cut cut"),
    ] {
        let err = toolmend(args, turn.clone()).err;
        assert!(err.contains(grade), "{args:?}: {err}");
    }
}

#[test]
fn an_unknown_model_is_said_once() {
    let calls = [("f", "{}"), ("g", "{}")];
    for (model, args, note) in [
        (json!("qwen3"), &["repair", "-"][..], ""),
        (json!(""), &["repair", "-"], "note: no model is named"),
        (json!(null), &["repair", "-"], "note: no model is named"),
        (json!("nobody-7b"), &["repair", "-"], "note: the model \"nobody-7b\" is in no known family"),
        (json!("nobody-7b"), &["repair", "--model", "qwen3", "-"], ""),
        (json!("qwen3"), &["repair", "--model", "", "-"], "note: no model is named"),
    ] {
        let ran = toolmend(args, response(&model, &json!("tool_calls"), &calls));
        assert_eq!(ran.code, Some(0));
        assert!(ran.err.starts_with(note), "{model} {args:?}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), usize::from(!note.is_empty()), "{model} {args:?}: {}", ran.err);
    }
}

#[test]
fn a_name_cannot_forge_a_line() {
    let turn = response(&json!("qwen3"), &json!("tool_calls"), &[("f\nintact: g\u{1b}[2J", "{}")]);
    let ran = toolmend(&["repair", "--trace", "-"], turn);
    assert_eq!(ran.err, "intact: f\\u{a}intact: g\\u{1b}[2J: - - complete 2→2 bytes\n");
}

#[test]
fn a_turn_without_calls_is_good() {
    let ran = toolmend(&["repair", "-"], response(&json!("qwen3"), &json!("stop"), &[]));
    let err = "note: standard input holds no tool call\n".to_owned();
    assert_eq!(ran, Ran { code: Some(0), out: String::new(), err });
}
