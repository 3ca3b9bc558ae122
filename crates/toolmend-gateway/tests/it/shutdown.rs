//! The end: what is open finishes, up to a deadline.

use std::time::Duration;

use crate::harness::*;
use crate::stream::scripted;

/// A hundred turns are open when it is told to stop; none is cut, and nothing new is taken.
#[tokio::test]
async fn open_turns_finish() {
    let (go, gone) = tokio::sync::watch::channel(false);
    let upstream = Upstream::new(move |_, mut wire| {
        let mut gone = gone.clone();
        async move {
            wire.write([SSE.as_bytes(), &chunk("data: a\n\n")].concat()).await;
            let _ = gone.wait_for(|gone| *gone).await;
            wire.write([&chunk("data: call\n\n")[..], LAST.as_bytes()].concat()).await;
            Some(wire)
        }
    })
    .await;
    let mut gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    let mut wires = Vec::new();
    for _ in 0..100 {
        let mut wire = Wire::connect(gateway.address).await;
        wire.write(chat()).await;
        wire.head().await.unwrap();
        assert_eq!(wire.chunk().await.unwrap(), b"data: a\n\n");
        wires.push(wire);
    }
    let mut idle = Wire::connect(gateway.address).await;
    gateway.stop();
    // A connection on which nothing is asked ends at once.
    assert!(idle.read().await.is_empty());
    let address = gateway.address;
    within(async {
        while tokio::net::TcpStream::connect(address).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    go.send_replace(true);
    for wire in &mut wires {
        assert_eq!(wire.chunk().await.unwrap(), b"data: call\n\n");
        assert_eq!(wire.chunk().await, None);
    }
    assert!(gateway.stopped().await);
}

#[tokio::test]
async fn the_deadline_ends_the_rest() {
    let (upstream, say, mut went) = scripted(SSE).await;
    let short =
        |settings: &mut toolmend_gateway::Settings| settings.limits.drain = Duration::from_millis(100);
    let gateway = Gateway::with(&upstream, short, HoldingCalls).await;
    let mut wire = Wire::connect(gateway.address).await;
    wire.write(chat()).await;
    wire.head().await.unwrap();
    say.send(chunk("data: a\n\n")).unwrap();
    assert_eq!(wire.chunk().await.unwrap(), b"data: a\n\n");
    assert!(!gateway.stopped().await);
    assert_eq!(wire.chunk().await, None);
    within(went.recv()).await.unwrap();
}
