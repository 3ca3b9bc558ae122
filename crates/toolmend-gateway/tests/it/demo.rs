//! The demo's turns in every protocol, directly and through the gateway.

use toolmend::wire::Recorder;
use toolmend_gateway::{Demo, Mending, Settings};

use crate::harness::*;

const PARAMETERS: &str = r#"{"type":"object","required":["city"],"properties":{"city":{"type":"string"},"days":{"type":"integer"}}}"#;

/// A request of each protocol, streamed and not.
fn requests() -> Vec<(&'static str, String)> {
    let function = format!(r#"{{"name":"get_weather","parameters":{PARAMETERS}}}"#);
    let chat = format!(r#"[{{"type":"function","function":{function}}}]"#);
    let flat = format!(r#"[{{"type":"function","name":"get_weather","parameters":{PARAMETERS}}}]"#);
    let anthropic = format!(r#"[{{"name":"get_weather","input_schema":{PARAMETERS}}}]"#);
    let gemini = format!(r#"[{{"functionDeclarations":[{function}]}}]"#);
    let mut requests = Vec::new();
    for stream in [true, false] {
        requests.extend([
            ("/v1/chat/completions", format!(r#"{{"messages":[],"stream":{stream},"tools":{chat}}}"#)),
            ("/v1/responses", format!(r#"{{"input":"x","stream":{stream},"tools":{flat}}}"#)),
            (
                "/v1/messages",
                format!(r#"{{"messages":[],"max_tokens":9,"stream":{stream},"tools":{anthropic}}}"#),
            ),
            ("/api/chat", format!(r#"{{"messages":[],"stream":{stream},"tools":{chat}}}"#)),
        ]);
    }
    requests.push((
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        format!(r#"{{"contents":[],"tools":{gemini}}}"#),
    ));
    requests.push(("/v1beta/models/m:generateContent", format!(r#"{{"contents":[],"tools":{gemini}}}"#)));
    requests
}

/// The arguments of the one call in an answer.
fn arguments(answer: &Message) -> String {
    let mut recorder = Recorder::new();
    recorder.push(&answer.body).unwrap();
    let recorded = recorder.finish().unwrap();
    assert_eq!(recorded.calls.len(), 1, "{}", answer.text());
    recorded.calls[0].arguments.clone()
}

#[tokio::test]
async fn every_protocol() {
    let good = [
        "{\"city\": \"Oslo\", \"days\": 3}",
        "{\"city\": \"Lyon\", \"days\": 2}",
        "{\"city\": \"Porto\", \"days\": 4}",
        "{\"city\": \"Kyoto\", \"days\": 5}",
        // What was cut stays cut.
        "{\"city\": \"San Fr",
    ];
    let objects = ["{\"city\":\"Oslo\",\"days\":3}", "{\"city\":\"Lyon\",\"days\":2}"];
    for (path, body) in requests() {
        let demo = Demo::start().await.unwrap();
        let settings = Settings::new(format!("http://{}", demo.address).parse().unwrap());
        let mending = Mending::new(&settings);
        let gateway = Gateway::of(settings, mending).await;
        for round in 0..10 {
            let answer = gateway.ask(post(path, &body)).await;
            assert_eq!((answer.status(), answer.whole), (200, true), "{path}");
            let said = arguments(&answer);
            let is_object = path.starts_with("/api")
                || path.starts_with("/v1beta")
                || path == "/v1/messages" && body.contains("\"stream\":false");
            let wanted = if is_object { objects[round % 2] } else { good[round % 5] };
            assert_eq!(said, wanted, "{path} {round}");
        }
    }
}

#[tokio::test]
async fn a_hint_where_the_tool_is_not_offered() {
    let demo = Demo::start().await.unwrap();
    for (path, body) in requests() {
        let mut wire = Wire::connect(demo.address).await;
        wire.write(post(path, &body.replace("get_weather", "other"))).await;
        let answer = wire.answer().await;
        let mut recorder = Recorder::new();
        recorder.push(&answer.body).unwrap();
        let recorded = recorder.finish().unwrap();
        assert!(
            recorded.calls.is_empty() && recorded.content.contains("get_weather"),
            "{path} {}",
            answer.text()
        );
    }
}
