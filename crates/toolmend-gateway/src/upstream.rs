//! The connections to the upstream.

use std::error::Error;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::http::uri::Scheme;
use hyper::{Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::body::Body;
use crate::limits::POOL_SECONDS;
use crate::refusal::Refusal;
use crate::settings::{Settings, SetupError};
use crate::tls;

/// The connections to the upstream, and what is waited for on them.
#[derive(Debug)]
pub(crate) struct Connections {
    /// Bodies are boxed: each connection keeps room for several requests.
    client: Client<HttpsConnector<HttpConnector>, Box<Body>>,
    upstream: String,
    idle: Duration,
}

impl Connections {
    pub(crate) fn new(settings: &Settings) -> Result<Connections, SetupError> {
        let limits = &settings.limits;
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(limits.connect));
        tcp.set_nodelay(true);
        let is_https = *settings.upstream.scheme() == Scheme::HTTPS;
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls::for_upstream(settings.upstream_ca.as_deref(), is_https)?)
            .https_or_http()
            .enable_all_versions()
            .wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(POOL_SECONDS))
            .http1_max_buf_size(limits.header_bytes.max(8192))
            .http1_max_headers(limits.headers)
            .http2_max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
            .build(connector);
        Ok(Connections { client, upstream: settings.upstream.to_string(), idle: limits.idle })
    }

    /// Sends a request and waits for the beginning of its answer. Dropping the future ends the exchange.
    pub(crate) async fn send(&self, request: Request<Body>) -> Result<Response<Incoming>, Refusal> {
        let answer = tokio::time::timeout(self.idle, self.client.request(request.map(Box::new))).await;
        match answer {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) if error.is_connect() => {
                Err(Refusal::Unreachable { upstream: self.upstream.clone(), why: root(&error) })
            }
            Ok(Err(error)) => Err(Refusal::NoAnswer { upstream: self.upstream.clone(), why: root(&error) }),
            Err(_) => Err(Refusal::Silent { upstream: self.upstream.clone(), seconds: self.idle.as_secs() }),
        }
    }
}

/// The last word of an error: the ones before it only say that there is one.
fn root(error: &(dyn Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
