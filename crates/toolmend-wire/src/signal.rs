//! What an event says, whatever protocol it speaks.

use crate::limits::Exceeded;
use crate::recorded::Usage;
use crate::text::Text;

/// One thing that an event says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal<'a> {
    /// The model's name.
    Model(Text<'a>),
    /// There is a choice of this number.
    Choice(u32),
    /// A piece of a call.
    Call(Piece<'a>),
    /// The call of this slot gets no more pieces.
    Closed {
        /// The number of the choice.
        choice: u32,
        /// Which call of the choice.
        slot: Slot,
    },
    /// The server says that it broke off: the call of this slot, or whichever the choice ends with.
    Cut {
        /// The number of the choice.
        choice: u32,
        /// Which call of the choice.
        slot: Option<Slot>,
    },
    /// This number of the choice is that of something that is no call of ours.
    Foreign {
        /// The number of the choice.
        choice: u32,
        /// The number within it.
        number: u32,
    },
    /// The event holds something of which it is not known where it belongs.
    Lost,
    /// Who speaks in this choice was said.
    Role(u32),
    /// A piece of a choice's text.
    Content {
        /// The number of the choice.
        choice: u32,
        /// The piece.
        text: Text<'a>,
    },
    /// A piece of a choice's reasoning.
    Reasoning {
        /// The number of the choice.
        choice: u32,
        /// The piece.
        text: Text<'a>,
    },
    /// A choice ended.
    Finish {
        /// The number of the choice.
        choice: u32,
        /// The server's word for why; `None` where it gives none.
        word: Option<Text<'a>>,
    },
    /// What the server counted so far.
    Usage(Usage),
    /// The event holds the whole turn.
    Whole,
    /// The protocol's mark of the end of a turn.
    End,
    /// All that is known of has ended, and it may be the turn; a protocol without a mark of the end says no more.
    Ended,
}

/// A piece of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The choice that the call belongs to.
    pub choice: u32,
    /// Which call of the choice.
    pub slot: Slot,
    /// The protocol says that a call begins here, whatever its slot held before.
    pub opens: bool,
    /// The call's id, where the piece has one.
    pub id: Option<Text<'a>>,
    /// What kind of call it is, in the protocol's word, where the piece says so.
    pub kind: Option<Text<'a>>,
    /// The tool's name, where the piece has one.
    pub name: Option<Text<'a>>,
    /// How the protocol writes the arguments here.
    pub form: Form,
    /// The next piece of the arguments.
    pub arguments: Option<Arguments<'a>>,
}

/// How a protocol writes arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As text: a JSON string that holds the object.
    Text,
    /// As the object itself.
    Object,
}

/// Which call of a choice a piece belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Slot {
    /// The call of this number.
    Numbered(u32),
    /// The server gave no number: the call of the same id, else the latest one.
    Unnumbered,
    /// The piece is a whole call; no other piece belongs to it.
    Whole,
    /// The one call of the protocol's older form.
    Legacy,
}

/// A piece of a call's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arguments<'a> {
    /// Text that follows on the text before it.
    Text(Text<'a>),
    /// JSON as it stands in the event: an object where the protocol has objects, or where it has text and a
    /// server writes an object.
    Json(&'a str),
    /// Values with the paths that they belong to.
    Parts {
        /// An array of them, as it stands in the event.
        parts: &'a str,
        /// More are to come.
        more: bool,
    },
    /// Not a piece but all of them once more, as the server put them together. Of copies that differ, the
    /// one of the highest rank counts.
    Copy {
        /// The text; an object as it stands in the event.
        text: Text<'a>,
        /// How much it is worth.
        rank: u8,
    },
    /// Something stands in their place that is none of these.
    Unreadable,
}

impl Arguments<'_> {
    /// Whether there is nothing in them.
    #[must_use]
    pub fn is_empty(self) -> bool {
        match self {
            Arguments::Text(text) => text.is_empty(),
            Arguments::Copy { text, .. } => text.is_empty(),
            Arguments::Json(text) => text.is_empty(),
            Arguments::Parts { .. } | Arguments::Unreadable => false,
        }
    }

    /// The text that they add to the body.
    #[must_use]
    pub fn to_text(self) -> String {
        match self {
            Arguments::Text(text) | Arguments::Copy { text, .. } => text.to_text(),
            Arguments::Json(text) | Arguments::Parts { parts: text, .. } => text.to_owned(),
            Arguments::Unreadable => String::new(),
        }
    }
}

/// Takes signals.
pub type Sink<'s, 'a> = dyn FnMut(Signal<'a>) -> Result<(), Exceeded> + 's;
