//! One request's life.
//!
//! ```text
//!  request ─▶ token? ─▶ upgrade? ─────────────────────────────▶ both ways, as it comes
//!                 │
//!                 ├─▶ not a tool-call endpoint ───────────────▶ as it comes
//!                 │
//!                 └─▶ read whole ─▶ facts ─▶ history ─▶ upstream ─▶ 200, readable? ─▶ looked into
//!                        │            │                                  │
//!                        └ too long   └ no turn, no tools                └ no: as it comes
//! ```

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::body::{Body as HttpBody, Bytes, Incoming};
use hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHORIZATION,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode, Version};
use hyper_util::rt::TokioIo;
use subtle::ConstantTimeEq;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use toolmend::CallJudge;
use toolmend::wire::CallReport;

use crate::body::{Body, BodyError};
use crate::endpoint::Speaks;
use crate::facts::Facts;
use crate::headers;
use crate::idle::while_it_moves;
use crate::inbound::Inbound;
use crate::inspect::{Charge, GaveUp, Guard, HeldLimits, HeldTotal, Inspector};
use crate::metrics::{Metrics, Passed};
use crate::record::{RecordLimits, Records};
use crate::refusal::Refusal;
use crate::reissue::{Again, Reissue};
use crate::request::{self, Changes};
use crate::server::{Slot, Stop};
use crate::settings::{Mode, Settings, SetupError};
use crate::turn::{Ladder, SignsOfLife, TurnBody};
use crate::upstream::Connections;
use crate::usage::WithoutUsage;
use crate::watch::{OpenTurn, Watch};

/// Bytes that a connection that has left HTTP carries at a time.
const TUNNEL: usize = 8 << 10;

/// Makes what looks at an answer; `None` where there is nothing to look at.
pub trait Inspectors: Send + Sync {
    /// For the answer to a request that says this.
    fn inspector(&self, facts: &Facts) -> Option<Box<dyn Inspector>>;

    /// The arguments of a good call of this tool, where this is a whole answer that has one.
    fn good_call(&self, _facts: &Facts, _answer: &[u8], _tool: &str) -> Option<String> {
        None
    }

    /// As [`Inspectors::inspector`], but that this call, which was declined, is taken to have said this.
    fn inspector_with(
        &self,
        _facts: &Facts,
        _call: &CallReport,
        _says: String,
    ) -> Option<Box<dyn Inspector>> {
        None
    }

    /// What judges the calls that a client sends back in such a request; `None` where they are left alone.
    fn history(&self, _facts: &Facts) -> Option<Box<dyn CallJudge + '_>> {
        None
    }
}

/// A request that was read.
#[derive(Default)]
struct Prepared {
    facts: Option<Facts>,
    inspector: Option<Box<dyn Inspector>>,
    /// What the upstream gets, where it is not what the client sent.
    body: Option<String>,
    asked_usage: bool,
}

/// What the requests of one thread share; all but the connections with those of the other threads.
pub(crate) struct Proxy {
    pub(crate) settings: Arc<Settings>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) held: HeldTotal,
    records: Option<Arc<Records>>,
    connections: Connections,
    pub(crate) inspectors: Arc<dyn Inspectors>,
}

impl Proxy {
    pub(crate) fn new(settings: Settings, inspectors: Box<dyn Inspectors>) -> Result<Proxy, SetupError> {
        let metrics = Arc::new(Metrics::new());
        let records = match &settings.record {
            Some(folder) => Some(
                Records::open(
                    folder,
                    RecordLimits {
                        turns: settings.limits.recorded,
                        bytes: settings.limits.recorded_bytes,
                        kept: settings.limits.held_bytes / 2,
                    },
                )
                .map_err(|error| SetupError::Record { folder: folder.clone(), error })?,
            ),
            None => None,
        };
        Ok(Proxy {
            records,
            connections: Connections::new(&settings)?,
            held: HeldTotal::new(metrics.held_bytes.clone(), settings.limits.held_bytes),
            metrics,
            inspectors: inspectors.into(),
            settings: Arc::new(settings),
        })
    }

    /// For another thread.
    pub(crate) fn sibling(&self) -> Proxy {
        Proxy {
            settings: Arc::clone(&self.settings),
            metrics: Arc::clone(&self.metrics),
            held: self.held.clone(),
            records: self.records.clone(),
            connections: self.connections.sibling(),
            inspectors: Arc::clone(&self.inspectors),
        }
    }

    /// Answers one request. Dropping the future drops the exchange with the upstream.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        request: Request<Incoming>,
        stop: &watch::Receiver<Stop>,
        slot: Slot,
    ) -> Response<Body> {
        match self.serve(request, stop, slot).await {
            Ok(response) => response,
            Err(refusal) => {
                self.metrics.refused(refusal.name());
                tracing::warn!(why = refusal.name(), "{}", refusal.message());
                refusal.response()
            }
        }
    }

    async fn serve(
        self: &Arc<Self>,
        mut request: Request<Incoming>,
        stop: &watch::Receiver<Stop>,
        slot: Slot,
    ) -> Result<Response<Body>, Refusal> {
        // Over HTTP/1.1 hyper counts them.
        let most = self.settings.limits.headers;
        if request.version() == Version::HTTP_2 && request.headers().len() > most {
            return Err(Refusal::Fields(most));
        }
        if !self.admits(request.headers_mut()) {
            return Err(Refusal::Unauthorised);
        }
        if request.method() == Method::CONNECT {
            return Err(Refusal::Connect);
        }
        if headers::asks_for_upgrade(request.headers()) && request.version() == Version::HTTP_11 {
            // Boxed, so that the usual way is small.
            return Box::pin(self.upgrade(request, stop, slot)).await;
        }
        let speaks = Speaks::of(request.method(), request.uri().path());
        let (parts, body) = request.into_parts();
        match speaks {
            // A compressed request is not read, so nothing is known of its turn.
            Some(speaks) if !headers::is_encoded(&parts.headers) => self.turn(speaks, parts, body).await,
            _ => {
                let body = Body::passing(body, self.settings.limits.idle);
                Ok(self.passing(self.send(parts, body).await?))
            }
        }
    }

    /// A request to a tool-call endpoint.
    async fn turn(
        self: &Arc<Self>,
        speaks: Speaks,
        mut parts: Parts,
        body: Incoming,
    ) -> Result<Response<Body>, Refusal> {
        let limits = &self.settings.limits;
        // Until the answer begins, as long as the request is kept.
        let mut charge = Charge::on(&self.held);
        let (bytes, trailers) = match collect(body, limits.request_bytes, limits.idle, &mut charge).await? {
            Collected::Whole { bytes, trailers } => (bytes, trailers),
            Collected::Long { ahead, rest, why } => {
                match why {
                    Some(why) => self.untouched(speaks, why.name(), why.words()),
                    None => self.untouched(
                        speaks,
                        "request-bytes",
                        "its request is longer than max-request-bytes",
                    ),
                }
                self.metrics.turn(speaks.name(), "", Passed::Untouched, Duration::ZERO);
                let body = Body::resumed(ahead, rest, limits.idle);
                return Ok(self.passing(self.send(parts, body).await?));
            }
        };
        let begun = Instant::now();
        // A defect in reading must not cost the client its answer.
        let prepared = catch_unwind(AssertUnwindSafe(|| self.prepare(speaks, parts.uri.path(), &bytes)));
        let Prepared { facts, inspector, body, asked_usage } = prepared.unwrap_or_else(|_| {
            self.untouched(speaks, GaveUp::Panicked.name(), GaveUp::Panicked.words());
            Prepared::default()
        });
        let bytes = match body {
            Some(body) => {
                parts.headers.insert(CONTENT_LENGTH, body.len().into());
                body.into()
            }
            None => bytes,
        };
        let body = Body::with_trailers(bytes, trailers);
        let (Some(facts), Some(inspector)) = (facts, inspector) else {
            self.metrics.turn(speaks.name(), "", Passed::Untouched, Duration::ZERO);
            return Ok(self.passing(self.send(parts, body).await?));
        };
        let spent = begun.elapsed();
        headers::ask_for_identity(&mut parts.headers);
        let again = self.settings.reissue.then(|| Again::new(&parts, &body)).flatten();
        let response = self.send(parts, body).await?;
        let turn = OpenTurn::begin(&self.metrics, limits.open_turns);
        let model = self.metrics.model(facts.model.as_deref());
        let (Some(turn), true) = (turn, is_readable(&response)) else {
            self.metrics.turn(speaks.name(), &model, Passed::Untouched, Duration::ZERO);
            return Ok(self.passing(response));
        };
        let streamed = is_event_stream(&response);
        let inspector: Box<dyn Inspector> =
            if asked_usage && streamed { Box::new(WithoutUsage::new(inspector)) } else { inspector };
        let held = HeldLimits { call: limits.held_call_bytes, turn: limits.held_turn_bytes };
        let guard = Guard::new(inspector, held, self.held.clone());
        let recording =
            self.records.as_ref().map(|records| records.begin(limits.held_turn_bytes, &facts.tools));
        let again = again.and_then(|again| Reissue::new(self, facts, again, asked_usage && streamed, charge));
        let ladder = again.map(|again| Box::new(again) as Box<dyn Ladder>);
        let mut watch = Watch::new(Arc::clone(&self.metrics), turn, speaks, model, spent);
        watch.recording = recording;
        watch.log_bodies = self.settings.log_bodies;
        let signs = sign_of_life(speaks).filter(|_| streamed);
        let signs = signs.map(|event| SignsOfLife { event, every: limits.keep_alive });
        let (mut parts, body) = response.into_parts();
        headers::for_client(&mut parts.headers);
        if self.settings.mode == Mode::Mend {
            headers::drop_about_bytes(&mut parts.headers);
        }
        parts.version = Version::HTTP_11;
        let body = TurnBody::new(body, limits.idle, guard, Box::new(watch), signs, ladder);
        Ok(Response::from_parts(parts, Body::turn(body)))
    }

    /// Counts and logs that a turn is not looked into.
    fn untouched(&self, speaks: Speaks, why: &'static str, words: &str) {
        self.metrics.cap(why);
        let protocol = speaks.name();
        tracing::warn!(why, protocol, "a turn passes untouched: {words}; over {protocol}");
    }

    /// Reads a request, and says what is to become of it and of its answer.
    fn prepare(&self, speaks: Speaks, path: &str, bytes: &[u8]) -> Prepared {
        let Some(facts) = Facts::read(speaks, path, bytes) else { return Prepared::default() };
        let mut prepared = Prepared::default();
        let mut changes = Changes::default();
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        if let Some(judge) = self.inspectors.history(&facts).filter(|_| self.settings.mend_history) {
            request::mend_history(speaks, text, &*judge, &mut changes);
            self.metrics.history(changes.mended, changes.wrapped);
        }
        // What would be mended is counted above, and nothing of it is sent.
        let observes = self.settings.mode == Mode::Observe;
        if observes {
            changes = Changes::default();
        }
        if facts.offers_tools() {
            prepared.inspector = self.inspectors.inspector(&facts);
            if !observes && self.settings.ask_usage && speaks == Speaks::Chat && facts.streamed {
                prepared.asked_usage = request::ask_usage(text, &mut changes);
            }
        }
        prepared.body = (!changes.is_empty()).then(|| changes.apply(text));
        prepared.facts = Some(facts);
        prepared
    }

    pub(crate) async fn send(&self, mut parts: Parts, body: Body) -> Result<Response<Inbound>, Refusal> {
        headers::for_upstream(&mut parts.headers);
        parts.uri = self.settings.upstream.uri(&parts.uri);
        parts.version = Version::HTTP_11;
        self.connections.send(Request::from_parts(parts, body)).await
    }

    /// An answer as it is.
    fn passing(&self, response: Response<Inbound>) -> Response<Body> {
        let (mut parts, body) = response.into_parts();
        headers::for_client(&mut parts.headers);
        parts.version = Version::HTTP_11;
        Response::from_parts(parts, Body::passing(body, self.settings.limits.idle))
    }

    /// A request that leaves HTTP: where the upstream agrees, bytes go both ways until one side ends.
    async fn upgrade(
        &self,
        mut request: Request<Incoming>,
        stop: &watch::Receiver<Stop>,
        slot: Slot,
    ) -> Result<Response<Body>, Refusal> {
        let client = hyper::upgrade::on(&mut request);
        let (mut parts, body) = request.into_parts();
        let protocol = headers::take_upgrade(&mut parts.headers);
        headers::for_upstream(&mut parts.headers);
        if let Some(protocol) = protocol {
            headers::set_upgrade(&mut parts.headers, protocol);
        }
        parts.uri = self.settings.upstream.uri(&parts.uri);
        let request = Request::from_parts(parts, Body::passing(body, self.settings.limits.idle));
        let mut response = self.connections.send(request).await?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Ok(self.passing(response));
        }
        let upstream = hyper::upgrade::on(&mut response);
        let (mut stop, idle) = (stop.clone(), self.settings.limits.idle);
        tokio::spawn(async move {
            // It is the client's connection still.
            let _slot = slot;
            let (Ok(client), Ok(upstream)) = tokio::join!(client, upstream) else { return };
            tokio::select! {
                () = tunnel(TokioIo::new(client), TokioIo::new(upstream), idle) => {}
                _ = stop.wait_for(|stop| *stop == Stop::Now) => {}
            }
        });
        let (mut parts, _) = response.into_parts();
        let protocol = headers::take_upgrade(&mut parts.headers);
        headers::for_client(&mut parts.headers);
        if let Some(protocol) = protocol {
            headers::set_upgrade(&mut parts.headers, protocol);
        }
        Ok(Response::from_parts(parts, Body::empty()))
    }

    /// Whether the client shows the token, which is taken from the fields that show it.
    fn admits(&self, headers: &mut HeaderMap) -> bool {
        let Some(token) = &self.settings.token else { return true };
        let shows: [(HeaderName, bool); 4] = [
            (PROXY_AUTHORIZATION, true),
            (AUTHORIZATION, true),
            (HeaderName::from_static("x-api-key"), false),
            (HeaderName::from_static("x-goog-api-key"), false),
        ];
        let mut admitted = false;
        for (name, scheme) in shows {
            let shown = headers.get(&name).map(HeaderValue::as_bytes);
            let shown = shown.and_then(|value| if scheme { bearer(value) } else { Some(value) });
            if shown.is_some_and(|shown| bool::from(shown.ct_eq(token.as_bytes()))) {
                headers.remove(&name);
                admitted = true;
            }
        }
        admitted
    }
}

/// Bytes both ways, until both sides have ended, one breaks, or nothing comes from either for too long. How it ended is
/// between the two.
async fn tunnel(client: impl AsyncRead + AsyncWrite, upstream: impl AsyncRead + AsyncWrite, idle: Duration) {
    let moved = Mutex::new(tokio::time::Instant::now());
    let last = || moved.lock().unwrap_or_else(PoisonError::into_inner);
    let (from_client, to_client) = tokio::io::split(client);
    let (from_upstream, to_upstream) = tokio::io::split(upstream);
    let note = || *last() = tokio::time::Instant::now();
    let both = async {
        tokio::try_join!(carry(from_client, to_upstream, note), carry(from_upstream, to_client, note))
    };
    while_it_moves(idle, || *last(), both).await;
}

/// Bytes one way, until there are no more.
async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    note: impl Fn(),
) -> io::Result<()> {
    let mut bytes = vec![0; TUNNEL];
    loop {
        let n = from.read(&mut bytes).await?;
        note();
        if n == 0 {
            return to.shutdown().await;
        }
        to.write_all(&bytes[..n]).await?;
        note();
    }
}

/// RFC 6750, section 2.1; the scheme's case does not matter.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

/// Whether an answer may be a turn.
fn is_readable(response: &Response<Inbound>) -> bool {
    let kind = content_type(response);
    let kind_fits = kind.is_empty()
        || ["json", "event-stream", "text/plain", "octet-stream"].iter().any(|word| kind.contains(word));
    response.status().is_success() && kind_fits && !headers::is_encoded(response.headers())
}

fn is_event_stream(response: &Response<Inbound>) -> bool {
    content_type(response).contains("event-stream")
}

fn content_type(response: &Response<Inbound>) -> String {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    kind.to_ascii_lowercase()
}

/// An event that every client of the protocol passes over. Python's `google-genai` reads comments as chunks,
/// and a line of NDJSON is never nothing.
const fn sign_of_life(speaks: Speaks) -> Option<&'static [u8]> {
    match speaks {
        Speaks::Chat | Speaks::Responses => Some(b": keep-alive\n\n"),
        Speaks::Messages => Some(b"event: ping\ndata: {\"type\": \"ping\"}\n\n"),
        Speaks::Ollama | Speaks::Gemini => None,
    }
}

pub(crate) enum Collected {
    Whole {
        bytes: Bytes,
        trailers: Option<HeaderMap>,
    },
    /// It is too long, or with it too much would be kept: then with that for a reason.
    Long {
        ahead: Vec<Bytes>,
        rest: Inbound,
        why: Option<GaveUp>,
    },
}

/// Reads a body to its end, or up to the limit, or as far as its charge goes.
pub(crate) async fn collect(
    body: impl Into<Inbound>,
    limit: usize,
    idle: Duration,
    charge: &mut Charge,
) -> Result<Collected, Refusal> {
    let mut body = body.into();
    let (mut ahead, mut why): (Vec<Bytes>, _) = (Vec::new(), None);
    let mut length = 0;
    let mut trailers = None;
    // A length that is known to be too much need not be read first.
    if body.size_hint().lower() > limit as u64 {
        return Ok(Collected::Long { ahead, rest: body, why });
    }
    loop {
        let next = std::future::poll_fn(|cx| std::pin::Pin::new(&mut body).poll_frame(cx));
        let frame = match tokio::time::timeout(idle, next).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => return Ok(Collected::Whole { bytes: joined(ahead, length), trailers }),
            Ok(Some(Err(error))) => return Err(Refusal::Body(BodyError::Broken(error).to_string())),
            Err(_) => return Err(Refusal::BodyIdle(idle.as_secs())),
        };
        match frame.into_data() {
            Ok(data) => {
                length += data.len();
                if !charge.add(data.len()) {
                    why = Some(GaveUp::HeldTotal);
                }
                ahead.push(data);
                if length > limit || why.is_some() {
                    break;
                }
            }
            Err(frame) => trailers = frame.into_trailers().ok(),
        }
    }
    Ok(Collected::Long { ahead, rest: body, why })
}

fn joined(mut pieces: Vec<Bytes>, length: usize) -> Bytes {
    if pieces.len() == 1 {
        return pieces.remove(0);
    }
    let mut all = Vec::with_capacity(length);
    for piece in &pieces {
        all.extend_from_slice(piece);
    }
    all.into()
}
