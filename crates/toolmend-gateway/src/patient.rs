//! A connection whose other side has to take what is written to it.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};

use crate::idle::Idle;

/// A connection that breaks when a write has waited for too long. A client that stops reading asks for nothing more and
/// does not go, so without this it keeps its place, its turn and the upstream for ever.
#[derive(Debug)]
pub(crate) struct Patient<S> {
    stream: S,
    idle: Idle,
}

impl<S> Patient<S> {
    /// Waits for so long.
    pub(crate) fn new(stream: S, limit: Duration) -> Patient<S> {
        Patient { stream, idle: Idle::new(limit) }
    }
}

impl<S: Write + Unpin> Patient<S> {
    fn write<T>(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(written) = write(Pin::new(&mut self.stream), cx) {
            self.idle.moved();
            return Poll::Ready(written);
        }
        ready!(self.idle.poll(cx));
        Poll::Ready(Err(io::Error::new(ErrorKind::TimedOut, "the other side takes nothing any more")))
    }
}

impl<S: Read + Unpin> Read for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: Write + Unpin> Write for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.write(cx, |stream, cx| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(cx, |stream, cx| stream.poll_write_vectored(cx, parts))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write(cx, Write::poll_flush)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write(cx, Write::poll_shutdown)
    }
}
