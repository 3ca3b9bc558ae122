//! What passes between a turn, a reader of its text, and the tools that were offered.
//!
//! A server that does not know a model's format leaves its calls in the assistant's text. Whoever reads
//! that text implements [`TextReader`]; whoever knows the tools implements [`Offer`].

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Ending, Judge, Rule};

/// The tools that a request offered, as a reader of text asks for them.
pub trait Offer {
    /// By what a call of this tool is judged; `None` where it was not offered.
    fn judge(&self, tool: &str) -> Option<&dyn Judge>;

    /// Which kinds of values the tool's schema admits for this parameter.
    fn kinds(&self, _tool: &str, _parameter: &str) -> Kinds {
        Kinds::UNKNOWN
    }
}

/// The kinds of JSON values that may stand in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds(u8);

impl Kinds {
    /// Nothing is said.
    pub const UNKNOWN: Kinds = Kinds(0);
    /// A string.
    pub const STRING: Kinds = Kinds(1);
    /// A number, with or without a fraction.
    pub const NUMBER: Kinds = Kinds(2);
    /// `true` or `false`.
    pub const BOOLEAN: Kinds = Kinds(4);
    /// `null`.
    pub const NULL: Kinds = Kinds(8);
    /// An object.
    pub const OBJECT: Kinds = Kinds(16);
    /// An array.
    pub const ARRAY: Kinds = Kinds(32);
    /// The word `null` is listed as a string, so it is not the literal.
    pub const NULL_WORD: Kinds = Kinds(64);

    /// Both together.
    #[must_use]
    pub const fn with(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether all of `other` is in it.
    #[must_use]
    pub const fn holds(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing is said.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        self.0 == 0
    }
}

/// A part of an assistant's text. The texts of all parts, in order, are the text that was read, byte for
/// byte; how it is cut into parts of one kind says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextEvent<'t> {
    /// What the model says to the user.
    Content(&'t str),
    /// What it thinks.
    Reasoning(&'t str),
    /// Marks of the format, and the white space that touches them.
    Mark(&'t str),
    /// A call, whole, of a tool that was offered, with arguments that its judge admits.
    Call(TextCall),
}

/// A call that was found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextCall {
    /// The tool.
    pub name: String,
    /// Its arguments: one JSON object.
    pub arguments: String,
    /// The id that the model gave it.
    pub id: Option<String>,
    /// The text that it was made of, marks and all.
    pub source: String,
    /// The rules that mended it; none where it stood as its format writes it.
    pub rules: Vec<Rule>,
    /// The grade of the riskiest of them.
    pub grade: Option<crate::Grade>,
}

/// Reads an assistant's text as it arrives.
///
/// The same text gives the same parts, however it is split.
pub trait TextReader {
    /// The model's name, where it is told by the turn, before its text.
    fn model(&mut self, _name: &str) {}

    /// The next piece. What cannot be the beginning of a call leaves at once.
    fn push(&mut self, piece: &str, sink: &mut dyn FnMut(TextEvent<'_>));

    /// The text is over: all that is left leaves.
    fn finish(&mut self, ending: Ending, sink: &mut dyn FnMut(TextEvent<'_>));
}
