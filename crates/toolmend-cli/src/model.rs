//! What is said about a model that is in no family.

use std::fmt;

use toolmend::Toolmend;
use toolmend::formats::Match;

use crate::say::Plain;

/// Why only the general rules apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum General<'a> {
    /// No model was named, or its name is empty.
    Unnamed,
    /// The name is in no family.
    Unknown(&'a str),
}

impl<'a> General<'a> {
    /// Whether only the general rules apply, after `mender` was told this model's name.
    pub(crate) fn of(mender: &Toolmend<'_>, name: &'a str) -> Option<Self> {
        match mender.model_match() {
            Match::Exact(_) | Match::Substring(_) => None,
            Match::Empty => Some(General::Unnamed),
            Match::Unknown => Some(General::Unknown(name)),
        }
    }
}

impl fmt::Display for General<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            General::Unnamed => {
                f.write_str("no model is named, so the general rules apply; --model names one")
            }
            General::Unknown(name) => write!(
                f,
                "the model {:?} is in no known family, so the general rules apply; `toolmend models` lists the families",
                Plain(name).to_string()
            ),
        }
    }
}
