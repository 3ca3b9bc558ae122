//! What a turn was: its text, its calls, and how it ended.

use core::fmt;
use std::collections::BTreeSet;

use toolmend_core::{Clue, Ending, Evidence};

use crate::protocol::ProtocolKind;

/// One turn, read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The protocol that the bytes speak.
    pub protocol: ProtocolKind,
    /// The first model name that the server gave.
    pub model: Option<String>,
    /// The calls of all choices, ordered by choice and then as they were opened.
    pub calls: Vec<Call>,
    /// The text of the first choice.
    pub content: String,
    /// The reasoning of the first choice.
    pub reasoning: String,
    /// How the first choice ended.
    pub finish: Finish,
    /// The further choices, where the request asked for several.
    pub others: Vec<Choice>,
    /// What the server counted.
    pub usage: Option<Usage>,
    /// Whether the end of the turn was seen: `[DONE]`, or a body that is whole.
    pub terminal: bool,
    /// What was wrong with single events, in the order of their bytes; the turn was read all the same.
    pub faults: Vec<Fault>,
    /// The calls whose arguments came value by value, by their choice and their number.
    pub(crate) in_parts: BTreeSet<(u32, u32)>,
}

/// A choice beside the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its number in the protocol.
    pub index: u32,
    /// Its text.
    pub content: String,
    /// Its reasoning.
    pub reasoning: String,
    /// How it ended.
    pub finish: Finish,
}

/// One call, put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The choice that it belongs to.
    pub choice: u32,
    /// Its number within the choice: the server's where it is usable, else the next free one.
    pub index: u32,
    /// The first id that is not empty.
    pub id: Option<String>,
    /// The tool's name; empty where none came.
    pub name: String,
    /// The body: the text of the arguments as the server passed it on.
    pub arguments: String,
    /// Why the body is not what the model wrote, where that is known; such a call must not be repaired.
    pub fault: Option<CallFault>,
    /// What the order of events says about its end.
    pub(crate) bound: Bound,
    /// It came in the protocol's older form.
    pub(crate) legacy: bool,
}

/// What the order of events says about the end of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Another call of the same choice was opened after its last piece.
    Followed,
    /// Nothing came after it: the end of the turn is its end.
    Last,
    /// An event was lost while it was open, or the server says that it broke off.
    Torn,
}

/// Why a call's body is not what the model wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallFault {
    /// Half of a surrogate pair (RFC 8259, section 8.2) stood alone; U+FFFD stands in its place.
    LoneSurrogate {
        /// Where, in bytes of the text that holds it.
        at: usize,
    },
    /// An event that could not be read came between two pieces of the arguments.
    PieceLost {
        /// First byte of that event, in bytes of the recording.
        offset: u64,
    },
    /// The arguments came partly as text and partly as an object, or as objects that contradict each
    /// other.
    MixedArguments,
    /// Something stood in the place of the arguments that the protocol does not have there.
    UnreadableArguments,
    /// They came value by value and need a repair, which cannot be written in that form.
    ValueByValue,
    /// Another name came while the arguments were being written.
    NameChanged {
        /// The other name.
        to: String,
    },
}

impl CallFault {
    /// The word for machines.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            CallFault::LoneSurrogate { .. } => "lone-surrogate",
            CallFault::PieceLost { .. } => "piece-lost",
            CallFault::MixedArguments => "mixed-arguments",
            CallFault::UnreadableArguments => "unreadable-arguments",
            CallFault::ValueByValue => "value-by-value",
            CallFault::NameChanged { .. } => "name-changed",
        }
    }
}

impl fmt::Display for CallFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallFault::LoneSurrogate { at } => {
                write!(f, "half of a surrogate pair stands alone at byte {at}, so the text is not Unicode")
            }
            CallFault::PieceLost { offset } => {
                write!(f, "a piece of the arguments is lost: the event at byte {offset} could not be read")
            }
            CallFault::MixedArguments => {
                f.write_str("the arguments came in pieces that contradict each other")
            }
            CallFault::UnreadableArguments => {
                f.write_str("the arguments came in a form that the protocol does not have")
            }
            CallFault::ValueByValue => {
                f.write_str("the arguments came value by value, and a repair cannot be written in that form")
            }
            CallFault::NameChanged { to } => {
                write!(f, "the name changed to {to:?} while the arguments were being written")
            }
        }
    }
}

/// How a choice ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Finish {
    /// The body is whole and has no such field.
    #[default]
    Missing,
    /// The turn ended without a finish reason.
    Null,
    /// The server's word for it.
    Word(String),
}

impl Finish {
    /// The server's word, where there is one.
    #[must_use]
    pub fn word(&self) -> Option<&str> {
        match self {
            Finish::Word(word) => Some(word),
            Finish::Missing | Finish::Null => None,
        }
    }

    /// What a server says later: the later word counts; but an end is a claim, and a cut was measured.
    pub(crate) fn say(&mut self, later: Finish) {
        if !self.says_cut() && (later != Finish::Null || self.word().is_none()) {
            *self = later;
        }
    }

    fn evidence(&self) -> Evidence<'static> {
        match self {
            Finish::Missing => Evidence::new(),
            Finish::Null => Evidence::new().finish_reason(None),
            Finish::Word(word) => Evidence::new().finish_reason(Some(word)),
        }
    }

    /// The server's word says that the model stopped by itself.
    pub(crate) fn says_complete(&self) -> bool {
        self.word().is_some() && self.evidence().ending() == Ending::Complete
    }

    /// The server's word says that the output was cut by its length.
    pub(crate) fn says_length(&self) -> bool {
        self.evidence().clues().contains(Clue::FinishLength)
    }

    /// The server's word says that the output was cut.
    pub(crate) fn says_cut(&self) -> bool {
        self.word().is_some() && self.evidence().ending() == Ending::Cut
    }
}

/// What the server counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input_tokens: Option<u64>,
    /// Tokens that the model wrote, reasoning included, over all choices.
    pub output_tokens: u64,
}

impl Usage {
    /// What a server counts later. What was written stays written: a lower count that comes later is of something else.
    pub(crate) fn count(&mut self, later: Usage) {
        self.input_tokens = later.input_tokens.or(self.input_tokens);
        self.output_tokens = later.output_tokens.max(self.output_tokens);
    }
}

/// Something that was wrong with one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// Where, in bytes of the recording.
    pub offset: u64,
    /// The line of that byte, from 1.
    pub line: u64,
}

/// The kinds of [`Fault`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The event is not UTF-8.
    NotUtf8,
    /// The event is not JSON.
    NotJson,
    /// The event is an error that the server reports.
    ServerError {
        /// Its words.
        message: String,
    },
    /// Half of a surrogate pair stood alone in text or reasoning; U+FFFD stands in its place.
    LoneSurrogate,
    /// The event, and whatever follows, stands behind the end of the turn. It was not read.
    BehindTheEnd,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FaultKind::NotUtf8 => f.write_str("an event is not UTF-8")?,
            FaultKind::NotJson => f.write_str("an event is not JSON")?,
            FaultKind::ServerError { message } => write!(f, "the server reports an error: {message}")?,
            FaultKind::LoneSurrogate => f.write_str("half of a surrogate pair stands alone in the text")?,
            FaultKind::BehindTheEnd => f.write_str("what stands behind the end of the turn was not read")?,
        }
        write!(f, " (line {}, byte {})", self.line, self.offset)
    }
}

impl Recorded {
    /// How the choice of this number ended; how the first one did, where there is no other of this number.
    #[must_use]
    pub fn finish_of(&self, choice: u32) -> &Finish {
        self.others.iter().find(|c| c.index == choice).map_or(&self.finish, |c| &c.finish)
    }

    /// Whether this call's arguments came value by value, so that no repair can be written into the turn.
    #[must_use]
    pub fn is_in_parts(&self, call: &Call) -> bool {
        self.in_parts.contains(&(call.choice, call.index))
    }

    /// Whether the model had finished the turn, as far as the turn says.
    #[must_use]
    pub fn ending(&self, max_tokens: Option<u64>) -> Ending {
        end_of_turn(&self.finish, self.usage, self.others.len() + 1, max_tokens).ending()
    }

    /// What this turn says about the ending of one of its calls.
    ///
    /// `max_tokens` is the request's cap on output tokens, where it is known. Marks are the caller's to add.
    #[must_use]
    pub fn evidence<'a>(&'a self, call: &'a Call, max_tokens: Option<u64>) -> Evidence<'a> {
        let finish = self.finish_of(call.choice);
        call.evidence(end_of_turn(finish, self.usage, self.others.len() + 1, max_tokens))
    }
}

/// What a turn says about the end of its last call.
pub(crate) fn end_of_turn(
    finish: &Finish,
    usage: Option<Usage>,
    choices: usize,
    max_tokens: Option<u64>,
) -> Evidence<'static> {
    match (usage, max_tokens) {
        // The server counts all choices together; a cap holds for each.
        (Some(usage), Some(cap)) if choices < 2 => finish.evidence().usage(usage.output_tokens, cap),
        _ => finish.evidence(),
    }
}

impl Call {
    /// What is known of the ending of this call, where `end` is what is known of the turn's.
    ///
    /// A call after whose last piece another call of the same choice was opened was ended by the model,
    /// whatever became of the turn; only the last one can be cut. A call that was open when an event got
    /// lost is cut, whatever the turn says, and so is one of which the server says so.
    #[must_use]
    pub fn evidence<'a>(&'a self, end: Evidence<'a>) -> Evidence<'a> {
        match self.bound {
            Bound::Followed => Evidence::new().stated(Ending::Complete),
            Bound::Torn => Evidence::new().stated(Ending::Cut),
            Bound::Last => end,
        }
        .tool(&self.name)
    }

    pub(crate) fn says_as(&self, other: &Call) -> bool {
        self.name == other.name && self.arguments == other.arguments
    }
}
