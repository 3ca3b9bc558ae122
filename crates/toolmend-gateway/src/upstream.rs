//! The exchanges with the upstream.

use std::error::Error;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1, http2};
use hyper::header::{HOST, HeaderValue};
use hyper::http::uri::{PathAndQuery, Scheme};
use hyper::rt::{Read, Write};
use hyper::{Request, Response, StatusCode, Uri, Version};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::connect::{Connection as _, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tower_service::Service;

use crate::body::Body;
use crate::idle::while_it_moves;
use crate::inbound::Inbound;
use crate::limits::{MOST_HEADERS, POOL_SECONDS};
use crate::pieces::InPieces;
use crate::pool::{Awaits, Line, Pool, Upload};
use crate::refusal::Refusal;
use crate::settings::{Settings, SetupError};
use crate::tls;

/// The connections to the upstream that one thread has, and what is waited for on them.
pub(crate) struct Connections {
    connector: HttpsConnector<HttpConnector>,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    /// Connections of HTTP/1.1 that wait for a request.
    pool: Arc<Pool>,
    /// The connection of HTTP/2, where the upstream speaks it; any number of requests share it.
    shared: Mutex<Option<http2::SendRequest<Box<Upload>>>>,
    host: HeaderValue,
    upstream: String,
    /// Fields of an answer's header section.
    fields: usize,
    connect: Duration,
    idle: Duration,
}

/// A connection that takes a request.
enum Way {
    Own(Line),
    Shared(http2::SendRequest<Box<Upload>>),
}

type NotSent = TrySendError<Request<Box<Upload>>>;

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
        let mut http1 = http1::Builder::new();
        http1.max_buf_size(limits.header_bytes.max(8192)).max_headers(limits.headers.min(MOST_HEADERS));
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            // One that has died without a word is given up before what is asked on it is.
            .keep_alive_interval(limits.idle / 4)
            .keep_alive_timeout(limits.idle / 2)
            .max_header_list_size(u32::try_from(limits.header_bytes.max(8192)).unwrap_or(u32::MAX));
        Ok(Connections {
            connector,
            http1,
            http2,
            pool: Pool::new(Duration::from_secs(POOL_SECONDS)),
            shared: Mutex::new(None),
            host: settings.upstream.host(),
            upstream: settings.upstream.to_string(),
            fields: limits.headers,
            connect: limits.connect,
            idle: limits.idle,
        })
    }

    /// As many of their own for another thread.
    pub(crate) fn sibling(&self) -> Connections {
        Connections {
            connector: self.connector.clone(),
            http1: self.http1.clone(),
            http2: self.http2.clone(),
            pool: Pool::new(Duration::from_secs(POOL_SECONDS)),
            shared: Mutex::new(None),
            host: self.host.clone(),
            upstream: self.upstream.clone(),
            fields: self.fields,
            connect: self.connect,
            idle: self.idle,
        }
    }

    /// Sends a request and waits for the beginning of its answer, for as long as the request or the answer moves.
    /// Dropping the future ends the exchange.
    pub(crate) async fn send(&self, request: Request<Body>) -> Result<Response<Inbound>, Refusal> {
        let target = request.uri().clone();
        let (parts, body) = request.into_parts();
        let (upload, open, progress) = Upload::new(body);
        let request = Request::from_parts(parts, Box::new(upload));
        let exchange = std::pin::pin!(self.exchange(request, &target, &open));
        let answer = while_it_moves(self.idle, || progress.seen().0, exchange).await;
        let seconds = self.idle.as_secs();
        match (answer, progress.seen().1) {
            (Some(Err(_)), Awaits::Nothing) => Err(Refusal::Body("it ended before its time".to_owned())),
            (Some(answer), _) => answer,
            (None, Awaits::Upstream) => {
                // Whoever asks next is not to wait on the same connection.
                self.give_up_shared();
                Err(Refusal::Silent { upstream: self.upstream.clone(), seconds })
            }
            (None, Awaits::Client | Awaits::Nothing) => Err(Refusal::BodyIdle(seconds)),
        }
    }

    async fn exchange(
        &self,
        mut request: Request<Box<Upload>>,
        target: &Uri,
        open: &Weak<()>,
    ) -> Result<Response<Inbound>, Refusal> {
        loop {
            let (way, waited) = match self.waiting() {
                Some(way) => (way, true),
                // Boxed, so that requests that need no new connection are small.
                None => (Box::pin(self.connect(target)).await?, false),
            };
            let answer = match way {
                Way::Own(line) => self.over_http1(line, request, target, open).await,
                Way::Shared(sender) => self.over_http2(sender, request, target).await,
            };
            let mut error = match answer {
                // Over HTTP/1.1 hyper counts them.
                Ok(response) if response.headers().len() > self.fields => {
                    let why = format!("it has more than {} header fields", self.fields);
                    return Err(Refusal::NoAnswer { upstream: self.upstream.clone(), why });
                }
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            match error.take_message() {
                // The upstream closed the connection while nobody used it, and nothing of the request went out.
                Some(unsent) if waited => request = unsent,
                _ => {
                    let why = root(error.error());
                    return Err(Refusal::NoAnswer { upstream: self.upstream.clone(), why });
                }
            }
        }
    }

    /// A connection that stands already.
    fn waiting(&self) -> Option<Way> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        match &*shared {
            Some(sender) if !sender.is_closed() => Some(Way::Shared(sender.clone())),
            _ => self.pool.take().map(Way::Own),
        }
    }

    /// Takes no more requests on the connection of HTTP/2; those that are open go on.
    fn give_up_shared(&self) {
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    async fn connect(&self, target: &Uri) -> Result<Way, Refusal> {
        let unreachable = |why| Refusal::Unreachable { upstream: self.upstream.clone(), why };
        let mut connector = self.connector.clone();
        let connecting = async {
            poll_fn(|cx| connector.poll_ready(cx)).await?;
            connector.call(target.clone()).await
        };
        // The connector's own limit is one of TCP, without the handshake of TLS.
        let socket = match tokio::time::timeout(self.connect, connecting).await {
            Ok(socket) => socket.map_err(|error| unreachable(root(&*error)))?,
            Err(_) => {
                let seconds = self.connect.as_secs();
                return Err(unreachable(format!("no connection stood within {seconds} seconds")));
            }
        };
        if !socket.connected().is_negotiated_h2() {
            // A connection without TLS has no room for it.
            let line = match socket {
                MaybeHttpsStream::Http(socket) => self.line(socket).await,
                MaybeHttpsStream::Https(socket) => self.line(socket).await,
            };
            return line.map(Way::Own).map_err(|error| unreachable(root(&error)));
        }
        // Boxed, so that the usual way is small.
        let (sender, connection) =
            Box::pin(self.http2.handshake(socket)).await.map_err(|error| unreachable(root(&error)))?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to the upstream broke");
            }
        });
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender.clone());
        Ok(Way::Shared(sender))
    }

    async fn line(&self, socket: impl Read + Write + Unpin + Send + 'static) -> hyper::Result<Line> {
        let (sender, connection) = self.http1.handshake(InPieces(socket)).await?;
        Ok(Line::new(sender, connection.with_upgrades()))
    }

    async fn over_http1(
        &self,
        mut line: Line,
        mut request: Request<Box<Upload>>,
        target: &Uri,
        open: &Weak<()>,
    ) -> Result<Response<Inbound>, NotSent> {
        *request.uri_mut() = origin_form(target);
        request.headers_mut().insert(HOST, self.host.clone());
        let response = line.exchange(request).await?;
        // Whoever reads the answer drives the connection; but one that still takes the request's body, or is to
        // leave HTTP, must not stand still while nobody reads.
        if open.strong_count() > 0 || response.status() == StatusCode::SWITCHING_PROTOCOLS {
            line.drive_apart();
            return Ok(response.map(Inbound::from));
        }
        let pool = Arc::clone(&self.pool);
        Ok(response.map(|body| Inbound::driving(body, line, pool)))
    }

    async fn over_http2(
        &self,
        mut sender: http2::SendRequest<Box<Upload>>,
        mut request: Request<Box<Upload>>,
        target: &Uri,
    ) -> Result<Response<Inbound>, NotSent> {
        *request.uri_mut() = target.clone();
        request.headers_mut().remove(HOST);
        *request.version_mut() = Version::HTTP_2;
        let answer: Result<Response<Incoming>, NotSent> = sender.try_send_request(request).await;
        // One that fails is not tried again, whatever it says of itself.
        if answer.is_err() {
            self.give_up_shared();
        }
        answer.map(|response| response.map(Inbound::from))
    }
}

/// What stands in a request line: the path and the query.
fn origin_form(target: &Uri) -> Uri {
    let path = target.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    Uri::from(path)
}

/// The last word of an error: the ones before it only say that there is one.
fn root(error: &(dyn Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
