//! Where a piece of a call stands in its event, for those who write.

use crate::json::Value;
use crate::signal::Form;

/// Where a piece of a call stands in its event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site<'a> {
    /// What can be taken out where the piece says nothing that another one has not said.
    pub(crate) item: Value<'a>,
    /// The object with the call's number, its id and its kind.
    pub(crate) entry: Value<'a>,
    /// The object with its name and arguments; often the same.
    pub(crate) function: Value<'a>,
    /// The object that says who speaks, where the protocol has one.
    pub(crate) message: Option<Value<'a>>,
    /// How the members are called.
    pub(crate) keys: &'static Keys,
}

/// How the members of a [`Site`] are called; `None` where the protocol has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keys {
    /// The call's number, as clients count.
    pub(crate) index: Option<&'static str>,
    /// The call's id.
    pub(crate) id: Option<&'static str>,
    /// Its kind, and the one word for it.
    pub(crate) kind: Option<(&'static str, &'static str)>,
    /// The object inside the entry that holds the name and the arguments, where it is one of its own.
    pub(crate) function: Option<&'static str>,
    /// The tool's name.
    pub(crate) name: Option<&'static str>,
    /// Its arguments.
    pub(crate) arguments: &'static str,
    /// The member that says how a call ended, and the word for one that was cut.
    pub(crate) status: Option<(&'static str, &'static str)>,
    /// How the arguments are written here.
    pub(crate) form: Form,
    /// What it holds of them.
    pub(crate) part: Part,
}

/// What of the arguments a piece holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The next piece of them.
    Piece,
    /// All of them once more.
    Copy,
    /// All of them, where no pieces follow; an empty object where some do.
    Start,
}
