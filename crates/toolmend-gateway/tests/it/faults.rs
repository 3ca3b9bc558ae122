//! What goes wrong on either side, and inside.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::harness::*;
use crate::stream::scripted;

/// The upstream sees within 100 ms that the client has gone, whether or not it says anything.
#[tokio::test]
async fn a_client_that_leaves_ends_the_upstreams_work() {
    for looked_into in [true, false] {
        for after_head in [true, false] {
            let head = if after_head { SSE } else { "" };
            let (upstream, say, mut went) = scripted(head).await;
            let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
            let mut wire = Wire::connect(gateway.address).await;
            wire.write(if looked_into { chat() } else { post("/other", "x") }).await;
            if after_head {
                wire.head().await.unwrap();
                say.send(chunk("data: call\n\n")).unwrap();
            }
            // The request has to have come through, or there is nothing to end.
            tokio::time::sleep(Duration::from_millis(100)).await;
            let left = Instant::now();
            drop(wire);
            within(went.recv()).await.expect("the upstream is told");
            let took = left.elapsed();
            assert!(took < Duration::from_millis(100), "{took:?} {looked_into} {after_head}");
            gateway.counts("toolmend_open_turns 0").await;
            if looked_into && after_head {
                gateway
                    .counts(r#"toolmend_turns_total{protocol="openai-chat",model="m",passed="left"} 1"#)
                    .await;
            }
        }
    }
}

/// Where the upstream breaks off, the client gets all that came, held or not, and sees that it broke off.
#[tokio::test]
async fn an_upstream_that_dies() {
    for (story, bytes, arrives) in [
        (
            "in a call",
            [chunk("data: a\n\n"), chunk("data: call {\n\n")].concat(),
            "data: a\n\ndata: call {\n\n",
        ),
        ("in a chunk's head", [chunk("data: a\n\n"), b"1".to_vec()].concat(), "data: a\n\n"),
        ("in a chunk's body", b"20\r\ndata: cal".to_vec(), "data: cal"),
        ("in nonsense", [chunk("data: call\n\n"), b"zz\r\n".to_vec()].concat(), "data: call\n\n"),
        ("before the first chunk", Vec::new(), ""),
    ] {
        let upstream = Upstream::always_then_close([SSE.as_bytes(), &bytes].concat()).await;
        let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
        let answer = gateway.ask(chat()).await;
        assert_eq!((answer.status(), answer.text()), (200, arrives), "{story}");
        assert!(!answer.whole, "{story}");
        gateway.counts(r#"toolmend_turns_total{protocol="openai-chat",model="m",passed="broken"} 1"#).await;
    }
}

#[tokio::test]
async fn an_upstream_that_dies_before_it_answers() {
    for bytes in ["", "HTTP/1.1 2", "nonsense\r\n\r\n"] {
        let upstream = Upstream::always_then_close(bytes).await;
        let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
        for request in [chat(), "GET / HTTP/1.1\r\nhost: g\r\n\r\n".to_owned()] {
            let answer = gateway.ask(request).await;
            assert_eq!(answer.status(), 502, "{bytes}");
            assert!(answer.text().contains("\"upstream_no_answer\""), "{}", answer.text());
        }
    }
}

#[tokio::test]
async fn an_upstream_that_is_not_there() {
    let upstream = Upstream::always("").await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    let address = upstream.address;
    drop(upstream);
    // The port is free once the task that held it has ended.
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let answer = gateway.ask(chat()).await;
    assert_eq!((answer.status(), answer.field("retry-after")), (502, Some("1")));
    assert!(answer.text().contains("check that it runs"), "{}", answer.text());
    gateway.counts(r#"toolmend_refused_total{why="upstream_unreachable"} 1"#).await;
}

/// An answer without a length ends with its connection; that is its end, not a fault.
#[tokio::test]
async fn an_answer_that_ends_with_its_connection() {
    let upstream = Upstream::always_then_close(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: call\n\ndata: x",
    )
    .await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    let answer = gateway.ask(chat()).await;
    assert_eq!((answer.text(), answer.whole), ("data: call\n\ndata: x", true));
}

/// A connection that the upstream closed while nobody used it costs no request.
#[tokio::test]
async fn a_pooled_connection_that_was_closed() {
    let upstream = Upstream::always_then_close(whole("200 OK", "", "ok")).await;
    let gateway = Gateway::new(&upstream).await;
    for _ in 0..20 {
        assert_eq!(gateway.ask(post("/x", "y")).await.text(), "ok");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_defect_inside_lets_the_turn_through() {
    let stream = [
        SSE.as_bytes(),
        &chunk("data: a\n\n"),
        &chunk("data: call 1\n\n"),
        &chunk("data: panic!\n\ndata: b\n\n"),
        &chunk("data: call 2\n\n"),
        &chunk("data: end\n\n"),
        LAST.as_bytes(),
    ]
    .concat();
    let upstream = Upstream::always(stream).await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    let mut wire = Wire::connect(gateway.address).await;
    for turn in 1..=3 {
        wire.write(chat()).await;
        let answer = wire.answer().await;
        // The test's inspector loses what it had not looked at yet when it panics; the bytes before are its.
        assert!(
            answer.text().starts_with("data: a\n\ndata: call 1\n\ndata: panic!\n\n"),
            "{}",
            answer.text()
        );
        assert!(
            answer.text().ends_with("data: call 2\n\ndata: end\n\n") && answer.whole,
            "{}",
            answer.text()
        );
        gateway.counts(&format!(r#"toolmend_caps_total{{why="panicked"}} {turn}"#)).await;
        let line = r#"toolmend_turns_total{protocol="openai-chat",model="m",passed="gave-up"}"#;
        gateway.counts(&format!("{line} {turn}")).await;
    }
    gateway.counts("toolmend_open_turns 0").await;
}

/// A client that does not read stops the upstream from being read, so that nothing piles up.
#[tokio::test]
async fn a_slow_reader_slows_the_upstream() {
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    const TOTAL: usize = 64 << 20;
    let upstream = Upstream::new(move |_, mut wire| {
        let sent = Arc::clone(&count);
        async move {
            wire.write(SSE).await;
            let event = chunk([&b"data: "[..], &vec![b'x'; 16 << 10], b"\n\n"].concat());
            while sent.load(Ordering::Relaxed) < TOTAL {
                wire.stream.write_all(&event).await.ok()?;
                sent.fetch_add(event.len(), Ordering::Relaxed);
            }
            wire.write(LAST).await;
            None
        }
    })
    .await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    let mut wire = Wire::connect(gateway.address).await;
    wire.write(chat()).await;
    wire.head().await.unwrap();
    // It stands still once the buffers of two connections are full, at a few megabytes of the system's.
    let mut before = usize::MAX;
    let standing = async {
        loop {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let now = sent.load(Ordering::Relaxed);
            if now == before && now > 0 {
                return now;
            }
            before = now;
        }
    };
    let stood = within(standing).await;
    assert!(stood < TOTAL / 2, "{stood} bytes went out while nobody read");
    let mut came = 0;
    while let Some(bytes) = wire.chunk().await {
        came += bytes.len();
    }
    assert!(came > TOTAL * 99 / 100, "{came}");
}

/// A thousand turns at once, one in ten of them broken: nothing is lost, nothing is mixed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_turns_at_once() {
    const TURNS: usize = 1000;
    let upstream = Upstream::new(|request, mut wire| async move {
        let text = request.text();
        let id: usize = text.split("\"seed\":").nth(1)?.split('}').next()?.parse().ok()?;
        wire.write(SSE).await;
        for n in 0..10 {
            let word = if n == 5 {
                "call"
            } else if n == 7 {
                "done"
            } else {
                "text"
            };
            wire.write(chunk(format!("data: {word} {id}.{n}\n\n"))).await;
            tokio::task::yield_now().await;
            match id % 30 {
                // Dies in a call, in a chunk's head, and by a defect of ours.
                3 if n == 6 => return None,
                13 if n == 4 => {
                    wire.write("a").await;
                    return None;
                }
                23 if n == 6 => wire.write(chunk(format!("data: panic! {id}\n\n"))).await,
                _ => {}
            }
        }
        wire.write(LAST).await;
        Some(wire)
    })
    .await;
    let gateway = Arc::new(Gateway::with(&upstream, |_| {}, HoldingCalls).await);
    let (report, mut reports) = mpsc::channel(TURNS);
    for id in 0..TURNS {
        let (gateway, report) = (Arc::clone(&gateway), report.clone());
        tokio::spawn(async move {
            let answer = gateway.ask(chat_with(&format!(",\"seed\":{id}"))).await;
            let _ = report.send((id, answer)).await;
        });
    }
    drop(report);
    let mut came = 0;
    while let Some((id, answer)) = within(reports.recv()).await {
        let events = |range: std::ops::Range<usize>| -> String {
            let word = |n| {
                if n == 5 {
                    "call"
                } else if n == 7 {
                    "done"
                } else {
                    "text"
                }
            };
            range.map(|n| format!("data: {} {id}.{n}\n\n", word(n))).collect()
        };
        let (text, is_whole) = match id % 30 {
            3 => (events(0..7), false),
            13 => (events(0..5), false),
            23 => (format!("{}data: panic! {id}\n\n{}", events(0..7), events(7..10)), true),
            _ => (events(0..10), true),
        };
        assert_eq!(
            (answer.status(), answer.text(), answer.whole),
            (200, text.as_str(), is_whole),
            "turn {id}"
        );
        came += 1;
    }
    assert_eq!(came, TURNS);
    gateway.counts("toolmend_open_turns 0").await;
}
