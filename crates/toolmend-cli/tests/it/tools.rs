//! `--tool`, `--tools`, `--name`, and the tools of a batch's records.

use std::fs;

use serde_json::{Value, json};

use crate::{scratch, toolmend};

fn search() -> Value {
    json!({"type": "function", "function": {"name": "search", "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "top_k": {"type": "integer"}},
        "required": ["query"],
        "additionalProperties": false,
    }}})
}

fn now() -> Value {
    json!({"name": "now", "input_schema": {"type": "object", "properties": {}}})
}

/// A file with this description of tools.
fn file(name: &str, tools: &Value) -> String {
    let path = scratch(name);
    fs::write(&path, tools.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A body that `search` admits, one that it does not, and one that it admits when it is mended.
const GOOD: &str = "{\"query\":\"sse\",\"top_k\":5}";
const BAD: &str = "{\"top_k\":5}";
const FAULTY: &str = "{\"query\":\"sse\",\"top_k\":5,}";

#[test]
fn the_tool_judges_a_body() {
    let tool = file("tool-search.json", &search());
    let bare = file("tool-bare.json", &search()["function"]["parameters"]);
    let list = file("tool-list.json", &json!([search(), now()]));
    let single = file("tool-single.json", &json!({"tools": [search()]}));
    for (args, body, code, out, err) in [
        (&[][..], BAD, 0, BAD, "intact: arguments: "),
        (&["--name", "search"], BAD, 0, BAD, "intact: search: "),
        (&["--tool", &tool], GOOD, 0, GOOD, "intact: search: "),
        (&["--tool", &tool], FAULTY, 0, GOOD, "repaired: search: trailing-comma punctuation "),
        (
            &["--tool", &tool],
            BAD,
            1,
            "",
            "declined: search: - - complete 11→11 bytes, the tool's schema does not admit it",
        ),
        (&["--tool", &bare], BAD, 1, "", "declined: arguments: "),
        (&["--tools", &single], BAD, 1, "", "declined: search: "),
        (&["--tools", &list, "--name", "search"], BAD, 1, "", "declined: search: "),
        (&["--tools", &list, "--name", "search"], GOOD, 0, GOOD, "intact: search: "),
        (
            &["--tool", &tool],
            "{\"query\":\"sse\",\"top_k\":\"5\"}",
            0,
            GOOD,
            "repaired: search: number-string schema ",
        ),
        (&["--tools", &list, "--name", "now"], "", 0, "{}", "repaired: now: no-arguments schema "),
        (
            &["--tools", &list],
            "{}",
            2,
            "",
            "error: the description has several tools (search, now); say with --name",
        ),
        (
            &["--tools", &list, "--name", "find"],
            "{}",
            2,
            "",
            "error: there is no tool \"find\" in the description; it has: search, now",
        ),
    ] {
        let ran = toolmend(&[&["args", "--trace"], args].concat(), body);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), out), "{args:?} {body}: {}", ran.err);
        assert!(ran.err.starts_with(err), "{args:?} {body}: {}", ran.err);
    }
}

#[test]
fn tools_judge_the_calls_of_a_turn() {
    let call = |name: &str, arguments: &str| json!({"id": name, "type": "function", "function": {"name": name, "arguments": arguments}});
    let turn = |calls: &[Value]| {
        json!({"object": "chat.completion", "model": "qwen3", "choices": [{"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": calls}, "finish_reason": "tool_calls"}]}).to_string()
    };
    let tool = file("turn-search.json", &search());
    let bare = file("turn-bare.json", &search()["function"]["parameters"]);
    let list = file("turn-list.json", &json!([search(), now()]));
    let (faulty, bad, strange) =
        (call("search", FAULTY), call("search", BAD), call("shell", "{\"cmd\":\"ls\"}"));
    for (args, calls, code, lines) in [
        // Of the other tools nothing is known.
        (
            &["--tool", &tool][..],
            [&faulty, &strange],
            0,
            &["repaired: search: trailing-comma", "intact: shell: "][..],
        ),
        // These are all that were offered.
        (
            &["--tools", &list],
            [&faulty, &strange],
            1,
            &[
                "repaired: search: trailing-comma",
                "declined: shell: - - complete 12→12 bytes, no such tool was offered",
                "repair failed: shell: no such tool was offered",
            ],
        ),
        (
            &["--tool", &bare],
            [&faulty, &bad],
            1,
            &["repaired: search: trailing-comma", "declined: search: ", "repair failed: search: "],
        ),
        (&["--tool", &bare], [&faulty, &strange], 2, &["error: a tool's description has no name"]),
    ] {
        let ran = toolmend(&[&["repair", "--trace", "-"], args].concat(), turn(&calls.map(Clone::clone)));
        assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.err);
        let said: Vec<&str> = ran.err.lines().collect();
        assert_eq!(said.len(), lines.len(), "{args:?}: {}", ran.err);
        for (said, line) in said.iter().zip(lines) {
            assert!(said.starts_with(line), "{args:?}: {said}");
        }
    }
}

#[test]
fn a_description_that_cannot_be_read_is_said() {
    let broken = scratch("tool-broken.json");
    fs::write(&broken, "{\"name\": ").unwrap();
    let list = file("tool-two.json", &json!([search(), now()]));
    for (args, words) in [
        (["--tool", broken.to_str().unwrap()], "is not JSON (byte 9)"),
        (["--tool", &list], "there are 2 tools in the description, and one is wanted"),
        (["--tool", "no/such/file"], "there is no file no/such/file"),
    ] {
        let ran = toolmend(&[&["args"], &args[..]].concat(), "{}");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.contains(words) && ran.err.lines().count() == 1, "{}", ran.err);
    }
    let both = toolmend(&["args", "--tool", &list, "--tools", &list], "{}");
    assert_eq!(both.code, Some(2));
    assert!(both.err.contains("cannot be used with"));
}

/// A schema that cannot be used blocks no call, and that is said.
#[test]
fn an_unusable_schema_counts_as_none() {
    let tool = file(
        "tool-remote.json",
        &json!({"name": "f", "parameters": {"type": "object", "properties": {"a": {"$ref": "http://localhost:9/x"}}}}),
    );
    let ran = toolmend(&["args", "--tool", &tool], "{\"a\":1,}");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "{\"a\":1}"));
    assert!(
        ran.err.starts_with("note: the schema of the tool f cannot be used, so it counts as none: "),
        "{}",
        ran.err
    );
    assert_eq!(ran.err.lines().count(), 1);
}

#[test]
fn records_bring_their_tools() {
    for (says, verdict) in [
        (json!({}), "intact"),
        (json!({"tool": search()}), "declined"),
        (json!({"tools": [search()]}), "declined"),
        (json!({"tool": search(), "tools": [now()]}), "declined"),
        // Which of them is called is not said.
        (json!({"tools": [search(), now()]}), "intact"),
        (json!({"tool": null, "tools": []}), "intact"),
    ] {
        let mut record = says.clone();
        record["arguments"] = json!(BAD);
        let answer: Value = serde_json::from_str(&toolmend(&["batch"], record.to_string()).out).unwrap();
        assert_eq!(answer["verdict"], verdict, "{says}: {answer}");
    }
    let ran = toolmend(&["batch"], "{\"id\":1,\"arguments\":\"{}\",\"tool\":7}");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.starts_with("{\"id\":1,\"error\":\"line 1: \\\"tool\\\": "), "{}", ran.out);
}
