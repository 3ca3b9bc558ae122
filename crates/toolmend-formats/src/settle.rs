//! What becomes of marks that begin calls, once the message is over.

use alloc::vec::Vec;
use core::ops::Range;

use toolmend_core::{Ending, TextCall, TextEvent};

use crate::MAX_TRIES;
use crate::channel::Part;
use crate::home::{MAX_SNIFFED, Sniff};
use crate::marks::{self, Fit, Found, Opener, fit, white};
use crate::reader::{Mode, Reader, floor};
use crate::region::{self, Read};
use crate::sniff;

/// One region of a group.
struct Region {
    /// The calls in it; `None` where it is none.
    calls: Option<Vec<TextCall>>,
    place: Range<usize>,
    /// Whether marks end it.
    closed: bool,
}

/// Regions that follow each other with nothing but white space between: they are made calls of, or talked
/// about, together.
struct Group {
    regions: Vec<Region>,
    end: usize,
}

impl Group {
    /// What stands behind the group in `text`. The last region of it may be none and have no end of its own:
    /// then it is what stands behind the last mark of it.
    fn behind<'t>(&self, text: &'t str, ending: Ending) -> &'t str {
        match self.regions.last() {
            Some(Region { calls: None, place, .. }) if self.regions.len() > 1 && ending != Ending::Cut => {
                behind_closers(&text[place.start..])
            }
            // More marks than are looked into are no words.
            _ if matches!(marks::open(&text.as_bytes()[self.end..], true), Found::Full(..)) => "",
            _ => &text[self.end..],
        }
    }
}

impl Reader<'_> {
    /// A mark that begins a call stands here. While what follows it can be a call, the text waits.
    pub(crate) fn hold(&mut self, last: Option<Ending>, sink: &mut dyn FnMut(TextEvent<'_>)) -> bool {
        let text = self.rest();
        let Found::Full(opener, length) = marks::open(text.as_bytes(), true) else {
            self.mode = Mode::Text;
            return true;
        };
        if !self.sniffed {
            let looked = floor(text, MAX_SNIFFED);
            match sniff::after(opener, &text[length..looked]) {
                Sniff::No => {
                    let bare = self.fresh && !self.quoted && !text[length..].trim_ascii().is_empty();
                    self.mode = Mode::Text;
                    if bare && self.is_own(opener) {
                        self.out(Part::Mark, length, sink);
                    } else {
                        self.let_go(length, sink);
                    }
                    return true;
                }
                Sniff::Likely => self.sniffed = true,
                Sniff::Maybe => self.sniffed = looked < text.len(),
            }
        }
        let Some(ending) = last else {
            self.waits = self.sniffed;
            return false;
        };
        self.settle(opener, length, ending, sink);
        true
    }

    /// The message is over: makes the calls that stand here, or lets the text go.
    fn settle(
        &mut self,
        opener: &'static Opener,
        length: usize,
        ending: Ending,
        sink: &mut dyn FnMut(TextEvent<'_>),
    ) {
        self.mode = Mode::Text;
        if self.tries > MAX_TRIES {
            self.mode = Mode::Through;
            return;
        }
        let text = self.rest();
        let token = is_token(opener);
        let (alone, _) = skip_marks(&text[length..]);
        if text[length + alone..].is_empty() && !self.quoted && !self.prose.talks("", token) {
            // Marks alone at the end: whatever they were to begin, it is not here.
            self.out(Part::Mark, text.len(), sink);
            return;
        }
        let group = self.group(ending);
        let behind = group.behind(text, ending);
        let one = self.ctx.parallel || group.regions.len() < 2;
        let talked = self.passed || self.prose.talks(behind, token);
        if self.quoted || !one || talked {
            self.passed |= !self.quoted && group.regions.iter().any(|region| region.calls.is_some());
            self.tries += group.regions.len();
            self.let_go(group.end, sink);
            return;
        }
        let over = text[group.end..].trim_ascii().is_empty();
        let own = self.fresh && self.is_own(opener);
        let mut at = 0;
        for Region { calls, place, closed } in group.regions {
            self.tries += 1;
            let part = if self.called { Part::Mark } else { Part::Content };
            self.out(part, place.start - at, sink);
            at = place.end;
            match calls {
                Some(calls) => self.calls(calls, place.len(), sink),
                // Begun behind whole ones and cut: it is none, and no text for the user either.
                None if self.called && over && ending == Ending::Cut && !closed => {
                    self.out(Part::Mark, place.len(), sink);
                }
                None if own && place.start == 0 && place.end <= length + white(&self.rest()[length..]) => {
                    self.out(Part::Mark, length, sink);
                    return;
                }
                None => self.let_go(place.len(), sink),
            }
        }
        if over && self.called {
            self.out(Part::Mark, self.rest().len(), sink);
        }
    }

    /// Whether the mark is a special token of the model's family: alone at the beginning it is a leak.
    fn is_own(&self, opener: &Opener) -> bool {
        let same = |mark: &&'static str| matches!(fit(mark.as_bytes(), opener.mark), Fit::Full(_));
        is_token(opener) && self.ctx.marks().iter().any(same)
    }

    /// The regions that begin here, and where the last of them ends.
    fn group(&self, ending: Ending) -> Group {
        let text = self.rest();
        let mut group = Group { regions: Vec::new(), end: 0 };
        let mut at = 0;
        while let Found::Full(opener, length) = marks::open(&text.as_bytes()[at..], true) {
            let (calls, end) = match region::read(&text[at..], opener, length, ending, &self.ctx) {
                Read::Calls(calls, end) => (Some(calls), at + end),
                Read::Not(end) => (None, at + end.max(length)),
            };
            let ends = closers(&text[end..]);
            let end = end + ends;
            group.regions.push(Region { calls, place: at..end, closed: ends > 0 });
            group.end = end;
            at = end + white(&text[end..]);
            if group.regions.len() + self.tries > MAX_TRIES {
                break;
            }
        }
        group
    }

    /// Lets marks out as text: then what ends behind them is no leak.
    pub(crate) fn let_go(&mut self, length: usize, sink: &mut dyn FnMut(TextEvent<'_>)) {
        self.shown = true;
        self.out(Part::Content, length, sink);
    }
}

/// Whether the mark is a special token, which nobody writes as a word.
fn is_token(opener: &Opener) -> bool {
    opener.mark.contains('|') || opener.mark == "[TOOL_CALLS]"
}

/// How many bytes of white space, openers and closers `text` begins with.
fn skip_marks(text: &str) -> (usize, bool) {
    let mut at = 0;
    loop {
        let next = at + white(&text[at..]);
        let bytes = &text.as_bytes()[next..];
        at = match (marks::closer(bytes), marks::open(bytes, false)) {
            (Found::Full(_, length), _) | (_, Found::Full(_, length)) => next + length,
            _ => return (next, next > 0),
        };
    }
}

/// What stands in `text` behind its last closer; nothing where there is none.
fn behind_closers(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut last = text.len();
    let mut i = 0;
    while let Some(step) = bytes[i..].iter().position(|b| matches!(b, b'<' | b'[' | b']')) {
        i += step;
        i += match marks::closer(&bytes[i..]) {
            Found::Full(_, length) => {
                last = i + length;
                length
            }
            _ => 1,
        };
    }
    &text[last..]
}

/// How many bytes the closers take that `text` begins with, up to the last of them.
fn closers(text: &str) -> usize {
    let mut at = 0;
    loop {
        let next = at + white(&text[at..]);
        match marks::closer(&text.as_bytes()[next..]) {
            Found::Full(_, length) => at = next + length,
            _ => return at,
        }
    }
}
