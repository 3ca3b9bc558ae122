//! A body as it comes from a socket.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};

use crate::pool::{Line, Pool};

/// A body as it comes from a socket. That of an answer over HTTP/1.1 drives the connection that it comes on:
/// a body that nobody reads reads nothing, and one that is dropped before its end takes the connection along.
pub(crate) struct Inbound {
    body: Incoming,
    driven: Option<(Line, Arc<Pool>)>,
    /// Its end was given.
    over: bool,
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
        Inbound { body, driven: Some((line, pool)), over: false }
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
        let mut body = Pin::new(&mut this.body);
        let frame = match &mut this.driven {
            None => body.poll_frame(cx),
            Some((line, _)) => {
                // The body and its connection move here and nowhere else, so neither has to wake the other. Only who
                // finds nothing waits for the connection. hyper hands over one frame at a time, so mostly there is
                // none before the connection has moved.
                let mut idle = Context::from_waker(Waker::noop());
                line.drive(&mut idle);
                let mut frame = body.as_mut().poll_frame(&mut idle);
                if frame.is_pending() {
                    line.drive(cx);
                    frame = body.poll_frame(&mut idle);
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
        if let Some((line, pool)) = self.driven.take().filter(|_| self.is_end_stream()) {
            pool.put(line);
        }
    }
}
