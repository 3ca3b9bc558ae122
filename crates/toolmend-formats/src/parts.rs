//! What a text comes to, put together.

use alloc::string::String;
use alloc::vec::Vec;

use toolmend_core::{TextCall, TextEvent};

/// The parts of a text that was read to its end: for whoever wants no events.
///
/// White space that touches a mark belongs to neither content nor reasoning.
///
/// ```
/// use toolmend_core::{Ending, TextReader};
/// use toolmend_formats::{Parts, Reader};
///
/// let mut reader = Reader::without_tools();
/// let mut parts = Parts::default();
/// reader.push("<think>\nIs it?\n</think>\n\nIt is.", &mut |event| parts.take(event));
/// reader.finish(Ending::Complete, &mut |event| parts.take(event));
/// let parts = parts.end();
/// assert_eq!((parts.content.as_str(), parts.reasoning.as_str()), ("It is.", "Is it?"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// What the model says to the user.
    pub content: String,
    /// What it thinks.
    pub reasoning: String,
    /// The calls that were made.
    pub calls: Vec<TextCall>,
    /// Whether the last part was a mark or a call.
    marked: bool,
    /// Whether that was so before the reasoning ended.
    thought: bool,
}

impl Parts {
    /// Takes the next part.
    pub fn take(&mut self, event: TextEvent<'_>) {
        match event {
            TextEvent::Content(text) => {
                let inner = self.marked && self.content.trim_ascii().is_empty();
                self.content.push_str(if inner { text.trim_ascii_start() } else { text });
                self.marked &= text.trim_ascii().is_empty();
            }
            TextEvent::Reasoning(text) => {
                let first = self.reasoning.is_empty();
                self.reasoning.push_str(if first { text.trim_ascii_start() } else { text });
                self.thought = false;
            }
            TextEvent::Mark(_) => (self.marked, self.thought) = (true, true),
            TextEvent::Call(call) => {
                (self.marked, self.thought) = (true, true);
                self.calls.push(call);
            }
        }
    }

    /// The text is over.
    #[must_use]
    pub fn end(mut self) -> Parts {
        if self.marked {
            self.content.truncate(self.content.trim_ascii_end().len());
        }
        if self.thought {
            self.reasoning.truncate(self.reasoning.trim_ascii_end().len());
        }
        self
    }
}
