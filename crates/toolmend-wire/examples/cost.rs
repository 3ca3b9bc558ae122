//! What an event of a stream costs, in time, beside reading its JSON once.
//!
//! ```text
//! cargo run --release -p toolmend-wire --example cost [-- CASE EVENTS]
//! ```
//!
//! Without a case it times all of them. With one it passes a stream of so many events through once and prints
//! nothing, so that a profiler sees little else; the difference between two runs of unlike lengths is what the
//! events cost. `json-CASE` only reads their JSON. Counted under callgrind, with `--toggle-collect=cost::pass` or
//! `--toggle-collect=cost::json`.

use std::hint::black_box;
use std::time::Instant;

use serde::de::IgnoredAny;
use toolmend_wire::{Hold, Limits, Promoter, Promoting, StreamEnd, Turn, TurnOptions};

#[path = "../tests/anything/mod.rs"]
mod anything;
#[path = "../tests/marks/mod.rs"]
mod marks;

use anything::Anything;
use marks::Marks;

/// Events of a stream that is timed: a megabyte of text in deltas of four bytes.
const EVENTS: usize = 1 << 18;

fn chunk(delta: &str, finish: &str) -> String {
    format!(
        "{{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}"
    )
}

fn piece(text: &str) -> String {
    chunk(&format!("{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":\"{text}\"}}}}]}}"), "null")
}

/// The events of a stream of text, or of a call whose arguments come in deltas of four bytes.
fn stream(calls: bool, count: usize) -> Vec<String> {
    let mut events = Vec::with_capacity(count + 4);
    events.push(chunk("{\"role\":\"assistant\",\"content\":\"\"}", "null"));
    if calls {
        events.push(chunk(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"text\\\":\\\"\"}}]}",
            "null",
        ));
        events.extend((0..count).map(|_| piece("word")));
        events.push(piece("\\\"}"));
    } else {
        events.extend((0..count).map(|_| chunk("{\"content\":\"word\"}", "null")));
    }
    events.push(chunk("{}", "\"stop\""));
    events
}

fn framed(events: &[String]) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        events.iter().flat_map(|event| format!("data: {event}\n\n").into_bytes()).collect();
    bytes.extend_from_slice(b"data: [DONE]\n\n");
    bytes
}

/// The stream, each event by itself.
fn apart(bytes: &[u8]) -> Vec<&[u8]> {
    let mut events = Vec::new();
    let mut rest = bytes;
    while let Some(end) = rest.windows(2).position(|end| end == b"\n\n") {
        let (event, behind) = rest.split_at(end + 2);
        events.push(event);
        rest = behind;
    }
    events
}

/// Passes the stream through a turn in these pieces.
#[inline(never)]
fn pass(mode: Mode, bytes: &[u8], pieces: &[&[u8]]) {
    let (hold, promotes) = mode;
    let mut turn = Turn::new(TurnOptions { hold, ..TurnOptions::default() }, Anything);
    let mut out = Vec::with_capacity(bytes.len());
    if promotes {
        let promoter = Promoter::new(Marks::default(), Limits::default(), None);
        let mut both = Promoting::new(promoter, turn);
        for piece in pieces {
            both.push(piece, &mut out);
        }
        both.finish(StreamEnd::Clean, &mut out);
    } else {
        for piece in pieces {
            turn.push(piece, &mut out);
        }
        turn.finish(StreamEnd::Clean, &mut out);
    }
    assert!(out == bytes, "nothing is changed");
    black_box(out);
}

#[inline(never)]
fn json(events: &[String]) {
    for event in events {
        black_box(serde_json::from_str::<IgnoredAny>(black_box(event)).is_ok());
    }
}

/// What waits, and whether the text is read for calls, too.
type Mode = (Hold, bool);

const CASES: [(&str, bool, Mode); 6] = [
    ("text", false, (Hold::Call, false)),
    ("text-deviation", false, (Hold::Deviation, false)),
    ("text-promoting", false, (Hold::Call, true)),
    ("call", true, (Hold::Call, false)),
    ("call-deviation", true, (Hold::Deviation, false)),
    ("call-promoting", true, (Hold::Call, true)),
];

/// Nanoseconds an event, the best of so many runs.
fn time(runs: usize, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let begin = Instant::now();
        work();
        best = best.min(begin.elapsed().as_secs_f64());
    }
    best * 1e9 / EVENTS as f64
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let only = arguments.next();
    let count = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(EVENTS);
    for (name, calls, mode) in CASES {
        if only.as_deref().is_some_and(|only| only.strip_prefix("json-").unwrap_or(only) != name) {
            continue;
        }
        let events = stream(calls, count);
        let bytes = framed(&events);
        let event = bytes.len() / events.len();
        match only.as_deref() {
            Some(only) if only.starts_with("json-") => json(&events),
            Some(_) => pass(mode, &bytes, &apart(&bytes)),
            None => {
                let own = time(5, || json(&events));
                let (apart, cut): (Vec<_>, Vec<_>) = (apart(&bytes), bytes.chunks(event).collect());
                let large: Vec<_> = bytes.chunks(16 << 10).collect();
                let [apart, cut, large] =
                    [apart, cut, large].map(|pieces| time(5, || pass(mode, &bytes, &pieces)));
                println!(
                    "{name:16}{event:4} bytes an event:{apart:6.0} ns one by one,{cut:6.0} ns in pieces of about one,{large:6.0} ns in pieces of 16 KiB; its JSON{own:6.0} ns"
                );
            }
        }
    }
}
