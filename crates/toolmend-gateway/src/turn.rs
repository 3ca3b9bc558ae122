//! The body of an answer that is looked into: the upstream's body and an [`Inspector`], pulled as one.
//!
//! ```text
//!            frames                bytes that may leave
//!  upstream ───────▶ Guard(Inspector) ───────▶ hyper ───▶ client
//!                        │ holds a call, and the upstream is silent
//!                        └──────▶ a sign of life
//! ```
//!
//! There is no channel and no task: a client that reads slowly does not poll, so nothing is read from the
//! upstream either; one that leaves drops this, and with it the upstream's connection.
//!
//! [`Inspector`]: crate::inspect::Inspector

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use std::vec::IntoIter;

use hyper::HeaderMap;
use hyper::body::{Body as HttpBody, Bytes, Frame};
use tokio::time::Instant;

use crate::body::{BodyError, GATHER, poll_inbound};
use crate::idle::Idle;
use crate::inbound::Inbound;
use crate::inspect::{GaveUp, Guard, Settled};

/// Told what happens to a turn while it passes. Dropped with the turn's body.
pub(crate) trait Observer: Send {
    /// A call was settled.
    fn settled(&mut self, settled: Settled);
    /// The answer passes untouched from here on.
    fn gave_up(&mut self, why: GaveUp);
    /// Calls were held for so long.
    fn held(&mut self, time: Duration);
    /// Bytes came from the upstream.
    fn took(&mut self, bytes: &Bytes);
    /// So much time was spent on looking at it.
    fn spent(&mut self, time: Duration);
    /// The answer is over; `whole` is false where it broke off.
    fn ended(&mut self, whole: bool);
}

/// Asks for a turn once more whose call was declined.
pub(crate) trait Ladder: Send {
    /// Bytes came from the upstream.
    fn took(&mut self, bytes: &Bytes);
    /// These calls were settled, by the bytes or by their end. Answers with the wait for the turn as it leaves
    /// with a better call, from its first byte on; asked at most once.
    fn better(&mut self, settled: &[Settled], at_end: bool) -> Option<Better>;
}

/// A whole turn as it leaves with a better call; `None` where there is none.
pub(crate) type Better = Pin<Box<dyn Future<Output = Option<Vec<u8>>> + Send>>;

/// What tells a client that its answer is still being written, and how often.
#[derive(Debug)]
pub(crate) struct SignsOfLife {
    /// An event that every client of the protocol passes over.
    pub(crate) event: &'static [u8],
    pub(crate) every: Duration,
}

/// The body of an answer that is looked into.
pub(crate) struct TurnBody {
    upstream: Inbound,
    idle: Idle,
    /// What was read of it and is yet to be looked at, and how it ends behind that.
    came: IntoIter<Bytes>,
    behind: Option<End>,
    guard: Guard,
    observer: Box<dyn Observer>,
    /// When something last went to the client; `None` where the protocol has no sign of life.
    quiet: Option<(Idle, &'static [u8])>,
    held_since: Option<Instant>,
    ladder: Option<Box<dyn Ladder>>,
    /// What would leave now, and the wait for something better.
    asking: Option<(Vec<u8>, Better)>,
    /// What of the turn has left, where it may be asked for once more.
    sent: Sent,
    end: Option<End>,
}

/// Bytes that have left: how many, and a sum over them (FNV-1a).
#[derive(Debug, Clone, Copy)]
struct Sent {
    bytes: usize,
    sum: u64,
}

impl Default for Sent {
    fn default() -> Sent {
        Sent { bytes: 0, sum: 0xcbf2_9ce4_8422_2325 }
    }
}

impl Sent {
    fn note(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        let add = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        self.sum = bytes.iter().fold(self.sum, add);
    }

    /// What follows in a turn that begins with these bytes; `None` where it begins otherwise.
    fn rest_of(&self, turn: &[u8]) -> Option<Vec<u8>> {
        let (begins, rest) = turn.split_at_checked(self.bytes)?;
        let mut sent = Sent::default();
        sent.note(begins);
        (sent.sum == self.sum).then(|| rest.to_vec())
    }
}

/// What is left to give once the upstream's body is over.
enum End {
    Trailers(HeaderMap),
    Broken(BodyError),
    Over,
}

impl TurnBody {
    pub(crate) fn new(
        upstream: Inbound,
        idle: Duration,
        guard: Guard,
        observer: Box<dyn Observer>,
        signs: Option<SignsOfLife>,
        ladder: Option<Box<dyn Ladder>>,
    ) -> TurnBody {
        TurnBody {
            upstream,
            idle: Idle::new(idle),
            came: Vec::new().into_iter(),
            behind: None,
            guard,
            observer,
            quiet: signs.map(|signs| (Idle::new(signs.every), signs.event)),
            held_since: None,
            ladder,
            asking: None,
            sent: Sent::default(),
            end: None,
        }
    }

    pub(crate) fn poll_frame(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if let Some((_, better)) = &mut self.asking {
            let Poll::Ready(better) = better.as_mut().poll(cx) else {
                return self.poll_sign_of_life(cx).map(|event| Some(Ok(Frame::data(event))));
            };
            let out = self.asking.take().map_or_else(Vec::new, |(out, _)| out);
            let better = better.and_then(|turn| self.sent.rest_of(&turn));
            return Poll::Ready(Some(Ok(self.leave(better.unwrap_or(out)))));
        }
        let (mut out, mut more) = (Vec::new(), true);
        while self.end.is_none() && out.len() < GATHER {
            if self.came.len() == 0 && self.behind.is_none() {
                match if more { self.poll_came(cx) } else { Poll::Pending } {
                    Poll::Ready(may_be_more) => more = may_be_more,
                    Poll::Pending if out.is_empty() => {
                        return self.poll_sign_of_life(cx).map(|event| Some(Ok(Frame::data(event))));
                    }
                    Poll::Pending => break,
                }
            }
            if self.guard.is_transparent()
                && out.is_empty()
                && let Some(bytes) = self.came.next()
            {
                self.observer.took(&bytes);
                if self.came.len() == 0 && self.upstream.is_end_stream() {
                    let end = self.behind.take().unwrap_or(End::Over);
                    self.finish(&mut out, end);
                }
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            let begun = Instant::now();
            let better = self.look(&mut out);
            self.observer.spent(begun.elapsed());
            if let Some(better) = better {
                self.asking = Some((out, better));
                return self.poll_frame(cx);
            }
        }
        if !out.is_empty() {
            return Poll::Ready(Some(Ok(self.leave(out))));
        }
        Poll::Ready(match self.end.replace(End::Over) {
            Some(End::Trailers(trailers)) => Some(Ok(Frame::trailers(trailers))),
            Some(End::Broken(error)) => Some(Err(error)),
            _ => None,
        })
    }

    /// Takes the frames that are there, and how the body ends behind them. Answers whether more may be there; pending
    /// where nothing is.
    fn poll_came(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        let (mut came, mut length, mut more) = (Vec::new(), 0, true);
        while more && self.behind.is_none() && length < GATHER {
            match poll_inbound(&mut self.upstream, &mut self.idle, cx).map_ok(Frame::into_data) {
                Poll::Ready(Some(Ok(Ok(bytes)))) => {
                    length += bytes.len();
                    came.push(bytes);
                    // Nobody may ask for more: where the answer's length is known, it is over for hyper with its last
                    // byte.
                    if self.upstream.is_end_stream() {
                        self.behind = Some(End::Over);
                    }
                }
                Poll::Ready(Some(Ok(Err(other)))) => {
                    self.behind = Some(other.into_trailers().map_or(End::Over, End::Trailers));
                }
                Poll::Ready(Some(Err(error))) => self.behind = Some(End::Broken(error)),
                Poll::Ready(None) => self.behind = Some(End::Over),
                Poll::Pending if came.is_empty() => return Poll::Pending,
                Poll::Pending => more = false,
            }
        }
        self.came = came.into_iter();
        Poll::Ready(more)
    }

    /// Looks at what has come, frame by frame: limits hold within what comes at once. Stops where there is a wait for
    /// something better than what would leave.
    fn look(&mut self, out: &mut Vec<u8>) -> Option<Better> {
        if out.is_empty() && !self.guard.holds() {
            // Mostly it leaves as it came, and then this is all the room that it needs.
            out.reserve_exact(self.came.as_slice().iter().map(Bytes::len).sum());
        }
        while self.end.is_none() {
            match self.came.next() {
                Some(bytes) => self.take(&bytes, out),
                None => match self.behind.take() {
                    Some(end) => self.finish(out, end),
                    None => break,
                },
            }
            if let Some(better) = self.tell().filter(|_| !out.is_empty()) {
                return Some(better);
            }
        }
        // No room is kept for what is yet to come.
        self.came = Vec::new().into_iter();
        None
    }

    fn take(&mut self, bytes: &Bytes, out: &mut Vec<u8>) {
        self.observer.took(bytes);
        if self.guard.is_transparent() {
            out.extend_from_slice(bytes);
            return;
        }
        if let Some(ladder) = &mut self.ladder {
            ladder.took(bytes);
        }
        self.guard.push(bytes, out);
    }

    fn leave(&mut self, out: Vec<u8>) -> Frame<Bytes> {
        if let Some((quiet, _)) = &mut self.quiet {
            quiet.moved();
        }
        if self.ladder.is_some() {
            self.sent.note(&out);
        }
        Frame::data(out.into())
    }

    fn finish(&mut self, out: &mut Vec<u8>, end: End) {
        let whole = !matches!(end, End::Broken(_));
        self.guard.finish(whole, out);
        self.end = Some(end);
        self.observer.ended(whole);
    }

    /// Passes on what the guard has to tell, and answers with the wait for something better, if there is one.
    fn tell(&mut self) -> Option<Better> {
        let settled = self.guard.settled();
        let broke = matches!(self.end, Some(End::Broken(_)));
        let ladder = self.ladder.as_mut().filter(|_| !broke && !settled.is_empty());
        let better = ladder.and_then(|ladder| ladder.better(&settled, self.end.is_some()));
        for settled in settled {
            self.observer.settled(settled);
        }
        if let Some(why) = self.guard.take_gave_up() {
            self.observer.gave_up(why);
        }
        if self.guard.is_lost() {
            self.end = Some(End::Broken(BodyError::Lost));
        }
        match (self.guard.holds(), self.held_since) {
            (true, None) => self.held_since = Some(Instant::now()),
            (false, Some(since)) => {
                self.observer.held(since.elapsed());
                self.held_since = None;
            }
            _ => {}
        }
        better
    }

    /// The upstream is silent. An event is due when a call is held, or asked for once more, and nothing
    /// went out for a while.
    fn poll_sign_of_life(&mut self, cx: &mut Context<'_>) -> Poll<Bytes> {
        let Some((quiet, event)) = &mut self.quiet else { return Poll::Pending };
        if !(self.guard.holds() || self.asking.is_some()) || quiet.poll(cx).is_pending() {
            return Poll::Pending;
        }
        quiet.moved();
        Poll::Ready(Bytes::from_static(event))
    }
}

impl Drop for TurnBody {
    fn drop(&mut self) {
        if let Some(since) = self.held_since {
            self.observer.held(since.elapsed());
        }
    }
}

impl fmt::Debug for TurnBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnBody").field("guard", &self.guard).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_what_begins_as_it_did() {
        let mut sent = Sent::default();
        assert_eq!(sent.rest_of(b"abc").unwrap(), b"abc");
        sent.note(b"a");
        sent.note(b"b");
        assert_eq!(sent.rest_of(b"abc").unwrap(), b"c");
        assert_eq!(sent.rest_of(b"ab").unwrap(), b"");
        for other in [&b""[..], b"a", b"ba", b"abc".split_at(1).1] {
            assert_eq!(sent.rest_of(other), None);
        }
    }
}
