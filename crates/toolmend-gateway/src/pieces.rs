//! A connection that is read a piece at a time.

use std::io::{IoSlice, Result};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};

/// Bytes that one read gives at most. hyper begins with a buffer of 8 KB, makes it twice as large whenever a read fills
/// it, up to what a header section may take, and keeps it for as long as the connection stands: for each long request,
/// and for each answer that once came faster than it was read. None of these fills one of 16 KB.
const PIECE: usize = (16 << 10) - 1;

/// A connection of which no read gives more than a piece, so that hyper's buffer for it stays small.
#[derive(Debug)]
pub(crate) struct InPieces<S>(pub(crate) S);

impl<S: Read + Unpin> Read for InPieces<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<Result<()>> {
        if buffer.remaining() <= PIECE {
            return Pin::new(&mut self.0).poll_read(cx, buffer);
        }
        // A part of the buffer cannot be lent without `unsafe`; to copy a piece costs less than to read it.
        let mut room = [MaybeUninit::uninit(); PIECE];
        let mut piece = ReadBuf::uninit(&mut room);
        ready!(Pin::new(&mut self.0).poll_read(cx, piece.unfilled()))?;
        buffer.put_slice(piece.filled());
        Poll::Ready(Ok(()))
    }
}

impl<S: Write + Unpin> Write for InPieces<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn no_read_gives_more_than_a_piece() {
        const SIZE: usize = 3 * PIECE + 5;
        let (ours, mut theirs) = duplex(SIZE);
        let sent: Vec<u8> = (0..SIZE).map(|at| at.to_le_bytes()[0]).collect();
        theirs.write_all(&sent).await.unwrap();
        let (mut ours, mut came, mut sizes) = (InPieces(TokioIo::new(ours)), Vec::new(), Vec::new());
        for room in [PIECE + 1, 2 * PIECE, PIECE, 3, 1 << 20] {
            let mut room = vec![0; room];
            let mut buffer = ReadBuf::new(&mut room);
            poll_fn(|cx| Pin::new(&mut ours).poll_read(cx, buffer.unfilled())).await.unwrap();
            sizes.push(buffer.filled().len());
            came.extend_from_slice(buffer.filled());
        }
        assert_eq!(sizes, [PIECE, PIECE, PIECE, 3, 2]);
        assert_eq!(came, sent);
    }
}
