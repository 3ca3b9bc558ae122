//! Connections of HTTP/1.1 to the upstream, and those that wait for their next request.
//!
//! A connection has no task of its own. Whoever waits for its answer polls it, and so does the body that is read
//! from it: what came in one read from the socket is there in one poll, leaves in one write, and costs no
//! switch between tasks.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};
use hyper::client::conn::{TrySendError, http1};
use hyper::{Request, Response};
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::body::{Body, BodyError};

/// A connection that moves when it is polled.
pub(crate) struct Line {
    sender: http1::SendRequest<Box<Upload>>,
    /// `None` once it has ended.
    connection: Option<Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>>,
}

impl Line {
    pub(crate) fn new(
        sender: http1::SendRequest<Box<Upload>>,
        connection: impl Future<Output = hyper::Result<()>> + Send + 'static,
    ) -> Line {
        Line { sender, connection: Some(Box::pin(connection)) }
    }

    /// Lets it move as far as it can. What went wrong is told to whoever waits for the answer.
    pub(crate) fn drive(&mut self, cx: &mut Context<'_>) {
        if let Some(connection) = &mut self.connection
            && connection.as_mut().poll(cx).is_ready()
        {
            self.connection = None;
        }
    }

    /// Gives it a task, for as long as its exchange goes on.
    pub(crate) fn drive_apart(self) {
        if let Some(connection) = self.connection {
            tokio::spawn(connection);
        }
    }

    /// Sends a request and waits for the beginning of its answer.
    pub(crate) async fn exchange(
        &mut self,
        request: Request<Box<Upload>>,
    ) -> Result<Response<Incoming>, TrySendError<Request<Box<Upload>>>> {
        let mut answer = std::pin::pin!(self.sender.try_send_request(request));
        poll_fn(|cx| {
            if let Poll::Ready(answer) = answer.as_mut().poll(cx) {
                return Poll::Ready(answer);
            }
            self.drive(cx);
            answer.as_mut().poll(cx)
        })
        .await
    }

    /// Whether it takes a request, as far as is known. Nobody is told when that changes.
    fn is_free(&mut self) -> bool {
        self.drive(&mut Context::from_waker(Waker::noop()));
        self.connection.is_some() && self.sender.is_ready()
    }
}

/// The connections that wait for a request, the one that waits longest first.
pub(crate) struct Pool {
    waiting: Mutex<Waiting>,
    /// How long one waits.
    limit: Duration,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<(Instant, Line)>,
    /// A task ends those that have waited for too long.
    swept: bool,
}

impl Pool {
    pub(crate) fn new(limit: Duration) -> Arc<Pool> {
        Arc::new(Pool { waiting: Mutex::default(), limit })
    }

    /// The one that has waited least and still stands.
    pub(crate) fn take(&self) -> Option<Line> {
        let mut waiting = self.lock();
        while let Some((since, mut line)) = waiting.lines.pop_back() {
            if since.elapsed() < self.limit && line.is_free() {
                return Some(line);
            }
        }
        None
    }

    /// Takes a connection whose exchange is over; one that takes no other ends here.
    pub(crate) fn put(self: &Arc<Pool>, mut line: Line) {
        let (true, Ok(runtime)) = (line.is_free(), Handle::try_current()) else { return };
        let mut waiting = self.lock();
        waiting.lines.push_back((Instant::now(), line));
        if !std::mem::replace(&mut waiting.swept, true) {
            runtime.spawn(sweep(Arc::downgrade(self), self.limit));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends what has waited for too long, until nothing waits.
async fn sweep(pool: Weak<Pool>, mut pause: Duration) {
    loop {
        tokio::time::sleep(pause).await;
        let Some(pool) = pool.upgrade() else { return };
        let mut waiting = pool.lock();
        while waiting.lines.front().is_some_and(|(since, _)| since.elapsed() >= pool.limit) {
            waiting.lines.pop_front();
        }
        match waiting.lines.front() {
            Some((since, _)) => pause = pool.limit.saturating_sub(since.elapsed()),
            None => {
                waiting.swept = false;
                return;
            }
        }
    }
}

/// The body of a request on its way out. As long as it is not given up, there may be more of it.
#[derive(Debug)]
pub(crate) struct Upload {
    body: Body,
    _open: Arc<()>,
    progress: Arc<Progress>,
}

/// How far an upload is.
#[derive(Debug)]
pub(crate) struct Progress(Mutex<(Instant, Awaits)>);

/// What an upload waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaits {
    /// The upstream: to take more, or to answer.
    Upstream,
    /// The client: to send more.
    Client,
    /// Nothing: what the client sent broke off.
    Nothing,
}

impl Progress {
    fn note(&self, awaits: Awaits, moved: bool) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = (if moved { Instant::now() } else { seen.0 }, awaits);
    }

    /// When something of it last moved, and what it waits for since.
    pub(crate) fn seen(&self) -> (Instant, Awaits) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Upload {
    /// Around this body, with what is alive as long as it is, and how far it is.
    pub(crate) fn new(body: Body) -> (Upload, Weak<()>, Arc<Progress>) {
        let open = Arc::new(());
        let seen = Arc::downgrade(&open);
        let progress = Arc::new(Progress(Mutex::new((Instant::now(), Awaits::Upstream))));
        (Upload { body, _open: open, progress: Arc::clone(&progress) }, seen, progress)
    }
}

impl HttpBody for Upload {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        match &frame {
            Poll::Pending => self.progress.note(Awaits::Client, false),
            Poll::Ready(Some(Err(_))) => self.progress.note(Awaits::Nothing, false),
            Poll::Ready(_) => self.progress.note(Awaits::Upstream, true),
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    async fn line() -> (Line, DuplexStream) {
        let (ours, theirs) = duplex(1024);
        let (sender, connection) = http1::handshake(TokioIo::new(ours)).await.unwrap();
        (Line::new(sender, connection), theirs)
    }

    #[tokio::test]
    async fn who_waited_least_goes_first_and_who_was_closed_never() {
        let pool = Pool::new(Duration::from_secs(60));
        let mut ends = Vec::new();
        for _ in 0..3 {
            let (line, theirs) = line().await;
            pool.put(line);
            ends.push(theirs);
        }
        // The last one was closed, and the one before it says something that nobody asked for.
        drop(ends.pop());
        ends[1].write_all(b"HTTP/1.1 408 Request Timeout\r\n\r\n").await.unwrap();
        let mut taken = pool.take().unwrap();
        assert!(pool.take().is_none());
        let request = Request::new(Box::new(Upload::new(Body::empty()).0));
        let (answer, ()) = tokio::join!(taken.exchange(request), async {
            let mut asked = [0; 16];
            assert_eq!(ends[0].read(&mut asked).await.unwrap(), 16);
            ends[0].write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
        });
        assert_eq!(answer.unwrap().status(), 204);
    }

    #[tokio::test]
    async fn who_waits_too_long_is_closed() {
        let pool = Pool::new(Duration::from_millis(20));
        for _ in 0..2 {
            let (line, mut theirs) = line().await;
            pool.put(line);
            // Ends without anybody asking for it, and so does the next one when nothing had waited for a while.
            assert_eq!(theirs.read(&mut [0; 8]).await.unwrap(), 0);
            assert!(pool.take().is_none());
        }
    }
}
