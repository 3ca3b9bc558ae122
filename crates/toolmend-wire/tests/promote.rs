//! Calls in the text of a turn, as calls of its protocol.

use serde_json::Value;
use toolmend_wire::{Limits, MAX_CALLS, Promoter, Recorded, Recorder, StreamEnd};

mod marks;

use marks::Marks;

fn promote(pieces: &[&[u8]]) -> (String, usize) {
    let mut promoter = Promoter::new(Marks::default(), Limits::default(), None);
    let mut out = Vec::new();
    for piece in pieces {
        promoter.push(piece, &mut out);
    }
    promoter.finish(StreamEnd::Clean, &mut out);
    (String::from_utf8(out).unwrap(), promoter.promoted().len())
}

/// As [`promote`], and the same in any pieces.
fn promoted(turn: &str) -> (String, usize) {
    let whole = promote(&[turn.as_bytes()]);
    for size in [1, 7, 64] {
        let pieces: Vec<&[u8]> = turn.as_bytes().chunks(size).collect();
        assert_eq!(promote(&pieces), whole, "in pieces of {size}");
    }
    whole
}

fn read(turn: &str) -> Recorded {
    let mut recorder = Recorder::new();
    recorder.push(turn.as_bytes()).unwrap();
    recorder.finish().unwrap()
}

fn sse(events: &[&str]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

const TEXT: &str = r#"Hm <c>f {\n  \"a\": 1\n}</c>"#;

/// However often a call is told in the Responses protocol, it is one call.
#[test]
fn one_call_has_one_id() {
    let message = format!(
        r#"{{"id":"m","type":"message","role":"assistant","content":[{{"type":"output_text","text":"{TEXT}"}}]}}"#
    );
    let turn = sse(&[
        r#"{"type":"response.created","response":{"id":"r","model":"m","output":[]}}"#,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","content":[]}}"#,
        &format!(
            r#"{{"type":"response.output_text.delta","item_id":"m","output_index":0,"delta":"{TEXT}"}}"#
        ),
        &format!(r#"{{"type":"response.output_text.done","item_id":"m","output_index":0,"text":"{TEXT}"}}"#),
        &format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{message}}}"#),
        &format!(
            r#"{{"type":"response.completed","response":{{"id":"r","status":"completed","output":[{message}]}}}}"#
        ),
    ]);
    let (written, calls) = promoted(&turn);
    assert_eq!(calls, 1);
    let turn = read(&written);
    assert_eq!(turn.calls.len(), 1, "{written}");
    assert_eq!(turn.calls[0].arguments, "{\n  \"a\": 1\n}");
    let mut ids: Vec<&str> = written.split("\"call_id\":\"").skip(1).collect();
    ids.iter_mut().for_each(|id| *id = id.split('"').next().unwrap());
    assert_eq!(ids, [ids[0]; 3]);
}

/// A client finds the result of a call by its id, so an id that a model wrote twice is the first call's only.
#[test]
fn an_id_is_one_calls() {
    let turn = |ids: [&str; 3]| {
        let text: String = ids.iter().map(|id| format!("<c>f#{id} {{}}</c>")).collect();
        let (written, calls) = promoted(&sse(&[
            &format!(r#"{{"id":"c","choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#),
            r#"{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ]));
        assert_eq!(calls, 3, "{written}");
        let mut ids: Vec<String> =
            written.split("\"id\":\"").skip(1).map(|id| id.split('"').next().unwrap().to_owned()).collect();
        ids.retain(|id| id != "c");
        ids
    };
    assert_eq!(turn(["a1", "b2", "c3"]), ["a1", "b2", "c3"]);
    let ids = turn(["a1", "a1", "a1"]);
    assert_eq!((ids.len(), ids[0].as_str()), (3, "a1"));
    assert!(ids[1] != ids[0] && ids[2] != ids[0] && ids[1] != ids[2], "{ids:?}");
}

/// Turns that are no event stream stay what they are: one value, lines, or an array.
#[test]
fn turns_without_an_event_stream() {
    let gemini = |text: &str, end: &str| {
        format!(
            r#"{{"candidates":[{{"content":{{"role":"model","parts":[{{"text":"{text}"}}]}}{end},"index":0}}],"modelVersion":"g"}}"#
        )
    };
    let stop = r#","finishReason":"STOP""#;
    let ollama = |text: &str, end: &str| {
        format!(r#"{{"model":"q","message":{{"role":"assistant","content":"{text}"}},"done":{end}}}"#)
    };
    let done = r#"true,"done_reason":"stop""#;
    let empty = r#"{"candidates":[{"finishReason":"STOP","index":0}]}"#;
    let pretty = gemini(TEXT, stop).replace(",\"", ",\n  \"");
    for (turn, values) in [
        (gemini(TEXT, stop), 1),
        (pretty, 1),
        (ollama(TEXT, done), 1),
        (ollama(TEXT, done) + "\n", 1),
        (ollama(TEXT, "false") + "\n" + &ollama("", done) + "\n", 3),
        (format!("[{},\n{}]", gemini(TEXT, ""), gemini("", stop)), 1),
        (format!("[{}\n,\r\n{empty}\n]\n", gemini(TEXT, "")), 1),
    ] {
        let (written, calls) = promoted(&turn);
        assert_eq!(calls, 1, "{turn}");
        let found: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(&written).into_iter().collect();
        assert_eq!(found.unwrap().len(), values, "{written}");
        let lines = |text: &str| text.lines().count();
        assert!(lines(&written) < lines(&turn) + values, "{written}");
        let again = read(&written);
        assert_eq!((again.calls.len(), &*again.calls[0].name), (1, "f"), "{written}");
        assert_eq!(again.finish, read(&turn).finish);
        assert_eq!(written.matches("STOP").count() + written.matches("done_reason").count(), 1, "{written}");
    }
    // The end is in the one event that there is.
    let (written, calls) = promoted(&sse(&[&gemini(TEXT, stop)]));
    assert_eq!((calls, written.matches("data:").count(), read(&written).calls.len()), (1, 1, 1), "{written}");
}

/// What cannot be written leaves as it came.
#[test]
fn turns_that_cannot_be_written() {
    let chunk = format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{TEXT}"}}}}]}}"#);
    let end = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    for turn in [
        format!("[{chunk},\n{end}]"),
        // Nothing can follow a last line that has no end.
        format!("data: {chunk}\n"),
        // Nothing is made of a turn that failed.
        sse(&[&chunk, r#"{"error":{"message":"boom"}}"#]),
        sse(&[&chunk, r#"{"error":{"message":"boom"}}"#, "[DONE]"]),
        format!(r#"[{{"candidates":[{{"content":{{"parts":[{{"text":"{TEXT}"}}]}}}}]}}]"#),
    ] {
        assert_eq!(promoted(&turn), (turn, 0));
    }
}

/// More calls of Responses than are told apart: the rest of the turn passes as it is.
#[test]
fn calls_that_are_not_told_apart() {
    let turn = |count: usize| {
        let delta = |n: usize| {
            format!(
                r#"{{"type":"response.function_call_arguments.delta","item_id":"i{n}","output_index":{n},"delta":"x"}}"#
            )
        };
        let text = format!(
            r#"{{"type":"response.output_text.delta","item_id":"m","output_index":{count},"delta":"{TEXT}"}}"#
        );
        let end = r#"{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}"#;
        let events: Vec<String> = (0..count).map(delta).chain([text, end.to_owned()]).collect();
        sse(&events.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!(promoted(&turn(MAX_CALLS)).1, 1);
    let more = turn(MAX_CALLS + 1);
    assert_eq!(promoted(&more), (more, 0));
}

/// Text that the server or another speaker stands between, and text of which a call was made already, stays text.
#[test]
fn text_that_is_no_call_of_the_turn() {
    let chunk = |delta: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{{delta}}}}}]}}"#);
    let text = chunk(&format!(r#""content":"{TEXT}""#));
    let told = |name: &str| {
        chunk(&format!(
            r#""tool_calls":[{{"index":0,"id":"a","function":{{"name":"{name}","arguments":"{{\"a\":1}}"}}}}]"#
        ))
    };
    let end = |word: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{word}"}}]}}"#);
    let (one, other) = (chunk(r#""content":"<c>f {\"a\""#), chunk(r#""content":": 1}</c>""#));
    let blocks = |inner: &str| {
        format!(r#"{{"type":"message","role":"assistant","content":[{inner}],"stop_reason":"tool_use"}}"#)
    };
    for turn in [
        // The server told the call, and left its text.
        sse(&[&text, &told("f"), &end("tool_calls")]),
        sse(&[&told("f"), &text, &end("tool_calls")]),
        // Its own would be behind one that came later.
        sse(&[&text, &told("g"), &end("tool_calls")]),
        // A call of its own within the text.
        sse(&[&one, &told("g"), &other, &end("tool_calls")]),
        blocks(
            r#"{"type":"text","text":"<c>f {\"a\""},{"type":"tool_use","id":"t","name":"g","input":{}},{"type":"text","text":": 1}</c>"}"#,
        ),
        // Somebody else's words.
        sse(&[&chunk(r#""role":"user","content":"""#), &text, &end("stop")]),
        format!(
            r#"{{"choices":[{{"index":0,"message":{{"role":"tool","content":"{TEXT}"}},"finish_reason":"stop"}}]}}"#
        ),
        // An answer that was withheld.
        sse(&[&text, &end("content_filter")]),
        format!(
            r#"{{"type":"message","role":"assistant","content":[{{"type":"text","text":"{TEXT}"}}],"stop_reason":"refusal"}}"#
        ),
        format!(
            r#"{{"candidates":[{{"content":{{"role":"model","parts":[{{"text":"{TEXT}"}}]}},"finishReason":"SAFETY"}}]}}"#
        ),
    ] {
        assert_eq!(promoted(&turn), (turn, 0));
    }
    for turn in [
        sse(&[&told("g"), &text, &end("tool_calls")]),
        sse(&[&chunk(r#""role":"assistant","content":"""#), &text, &end("stop")]),
    ] {
        assert_eq!(promoted(&turn).1, 1, "{turn}");
    }
}
