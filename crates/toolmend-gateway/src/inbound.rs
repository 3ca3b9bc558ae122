//! A body as it comes from a socket.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};

use crate::bell::Bell;
use crate::pool::{Line, Pool};

/// A body as it comes from a socket. That of an answer over HTTP/1.1 drives the connection that it comes on:
/// a body that nobody reads reads nothing, and one that is dropped before its end takes the connection along.
pub(crate) struct Inbound {
    body: Incoming,
    driven: Option<Driven>,
    /// Its end was given.
    over: bool,
}

/// The connection that a body comes on.
struct Driven {
    line: Line,
    pool: Arc<Pool>,
    bell: Arc<Bell>,
    /// Rings the bell.
    ring: Waker,
}

/// Of a connection that somebody else drives.
impl From<Incoming> for Inbound {
    fn from(body: Incoming) -> Inbound {
        Inbound { body, driven: None, over: false }
    }
}

impl Inbound {
    /// Drives its connection, which then waits in the pool.
    pub(crate) fn driving(body: Incoming, line: Line, pool: Arc<Pool>) -> Inbound {
        let (bell, ring) = Bell::new();
        Inbound { body, driven: Some(Driven { line, pool, bell, ring }), over: false }
    }
}

impl HttpBody for Inbound {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let this = &mut *self;
        let body = Pin::new(&mut this.body);
        let frame = match &mut this.driven {
            None => body.poll_frame(cx),
            Some(Driven { line, bell, ring, .. }) => {
                // hyper hands over one frame at a time, so mostly there is none before the connection has moved.
                bell.mute();
                let mut ring = Context::from_waker(ring);
                line.drive(&mut ring);
                let frame = body.poll_frame(&mut ring);
                if frame.is_pending() {
                    bell.listen(cx.waker());
                }
                frame
            }
        };
        this.over |= matches!(frame, Poll::Ready(None));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.over || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl fmt::Debug for Inbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbound").field("driven", &self.driven.is_some()).finish_non_exhaustive()
    }
}

impl Drop for Inbound {
    fn drop(&mut self) {
        if let Some(Driven { line, pool, .. }) = self.driven.take().filter(|_| self.is_end_stream()) {
            pool.put(line);
        }
    }
}
