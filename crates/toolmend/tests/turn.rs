//! A recorded turn in, its calls settled: the wire, the formats and the core together.

use toolmend::wire::Recorder;
use toolmend::{Outcome, Policy, SettledCall, Toolmend, Verdict};

/// A streamed turn with one call, whose arguments come in these pieces.
fn recording(id: &str, name: &str, pieces: &[&str], finish: &str) -> String {
    let event = |call: String, finish: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{call}]}},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let mut turn = event(
        format!("{{\"index\":0,\"id\":\"{id}\",\"function\":{{\"name\":\"{name}\",\"arguments\":\"\"}}}}"),
        "null",
    );
    for piece in pieces {
        let piece = piece.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        turn += &event(format!("{{\"index\":0,\"function\":{{\"arguments\":\"{piece}\"}}}}"), "null");
    }
    turn + &event(String::new(), finish) + "data: [DONE]\n\n"
}

fn settle(toolmend: &Toolmend<'_>, recording: &str, size: usize) -> SettledCall {
    let mut recorder = Recorder::new();
    for piece in recording.as_bytes().chunks(size) {
        recorder.push(piece).unwrap();
    }
    let turn = recorder.finish().unwrap();
    let mut calls = toolmend.turn(&turn, None);
    assert_eq!(calls.len(), 1);
    calls.remove(0)
}

/// A body cut off by the cap on output tokens, and what becomes of it under [`Policy::INSPECT`].
struct Cut {
    pieces: &'static [&'static str],
    model: &'static str,
    /// The text and its grade.
    mended: Option<(&'static str, &'static str)>,
}

const CUT: &[Cut] = &[
    Cut {
        pieces: &["```json\n", "{\"city\":\"北京\",", "\"unit\":\"celsius\""],
        model: "qwen3",
        mended: Some(("{\"city\":\"北京\",\"unit\":\"celsius\"}", "cut")),
    },
    Cut {
        pieces: &["<｜tool▁call▁arguments▁begin｜>", "{\"query\":\"vllm 工具调用\",\"top_k\":3"],
        model: "deepseek-v4",
        mended: Some(("{\"query\":\"vllm 工具调用\",\"top_k\":3}", "cut")),
    },
    Cut { pieces: &["```json\n{\"city\":\"北京\",\"unit\":\"celsius"], model: "qwen3", mended: None },
];

#[test]
fn cut_turns() {
    for Cut { pieces, model, mended } in CUT {
        let recording = recording("call_1", "f", pieces, "\"length\"");
        let body = pieces.concat();
        let toolmend = Toolmend::new().policy(Policy::INSPECT).model(model);
        for size in [1, 2, 3, 5, 7, 4096] {
            let call = settle(&toolmend, &recording, size);
            assert_eq!((call.id.as_deref(), &call.name[..], &call.body), (Some("call_1"), "f", &body));
            assert_eq!(call.arguments(), mended.map(|(text, _)| text), "{body} in pieces of {size}");
            if let Outcome::Judged(Verdict::Mended { receipt, .. }) = &call.outcome {
                assert_eq!(Some(receipt.grade.name()), mended.map(|(_, grade)| grade), "{body}");
            }
            let call = settle(&toolmend.clone().policy(Policy::STANDARD), &recording, size);
            assert_eq!(call.arguments(), None, "a cut call is shown, but not run: {body}");
        }
    }
}

#[test]
fn a_call_that_cannot_be_put_together_is_not_run() {
    let lone = recording("c", "f", &["{\"a\":\"?\"}"], "\"stop\"").replace('?', "\\ud83d");
    let call = settle(&Toolmend::new(), &lone, 4096);
    assert!(matches!(call.outcome, Outcome::Misassembled(_)));
    assert_eq!(call.arguments(), None);
    assert!(call.outcome.to_string().contains("surrogate"), "{}", call.outcome);
}
