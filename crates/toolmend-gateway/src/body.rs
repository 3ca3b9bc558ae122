//! The bodies that cross the gateway. All are pulled: a body that nobody polls asks for nothing.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::HeaderMap;
use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use crate::idle::Idle;
use crate::inbound::Inbound;
use crate::turn::TurnBody;

/// Why a body broke off.
#[derive(Debug)]
pub(crate) enum BodyError {
    /// The other side's connection broke.
    Broken(hyper::Error),
    /// Nothing came from the other side for so long.
    Idle(Duration),
    /// What was held is lost to a defect.
    Lost,
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyError::Broken(error) => error.fmt(f),
            BodyError::Idle(limit) => write!(f, "no byte came for {} seconds", limit.as_secs()),
            BodyError::Lost => f.write_str("what was held back of the answer is lost: a defect of toolmend"),
        }
    }
}

impl Error for BodyError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            BodyError::Broken(error) => Some(error),
            BodyError::Idle(_) | BodyError::Lost => None,
        }
    }
}

/// How long a body that broke off waits before it says so. hyper drops what it has not written yet when a
/// body fails, so the bytes before that would be lost with it.
const LINGER: Duration = Duration::from_millis(20);

/// Bytes from which on a frame is given as it is; smaller ones are gathered.
pub(crate) const GATHER: usize = 8 << 10;

/// Bytes that a body that is all here gives at a time: by what is taken of it is seen that somebody takes it.
const PART: usize = 256 << 10;

/// A body that crosses the gateway, in either direction.
///
/// Frames that are there at the same time leave as one: hyper writes each frame of a body by itself, and a
/// write costs more than everything else that is done about an event. Nothing waits for more to come.
#[derive(Debug)]
pub(crate) struct Body {
    kind: Kind,
    /// Why it broke off, and when it may say so.
    broken: Option<(BodyError, Pin<Box<Sleep>>)>,
}

#[derive(Debug)]
enum Kind {
    /// Bytes that are all here, and the trailers behind them.
    Whole { bytes: Bytes, trailers: Option<HeaderMap> },
    /// What passes as it comes.
    Passing(Box<Passing>),
    /// An answer that is looked into.
    Turn(Box<TurnBody>),
}

impl Body {
    pub(crate) fn empty() -> Body {
        Body::whole(Bytes::new())
    }

    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
        Body::with_trailers(bytes, None)
    }

    pub(crate) fn with_trailers(bytes: impl Into<Bytes>, trailers: Option<HeaderMap>) -> Body {
        Body::of(Kind::Whole { bytes: bytes.into(), trailers })
    }

    pub(crate) fn passing(rest: impl Into<Inbound>, idle: Duration) -> Body {
        Body::resumed(Vec::new(), rest, idle)
    }

    /// What was read ahead, in the order of its bytes, and the rest as it comes.
    pub(crate) fn resumed(mut ahead: Vec<Bytes>, rest: impl Into<Inbound>, idle: Duration) -> Body {
        ahead.reverse();
        let idle = Idle::new(idle);
        Body::of(Kind::Passing(Box::new(Passing { ahead, rest: rest.into(), idle, next: None })))
    }

    pub(crate) fn turn(turn: TurnBody) -> Body {
        Body::of(Kind::Turn(Box::new(turn)))
    }

    /// All its bytes, where they are here.
    pub(crate) fn bytes(&self) -> Option<&Bytes> {
        match &self.kind {
            Kind::Whole { bytes, .. } => Some(bytes),
            Kind::Passing(_) | Kind::Turn(_) => None,
        }
    }

    const fn of(kind: Kind) -> Body {
        Body { kind, broken: None }
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        loop {
            if let Some((_, linger)) = &mut this.broken {
                ready!(linger.as_mut().poll(cx));
                return Poll::Ready(this.broken.take().map(|(error, _)| Err(error)));
            }
            match ready!(this.kind.poll_frame(cx)) {
                Some(Err(error)) => this.broken = Some((error, Box::pin(sleep(LINGER)))),
                frame => return Poll::Ready(frame),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            Kind::Whole { bytes, trailers } => bytes.is_empty() && trailers.is_none(),
            Kind::Passing(passing) => self.broken.is_none() && passing.is_end_stream(),
            Kind::Turn(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Whole { bytes, trailers: None } => SizeHint::with_exact(bytes.len() as u64),
            Kind::Passing(passing) => passing.size_hint(),
            Kind::Whole { .. } | Kind::Turn(_) => SizeHint::new(),
        }
    }
}

impl Kind {
    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match self {
            Kind::Whole { bytes, trailers } => {
                let frame = match bytes.is_empty() {
                    false => Some(Frame::data(bytes.split_to(bytes.len().min(PART)))),
                    true => trailers.take().map(Frame::trailers),
                };
                Poll::Ready(frame.map(Ok))
            }
            Kind::Passing(passing) => passing.poll_frame(cx),
            Kind::Turn(turn) => turn.poll_frame(cx),
        }
    }
}

/// What passes as it comes.
#[derive(Debug)]
struct Passing {
    /// What was read ahead, the next one last.
    ahead: Vec<Bytes>,
    rest: Inbound,
    idle: Idle,
    /// What follows the bytes that were gathered.
    next: Option<Option<Result<Frame<Bytes>, BodyError>>>,
}

impl Passing {
    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if let Some(next) = self.next.take() {
            return Poll::Ready(next);
        }
        if let Some(bytes) = self.ahead.pop() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        // One that comes alone is not copied.
        let first = match ready!(poll_inbound(&mut self.rest, &mut self.idle, cx)) {
            Some(Ok(frame)) if frame.is_data() => frame.into_data().unwrap_or_default(),
            other => return Poll::Ready(other),
        };
        let mut all = Vec::new();
        while first.len().max(all.len()) < GATHER {
            match poll_inbound(&mut self.rest, &mut self.idle, cx) {
                Poll::Pending => break,
                Poll::Ready(Some(Ok(frame))) if frame.is_data() => {
                    if all.is_empty() {
                        all.extend_from_slice(&first);
                    }
                    all.extend_from_slice(&frame.into_data().unwrap_or_default());
                }
                Poll::Ready(other) => {
                    self.next = Some(other);
                    break;
                }
            }
        }
        Poll::Ready(Some(Ok(Frame::data(if all.is_empty() { first } else { all.into() }))))
    }

    fn is_end_stream(&self) -> bool {
        self.ahead.is_empty() && self.next.is_none() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let ahead: u64 = self.ahead.iter().map(|bytes| bytes.len() as u64).sum();
        let rest = self.rest.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(ahead + rest.lower());
        if let Some(upper) = rest.upper() {
            hint.set_upper(ahead + upper);
        }
        hint
    }
}

/// The next frame of a body from a socket, unless it keeps silent for too long.
pub(crate) fn poll_inbound(
    body: &mut Inbound,
    idle: &mut Idle,
    cx: &mut Context<'_>,
) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
    match Pin::new(body).poll_frame(cx) {
        Poll::Ready(frame) => {
            idle.moved();
            Poll::Ready(frame.map(|frame| frame.map_err(BodyError::Broken)))
        }
        Poll::Pending => {
            let limit = idle.limit();
            ready!(idle.poll(cx));
            Poll::Ready(Some(Err(BodyError::Idle(limit))))
        }
    }
}
