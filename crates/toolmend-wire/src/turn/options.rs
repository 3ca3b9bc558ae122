//! How a turn is read and written.

use crate::limits::Limits;
use crate::protocol::ProtocolKind;

/// How a turn is read and written.
///
/// ```
/// use toolmend_wire::{Hold, TurnOptions};
///
/// let options = TurnOptions { hold: Hold::Deviation, max_tokens: Some(4096), ..TurnOptions::default() };
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TurnOptions {
    /// The protocol; `None`: it is found from the bytes.
    pub protocol: Option<ProtocolKind>,
    /// What waits, and for what.
    pub hold: Hold,
    /// What is done about a call that was cut.
    pub on_cut: OnCut,
    /// Everything leaves as it comes, and is only reported on.
    pub observe: bool,
    /// The request's cap on output tokens.
    pub max_tokens: Option<u64>,
    /// How much the turn may hold. Beyond it, everything leaves as it came.
    pub limits: Limits,
}

/// What waits, and for what. Text and reasoning before the first call never wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Hold {
    /// The events of a call wait for its verdict.
    #[default]
    Call,
    /// A call streams as long as its arguments are the beginning of a valid object, and waits from the first
    /// deviation on. What was sent is never changed: a repair that would need that is declined.
    Deviation,
}

/// What is done where strong evidence proves that the last call of the turn was cut, and the finish reason
/// says that it was not. The arguments stay as they are, or the whole call goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnCut {
    /// Nothing.
    #[default]
    Pass,
    /// The finish reason becomes the protocol's word for a cut.
    Relabel,
    /// As `Relabel`; and where nothing of the call has left yet, a notice in the text stands in its place,
    /// whatever the finish reason says.
    Withhold,
}
