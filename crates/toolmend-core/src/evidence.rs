//! What is known beside the text.

use core::fmt;

/// Whether the model had finished the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The model ended by itself.
    Complete,
    /// Nothing is known about the end.
    Unknown,
    /// The output was cut: by a cap, or because the stream broke.
    Cut,
}

impl Ending {
    /// The word for it in receipts and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Complete => "complete",
            Ending::Unknown => "unknown",
            Ending::Cut => "cut",
        }
    }

    /// The ending of this name, if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<Ending> {
        [Ending::Complete, Ending::Unknown, Ending::Cut].into_iter().find(|e| e.name() == name)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing that speaks for or against the model having finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Clue {
    /// The caller vouches for the ending.
    Stated(Ending),
    /// `finish_reason` says that the model stopped by itself (`stop`, `tool_calls`). Weak: servers
    /// overwrite `length` with it (vllm-project/vllm#53269).
    FinishStop,
    /// `finish_reason` says `length`.
    FinishLength,
    /// `finish_reason` is another word: a filter or an error ended the turn.
    FinishOther,
    /// The stream ended without any `finish_reason`.
    NoFinish,
    /// The server counted as many output tokens as the request allowed, or more.
    UsageAtCap,
    /// A closing fence or the format's own end mark stands behind the body.
    EndMark,
    /// Every property that the schema declares stands in every open object, and no array is open.
    SchemaWhole,
}

impl Clue {
    /// The word for it in receipts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Clue::Stated(Ending::Complete) => "stated-complete",
            Clue::Stated(Ending::Unknown) => "stated-unknown",
            Clue::Stated(Ending::Cut) => "stated-cut",
            Clue::FinishStop => "finish-stop",
            Clue::FinishLength => "finish-length",
            Clue::FinishOther => "finish-other",
            Clue::NoFinish => "no-finish",
            Clue::UsageAtCap => "usage-at-cap",
            Clue::EndMark => "end-mark",
            Clue::SchemaWhole => "schema-whole",
        }
    }

    const fn says(self) -> Ending {
        match self {
            Clue::Stated(ending) => ending,
            Clue::FinishStop | Clue::EndMark | Clue::SchemaWhole => Ending::Complete,
            Clue::FinishLength | Clue::FinishOther | Clue::NoFinish | Clue::UsageAtCap => Ending::Cut,
        }
    }
}

/// A set of clues.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Clues(u16);

impl Clues {
    /// Every clue there is, in the order in which a set is told.
    const ALL: [Clue; 10] = [
        Clue::Stated(Ending::Complete),
        Clue::Stated(Ending::Unknown),
        Clue::Stated(Ending::Cut),
        Clue::FinishStop,
        Clue::FinishLength,
        Clue::FinishOther,
        Clue::NoFinish,
        Clue::UsageAtCap,
        Clue::EndMark,
        Clue::SchemaWhole,
    ];

    /// This set and one clue more.
    #[must_use]
    pub fn with(self, clue: Clue) -> Clues {
        Clues(self.0 | Clues::bit(clue))
    }

    /// Whether this clue was given.
    #[must_use]
    pub fn contains(self, clue: Clue) -> bool {
        self.0 & Clues::bit(clue) != 0
    }

    /// Whether nothing was given.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The clues: what was stated, what the finish reason says, what was counted, what the body shows.
    pub fn iter(self) -> impl Iterator<Item = Clue> {
        Clues::ALL.into_iter().filter(move |&clue| self.contains(clue))
    }

    /// The ending that the clues add up to: any clue of a cut beats every clue of an end, because the
    /// former are measured and the latter are claims.
    #[must_use]
    pub fn ending(self) -> Ending {
        let says = |ending| self.iter().any(|clue| clue.says() == ending);
        if self.is_empty() {
            Ending::Unknown
        } else if says(Ending::Cut) {
            Ending::Cut
        } else if says(Ending::Complete) {
            Ending::Complete
        } else {
            Ending::Unknown
        }
    }

    const fn bit(clue: Clue) -> u16 {
        1 << match clue {
            Clue::Stated(Ending::Complete) => 0,
            Clue::Stated(Ending::Unknown) => 1,
            Clue::Stated(Ending::Cut) => 2,
            Clue::FinishStop => 3,
            Clue::FinishLength => 4,
            Clue::FinishOther => 5,
            Clue::NoFinish => 6,
            Clue::UsageAtCap => 7,
            Clue::EndMark => 8,
            Clue::SchemaWhole => 9,
        }
    }
}

impl FromIterator<Clue> for Clues {
    fn from_iter<T: IntoIterator<Item = Clue>>(clues: T) -> Clues {
        clues.into_iter().fold(Clues::default(), Clues::with)
    }
}

impl fmt::Debug for Clues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What is known beside the text of one body: how it ended, and which model wrote it.
///
/// ```
/// use toolmend_core::{Ending, Evidence};
///
/// let e = Evidence::new().finish_reason(Some("tool_calls")).usage(4096, 4096);
/// assert_eq!(e.ending(), Ending::Cut); // the cap was reached, whatever the finish reason says
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evidence<'a> {
    clues: Clues,
    marks: &'a [&'a str],
    tool: Option<&'a str>,
}

impl<'a> Evidence<'a> {
    /// Nothing is known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The body is the whole of what the model wrote.
    #[must_use]
    pub fn whole() -> Self {
        Self::new().stated(Ending::Complete)
    }

    /// The caller knows the ending from elsewhere.
    #[must_use]
    pub fn stated(mut self, ending: Ending) -> Self {
        self.clues = self.clues.with(Clue::Stated(ending));
        self
    }

    /// The turn's finish reason; `None` where the stream ended without one. Not calling this at all
    /// means that the finish reason is not known.
    #[must_use]
    pub fn finish_reason(mut self, reason: Option<&str>) -> Self {
        self.clues = self.clues.with(match reason {
            // `tool_call`: ml-explore/mlx-lm#782. `eos_token`, `stop_sequence`: Text Generation Inference.
            Some(
                "stop" | "tool_calls" | "tool_call" | "function_call" | "tool_use" | "end_turn" | "STOP"
                | "eos_token" | "stop_sequence" | "completed",
            ) => Clue::FinishStop,
            Some("length" | "max_tokens" | "MAX_TOKENS" | "model_context_window_exceeded" | "incomplete") => {
                Clue::FinishLength
            }
            Some(_) => Clue::FinishOther,
            None => Clue::NoFinish,
        });
        self
    }

    /// Output tokens that the server counted, and the request's cap on them.
    #[must_use]
    pub fn usage(mut self, output_tokens: u64, cap: u64) -> Self {
        if cap > 0 && output_tokens >= cap {
            self.clues = self.clues.with(Clue::UsageAtCap);
        }
        self
    }

    /// The marks that the model's family is known to leak into bodies. Marks that any family leaks are
    /// known without this.
    #[must_use]
    pub fn marks(mut self, marks: &'a [&'a str]) -> Self {
        self.marks = marks;
        self
    }

    /// The name of the tool that is called.
    #[must_use]
    pub fn tool(mut self, name: &'a str) -> Self {
        self.tool = Some(name);
        self
    }

    /// All clues that were given.
    #[must_use]
    pub fn clues(&self) -> Clues {
        self.clues
    }

    /// The ending that the clues add up to: see [`Clues::ending`].
    #[must_use]
    pub fn ending(&self) -> Ending {
        self.clues.ending()
    }

    /// Whether the caller vouches for the ending.
    pub(crate) fn is_stated(&self) -> bool {
        self.clues.iter().any(|clue| matches!(clue, Clue::Stated(_)))
    }

    pub(crate) fn known_marks(&self) -> &'a [&'a str] {
        self.marks
    }

    pub(crate) fn tool_name(&self) -> Option<&'a str> {
        self.tool
    }
}
