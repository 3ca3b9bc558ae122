//! Connections that leave HTTP.

use crate::harness::*;

const ASK: &str = "GET /v1/realtime HTTP/1.1\r\nhost: g\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-key: k\r\n\r\n";

#[tokio::test]
async fn bytes_go_both_ways() {
    let upstream = Upstream::new(|request, mut wire| async move {
        assert_eq!((request.field("upgrade"), request.field("connection")), (Some("websocket"), Some("upgrade")));
        assert_eq!(request.field("sec-websocket-key"), Some("k"));
        wire.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nx-a: b\r\n\r\nhello")
            .await;
        loop {
            let bytes = wire.read().await;
            if bytes.is_empty() {
                return None;
            }
            wire.write([b"<", &bytes[..], b">"].concat()).await;
        }
    })
    .await;
    let gateway = Gateway::new(&upstream).await;
    let mut wire = Wire::connect(gateway.address).await;
    wire.write(ASK).await;
    let head = wire.head().await.unwrap();
    assert_eq!(
        (head.status(), head.field("upgrade"), head.field("x-a")),
        (101, Some("websocket"), Some("b"))
    );
    assert_eq!(wire.read().await, b"hello");
    for word in ["one", "two"] {
        wire.write(word).await;
        assert_eq!(wire.read().await, format!("<{word}>").as_bytes());
    }
}

#[tokio::test]
async fn an_upstream_that_declines() {
    let upstream = Upstream::always(whole("426 Upgrade Required", "", "no")).await;
    let gateway = Gateway::new(&upstream).await;
    let answer = gateway.ask(ASK).await;
    assert_eq!((answer.status(), answer.text()), (426, "no"));
}
