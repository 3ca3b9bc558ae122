//! How much the gateway takes, holds and waits.

use std::time::Duration;

/// The default of [`Limits::headers`]. More than a hundred would cost every message two tables on the heap.
pub const MAX_HEADERS: usize = 100;
/// The most that [`Limits::headers`] counts for: no table of more can be made.
pub const MOST_HEADERS: usize = 16_384;
/// The default of [`Limits::header_bytes`].
pub const MAX_HEADER_BYTES: usize = 64 << 10;
/// The default of [`Limits::request_bytes`].
pub const MAX_REQUEST_BYTES: usize = 32 << 20;
/// The default of [`Limits::held_call_bytes`].
pub const MAX_HELD_CALL_BYTES: usize = 8 << 20;
/// The default of [`Limits::held_turn_bytes`].
pub const MAX_HELD_TURN_BYTES: usize = 16 << 20;
/// The default of [`Limits::held_bytes`].
pub const MAX_HELD_TOTAL_BYTES: usize = 256 << 20;
/// The default of [`Limits::open_turns`].
pub const MAX_OPEN_TURNS: usize = 4096;
/// The default of [`Limits::connections`].
pub const MAX_CONNECTIONS: usize = 8192;
/// The default of [`Limits::connect`], in seconds.
pub const CONNECT_SECONDS: u64 = 10;
/// The default of [`Limits::header_read`], in seconds.
pub const HEADER_READ_SECONDS: u64 = 30;
/// The default of [`Limits::idle`], in seconds.
pub const IDLE_SECONDS: u64 = 600;
/// The default of [`Limits::drain`], in seconds.
pub const DRAIN_SECONDS: u64 = 30;
/// The default of [`Limits::keep_alive`], in seconds.
pub const KEEP_ALIVE_SECONDS: u64 = 10;
/// The default of [`Limits::reissue`], in seconds.
pub const REISSUE_SECONDS: u64 = 120;
/// The default of [`Limits::recorded`].
pub const MAX_RECORDED: usize = 1000;
/// The default of [`Limits::recorded_bytes`].
pub const MAX_RECORDED_BYTES: usize = 1 << 30;
/// How long a connection to the upstream waits for its next request, in seconds. Shorter than the five
/// seconds after which uvicorn closes one, so that a request does not meet a closing connection.
pub(crate) const POOL_SECONDS: u64 = 4;

/// How much the gateway takes, holds and waits. A turn beyond a limit passes untouched from there on; only
/// what cannot be passed is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Header fields of one message; more are refused with 431, or with 502 where the upstream sent them.
    /// Counts for [`MOST_HEADERS`] at most.
    pub headers: usize,
    /// Bytes of one message's header section, and of what is read from a socket ahead of its use. At least
    /// 8192, which is what hyper needs.
    pub header_bytes: usize,
    /// Bytes of a request's body that are looked into. A longer one is passed on as it comes, and its answer
    /// untouched.
    pub request_bytes: usize,
    /// Bytes of one call's arguments that are held back, or of the text that may become calls.
    pub held_call_bytes: usize,
    /// Bytes of one turn that are held back.
    pub held_turn_bytes: usize,
    /// Bytes of all turns that are held back, together with what is kept of requests until they are answered, and of
    /// answers to be asked for once more. Half as many, counted by themselves, are kept of answers to be recorded.
    pub held_bytes: usize,
    /// Turns that are looked into at the same time. One more passes untouched.
    pub open_turns: usize,
    /// Connections of clients. One more waits until another ends.
    pub connections: usize,
    /// Faulty turns that are kept as files; the oldest one gives way to the next.
    pub recorded: usize,
    /// Bytes of those files; the oldest turn gives way, too.
    pub recorded_bytes: usize,
    /// For a connection to the upstream to stand, with its TLS handshake.
    pub connect: Duration,
    /// For a client's TLS handshake, and for the header section of its next request.
    pub header_read: Duration,
    /// Without a byte from the other side, or taken by it: of a client that takes nothing, Linux alone can tell over
    /// HTTP/1.1. There is no limit on a whole answer.
    pub idle: Duration,
    /// For open requests to end at a shutdown.
    pub drain: Duration,
    /// Between two signs of life while a call is held back.
    pub keep_alive: Duration,
    /// For the answer to a turn that is asked for once more.
    pub reissue: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            headers: MAX_HEADERS,
            header_bytes: MAX_HEADER_BYTES,
            request_bytes: MAX_REQUEST_BYTES,
            held_call_bytes: MAX_HELD_CALL_BYTES,
            held_turn_bytes: MAX_HELD_TURN_BYTES,
            held_bytes: MAX_HELD_TOTAL_BYTES,
            open_turns: MAX_OPEN_TURNS,
            connections: MAX_CONNECTIONS,
            recorded: MAX_RECORDED,
            recorded_bytes: MAX_RECORDED_BYTES,
            connect: Duration::from_secs(CONNECT_SECONDS),
            header_read: Duration::from_secs(HEADER_READ_SECONDS),
            idle: Duration::from_secs(IDLE_SECONDS),
            drain: Duration::from_secs(DRAIN_SECONDS),
            keep_alive: Duration::from_secs(KEEP_ALIVE_SECONDS),
            reissue: Duration::from_secs(REISSUE_SECONDS),
        }
    }
}
