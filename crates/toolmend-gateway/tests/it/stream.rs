//! Streamed answers: in time, in order, with signs of life while something is held.

use std::time::Duration;

use tokio::sync::mpsc;

use crate::harness::*;

/// An upstream that streams what it is sent, piece by piece; it notices when the client has gone.
pub(crate) async fn scripted(
    head: &'static str,
) -> (Upstream, mpsc::UnboundedSender<Vec<u8>>, mpsc::UnboundedReceiver<()>) {
    let (say, said) = mpsc::unbounded_channel::<Vec<u8>>();
    let (gone, went) = mpsc::unbounded_channel();
    let said = std::sync::Arc::new(tokio::sync::Mutex::new(said));
    let upstream = Upstream::new(move |_, mut wire| {
        let (said, gone) = (said.clone(), gone.clone());
        async move {
            wire.write(head).await;
            let mut said = said.lock().await;
            loop {
                tokio::select! {
                    piece = said.recv() => match piece {
                        Some(piece) => wire.write(piece).await,
                        None => return None,
                    },
                    closed = wire.read() => if closed.is_empty() {
                        let _ = gone.send(());
                        return None;
                    },
                }
            }
        }
    })
    .await;
    (upstream, say, went)
}

#[tokio::test]
async fn each_event_arrives_when_it_was_written() {
    let (upstream, say, _went) = scripted(SSE).await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    let mut wire = Wire::connect(gateway.address).await;
    wire.write(chat()).await;
    assert_eq!(wire.head().await.unwrap().status(), 200);
    for n in 0..20 {
        let event = format!("data: {n}\n\n");
        say.send(chunk(&event)).unwrap();
        assert_eq!(wire.chunk().await.unwrap(), event.as_bytes());
    }
    // A call is held until it is settled, and what is behind it waits.
    say.send(chunk("data: call 1\n\n")).unwrap();
    say.send(chunk("data: text\n\n")).unwrap();
    say.send(chunk("data: done\n\n")).unwrap();
    assert_eq!(wire.chunk().await.unwrap(), b"data: call 1\n\ndata: text\n\ndata: done\n\n");
    say.send(LAST.into()).unwrap();
    assert_eq!(wire.chunk().await, None);
    gateway.counts(r#"toolmend_turns_total{protocol="openai-chat",model="m",passed="looked"} 1"#).await;
    gateway.counts("toolmend_open_turns 0").await;
    gateway.counts("toolmend_held_seconds_count 1").await;
}

#[tokio::test]
async fn signs_of_life_while_a_call_is_held() {
    for (path, body, sign) in [
        (
            "/v1/chat/completions",
            r#"{"messages":[],"tools":[{"function":{"name":"a"}}]}"#,
            Some(": keep-alive\n\n"),
        ),
        (
            "/v1/responses",
            r#"{"input":"x","tools":[{"type":"function","name":"a"}]}"#,
            Some(": keep-alive\n\n"),
        ),
        (
            "/v1/messages",
            r#"{"messages":[],"tools":[{"name":"a"}]}"#,
            Some("event: ping\ndata: {\"type\": \"ping\"}\n\n"),
        ),
        ("/api/chat", r#"{"messages":[],"tools":[{"function":{"name":"a"}}]}"#, None),
        (
            "/v1beta/models/m:streamGenerateContent",
            r#"{"contents":[],"tools":[{"functionDeclarations":[{"name":"a"}]}]}"#,
            None,
        ),
    ] {
        let (upstream, say, _went) = scripted(SSE).await;
        let often = |settings: &mut toolmend_gateway::Settings| {
            settings.limits.keep_alive = Duration::from_millis(20);
        };
        let gateway = Gateway::with(&upstream, often, HoldingCalls).await;
        let mut wire = Wire::connect(gateway.address).await;
        wire.write(post(path, body)).await;
        wire.head().await.unwrap();
        say.send(chunk("data: call\n\n")).unwrap();
        if let Some(sign) = sign {
            for _ in 0..3 {
                assert_eq!(String::from_utf8(wire.chunk().await.unwrap()).unwrap(), sign, "{path}");
            }
        } else {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        say.send(chunk("data: done\n\n")).unwrap();
        let mut rest = Vec::new();
        while !rest.ends_with(b"data: call\n\ndata: done\n\n") {
            rest = wire.chunk().await.unwrap();
            assert!(
                sign.is_some_and(|sign| rest == sign.as_bytes()) || rest.ends_with(b"done\n\n"),
                "{path}"
            );
        }
        // Nothing is held any more, so there is nothing to bridge.
        tokio::time::sleep(Duration::from_millis(100)).await;
        say.send(chunk("data: end\n\n")).unwrap();
        assert_eq!(wire.chunk().await.unwrap(), b"data: end\n\n", "{path}");
    }
}

#[tokio::test]
async fn no_signs_of_life_in_an_answer_that_is_no_event_stream() {
    let (upstream, say, _went) =
        scripted("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
            .await;
    let often =
        |settings: &mut toolmend_gateway::Settings| settings.limits.keep_alive = Duration::from_millis(10);
    let gateway = Gateway::with(&upstream, often, HoldingCalls).await;
    let mut wire = Wire::connect(gateway.address).await;
    wire.write(chat()).await;
    wire.head().await.unwrap();
    say.send(chunk("{\"call\":1}\n\n")).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    say.send(LAST.into()).unwrap();
    assert_eq!(wire.chunk().await.unwrap(), b"{\"call\":1}\n\n");
}
