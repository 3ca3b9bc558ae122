//! The uniform-cost search through all ways on.
//!
//! Closers that are missing may have stood before any comma, not only where the text first fails. So
//! where a reading sets closers, its level is searched once more with a fork at every comma.

use alloc::collections::BinaryHeap;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

use super::doubt::Parsed;
use super::fault::{Fault, Moves, close};
use super::frame::{self, Head, Tail};
use super::lexeme::{colon_ahead, identifier_end, inside, skip_white};
use super::{Asks, Cost, Dead, Level, Reading, Stuck, advance, begin, resume};
use crate::context::Context;
use crate::edit::apply;
use crate::rules::{RuleSet, ways};
use crate::scan::{AT_CLOSE, AT_COMMA, Halt, Scanner, Slot};
use crate::verdict::Reason;
use crate::{Edit, Grade, Rule};

/// The most nodes of one search, beside one for every fourth byte of the text.
const MAX_NODES: usize = 4096;
/// The most bytes that a search scans, as a multiple of the text's length.
const MAX_SCANS: usize = 64;
/// The most readings of a level that are kept.
pub(super) const MAX_READINGS: usize = 64;

/// No edit came before.
pub(super) const NO_EDIT: usize = usize::MAX;

/// The readings of the object that begins at `head.start`, of the cheapest level that costs more than
/// `above`.
pub(crate) fn read(
    text: &str,
    head: &Head,
    strict: &Scanner,
    ctx: &Context<'_>,
    above: Option<Cost>,
) -> Level {
    let found = Search::new(text, head, ctx, above, None).run::<AT_CLOSE>(resume(text, head, strict));
    match found.readings.iter().find(|r| r.closers > 0) {
        Some(reading) if !found.over_budget => {
            let bound = Some(reading.cost);
            // Every comma counts: the text is read from the object's first byte.
            let start = (begin(head), head.start);
            Search::new(text, head, ctx, above, bound).run::<{ AT_CLOSE | AT_COMMA }>(start)
        }
        _ => found,
    }
}

/// A way that was followed up to here.
#[derive(Debug)]
struct Node {
    scan: Scanner,
    at: usize,
    cost: Cost,
    /// The last edit of this way, in the trail.
    last: usize,
    closers: usize,
}

/// The edits of all ways, each with the one before it on its way.
#[derive(Debug, Default)]
pub(super) struct Trail(Vec<(usize, Edit)>);

impl Trail {
    /// Appends an edit to the way that ends in `last`; answers the way's new end.
    pub(super) fn push(&mut self, last: usize, edit: Edit) -> usize {
        self.0.push((last, edit));
        self.0.len() - 1
    }

    /// The edits of the way that ends in `last`, behind those of the head.
    pub(super) fn edits(&self, head: &[Edit], mut last: usize) -> Vec<Edit> {
        let mut edits = head.to_vec();
        while last != NO_EDIT {
            let (before, edit) = &self.0[last];
            edits.push(edit.clone());
            last = *before;
        }
        edits[head.len()..].reverse();
        edits
    }

    /// Where the edit at `last` ends in the text.
    fn end(&self, last: usize) -> Option<usize> {
        self.0.get(last).map(|(_, edit)| edit.end)
    }
}

struct Search<'t> {
    text: &'t str,
    head: &'t Head,
    ctx: &'t Context<'t>,
    trail: Trail,
    nodes: Vec<Option<Node>>,
    queue: BinaryHeap<Reverse<(Cost, usize)>>,
    found: Vec<Reading>,
    dead: Option<(Cost, Dead)>,
    /// No reading counts that costs this or less.
    above: Option<Cost>,
    /// Nothing that costs more is followed.
    bound: Option<Cost>,
    /// There are more readings of the level than are kept.
    more: bool,
    over_budget: bool,
    /// Some reading parses, and is not believed.
    doubted: bool,
    /// Such readings, with what they cost: they count against those that cost as much or more.
    rivals: Vec<(Cost, Vec<Edit>)>,
    /// Bytes scanned so far.
    scanned: usize,
    /// Bytes that were scanned before the search began, to be counted with the first way.
    ahead: usize,
}

impl<'t> Search<'t> {
    fn new(
        text: &'t str,
        head: &'t Head,
        ctx: &'t Context<'t>,
        above: Option<Cost>,
        bound: Option<Cost>,
    ) -> Search<'t> {
        Search {
            text,
            head,
            ctx,
            trail: Trail::default(),
            nodes: Vec::new(),
            queue: BinaryHeap::new(),
            found: Vec::new(),
            dead: None,
            above,
            bound,
            more: false,
            over_budget: false,
            doubted: false,
            rivals: Vec::new(),
            scanned: 0,
            ahead: 0,
        }
    }

    fn run<const STOP: u8>(mut self, (scan, at): (Scanner, usize)) -> Level {
        let cost = if self.head.headless { Cost::NONE.with(Grade::Punctuation, 1) } else { Cost::NONE };
        self.ahead = at - self.head.start;
        self.push(Node { scan, at, cost, last: NO_EDIT, closers: 0 });
        while let Some(Reverse((cost, index))) = self.queue.pop() {
            if self.found.first().is_some_and(|best| best.cost < cost) {
                break;
            }
            if self.nodes.len() > MAX_NODES + self.text.len() / 4
                || self.scanned / MAX_SCANS > self.text.len() + 1024
            {
                self.over_budget = true;
                break;
            }
            if let Some(node) = self.nodes[index].take() {
                self.follow::<STOP>(node);
            }
        }
        let mut readings = self.distinct();
        if readings.first().is_some_and(|best| self.has_rival(best)) {
            readings.clear();
            self.dead = Some((Cost::NONE, Dead { reason: Reason::Ambiguous, at: self.head.start }));
        }
        let stuck = match &self.dead {
            Some((_, dead)) if dead.reason == Reason::Unreadable => {
                let (before, from) = self.text.split_at(dead.at);
                let at_string = before.trim_end().ends_with(['"', '\'']) || from.starts_with(['"', '\'']);
                let key = before.trim_end().ends_with(',')
                    && identifier_end(from, 0).is_some_and(|end| colon_ahead(from, end));
                match (at_string, key || self.doubted) {
                    (true, _) => Stuck::AtString,
                    // What is refused although it could be read is not read otherwise.
                    (false, true) => Stuck::Elsewhere,
                    (false, false) => Stuck::Behind,
                }
            }
            _ => Stuck::Elsewhere,
        };
        Level {
            readings,
            more: self.more,
            stuck,
            dead: self.dead.map(|(_, dead)| dead),
            over_budget: self.over_budget,
        }
    }

    fn push(&mut self, node: Node) {
        if self.bound.is_some_and(|bound| node.cost > bound) {
            return;
        }
        self.queue.push(Reverse((node.cost, self.nodes.len())));
        self.nodes.push(Some(node));
    }

    /// Follows one way until it ends, or until something is to be decided.
    fn follow<const STOP: u8>(&mut self, mut node: Node) {
        loop {
            let from = node.at - core::mem::take(&mut self.ahead);
            let (trail, last, cost) = (&mut self.trail, &mut node.last, &mut node.cost);
            let halt = advance::<STOP>(self.text, self.ctx, &mut node.scan, node.at, |more| {
                more.each(|edit| {
                    *cost = cost.with(edit.rule.grade(), 1);
                    *last = trail.push(*last, edit);
                });
            });
            let to = match halt {
                Halt::End => self.text.len(),
                Halt::Fault(at) | Halt::TooDeep(at) | Halt::Closed(at) | Halt::Comma(at) | Halt::Str(at) => {
                    at
                }
            };
            self.scanned += to.saturating_sub(from) + 1;
            match halt {
                Halt::Closed(end) => return self.closed(node, end),
                Halt::End => return self.ended(node),
                Halt::TooDeep(at) => return self.fail(node.cost, Reason::TooDeep, at),
                Halt::Fault(at) | Halt::Str(at) => return self.fault(node, at),
                Halt::Comma(at) => {
                    self.fork(&node, at);
                    node.scan.took_comma(at);
                    node.at = at + 1;
                }
            }
        }
    }

    /// The outermost object is closed; what follows must be packaging, or this closer is one too many.
    fn closed(&mut self, node: Node, end: usize) {
        let mut edits = Vec::new();
        self.scanned += self.text.len() - end;
        match frame::tail(self.text, end, self.head, self.ctx, &mut edits) {
            Ok(tail) => self.found(&node, &tail, edits, 0, false),
            Err(refused) => {
                self.fail(node.cost, refused.reason, refused.at);
                if self.trail.end(node.last) != Some(end) {
                    let mut scan = node.scan.clone();
                    scan.open(true);
                    scan.set_slot(Slot::After);
                    self.ways(&Node { scan, ..node }, end - 1);
                }
            }
        }
    }

    /// The text is used up.
    fn ended(&mut self, mut node: Node) {
        let end = self.text.trim_ascii_end().len();
        let scan = &mut node.scan;
        if scan.in_string() {
            return self.fail(node.cost, Reason::OpenString, scan.token());
        }
        if scan.at_number_end() {
            scan.took(scan.token(), end);
            scan.set_slot(Slot::After);
        } else if let Some(rest) = scan.literal_rest().filter(|_| self.ctx.has_schema()) {
            // The schema will say whether only this literal can stand here.
            let at = self.text.len();
            scan.took(scan.token(), at);
            scan.set_slot(Slot::After);
            node = self.edited(node, [Edit::insert(Rule::CutLiteral, at, rest)]);
        } else if scan.in_token() {
            return self.fail(node.cost, Reason::CutToken, scan.token());
        }
        match node.scan.slot() {
            Slot::After => self.close_at_end(node, &Tail::default(), Vec::new()),
            Slot::Start => self.fail(node.cost, Reason::NoObject, self.head.start),
            _ => self.fail(node.cost, Reason::Dangling, end),
        }
    }

    /// The body ends here with containers open.
    fn close_at_end(&mut self, mut node: Node, tail: &Tail, behind: Vec<Edit>) {
        let end = node.scan.end();
        // A list around the object is open as well, so that which closers are there is not known.
        if self.head.list {
            return self.fail(node.cost, Reason::Rest, end);
        }
        let bytes = self.text.as_bytes();
        // A word without quotes may go on as well as a number.
        let word = self.text.get(node.scan.token()..end).unwrap_or("");
        let literal =
            ["true", "false", "null", "none"].iter().any(|l| l.starts_with(&word.to_ascii_lowercase()));
        let open = |b: &u8| b.is_ascii_digit() || b"-+.".contains(b) || b.is_ascii_alphabetic() && !literal;
        let number = bytes.get(node.scan.token()).is_some_and(open)
            && end > node.scan.token()
            && !matches!(bytes[end - 1], b'}' | b']' | b'"');
        let count = node.scan.depth();
        let (scan, edits) = close(&node.scan, count, end);
        node.scan = scan;
        let node = self.edited(node, edits);
        self.found(&node, tail, behind, count, number);
    }

    fn found(&mut self, node: &Node, tail: &Tail, behind: Vec<Edit>, closed: usize, number_last: bool) {
        let cost = node.cost.with(Grade::Packaging, tail.closers);
        if self.bound.is_some_and(|bound| cost > bound) || self.above.is_some_and(|above| cost <= above) {
            return;
        }
        match self.found.first().map(|best| best.cost.cmp(&cost)) {
            Some(Ordering::Less) => return,
            Some(Ordering::Greater) => {
                self.found.clear();
                self.more = false;
            }
            _ => {}
        }
        if self.found.len() >= MAX_READINGS {
            self.more = true;
            return;
        }
        let mut edits = self.trail.edits(&self.head.edits, node.last);
        let inside = &edits[self.head.edits.len()..];
        let rules = RuleSet::of(inside);
        let parsed = Parsed {
            text: self.text,
            head: self.head,
            before: &self.head.edits,
            inside,
            rules,
            behind: &behind,
            closers_behind: tail.closers,
            ctx: self.ctx,
        };
        if parsed.is_doubtful() {
            self.doubted = true;
            edits.extend(behind);
            edits.sort_by_key(|e| (e.start, e.end));
            // One more than is kept shows that there are more.
            if self.rivals.len() <= MAX_READINGS {
                self.rivals.push((cost, edits));
            }
            return self.fail(cost, Reason::Unreadable, node.scan.end());
        }
        edits.extend(behind);
        // Stable: closers set at one place stay in their order, and an insertion precedes a deletion.
        edits.sort_by_key(|e| (e.start, e.end));
        let rules = RuleSet::of(&edits);
        let asks = Asks::of(self.text, self.head, &edits, rules, self.ctx);
        self.found.push(Reading {
            edits,
            rules,
            cost,
            closed,
            closers: node.closers,
            number_last,
            end_mark: tail.end_mark,
            copies: tail.copies,
            doubtful: false,
            asks,
        });
    }

    /// The byte at `at` cannot stand, and no rule knows a token there.
    fn fault(&mut self, node: Node, at: usize) {
        let mut behind = Vec::new();
        if node.scan.slot() == Slot::After
            && let Some(tail) = frame::end_marks(self.text, at, self.head, self.ctx, &mut behind)
        {
            return self.close_at_end(node, &tail, behind);
        }
        if !self.ways(&node, at) {
            let open = self.text.as_bytes()[at] == b'"' && inside(self.text, at + 1, b'"').is_none();
            self.fail(node.cost, if open { Reason::OpenString } else { Reason::Unreadable }, at);
        }
    }

    /// Queues every way on that a rule knows; answers whether there was one.
    fn ways(&mut self, node: &Node, at: usize) -> bool {
        let fault = Fault { text: self.text, at, slot: node.scan.slot(), scan: &node.scan, ctx: self.ctx };
        let mut moves = Moves::default();
        ways(&fault, &mut moves);
        let any = moves.len() > 0;
        self.over_budget |= moves.overflowed();
        for way in moves.drain() {
            let mut edits = Vec::new();
            way.edits.append_to(&mut edits);
            let mut scan = node.scan.clone();
            way.then.apply_to(&mut scan);
            let next = self.edited(Node { scan, at: way.at, ..*node }, edits);
            self.push(next);
        }
        any
    }

    /// Queues the ways on which closers stood before this comma.
    fn fork(&mut self, node: &Node, comma: usize) {
        let room = self.bound.map_or(0, |bound| bound.edits.saturating_sub(node.cost.edits));
        let next = self.text.as_bytes().get(skip_white(self.text, comma + 1));
        for count in 1..node.scan.depth().min(room + 1) {
            // Behind the comma an object goes on with a key, which no bare number or bracket is.
            if node.scan.outer_is_object(count) == Some(true)
                && matches!(next, None | Some(b'0'..=b'9' | b'-' | b'{' | b'[' | b'}' | b']' | b','))
            {
                continue;
            }
            let (mut scan, edits) = close(&node.scan, count, node.scan.end());
            scan.took_comma(comma);
            let next = self.edited(Node { scan, at: comma + 1, ..*node }, edits);
            self.push(next);
        }
    }

    /// The node with these edits made.
    fn edited(&mut self, mut node: Node, edits: impl IntoIterator<Item = Edit>) -> Node {
        for edit in edits {
            node.cost = node.cost.with(edit.rule.grade(), 1);
            node.closers += usize::from(edit.rule == Rule::MissingCloser);
            node.last = self.trail.push(node.last, edit);
        }
        node
    }

    /// Notes where the cheapest way that fails gets stuck; of several, the one that gets furthest.
    fn fail(&mut self, cost: Cost, reason: Reason, at: usize) {
        if self.dead.as_ref().is_none_or(|(least, dead)| cost < *least || cost == *least && at > dead.at) {
            self.dead = Some((cost, Dead { reason, at }));
        }
    }

    /// Whether a reading that is not believed costs no more than this one, says something else, and is not ruled out
    /// by the schema; or whether there are too many of them to be asked.
    fn has_rival(&self, best: &Reading) -> bool {
        let mut rivals = self.rivals.iter().filter(|(cost, _)| *cost <= best.cost).peekable();
        if rivals.peek().is_none() {
            return false;
        }
        let Ok(says) = apply(self.text, &best.edits).map(|says| without_white(&says)) else { return true };
        let differs = |edits: &[Edit]| {
            apply(self.text, edits)
                .is_ok_and(|rival| without_white(&rival) != says && self.ctx.may_be(&rival))
        };
        self.rivals.len() > MAX_READINGS || rivals.any(|(_, edits)| differs(edits))
    }

    /// The readings found, without those that say the same as another.
    fn distinct(&mut self) -> Vec<Reading> {
        let mut readings = core::mem::take(&mut self.found);
        if readings.len() > 1 {
            // The one that closes at the end first, so that it is the one to be shown.
            readings.sort_by_key(|r| Reverse(r.closed));
            let mut values: Vec<String> = Vec::new();
            readings.retain(|r| match apply(self.text, &r.edits).ok().as_deref().map(without_white) {
                Some(v) if values.contains(&v) => false,
                Some(v) => {
                    values.push(v);
                    true
                }
                None => false,
            });
        }
        readings
    }
}

/// A body without the white space between its tokens: equal where two readings say the same.
pub(super) fn without_white(body: &str) -> String {
    let (mut string, mut escaped) = (false, false);
    body.chars()
        .filter(|&c| {
            let inside = string;
            match c {
                _ if escaped => escaped = false,
                '\\' if string => escaped = true,
                '"' => string = !string,
                _ => {}
            }
            inside || !matches!(c, ' ' | '\n' | '\r' | '\t')
        })
        .collect()
}
