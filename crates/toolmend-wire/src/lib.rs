//! The bytes of a model's turn in, its tool calls out.
//!
//! ```text
//!            +-------------------------------------------------------------+
//!            |                          Recorder                           |
//!  bytes --> | frame: SSE, NDJSON, JSON --> protocol: signals --> assembly | --> Recorded
//!            +-------------------------------------------------------------+
//! ```
//!
//! [`Recorder`] reads one turn, recorded or live, cut into pieces anywhere: inside a character, inside a
//! line end, inside a surrogate pair. What kind of recording it is, and which protocol it speaks, is found
//! from the bytes.
//!
//! ```
//! use toolmend_wire::Recorder;
//!
//! let recording = concat!(
//!     "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",",
//!     "\"function\":{\"name\":\"get_weather\",\"arguments\":\"{\\\"city\\\":\"}}]}}]}\n\n",
//!     "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,",
//!     "\"function\":{\"arguments\":\"\\\"Oslo\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
//!     "data: [DONE]\n\n",
//! );
//! let mut recorder = Recorder::new();
//! for piece in recording.as_bytes().chunks(7) {
//!     recorder.push(piece)?;
//! }
//! let turn = recorder.finish()?;
//! assert_eq!(turn.calls[0].name, "get_weather");
//! assert_eq!(turn.calls[0].arguments, "{\"city\":\"Oslo\"}");
//! assert_eq!(turn.finish.word(), Some("tool_calls"));
//! # Ok::<(), toolmend_wire::WireError>(())
//! ```
//!
//! What it does not do: it opens no file and no socket, and it repairs nothing; [`Call::arguments`] is what
//! the server passed on. Numbers are never read as numbers, so none is rounded. What it puts together it
//! can say the ending of, call by call ([`Recorded::evidence`]).
//!
//! A recording that cannot be read at all is a [`WireError`]. What is wrong with one event is a [`Fault`]
//! and what is wrong with one call is a [`CallFault`]; both leave the rest of the turn as it is.
//!
//! The modules: `frame` (bytes to events; knows no protocol), `protocol` (an event to [`signal`]s; one
//! file a protocol), [`assembly`] (signals to calls; knows neither).

#![forbid(unsafe_code)]

pub mod assembly;
mod content;
mod error;
mod frame;
pub mod json;
mod limits;
mod made_up;
mod promote;
mod protocol;
mod recorded;
mod recorder;
mod shape;
pub mod signal;
mod site;
mod splice;
mod text;
mod turn;

pub use error::{WireError, WireErrorKind};
pub use limits::{
    Exceeded, Limits, MAX_CALLS, MAX_CHOICES, MAX_EVENT_BYTES, MAX_HELD_BYTES, MAX_QUEUED_BYTES,
};
pub use promote::{Promoter, Promoting};
pub use protocol::ProtocolKind;
pub use recorded::{Call, CallFault, Choice, Fault, FaultKind, Finish, Recorded, Usage};
pub use recorder::Recorder;
pub use text::Text;
pub use turn::{CallReport, Hold, OnCut, Outcome, StreamEnd, Turn, TurnOptions};
