//! How much one turn may hold.

/// The default of [`Limits::event_bytes`].
pub const MAX_EVENT_BYTES: usize = 64 << 20;
/// The default of [`Limits::calls`].
pub const MAX_CALLS: usize = 1024;
/// The default of [`Limits::choices`].
pub const MAX_CHOICES: usize = 128;
/// The default of [`Limits::held_bytes`].
pub const MAX_HELD_BYTES: usize = 128 << 20;
/// The default of [`Limits::queued_bytes`].
pub const MAX_QUEUED_BYTES: usize = 128 << 20;

/// How much one turn may hold. One above is an error, never a silent loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one event: of an event stream's lines up to the blank one, of a line of NDJSON, of an item of
    /// an array, or of a body that is one JSON value; with what stands before it.
    pub event_bytes: usize,
    /// Calls over all choices. Of OpenAI Responses never more than [`MAX_CALLS`] are told apart.
    pub calls: usize,
    /// Choices.
    pub choices: usize,
    /// Bytes of all texts, reasonings, ids, names and arguments together, as decoded.
    pub held_bytes: usize,
    /// Bytes of the events that wait in a [`Turn`](crate::Turn).
    pub queued_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            event_bytes: MAX_EVENT_BYTES,
            calls: MAX_CALLS,
            choices: MAX_CHOICES,
            held_bytes: MAX_HELD_BYTES,
            queued_bytes: MAX_QUEUED_BYTES,
        }
    }
}

/// Which limit of a turn was exceeded; each holds that limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exceeded {
    /// [`Limits::event_bytes`].
    EventBytes(usize),
    /// [`Limits::calls`].
    Calls(usize),
    /// [`Limits::choices`].
    Choices(usize),
    /// [`Limits::held_bytes`].
    HeldBytes(usize),
}

impl core::fmt::Display for Exceeded {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Exceeded::EventBytes(limit) => write!(f, "an event is longer than {limit} bytes"),
            Exceeded::Calls(limit) => write!(f, "there are more than {limit} calls"),
            Exceeded::Choices(limit) => write!(f, "there are more than {limit} choices"),
            Exceeded::HeldBytes(limit) => write!(f, "texts and arguments are longer than {limit} bytes"),
        }
    }
}

impl core::error::Error for Exceeded {}
