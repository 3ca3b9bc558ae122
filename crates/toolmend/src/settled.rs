//! A call of which it is known what is to become.

use core::fmt;

use toolmend_core::Verdict;
use toolmend_wire::CallFault;

/// A call of which it is known what is to become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledCall {
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
    /// What is to become of it.
    pub outcome: Outcome,
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
}

impl SettledCall {
    /// The arguments to run it with: one JSON object. `None` where it must not be run.
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Judged(verdict) => verdict.text(&self.body),
            Outcome::Misassembled(_) | Outcome::UnknownTool => None,
        }
    }
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
        }
    }
}
