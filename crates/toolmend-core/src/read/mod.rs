//! The reader: finds the cheapest ways to read a faulty body as one JSON object.
//!
//! The strict scanner runs until a byte cannot stand. There the rules say which ways lead on; each is a
//! node of a uniform-cost search, so that error-free text costs one scan and nothing else. Costs are
//! ordered by grade first, then by the number of edits; the whole cheapest level is finished before it is
//! answered, and distinct values are counted, not scripts.
//!
//! Closers that are missing may have stood before any comma, not only where the text first fails. So
//! where a reading sets closers, the level is searched once more with a fork at every comma.

use alloc::borrow::Cow;
use alloc::collections::BinaryHeap;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::edit::apply;
use crate::rules::Act;
use crate::scan::{AT_CLOSE, AT_COMMA, Halt, Scanner, Slot};
use crate::verdict::Reason;
use crate::{Edit, Evidence, Grade, Rule};
use fault::{Fault, Moves, close};
use frame::{Head, Tail};
use lexeme::{Lexeme, Spot, skip_white};

pub(crate) mod fault;
pub(crate) mod frame;
pub(crate) mod lexeme;
mod marks;
pub(crate) mod quotes;

/// The most nodes of one search.
const MAX_NODES: usize = 50_000;
/// The most bytes that a search scans, as a multiple of the text's length.
const MAX_SCANS: usize = 64;
/// The most distinct readings of a level that are kept.
pub(crate) const MAX_READINGS: usize = 64;

/// What a reading costs: the grade first, then the number of edits inside the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cost {
    pub(crate) grade: Grade,
    pub(crate) edits: usize,
}

impl Cost {
    pub(crate) const NONE: Cost = Cost {
        grade: Grade::Packaging,
        edits: 0,
    };

    pub(crate) fn with(self, grade: Grade, edits: usize) -> Cost {
        Cost {
            grade: self.grade.max(grade),
            edits: self.edits + edits,
        }
    }
}

/// One way to read a body as an object.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    /// Sorted and disjoint.
    pub(crate) edits: Vec<Edit>,
    pub(crate) cost: Cost,
    /// How many closers were set at the end of the body.
    pub(crate) closed: usize,
    /// How many closers were set anywhere.
    pub(crate) closers: usize,
    /// The body ends in a number whose digits might go on.
    pub(crate) number_last: bool,
    /// The model went on past the body by itself.
    pub(crate) end_mark: bool,
    /// The body stood there more than once.
    pub(crate) copies: bool,
}

impl Reading {
    /// All closers that this reading sets stand at the end.
    pub(crate) fn closes_at_end(&self) -> bool {
        self.closed > 0 && self.closed == self.closers
    }
}

/// Why and where no reading was found.
#[derive(Debug, Clone)]
pub(crate) struct Dead {
    pub(crate) reason: Reason,
    pub(crate) at: usize,
}

/// What one search found: the readings of the cheapest level, distinct in value.
#[derive(Debug)]
pub(crate) struct Level {
    pub(crate) readings: Vec<Reading>,
    /// The cheapest way that failed got stuck at a string or right behind one, so that the string may
    /// have ended too early.
    pub(crate) in_strings: bool,
    /// Where the cheapest way that failed got stuck.
    pub(crate) dead: Option<Dead>,
    pub(crate) over_budget: bool,
}

/// The readings of the object that begins at `head.start`, of the cheapest level only.
pub(crate) fn read(text: &str, head: &Head, evidence: &Evidence<'_>) -> Level {
    let found = Search::new(text, head, evidence).run::<AT_CLOSE>(None);
    match found.readings.iter().find(|r| r.closers > 0) {
        Some(reading) if !found.over_budget => {
            let bound = reading.cost;
            Search::new(text, head, evidence).run::<{ AT_CLOSE | AT_COMMA }>(Some(bound))
        }
        _ => found,
    }
}

#[derive(Debug)]
struct Node {
    scan: Scanner,
    at: usize,
    cost: Cost,
    /// The last edit of this way, in the arena.
    last: usize,
    closers: usize,
}

const NO_EDIT: usize = usize::MAX;

struct Search<'t> {
    text: &'t str,
    head: &'t Head,
    evidence: &'t Evidence<'t>,
    /// Edits of all ways, each with the one before it.
    arena: Vec<(usize, Edit)>,
    nodes: Vec<Option<Node>>,
    queue: BinaryHeap<Reverse<(Cost, usize)>>,
    found: Vec<Reading>,
    dead: Option<(Cost, Dead)>,
    bound: Option<Cost>,
    scanned: usize,
}

impl<'t> Search<'t> {
    fn new(text: &'t str, head: &'t Head, evidence: &'t Evidence<'t>) -> Search<'t> {
        Search {
            text,
            head,
            evidence,
            arena: Vec::new(),
            nodes: Vec::new(),
            queue: BinaryHeap::new(),
            found: Vec::new(),
            dead: None,
            bound: None,
            scanned: 0,
        }
    }

    fn run<const STOP: u8>(mut self, bound: Option<Cost>) -> Level {
        self.bound = bound;
        let scan = if self.head.headless {
            Scanner::in_object()
        } else {
            Scanner::new()
        };
        let cost = if self.head.headless {
            Cost::NONE.with(Grade::Punctuation, 1)
        } else {
            Cost::NONE
        };
        self.push(Node {
            scan,
            at: self.head.start,
            cost,
            last: NO_EDIT,
            closers: 0,
        });
        let mut over_budget = false;
        while let Some(Reverse((cost, index))) = self.queue.pop() {
            if self.found.first().is_some_and(|best| best.cost < cost) {
                break;
            }
            if self.nodes.len() > MAX_NODES || self.scanned / MAX_SCANS > self.text.len() + 1024 {
                over_budget = true;
                break;
            }
            if let Some(node) = self.nodes[index].take() {
                self.follow::<STOP>(node);
            }
        }
        let readings = self.distinct();
        let in_strings = self.dead.as_ref().is_some_and(|(_, dead)| {
            matches!(dead.reason, Reason::Unreadable | Reason::OpenString)
                && (self.text[..dead.at].trim_end().ends_with(['"', '\''])
                    || self.text[dead.at..].starts_with(['"', '\'']))
        });
        Level {
            in_strings,
            readings,
            dead: self.dead.map(|(_, dead)| dead),
            over_budget,
        }
    }

    fn push(&mut self, node: Node) {
        if self.bound.is_some_and(|bound| node.cost > bound) {
            return;
        }
        self.queue.push(Reverse((node.cost, self.nodes.len())));
        self.nodes.push(Some(node));
    }

    /// Follows one way until it ends, or until more than one way leads on.
    fn follow<const STOP: u8>(&mut self, mut node: Node) {
        let bytes = self.text.as_bytes();
        loop {
            let from = node.at;
            let halt = if node.scan.slot() == Slot::Done {
                Halt::Closed(node.at)
            } else {
                node.scan.run::<STOP>(bytes, 0, node.at)
            };
            let to = match halt {
                Halt::End => bytes.len(),
                Halt::Fault(at) | Halt::TooDeep(at) | Halt::Closed(at) | Halt::Comma(at) | Halt::Str(at) => {
                    at
                }
            };
            self.scanned += to - from + 1;
            match halt {
                Halt::Closed(end) => return self.closed(node, end),
                Halt::End => return self.ended(node),
                Halt::TooDeep(at) => return self.fail(node.cost, Reason::TooDeep, at),
                Halt::Comma(at) => {
                    self.fork(&node, at);
                    node.scan.took_comma(at);
                    node.at = at + 1;
                }
                Halt::Fault(at) | Halt::Str(at) => match self.fault(node, at) {
                    Some(on) => node = on,
                    None => return,
                },
            }
        }
    }

    /// The outermost object is closed; what follows must be packaging, or this closer is one too many.
    fn closed(&mut self, node: Node, end: usize) {
        match frame::tail(self.text, end, self.head, self.evidence) {
            Ok(tail) => self.found(&node, &tail, 0, false),
            Err(refused) => {
                self.fail(node.cost, refused.reason, refused.at);
                let taken = node.last != NO_EDIT && self.arena[node.last].1.end == end;
                if !taken {
                    let mut scan = node.scan.clone();
                    scan.open(true);
                    scan.set_slot(Slot::After);
                    self.moves(&Node { scan, ..node }, end - 1);
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
        } else if scan.in_token() {
            return self.fail(node.cost, Reason::CutToken, scan.token());
        }
        match scan.slot() {
            Slot::After => self.close_at_end(node, &Tail::default()),
            Slot::Start => self.fail(node.cost, Reason::NoObject, self.head.start),
            _ => self.fail(node.cost, Reason::Dangling, end),
        }
    }

    /// The body ends here with containers open.
    fn close_at_end(&mut self, mut node: Node, tail: &Tail) {
        let end = node.scan.end();
        let bytes = self.text.as_bytes();
        let number = matches!(
            bytes.get(node.scan.token()),
            Some(b'0'..=b'9' | b'-' | b'+' | b'.')
        ) && end > node.scan.token()
            && !matches!(bytes[end - 1], b'}' | b']' | b'"');
        let count = node.scan.depth();
        let (scan, edits) = close(&node.scan, count, end);
        node.scan = scan;
        let node = self.edited(node, edits);
        self.found(&node, tail, count, number);
    }

    fn found(&mut self, node: &Node, tail: &Tail, closed: usize, number_last: bool) {
        let cost = if tail.closers > 0 {
            node.cost.with(Grade::Punctuation, tail.closers)
        } else {
            node.cost
        };
        if self.bound.is_some_and(|bound| cost > bound) {
            return;
        }
        match self.found.first().map(|best| best.cost.cmp(&cost)) {
            Some(core::cmp::Ordering::Less) => return,
            Some(core::cmp::Ordering::Greater) => self.found.clear(),
            _ => {}
        }
        if self.found.len() >= MAX_READINGS {
            return;
        }
        let mut edits = self.head.edits.clone();
        let inside = edits.len();
        let mut last = node.last;
        while last != NO_EDIT {
            let (before, edit) = &self.arena[last];
            edits.push(edit.clone());
            last = *before;
        }
        edits[inside..].reverse();
        // Closers too many and too few in one body: it is not known which of them was meant.
        // `opts: {"x":1}}`: nor whether the name before the object is a key of a larger one.
        let extra = tail.closers > 0 || edits[inside..].iter().any(|e| e.rule == Rule::ExtraCloser);
        if extra && (node.closers > 0 || self.head.member) {
            return self.fail(cost, Reason::Unreadable, node.scan.end());
        }
        edits.extend(tail.edits.iter().cloned());
        // Stable: closers set at one place stay in their order, and an insertion precedes a deletion.
        edits.sort_by_key(|e| (e.start, e.end));
        self.found.push(Reading {
            edits,
            cost,
            closed,
            closers: node.closers,
            number_last,
            end_mark: tail.end_mark,
            copies: tail.copies,
        });
    }

    /// Something at `at` cannot stand. Answers the one way on, or queues several, or notes that there is
    /// none.
    fn fault(&mut self, mut node: Node, at: usize) -> Option<Node> {
        let mut at = at;
        if token_fault(self.text, &node.scan, at) {
            at = node.scan.token();
            let slot = if node.scan.slot() == Slot::After {
                if node.scan.inside_object() {
                    Slot::Value
                } else {
                    Slot::Item
                }
            } else {
                node.scan.slot()
            };
            node.scan.set_slot(slot);
        } else if let Some((rule, end)) = gap(self.text, at) {
            node.at = end;
            return Some(self.edited(node, [Edit::delete(rule, at, end)]));
        }
        let slot = node.scan.slot();
        if let Some(lexeme) = token(&Spot {
            text: self.text,
            at,
            slot,
        }) {
            node.scan.took(at, lexeme.end);
            node.scan.set_slot(if slot.takes_key() {
                Slot::Colon
            } else {
                Slot::After
            });
            node.at = lexeme.end;
            return Some(self.edited(node, lexeme.edits));
        }
        if slot == Slot::After
            && let Some(tail) = frame::end_marks(self.text, at, self.evidence)
        {
            self.close_at_end(node, &tail);
            return None;
        }
        if !self.moves(&node, at) {
            let open =
                matches!(self.text.as_bytes()[at], b'"') && lexeme::inside(self.text, at + 1, b'"').is_none();
            self.fail(
                node.cost,
                if open {
                    Reason::OpenString
                } else {
                    Reason::Unreadable
                },
                at,
            );
        }
        None
    }

    /// Queues every way on that a rule knows; answers whether there was one.
    fn moves(&mut self, node: &Node, at: usize) -> bool {
        let fault = Fault {
            text: self.text,
            at,
            slot: node.scan.slot(),
            scan: &node.scan,
        };
        let mut moves = Moves::default();
        for rule in Rule::ALL {
            if let Act::Move(act) = rule.spec().act {
                act(&fault, &mut moves);
            }
        }
        let any = !moves.0.is_empty();
        for way in moves.0 {
            let next = Node {
                scan: way.scan,
                at: way.at,
                ..*node
            };
            let next = self.edited(next, way.edits);
            self.push(next);
        }
        any
    }

    /// Queues the ways on which closers stood before this comma.
    fn fork(&mut self, node: &Node, comma: usize) {
        let room = self
            .bound
            .map_or(0, |bound| bound.edits.saturating_sub(node.cost.edits));
        let next = self.text.as_bytes().get(skip_white(self.text, comma + 1));
        for count in 1..node.scan.depth().min(room + 1) {
            // Behind the comma an object goes on with a key, which no bare number or bracket is.
            if node.scan.outer_is_object(count) == Some(true)
                && matches!(
                    next,
                    None | Some(b'0'..=b'9' | b'-' | b'{' | b'[' | b'}' | b']' | b',')
                )
            {
                continue;
            }
            let (mut scan, edits) = close(&node.scan, count, node.scan.end());
            scan.took_comma(comma);
            let next = self.edited(
                Node {
                    scan,
                    at: comma + 1,
                    ..*node
                },
                edits,
            );
            self.push(next);
        }
    }

    /// The node with these edits made.
    fn edited(&mut self, mut node: Node, edits: impl IntoIterator<Item = Edit>) -> Node {
        for edit in edits {
            node.cost = node.cost.with(edit.rule.grade(), 1);
            node.closers += usize::from(edit.rule == Rule::MissingCloser);
            self.arena.push((node.last, edit));
            node.last = self.arena.len() - 1;
        }
        node
    }

    /// Notes where the cheapest way that fails gets stuck; of several, the one that gets furthest.
    fn fail(&mut self, cost: Cost, reason: Reason, at: usize) {
        if self
            .dead
            .as_ref()
            .is_none_or(|(least, dead)| cost < *least || cost == *least && at > dead.at)
        {
            self.dead = Some((cost, Dead { reason, at }));
        }
    }

    /// The readings found, without those that say the same as another.
    fn distinct(&mut self) -> Vec<Reading> {
        let mut readings = core::mem::take(&mut self.found);
        if readings.len() > 1 {
            // The one that closes at the end first, so that it is the one to be shown.
            readings.sort_by_key(|r| Reverse(r.closed));
            let mut values: Vec<String> = Vec::new();
            readings.retain(|r| match value(self.text, &r.edits) {
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

/// The output of these edits without the white space between its tokens: equal where two readings say
/// the same.
pub(crate) fn value(text: &str, edits: &[Edit]) -> Option<String> {
    let output = apply(text, edits).ok()?;
    let (mut string, mut escaped) = (false, false);
    Some(
        output
            .chars()
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
            .collect(),
    )
}

/// Whether the byte at `at` shows that the last token, and not what follows it, departs from JSON.
fn token_fault(text: &str, scan: &Scanner, at: usize) -> bool {
    if scan.in_token() {
        return true;
    }
    if scan.slot() != Slot::After || scan.end() <= scan.token() {
        return false;
    }
    let token = &text[scan.token()..scan.end()];
    let b = text.as_bytes();
    match token.as_bytes()[0] {
        // `"a" + "b"`, and three quotes.
        b'"' => b[at] == b'+' || token == "\"\"" && b[at] == b'"' && at == scan.end(),
        // `0x1F`, `1_000`, `5.`, `trueish`
        b'0'..=b'9' | b'-' | b't' | b'f' | b'n' => {
            at == scan.end() && (b[at].is_ascii_alphanumeric() || matches!(b[at], b'_' | b'.' | b'+'))
        }
        _ => false,
    }
}

/// Something at `at` that says nothing, with its rule and its end.
pub(crate) fn gap(text: &str, at: usize) -> Option<(Rule, usize)> {
    let b = text.as_bytes();
    Rule::ALL.iter().find_map(|&rule| match rule.spec().act {
        Act::Gap(end) => {
            let end = end(text, at)?;
            // Between two digits it is not known whether one number or two were meant.
            let digits = at > 0 && b[at - 1].is_ascii_digit() && b.get(end).is_some_and(u8::is_ascii_digit);
            (!digits).then_some((rule, end))
        }
        _ => None,
    })
}

/// The token at this place, as the first rule that knows it reads it.
pub(crate) fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    if !spot.slot.takes_key() && !spot.slot.takes_value() {
        return None;
    }
    Rule::ALL.iter().find_map(|rule| match rule.spec().act {
        Act::Token(read) => read(spot),
        _ => None,
    })
}

/// The text as these edits make it.
pub(crate) fn spliced<'t>(text: &'t str, edits: &[Edit]) -> Option<Cow<'t, str>> {
    if edits.is_empty() {
        Some(Cow::Borrowed(text))
    } else {
        apply(text, edits).ok().map(Cow::Owned)
    }
}
