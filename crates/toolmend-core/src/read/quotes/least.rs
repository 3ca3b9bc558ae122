//! How many stray quotes a way costs at least from a place on.
//!
//! The search follows that way first whose cost so far and whose least cost from there on are the smallest
//! together (A*), so what lies behind a place is not found out once for every way that leads there. The least
//! cost is taken from the text alone, from its end to its beginning. Which containers are open is not known
//! there: each may be an object or an array, and each closer may be the last. So a way may cost more than
//! this, and never less.

use alloc::vec::Vec;

use super::SHORT;
use super::walk::{Body, Met, TOKEN, Walked};
use crate::read::frame::skip_blank;
use crate::read::marks::mark_end;
use crate::scan::{Scanner, Slot};

/// The most bytes that are walked over, as a multiple of the text's length.
const MAX_WALKS: usize = 16;

/// The most quotes whose costs are found.
const MAX_QUOTES: usize = 1 << 20;

/// No way leads on.
pub(super) const NEVER: usize = usize::MAX;

/// The least costs at the places of a text where strings end and go on.
#[derive(Debug)]
pub(super) struct Least {
    /// The quotes that no backslash escapes, in the order of the text.
    quotes: Vec<Quote>,
}

#[derive(Debug)]
struct Quote {
    at: usize,
    /// From this quote on, which stands within a string or ends it.
    within: usize,
    /// From behind this quote on, if a string ends with it.
    behind: usize,
    /// From this quote on, if a string opens with it; where that was asked for.
    opens: Option<usize>,
}

impl Least {
    /// The least costs in this text; unknown where finding them takes too many bytes.
    pub(super) fn of(body: &Body<'_>) -> Least {
        let quote = |at| Quote { at, within: NEVER, behind: NEVER, opens: None };
        let mut least =
            Least { quotes: unescaped(body.text, body.quote).map(quote).take(MAX_QUOTES + 1).collect() };
        if least.quotes.len() > MAX_QUOTES {
            return Least::unknown();
        }
        let mut walked = 0;
        for n in (0..least.quotes.len()).rev() {
            if walked / MAX_WALKS > body.text.len().max(SHORT) {
                return Least::unknown();
            }
            let at = least.quotes[n].at;
            let (next, ends) = body.ends(at);
            walked += next - at + if ends { 0 } else { body.looked(next) };
            let behind = if ends { least.find_behind(body, at, &mut walked) } else { NEVER };
            let on = least.quotes.get(n + 1).map_or(NEVER, |next| next.within.saturating_add(1));
            least.quotes[n].behind = behind;
            least.quotes[n].within = behind.min(on);
        }
        least
    }

    /// Nothing is known: every way may go on for nothing.
    pub(super) fn unknown() -> Least {
        Least { quotes: Vec::new() }
    }

    /// From the byte `at` on, which stands within a string.
    pub(super) fn within(&self, at: usize) -> usize {
        if self.quotes.is_empty() {
            return 0;
        }
        self.quotes
            .get(self.quotes.partition_point(|quote| quote.at < at))
            .map_or(NEVER, |quote| quote.within)
    }

    /// From the byte `end` on, where a string ended: nothing where no quote does, as after a string of parts.
    pub(super) fn behind(&self, end: usize) -> usize {
        let quote = self.quotes.binary_search_by_key(&end, |quote| quote.at + 1);
        quote.map_or(0, |n| self.quotes[n].behind)
    }

    /// As [`Least::behind`], for a quote behind which everything is known.
    fn find_behind(&mut self, body: &Body<'_>, at: usize, walked: &mut usize) -> usize {
        let (mut least, mut spent, mut from) = (NEVER, 0usize, at + 1);
        loop {
            let mut closed = None;
            for object in [true, false] {
                let mut scan = Scanner::new();
                scan.open(object);
                scan.set_slot(Slot::After);
                let Walked { met, cost, .. } = body.walk(&mut scan, from, |_| {});
                let (Met::Closed(stop) | Met::Opens(stop) | Met::Nothing(stop)) = met;
                *walked += stop - from;
                match met {
                    Met::Opens(at) => {
                        let opens = self.opens(body, at, walked);
                        least = least.min(opens.saturating_add(spent + cost));
                    }
                    // What closes the one is a fault in the other; if both were closed, nothing would be known.
                    Met::Closed(_) if closed.is_some() => return 0,
                    Met::Closed(end) => closed = Some((end, spent + cost)),
                    Met::Nothing(stop) => *walked += body.looked(stop),
                }
            }
            let Some((end, cost)) = closed else { return least };
            if may_be_last(body, end) {
                least = least.min(cost);
            }
            (from, spent) = (end, cost);
        }
    }

    /// From the quote `at` on, with which a string opens; everything behind it is known.
    fn opens(&mut self, body: &Body<'_>, at: usize, walked: &mut usize) -> usize {
        let Ok(n) = self.quotes.binary_search_by_key(&at, |quote| quote.at) else { return 0 };
        if let Some(known) = self.quotes[n].opens {
            return known;
        }
        if body.ctx.has_schema() {
            // A rule looks through the line for where the string could have been closed.
            let line = &body.text.as_bytes()[at..];
            *walked += memchr::memchr(b'\n', line).unwrap_or(line.len());
        }
        // More is read as a member's value than as an item.
        let whole = body.whole(at, Slot::Value);
        let whole = whole.map_or(NEVER, |lexeme| self.behind(lexeme.end).saturating_add(TOKEN));
        let least = whole.min(self.quotes.get(n + 1).map_or(NEVER, |next| next.within));
        self.quotes[n].opens = Some(least);
        least
    }
}

/// Whether the closer before `end` may be the object's own: whether what follows may be packaging, no words.
fn may_be_last(body: &Body<'_>, end: usize) -> bool {
    let Body { text, head, ctx, .. } = *body;
    let b = text.as_bytes();
    let mut at = end;
    loop {
        at = skip_blank(text, at);
        at += match b.get(at) {
            None | Some(b'`' | b'~') => return true,
            Some(b']') => return head.list,
            Some(b';' | b')') => 1,
            Some(b'\\') if matches!(b.get(at + 1), Some(b'n' | b'r' | b't')) => 2,
            // The object may stand there more than once.
            Some(&c) => {
                return c == b[head.start] || mark_end(text, at, ctx.evidence.known_marks()).is_some();
            }
        };
    }
}

/// Where quotes stand behind an even number of backslashes.
fn unescaped(text: &str, quote: u8) -> impl Iterator<Item = usize> {
    let mut escaped = false;
    text.bytes().enumerate().filter_map(move |(at, c)| {
        let found = c == quote && !escaped;
        escaped = c == b'\\' && !escaped;
        found.then_some(at)
    })
}
