//! The protocols: how an event says what it says. One file each.
//!
//! Adding one touches its file, its row in the table below, and its cases.

mod anthropic;
mod gemini;
mod ollama;
mod openai_chat;
mod openai_responses;

use crate::assembly::is_placeholder;
use crate::json::Value;
use crate::limits::Exceeded;
use crate::signal::{Arguments, Sink};
use crate::site::Site;
use crate::splice::Splices;
use crate::text::Text;

/// Reads the events of one turn.
pub(crate) trait Protocol: core::fmt::Debug + Send {
    /// Whether this event, of a turn whose protocol is not known yet, can only be one of this protocol.
    fn recognises(&self, event: Value<'_>) -> bool;

    /// Whether this text, which need not be JSON, is the protocol's mark of the end of a turn.
    fn ends(&self, data: &str) -> bool;

    /// Tells what an event says. What is not known is passed over.
    ///
    /// # Errors
    /// When the sink has had too much.
    fn read<'a>(&mut self, event: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded>;

    /// Whether what an event says depends on the events that were read before it, or on what its texts and pieces of
    /// arguments say: those are but passed on. Where it does not, [adds](Protocol::adds), [block](Protocol::block) and
    /// [envelope](Protocol::envelope) are what they are by default.
    fn remembers(&self) -> bool {
        true
    }

    /// Tells where each piece of a call stands in an event that was read, in the order of its signals.
    fn sites<'a>(&self, event: Value<'a>, each: &mut dyn FnMut(Site<'a>));

    /// The values that say how a choice ended, each with the choice's number and the protocol's word for an output
    /// that was cut.
    fn ends_as_cut<'a>(&self, event: Value<'a>) -> Vec<(u32, Value<'a>, &'static str)>;

    /// What its clients cannot do without.
    fn needs(&self) -> Needs;

    /// An event of the stream that says more of a call's arguments, made for the call of `event`, which held a
    /// piece of it; `None` where none can be made.
    fn more(&self, _event: Value<'_>, _more: More<'_>) -> Option<String> {
        None
    }

    /// Whether an event that was made may follow on this one.
    fn adds(&self, _event: Value<'_>) -> bool {
        true
    }

    /// The block that the event is about that was just read, by its place, and what it does to it; where clients
    /// take one block at a time.
    fn block(&self) -> Option<(u32, Step)> {
        None
    }

    /// What clients cannot take about an event that was just read, whatever calls it is about.
    fn envelope(&mut self, _event: Envelope<'_>, _changes: &mut Splices) {}
}

/// What an event of its own says of a call's arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct More<'a> {
    pub(crate) choice: u32,
    /// The number that the server gives the call, and the one that the client knows it by.
    pub(crate) own: Option<u32>,
    pub(crate) number: Option<u32>,
    /// What follows on the arguments that were said.
    pub(crate) text: &'a str,
}

/// What an event does to its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Open,
    Inside,
    Close,
}

/// An event as a whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Envelope<'a> {
    /// Its name; empty where it has none.
    pub(crate) name: &'a [u8],
    /// Its bytes.
    pub(crate) raw: &'a [u8],
    /// Its value, a part of those bytes.
    pub(crate) value: Value<'a>,
    /// It is one of an event stream.
    pub(crate) stream: bool,
}

/// What the protocol's clients cannot do without.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Every event of the stream has data.
    pub(crate) data: bool,
    /// The pieces of calls are numbered, the numbers dense and in order.
    pub(crate) numbers: bool,
    /// Every call has an id, said once, and a kind.
    pub(crate) ids: bool,
    /// A message says who speaks.
    pub(crate) roles: bool,
    /// Why a choice ended is said behind all that there is of it.
    pub(crate) finish: bool,
}

/// The arguments that a piece of a call gives, where `own` is the protocol's member for them. Where it has none, and a
/// member of another protocol says something in one of these objects, they are not known.
fn arguments_in<'a>(own: Option<Value<'a>>, objects: &[Value<'a>]) -> Option<Arguments<'a>> {
    match own {
        Some(said) => Some(said.text().map_or(Arguments::Json(said.raw()), Arguments::Text)),
        None => is_elsewhere(objects).then_some(Arguments::Unreadable),
    }
}

/// Whether one of these objects has something in a member that one protocol or another has arguments in.
fn is_elsewhere(objects: &[Value<'_>]) -> bool {
    let members = objects.iter().flat_map(|object| object.pick(["arguments", "input", "args", "parameters"]));
    members
        .flatten()
        .map(|said| whole_text(said).to_text())
        .any(|said| !said.trim().is_empty() && !is_placeholder(&said))
}

/// All of the arguments as a server put them together: a text, or the object itself.
fn whole_text(said: Value<'_>) -> Text<'_> {
    said.text().unwrap_or(Text::Plain(said.raw()))
}

macro_rules! protocols {
    ($($(#[$doc:meta])* $variant:ident $name:literal => $reader:expr,)*) => {
        /// The protocols that are known.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ProtocolKind {
            $($(#[$doc])* $variant,)*
        }

        impl ProtocolKind {
            /// Every protocol, in the order in which they are tried.
            pub const ALL: &'static [ProtocolKind] = &[$(ProtocolKind::$variant,)*];

            /// Its name, in kebab case.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(ProtocolKind::$variant => $name,)*
                }
            }

            /// A reader at the beginning of a turn.
            #[must_use]
            pub(crate) fn reader(self) -> Box<dyn Protocol> {
                match self {
                    $(ProtocolKind::$variant => Box::new($reader),)*
                }
            }
        }
    };
}

protocols! {
    /// OpenAI Chat Completions, streamed or not.
    OpenAiChat "openai-chat" => openai_chat::OpenAiChat,
    /// OpenAI Responses, streamed or not.
    OpenAiResponses "openai-responses" => openai_responses::OpenAiResponses::default(),
    /// Anthropic Messages, streamed or not.
    Anthropic "anthropic" => anthropic::Anthropic::default(),
    /// Ollama `/api/chat`, streamed or not.
    Ollama "ollama" => ollama::Ollama,
    /// Gemini `generateContent`, streamed or not.
    Gemini "gemini" => gemini::Gemini,
}

impl core::fmt::Display for ProtocolKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}
