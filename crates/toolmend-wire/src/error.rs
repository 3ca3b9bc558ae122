//! Why a recording could not be read.

use core::fmt;

use crate::limits::Exceeded;
use crate::protocol::ProtocolKind;

/// Why a recording could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireError {
    /// Why.
    pub kind: WireErrorKind,
    /// Where, in bytes of the recording.
    pub offset: u64,
    /// The line of that byte, from 1.
    pub line: u64,
}

/// The kinds of [`WireError`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireErrorKind {
    /// There is nothing, or nothing but white space.
    Empty,
    /// It is HTML or XML: most often the error page of something in between.
    Markup,
    /// It is compressed.
    Compressed,
    /// It is binary.
    Binary,
    /// It is text, but neither an event stream nor JSON.
    NotARecording,
    /// It looks like JSON, but is not.
    NotJson,
    /// It is an event stream or JSON, but no turn of a known protocol.
    UnknownProtocol,
    /// It is an error that the server answered instead of a turn.
    ServerError {
        /// Its words.
        message: String,
    },
    /// It holds more than the [`Limits`](crate::Limits) allow.
    TooMuch(Exceeded),
}

impl fmt::Display for WireErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireErrorKind::Empty => f.write_str("there is nothing in it"),
            WireErrorKind::Markup => {
                f.write_str("this is HTML or XML, no recorded turn: an error page, perhaps")
            }
            WireErrorKind::Compressed => f.write_str("this is compressed: decompress it first"),
            WireErrorKind::Binary => f.write_str("this is binary, no recorded turn"),
            WireErrorKind::NotARecording => {
                f.write_str("this is neither an event stream (SSE) nor NDJSON nor a JSON body")
            }
            WireErrorKind::NotJson => f.write_str("this is cut, or it is not JSON"),
            WireErrorKind::UnknownProtocol => {
                f.write_str("this is no turn of a protocol that is known here (")?;
                for (i, kind) in ProtocolKind::ALL.iter().enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { ", " }, kind.name())?;
                }
                f.write_str(")")
            }
            WireErrorKind::ServerError { message } => {
                write!(f, "the server answered with an error: {message}")
            }
            WireErrorKind::TooMuch(exceeded) => exceeded.fmt(f),
        }
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            WireErrorKind::Empty => self.kind.fmt(f),
            _ => write!(f, "{} (line {}, byte {})", self.kind, self.line, self.offset),
        }
    }
}

impl core::error::Error for WireError {}
