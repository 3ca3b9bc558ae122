//! `args`: what stands on standard output may be run, byte for byte.

use std::fs;

use serde_json::Value;

use crate::{scratch, toolmend};

#[test]
fn intact_bodies_come_back_byte_for_byte() {
    for body in [
        "{}",
        "{\"a\":1}\n",
        " {\r\n\t\"a\" : 1.10 , \"a\":1e400,\"n\":123456789012345678901234 }\r\n",
        "{\"s\":\"\\u00e9é\\ud83d\\ude00\\/\u{7f}\u{2028}\"}",
    ] {
        let ran = toolmend(&["args"], body);
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), body, ""));
    }
}

#[test]
fn mended_declined_and_at_what_ending() {
    for (args, body, code, out) in [
        (&["args"][..], "```json\n{\"a\":1,}\n```", 0, "{\"a\":1}"),
        (&["args"], "{\"a\":[1,2", 0, "{\"a\":[1,2]}"),
        (&["args", "-"], "{'a': True}", 0, "{\"a\": true}"),
        (&["args", "--ending", "cut"], "{\"a\":[1,2]", 0, "{\"a\":[1,2]}"),
        (&["args", "--ending", "cut", "--policy", "standard"], "{\"a\":[1,2]", 1, ""),
        (&["args", "--ending", "unknown", "--policy", "standard"], "{\"a\":[1,2]", 1, ""),
        (&["args", "--policy", "strict"], "{'a': True}", 1, ""),
        (&["args"], "{\"path\": \"/etc/ho", 1, ""),
        (&["args"], "", 1, ""),
        (&["args"], "no object at all", 1, ""),
    ] {
        let ran = toolmend(args, body);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), out), "{args:?} {body:?} {}", ran.err);
        if code == 0 {
            assert_eq!(ran.err, "");
        } else {
            assert!(ran.err.starts_with("repair failed: ") && ran.err.contains(" at byte "), "{}", ran.err);
            assert_eq!(ran.err.lines().count(), 1);
        }
    }
}

#[test]
fn trace_and_receipt_stay_off_standard_output() {
    let ran = toolmend(&["args", "--trace", "--receipt"], "{\"a\":1,}");
    assert_eq!(ran.out, "{\"a\":1}");
    let (trace, receipt) = ran.err.split_once('\n').unwrap();
    assert_eq!(trace, "repaired: arguments: trailing-comma punctuation complete 8→7 bytes");
    let receipt: Value = serde_json::from_str(receipt).unwrap();
    assert_eq!(receipt["edits"][0]["start"], 6);
    assert_eq!(receipt["evidence"][0], "stated-complete");
}

#[test]
fn a_model_is_noted_only_when_it_was_named_and_is_unknown() {
    for (args, note) in [
        (&["args"][..], ""),
        (&["args", "--model", "qwen3"], ""),
        (&["args", "--model", "nobody-7b"], "note: the model \"nobody-7b\" is in no known family"),
        (&["args", "--model", ""], "note: no model is named"),
    ] {
        let err = toolmend(args, "{}").err;
        assert!(err.starts_with(note) && err.lines().count() == usize::from(!note.is_empty()), "{err}");
    }
}

#[test]
fn files_are_read_like_standard_input() {
    let path = scratch("args-body.json");
    for (bytes, out) in
        [("{\"a\":1}", "{\"a\":1}"), ("{\"a\":1}\r\n", "{\"a\":1}\r\n"), ("\u{feff}{\"a\":1}", "{\"a\":1}")]
    {
        fs::write(&path, bytes).unwrap();
        let ran = toolmend(&["args", path.to_str().unwrap()], "");
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), out, ""), "{bytes:?}");
    }
}
