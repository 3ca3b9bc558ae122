//! Turns in flight: what waits and for what, and what comes late.

use toolmend_wire::{Hold, Limits, Outcome, StreamEnd, Turn, TurnOptions};

mod anything;
#[allow(dead_code, reason = "shared with other tests")]
mod passing;

use anything::Anything;
use passing::{chunks, is_written, is_written_in_any_pieces, pass, sse};

/// Text passes at once, before a call and where there is none; a call waits, or streams.
#[test]
fn what_waits() {
    let event = |delta: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    let piece = |arguments: &str| {
        let arguments = serde_json::to_string(arguments).unwrap();
        event(&format!("{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":{arguments}}}}}]}}"))
    };
    let opening = event(
        r#"{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}"#,
    );
    let mut turn = Turn::new(TurnOptions::default(), Anything);
    let mut out = Vec::new();
    for (bytes, waits) in [
        (event(r#"{"role":"assistant","content":"Hm"}"#), false),
        (event(r#"{"reasoning_content":"so"}"#), false),
        (opening.clone(), true),
        (piece("{\"a\":1}"), true),
        (event(r#"{"content":"and"}"#), true),
    ] {
        out.clear();
        turn.push(bytes.as_bytes(), &mut out);
        assert_eq!((out.is_empty(), turn.holds()), (waits, waits), "{bytes}");
    }
    assert!(turn.held() > 0);

    let mut turn = Turn::new(TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() }, Anything);
    for (bytes, leaves) in [
        (opening.clone(), 1),
        (piece("{\"a\":1"), 1),
        // A comma may prove to be one too many; the next piece tells.
        (piece(","), 0),
        (piece("\"b\":\"x,"), 2),
        (piece("y\","), 0),
        (piece("}"), 0),
        (piece("\n```"), 0),
    ] {
        out.clear();
        turn.push(bytes.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out).matches("data:").count(), leaves, "{bytes}");
    }
    // A body that is just `{}`, and a piece that begins with all there was.
    let mut turn = Turn::new(TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() }, Anything);
    for (bytes, leaves) in [(opening.clone(), 1), (piece("{}"), 0), (piece("{\"a\":1}"), 0)] {
        out.clear();
        turn.push(bytes.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out).matches("data:").count(), leaves, "{bytes}");
    }
    let mut turn = Turn::new(TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() }, Anything);
    for (bytes, leaves) in
        [(opening, 1), (piece("{\"a\":"), 1), (piece("{\"a\":{"), 0), (piece("\"c\":1}}}"), 2)]
    {
        out.clear();
        turn.push(bytes.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out).matches("data:").count(), leaves, "{bytes}");
    }
}

/// More than the turn may hold: everything leaves as it came.
#[test]
fn the_limit_of_what_waits() {
    let opening = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{,\"}}]}}]}\n\n";
    for (room, given_up) in [(opening.len(), false), (opening.len() - 1, true)] {
        let limits = Limits { queued_bytes: room, ..Limits::default() };
        let mut turn = Turn::new(TurnOptions { limits, ..TurnOptions::default() }, Anything);
        let mut out = Vec::new();
        turn.push(opening.as_bytes(), &mut out);
        assert_eq!(turn.is_transparent(), given_up);
        assert_eq!(out.len(), if given_up { opening.len() } else { 0 });
    }
    // An event that is longer than one may be, in pieces.
    let limits = Limits { event_bytes: 64, ..Limits::default() };
    let long = opening.repeat(3);
    for size in [1, 50, 1000] {
        let mut turn = Turn::new(TurnOptions { limits, ..TurnOptions::default() }, Anything);
        let mut out = Vec::new();
        for piece in long.as_bytes().chunks(size) {
            turn.push(piece, &mut out);
        }
        turn.finish(StreamEnd::Clean, &mut out);
        assert_eq!(out, long.as_bytes());
    }
}

/// What a call lacks that has left comes in an event of its own, which says nothing else again.
#[test]
fn what_a_call_lacks() {
    let event = |delta: &str, more: &str| {
        format!(
            r#"{{"id":"x","choices":[{{"index":2,"delta":{delta},"finish_reason":null{more}}}],"usage":null}}"#
        )
    };
    let opening = event(
        r#"{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":""}}]}"#,
        "",
    );
    let piece = event(
        r#"{"reasoning_content":"Hm","tool_calls":[{"function":{"arguments":"{\"a\":1"}}]}"#,
        r#","logprobs":{"content":[]}"#,
    );
    let end = r#"{"choices":[{"index":2,"delta":{},"finish_reason":"tool_calls"}]}"#;
    let missing = r#"{"id":"x","choices":[{"index":2,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"finish_reason":null}]}"#;
    let numbered = |event: &str| {
        event
            .replace("[{\"id\"", "[{\"index\":0,\"id\"")
            .replace("[{\"function\"", "[{\"index\":0,\"function\"")
    };
    let options = TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() };
    let (out, _) = pass(options, &[sse(&[&opening, &piece, end, "[DONE]"]).as_bytes()]);
    let becomes = sse(&[&numbered(&opening), &numbered(&piece), missing, end, "[DONE]"]);
    assert_eq!(String::from_utf8_lossy(&out), becomes);
    // Nothing can follow an event that no blank line ends.
    let torn = sse(&[&opening, &piece]) + "data: " + end + "\n";
    let (out, reports) = pass(options, &[torn.as_bytes()]);
    assert!(reports[0].arguments().is_none(), "{reports:?}");
    assert!(out.ends_with(format!("data: {end}\n").as_bytes()));
    assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 5);
}

/// Where events are numbered, none can be added: the latest piece waits, and takes what the call lacks.
#[test]
fn what_a_call_lacks_where_events_are_numbered() {
    let events = |second: &str, whole: &str| {
        [
            r#"{"type":"response.output_item.added","sequence_number":0,"output_index":0,"item":{"type":"function_call","id":"i","call_id":"c","name":"f","arguments":""}}"#.to_owned(),
            r#"{"type":"response.function_call_arguments.delta","sequence_number":1,"item_id":"i","output_index":0,"delta":"{\"a\":"}"#.to_owned(),
            format!(r#"{{"type":"response.function_call_arguments.delta","sequence_number":2,"item_id":"i","output_index":0,"delta":"{second}"}}"#),
            r#"{"type":"response.function_call_arguments.delta","sequence_number":3,"item_id":"i","output_index":0,"delta":""}"#.to_owned(),
            format!(r#"{{"type":"response.function_call_arguments.done","sequence_number":4,"item_id":"i","output_index":0,"arguments":"{whole}"}}"#),
            format!(r#"{{"type":"response.output_item.done","sequence_number":5,"output_index":0,"item":{{"type":"function_call","id":"i","call_id":"c","name":"f","arguments":"{whole}"}}}}"#),
            format!(r#"{{"type":"response.completed","sequence_number":6,"response":{{"status":"completed","output":[{{"type":"function_call","id":"i","call_id":"c","name":"f","arguments":"{whole}"}}]}}}}"#),
        ]
    };
    let broken = events("1", r#"{\"a\":1"#);
    let mended = events("1}", r#"{\"a\":1}"#);
    let mut turn = Turn::new(TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() }, Anything);
    let mut out = Vec::new();
    let mut left = Vec::new();
    for event in &broken {
        turn.push(sse(&[event]).as_bytes(), &mut out);
        left.push(String::from_utf8_lossy(&out).matches("data:").count());
    }
    assert_eq!(left, [1, 1, 2, 2, 2, 2, 7]);
    assert_eq!(String::from_utf8_lossy(&out), sse(&mended.each_ref().map(String::as_str)));
    // What is whole waits for nothing.
    let mut turn = Turn::new(TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() }, Anything);
    out.clear();
    for (event, leaves) in mended.iter().zip([1, 1, 3, 4, 4, 6, 7]) {
        turn.push(sse(&[event]).as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out).matches("data:").count(), leaves, "{event}");
    }
}

/// What comes behind the mark of the end is read by no client: it passes as it is.
#[test]
fn what_comes_behind_the_end() {
    let call = |arguments: &str| {
        chunks(&[&format!(
            r#"{{"role":"assistant","tool_calls":[{{"index":0,"id":"a","type":"function","function":{{"name":"f","arguments":"{arguments}"}}}}]}}"#
        )])
    };
    let (broken, good) = (call(r#"{\"a\":1,}"#), call(r#"{\"a\":1}"#));
    for behind in
        [&*broken, "data: [DONE]\n\n", "\n\n: bye\n", "data: {\"choices\":[{", "no event at all\n\nmore"]
    {
        is_written_in_any_pieces(&format!("{broken}{behind}"), &format!("{good}{behind}"));
    }
    // The first event, and then it is over.
    let early = format!("data: [DONE]\n\n{broken}");
    is_written_in_any_pieces(&early, &early);
}

/// The LF of a blank line goes where its event goes: events that step aside, that are spliced, that go behind.
#[test]
fn line_ends_stay_with_their_events() {
    let start = |number: u32| {
        format!(
            "event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":{number},\"content_block\":{{\"type\":\"tool_use\",\"id\":\"t{number}\",\"name\":\"f\",\"input\":{{}}}}}}\n\n"
        )
    };
    let piece = |number: u32, json: &str| {
        format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{number},\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":\"{json}\"}}}}\n\n"
        )
    };
    let stop = |number: u32| {
        format!("event: content_block_stop\ndata: {{\"type\":\"content_block_stop\",\"index\":{number}}}\n\n")
    };
    let begin = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\n"
        .to_owned();
    let end = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n".to_owned();
    let (broken, good) = (r#"{\"a\":1,}"#, r#"{\"a\":1}"#);
    let interleaved = [
        begin.clone(),
        start(0),
        start(1),
        piece(0, broken),
        piece(1, broken),
        ": ping\n\n".to_owned(),
        stop(1),
        stop(0),
        end.clone(),
    ];
    let in_order = [
        begin,
        start(0),
        piece(0, good),
        ": ping\n\n".to_owned(),
        stop(0),
        start(1),
        piece(1, good),
        stop(1),
        end,
    ];
    is_written_in_any_pieces(&interleaved.concat(), &in_order.concat());

    let chunk = |delta: &str, finish: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n")
    };
    let opening = chunk(
        r#"{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":1"}}]}"#,
        "null",
    );
    let rest = |text: &str| {
        chunk(&format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":"{text}"}}}}]}}"#), "null")
    };
    let finish = chunk("{}", "\"tool_calls\"");
    let done = "data: [DONE]\n\n";
    is_written_in_any_pieces(
        &[&*opening, &*finish, &*rest(",}"), done].concat(),
        &[&*opening, &*rest("}"), &*finish, done].concat(),
    );
}

/// Where the last event of a stream has no blank line behind it, what is moved behind it is parted from it.
#[test]
fn what_follows_an_event_that_breaks_off() {
    let chunk = |delta: &str, finish: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n")
    };
    let opening = chunk(
        r#"{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":1"}}]}"#,
        "null",
    );
    let rest = chunk(r#"{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}"#, "null");
    let finish = chunk("{}", "\"tool_calls\"");
    let start = |number: u32| {
        format!(
            "event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":{number},\"content_block\":{{\"type\":\"tool_use\",\"id\":\"t{number}\",\"name\":\"f\",\"input\":{{}}}}}}\n\n"
        )
    };
    let piece = |number: u32| {
        format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{number},\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":\"{{\\\"a\\\":1}}\"}}}}\n\n"
        )
    };
    for (end, parted) in [("", "\n\n"), ("\n", "\n\n"), ("\r\n", "\r\n\n"), ("\r", "\r\n\n")] {
        let (torn, whole) = (
            |event: &str| event.trim_end().to_owned() + end,
            |event: &str| event.trim_end().to_owned() + parted,
        );
        is_written(
            &[&*opening, &*finish, &*torn(&rest)].concat(),
            &[&*opening, &*whole(&rest), &*finish].concat(),
        );
        is_written(
            &[&*start(0), &*start(1), &*piece(1), &*torn(&piece(0))].concat(),
            &[&*start(0), &*whole(&piece(0)), &*start(1), &*piece(1)].concat(),
        );
        // What is not moved is left alone.
        for said in [[&*opening, &*torn(&rest)].concat(), [&*start(0), &*torn(&piece(0))].concat()] {
            is_written(&said, &said);
        }
    }
}

/// A finish goes behind the pieces of its own choice, and no other's.
#[test]
fn finishes_of_several_choices() {
    let role =
        |choice: u32| format!(r#"{{"choices":[{{"index":{choice},"delta":{{"role":"assistant"}}}}]}}"#);
    let call = |choice: u32, piece: &str| {
        format!(r#"{{"choices":[{{"index":{choice},"delta":{{"tool_calls":[{{"index":0,{piece}}}]}}}}]}}"#)
    };
    let whole = r#""id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}"#;
    let begin = r#""id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":"}"#;
    let rest = r#""function":{"arguments":"1}"}"#;
    let end = |choice: u32| {
        format!(r#"{{"choices":[{{"index":{choice},"delta":{{}},"finish_reason":"tool_calls"}}]}}"#)
    };
    let both = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{},"finish_reason":"stop"}]}"#;
    let turn = |events: &[String]| {
        let mut all = vec![role(0), role(1)];
        all.extend_from_slice(events);
        all.push("[DONE]".to_owned());
        sse(&all.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let intact = turn(&[call(0, whole), end(0), call(1, whole), end(1)]);
    is_written(&intact, &intact);
    is_written(
        &turn(&[call(0, begin), call(1, begin), end(1), end(0), call(0, rest), call(1, rest)]),
        &turn(&[call(0, begin), call(1, begin), call(0, rest), end(0), call(1, rest), end(1)]),
    );
    is_written(
        &turn(&[call(0, begin), call(1, begin), both.to_owned(), call(1, rest), call(0, rest)]),
        &turn(&[call(0, begin), call(1, begin), call(1, rest), call(0, rest), both.to_owned()]),
    );
}

/// A block that waits for the end of another one is mended where it waits.
#[test]
fn blocks_that_wait_are_mended() {
    let begin = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\n";
    let start = |number: u32| {
        format!(
            "event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":{number},\"content_block\":{{\"type\":\"tool_use\",\"id\":\"t{number}\",\"name\":\"f\",\"input\":{{}}}}}}\n\n"
        )
    };
    let piece = |number: u32, json: &str| {
        let json = serde_json::to_string(json).unwrap();
        format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{number},\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":{json}}}}}\n\n"
        )
    };
    let stop = |number: u32| {
        format!("event: content_block_stop\ndata: {{\"type\":\"content_block_stop\",\"index\":{number}}}\n\n")
    };
    let end = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let good = r#"{"a":"xyz"}"#;
    let states = [piece(1, r#"{"a":"#), piece(1, r#"{"a":"xy"#), piece(1, good)].concat();
    let said = [begin, &start(0), &start(1), &states, &stop(1), &piece(0, good), &stop(0), end].concat();
    let (out, reports) = pass(TurnOptions::default(), &[said.as_bytes()]);
    let out = String::from_utf8(out).unwrap();
    assert!(reports.iter().all(|report| report.arguments() == Some(good)), "{reports:?}");
    let (first, second) = out.split_once(&start(1)).unwrap();
    assert_eq!(first, [begin, &start(0), &piece(0, good), &stop(0)].concat());
    let said_in = |event: &str| {
        let (_, json) = event.split_once("\"partial_json\":")?;
        serde_json::Deserializer::from_str(json).into_iter::<String>().next()?.ok()
    };
    assert_eq!(second.split("\n\n").filter_map(said_in).collect::<String>(), good);
    is_written(&said, &out);
}

/// A call that goes on when it was settled waits for the end of the turn: what it says once more is taken out.
#[test]
fn what_goes_on_late() {
    let call = |number: u32, id: &str, name: &str, arguments: &str| {
        let arguments = serde_json::to_string(arguments).unwrap();
        format!(
            r#"{{"tool_calls":[{{"index":{number},"id":"{id}","type":"function","function":{{"name":"{name}","arguments":{arguments}}}}}]}}"#
        )
    };
    let more = |arguments: &str| {
        let arguments = serde_json::to_string(arguments).unwrap();
        format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":{arguments}}}}}]}}"#)
    };
    let turn = |late: &[&str]| {
        let mut deltas = vec![
            r#"{"role":"assistant"}"#.to_owned(),
            call(0, "a", "f", r#"{"a":"x"}"#),
            call(1, "b", "g", r#"{"a":2}"#),
        ];
        deltas.extend(late.iter().map(|text| more(text)));
        chunks(&deltas.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let same = r#"{"a":"x"}"#;
    for (late, becomes) in
        [(&[same][..], &[""][..]), (&[r#"{"a":"#, r#""x"}"#], &["", ""]), (&["\n"], &["\n"]), (&["}"], &[""])]
    {
        is_written(&turn(late), &turn(becomes));
        let (_, reports) = pass(TurnOptions::default(), &[turn(late).as_bytes()]);
        let told: Vec<_> =
            reports.iter().map(|report| (&*report.name, report.arguments().is_some())).collect();
        assert_eq!(told, [("f", true), ("f", true), ("g", true)], "{late:?}: {reports:?}");
    }
    // It comes to no call after all: the client has got it, and is told.
    for late in [r#"{"a":"y"}"#, r#"{"a":"#, "\"b"] {
        for hold in [Hold::Call, Hold::Deviation] {
            let options = TurnOptions { hold, ..TurnOptions::default() };
            let (out, reports) = pass(options, &[turn(&[late]).as_bytes()]);
            assert_eq!(String::from_utf8_lossy(&out), turn(&[late]));
            let latest = reports.iter().rfind(|report| report.name == "f").unwrap();
            assert_eq!(latest.outcome, Outcome::TooLate, "{late} {hold:?}");
        }
    }
}

/// White space around the arguments that has left is no reason to give a call up.
#[test]
fn white_space_that_has_left() {
    let turn = |pieces: &[&str]| {
        let call = |text: &&str| {
            let text = serde_json::to_string(text).unwrap();
            format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":{text}}}}}]}}"#)
        };
        let mut deltas = vec![
            r#"{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}"#.to_owned(),
        ];
        deltas.extend(pieces.iter().map(call));
        chunks(&deltas.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let options = TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() };
    for (said, becomes) in [
        ([r#"{"a":1}"#, "\n", "Done."], [r#"{"a":1}"#, "\n", ""]),
        (["\n", "```json\n", "{\"a\":1}\n```"], ["\n", "{\"a\":1}", ""]),
        ([" ", r#"{"a":1"#, "}\n\n```"], [" ", r#"{"a":1"#, "}"]),
    ] {
        let (out, reports) = pass(options, &[turn(&said).as_bytes()]);
        assert_eq!(String::from_utf8_lossy(&out), turn(&becomes));
        assert_eq!(reports[0].arguments().map(str::trim), Some(r#"{"a":1}"#));
        assert_eq!(String::from_utf8_lossy(&pass(options, &[&out]).0), turn(&becomes));
    }
}

/// White space in front of which something may be missing waits for what follows it: where it is cut decides nothing.
#[test]
fn white_space_that_waits() {
    let turn = |pieces: [&str; 2]| {
        let call = |text: &str| {
            let text = serde_json::to_string(text).unwrap();
            format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":{text}}}}}]}}"#)
        };
        let opening = r#"{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}"#;
        chunks(&[opening, &call(pieces[0]), &call(pieces[1])])
    };
    let options = TurnOptions { hold: Hold::Deviation, ..TurnOptions::default() };
    for body in ["{\"a\": 1\n  \"b\": 2\n}", "{\"a\" \n 1}", "{\"a\": {\"b\": 1}\n"] {
        for at in 1..body.len() {
            let (first, second) = body.split_at(at);
            let (_, reports) = pass(options, &[turn([first, second]).as_bytes()]);
            assert!(reports[0].arguments().is_some(), "{first:?} {second:?}: {reports:?}");
        }
    }
}
