//! Readings in which strings hold quotes that were not escaped.
//!
//! Every quote of a value string may be content or its end; it is an end only where a delimiter follows.
//! The readings are found in the order of their stray quotes, all of one number before the next. Keys are
//! taken as clean. Other tokens that a rule knows count as much as several stray quotes, and nothing between
//! tokens is repaired on the way, so that no repair of another kind can explain a quote away.

use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::frame::{self, Head};
use super::lexeme::{Spot, escape_raw, inside, json_escape, skip_white};
use super::search::{MAX_READINGS, NO_EDIT, Trail, value};
use super::{Cost, Dead, Level, Reading, Stuck, begin, gap, spliced, token, token_fault};
use crate::context::Context;
use crate::rules::single_quoted;
use crate::scan::{AT_CLOSE, AT_STRING, Halt, Scanner, Slot};
use crate::verdict::Reason;
use crate::{Edit, Ending, Grade, Rule};
use signs::{
    breaks_line, comments, doubles, in_word, meets, pairs_up, parts, parts_items, stands_apart,
    swallows_border,
};

mod signs;

pub(crate) use signs::{QUOTES, swallows_member};

/// The most steps of one search.
const MAX_STEPS: usize = 60_000;
/// The most stray quotes in one string that are not in pairs: with more, too many pairings are possible.
const MAX_ODD: usize = 9;
/// The most ways that are followed from one state. Two would do to see that there is a choice, but the
/// schema may rule out some; where one more costs no more than what was found, nothing is certain.
const MAX_VISITS: u8 = 64;
/// The most stray quotes in one body.
const MAX_STRAY: usize = 400;
/// How many more stray quotes a second reading may have to count against a way that is wary.
const MARGIN: usize = 6;
/// As [`MARGIN`], for a doubtful reading beside one whose quotes are all in pairs.
const NEAR: usize = 4;

/// What a token that a rule knows costs, in stray quotes.
const TOKEN: usize = 3;

/// The readings of the object at `head.start` with the fewest stray quotes of this kind (`"` or `'`), of
/// those that the schema does not rule out. `stuck`: where the search without stray quotes got stuck.
pub(crate) fn read(text: &str, head: &Head, ctx: &Context<'_>, quote: u8, stuck: Stuck) -> Level {
    let mut search = Search {
        text,
        head,
        ctx,
        quote,
        stuck,
        trail: Trail::default(),
        nodes: Vec::new(),
        queue: BinaryHeap::new(),
        visits: BTreeMap::new(),
        lost: usize::MAX,
        ruled_out: usize::MAX,
    };
    let scan = begin(head);
    search.push(
        0,
        Node {
            scan,
            at: head.start,
            last: NO_EDIT,
            wary: Wary::No,
            strayed: false,
            doubtful: false,
            string: None,
        },
    );
    search.run()
}

#[derive(Debug)]
struct Node {
    scan: Scanner,
    at: usize,
    last: usize,
    wary: Wary,
    /// The last string holds stray quotes.
    strayed: bool,
    /// Some string swallows what looks like the border of a member.
    doubtful: bool,
    /// The string that is being read: where it opens, and its stray quotes so far.
    string: Option<(usize, Vec<usize>)>,
}

/// Whether a second reading counts against this way although it costs more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wary {
    No,
    /// One that is not doubtful does: some string is an item of an array, where quotes and commas may part
    /// items, or the schema must repair a type as well.
    OfSound,
    /// One that is not doubtful does, and any that costs little more: some string holds an odd number of stray
    /// quotes, though all its quotes, those that were escaped included, are in pairs.
    OfNear,
    /// Any does: some string holds an odd number of stray quotes, or two strings side by side hold stray
    /// quotes and may be one, or an item does not stand apart from the items beside it, or a token is written as
    /// JSON does not write it.
    OfAny,
}

impl Wary {
    /// How many more stray quotes a second reading may have to count, if it is doubtful and if it is not.
    const fn margins(self) -> (usize, usize) {
        match self {
            Wary::No => (0, 0),
            Wary::OfSound => (0, MARGIN),
            Wary::OfNear => (NEAR, MARGIN),
            Wary::OfAny => (MARGIN, MARGIN),
        }
    }
}

struct Search<'t> {
    text: &'t str,
    head: &'t Head,
    ctx: &'t Context<'t>,
    quote: u8,
    stuck: Stuck,
    trail: Trail,
    nodes: Vec<Option<Node>>,
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    /// How often each state was met. Several ways into one state are as many readings, if any.
    visits: BTreeMap<(usize, usize, Slot, Wary), u8>,
    /// The fewest stray quotes of a way that was not followed.
    lost: usize,
    /// The fewest stray quotes of a reading that the schema rules out, whatever is repaired.
    ruled_out: usize,
}

struct Found {
    stray: usize,
    wary: Wary,
    doubtful: bool,
    /// The schema does not rule it out.
    admitted: bool,
    /// It gives a key twice.
    repeats: bool,
    reading: Reading,
}

impl Search<'_> {
    fn push(&mut self, stray: usize, node: Node) {
        self.queue.push(Reverse((stray, self.nodes.len())));
        self.nodes.push(Some(node));
    }

    fn run(mut self) -> Level {
        let mut found: Vec<Found> = Vec::new();
        let mut over_budget = false;
        while let Some(Reverse((stray, index))) = self.queue.pop() {
            let margin = if found.iter().any(|f| f.wary > Wary::No) { MARGIN } else { 0 };
            if found.first().is_some_and(|best| stray > best.stray + margin) {
                break;
            }
            if self.nodes.len() > MAX_STEPS || stray > MAX_STRAY || found.len() >= MAX_READINGS {
                over_budget = true;
                break;
            }
            let Some(node) = self.nodes[index].take() else {
                continue;
            };
            match node.string {
                Some(_) => self.in_string(stray, node),
                None => self.between(stray, node, &mut found),
            }
        }
        let best = found.iter().map(|f| f.stray).min().unwrap_or(0);
        let wary = found.iter().filter(|f| f.stray == best).map(|f| f.wary).max().unwrap_or(Wary::No);
        let (doubtful, margin) = wary.margins();
        found.retain(|f| f.stray <= best + if f.doubtful { doubtful } else { margin });
        // A way that was not followed might have led to another one.
        over_budget |= !found.is_empty() && self.lost <= best + margin;
        let mut values = Vec::new();
        found.retain(|f| {
            let value = value(self.text, &f.reading.edits);
            let new = value.is_some() && !values.contains(&value);
            values.push(value);
            new
        });
        // The one reading that is left must not rest on a string that swallows a border; none may stand
        // beside one that nothing but its types rules out, and no other at all beside one whose types the
        // schema repairs.
        let alone = found.len() == 1 && self.ruled_out > best + doubtful;
        if found.len() == 1 && found[0].doubtful || found.iter().any(|f| f.repeats || !f.admitted && !alone) {
            found.clear();
        }
        let dead = Some(Dead { reason: Reason::Unreadable, at: self.head.start });
        Level {
            more: false,
            stuck: Stuck::AtString,
            readings: found.into_iter().map(|f| f.reading).collect(),
            dead,
            over_budget,
        }
    }

    /// Reads on between strings: everything but value strings of this quote must be certain as it stands.
    fn between(&mut self, mut stray: usize, mut node: Node, found: &mut Vec<Found>) {
        let bytes = self.text.as_bytes();
        loop {
            let halt = node.scan.run::<{ AT_CLOSE | AT_STRING }>(bytes, 0, node.at);
            match halt {
                Halt::Closed(end) => {
                    let mut behind = Vec::new();
                    let tail = frame::tail(self.text, end, self.head, self.ctx, &mut behind);
                    let Ok(tail) = tail else { return };
                    // Words behind a string with stray quotes may be the string's.
                    let words = behind.iter().any(|e| e.rule == Rule::Prose);
                    if tail.closers == 0 && stray > 0 && !words {
                        let reading = self.reading(&node, stray, tail, behind);
                        let Some(output) = spliced(self.text, &reading.edits) else { return };
                        let repeats = self.ctx.repeats_key(&output);
                        let admitted = self.ctx.may_be(&output) && !repeats;
                        // Validators differ in which of two equal keys they judge, and a reading that only
                        // its types keep out may be the one that was meant.
                        if !admitted && !repeats && !self.ctx.can_be(&output) {
                            self.ruled_out = self.ruled_out.min(stray);
                            return;
                        }
                        // Two slips, where one with more quotes may explain the text as well.
                        let wary = if self.quote == b'"' { node.wary } else { Wary::No };
                        let wary = if admitted { wary } else { wary.max(Wary::OfSound) };
                        let doubtful = node.doubtful;
                        found.push(Found { stray, wary, doubtful, admitted, repeats, reading });
                    }
                    return;
                }
                Halt::End | Halt::TooDeep(_) | Halt::Comma(_) => return,
                Halt::Str(at) | Halt::Fault(at) => {
                    let slot = node.scan.slot();
                    if !node.scan.in_token() && slot.takes_value() && bytes[at] == self.quote {
                        let state = (at, node.scan.depth(), slot, node.wary);
                        let visits = self.visits.entry(state).or_insert(0);
                        *visits = visits.saturating_add(1);
                        if *visits <= MAX_VISITS {
                            self.other_string(stray, &node, at);
                            node.at = at + 1;
                            node.string = Some((at, Vec::new()));
                            self.push(stray, node);
                        } else {
                            self.lost = self.lost.min(stray);
                        }
                        return;
                    }
                    if let Halt::Str(_) = halt {
                        // A string in the other kind of quotes: the strict scanner or a rule reads it.
                        let read = inside(self.text, at + 1, b'"');
                        let strict = read.filter(|r| {
                            r.raw.is_empty() && r.pairs.iter().all(|&p| json_escape(self.text, p))
                        });
                        let Some(read) = strict else { return };
                        node.scan.took(at, read.close + 1);
                        node.scan.set_slot(Slot::After);
                        node.at = read.close + 1;
                        continue;
                    }
                    match self.step(&mut node, at) {
                        Some(cost) => stray += cost,
                        None => return,
                    }
                }
            }
        }
    }

    /// Takes a gap or a token that a rule knows, and answers what that costs: a token as much as a stray
    /// quote. No punctuation is repaired here.
    fn step(&mut self, node: &mut Node, at: usize) -> Option<usize> {
        if !node.scan.in_token()
            && let Some((rule, end)) = self.gap(at)
        {
            self.edit(node, Edit::delete(rule, at, end));
            node.at = end;
            return Some(0);
        }
        let beyond = (!node.scan.in_token()).then_some(at);
        let at = if token_fault(self.text, &node.scan, at) { node.scan.token() } else { at };
        let slot = match node.scan.slot() {
            Slot::After if at == node.scan.token() => {
                if node.scan.inside_object() {
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
        node.scan.took(at, lexeme.end);
        node.scan.set_slot(if slot.takes_key() { Slot::Colon } else { Slot::After });
        node.at = lexeme.end;
        for edit in lexeme.edits {
            self.edit(node, edit);
        }
        // A key in the body's own quotes is written as all others are.
        if own_key {
            return Some(0);
        }
        node.wary = Wary::OfAny;
        Some(TOKEN)
    }

    /// The string at `at` may also be one that a rule reads whole: three quotes, or parts joined by `+`.
    fn other_string(&mut self, stray: usize, node: &Node, at: usize) {
        let spot = self.spot(at, node.scan.slot());
        let Some(lexeme) = token(&spot) else { return };
        if lexeme.edits.iter().all(|e| e.rule == Rule::RawControl) || self.quote == b'\'' {
            return;
        }
        let mut scan = node.scan.clone();
        scan.took(at, lexeme.end);
        scan.set_slot(Slot::After);
        let mut other = Node { scan, at: lexeme.end, wary: Wary::OfAny, string: None, ..*node };
        for edit in lexeme.edits {
            self.edit(&mut other, edit);
        }
        self.push(stray + TOKEN, other);
    }

    /// Looks at the next quote of the string: an end where a delimiter follows, and content in any case.
    fn in_string(&mut self, stray: usize, mut node: Node) {
        let Some((open, mut strays)) = node.string.take() else {
            return;
        };
        let Some(read) = inside(self.text, node.at, self.quote) else {
            return;
        };
        if self.ends(read.close)
            && let Some((edits, doubtful)) = self.string(open, read.close, &strays)
        {
            let mut scan = node.scan.clone();
            scan.took(open, read.close + 1);
            scan.set_slot(Slot::After);
            let item = node.scan.slot() != Slot::Value && !strays.is_empty();
            let strayed = !strays.is_empty();
            let apart = || !item || self.quote == b'\'' || stands_apart(self.text, open, read.close);
            let odd = strays.len() % 2 == 1;
            let lone = || self.quote == b'\'' || !pairs_up(&self.text[open + 1..read.close]);
            let wary = if odd && lone() || strayed && node.strayed || !apart() {
                Wary::OfAny
            } else if odd {
                Wary::OfNear
            } else if item {
                Wary::OfSound
            } else {
                Wary::No
            };
            let wary = node.wary.max(wary);
            let doubtful = node.doubtful || doubtful || item && parts_items(self.text, &strays, self.quote);
            let mut after =
                Node { scan, at: read.close + 1, last: node.last, wary, strayed, doubtful, string: None };
            for edit in edits {
                self.edit(&mut after, edit);
            }
            self.push(stray, after);
        }
        strays.push(read.close);
        node.at = read.close + 1;
        node.string = Some((open, strays));
        self.push(stray + 1, node);
    }

    /// Whether the quote at `close` may end a string: a delimiter, or the end of the text, follows.
    fn ends(&self, close: usize) -> bool {
        let mut at = skip_white(self.text, close + 1);
        while at < self.text.len()
            && let Some((_, end)) = self.gap(at)
        {
            at = skip_white(self.text, end);
        }
        matches!(self.text.as_bytes().get(at), None | Some(b',' | b'}' | b']'))
    }

    /// The edits that make one string of what stands between two quotes, and whether that string is
    /// doubtful; `None` where that is not certain.
    fn string(&self, open: usize, close: usize, strays: &[usize]) -> Option<(Vec<Edit>, bool)> {
        let mut all = super::lexeme::Inside { close, raw: Vec::new(), pairs: Vec::new() };
        let b = self.text.as_bytes();
        let mut at = open + 1;
        while at < close {
            match b[at] {
                b'\\' => {
                    all.pairs.push(at);
                    at += 1;
                }
                c if c < 0x20 => all.raw.push(at),
                _ => {}
            }
            at += 1;
        }
        if self.quote == b'\'' {
            // `it''s` is `it's` where quotes are doubled to be escaped.
            let doubled = doubles(b, strays);
            let doubtful = doubled
                || parts(&self.text[open..=close], open, strays, &all.pairs)
                || swallows_member(&self.text[open + 1..close], strays, self.ctx)
                || swallows_border(self.text, strays, &all.pairs, '\'', self.ctx)
                || meets(self.text, strays, &all.pairs)
                || breaks_line(self.text, &all.raw, strays);
            return Some((single_quoted(self.text, open, &all, Rule::BareApostrophe)?, doubtful));
        }
        if !all.pairs.iter().all(|&p| json_escape(self.text, p)) {
            return None;
        }
        let mut edits: Vec<Edit> =
            strays.iter().map(|&at| Edit::insert(Rule::InnerQuotes, at, "\\")).collect();
        edits.extend(escape_raw(self.text, &all.raw));
        edits.sort_by_key(|e| e.start);
        let alone = !pairs_up(&self.text[open + 1..close]);
        let odd = strays.len() % 2 == 1 && alone;
        let doubtful = swallows_border(self.text, strays, &all.pairs, '"', self.ctx)
            || parts(&self.text[open..=close], open, strays, &all.pairs)
            || swallows_member(&self.text[open + 1..close], strays, self.ctx)
            || meets(self.text, strays, &all.pairs)
            || self.text[open..].starts_with("\"\"\"")
            // What stands behind the string is not known to be its own.
            || alone && self.stuck != Stuck::AtString
            || odd && comments(&self.text[open..close])
            // `\\"`: all of them may be quotes that were escaped twice.
            || !strays.is_empty() && strays.iter().all(|&at| b[at - 1] == b'\\')
            // `\bfoo\b`: nobody means a backspace, so the string's escapes are its own as well.
            || !strays.is_empty() && all.pairs.iter().any(|&at| matches!(b[at + 1], b'b' | b'f'))
            // With one quote too many in a cut turn, the string itself may be open.
            || strays.len() % 2 == 1 && self.ctx.evidence.ending() == Ending::Cut
            || odd && (strays.len() > MAX_ODD || in_word(self.text, strays))
            || breaks_line(self.text, &all.raw, strays);
        Some((edits, doubtful))
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

    fn edit(&mut self, node: &mut Node, edit: Edit) {
        node.last = self.trail.push(node.last, edit);
    }

    fn reading(&self, node: &Node, stray: usize, tail: frame::Tail, behind: Vec<Edit>) -> Reading {
        let mut edits = self.trail.edits(&self.head.edits, node.last);
        edits.extend(behind);
        edits.sort_by_key(|e| (e.start, e.end));
        Reading {
            edits,
            cost: Cost { grade: Grade::Schema, edits: stray },
            closed: 0,
            closers: 0,
            number_last: false,
            end_mark: tail.end_mark,
            copies: tail.copies,
        }
    }
}
