//! The text between strings that may hold stray quotes.

use super::signs::stands_apart;
use crate::context::Context;
use crate::read::frame::Head;
use crate::read::lexeme::{Lexeme, Spot, inside, json_escape, skip_white};
use crate::read::{gap, token, token_fault};
use crate::scan::{AT_CLOSE, AT_STRING, Halt, Scanner, Slot};
use crate::{Edit, Rule};

/// What a token that a rule knows costs, in stray quotes.
pub(super) const TOKEN: usize = 3;

/// What is read, and by which quotes.
#[derive(Clone, Copy)]
pub(super) struct Body<'t> {
    pub(super) text: &'t str,
    pub(super) head: &'t Head,
    pub(super) ctx: &'t Context<'t>,
    /// `"` or `'`.
    pub(super) quote: u8,
}

/// What came of a walk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walked {
    pub(super) met: Met,
    /// What the tokens on the way cost.
    pub(super) cost: usize,
    /// An item on the way may be a part of a longer one, or hold several.
    pub(super) doubtful: bool,
}

/// What a walk came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    /// The outermost container is closed; the index is that of the byte after it.
    Closed(usize),
    /// A value in the body's quotes opens here.
    Opens(usize),
    /// Nothing leads on from this byte.
    Nothing(usize),
}

impl Body<'_> {
    /// Walks from `at` to the next value in the body's quotes: everything before it must be certain as it stands.
    /// The edits of tokens on the way are given to `edit`.
    pub(super) fn walk(&self, scan: &mut Scanner, mut at: usize, mut edit: impl FnMut(Edit)) -> Walked {
        let bytes = self.text.as_bytes();
        let (mut cost, mut doubtful) = (0, false);
        let met = loop {
            let (stop, string) = match scan.run::<{ AT_CLOSE | AT_STRING }>(bytes, 0, at) {
                Halt::Closed(end) => break Met::Closed(end),
                Halt::End => break Met::Nothing(bytes.len()),
                Halt::TooDeep(stop) | Halt::Comma(stop) => break Met::Nothing(stop),
                Halt::Str(stop) => (stop, true),
                Halt::Fault(stop) => (stop, false),
            };
            if !scan.in_token() && scan.slot().takes_value() && bytes[stop] == self.quote {
                break Met::Opens(stop);
            }
            let end = if string {
                let item = scan.slot() != Slot::Value;
                let end = self.other_kind(scan, stop);
                doubtful |= item && end.is_some_and(|end| !stands_apart(self.text, stop, end - 1));
                end
            } else {
                self.step(scan, stop, &mut cost, &mut edit)
            };
            match end {
                Some(end) => at = end,
                None => break Met::Nothing(stop),
            }
        };
        Walked { met, cost, doubtful }
    }

    /// How many bytes were looked through in vain where nothing led on: what a comment or a quotation that never ends
    /// would hold.
    pub(super) fn looked(&self, stop: usize) -> usize {
        match self.text.as_bytes().get(stop) {
            Some(b'/' | b'#' | b'\'' | b'`' | 0xc2 | 0xe2) => self.text.len() - stop,
            _ => 0,
        }
    }

    /// Takes a string in the other kind of quotes, as JSON writes it; answers where it ends.
    fn other_kind(&self, scan: &mut Scanner, at: usize) -> Option<usize> {
        let read = inside(self.text, at + 1, b'"')?;
        if !read.raw.is_empty() || !read.pairs.iter().all(|&p| json_escape(self.text, p)) {
            return None;
        }
        scan.took(at, read.close + 1);
        scan.set_slot(Slot::After);
        Some(read.close + 1)
    }

    /// Takes a gap or a token that a rule knows, and answers where it ends; a token's cost is added to `cost`. No
    /// punctuation is repaired here.
    fn step(
        &self,
        scan: &mut Scanner,
        at: usize,
        cost: &mut usize,
        mut edit: impl FnMut(Edit),
    ) -> Option<usize> {
        if !scan.in_token()
            && let Some((rule, end)) = self.gap(at)
        {
            edit(Edit::delete(rule, at, end));
            return Some(end);
        }
        let beyond = (!scan.in_token()).then_some(at);
        let at = if token_fault(self.text, scan, at) { scan.token() } else { at };
        let slot = match scan.slot() {
            Slot::After if at == scan.token() => {
                if scan.inside_object() {
                    Slot::Value
                } else {
                    Slot::Item
                }
            }
            slot => slot,
        };
        let own_key = slot.takes_key() && self.text.as_bytes()[at] == self.quote;
        let lexeme = token(&self.spot(at, slot))?;
        // A token that ends before what was to be explained explains nothing.
        if beyond.is_some_and(|byte| lexeme.end <= byte) {
            return None;
        }
        scan.took(at, lexeme.end);
        scan.set_slot(if slot.takes_key() { Slot::Colon } else { Slot::After });
        lexeme.edits.into_iter().for_each(edit);
        // A key in the body's own quotes is written as all others are.
        *cost += if own_key { 0 } else { TOKEN };
        Some(lexeme.end)
    }

    /// The string at `at`, as a rule reads it whole: three quotes, or parts joined by `+`.
    pub(super) fn whole(&self, at: usize, slot: Slot) -> Option<Lexeme> {
        let lexeme = token(&self.spot(at, slot)).filter(|_| self.quote == b'"')?;
        lexeme.edits.iter().any(|e| e.rule != Rule::RawControl).then_some(lexeme)
    }

    /// Whether the quote at `close` may end a string: a delimiter, or the end of the text, follows; and where what
    /// follows stands.
    pub(super) fn ends(&self, close: usize) -> (usize, bool) {
        let mut at = skip_white(self.text, close + 1);
        while at < self.text.len()
            && let Some((_, end)) = self.gap(at)
        {
            at = skip_white(self.text, end);
        }
        (at, matches!(self.text.as_bytes().get(at), None | Some(b',' | b'}' | b']')))
    }

    /// Something at `at` that says nothing. An over-escaped line break may as well be content of a string
    /// that goes on, unless the whole body is written with them.
    fn gap(&self, at: usize) -> Option<(Rule, usize)> {
        let first = skip_white(self.text, self.head.start + usize::from(!self.head.headless));
        gap(self.text, at)
            .filter(|&(rule, _)| rule != Rule::LiteralNewline || self.text[first..].starts_with('\\'))
    }

    fn spot(&self, at: usize, slot: Slot) -> Spot<'_> {
        Spot { text: self.text, at, slot, ctx: self.ctx }
    }
}
