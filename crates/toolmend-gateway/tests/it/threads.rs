//! What is the same whichever thread a connection is served on.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;
use toolmend_gateway::Settings;

use crate::harness::*;

/// Answers with a call, of which the end comes when it is told to.
async fn waiting(call: &'static str) -> (Upstream, watch::Sender<bool>) {
    let (go, gone) = watch::channel(false);
    let upstream = Upstream::new(move |_, mut wire| {
        let mut gone = gone.clone();
        async move {
            wire.write([SSE.as_bytes(), &chunk(call)].concat()).await;
            let _ = gone.wait_for(|gone| *gone).await;
            wire.write([&chunk("data: done\n\n")[..], LAST.as_bytes()].concat()).await;
            Some(wire)
        }
    })
    .await;
    (upstream, go)
}

async fn open(gateway: &Gateway) -> Wire {
    let mut wire = Wire::connect(gateway.address).await;
    wire.write(chat()).await;
    wire.head().await.expect("there is an answer");
    wire
}

fn on_threads(count: usize) -> impl FnOnce(&mut Settings) {
    move |settings| settings.threads = NonZero::new(count).unwrap()
}

#[tokio::test]
async fn metrics_and_the_end_are_of_all() {
    let (upstream, go) = waiting("data: call\n\n").await;
    let mut gateway = Gateway::with(&upstream, on_threads(4), HoldingCalls).await;
    let mut wires = Vec::new();
    for _ in 0..12 {
        wires.push(open(&gateway).await);
    }
    gateway.counts("toolmend_open_turns 12").await;
    gateway.counts("toolmend_connections 12").await;
    gateway.counts("toolmend_held_bytes 144").await;
    gateway.stop();
    go.send_replace(true);
    for wire in &mut wires {
        assert_eq!(wire.chunk().await.unwrap(), b"data: call\n\ndata: done\n\n");
        assert_eq!(wire.chunk().await, None);
    }
    assert!(gateway.stopped().await);
}

#[tokio::test]
async fn the_number_of_open_turns_is_of_all() {
    let (upstream, go) = waiting("data: call\n\n").await;
    let set = |settings: &mut Settings| {
        on_threads(3)(settings);
        settings.limits.open_turns = 2;
    };
    let gateway = Gateway::with(&upstream, set, HoldingCalls).await;
    let mut held = [open(&gateway).await, open(&gateway).await];
    gateway.counts("toolmend_open_turns 2").await;
    // One more is not looked into, so its call comes at once.
    let mut more = open(&gateway).await;
    assert_eq!(more.chunk().await.unwrap(), b"data: call\n\n");
    gateway.counts(r#"toolmend_caps_total{why="open-turns"} 1"#).await;
    go.send_replace(true);
    for wire in &mut held {
        assert_eq!(wire.chunk().await.unwrap(), b"data: call\n\ndata: done\n\n");
    }
}

#[tokio::test]
async fn the_number_of_held_bytes_is_of_all() {
    let event: &str = format!("data: call {}\n\n", "x".repeat(387)).leak();
    let (upstream, _go) = waiting(event).await;
    let set = |settings: &mut Settings| {
        on_threads(3)(settings);
        // Room for two of them and a request.
        settings.limits.held_bytes = 1100;
    };
    let gateway = Gateway::with(&upstream, set, HoldingCalls).await;
    let _held = [open(&gateway).await, open(&gateway).await];
    gateway.counts("toolmend_held_bytes 800").await;
    let mut more = open(&gateway).await;
    assert_eq!(more.chunk().await.unwrap(), event.as_bytes());
    gateway.counts(r#"toolmend_caps_total{why="held-total"} 1"#).await;
}

/// A thread has connections of its own, and one that served a whole answer serves the next.
#[tokio::test]
async fn connections_to_the_upstream_are_used_again() {
    let seen = Arc::new(AtomicUsize::new(0));
    let ports = Arc::clone(&seen);
    let upstream = Upstream::new(move |_, mut wire| {
        // The port of the other end is the connection's name.
        let port = wire.stream.peer_addr().map_or(0, |peer| usize::from(peer.port()));
        let before = ports.swap(port, Ordering::Relaxed);
        async move {
            let again = if before == port { "again" } else { "anew" };
            wire.write([SSE.as_bytes(), &chunk(format!("data: {again}\n\n")), LAST.as_bytes()].concat())
                .await;
            Some(wire)
        }
    })
    .await;
    let gateway = Gateway::with(&upstream, on_threads(1), HoldingCalls).await;
    let mut wire = Wire::connect(gateway.address).await;
    for turn in 0..5 {
        // Looked into, and passed on with a length of the request's own.
        wire.write(if turn % 2 == 0 { chat() } else { post("/other", "x") }).await;
        let expected = if turn == 0 { "data: anew\n\n" } else { "data: again\n\n" };
        assert_eq!(wire.answer().await.text(), expected, "{turn}");
    }
    assert_ne!(seen.load(Ordering::Relaxed), 0);
}

/// A client that sends on while the answer is there already, and reads nothing before it is through, does not
/// stand still.
#[tokio::test]
async fn an_answer_that_begins_before_the_request_ends() {
    const ANSWER: usize = 48 << 20;
    const REQUEST: usize = 16 << 20;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let upstream = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (stream, _) = listener.accept().await.unwrap();
        let (mut reads, mut writes) = stream.into_split();
        let (mut came, mut bytes) = (0, vec![0; 64 << 10]);
        came += reads.read(&mut bytes).await.unwrap();
        let writing = tokio::spawn(async move {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {ANSWER}\r\n\r\n");
            writes.write_all(head.as_bytes()).await.unwrap();
            writes.write_all(&vec![b'a'; ANSWER]).await.unwrap();
            writes
        });
        while came < REQUEST {
            came += reads.read(&mut bytes).await.unwrap();
        }
        writing.await.unwrap();
    });
    let settings = Settings::new(format!("http://{address}").parse().unwrap());
    let gateway = Gateway::of(settings, Nothing).await;
    let mut wire = Wire::connect(gateway.address).await;
    wire.write(format!("POST /upload HTTP/1.1\r\nhost: g\r\ncontent-length: {REQUEST}\r\n\r\n")).await;
    wire.write(vec![b'r'; REQUEST / 2]).await;
    let mut answer = wire.head().await.unwrap();
    within(wire.write(vec![b'r'; REQUEST / 2])).await;
    wire.body(&mut answer, false).await;
    assert_eq!((answer.status(), answer.body.len(), answer.whole), (200, ANSWER, true));
    within(upstream).await.unwrap();
}
