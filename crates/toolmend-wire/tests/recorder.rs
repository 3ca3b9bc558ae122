//! Whole turns: what comes out of a recording, however its bytes are cut.

use toolmend_wire::{
    CallFault, FaultKind, Limits, MAX_EVENT_BYTES, Recorded, Recorder, WireError, WireErrorKind,
};

#[allow(dead_code, reason = "shared with other tests")]
mod turns;

use turns::{TURNS, Turn};

fn read(recording: &[u8], size: usize) -> Result<Recorded, WireError> {
    let mut recorder = Recorder::new();
    for piece in recording.chunks(size.max(1)) {
        recorder.push(piece)?;
    }
    recorder.finish()
}

/// What a turn says, a line each: calls, texts, ending, faults.
fn show(turn: &Recorded) -> String {
    let mut lines = Vec::new();
    for call in &turn.calls {
        let fault = call.fault.as_ref().map_or(String::new(), |fault| format!(" !{}", fault.name()));
        let ending = turn.evidence(call, Some(100)).ending();
        let id = call.id.as_deref().unwrap_or("-");
        let (choice, index, name, arguments) = (call.choice, call.index, &call.name, &call.arguments);
        lines.push(format!("call {choice}.{index} {id} {name} {arguments}{fault} ({ending})"));
    }
    for (label, text) in [("content", &turn.content), ("reasoning", &turn.reasoning)] {
        if !text.is_empty() {
            lines.push(format!("{label} {text}"));
        }
    }
    lines.push(format!("finish {:?}{}", turn.finish, if turn.terminal { " terminal" } else { "" }));
    for other in &turn.others {
        let text = format!("{}{}", other.content, other.reasoning);
        lines.push(format!("choice {} {text:?} {:?}", other.index, other.finish));
    }
    if let Some(usage) = turn.usage {
        lines.push(format!("usage {:?} {}", usage.input_tokens, usage.output_tokens));
    }
    lines.extend(turn.faults.iter().map(|fault| format!("fault {fault}")));
    lines.join("\n")
}

#[test]
fn turns_in_any_pieces() {
    for Turn { name, recording, says } in TURNS {
        let whole = read(recording.as_bytes(), recording.len()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(show(&whole), *says, "{name}");
        for size in [1, 2, 3, 5, 7] {
            assert_eq!(read(recording.as_bytes(), size).as_ref(), Ok(&whole), "{name} in pieces of {size}");
        }
    }
}

#[test]
fn line_ends_do_not_matter() {
    for Turn { name, recording, says } in TURNS.iter().filter(|turn| !turn.says.contains("fault")) {
        for end in ["\r\n", "\r"] {
            // A bare CR ends no line of NDJSON.
            if end == "\r" && recording.starts_with('{') {
                continue;
            }
            let recording = recording.replace('\n', end);
            for size in [recording.len(), 1, 2, 3, 5, 7] {
                let turn = read(recording.as_bytes(), size).unwrap();
                assert_eq!(show(&turn), *says, "{name} with {end:?} in pieces of {size}");
            }
        }
    }
}

#[test]
fn a_cut_anywhere_is_read_up_to_there() {
    for Turn { name, recording, .. } in TURNS {
        let whole = read(recording.as_bytes(), recording.len()).unwrap();
        for at in 0..recording.len() {
            let Ok(cut) = read(&recording.as_bytes()[..at], at) else {
                continue;
            };
            if name.contains("not streamed") || name.contains("objects") || name.contains("growing") {
                continue;
            }
            for (call, full) in cut.calls.iter().zip(&whole.calls).filter(|(call, _)| call.fault.is_none()) {
                assert!(full.arguments.starts_with(&call.arguments), "{name} cut at {at}");
            }
        }
    }
}

#[test]
fn no_turn() {
    use WireErrorKind as Kind;
    let server_error = |message: &str| Kind::ServerError { message: message.to_owned() };
    let cases: &[(&[u8], Kind, u64, u64)] = &[
        (b"", Kind::Empty, 0, 1),
        (b"\r\n \n", Kind::Empty, 0, 1),
        (b"<html><body>502 Bad Gateway</body></html>", Kind::Markup, 0, 1),
        (b"\x1f\x8b\x08\x00", Kind::Compressed, 0, 1),
        (b"\x89PNG\r\n\x1a\n\x00", Kind::Binary, 0, 1),
        (b"id,arguments\n1,{}\n", Kind::NotARecording, 0, 1),
        (b"\"a string\"", Kind::NotARecording, 0, 1),
        (b"{\"a\":1}", Kind::UnknownProtocol, 0, 1),
        (b"[1,2]", Kind::UnknownProtocol, 0, 1),
        (b"[]", Kind::UnknownProtocol, 0, 1),
        (b"{\"model\":\"m\",\"messages\":[]}", Kind::UnknownProtocol, 0, 1),
        (b": hi\n\ndata: {\"a\":1}\n\n", Kind::UnknownProtocol, 12, 3),
        (b"data: [DONE]\n\n", Kind::UnknownProtocol, 6, 1),
        (b"event: ping\n\n", Kind::UnknownProtocol, 0, 1),
        (b"{\"choices\":[{\"message\":{\"conte", Kind::NotJson, 29, 1),
        (b"{\n\"choices\" 7}", Kind::NotJson, 12, 2),
        (b"data: <html>\n\n", Kind::NotJson, 6, 1),
        (b"data: data:  {\"a\":}\n\n", Kind::NotJson, 18, 1),
        (b"data: {\ndata: \"a\":}\n\n", Kind::NotJson, 6, 1),
        (b"data: {\"a\":\"\xff\"}\n\n", Kind::Binary, 12, 1),
        (b"{\"error\":{\"message\":\"no such model\",\"code\":404}}", server_error("no such model"), 0, 1),
        (b"{\"error\":\"overloaded\"}", server_error("overloaded"), 0, 1),
        (b"{\"error\":{\"code\":7}}", server_error("{\"code\":7}"), 0, 1),
        (b"event: error\ndata: {\"message\":\"no\"}\n\n", server_error("no"), 19, 2),
        (b"event: error\ndata: bad luck\n\n", server_error("bad luck"), 19, 2),
    ];
    for (recording, kind, offset, line) in cases {
        let shown = String::from_utf8_lossy(recording);
        let expected = WireError { kind: kind.clone(), offset: *offset, line: *line };
        for size in [recording.len(), 1, 2, 3, 5, 7] {
            assert_eq!(read(recording, size), Err(expected.clone()), "{shown} in pieces of {size}");
        }
        assert!(!expected.to_string().is_empty());
    }
}

#[test]
fn an_error_stays() {
    let mut recorder = Recorder::with_limits(Limits { event_bytes: 8, ..Limits::default() });
    let error = recorder.push(b"data: 1234\n\n").unwrap_err();
    assert_eq!(recorder.push(b"data: 1\n\n"), Err(error.clone()));
    assert_eq!(recorder.finish(), Err(error));
}

#[test]
fn limits_reach_the_reader() {
    let limits = Limits { calls: 1, ..Limits::default() };
    let recording = turns::two_calls();
    let mut recorder = Recorder::with_limits(limits);
    let error = recorder.push(recording.as_bytes()).unwrap_err();
    let at = recording.rfind("{\"choices\"").unwrap();
    assert_eq!(error.to_string(), format!("there are more than 1 calls (line 3, byte {at})"));
    assert_eq!(Limits::default().event_bytes, MAX_EVENT_BYTES);
}

#[test]
fn what_lies_beyond_utf8_is_a_fault() {
    let recording = turns::with_bytes(b"\xE5\x8C");
    let turn = read(&recording, recording.len()).unwrap();
    assert!(matches!(turn.faults[..], [toolmend_wire::Fault { kind: FaultKind::NotUtf8, line: 3, .. }]));
    assert_eq!(read(&recording, 1), Ok(turn));
}

#[test]
fn many_deltas_make_one_body() {
    let deltas = 1 << 14;
    let mut recording =
        turns::delta(r#"{"index":0,"id":"c","function":{"name":"f","arguments":"{\"a\":\""}}"#);
    recording += &turns::delta(r#"{"index":0,"function":{"arguments":"ab\\n"}}"#).repeat(deltas);
    let turn = read(recording.as_bytes(), 1460).unwrap();
    assert_eq!(turn.calls[0].arguments, format!("{{\"a\":\"{}", "ab\\n".repeat(deltas)));
}

/// A name that comes when a copy of the arguments has come does not lengthen the one that is known.
#[test]
fn names_behind_a_copy() {
    let recording = concat!(
        "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"function_call\",",
        "\"id\":\"i\",\"call_id\":\"c\",\"name\":\"add\",\"arguments\":\"{\\\"a\\\":1}\"}}\n\n",
        "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":",
        "\"function_call\",\"id\":\"i\",\"call_id\":\"c\",\"name\":\"add_all\",\"arguments\":\"{\\\"a\\\":1}\"}]}}\n\n",
    );
    let mut recorder = Recorder::new();
    recorder.push(recording.as_bytes()).unwrap();
    let turn = recorder.finish().unwrap();
    assert_eq!(turn.calls[0].name, "add");
    assert_eq!(turn.calls[0].fault, Some(CallFault::NameChanged { to: "add_all".to_owned() }));
}

/// What a block's start announces does not say that its deltas came to their end: clients go by the deltas.
#[test]
fn deltas_cut_behind_a_whole_start() {
    let recording = concat!(
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":",
        "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"city\":\"Oslo\"}}}\n\n",
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":",
        "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"city\\\":\\\"Os\"}}\n\n",
        "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    );
    let turn = read(recording.as_bytes(), recording.len()).unwrap();
    assert_eq!(turn.calls[0].arguments, "{\"city\":\"Os");
    assert_eq!(turn.calls[0].fault, None);
}

/// Another turn behind the end of the first one is not read, and that is told, once.
#[test]
fn a_turn_behind_the_end() {
    let one = turns::two_calls() + "data: [DONE]\n\n";
    let alone = read(one.as_bytes(), one.len()).unwrap();
    for (behind, told) in [("data: [DONE]\n\n", 0), (": hi\n\n", 0), ("data: {}\n\n", 0), (&*one, 1)] {
        let turn = read((one.clone() + behind).as_bytes(), 64).unwrap();
        let faults: Vec<_> = turn.faults.iter().map(|fault| (&fault.kind, fault.offset)).collect();
        let at = (one.len() + "data: ".len()) as u64;
        assert_eq!(faults, [(&FaultKind::BehindTheEnd, at)][..told], "{behind}");
        assert_eq!(turn.calls, alone.calls);
    }
    let whole = r#"{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}"#;
    let turn = read(format!("{whole}\n{whole}").as_bytes(), 64).unwrap();
    assert_eq!((turn.faults.len(), &*turn.content), (1, "a"));
}
