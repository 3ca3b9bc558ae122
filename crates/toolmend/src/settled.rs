//! A call of which it is known what is to become.

pub use toolmend_wire::Outcome;

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

impl SettledCall {
    /// The arguments to run it with: one JSON object. `None` where it must not be run.
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Judged(verdict) => verdict.text(&self.body),
            Outcome::Misassembled(_) | Outcome::UnknownTool | Outcome::TooLate => None,
        }
    }
}
