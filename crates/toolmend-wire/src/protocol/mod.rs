//! The protocols: how an event says what it says. One file each.
//!
//! Adding one touches its file, its row in the table below, and its cases.

mod openai_chat;

use crate::json::Value;
use crate::limits::Exceeded;
use crate::signal::Sink;

/// Reads the events of one turn.
pub trait Protocol: core::fmt::Debug + Send {
    /// Whether this event, of a turn whose protocol is not known yet, can only be one of this protocol.
    fn recognises(&self, event: Value<'_>) -> bool;

    /// Whether this text, which need not be JSON, is the protocol's mark of the end of a turn.
    fn ends(&self, data: &str) -> bool;

    /// Tells what an event says. What is not known is passed over.
    ///
    /// # Errors
    /// When the sink has had too much.
    fn read<'a>(&mut self, event: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded>;
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
            pub fn reader(self) -> Box<dyn Protocol> {
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
}

impl core::fmt::Display for ProtocolKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}
