//! Reasoning: up to its closing mark, or up to a whole call that the message ends with.

use alloc::vec::Vec;

use toolmend_core::{Ending, TextCall, TextEvent};

use crate::channel::Part;
use crate::marks::{self, Fit, Found, fit};
use crate::prose::Prose;
use crate::reader::{Mode, Reader};
use crate::region::{self, Read};

impl Reader<'_> {
    /// Reasoning, up to its closing mark. A whole call at its very end ends it, too.
    pub(crate) fn think(
        &mut self,
        close: &'static str,
        call: Option<usize>,
        last: Option<Ending>,
        sink: &mut dyn FnMut(TextEvent<'_>),
    ) -> bool {
        let mut i = self.seen;
        let mut call = call;
        while let Some(&byte) = self.text.as_bytes().get(self.at + i) {
            if matches!(byte, b'<' | b'[' | b']') && marks::may_begin(&self.text.as_bytes()[self.at + i..]) {
                let text = &self.text.as_bytes()[self.at + i..];
                match fit(text, close) {
                    Fit::Full(length) => {
                        self.out(Part::Reasoning, i, sink);
                        self.mode = Mode::Start;
                        self.out(Part::Mark, length, sink);
                        self.prose = Prose::default();
                        return true;
                    }
                    Fit::Part if last.is_none() => {
                        self.keep(close, call, i, sink);
                        return false;
                    }
                    _ => {}
                }
                if call.is_none() && self.ctx.tools.is_some() {
                    match marks::open(text, false) {
                        Found::Full(..) => call = Some(i),
                        Found::Part if last.is_none() => {
                            self.keep(close, call, i, sink);
                            return false;
                        }
                        _ => {}
                    }
                }
            }
            i += 1;
        }
        let Some(ending) = last else {
            self.keep(close, call, i, sink);
            return false;
        };
        if let Some(at) = call {
            self.out(Part::Reasoning, at, sink);
            if let Some((calls, end)) = self.ending_calls(ending) {
                self.calls(calls, end, sink);
                return true;
            }
            // Marks alone at the end of a cut thought.
            let text = self.rest();
            if let Found::Full(_, length) = marks::open(text.as_bytes(), false)
                && text[length..].trim_ascii().is_empty()
            {
                self.out(Part::Mark, self.rest().len(), sink);
                return true;
            }
        }
        self.out(Part::Reasoning, self.rest().len(), sink);
        true
    }

    /// Lets the reasoning out in which no call may stand, and keeps what has been looked at in mind.
    fn keep(
        &mut self,
        close: &'static str,
        call: Option<usize>,
        seen: usize,
        sink: &mut dyn FnMut(TextEvent<'_>),
    ) {
        let out = call.unwrap_or(seen);
        self.seen = seen;
        self.out(Part::Reasoning, out, sink);
        self.mode = Mode::Think { close, call: call.map(|_| 0) };
    }

    /// The calls that the text is, and nothing else but marks; none where the thought quotes or rejects them.
    fn ending_calls(&self, ending: Ending) -> Option<(Vec<TextCall>, usize)> {
        let text = self.rest();
        if self.prose.is_quoted() || self.prose.talks("", false) {
            return None;
        }
        let mut end = 0;
        let mut all = Vec::new();
        while end < text.len() {
            let Found::Full(opener, length) = marks::open(&text.as_bytes()[end..], true) else { return None };
            let Read::Calls(calls, used) = region::read(&text[end..], opener, length, ending, &self.ctx)
            else {
                return None;
            };
            all.extend(calls);
            end += used;
            end += marks::skip_closers(&text[end..]).0;
        }
        (ending != Ending::Cut && !all.is_empty()).then_some((all, end))
    }
}
