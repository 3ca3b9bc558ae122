//! Each limit, on both sides.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::Request;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::*;
use crate::stream::scripted;
use crate::tls::{Pieces, pieces, text};

#[tokio::test]
async fn header_fields() {
    let upstream = Upstream::always(whole("200 OK", "", "ok")).await;
    let gateway = Gateway::with(&upstream, |settings| settings.limits.headers = 50, Nothing).await;
    for (more, status) in [(48, 200), (51, 431), (10_000, 431)] {
        let fields: String = (0..more).map(|n| format!("x-{n}: y\r\n")).collect();
        let answer = gateway.ask(format!("GET / HTTP/1.1\r\nhost: g\r\n{fields}\r\n")).await;
        assert_eq!(answer.status(), status, "{more}");
    }
    // Nobody else is hurt.
    assert_eq!(gateway.ask("GET / HTTP/1.1\r\nhost: g\r\n\r\n").await.text(), "ok");
}

/// More than can be made room for is as much as can.
#[tokio::test]
async fn header_fields_without_end() {
    let upstream = Upstream::always(whole("200 OK", "", "ok")).await;
    let gateway = Gateway::with(&upstream, |settings| settings.limits.headers = usize::MAX, Nothing).await;
    let fields: String = (0..5000).map(|n| format!("x-{n}: y\r\n")).collect();
    assert_eq!(gateway.ask(format!("GET / HTTP/1.1\r\nhost: g\r\n{fields}\r\n")).await.text(), "ok");
}

#[tokio::test]
async fn header_bytes() {
    let upstream = Upstream::always(whole("200 OK", "", "ok")).await;
    let gateway = Gateway::with(&upstream, |settings| settings.limits.header_bytes = 16 << 10, Nothing).await;
    for (bytes, status) in [(8 << 10, 200), (17 << 10, 431), (1 << 20, 431)] {
        let request = format!("GET / HTTP/1.1\r\nhost: g\r\nx: {}\r\n\r\n", "y".repeat(bytes));
        assert_eq!(gateway.ask(request).await.status(), status, "{bytes}");
    }
}

#[tokio::test]
async fn header_fields_of_the_upstream() {
    let fields: String = (0..10_000).map(|n| format!("x-{n}: y\r\n")).collect();
    let upstream = Upstream::always(whole("200 OK", &fields, "ok")).await;
    let gateway = Gateway::with(&upstream, |_| {}, Nothing).await;
    assert_eq!(gateway.ask("GET / HTTP/1.1\r\nhost: g\r\n\r\n").await.status(), 502);
}

/// Over HTTP/2 as over HTTP/1.1, for which less than hyper needs is as much as it needs.
#[tokio::test]
async fn header_fields_over_http2() {
    let upstream = Upstream::always(whole("200 OK", "", "ok")).await;
    let few = |settings: &mut toolmend_gateway::Settings| {
        (settings.limits.headers, settings.limits.header_bytes) = (50, 10);
    };
    let gateway = Gateway::with(&upstream, few, Nothing).await;
    let client: Client<_, Pieces> = Client::builder(TokioExecutor::new()).http2_only(true).build_http();
    for (more, status) in [(48, 200), (51, 431)] {
        let mut request = Request::get(format!("http://{}/", gateway.address));
        for n in 0..more {
            request = request.header(format!("x-{n}"), "y");
        }
        let answer = within(client.request(request.body(pieces(&[])).unwrap())).await.unwrap();
        assert_eq!(answer.status(), status, "{more}");
    }
}

/// A request that is too long to be looked into is passed on as it comes, and so is its answer.
#[tokio::test]
async fn request_bytes() {
    let upstream = Upstream::new(|request, mut wire| async move {
        let fields = "content-type: text/event-stream\r\netag: \"e\"\r\n";
        wire.write(whole("200 OK", fields, &format!("data: call {}\n\n", request.body.len()))).await;
        Some(wire)
    })
    .await;
    let base = chat().split("\r\n\r\n").nth(1).unwrap().len();
    let gateway =
        Gateway::with(&upstream, |settings| settings.limits.request_bytes = base + 100, HoldingCalls).await;
    for (more, looked_into) in [(100, true), (101, false), (100_000, false)] {
        for chunked in [false, true] {
            let mut request = chat_with(&" ".repeat(more));
            if chunked {
                let (head, body) = request.split_once("\r\n\r\n").unwrap();
                let head = head.rsplit_once("content-length").unwrap().0;
                let body = String::from_utf8([chunk(&body[..50]), chunk(&body[50..])].concat()).unwrap();
                request = format!("{head}transfer-encoding: chunked\r\n\r\n{body}{LAST}");
            }
            let answer = gateway.ask(request).await;
            assert_eq!(answer.text(), format!("data: call {}\n\n", base + more));
            assert_eq!(answer.field("etag").is_none(), looked_into, "{more} {chunked}");
        }
    }
    gateway.counts(r#"toolmend_caps_total{why="request-bytes"} 4"#).await;
    gateway.counts(r#"toolmend_turns_total{protocol="openai-chat",model="",passed="untouched"} 4"#).await;
}

/// A hundred megabytes pass either way, on any endpoint, without being kept.
#[tokio::test]
async fn a_hundred_megabytes() {
    const SIZE: usize = 100 << 20;
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    let upstream = Upstream::new(move |request, mut wire| {
        count.store(request.body.len(), Ordering::Relaxed);
        async move {
            wire.write(format!("HTTP/1.1 200 OK\r\ncontent-length: {SIZE}\r\n\r\n")).await;
            let block = vec![b'y'; 1 << 20];
            for _ in 0..SIZE >> 20 {
                wire.write(&block).await;
            }
            Some(wire)
        }
    })
    .await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    for path in ["/v1/files", "/v1/chat/completions"] {
        let mut wire = Wire::connect(gateway.address).await;
        wire.write(format!("POST {path} HTTP/1.1\r\nhost: g\r\ncontent-length: {SIZE}\r\n\r\n")).await;
        let block = vec![b'x'; 1 << 20];
        for _ in 0..SIZE >> 20 {
            within(wire.stream.write_all(&block)).await.unwrap();
        }
        let answer = wire.answer().await;
        assert_eq!((answer.body.len(), answer.whole), (SIZE, true), "{path}");
        assert_eq!(seen.load(Ordering::Relaxed), SIZE, "{path}");
    }
}

#[tokio::test]
async fn held_bytes_of_a_turn() {
    for (held, gave_up) in [(100, false), (101, true)] {
        let (upstream, say, _went) = scripted(SSE).await;
        let gateway =
            Gateway::with(&upstream, |settings| settings.limits.held_turn_bytes = 100, HoldingCalls).await;
        let mut wire = Wire::connect(gateway.address).await;
        wire.write(chat()).await;
        wire.head().await.unwrap();
        let event = format!("data: call {}\n\n", "x".repeat(held - 13));
        say.send(chunk(&event)).unwrap();
        if gave_up {
            // What was held comes at once, and the rest of the turn is not looked into.
            assert_eq!(wire.chunk().await.unwrap(), event.as_bytes());
            say.send(chunk("data: call\n\n")).unwrap();
            assert_eq!(wire.chunk().await.unwrap(), b"data: call\n\n");
            gateway.counts(r#"toolmend_caps_total{why="held-turn"} 1"#).await;
        } else {
            say.send(chunk("done\n\n")).unwrap();
            assert_eq!(wire.chunk().await.unwrap(), format!("{event}done\n\n").as_bytes());
        }
    }
}

/// Requests that are read before they are passed on count, too. One that would be too much passes as it comes, and its
/// answer untouched.
#[tokio::test]
async fn held_bytes_of_requests() {
    let upstream =
        Upstream::always(whole("200 OK", "content-type: text/event-stream\r\netag: e\r\n", "data: a\n\n"))
            .await;
    let gateway = Gateway::with(&upstream, |settings| settings.limits.held_bytes = 1000, HoldingCalls).await;
    let request = chat_with(&" ".repeat(300));
    let (begun, rest) = request.split_at(request.len() - 20);
    let kept = begun.split_once("\r\n\r\n").unwrap().1.len();
    assert!((334..500).contains(&kept), "two fit, and three do not: {kept}");
    let mut wires = Vec::new();
    for n in 1..=3 {
        let mut wire = Wire::connect(gateway.address).await;
        wire.write(begun).await;
        if n < 3 {
            gateway.counts(&format!("toolmend_held_bytes {}", n * kept)).await;
        }
        wires.push(wire);
    }
    gateway.counts(r#"toolmend_caps_total{why="held-total"} 1"#).await;
    for (n, mut wire) in (1..).zip(wires) {
        wire.write(rest).await;
        let answer = wire.answer().await;
        assert_eq!((answer.text(), answer.field("etag").is_some()), ("data: a\n\n", n == 3), "{n}");
    }
    gateway.counts("toolmend_held_bytes 0").await;
}

#[tokio::test]
async fn open_turns() {
    let (upstream, say, _went) = scripted(SSE).await;
    let gateway = Gateway::with(&upstream, |settings| settings.limits.open_turns = 1, HoldingCalls).await;
    let mut one = Wire::connect(gateway.address).await;
    one.write(chat()).await;
    one.head().await.unwrap();
    say.send(chunk("data: call\n\n")).unwrap();
    gateway.counts("toolmend_open_turns 1").await;
    // The second one is not refused, it only passes untouched.
    let mut other = Wire::connect(gateway.address).await;
    other.write(chat()).await;
    other.head().await.unwrap();
    gateway.counts(r#"toolmend_caps_total{why="open-turns"} 1"#).await;
    gateway.counts("toolmend_open_turns 1").await;
}

#[tokio::test]
async fn connections() {
    let upstream = Upstream::always(whole("200 OK", "", "ok")).await;
    let gateway = Gateway::with(&upstream, |settings| settings.limits.connections = 1, Nothing).await;
    let mut one = Wire::connect(gateway.address).await;
    one.write("GET / HTTP/1.1\r\nhost: g\r\n\r\n").await;
    assert_eq!(one.answer().await.text(), "ok");
    let mut other = Wire::connect(gateway.address).await;
    other.write("GET / HTTP/1.1\r\nhost: g\r\n\r\n").await;
    let waits = tokio::time::timeout(Duration::from_millis(100), other.answer()).await;
    assert!(waits.is_err(), "the second connection is served beside the first");
    drop(one);
    let mut third = Wire::connect(gateway.address).await;
    third.write("GET / HTTP/1.1\r\nhost: g\r\n\r\n").await;
    drop(other);
    assert_eq!(third.answer().await.text(), "ok");
}

/// Clients that send next to nothing are not waited for.
#[tokio::test]
async fn slow_loris() {
    let upstream = Upstream::always(whole("200 OK", "", "ok")).await;
    let short = |settings: &mut toolmend_gateway::Settings| {
        settings.limits.header_read = Duration::from_millis(200);
        settings.limits.idle = Duration::from_millis(200);
    };
    let gateway = Gateway::with(&upstream, short, HoldingCalls).await;
    for begun in [
        "",
        "G",
        "PRI * HTTP/2.0\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
        "GET / HTTP/1.1\r\nhost: g\r\n",
        "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\ncontent-length: 9\r\n\r\n{",
    ] {
        let mut wire = Wire::connect(gateway.address).await;
        wire.write(begun).await;
        let mut rest = Vec::new();
        while let more @ [_, ..] = &wire.read().await[..] {
            rest.extend(more);
        }
        let rest = String::from_utf8_lossy(&rest).into_owned();
        // What HTTP/2 says before it hears anything is no answer.
        let answered = rest.starts_with("HTTP") && !rest.starts_with("HTTP/1.1 408");
        assert!(!answered, "{begun}: {rest}");
    }
    // One that trickles a field every now and then ends all the same.
    let mut wire = Wire::connect(gateway.address).await;
    wire.write("GET / HTTP/1.1\r\n").await;
    let trickling = async {
        for n in 0.. {
            if wire.stream.write_all(format!("x-{n}: y\r\n").as_bytes()).await.is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within(trickling).await;
}

/// The time for a first request ends with the first request: neither a long answer nor a connection that is used
/// again is cut by it.
#[tokio::test]
async fn a_connection_that_has_asked_is_not_silent() {
    let short = |settings: &mut toolmend_gateway::Settings| {
        settings.limits.header_read = Duration::from_millis(200);
    };
    for http2 in [false, true] {
        let (upstream, say, _went) = scripted(SSE).await;
        let gateway = Gateway::with(&upstream, short, HoldingCalls).await;
        let telling = tokio::spawn(async move {
            for _ in 0..6 {
                tokio::time::sleep(Duration::from_millis(100)).await;
                say.send(chunk("data: a\n\n")).unwrap();
            }
            say.send(LAST.into()).unwrap();
        });
        let answer = if http2 {
            let client: Client<_, Pieces> =
                Client::builder(TokioExecutor::new()).http2_only(true).build_http();
            let uri = format!("http://{}/v1/chat/completions", gateway.address);
            let body = chat().split_once("\r\n\r\n").unwrap().1.to_owned();
            let request = Request::post(uri).body(pieces(&[body.leak()])).unwrap();
            within(text(within(client.request(request)).await.unwrap().into_body())).await
        } else {
            gateway.ask(chat()).await.text().to_owned()
        };
        assert_eq!(answer, "data: a\n\n".repeat(6), "http2: {http2}");
        telling.await.unwrap();
    }
    let upstream = Upstream::always(whole("200 OK", "", "ok")).await;
    let gateway = Gateway::with(&upstream, short, HoldingCalls).await;
    let mut wire = Wire::connect(gateway.address).await;
    for _ in 0..5 {
        wire.write("GET / HTTP/1.1\r\nhost: g\r\n\r\n").await;
        assert_eq!(wire.answer().await.text(), "ok");
        tokio::time::sleep(Duration::from_millis(80)).await;
    }
}

#[tokio::test]
async fn idle() {
    let (upstream, say, mut went) = scripted(SSE).await;
    let short = |settings: &mut toolmend_gateway::Settings| settings.limits.idle = Duration::from_millis(300);
    let gateway = Gateway::with(&upstream, short, HoldingCalls).await;
    let mut wire = Wire::connect(gateway.address).await;
    wire.write(chat()).await;
    wire.head().await.unwrap();
    // As long as something comes, an answer may take as long as it likes.
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_millis(60)).await;
        say.send(chunk("data: a\n\n")).unwrap();
        assert_eq!(wire.chunk().await.unwrap(), b"data: a\n\n");
    }
    // What was held when it fell silent is not lost.
    say.send(chunk("data: call\n\n")).unwrap();
    assert_eq!(wire.chunk().await.unwrap(), b"data: call\n\n");
    assert_eq!(wire.chunk().await, None);
    within(went.recv()).await.unwrap();
}

#[tokio::test]
async fn idle_before_the_answer() {
    let (upstream, _say, mut went) = scripted("").await;
    let short = |settings: &mut toolmend_gateway::Settings| settings.limits.idle = Duration::from_millis(100);
    let gateway = Gateway::with(&upstream, short, HoldingCalls).await;
    let answer = gateway.ask(chat()).await;
    assert_eq!(answer.status(), 504);
    within(went.recv()).await.unwrap();
}

/// A client that takes nothing any more counts as gone, and so does the upstream's work for it; over HTTP/2 it is asked
/// whether it is there, since what is not taken of one answer does not keep a connection from moving.
#[tokio::test]
async fn a_client_that_stops_reading() {
    let upstream = Upstream::new(|_, mut wire| async move {
        wire.write(SSE).await;
        let event = chunk([&b"data: "[..], &vec![b'x'; 16 << 10], b"\n\n"].concat());
        while wire.stream.write_all(&event).await.is_ok() {}
        None
    })
    .await;
    let short = |settings: &mut toolmend_gateway::Settings| settings.limits.idle = Duration::from_millis(400);
    let gateway = Gateway::with(&upstream, short, HoldingCalls).await;
    let get = b"GET / HTTP/1.1\r\nhost: g\r\n\r\n".to_vec();
    // The preface, no settings, and a request for `/`.
    let settings = b"\0\0\0\x04\0\0\0\0\0";
    let request = b"\0\0\x06\x01\x05\0\0\0\x01\x82\x84\x86\x41\x01g";
    let http2 = [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &settings[..], &request[..]].concat();
    for asks in [chat().into_bytes(), get, http2] {
        let mut wire = Wire::connect(gateway.address).await;
        wire.write(asks).await;
        gateway.counts("toolmend_connections 1").await;
        gateway.counts("toolmend_connections 0").await;
        gateway.counts("toolmend_open_turns 0").await;
        drop(wire);
    }
}

/// One that reads slowly takes something all the same, although its socket looks full for longer than the limit.
#[tokio::test]
async fn a_client_that_reads_slowly() {
    let upstream = Upstream::new(|_, mut wire| async move {
        wire.write(whole("200 OK", "", &"x".repeat(64 << 20))).await;
        None
    })
    .await;
    let short = |settings: &mut toolmend_gateway::Settings| settings.limits.idle = Duration::from_millis(800);
    let gateway = Gateway::with(&upstream, short, HoldingCalls).await;
    let mut wire = Wire::connect(gateway.address).await;
    wire.write("GET / HTTP/1.1\r\nhost: g\r\n\r\n").await;
    wire.head().await.unwrap();
    let mut taken = vec![0; 40 << 10];
    for _ in 0..60 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        wire.stream.read_exact(&mut taken).await.unwrap();
        assert!(taken.iter().all(|byte| *byte == b'x'));
    }
    gateway.counts("toolmend_connections 1").await;
}

/// An upload may take as long as it likes, too; one that stands still is the client's fault.
#[tokio::test]
async fn idle_while_the_request_is_sent() {
    let upstream = Upstream::always(whole("200 OK", "", "ok")).await;
    let short = |settings: &mut toolmend_gateway::Settings| settings.limits.idle = Duration::from_millis(300);
    let gateway = Gateway::with(&upstream, short, Nothing).await;
    for (pieces, status) in [(10, 200), (3, 408)] {
        let mut wire = Wire::connect(gateway.address).await;
        wire.write("POST /v1/files HTTP/1.1\r\nhost: g\r\ncontent-length: 10\r\n\r\n").await;
        for _ in 0..pieces {
            tokio::time::sleep(Duration::from_millis(60)).await;
            wire.write("x").await;
        }
        assert_eq!(wire.answer().await.status(), status, "{pieces} of 10 bytes");
    }
}

/// Shapes in which two readers of one request disagree about its end: they are refused, or the upstream gets
/// them in one unmistakable form.
#[tokio::test]
async fn smuggling() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let notes = Arc::clone(&seen);
    let upstream = Upstream::new(move |request, mut wire| {
        notes.lock().unwrap().push(request);
        async move {
            wire.write(whole("200 OK", "", "ok")).await;
            Some(wire)
        }
    })
    .await;
    let gateway = Gateway::new(&upstream).await;
    const INNER: &str = "GET /admin HTTP/1.1\r\nhost: g\r\n\r\n";
    for head in [
        "content-length: 6\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 6\r\n",
        "transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n",
        "transfer-encoding: xchunked\r\n",
        "transfer-encoding: chunked, identity\r\n",
        "transfer-encoding : chunked\r\n",
        " transfer-encoding: chunked\r\n",
        "transfer-encoding:\x0bchunked\r\n",
        "content-length: 5\r\ncontent-length: 6\r\n",
        "content-length: +5\r\n",
        "content-length: 5, 6\r\n",
        "content-length: 0x5\r\n",
        "content-length: 5\r\nconnection: content-length\r\n",
        "x: y\ntransfer-encoding: chunked\r\n",
        "x\0: y\r\ncontent-length: 0\r\n",
    ] {
        seen.lock().unwrap().clear();
        let mut wire = Wire::connect(gateway.address).await;
        wire.write(format!("POST /x HTTP/1.1\r\nhost: g\r\n{head}\r\n0\r\n\r\n{INNER}")).await;
        wire.stream.shutdown().await.unwrap();
        let mut answers = 0;
        while let Some(answer) = wire.head_and_body().await {
            answers += usize::from(answer.status() == 200);
        }
        let seen = seen.lock().unwrap();
        // What the client was told is what the upstream was asked, and nothing more.
        assert_eq!(answers, seen.len(), "{head:?}: {seen:?}");
        for request in seen.iter() {
            assert!(request.whole, "{head:?}: {request:?}");
            let both =
                request.field("content-length").is_some() && request.field("transfer-encoding").is_some();
            assert!(!both, "{head:?}: {request:?}");
            let lengths = request.fields.iter().filter(|(name, _)| name == "content-length").count();
            assert!(lengths <= 1, "{head:?}: {request:?}");
        }
    }
}
