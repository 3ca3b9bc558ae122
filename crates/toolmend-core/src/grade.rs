//! How much a repair relied on, and how much of that a caller accepts.

use core::fmt;

/// What a repair had to rely on, from the safest up. A repair has the grade of its riskiest edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// Only bytes outside the value went, or one whole level of escaping.
    Packaging,
    /// Only `{ } [ ] , :` between values, and only one cheapest structure was possible.
    Punctuation,
    /// How a token is written, never what it says.
    Spelling,
    /// The tool's schema admits exactly one of several readings, fixes a type, or proves the call whole.
    Schema,
    /// Closers were set at the end, and nothing says that the end was reached or that this was the place.
    Closing,
    /// Closers were set although the stream was cut, or after a number whose digits may go on; or the object is
    /// the whole only if the turn is not cut, or known to be complete: stray quotes, a name before it, or a
    /// closer behind a string that may be its words.
    Cut,
}

impl Grade {
    /// Every grade, from the safest up.
    pub const ALL: [Grade; 6] =
        [Grade::Packaging, Grade::Punctuation, Grade::Spelling, Grade::Schema, Grade::Closing, Grade::Cut];

    /// The word for it in receipts and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Packaging => "packaging",
            Grade::Punctuation => "punctuation",
            Grade::Spelling => "spelling",
            Grade::Schema => "schema",
            Grade::Closing => "closing",
            Grade::Cut => "cut",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The highest grade that a caller accepts.
///
/// A repair above it is declined with [`Reason::AbovePolicy`](crate::Reason::AbovePolicy), which still
/// carries the repair that it would have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    up_to: Grade,
}

impl Policy {
    /// Packaging and punctuation.
    pub const STRICT: Policy = Policy { up_to: Grade::Punctuation };
    /// All that is certain: up to `schema`. For callers that run the call.
    pub const STANDARD: Policy = Policy { up_to: Grade::Schema };
    /// Everything that can be shown: up to `cut`. For callers that show the call and run nothing.
    pub const INSPECT: Policy = Policy { up_to: Grade::Cut };

    /// A policy that accepts repairs of at most this grade.
    #[must_use]
    pub const fn up_to(grade: Grade) -> Policy {
        Policy { up_to: grade }
    }

    /// Whether a repair of this grade is accepted.
    #[must_use]
    pub fn accepts(self, grade: Grade) -> bool {
        grade <= self.up_to
    }

    /// The policy of this name (`strict`, `standard`, `inspect`), if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<Policy> {
        match name {
            "strict" => Some(Policy::STRICT),
            "standard" => Some(Policy::STANDARD),
            "inspect" => Some(Policy::INSPECT),
            _ => None,
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Policy::STANDARD
    }
}
