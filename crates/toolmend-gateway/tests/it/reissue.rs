//! A declined call is asked for once more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use toolmend::wire::Recorder;
use toolmend_gateway::{Hold, Mending, Settings};

use crate::harness::*;

const TOOL: &str = r#"{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}"#;

fn request(more: &str) -> String {
    let body = format!(r#"{{"model":"m","messages":[],"stream":true,"tools":[{TOOL}]{more}}}"#);
    post("/v1/chat/completions", &body).replacen("\r\n", "\r\nauthorization: Bearer k\r\n", 1)
}

fn stream(arguments: &str, finish: &str) -> String {
    let arguments = arguments.replace('"', "\\\"");
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"role\":\"assistant\",\"content\":\"Hm.\"}}}}]}}\n\n\
         data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{{\"name\":\"look\",\"arguments\":\"{arguments}\"}}}}]}}}}]}}\n\n\
         data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{finish}\"}}]}}\n\ndata: [DONE]\n\n"
    )
}

/// An upstream whose streamed calls are hopeless; asked once more it says `second`, after `wait`.
async fn upstream(first: &str, finish: &str, second: &str, wait: Duration) -> (Upstream, Arc<AtomicUsize>) {
    streaming(stream(first, finish), second, wait).await
}

/// One that streams this first.
async fn streaming(first: String, second: &str, wait: Duration) -> (Upstream, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let second = second.to_owned();
    let upstream = Upstream::new(move |request, mut wire| {
        let (first, second, count) = (first.clone(), second.clone(), Arc::clone(&count));
        async move {
            assert_eq!(request.field("authorization"), Some("Bearer k"));
            if !request.text().contains(FORCED) && request.text().contains("\"stream\":true") {
                wire.write([SSE.as_bytes(), &chunk(first), LAST.as_bytes()].concat()).await;
            } else if !request.text().contains(FORCED) {
                wire.write(answer(HOPELESS)).await;
            } else {
                count.fetch_add(1, Ordering::Relaxed);
                assert!(
                    request
                        .text()
                        .contains(r#""tool_choice":{"type":"function","function":{"name":"look"}}"#)
                );
                assert!(request.text().contains(r#""messages":[]"#));
                tokio::time::sleep(wait).await;
                wire.write(second).await;
            }
            Some(wire)
        }
    })
    .await;
    (upstream, asked)
}

fn answer(arguments: &str) -> String {
    let arguments = arguments.replace('"', "\\\"");
    whole(
        "200 OK",
        "content-type: application/json\r\n",
        &format!(
            "{{\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"tool_calls\":[{{\"id\":\"d\",\"type\":\"function\",\"function\":{{\"name\":\"look\",\"arguments\":\"{arguments}\"}}}}]}},\"finish_reason\":\"tool_calls\"}}]}}"
        ),
    )
}

async fn gateway(upstream: &Upstream, set: impl FnOnce(&mut Settings)) -> Gateway {
    let mut settings = Settings::new(format!("http://{}", upstream.address).parse().unwrap());
    settings.reissue = true;
    set(&mut settings);
    let mending = Mending::new(&settings);
    Gateway::of(settings, mending).await
}

/// What only a request has that asks once more.
const FORCED: &str = r#""tool_choice":{"type":"function","function":{"name":"look"}}"#;

const HOPELESS: &str = "{\"city\": \"Oslo\"} or {\"city\": \"Nice\"}";
const GOOD: &str = "{\"city\": \"Oslo\"}";

#[tokio::test]
async fn a_valid_answer_takes_its_place() {
    for (second, says, became) in [
        (answer(GOOD), GOOD, "accepted"),
        // The answer is mended like any other.
        (answer("{\"city\": \"Oslo\",}"), GOOD, "accepted"),
        (answer(HOPELESS), HOPELESS, "no-valid-answer"),
        (answer("{\"town\": \"Oslo\"}"), HOPELESS, "no-valid-answer"),
        (answer(GOOD).replace("\"look\"", "\"other\""), HOPELESS, "no-valid-answer"),
        (whole("500 Oops", "", "{}"), HOPELESS, "no-valid-answer"),
        (whole("200 OK", "", "not json"), HOPELESS, "no-valid-answer"),
    ] {
        let (upstream, asked) = upstream(HOPELESS, "tool_calls", &second, Duration::ZERO).await;
        let gateway = gateway(&upstream, |_| {}).await;
        assert_eq!(gateway.ask(request("")).await.text(), stream(says, "tool_calls"), "{second}");
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        gateway.counts(&format!(r#"toolmend_reissued_total{{became="{became}"}} 1"#)).await;
    }
}

#[tokio::test]
async fn a_turn_that_is_not_streamed() {
    let (upstream, asked) = upstream(HOPELESS, "tool_calls", &answer(GOOD), Duration::ZERO).await;
    let gateway = gateway(&upstream, |_| {}).await;
    let body = request("").split_once("\r\n\r\n").unwrap().1.replace("\"stream\":true", "\"stream\":null");
    let request = post("/v1/chat/completions", &body).replacen("\r\n", "\r\nauthorization: Bearer k\r\n", 1);
    assert_eq!(gateway.ask(request).await.text(), answer(GOOD).split_once("\r\n\r\n").unwrap().1);
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn where_it_is_not_asked_for() {
    for (first, finish, more, set) in [
        (GOOD, "tool_calls", "", (|_| {}) as fn(&mut Settings)),
        (HOPELESS, "tool_calls", "", |settings| settings.reissue = false),
        (HOPELESS, "tool_calls", "", |settings| settings.hold = Hold::Deviation),
        (HOPELESS, "tool_calls", ",\"tool_choice\":\"required\"", |_| {}),
        (HOPELESS, "tool_calls", ",\"n\":2", |_| {}),
        ("{\"city\": \"Os", "length", "", |_| {}),
    ] {
        let (upstream, asked) = upstream(first, finish, &answer(GOOD), Duration::ZERO).await;
        let gateway = gateway(&upstream, set).await;
        assert_eq!(gateway.ask(request(more)).await.text(), stream(first, finish), "{first} {more}");
        assert_eq!(asked.load(Ordering::Relaxed), 0, "{first} {more}");
    }
}

/// A turn that says this.
fn said(text: &str) -> String {
    let text = text.replace('"', "\\\"").replace('\n', "\\n");
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"role\":\"assistant\",\"content\":\"{text}\"}}}}]}}\n\n"
    )
}

/// What stands in the text and is left there, for a rule that is switched off, is no call that somebody waits for.
#[tokio::test]
async fn a_call_that_stays_text_is_not_asked_for() {
    let call = "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"city\": \"Oslo\",}}\n</tool_call>";
    let stream = format!(
        "{}data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\n\ndata: [DONE]\n\n",
        said(call)
    );
    let (upstream, asked) = streaming(stream.clone(), &answer(GOOD), Duration::ZERO).await;
    let without = |settings: &mut Settings| settings.without = vec![toolmend::Rule::TrailingComma];
    let gateway = gateway(&upstream, without).await;
    assert_eq!(gateway.ask(request("")).await.text(), stream);
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    gateway
        .counts(r#"toolmend_calls_total{protocol="openai-chat",model="m",verdict="declined",grade=""} 1"#)
        .await;
}

/// A call that was made of the text behind stays one.
#[tokio::test]
async fn a_call_that_was_made_of_text_stays() {
    let call = "<tool_call>\n{\"name\": \"find\", \"arguments\": {\"city\": \"Nice\"}}\n</tool_call>\n";
    let tools = [TOOL, &TOOL.replace("look", "find")].join(",");
    let body = format!(r#"{{"model":"m","messages":[],"stream":true,"tools":[{tools}]}}"#);
    let request = post("/v1/chat/completions", &body).replacen("\r\n", "\r\nauthorization: Bearer k\r\n", 1);
    let hopeless = stream(HOPELESS, "tool_calls");
    let (hopeless, end) =
        hopeless.split_at(hopeless.find("data: {\"choices\":[{\"index\":0,\"delta\":{},").unwrap());
    let first = [&said("I go.\n"), hopeless.split_once("\n\n").unwrap().1, &said(call), end].concat();
    let (upstream, asked) = streaming(first, &answer(GOOD), Duration::ZERO).await;
    let gateway = gateway(&upstream, |_| {}).await;
    let answer = gateway.ask(request).await;
    let mut recorder = Recorder::new();
    recorder.push(&answer.body).unwrap();
    let mut calls = recorder.finish().unwrap().calls;
    calls.sort_by_key(|call| call.arguments.clone());
    let says: Vec<&str> = calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(says, ["{\"city\": \"Nice\"}", GOOD], "{}", answer.text());
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn the_client_sees_signs_of_life_and_no_more_than_the_deadline() {
    for (wait, says) in [(200, GOOD), (60_000, HOPELESS)] {
        let (upstream, _) =
            upstream(HOPELESS, "tool_calls", &answer(GOOD), Duration::from_millis(wait)).await;
        let gateway = gateway(&upstream, |settings| {
            settings.limits.keep_alive = Duration::from_millis(20);
            settings.limits.reissue = Duration::from_millis(1000);
        })
        .await;
        let answer = gateway.ask(request("")).await;
        assert!(answer.text().contains(": keep-alive\n\n"));
        assert_eq!(answer.text().replace(": keep-alive\n\n", ""), stream(says, "tool_calls"));
    }
}
