//! What becomes of a body.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::certify::Violation;
use crate::edit::{self, Edit};
use crate::{Clues, Ending, Grade, Policy, Rule, Steps};

/// What became of one body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is a valid JSON object already; use the input as it is.
    Intact {
        /// Things worth knowing about it that are no reason to alter it.
        notes: Vec<Note>,
    },
    /// It was repaired, and the repair is certified.
    Mended {
        /// The repaired body: one RFC 8259 JSON object.
        output: String,
        /// What was done, and on what grounds.
        receipt: Receipt,
    },
    /// It is not certain what was meant; use the input as it is.
    Declined(Decline),
}

impl Verdict {
    /// Declines what lies above the policy; everything else stays as it is.
    #[must_use]
    pub fn under(self, policy: Policy) -> Verdict {
        match self {
            Verdict::Mended { output, receipt } if !policy.accepts(receipt.grade) => {
                Verdict::Declined(Decline {
                    reason: Reason::AbovePolicy { grade: receipt.grade },
                    at: receipt.first_edit(),
                    readings: Vec::new(),
                    ending: receipt.ending,
                    would: Some(Box::new((output, receipt))),
                })
            }
            other => other,
        }
    }

    /// The text to use: the repaired one, or the input where it is intact; `None` where it is declined.
    #[must_use]
    pub fn text<'a>(&'a self, input: &'a str) -> Option<&'a str> {
        match self {
            Verdict::Intact { .. } => Some(input),
            Verdict::Mended { output, .. } => Some(output),
            Verdict::Declined(_) => None,
        }
    }

    /// `intact`, `mended` or `declined`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Verdict::Intact { .. } => "intact",
            Verdict::Mended { .. } => "mended",
            Verdict::Declined(_) => "declined",
        }
    }
}

/// What a repair did, and on what grounds. Output = input with the edits applied.
///
/// A whole level of escaping, an envelope that was opened, and the repairs that the schema decides are each
/// a step of their own; the edits of a step count in the text that the step before it made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The steps; at least one.
    pub steps: Steps,
    /// The grade of the riskiest edit.
    pub grade: Grade,
    /// Whether the model had finished, as far as the evidence goes.
    pub ending: Ending,
    /// The evidence for that.
    pub clues: Clues,
    /// Things worth knowing that are no reason to alter anything.
    pub notes: Vec<Note>,
}

impl Receipt {
    /// All edits as one list in bytes of the input.
    #[must_use]
    pub fn edits(&self, input: &str) -> Vec<Edit> {
        let mut all: Vec<Edit> = Vec::new();
        for step in self.steps.iter() {
            match edit::compose(input, &all, step) {
                Ok(composed) => all = composed,
                Err(_) => return all,
            }
        }
        all
    }

    /// The rules that changed bytes, in order of appearance, each once.
    #[must_use]
    pub fn rules(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        for e in self.steps.iter().flatten() {
            if !rules.contains(&e.rule) {
                rules.push(e.rule);
            }
        }
        rules
    }

    pub(crate) fn first_edit(&self) -> usize {
        self.steps.iter().flatten().next().map_or(0, |e| e.start)
    }
}

/// Something worth knowing about a body that is no reason to alter it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Which kind, as a word for machines.
    pub kind: NoteKind,
    /// The place: a JSON Pointer (RFC 6901), or empty for the whole body.
    pub at: String,
}

/// The kinds of [`Note`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoteKind {
    /// A key stands twice in one object; parsers differ in which one they keep.
    DuplicateKey,
    /// The turn was cut, and the body is an empty object: what was to follow may be missing.
    EmptyInCutTurn,
    /// The empty object, for a tool that has required properties.
    EmptyForRequired,
    /// A value holds another parameter's markup: `</content>\n<parameter name="x">`.
    SwallowedParameter,
    /// A value that looks like a path holds a control character.
    ControlInPath,
    /// The schema could not be used.
    SchemaUnusable,
    /// The body stood twice.
    IdenticalCopies,
}

impl NoteKind {
    /// The word for it in receipts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            NoteKind::DuplicateKey => "duplicate-key",
            NoteKind::EmptyInCutTurn => "empty-in-cut-turn",
            NoteKind::EmptyForRequired => "empty-for-required",
            NoteKind::SwallowedParameter => "swallowed-parameter",
            NoteKind::ControlInPath => "control-in-path",
            NoteKind::SchemaUnusable => "schema-unusable",
            NoteKind::IdenticalCopies => "identical-copies",
        }
    }
}

/// Why a body was declined, and what it could have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decline {
    /// Why.
    pub reason: Reason,
    /// Where, in bytes of the input.
    pub at: usize,
    /// The readings between which nothing decides, as outputs; at most [`MAX_SHOWN`].
    pub readings: Vec<String>,
    /// Whether the model had finished, as far as the evidence goes: a text that breaks off was cut, unless the caller
    /// vouches for something else.
    pub ending: Ending,
    /// With [`Reason::AbovePolicy`]: the output and the receipt that a laxer policy would have got.
    pub would: Option<Box<(String, Receipt)>>,
}

/// How many readings a [`Decline`] shows at most.
pub const MAX_SHOWN: usize = 4;

/// Why a body was declined.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// There is no text.
    Empty,
    /// There is no JSON object in the text.
    NoObject,
    /// A string is open at the end of the text: the rest of its words is unknown.
    OpenString,
    /// The text ends where more must follow: after an opener, a key, a colon or a comma.
    Dangling,
    /// The text ends inside a number or a literal.
    CutToken,
    /// The text departs from JSON here, and no rule says what was meant.
    Unreadable,
    /// More than one reading is left.
    Ambiguous,
    /// Two different objects: which one is the call is not certain.
    TwoBodies,
    /// What follows the object is the rest of something else.
    Rest,
    /// Nesting is deeper than [`MAX_NESTING`](crate::MAX_NESTING).
    TooDeep,
    /// Longer than [`MAX_BODY`](crate::MAX_BODY).
    TooLong,
    /// The search for readings took more steps than it may.
    OverBudget,
    /// The repair needs a higher grade than the policy accepts.
    AbovePolicy {
        /// The grade that it needs.
        grade: Grade,
    },
    /// The tool's schema does not admit it.
    SchemaInvalid {
        /// JSON Pointer of the first offending place.
        at: String,
        /// What is wrong there.
        what: String,
    },
    /// `{}` in a cut turn, for a tool that declares properties.
    EmptyInCutTurn,
    /// The body names another tool than the one that is called.
    OtherTool {
        /// The name that it gives.
        name: String,
    },
    /// The independent checker objected to the repair.
    Uncertified(Violation),
}

impl Reason {
    /// The word for machines.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Reason::Empty => "empty",
            Reason::NoObject => "no-object",
            Reason::OpenString => "open-string",
            Reason::Dangling => "dangling",
            Reason::CutToken => "cut-token",
            Reason::Unreadable => "unreadable",
            Reason::Ambiguous => "ambiguous",
            Reason::TwoBodies => "two-bodies",
            Reason::Rest => "rest",
            Reason::TooDeep => "too-deep",
            Reason::TooLong => "too-long",
            Reason::OverBudget => "over-budget",
            Reason::AbovePolicy { .. } => "above-policy",
            Reason::SchemaInvalid { .. } => "schema-invalid",
            Reason::EmptyInCutTurn => "empty-in-cut-turn",
            Reason::OtherTool { .. } => "other-tool",
            Reason::Uncertified(_) => "uncertified",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Empty => f.write_str("it says nothing, and the tool is not known to take nothing"),
            Reason::NoObject => f.write_str("there is no JSON object in the text"),
            Reason::OpenString => f.write_str("a string is open at the end of the text"),
            Reason::Dangling => f.write_str("the text ends where more must follow"),
            Reason::CutToken => f.write_str("the text ends inside a number or a literal"),
            Reason::Unreadable => f.write_str("the text is not JSON here and no rule says what was meant"),
            Reason::Ambiguous => f.write_str("more than one reading is possible"),
            Reason::TwoBodies => f.write_str("two different objects: which one is the call is not certain"),
            Reason::Rest => f.write_str("what follows the object is the rest of something else"),
            Reason::TooDeep => f.write_str("the nesting is too deep"),
            Reason::TooLong => f.write_str("the body is too long"),
            Reason::OverBudget => f.write_str("there are too many ways to read it"),
            Reason::AbovePolicy { grade } => write!(f, "the repair is of grade {grade}, above the policy"),
            Reason::SchemaInvalid { at, what } if at.is_empty() => {
                write!(f, "the tool's schema does not admit it: {what}")
            }
            Reason::SchemaInvalid { at, what } => {
                write!(f, "the tool's schema does not admit it: {what} ({at})")
            }
            Reason::EmptyInCutTurn => {
                f.write_str("an empty object in a cut turn, for a tool that takes arguments")
            }
            Reason::OtherTool { name } => write!(f, "it is a call of another tool, {name:?}"),
            Reason::Uncertified(v) => write!(f, "the repair did not pass its check: {v}"),
        }
    }
}
