//! How a family writes its calls.

/// The ways to write calls. Whatever the family, the text decides first: what stands behind a mark tells how
/// it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grammar {
    /// One JSON envelope in tags.
    JsonInTags,
    /// A JSON array of envelopes at a mark.
    JsonArray,
    /// A name, a mark, JSON.
    NameAndJson,
    /// `<function=NAME>` with `<parameter=KEY>` tags.
    FunctionTags,
    /// `<invoke name="NAME">` with parameter tags.
    InvokeTags,
    /// A name with key and value tags.
    KeyValueTags,
    /// Python calls.
    PythonCalls,
    /// Messages on channels.
    Channels,
    /// `call:NAME{key:value}`.
    Braces,
}

impl Grammar {
    /// The words for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Grammar::JsonInTags => "JSON in tags",
            Grammar::JsonArray => "JSON array at a mark",
            Grammar::NameAndJson => "name, mark, JSON",
            Grammar::FunctionTags => "function tags",
            Grammar::InvokeTags => "invoke tags",
            Grammar::KeyValueTags => "key and value tags",
            Grammar::PythonCalls => "Python calls",
            Grammar::Channels => "channel messages",
            Grammar::Braces => "braces",
        }
    }
}

/// How values stand in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Values {
    /// With types: JSON, or literals.
    Typed,
    /// As they are, with one line end on either side that is markup.
    OneLineEnd,
    /// As they are.
    Verbatim,
    /// As Python prints them.
    Python,
}

impl Values {
    /// The words for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Values::Typed => "typed",
            Values::OneLineEnd => "untyped, between line ends",
            Values::Verbatim => "untyped, verbatim",
            Values::Python => "as Python prints them",
        }
    }
}

/// How a family writes its calls, and what it puts around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Format {
    /// The grammar of its calls.
    pub grammar: Grammar,
    /// How values stand there.
    pub values: Values,
    /// Whether calls carry ids that are kept.
    pub ids: bool,
    /// Its marks around reasoning.
    pub reasoning: Option<(&'static str, &'static str)>,
    /// Its marks around an answer, which say nothing.
    pub frame: Option<(&'static str, &'static str)>,
    /// Whether a bare envelope that begins the message is its native form, so that prose may follow.
    pub leads: bool,
}

impl Format {
    pub(crate) const fn of(grammar: Grammar) -> Format {
        Format { grammar, values: Values::Typed, ids: false, reasoning: None, frame: None, leads: false }
    }
}
