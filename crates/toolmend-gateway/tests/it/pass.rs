//! What crosses the gateway as it is.

use std::sync::{Arc, Mutex};

use crate::harness::*;

/// An upstream that notes what it was asked.
async fn noting(answer: &str) -> (Upstream, Arc<Mutex<Vec<Message>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (notes, answer) = (Arc::clone(&seen), answer.to_owned());
    let upstream = Upstream::new(move |message, mut wire| {
        notes.lock().unwrap().push(message);
        let answer = answer.clone();
        async move {
            wire.write(answer).await;
            Some(wire)
        }
    })
    .await;
    (upstream, seen)
}

#[tokio::test]
async fn methods_paths_and_bodies() {
    let (upstream, seen) =
        noting(&whole("200 OK", "x-request-id: r\r\ncontent-type: text/html\r\n", "hello")).await;
    let gateway = Gateway::new(&upstream).await;
    for (method, path, body) in [
        ("GET", "/", ""),
        ("GET", "/v1/models?a=b&c=%20", ""),
        ("POST", "/v1/embeddings", "{\"input\": \"x\"}"),
        ("POST", "/v1/chat/completions", "not json"),
        ("POST", "/v1/chat/completions", "{\"messages\":[]}"),
        ("POST", "/v1/messages", "{\"model\":\"m\"}"),
        ("PUT", "/files/1", "\u{0}\u{1}\u{2}"),
        ("DELETE", "/v1/responses/r_1", ""),
        ("PATCH", "/x", "y"),
        ("OPTIONS", "/x", ""),
        ("BREW", "/pot", "coffee"),
    ] {
        let length =
            if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
        let answer = gateway
            .ask(format!(
                "{method} {path} HTTP/1.1\r\nhost: g\r\nAuthorization: Bearer k\r\n{length}\r\n{body}"
            ))
            .await;
        assert_eq!((answer.status(), answer.text()), (200, "hello"), "{method} {path}");
        assert_eq!((answer.field("x-request-id"), answer.field("content-length")), (Some("r"), Some("5")));
        let asked = seen.lock().unwrap().pop().unwrap();
        assert_eq!(asked.start, format!("{method} {path} HTTP/1.1"));
        assert_eq!(asked.text(), body);
        assert_eq!(asked.field("authorization"), Some("Bearer k"));
        assert_eq!(asked.field("host"), Some(upstream.address.to_string().as_str()));
        assert_eq!(asked.field("transfer-encoding"), None);
    }
}

#[tokio::test]
async fn errors_of_the_upstream() {
    for status in ["400 Bad Request", "401 Unauthorized", "429 Too Many Requests", "500 Oops", "503 Busy"] {
        let body = r#"{"error":{"message":"no"}}"#;
        let fields = "content-type: application/json\r\nretry-after: 7\r\netag: \"e\"\r\n";
        let upstream = Upstream::always(whole(status, fields, body)).await;
        let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
        let answer = gateway.ask(chat()).await;
        assert_eq!(answer.status().to_string(), status[..3], "{status}");
        assert_eq!((answer.text(), answer.field("retry-after")), (body, Some("7")));
        assert_eq!((answer.field("etag"), answer.field("content-length")), (Some("\"e\""), Some("26")));
    }
}

#[tokio::test]
async fn head_has_a_length_and_no_body() {
    let upstream = Upstream::always("HTTP/1.1 200 OK\r\ncontent-length: 12345\r\netag: \"e\"\r\n\r\n").await;
    let gateway = Gateway::new(&upstream).await;
    let mut wire = Wire::connect(gateway.address).await;
    for path in ["/", "/v1/chat/completions"] {
        wire.write(format!("HEAD {path} HTTP/1.1\r\nhost: g\r\n\r\n")).await;
        let answer = wire.head().await.unwrap();
        assert_eq!((answer.field("content-length"), answer.field("etag")), (Some("12345"), Some("\"e\"")));
    }
}

#[tokio::test]
async fn statuses_without_a_body() {
    for status in ["204 No Content", "304 Not Modified"] {
        let upstream = Upstream::always(format!("HTTP/1.1 {status}\r\nx-a: b\r\n\r\n")).await;
        let gateway = Gateway::new(&upstream).await;
        let answer = gateway.ask("GET / HTTP/1.1\r\nhost: g\r\n\r\n").await;
        assert_eq!((answer.status().to_string().as_str(), answer.field("x-a")), (&status[..3], Some("b")));
        assert_eq!(answer.field("transfer-encoding"), None);
    }
}

#[tokio::test]
async fn redirects_are_the_clients_to_follow() {
    let upstream = Upstream::always(whole("307 Temporary Redirect", "location: /elsewhere\r\n", "")).await;
    let gateway = Gateway::new(&upstream).await;
    let answer = gateway.ask("GET / HTTP/1.1\r\nhost: g\r\n\r\n").await;
    assert_eq!((answer.status(), answer.field("location")), (307, Some("/elsewhere")));
}

#[tokio::test]
async fn several_fields_of_one_name_keep_their_order() {
    let upstream = Upstream::always(whole("200 OK", "set-cookie: a=1\r\nset-cookie: b=2\r\n", "")).await;
    let gateway = Gateway::new(&upstream).await;
    let answer = gateway.ask("GET / HTTP/1.1\r\nhost: g\r\n\r\n").await;
    let cookies: Vec<&str> = answer
        .fields
        .iter()
        .filter(|(name, _)| name == "set-cookie")
        .map(|(_, value)| value.as_str())
        .collect();
    assert_eq!(cookies, ["a=1", "b=2"]);
}

#[tokio::test]
async fn trailers_follow_the_body() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntrailer: x-sum\r\ntransfer-encoding: chunked\r\n\r\n\
                  9\r\ndata: a\n\n\r\n0\r\nx-sum: 42\r\n\r\n";
    let upstream = Upstream::always(answer).await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    for request in [chat(), "GET / HTTP/1.1\r\nhost: g\r\n\r\n".to_owned()] {
        let answer = gateway.ask(request.replacen("\r\n", "\r\nTE: trailers\r\n", 1)).await;
        assert_eq!(answer.text(), "data: a\n\n");
        assert_eq!(answer.trailers, [("x-sum".to_owned(), "42".to_owned())]);
    }
}

#[tokio::test]
async fn a_client_that_expects_to_be_told_is_told() {
    let (upstream, seen) = noting(&whole("200 OK", "", "ok")).await;
    let gateway = Gateway::new(&upstream).await;
    for path in ["/v1/chat/completions", "/elsewhere"] {
        let mut wire = Wire::connect(gateway.address).await;
        wire.write(format!(
            "POST {path} HTTP/1.1\r\nhost: g\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n"
        ))
        .await;
        let interim = wire.head().await.unwrap();
        assert_eq!(interim.status(), 100, "{path}");
        wire.write("{}").await;
        assert_eq!(wire.answer().await.text(), "ok");
        let asked = seen.lock().unwrap().pop().unwrap();
        assert_eq!((asked.text(), asked.field("expect")), ("{}", None));
    }
}

#[tokio::test]
async fn only_turns_are_asked_for_without_compression() {
    let (upstream, seen) = noting(&whole("200 OK", "", "{}")).await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    for (request, coding) in
        [(chat(), "identity"), ("GET / HTTP/1.1\r\nhost: g\r\n\r\n".to_owned(), "gzip, br")]
    {
        gateway.ask(request.replacen("\r\n", "\r\naccept-encoding: gzip, br\r\n", 1)).await;
        assert_eq!(seen.lock().unwrap().pop().unwrap().field("accept-encoding"), Some(coding));
    }
}

#[tokio::test]
async fn a_compressed_answer_passes_untouched() {
    let body = "data: call \u{1f} is not what it seems\n\n";
    let fields = "content-type: text/event-stream\r\ncontent-encoding: gzip\r\netag: \"e\"\r\n";
    let upstream = Upstream::always(whole("200 OK", fields, body)).await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    let answer = gateway.ask(chat()).await;
    assert_eq!((answer.text(), answer.field("etag")), (body, Some("\"e\"")));
    assert_eq!(answer.field("content-encoding"), Some("gzip"));
}

#[tokio::test]
async fn a_compressed_request_passes_untouched() {
    let (upstream, seen) =
        noting(&whole("200 OK", "content-type: application/json\r\netag: \"e\"\r\n", "{}")).await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    let answer = gateway.ask(chat().replacen("\r\n", "\r\ncontent-encoding: zstd\r\n", 1)).await;
    assert_eq!((answer.text(), answer.field("etag")), ("{}", Some("\"e\"")));
    assert_eq!(seen.lock().unwrap().pop().unwrap().field("content-encoding"), Some("zstd"));
}

#[tokio::test]
async fn what_may_change_has_no_length_and_no_tag() {
    let fields = "content-type: application/json\r\netag: \"e\"\r\ndigest: d\r\nx-kept: k\r\n";
    let upstream = Upstream::always(whole("200 OK", fields, "{}\n\n")).await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    let answer = gateway.ask(chat()).await;
    assert_eq!((answer.text(), answer.field("x-kept"), answer.whole), ("{}\n\n", Some("k"), true));
    for name in ["content-length", "etag", "digest"] {
        assert_eq!(answer.field(name), None, "{name}");
    }
}

#[tokio::test]
async fn base_urls_with_and_without_a_version() {
    let (upstream, seen) = noting(&whole("200 OK", "", "{}")).await;
    let versioned = Gateway::with(
        &upstream,
        |settings| settings.upstream = format!("{}/v1", settings.upstream).parse().unwrap(),
        Nothing,
    )
    .await;
    for path in ["/v1/chat/completions", "/chat/completions"] {
        versioned.ask(post(path, "{}")).await;
        assert_eq!(seen.lock().unwrap().pop().unwrap().target(), "/v1/chat/completions");
    }
}

#[tokio::test]
async fn one_connection_takes_many_requests() {
    let (upstream, seen) = noting(&whole("200 OK", "", "ok")).await;
    let gateway = Gateway::new(&upstream).await;
    let mut wire = Wire::connect(gateway.address).await;
    for n in 0..50 {
        wire.write(post("/x", &format!("{n}"))).await;
        assert_eq!(wire.answer().await.text(), "ok");
        assert_eq!(seen.lock().unwrap()[n].text(), n.to_string());
    }
    // Pipelined.
    wire.write([post("/x", "a"), post("/x", "b")].concat()).await;
    assert_eq!((wire.answer().await.text(), wire.answer().await.text()), ("ok", "ok"));
}

#[tokio::test]
async fn the_token_opens_and_goes_no_further() {
    let (upstream, seen) = noting(&whole("200 OK", "", "ok")).await;
    let gateway = Gateway::with(&upstream, |settings| settings.token = Some("s3cret".into()), Nothing).await;
    for (fields, status, passed) in [
        ("", 401, None),
        ("authorization: Bearer wrong\r\n", 401, None),
        ("authorization: Bearer s3cre\r\n", 401, None),
        ("authorization: Bearer s3crett\r\n", 401, None),
        ("authorization: Basic s3cret\r\n", 401, None),
        ("authorization: bearer s3cret\r\n", 200, None),
        ("x-api-key: s3cret\r\n", 200, None),
        ("proxy-authorization: Bearer s3cret\r\nauthorization: Bearer up\r\n", 200, Some("Bearer up")),
    ] {
        let answer = gateway.ask(format!("GET / HTTP/1.1\r\nhost: g\r\n{fields}\r\n")).await;
        assert_eq!(answer.status(), status, "{fields}");
        let Some(asked) = seen.lock().unwrap().pop() else { continue };
        assert_eq!(status, 200);
        assert_eq!(asked.field("authorization"), passed, "{fields}");
        assert!(!format!("{asked:?}").contains("s3cret"));
    }
}

#[tokio::test]
async fn the_admin_paths_shadow_nothing() {
    let upstream = Upstream::always(whole("200 OK", "", "the upstream's")).await;
    let gateway = Gateway::new(&upstream).await;
    for (path, text) in [("/-/health", "ok\n"), ("/-/ready", "ready\n")] {
        assert_eq!(
            gateway.ask(format!("GET {path} HTTP/1.1\r\nhost: g\r\n\r\n")).await.text(),
            "the upstream's"
        );
        let mut wire = Wire::connect(gateway.admin).await;
        wire.write(format!("GET {path} HTTP/1.1\r\nhost: g\r\n\r\n")).await;
        assert_eq!(wire.answer().await.text(), text);
    }
    assert!(gateway.metrics().await.ends_with("# EOF\n"));
}

#[tokio::test]
async fn tunnels_are_refused() {
    let upstream = Upstream::always(whole("200 OK", "", "")).await;
    let gateway = Gateway::new(&upstream).await;
    let answer = gateway.ask("CONNECT h:443 HTTP/1.1\r\nhost: h:443\r\n\r\n").await;
    assert_eq!(answer.status(), 501);
    assert!(answer.text().contains("base URL"), "{}", answer.text());
}
