//! `batch`: the machine contract.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use crate::{command, scratch, toolmend};

/// The answers to these lines, under the default policy.
fn answers(input: impl Into<Vec<u8>>) -> Vec<Value> {
    let ran = toolmend(&["batch"], input);
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn answers_are_exactly_these() {
    for (record, answer) in [
        (
            r#"{"id":"a","arguments":"{\"x\": 1.10}"}"#,
            r#"{"id":"a","verdict":"intact","ok":true,"output":"{\"x\": 1.10}","rules":[],"edits":[],"ending":"unknown"}"#,
        ),
        (
            r#"{"arguments":"{\"城\":\"北京\",}","id":7,"finish_reason":"stop"}"#,
            r#"{"id":7,"verdict":"mended","ok":true,"output":"{\"城\":\"北京\"}","grade":"punctuation","rules":["trailing-comma"],"edits":[{"start":15,"end":16,"put":""}],"ending":"complete"}"#,
        ),
        (
            r#"{"id":"c","arguments":"{\"a\":\"b","finish_reason":"length"}"#,
            r#"{"id":"c","verdict":"declined","ok":false,"output":null,"rules":[],"edits":[],"ending":"cut","reason":"open-string"}"#,
        ),
        (
            r#"{"id":"d","arguments":"{\"a\":1","finish_reason":"length"}"#,
            r#"{"id":"d","verdict":"declined","ok":false,"output":null,"grade":"cut","rules":["missing-closer"],"edits":[],"ending":"cut","reason":"above-policy"}"#,
        ),
        (
            r#"{"arguments":"{}"}"#,
            r#"{"verdict":"intact","ok":true,"output":"{}","rules":[],"edits":[],"ending":"unknown"}"#,
        ),
        (
            r#" { "id" : {"run": 1.0, "n": 123456789012345678901234} , "arguments" : "{}" } "#,
            r#"{"id":{"run": 1.0, "n": 123456789012345678901234},"verdict":"intact","ok":true,"output":"{}","rules":[],"edits":[],"ending":"unknown"}"#,
        ),
    ] {
        let ran = toolmend(&["batch"], record);
        assert_eq!(ran.out, format!("{answer}\n"), "{record}");
        assert_eq!(ran.err, "");
    }
}

#[test]
fn the_ending_comes_from_what_the_record_says() {
    for (says, ending) in [
        (json!({}), "unknown"),
        (json!({"finish_reason": null}), "cut"),
        (json!({"finish_reason": "stop"}), "complete"),
        (json!({"finish_reason": "tool_calls"}), "complete"),
        (json!({"finish_reason": "length"}), "cut"),
        (json!({"finish_reason": "content_filter"}), "cut"),
        (json!({"finish_reason": "stop", "usage": {"completion_tokens": 10, "max_tokens": 10}}), "cut"),
        (json!({"finish_reason": "stop", "usage": {"completion_tokens": 9, "max_tokens": 10}}), "complete"),
        (json!({"finish_reason": "stop", "usage": {"completion_tokens": 9}}), "complete"),
        (json!({"finish_reason": "stop", "usage": {"completion_tokens": 9, "max_tokens": null}}), "complete"),
        (json!({"usage": {"completion_tokens": 11, "max_tokens": 10, "total_tokens": 1.5}}), "cut"),
        (
            json!({"usage": null, "model": null, "content": null, "chunks": null, "tool": null, "id": null}),
            "unknown",
        ),
    ] {
        let mut record = says.clone();
        record["arguments"] = json!("{\"a\":1}");
        let answers = answers(record.to_string());
        assert_eq!(answers[0]["ending"], ending, "{says}");
        assert!(answers[0].get("id").is_none());
    }
}

#[test]
fn what_is_no_record_is_said_and_the_rest_goes_on() {
    for (line, id, words) in [
        ("{", None, "not a JSON record"),
        ("[]", None, "not a JSON record"),
        ("\"text\"", None, "not a JSON record"),
        (
            "{\"id\":1,\"arguments\":\"{}\"} x",
            Some(json!(1)),
            "byte 26: not a JSON record: trailing characters",
        ),
        ("{\"id\":1,\"arguments\":\"{", Some(json!(1)), "not a JSON record"),
        ("{\"id\":1}", Some(json!(1)), "the record has no \"arguments\""),
        ("{\"id\":1,\"arguments\":null}", Some(json!(1)), "the record has no \"arguments\""),
        ("{\"id\":1,\"arguments\":{}}", Some(json!(1)), "\"arguments\" is not a string"),
        (
            "{\"id\":1,\"arguments\":\"{}\",\"arguments\":\"[]\"}",
            Some(json!(1)),
            "duplicate field `arguments`",
        ),
        (
            "{\"arguments\":\"\\ud83d\",\"id\":[2]}",
            Some(json!([2])),
            "unpaired surrogate (the escape at byte 1",
        ),
        (
            "{\"arguments\":\"\\ud83d\\ude00 \\\\u \\udE00\",\"id\":3}",
            Some(json!(3)),
            "unpaired surrogate (the escape at byte 18",
        ),
        ("{\"id\":4,\"content\":[\"x\"]}", Some(json!(4)), "\"content\" is not a string"),
        ("{\"id\":4,\"chunks\":\"x\"}", Some(json!(4)), "\"chunks\" is not a list of strings"),
        ("{\"id\":4,\"chunks\":[1]}", Some(json!(4)), "\"chunks\" is not a string"),
        ("{\"id\":4,\"content\":\"x\",\"chunks\":[]}", Some(json!(4)), "give one of them"),
        (
            "{\"id\":4,\"content\":\"x\",\"parallel_tool_calls\":1}",
            Some(json!(4)),
            "\"parallel_tool_calls\" is not true or false",
        ),
        (
            "{\"id\":4,\"content\":\"x\",\"tool_choice\":[]}",
            Some(json!(4)),
            "\"tool_choice\" is not a word, or an object",
        ),
        ("{\"id\":4,\"content\":\"x\",\"arguments\":\"{}\"}", Some(json!(4)), "give one of them"),
        (
            "{\"id\":5,\"arguments\":\"{}\",\"finish_reason\":1}",
            Some(json!(5)),
            "\"finish_reason\" is not a string",
        ),
        ("{\"id\":5,\"arguments\":\"{}\",\"model\":[]}", Some(json!(5)), "\"model\" is not a string"),
        ("{\"id\":5,\"arguments\":\"{}\",\"usage\":1}", Some(json!(5)), "\"usage\" is not an object"),
        (
            "{\"id\":5,\"arguments\":\"{}\",\"usage\":{\"max_tokens\":-1}}",
            Some(json!(5)),
            "\"usage.max_tokens\" is not a whole number",
        ),
    ] {
        let ran =
            toolmend(&["batch"], format!("{{\"arguments\":\"{{}}\"}}\n{line}\n{{\"arguments\":\"{{}}\"}}\n"));
        assert_eq!(ran.code, Some(1));
        let answers: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), 3, "{line}");
        assert_eq!((&answers[0]["ok"], &answers[2]["ok"]), (&json!(true), &json!(true)));
        let error = answers[1]["error"].as_str().unwrap();
        assert!(error.starts_with("line 2") && error.contains(words), "{line}: {error}");
        assert_eq!(answers[1].get("id"), id.as_ref(), "{line}");
        assert_eq!(ran.err, format!("standard input: {error}\n"));
    }
}

#[test]
fn bytes_that_are_no_text_spoil_their_line_only() {
    let input = b"{\"id\":1,\"arguments\":\"{}\"}\n{\"id\":2,\"arguments\":\"\xff\"}\n{\"id\":3,\"arguments\":\"{}\"}";
    let answers = answers(&input[..]);
    assert_eq!(answers[1], json!({"id": 2, "error": "line 2, byte 21: not UTF-8"}));
    assert_eq!((&answers[0]["id"], &answers[2]["id"]), (&json!(1), &json!(3)));
}

#[test]
fn an_overlong_line_spoils_itself_only() {
    let mut input = b"{\"id\":\"long\",\"arguments\":\"".to_vec();
    input.resize(input.len() + (16 << 20), b'x');
    input.extend_from_slice(b"\"}\n{\"id\":\"next\",\"arguments\":\"{}\"}\n");
    let answers = answers(input);
    assert_eq!(answers[0]["id"], "long");
    assert_eq!(answers[0]["error"], "line 1 is longer than 16777216 bytes, so it was not read");
    assert_eq!(answers[1]["id"], "next");
    assert_eq!(answers.len(), 2);
}

#[test]
fn line_ends_do_not_matter() {
    let (a, b) = (r#"{"id":1,"arguments":"{}"}"#, r#"{"id":2,"arguments":"{}"}"#);
    let expected = answers(format!("{a}\n{b}\n"));
    for input in [
        format!("{a}\n{b}"),
        format!("{a}\r\n{b}\r\n"),
        format!("{a}\r\n{b}"),
        format!("\n{a}\n\n \t\r\n{b}\n\n"),
        format!("\u{feff}{a}\n{b}\n"),
    ] {
        assert_eq!(answers(input.clone()), expected, "{input:?}");
    }
}

/// Some readers end a line at the separators of Unicode, too.
#[test]
fn an_answer_is_one_line_to_every_reader() {
    let body = "{\"é\":\"a\u{85}b\u{2028}c\u{2029}北\"}";
    let ran = toolmend(&["batch"], json!({"arguments": body}).to_string());
    assert!(ran.out.contains("é") && ran.out.contains(r"a\u0085b\u2028c\u2029北"), "{}", ran.out);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answer["output"], body);
}

#[test]
fn many_faults_are_counted_not_listed() {
    let ran = toolmend(&["batch"], "x\n".repeat(25));
    assert_eq!(ran.out.lines().count(), 25);
    assert_eq!(ran.err.lines().count(), 11);
    assert!(ran.err.ends_with("standard input: 15 more lines are no records that can be read\n"));
}

#[test]
fn unknown_models_are_said_once() {
    let record = |model: &str| json!({"arguments": "{}", "model": model}).to_string();
    let input = [record("qwen3"), record("nobody-7b"), record("")].join("\n");
    let ran = toolmend(&["batch"], input);
    assert_eq!(ran.code, Some(0));
    assert_eq!(
        ran.err,
        "note: 2 records name a model in no known family (the first: \"nobody-7b\"), so the general rules applied to them\n"
    );
}

#[test]
fn the_policy_decides() {
    let records = "{\"arguments\":\"{'a':1}\"}\n{\"arguments\":\"{\\\"a\\\":1\",\"finish_reason\":null}\n";
    for (policy, verdicts) in [
        ("strict", ["declined", "declined"]),
        ("standard", ["mended", "declined"]),
        ("inspect", ["mended", "mended"]),
    ] {
        let out = toolmend(&["batch", "--policy", policy], records).out;
        let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!([&answers[0]["verdict"], &answers[1]["verdict"]], verdicts, "{policy}");
    }
}

#[test]
fn a_file_in_a_file_out() {
    let (from, to) = (scratch("batch-in.jsonl"), scratch("batch-out.jsonl"));
    fs::write(&from, "{\"id\":1,\"arguments\":\"{}\"}\n").unwrap();
    fs::write(&to, "what stood there before, and is longer than the answers are".repeat(9)).unwrap();
    let ran = toolmend(&["batch", from.to_str().unwrap(), "-o", to.to_str().unwrap()], "");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""));
    let written = fs::read_to_string(&to).unwrap();
    assert_eq!(written, toolmend(&["batch", from.to_str().unwrap(), "-o", "-"], "").out);
    assert!(written.starts_with("{\"id\":1,\"verdict\":\"intact\""));
}

#[test]
fn order_is_kept_over_100_000_lines() {
    const LINES: usize = 100_000;
    let mut input = String::new();
    for n in 0..LINES {
        // Every seventh takes longer than the others, every thirteenth is no record.
        match n {
            n if n % 13 == 0 => writeln!(input, "{{\"id\":{n}}}"),
            n if n % 7 == 0 => {
                writeln!(input, "{{\"id\":{n},\"arguments\":\"{{\\\"a\\\":[{}1,],}}\"}}", "1,".repeat(400))
            }
            n => writeln!(input, "{{\"id\":{n},\"arguments\":\"{{\\\"a\\\":{n}}}\"}}"),
        }
        .unwrap();
    }
    let ran = toolmend(&["batch", "--jobs", "8"], input);
    assert_eq!(ran.out.lines().count(), LINES);
    for (n, line) in ran.out.lines().enumerate() {
        let id = line.strip_prefix("{\"id\":").and_then(|rest| rest.split(',').next()).unwrap();
        assert_eq!(id.parse(), Ok(n));
    }
}

/// One record, one answer, while more may come: `batch` can be talked to.
#[test]
fn an_answer_does_not_wait_for_more_records() {
    let mut child = command(&["batch"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for n in 0..3 {
        writeln!(stdin, "{{\"id\":{n},\"arguments\":\"{{}}\"}}").unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert!(answer.starts_with(&format!("{{\"id\":{n},")));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// Memory does not grow with the input: 400 MB go through a process that never holds 128 MB.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded() {
    let mut child = command(&["batch", "--jobs", "4"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()).unwrap());
    let record = format!("{{\"arguments\":\"{{\\\"a\\\":\\\"{}\\\"}}\"}}\n", "x".repeat(4000));
    let block = record.repeat(250);
    for _ in 0..400 {
        stdin.write_all(block.as_bytes()).unwrap();
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kib < 128 << 10, "{kib} KiB");
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(reader.join().unwrap() > 400 * block.len() as u64);
}
