//! Readings in which strings hold quotes that were not escaped.
//!
//! Every quote of a value string may be content or its end; it is an end only where a delimiter follows.
//! Those ways are followed first whose readings have the fewest stray quotes, and all of one number before the
//! next. Keys are taken as clean. Other tokens that a rule knows count as much as several stray quotes, and nothing between
//! tokens is repaired on the way, so that no repair of another kind can explain a quote away.

use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::frame::{self, Head};
use super::lexeme::{escape_raw, inside, json_escape};
use super::search::{MAX_READINGS, NO_EDIT, Trail, without_white};
use super::{Asks, Cost, Dead, Level, Reading, Stuck, begin};
use crate::context::Context;
use crate::edit::apply;
use crate::rules::{RuleSet, single_quoted};
use crate::scan::{Scanner, Slot};
use crate::verdict::Reason;
use crate::{Edit, Ending, Grade, Rule};
use signs::{
    breaks_line, comments, doubles, escaped_twice, gaps, in_word, leaves_open, meets, opens, pairs_up, parts,
    parts_items, quotes_raw, restarts, stands_apart, swallows_border,
};

use least::{Least, NEVER};
use walk::{Body, Met, TOKEN, Walked};

mod least;
mod signs;
mod walk;

pub(crate) use signs::{QUOTES, opens_word, swallows_member};

/// The most steps of one search.
const MAX_STEPS: usize = 60_000;
/// The most stray quotes in one string that are not in pairs: with more, too many pairings are possible.
const MAX_ODD: usize = 9;
/// The most ways that are followed from one state. Two would do to see that there is a choice, but the
/// schema may rule out some; where one more costs no more than what was found, nothing is certain.
const MAX_VISITS: u8 = 64;
/// The most stray quotes in one body: what is kept of the ways grows with their square.
const MAX_STRAY: usize = 400;
/// The most bytes of strings that are looked through for what they swallowed, as a multiple of the text's length.
const MAX_READ: usize = 64;
/// What the length of a shorter text counts as there, in bytes.
const SHORT: usize = 16 << 10;
/// How many more stray quotes a second reading may have to count against a way that is wary.
const MARGIN: usize = 6;
/// As [`MARGIN`], for a doubtful reading beside one whose quotes are all in pairs.
const NEAR: usize = 4;

/// The readings of the object at `head.start` with the fewest stray quotes of this kind (`"` or `'`), of
/// those that the schema does not rule out. `stuck`: where the search without stray quotes got stuck.
pub(crate) fn read(text: &str, head: &Head, ctx: &Context<'_>, quote: u8, stuck: Stuck) -> Level {
    let body = Body { text, head, ctx, quote };
    search(body, stuck, Least::of(&body))
}

/// The same, and what every way costs at least is known.
fn search(body: Body<'_>, stuck: Stuck, least: Least) -> Level {
    let mut search = Search {
        body,
        stuck,
        least,
        trail: Trail::default(),
        nodes: Vec::new(),
        queue: BinaryHeap::new(),
        visits: BTreeMap::new(),
        read: 0,
        lost: usize::MAX,
        ruled_out: usize::MAX,
    };
    search.push(
        0,
        0,
        Node {
            scan: begin(body.head),
            at: body.head.start,
            last: NO_EDIT,
            wary: Wary::No,
            strayed: false,
            doubtful: false,
            loose: false,
            mixed: false,
            odd: false,
            foreign: false,
            hides: false,
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
    /// Some string with stray quotes opens brackets or quotations that it does not close, so that what closes
    /// the object may be its words.
    loose: bool,
    /// Some string holds stray quotes and escaped ones.
    mixed: bool,
    /// Some string holds an odd number of stray double quotes.
    odd: bool,
    /// Some token is written as JSON does not write it.
    foreign: bool,
    /// Some string is written without quotes of this kind.
    hides: bool,
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
    body: Body<'t>,
    stuck: Stuck,
    least: Least,
    trail: Trail,
    /// The ways that were begun, each with its stray quotes so far.
    nodes: Vec<Option<(usize, Node)>>,
    /// Which of them to follow, by the stray quotes that their readings have at least.
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    /// How often each state was met. Several ways into one state are as many readings, if any.
    visits: BTreeMap<(usize, usize, Slot, Wary), u8>,
    /// The bytes of strings that were looked through.
    read: usize,
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
    /// What it says.
    value: String,
    reading: Reading,
}

/// The most stray quotes with which a reading counts, beside the one that has the fewest.
#[derive(Debug, Clone, Copy, Default)]
struct Limits {
    doubtful: usize,
    sound: usize,
}

impl Limits {
    fn admit(self, found: &Found) -> bool {
        found.stray <= if found.doubtful { self.doubtful } else { self.sound }
    }
}

/// Whether a rule reads strings that lack a quote of JSON's.
fn is_other_string(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::UnquotedWord
            | Rule::BacktickString
            | Rule::SingleQuotes
            | Rule::SmartQuotes
            | Rule::TripleQuotes
            | Rule::ValueNoOpenQuote
            | Rule::ValueNoCloseQuote
            | Rule::KeyNoOpenQuote
            | Rule::KeyNoCloseQuote
    )
}

fn limits(found: &[Found]) -> Option<Limits> {
    let best = found.iter().map(|f| f.stray).min()?;
    let wary = found.iter().filter(|f| f.stray == best).map(|f| f.wary).max()?;
    let (doubtful, sound) = wary.margins();
    Some(Limits { doubtful: best + doubtful, sound: best + sound })
}

impl Search<'_> {
    /// Notes a way with so many stray quotes, and how many its readings have at least from here on.
    fn push(&mut self, stray: usize, least: usize, node: Node) {
        if least != NEVER {
            self.queue.push(Reverse((stray + least, self.nodes.len())));
            self.nodes.push(Some((stray, node)));
        }
    }

    fn run(mut self) -> Level {
        let mut found: Vec<Found> = Vec::new();
        let mut over_budget = false;
        while let Some(Reverse((least, index))) = self.queue.pop() {
            if limits(&found).is_some_and(|limits| least > limits.sound) {
                break;
            }
            if self.nodes.len() > MAX_STEPS
                || self.read / MAX_READ > self.body.text.len().max(SHORT)
                || least > MAX_STRAY
                || found.len() >= MAX_READINGS
            {
                over_budget = true;
                break;
            }
            let Some((stray, node)) = self.nodes[index].take() else {
                continue;
            };
            let before = found.len();
            match node.string {
                Some(_) => self.in_string(stray, node),
                None => self.between(stray, node, &mut found),
            }
            if found.len() > before && self.is_settled(&found, least) {
                break;
            }
        }
        let limits = limits(&found).unwrap_or_default();
        // A way that was not followed might have led to another one.
        over_budget |= !found.is_empty() && self.lost <= limits.sound;
        let mut values: Vec<String> = Vec::new();
        found.retain(|f| {
            let new = limits.admit(f) && !values.contains(&f.value);
            if new {
                values.push(f.value.clone());
            }
            new
        });
        // The one reading that is left must not rest on a string that swallows a border; none may stand beside one
        // that nothing but its types rules out, and no other at all beside one whose types the schema repairs.
        let alone = found.len() == 1 && self.ruled_out > limits.doubtful;
        if found.len() == 1 && found[0].doubtful || found.iter().any(|f| f.repeats || !f.admitted && !alone) {
            found.clear();
        }
        let dead = Some(Dead { reason: Reason::Unreadable, at: self.body.head.start });
        Level {
            more: false,
            stuck: Stuck::AtString,
            readings: found.into_iter().map(|f| f.reading).collect(),
            dead,
            over_budget,
        }
    }

    /// Whether nothing more can be found that matters: the last value and another one count, whatever else is found,
    /// and no schema tells them apart. Nothing that is yet to be found has fewer than `least` stray quotes.
    fn is_settled(&self, found: &[Found], least: usize) -> bool {
        let Some((last, others)) = found.split_last() else { return false };
        let limits = limits(found).unwrap_or_default();
        !self.body.ctx.has_schema()
            && found.iter().any(|f| f.stray <= least)
            && limits.admit(last)
            && others.iter().any(|f| limits.admit(f) && f.value != last.value)
    }

    /// Reads on between strings: everything but value strings of this quote must be certain as it stands.
    fn between(&mut self, stray: usize, mut node: Node, found: &mut Vec<Found>) {
        let (trail, last, hides) = (&mut self.trail, &mut node.last, &mut node.hides);
        let walked = self.body.walk(&mut node.scan, node.at, |edit| {
            *hides |= is_other_string(edit.rule);
            *last = trail.push(*last, edit);
        });
        let Walked { met, cost, .. } = walked;
        let stray = stray + cost;
        node.doubtful |= walked.doubtful;
        // A literal of Python's is no slip beside its quotes.
        if cost > 0 && self.body.quote == b'"' {
            node.wary = Wary::OfAny;
            node.foreign = true;
        }
        match met {
            Met::Closed(end) => self.closed(stray, &node, end, found),
            Met::Opens(at) => {
                let state = (at, node.scan.depth(), node.scan.slot(), node.wary);
                let visits = self.visits.entry(state).or_insert(0);
                *visits = visits.saturating_add(1);
                let least = self.least.within(at + 1);
                if *visits > MAX_VISITS {
                    self.lost = self.lost.min(stray.saturating_add(least));
                    return;
                }
                self.other_string(stray, &node, at);
                node.at = at + 1;
                node.string = Some((at, Vec::new()));
                self.push(stray, least, node);
            }
            Met::Nothing(_) => {}
        }
    }

    /// The object ends before `end`: that is a reading, if what stands behind it is packaging.
    fn closed(&mut self, stray: usize, node: &Node, end: usize, found: &mut Vec<Found>) {
        let Body { text, head, ctx, .. } = self.body;
        let mut behind = Vec::new();
        let Ok(tail) = frame::tail(text, end, head, ctx, &mut behind) else { return };
        // Words behind a string with stray quotes may be the string's.
        let words = behind.iter().any(|e| e.rule == Rule::Prose);
        if tail.closers > 0 || stray == 0 || words {
            return;
        }
        let mut reading = self.reading(node, stray, tail, behind);
        let Ok(output) = apply(text, &reading.edits) else { return };
        let repeats = ctx.repeats_key(&output);
        let admitted = ctx.may_be(&output) && !repeats;
        // Validators differ in which of two equal keys they judge, and a reading that only its types keep out
        // may be the one that was meant.
        if !admitted && !repeats && !ctx.can_be(&output) {
            self.ruled_out = self.ruled_out.min(stray);
            return;
        }
        // Two slips, where one with more quotes may explain the text as well.
        let wary = if admitted { node.wary } else { node.wary.max(Wary::OfSound) };
        // Quotes that were escaped here and there, in a body that writes its strings in several ways. And quotes that are
        // not in pairs, where a string without quotes of its own hides the reading in which theirs are others' borders.
        let doubtful = node.doubtful || node.mixed && node.foreign || node.odd && node.hides;
        reading.doubtful = doubtful;
        let value = without_white(&output);
        found.push(Found { stray, wary, doubtful, admitted, repeats, value, reading });
    }

    /// The string at `at` may also be one that a rule reads whole.
    fn other_string(&mut self, stray: usize, node: &Node, at: usize) {
        let Some(lexeme) = self.body.whole(at, node.scan.slot()) else { return };
        let mut scan = node.scan.clone();
        scan.took(at, lexeme.end);
        scan.set_slot(Slot::After);
        let mut other = Node {
            scan,
            at: lexeme.end,
            wary: Wary::OfAny,
            foreign: true,
            hides: true,
            string: None,
            ..*node
        };
        for edit in lexeme.edits {
            self.edit(&mut other, edit);
        }
        self.push(stray + TOKEN, self.least.behind(lexeme.end), other);
    }

    /// Looks at the next quote of the string: an end where a delimiter follows, and content in any case.
    fn in_string(&mut self, stray: usize, mut node: Node) {
        let Some((open, mut strays)) = node.string.take() else {
            return;
        };
        let Some(read) = inside(self.body.text, node.at, self.body.quote) else {
            return;
        };
        let least = if self.body.ends(read.close).1 { self.least.behind(read.close + 1) } else { NEVER };
        self.read += if least == NEVER { 0 } else { read.close - open };
        if least != NEVER
            && let Some((edits, doubtful)) = self.string(open, read.close, &strays)
        {
            let mut scan = node.scan.clone();
            scan.took(open, read.close + 1);
            scan.set_slot(Slot::After);
            let strayed = !strays.is_empty();
            let item = node.scan.slot() != Slot::Value;
            let wary = self.wary(&strays, (open, read.close), item, node.strayed).max(node.wary);
            let doubtful = node.doubtful
                || doubtful
                || item && strayed && parts_items(self.body.text, &strays, self.body.quote);
            let loose = node.loose || strayed && self.is_loose(open, read.close, &strays);
            let escaped = || self.body.text[open..read.close].contains("\\\"");
            let mut after = Node {
                scan,
                at: read.close + 1,
                wary,
                strayed,
                doubtful,
                loose,
                mixed: node.mixed || strayed && escaped(),
                odd: node.odd || self.body.quote == b'"' && strays.len() % 2 == 1,
                string: None,
                ..node
            };
            for edit in edits {
                self.edit(&mut after, edit);
            }
            self.push(stray, least, after);
        }
        strays.push(read.close);
        node.at = read.close + 1;
        node.string = Some((open, strays));
        let least = self.least.within(node.at);
        self.push(stray + 1, least, node);
    }

    /// How wary a string with these stray quotes makes; `beside`: the one before it holds stray quotes as well.
    fn wary(&self, strays: &[usize], (open, close): (usize, usize), item: bool, beside: bool) -> Wary {
        let text = self.body.text;
        let odd = strays.len() % 2 == 1;
        if self.body.quote == b'\'' {
            // `it's`: an apostrophe is no quotation, whose commas may part items.
            let quotes = item && !strays.iter().all(|&at| in_word(text, &[at]));
            return if quotes { Wary::OfAny } else { Wary::No };
        }
        let alone = odd && !pairs_up(&text[open + 1..close]);
        if alone || !strays.is_empty() && beside || item && !stands_apart(text, open, close) {
            Wary::OfAny
        } else if odd {
            Wary::OfNear
        } else if item && !strays.is_empty() {
            Wary::OfSound
        } else {
            Wary::No
        }
    }

    /// The edits that make one string of what stands between two quotes, and whether that string is
    /// doubtful; `None` where that is not certain.
    fn string(&self, open: usize, close: usize, strays: &[usize]) -> Option<(Vec<Edit>, bool)> {
        let mut all = super::lexeme::Inside { close, raw: Vec::new(), pairs: Vec::new() };
        let b = self.body.text.as_bytes();
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
        let twice = escaped_twice(self.body.text, strays);
        // `\bfoo\b`: nobody means a backspace, so the string's escapes are its own as well.
        let control = all.pairs.iter().any(|&at| matches!(b[at + 1], b'b' | b'f'));
        if self.body.quote == b'\'' {
            // `it''s` is `it's` where quotes are doubled to be escaped.
            let doubled = doubles(b, strays);
            let doubtful = doubled
                || parts(&self.body.text[open..=close], open, strays, &all.pairs)
                || swallows_member(&self.body.text[open + 1..close], strays, self.body.ctx)
                || swallows_border(self.body.text, strays, &all.pairs, '\'', self.body.ctx)
                || meets(self.body.text, strays, &all.pairs)
                || breaks_line(self.body.text, &all.raw, strays)
                || !strays.is_empty() && leaves_open(self.body.text, strays)
                || restarts(self.body.text, self.body.head.start, &self.body.text[open..close])
                || gaps(self.body.text, strays, &all.pairs, '\'')
                || twice
                || !strays.is_empty() && control;
            return Some((single_quoted(self.body.text, open, &all, Rule::BareApostrophe)?, doubtful));
        }
        if !all.pairs.iter().all(|&p| json_escape(self.body.text, p)) {
            return None;
        }
        let mut edits: Vec<Edit> =
            strays.iter().map(|&at| Edit::insert(Rule::InnerQuotes, at, "\\")).collect();
        edits.extend(escape_raw(self.body.text, &all.raw));
        edits.sort_by_key(|e| e.start);
        let alone = !pairs_up(&self.body.text[open + 1..close]);
        let odd = strays.len() % 2 == 1 && alone;
        let doubtful = swallows_border(self.body.text, strays, &all.pairs, '"', self.body.ctx)
            || parts(&self.body.text[open..=close], open, strays, &all.pairs)
            || swallows_member(&self.body.text[open + 1..close], strays, self.body.ctx)
            || meets(self.body.text, strays, &all.pairs)
            || self.body.text[open..].starts_with("\"\"\"")
            // What stands behind the string is not known to be its own.
            || alone && self.stuck != Stuck::AtString
            || odd && comments(&self.body.text[open..close])
            || gaps(self.body.text, strays, &all.pairs, '"')
            || twice
            || control && !(strays.is_empty() && all.raw.is_empty())
            // With one quote too many in a cut turn, the string itself may be open.
            || strays.len() % 2 == 1 && self.body.ctx.evidence.ending() == Ending::Cut
            || odd && (strays.len() > MAX_ODD || in_word(self.body.text, strays) || opens(self.body.text, strays))
            || odd && strays[0] == open + 1
            || quotes_raw(self.body.text, strays, &all.pairs)
            || restarts(self.body.text, self.body.head.start, &self.body.text[open..close])
            || breaks_line(self.body.text, &all.raw, strays);
        Some((edits, doubtful))
    }

    /// Whether the string between two quotes leaves open what it opens.
    fn is_loose(&self, open: usize, close: usize, strays: &[usize]) -> bool {
        let content = &self.body.text[open + 1..close];
        let count = |c: char| content.matches(c).count();
        strays.len() % 2 == 1
            || [('(', ')'), ('[', ']'), ('{', '}')].iter().any(|&(o, c)| count(o) > count(c))
    }

    fn edit(&mut self, node: &mut Node, edit: Edit) {
        node.last = self.trail.push(node.last, edit);
    }

    fn reading(&self, node: &Node, stray: usize, tail: frame::Tail, behind: Vec<Edit>) -> Reading {
        let mut edits = self.trail.edits(&self.body.head.edits, node.last);
        edits.extend(behind);
        edits.sort_by_key(|e| (e.start, e.end));
        let rules = RuleSet::of(&edits);
        Reading {
            cost: Cost { grade: Grade::Schema, edits: stray },
            closed: 0,
            closers: 0,
            number_last: false,
            end_mark: tail.end_mark,
            copies: tail.copies,
            doubtful: false,
            asks: if node.loose {
                Asks::Complete
            } else {
                Asks::of(self.body.text, self.body.head, &edits, rules, self.body.ctx).max(Asks::NotCut)
            },
            edits,
            rules,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Evidence, NoJudge};

    /// What strings with stray quotes are made of, and what stands around them.
    const PARTS: &[&str] = &[
        "\"", "\"", "\"", "'", "'", "a", "b c", "it's", ",", ", ", ": ", "{", "}", "[", "]", "1", "true",
        "\n", "\\", "\\\"", "\\n", "\"\"\"", "\" + \"", "// x\n", "`", "\"k\": ", "'k': ", "\", \"", "\"}",
        "'}", "},", "k: ",
    ];

    /// What the text says, if it can be read in one way; `None` where that takes too long to find out.
    fn said(text: &str, quote: u8, informed: bool) -> Option<Option<String>> {
        let evidence = Evidence::new();
        let ctx = Context::new(&evidence, &NoJudge);
        let head = frame::head(text, 0, false, &ctx).ok()?;
        let body = Body { text, head: &head, ctx: &ctx, quote };
        let least = if informed { Least::of(&body) } else { Least::unknown() };
        let level = search(body, Stuck::AtString, least);
        let said = match level.readings.as_slice() {
            [one] => apply(text, &one.edits).ok(),
            _ => None,
        };
        (!level.over_budget).then_some(said)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, ..ProptestConfig::default() })]

        /// To know what is still to come changes the way to the readings, and no reading.
        #[test]
        fn least_costs_change_no_reading(
            parts in prop::collection::vec(prop::sample::select(PARTS), 0..24),
            single in any::<bool>(),
        ) {
            let quote = if single { '\'' } else { '"' };
            let text = alloc::format!("{{\"k\": {quote}{}{quote}}}", parts.concat());
            let (blind, informed) = (said(&text, quote as u8, false), said(&text, quote as u8, true));
            if let (Some(blind), Some(informed)) = (blind, informed) {
                prop_assert_eq!(blind, informed, "{}", text);
            }
        }
    }
}
