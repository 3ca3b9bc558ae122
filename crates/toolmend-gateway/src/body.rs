//! The bodies that cross the gateway. All are pulled: a body that nobody polls asks for nothing.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::HeaderMap;
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};
use tokio::time::{Sleep, sleep};

use crate::idle::Idle;
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
const GATHER: usize = 8 << 10;

/// A body that crosses the gateway, in either direction.
///
/// Frames that are there at the same time leave as one: hyper writes each frame of a body by itself, and a
/// write costs more than everything else that is done about an event. Its connections hand over one frame at a
/// time, so before it gives what it has, a body steps back once to let the connection bring the next. What came
/// alone waits no longer than that.
#[derive(Debug)]
pub(crate) struct Body {
    kind: Kind,
    gathered: Gathered,
    /// It has stepped back since the last frame came.
    stepped_back: bool,
    /// What follows the bytes that are gathered.
    next: Option<Option<Result<Frame<Bytes>, BodyError>>>,
    /// Why it broke off, and when it may say so.
    broken: Option<(BodyError, Pin<Box<Sleep>>)>,
}

/// Bytes on their way out.
#[derive(Debug, Default)]
enum Gathered {
    #[default]
    Nothing,
    /// One frame, as it came.
    One(Bytes),
    Several(Vec<u8>),
}

impl Gathered {
    fn is_empty(&self) -> bool {
        matches!(self, Gathered::Nothing)
    }

    fn len(&self) -> usize {
        match self {
            Gathered::Nothing => 0,
            Gathered::One(bytes) => bytes.len(),
            Gathered::Several(bytes) => bytes.len(),
        }
    }

    fn add(&mut self, bytes: Bytes) {
        *self = match std::mem::take(self) {
            Gathered::Nothing => Gathered::One(bytes),
            Gathered::One(first) => Gathered::Several([first, bytes].concat()),
            Gathered::Several(mut all) => {
                all.extend_from_slice(&bytes);
                Gathered::Several(all)
            }
        };
    }

    fn take(&mut self) -> Bytes {
        match std::mem::take(self) {
            Gathered::Nothing => Bytes::new(),
            Gathered::One(bytes) => bytes,
            Gathered::Several(bytes) => bytes.into(),
        }
    }
}

#[derive(Debug)]
enum Kind {
    /// Bytes that are all here, and the trailers behind them.
    Whole { bytes: Bytes, trailers: Option<HeaderMap> },
    /// What was read ahead, and the rest as it comes.
    Passing { ahead: Vec<Bytes>, rest: Incoming, idle: Idle },
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

    pub(crate) fn passing(rest: Incoming, idle: Duration) -> Body {
        Body::of(Kind::Passing { ahead: Vec::new(), rest, idle: Idle::new(idle) })
    }

    /// All its bytes, where they are here.
    pub(crate) fn bytes(&self) -> Option<&Bytes> {
        match &self.kind {
            Kind::Whole { bytes, .. } => Some(bytes),
            Kind::Passing { .. } | Kind::Turn(_) => None,
        }
    }

    pub(crate) fn turn(turn: TurnBody) -> Body {
        Body::of(Kind::Turn(Box::new(turn)))
    }

    /// `ahead` in the order of its bytes.
    pub(crate) fn resumed(mut ahead: Vec<Bytes>, rest: Incoming, idle: Duration) -> Body {
        ahead.reverse();
        Body::of(Kind::Passing { ahead, rest, idle: Idle::new(idle) })
    }

    const fn of(kind: Kind) -> Body {
        Body { kind, gathered: Gathered::Nothing, stepped_back: false, next: None, broken: None }
    }

    /// The next frame, gathered.
    fn poll_gathered(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let given = |gathered: &mut Gathered| Poll::Ready(Some(Ok(Frame::data(gathered.take()))));
        if let Some(next) = self.next.take() {
            return Poll::Ready(next);
        }
        loop {
            match self.kind.poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) if frame.is_data() => {
                    let Ok(bytes) = frame.into_data() else { continue };
                    self.gathered.add(bytes);
                    self.stepped_back = false;
                    if self.gathered.len() >= GATHER {
                        return given(&mut self.gathered);
                    }
                }
                Poll::Ready(other) if self.gathered.is_empty() => return Poll::Ready(other),
                Poll::Ready(other) => {
                    self.next = Some(other);
                    return given(&mut self.gathered);
                }
                Poll::Pending if self.gathered.is_empty() => return Poll::Pending,
                Poll::Pending if self.stepped_back => return given(&mut self.gathered),
                Poll::Pending => {
                    self.stepped_back = true;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
            }
        }
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
            match ready!(this.poll_gathered(cx)) {
                Some(Err(error)) => this.broken = Some((error, Box::pin(sleep(LINGER)))),
                frame => return Poll::Ready(frame),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        if !self.gathered.is_empty() || self.next.is_some() || self.broken.is_some() {
            return false;
        }
        match &self.kind {
            Kind::Whole { bytes, trailers } => bytes.is_empty() && trailers.is_none(),
            Kind::Passing { ahead, rest, .. } => ahead.is_empty() && rest.is_end_stream(),
            Kind::Turn(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        if !self.gathered.is_empty() {
            return SizeHint::new();
        }
        match &self.kind {
            Kind::Whole { bytes, trailers: None } => SizeHint::with_exact(bytes.len() as u64),
            Kind::Passing { ahead, rest, .. } => {
                let ahead: u64 = ahead.iter().map(|bytes| bytes.len() as u64).sum();
                let rest = rest.size_hint();
                let mut hint = SizeHint::new();
                hint.set_lower(ahead + rest.lower());
                if let Some(upper) = rest.upper() {
                    hint.set_upper(ahead + upper);
                }
                hint
            }
            Kind::Whole { .. } | Kind::Turn(_) => SizeHint::new(),
        }
    }
}

impl Kind {
    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match self {
            Kind::Whole { bytes, trailers } => {
                let frame = match bytes.is_empty() {
                    false => Some(Frame::data(std::mem::take(bytes))),
                    true => trailers.take().map(Frame::trailers),
                };
                Poll::Ready(frame.map(Ok))
            }
            Kind::Passing { ahead, rest, idle } => match ahead.pop() {
                Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
                None => poll_incoming(rest, idle, cx),
            },
            Kind::Turn(turn) => turn.poll_frame(cx),
        }
    }
}

/// The next frame of a body from a socket, unless it keeps silent for too long.
pub(crate) fn poll_incoming(
    body: &mut Incoming,
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
