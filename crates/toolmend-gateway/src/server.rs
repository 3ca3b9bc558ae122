//! The listener: connections of clients, and how they end.

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{HttpService, service_fn};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_rustls::TlsAcceptor;

use crate::admin;
use crate::body::Body;
use crate::limits::MOST_HEADERS;
use crate::metrics::{Counted, Metrics};
use crate::pieces::InPieces;
use crate::proxy::{Inspectors, Proxy};
use crate::settings::{Settings, SetupError};
use crate::tls;
use crate::workers::{Load, Workers};

/// How long accepting waits after the system refused a connection, which it does where descriptors run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Between two looks at a client that begins with a part of the first word of HTTP/2.
const PEEK_PAUSE: Duration = Duration::from_millis(10);

/// What connections are told about the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Nothing ends.
    Run,
    /// Finish what is open, take nothing new.
    Finish,
    /// End.
    Now,
}

/// A gateway that is bound to its addresses and not running yet.
pub struct Server {
    proxy: Proxy,
    workers: Workers,
    listener: TcpListener,
    admin: Option<TcpListener>,
}

/// With what clients are served, where it is over TLS.
pub(crate) type Tls = Option<Arc<ServerConfig>>;

impl Server {
    /// Reads the certificates and binds the addresses. What looks at answers is `inspectors`'.
    ///
    /// # Errors
    /// When a certificate cannot be used, an address not be listened on, or a thread not be started.
    pub async fn bind(settings: Settings, inspectors: Box<dyn Inspectors>) -> Result<Server, SetupError> {
        let tls = match &settings.tls {
            Some((chain, key)) => Some(tls::for_clients(chain, key)?),
            None => None,
        };
        let listener = listen("listen", settings.listen).await?;
        let admin = match settings.admin {
            Some(address) => Some(listen("admin", address).await?),
            None => None,
        };
        let threads = settings.threads.get();
        let proxy = Proxy::new(settings, inspectors)?;
        let workers = Workers::start(threads, &proxy, &tls).map_err(SetupError::Threads)?;
        Ok(Server { proxy, workers, listener, admin })
    }

    /// Where clients connect.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        self.listener.local_addr().ok()
    }

    /// Where health, readiness and metrics are served.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref()?.local_addr().ok()
    }

    /// Serves until `shutdown` is ready; then takes no more connections, lets open requests end, and after
    /// [`Limits::drain`](crate::Limits::drain) ends the rest. Answers whether all of them had ended.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> bool {
        let Server { proxy, workers, listener, admin } = self;
        let (stop, stopped) = watch::channel(Stop::Run);
        let limits = proxy.settings.limits.clone();
        if let Some(admin) = admin {
            tokio::spawn(admin::serve(admin, Arc::new(proxy), stopped.clone()));
        }
        let slots = Arc::new(Semaphore::new(limits.connections.min(Semaphore::MAX_PERMITS)));
        tokio::select! {
            never = accept(&listener, &workers, &slots, &stopped) => match never {},
            () = shutdown => {}
        }
        drop(listener);
        drop(stopped);
        // Whoever still listens to it is at work.
        stop.send_replace(Stop::Finish);
        let drained = tokio::time::timeout(limits.drain, stop.closed()).await.is_ok();
        if !drained {
            stop.send_replace(Stop::Now);
            stop.closed().await;
        }
        workers.end().await;
        drained
    }
}

async fn listen(setting: &'static str, address: SocketAddr) -> Result<TcpListener, SetupError> {
    TcpListener::bind(address).await.map_err(|error| SetupError::Listen { setting, address, error })
}

async fn accept(
    listener: &TcpListener,
    workers: &Workers,
    slots: &Arc<Semaphore>,
    stop: &watch::Receiver<Stop>,
) -> Infallible {
    loop {
        // Never closed, so this only waits.
        let Ok(slot) = Arc::clone(slots).acquire_owned().await else { continue };
        match listener.accept().await.and_then(|(stream, _)| stream.into_std()) {
            Ok(stream) => workers.give(stream, stop.clone(), slot),
            Err(error) => {
                tracing::debug!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// One client's connection.
pub(crate) struct Connection {
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) stop: watch::Receiver<Stop>,
    pub(crate) slot: Slot,
}

/// One of the connections that there may be, until the last of these is dropped: one that leaves HTTP lives on when
/// its exchanges are over.
#[derive(Clone)]
pub(crate) struct Slot {
    _taken: Arc<(OwnedSemaphorePermit, Load, Counted)>,
}

impl Slot {
    pub(crate) fn new((permit, load): (OwnedSemaphorePermit, Load), metrics: &Metrics) -> Slot {
        Slot { _taken: Arc::new((permit, load, Counted::of(&metrics.connections))) }
    }
}

impl Connection {
    pub(crate) async fn serve(self, stream: TcpStream, tls: Tls) {
        // Events are small, and each is to be seen when it is written.
        let _ = stream.set_nodelay(true);
        let _ = drop_who_takes_nothing(&stream, self.proxy.settings.limits.idle);
        match tls {
            None => match self.begins(begins_as_http2(&stream)).await {
                Some(false) => self.http1(stream).await,
                // Boxed, so that the usual way is small.
                Some(true) => Box::pin(self.http2(stream)).await,
                None => {}
            },
            Some(config) => Box::pin(self.over_tls(stream, config)).await,
        }
    }

    async fn over_tls(&self, stream: TcpStream, config: Arc<ServerConfig>) {
        match self.begins(TlsAcceptor::from(config).accept(stream)).await {
            Some(Ok(stream)) if stream.get_ref().1.alpn_protocol() == Some(b"h2") => self.http2(stream).await,
            Some(Ok(stream)) => self.http1(stream).await,
            Some(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
            None => {}
        }
    }

    /// Waits for what a connection begins with; not for long, and not while everything ends.
    async fn begins<T>(&self, beginning: impl Future<Output = T>) -> Option<T> {
        let mut stop = self.stop.clone();
        tokio::select! {
            begun = tokio::time::timeout(self.proxy.settings.limits.header_read, beginning) => begun.ok(),
            _ = stop.wait_for(|stop| *stop != Stop::Run) => None,
        }
    }

    async fn http1(&self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let limits = &self.proxy.settings.limits;
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_read)
            .max_buf_size(limits.header_bytes.max(8192))
            .max_headers(limits.headers.min(MOST_HEADERS));
        let asked = Arc::new(AtomicBool::new(false));
        let stream = InPieces(TokioIo::new(stream));
        let connection = builder.serve_connection(stream, self.service(&asked)).with_upgrades();
        self.drive(std::pin::pin!(connection), http1::UpgradeableConnection::graceful_shutdown, &asked).await;
    }

    async fn http2(&self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let limits = &self.proxy.settings.limits;
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .max_header_list_size(u32::try_from(limits.header_bytes.max(8192)).unwrap_or(u32::MAX))
            // What is written waits for the client's window and not for its socket, so it is asked whether it is there.
            .keep_alive_interval(limits.idle / 2)
            .keep_alive_timeout(limits.idle / 2);
        let asked = Arc::new(AtomicBool::new(false));
        let connection = builder.serve_connection(TokioIo::new(stream), self.service(&asked));
        self.drive(std::pin::pin!(connection), http2::Connection::graceful_shutdown, &asked).await;
    }

    /// Answers the requests of this connection, and notes that there was one.
    fn service(
        &self,
        asked: &Arc<AtomicBool>,
    ) -> impl HttpService<Incoming, ResBody = Body, Error = Infallible, Future: Send + 'static> + Send + 'static
    {
        let (proxy, asked) = (Arc::clone(&self.proxy), Arc::clone(asked));
        let (stop, slot) = (self.stop.clone(), self.slot.clone());
        service_fn(move |request: Request<Incoming>| {
            asked.store(true, Ordering::Relaxed);
            let (proxy, stop, slot) = (Arc::clone(&proxy), stop.clone(), slot.clone());
            // hyper keeps the room of this future for as long as the connection stands; boxed, it goes as soon
            // as the answer begins.
            Box::pin(
                async move { Ok::<Response<Body>, Infallible>(proxy.answer(request, &stop, slot).await) },
            )
        })
    }

    /// Lets a connection run until it ends, or is told to.
    async fn drive<C: Future<Output = hyper::Result<()>>>(
        &self,
        mut connection: Pin<&mut C>,
        finish: fn(Pin<&mut C>),
        asked: &AtomicBool,
    ) {
        let mut stop = self.stop.clone();
        let mut told = Stop::Run;
        let first = tokio::time::sleep(self.proxy.settings.limits.header_read);
        let (mut first, mut silent) = (std::pin::pin!(first), true);
        loop {
            tokio::select! {
                // What moves most is looked at first, and alone where it ends.
                biased;
                ended = connection.as_mut() => {
                    match ended {
                        Err(error) if took_nothing(&error) => tracing::warn!(
                            "a client took nothing for {} seconds, so its connection was ended",
                            self.proxy.settings.limits.idle.as_secs()
                        ),
                        Err(error) => tracing::debug!(%error, "a connection broke"),
                        Ok(()) => {}
                    }
                    return;
                }
                changed = stop.wait_for(|stop| *stop != told) => {
                    match changed.map_or(Stop::Now, |stop| *stop) {
                        Stop::Now => return,
                        stop => told = stop,
                    }
                    finish(connection.as_mut());
                }
                // A condition here is looked at before the wait and not after it; a request may have come since.
                () = first.as_mut(), if silent => {
                    silent = !asked.load(Ordering::Relaxed);
                    if silent {
                        return;
                    }
                }
            }
        }
    }
}

/// Has the system break a connection whose other side takes nothing of what is written for so long. A client that stops
/// reading asks for nothing more and does not go, so without this it keeps its place, its turn and the upstream for
/// ever. No timer here can do it: a socket takes more only when much of its buffer has drained, so one that is read
/// slowly looks from here like one that is not read at all.
#[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
fn drop_who_takes_nothing(stream: &TcpStream, limit: Duration) -> std::io::Result<()> {
    // The system counts milliseconds in 31 bits.
    let limit = limit.min(Duration::from_millis(i32::MAX as u64));
    socket2::SockRef::from(stream).set_tcp_user_timeout(Some(limit))
}

/// Other systems have nothing for it, and a slow client is not to be taken for one that is gone.
#[cfg(not(any(target_os = "android", target_os = "fuchsia", target_os = "linux")))]
fn drop_who_takes_nothing(_: &TcpStream, _: Duration) -> std::io::Result<()> {
    Ok(())
}

/// Whether the system broke it for that.
fn took_nothing(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<std::io::Error>());
    cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::TimedOut)
}

/// Whether a client speaks HTTP/2 without having agreed on it (RFC 9113, section 3.3). Nothing is taken from the
/// stream: hyper reads into smaller buffers where it sees all of it.
async fn begins_as_http2(stream: &TcpStream) -> bool {
    const PREFACE: &[u8; 4] = b"PRI ";
    let mut seen = [0; PREFACE.len()];
    loop {
        match stream.peek(&mut seen).await {
            Ok(n) if n > 0 && seen[..n] == PREFACE[..n] => {
                if n == PREFACE.len() {
                    return true;
                }
                // What was seen stays in the way of waiting for more.
                tokio::time::sleep(PEEK_PAUSE).await;
            }
            _ => return false,
        }
    }
}
