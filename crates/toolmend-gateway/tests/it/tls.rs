//! TLS on both sides, and HTTP/2 over it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::body::{Body as _, Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use toolmend_gateway::Settings;

use crate::harness::*;

/// A body of a few pieces, the last of which are trailers.
pub(crate) struct Pieces(Vec<Frame<Bytes>>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let next = if self.0.is_empty() { None } else { Some(Ok(self.0.remove(0))) };
        std::task::Poll::Ready(next)
    }
}

pub(crate) fn pieces(pieces: &[&'static str]) -> Pieces {
    Pieces(pieces.iter().map(|piece| Frame::data(Bytes::from_static(piece.as_bytes()))).collect())
}

/// An identity for `localhost`, and its two files.
struct Identity {
    certified: CertifiedKey<KeyPair>,
    chain: PathBuf,
    key: PathBuf,
}

impl Identity {
    fn new(name: &str) -> Identity {
        let certified = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let (chain, key) = (folder.join(format!("{name}.pem")), folder.join(format!("{name}.key")));
        std::fs::write(&chain, certified.cert.pem()).unwrap();
        std::fs::write(&key, certified.signing_key.serialize_pem()).unwrap();
        Identity { certified, chain, key }
    }

    fn certificate(&self) -> CertificateDer<'static> {
        self.certified.cert.der().clone()
    }

    fn server(&self, protocols: &[&str]) -> Arc<ServerConfig> {
        let key = PrivateKeyDer::Pkcs8(self.certified.signing_key.serialize_der().into());
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate()], key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config)
    }
}

/// A client of HTTPS that trusts one certificate.
fn client(
    trusted: &Identity,
    http2: bool,
) -> Client<hyper_rustls::HttpsConnector<hyper_util::client::legacy::connect::HttpConnector>, Pieces> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.certificate()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = HttpsConnectorBuilder::new().with_tls_config(config).https_only();
    let connector = if http2 { connector.enable_http2().build() } else { connector.enable_http1().build() };
    Client::builder(TokioExecutor::new()).build(connector)
}

pub(crate) async fn text(mut body: Incoming) -> String {
    let mut all = Vec::new();
    while let Some(frame) = std::future::poll_fn(|cx| std::pin::Pin::new(&mut body).poll_frame(cx)).await {
        if let Ok(data) = frame.unwrap().into_data() {
            all.extend_from_slice(&data);
        }
    }
    String::from_utf8(all).unwrap()
}

#[tokio::test]
async fn clients_over_tls() {
    let upstream = Upstream::new(|request, mut wire| async move {
        let body = format!("data: {} {}\n\n", request.start, request.field("host").unwrap_or(""));
        wire.write(whole("200 OK", "content-type: text/event-stream\r\nconnection: keep-alive\r\n", &body))
            .await;
        Some(wire)
    })
    .await;
    let identity = Identity::new("clients");
    let files = (identity.chain.clone(), identity.key.clone());
    let gateway = Gateway::with(&upstream, |settings| settings.tls = Some(files), HoldingCalls).await;
    for http2 in [true, false] {
        let client = client(&identity, http2);
        for _ in 0..3 {
            let uri = format!("https://localhost:{}/v1/chat/completions", gateway.address.port());
            let body = chat().split_once("\r\n\r\n").unwrap().1.to_owned();
            let request = Request::post(uri).body(pieces(&[body.leak()])).unwrap();
            let answer = within(client.request(request)).await.unwrap();
            assert_eq!(answer.version(), if http2 { Version::HTTP_2 } else { Version::HTTP_11 });
            let asked = format!("data: POST /v1/chat/completions HTTP/1.1 {}\n\n", upstream.address);
            assert_eq!(within(text(answer.into_body())).await, asked);
        }
    }
}

/// HTTP/2 that was not agreed on, as some proxies speak it among each other.
#[tokio::test]
async fn http2_in_the_clear() {
    let upstream =
        Upstream::always(whole("200 OK", "content-type: text/event-stream\r\n", "data: a\n\n")).await;
    let gateway = Gateway::with(&upstream, |_| {}, HoldingCalls).await;
    let client: Client<_, Pieces> = Client::builder(TokioExecutor::new()).http2_only(true).build_http();
    for _ in 0..3 {
        let uri = format!("http://{}/v1/chat/completions", gateway.address);
        let body = chat().split_once("\r\n\r\n").unwrap().1.to_owned();
        let request = Request::post(uri).body(pieces(&[body.leak()])).unwrap();
        let answer = within(client.request(request)).await.unwrap();
        assert_eq!(answer.version(), Version::HTTP_2);
        assert_eq!(within(text(answer.into_body())).await, "data: a\n\n");
    }
    assert!(gateway.stopped().await);
}

#[tokio::test]
async fn an_upstream_over_tls() {
    let identity = Identity::new("upstream");
    for (protocols, version) in
        [(&["h2", "http/1.1"][..], "HTTP/2.0"), (&["http/1.1"], "HTTP/1.1"), (&[], "HTTP/1.1")]
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let acceptor = TlsAcceptor::from(identity.server(protocols));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let service = service_fn(|request: Request<Incoming>| async move {
                        let seen = format!("data: {:?} call\n\ndata: done\n\n", request.version());
                        let mut answer = Response::builder().header("content-type", "text/event-stream");
                        for n in 0..if request.uri().path() == "/many" { 150 } else { 0 } {
                            answer = answer.header(format!("x-{n}"), "y");
                        }
                        answer.body(Pieces(vec![Frame::data(seen.into())]))
                    });
                    let _ = auto::Builder::new(TokioExecutor::new())
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        let mut settings = Settings::new(format!("https://localhost:{port}").parse().unwrap());
        settings.upstream_ca = Some(identity.chain.clone());
        let gateway = Gateway::of(settings, HoldingCalls).await;
        let answer = gateway.ask(chat()).await;
        assert_eq!(answer.text(), format!("data: {version} call\n\ndata: done\n\n"));
        let many = gateway.ask("GET /many HTTP/1.1\r\nhost: g\r\n\r\n").await;
        assert_eq!(many.status(), 502, "{version}");
        // One that is not trusted is not talked to.
        let mut settings = Settings::new(format!("https://localhost:{port}").parse().unwrap());
        settings.upstream_ca = Some(Identity::new("other").chain);
        let gateway = Gateway::of(settings, HoldingCalls).await;
        let answer = gateway.ask(chat()).await;
        assert_eq!(answer.status(), 502);
        assert!(answer.text().contains("certificate"), "{}", answer.text());
        serving.abort();
    }
}

/// The handshake is a part of connecting.
#[tokio::test]
async fn an_upstream_that_never_shakes_hands() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut settings = Settings::new(format!("https://localhost:{port}").parse().unwrap());
    settings.upstream_ca = Some(Identity::new("shaking").chain);
    settings.limits.connect = Duration::from_millis(200);
    let gateway = Gateway::of(settings, HoldingCalls).await;
    let answer = gateway.ask(chat()).await;
    assert_eq!(answer.status(), 502);
    assert!(answer.text().contains("upstream_unreachable"), "{}", answer.text());
}

/// A connection of HTTP/2 that has fallen silent is not asked again, whether its other side is still there or not.
#[tokio::test]
async fn a_silent_upstream_over_http2() {
    let identity = Identity::new("silent");
    for is_there in [true, false] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let acceptor = TlsAcceptor::from(identity.server(&["h2"]));
        let connected = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connected);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                count.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor.accept(stream).await else { return };
                    if is_there {
                        let service = service_fn(|_: Request<Incoming>| {
                            std::future::pending::<Result<Response<Pieces>, std::io::Error>>()
                        });
                        let _ = auto::Builder::new(TokioExecutor::new())
                            .serve_connection(TokioIo::new(stream), service)
                            .await;
                    } else {
                        // Its settings, and no word after them.
                        stream.write_all(b"\0\0\0\x04\0\0\0\0\0\0\0\0\x04\x01\0\0\0\0").await.unwrap();
                        stream.flush().await.unwrap();
                        let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
                    }
                });
            }
        });
        let mut settings = Settings::new(format!("https://localhost:{port}").parse().unwrap());
        settings.upstream_ca = Some(identity.chain.clone());
        settings.limits.idle = Duration::from_millis(800);
        settings.threads = std::num::NonZero::new(1).unwrap();
        let gateway = Gateway::of(settings, HoldingCalls).await;
        for asked in 1..3 {
            assert_eq!(gateway.ask(chat()).await.status(), if is_there { 504 } else { 502 });
            assert_eq!(connected.load(Ordering::Relaxed), asked);
        }
        serving.abort();
    }
}

#[tokio::test]
async fn certificates_that_cannot_be_used() {
    let upstream = Upstream::always("").await;
    let identity = Identity::new("unusable");
    let nowhere = PathBuf::from("nowhere.pem");
    let settings = Settings::new(format!("http://{}", upstream.address).parse().unwrap());
    for (chain, key, says) in [
        (&nowhere, &identity.key, "nowhere.pem cannot be used"),
        (&identity.chain, &nowhere, "nowhere.pem cannot be used"),
        (&identity.chain, &identity.chain, "unusable.pem cannot be used"),
        (&identity.key, &identity.key, "it holds no certificate"),
        (&identity.chain, &Identity::new("another").key, "do not fit"),
    ] {
        let mut settings = settings.clone();
        settings.listen.set_port(0);
        settings.tls = Some((chain.clone(), key.clone()));
        let error = toolmend_gateway::Server::bind(settings, Box::new(Nothing)).await.err().unwrap();
        assert!(error.to_string().contains(says), "{error}");
    }
}
