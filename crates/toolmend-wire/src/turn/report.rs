//! What is told of a call.

use core::fmt;

use toolmend_core::{Ending, Verdict};

use crate::recorded::CallFault;

/// What became of a call in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallReport {
    /// The choice that it belongs to.
    pub choice: u32,
    /// Its number within the choice.
    pub index: u32,
    /// Its id, where the server gave one.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Its arguments, as the model wrote them.
    pub body: String,
    /// Whether the model had finished it.
    pub ending: Ending,
    /// What is to become of it.
    pub outcome: Outcome,
    /// Whether it left in other bytes than it came.
    pub rewritten: bool,
}

impl CallReport {
    /// The arguments to run it with: one JSON object. `None` where it must not be run.
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Judged(verdict) => verdict.text(&self.body),
            Outcome::Misassembled(_) | Outcome::UnknownTool | Outcome::TooLate => None,
        }
    }
}

/// What is to become of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Its body was looked into.
    Judged(Verdict),
    /// Its pieces do not make a body.
    Misassembled(CallFault),
    /// No such tool was offered.
    UnknownTool,
    /// The repair would change what was sent already, or more of it came when it had been.
    TooLate,
}

/// `intact`, `mended`, or why the call must not be run.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Judged(Verdict::Declined(decline)) => {
                write!(f, "declined: {} at byte {}", decline.reason, decline.at)
            }
            Outcome::Judged(verdict) => f.write_str(verdict.name()),
            Outcome::Misassembled(fault) => write!(f, "declined: {fault}"),
            Outcome::UnknownTool => f.write_str("declined: no such tool was offered"),
            Outcome::TooLate => {
                f.write_str("declined: the repair would change what was sent already; hold whole calls")
            }
        }
    }
}
