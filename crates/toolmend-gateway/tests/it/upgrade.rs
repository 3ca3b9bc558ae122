//! Connections that leave HTTP.

use std::time::Duration;

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

/// A connection that has left HTTP is one of those that there may be, until it ends; and it ends where neither side says
/// anything.
#[tokio::test]
async fn a_tunnel_takes_a_connection_and_is_not_idle_for_ever() {
    let upstream = Upstream::new(|request, mut wire| async move {
        if request.field("upgrade").is_none() {
            wire.write(whole("200 OK", "", "ok")).await;
            return Some(wire);
        }
        wire.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n")
            .await;
        while let bytes @ [_, ..] = &wire.read().await[..] {
            let bytes = bytes.to_vec();
            wire.write(bytes).await;
        }
        None
    })
    .await;
    let set = |settings: &mut toolmend_gateway::Settings| {
        settings.limits.connections = 1;
        settings.limits.idle = Duration::from_millis(300);
    };
    let gateway = Gateway::with(&upstream, set, Nothing).await;
    let mut wire = Wire::connect(gateway.address).await;
    wire.write(ASK).await;
    assert_eq!(wire.head().await.unwrap().status(), 101);
    let mut other = Wire::connect(gateway.address).await;
    other.write("GET / HTTP/1.1\r\nhost: g\r\n\r\n").await;
    // As long as one side says something, it lives.
    for _ in 0..8 {
        tokio::time::sleep(Duration::from_millis(60)).await;
        wire.write("x").await;
        assert_eq!(wire.read().await, b"x");
    }
    gateway.counts("toolmend_connections 1").await;
    let waits = tokio::time::timeout(Duration::from_millis(50), other.head()).await;
    assert!(waits.is_err(), "the second connection is served beside the tunnel");
    assert!(wire.read().await.is_empty());
    assert_eq!(other.answer().await.text(), "ok");
    drop(other);
    gateway.counts("toolmend_connections 0").await;
}

#[tokio::test]
async fn an_upstream_that_declines() {
    let upstream = Upstream::always(whole("426 Upgrade Required", "", "no")).await;
    let gateway = Gateway::new(&upstream).await;
    let answer = gateway.ask(ASK).await;
    assert_eq!((answer.status(), answer.text()), (426, "no"));
}
