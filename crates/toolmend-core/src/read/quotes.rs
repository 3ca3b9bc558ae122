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
use super::lexeme::{
    Spot, colon_ahead, escape_raw, identifier_end, inside, json_escape, skip_white, trim_escaped_white,
};
use super::search::{MAX_READINGS, NO_EDIT, Trail, value};
use super::{Cost, Dead, Level, Reading, Stuck, begin, gap, spliced, token, token_fault};
use crate::context::Context;
use crate::rules::single_quoted;
use crate::scan::{AT_CLOSE, AT_STRING, Halt, Scanner, Slot};
use crate::verdict::Reason;
use crate::{Edit, Ending, Grade, Rule};

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

/// The longest name of a member that a string with stray quotes may hold, in characters.
const MAX_NAME: usize = 64;

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

/// Whether a string with these stray quotes swallows what looks like the border of a member: then a quote
/// that is missing, or a fault of another kind behind that border, explains the text as well.
fn swallows_border(text: &str, strays: &[usize], pairs: &[usize], quote: char, ctx: &Context<'_>) -> bool {
    let odd = strays.len() % 2 == 1;
    // `"a": "b"`: what the string seems to end with is a key; not where that quote is the partner of one that was
    // escaped: `{\"k": 1}`.
    let key = strays.first().is_some_and(|&at| {
        let escaped = pairs.iter().filter(|&&p| p < at && text[p + 1..].starts_with(quote)).count();
        escaped % 2 == 0 && colon_ahead(text, at + 1)
    });
    // `…","key":"…`: the string ends where a member's own value would; JSON in a string ends in a brace.
    let last = strays.last().map_or("", |&at| text[..at].trim_end());
    let ends_member = last.strip_suffix(':').is_some_and(|before| before.trim_end().ends_with(quote));
    key || strays.iter().enumerate().any(|(n, &open)| {
        let before = trim_escaped_white(&text[..open]);
        let Some(value) = before.strip_suffix([',', '{']).map(str::trim_end) else {
            return false;
        };
        let Some(name_end) = identifier_end(text, open + 1) else {
            return false;
        };
        let closed = text[name_end..].starts_with(quote);
        let colon = colon_ahead(text, name_end + usize::from(closed));
        let between = &text[before.len()..open];
        let line = between.contains('\n') || between.contains("\\n");
        let begins = before.ends_with('{');
        // Quotes in pairs stand before it, and one more: the string, or a quotation in it, could have ended.
        // A schema knows which keys there are; others are words of the string.
        let declared = !ctx.has_schema() || ctx.judge.declares_within(&text[open + 1..name_end]);
        let behind_end = n > 0 && !begins && value.len() == strays[n - 1] + 1;
        let other = n % 2 == 1 && (closed && !colon || colon && declared);
        if behind_end && (other || ends_member && colon && closed) {
            return true;
        }
        let known = !ctx.has_schema() || ctx.judge.declares(&text[open + 1..name_end]);
        known && colon && (n % 2 == 1 || odd && (closed || line || begins || value.ends_with(quote)))
    })
}

/// Whether a string that holds stray quotes seems to hold a member's key with its colon, however its quotes
/// and its comma are written: `x","b”:"y`, `x, b: "y`, `x"， "b": "y`; or a key without its colon between a
/// comma and a value: `x', "b" 'y`. A schema knows which names are keys; without one, those are that stand
/// behind a comma, in quotes, or between a quote and the colon before a string. A whole border counts whatever
/// the schema declares. Braces within the string are its own.
pub(crate) fn swallows_member(content: &str, strays: &[usize], ctx: &Context<'_>) -> bool {
    const COMMAS: &[char] = &[',', ';', '，', '、', '；'];
    if strays.is_empty() {
        return false;
    }
    if has_border(content) {
        return true;
    }
    let (mut depth, mut at) = (0i32, 0);
    while let Some(c) = content[at..].chars().next() {
        let Some(end) = identifier_end(content, at) else {
            depth += i32::from(c == '{') - i32::from(c == '}');
            at += c.len_utf8();
            continue;
        };
        let name = &content[at..end];
        let before = content[..at].trim_end_matches(QUOTES);
        let opened = before.len() < at;
        let behind_comma = before.trim_end().ends_with(COMMAS);
        let behind = content[end..].trim_start_matches(|c| QUOTES.contains(&c) || matches!(c, '\\' | ']'));
        let closed = content.len() - behind.len() > end;
        let behind = behind.trim_start().trim_start_matches(',');
        let key = if let Some(value) = behind.strip_prefix([':', '：']) {
            // `first, call: now`: without quotes at either end it is a key only before a string.
            behind_comma && (opened || closed || value.trim_start().starts_with(QUOTES))
                || !ctx.has_schema() && opened && (closed || value.trim_start().starts_with(QUOTES))
                || ctx.has_schema()
                    && (opened || closed || behind_comma || before.trim_end_matches(' ').ends_with('\n'))
        } else {
            opened && closed && behind_comma && behind.starts_with(QUOTES)
        };
        if depth <= 0 && key && (!ctx.has_schema() || ctx.judge.declares_within(name)) {
            return true;
        }
        at = end;
    }
    false
}

/// Whether a string's stray quotes may part it: between two of them that would open and close a quotation
/// stands nothing but what separates values, or what does so at its border (`a.py","b.py`, `x, "b":"y`,
/// `srv/" + name + ".txt`). `string` is the string with its own quotes, and begins at `open`; `pairs` are its
/// backslashes. What stands in brackets or triple quotes that the string opens and closes is its own.
fn parts(string: &str, open: usize, strays: &[usize], pairs: &[usize]) -> bool {
    if strays.is_empty() {
        return false;
    }
    let b = string.as_bytes();
    let letter = |at: usize| b.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c >= 0x80);
    let mut quotes: Vec<usize> = strays.iter().map(|at| at - open).collect();
    // A quote that was escaped may be the partner of one that was not.
    quotes.extend(pairs.iter().map(|at| at + 1 - open).filter(|&at| b[at] == b[0]));
    quotes.sort_unstable();
    let own = enclosed(b, &quotes);
    if b[0] == b'\'' {
        // `it's`: an apostrophe has no partner.
        quotes.retain(|&at| !(letter(at - 1) && letter(at + 1)));
    }
    // `'"'` is a character.
    let character = |at: usize| {
        let before = string[..at].strip_suffix('\\').unwrap_or(&string[..at]);
        b[0] == b'"' && before.ends_with('\'') && b.get(at + 1) == Some(&b'\'')
    };
    quotes.retain(|&at| !own[at] && !character(at));
    if b[0] == b'\'' {
        // `c = '"';`
        let opens = |at: usize| {
            b"(=,:[ ".contains(&b[at - 1])
                && b[at..].starts_with(b"'\"'")
                && b.get(at + 3).is_some_and(|c| b";,) ]".contains(c))
        };
        let character = |at: usize| opens(at) || at > 2 && opens(at - 2);
        quotes.retain(|&at| !character(at));
    }
    let last = string.len() - 1;
    // A quotation that fills the string may be the string with doubled quotes.
    if quotes == [1, last - 1] {
        return true;
    }
    let odd = quotes.len() % 2 == 1;
    if odd {
        // Nothing says which of them is alone, so each may stand beside each, and beside the string's own.
        quotes.insert(0, 0);
        quotes.push(last);
    }
    let mut gaps = quotes.windows(2).step_by(if odd { 1 } else { 2 });
    gaps.any(|gap| {
        let (from, to) = (gap[0] + 1, gap[1]);
        let between = string[from..to].strip_suffix('\\').unwrap_or(&string[from..to]);
        separates(between, &string[..gap[0]], from > 1, to < last)
    })
}

/// Whether this text, between two quotes, may stand between values. Where one of the quotes is the string's
/// own, what stands beside it there is no border.
fn separates(between: &str, before: &str, behind_stray: bool, before_stray: bool) -> bool {
    const COMMAS: &[char] = &[',', ';', '+', '，', '、', '；', '：'];
    const OTHER: &[char] = &[':', '.', '。', '|', '&', '=', '>', '-', '/', '{', '}', '[', ']', '(', ')'];
    let between =
        trim_escaped_white(between).trim_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c));
    if between.is_empty() {
        // `alt=""`
        return !before.trim_end_matches('\\').ends_with('=');
    }
    // `"{}"`
    if [('(', ')'), ('[', ']'), ('{', '}')]
        .iter()
        .any(|&(open, close)| between.starts_with(open) && between.ends_with(close))
    {
        return false;
    }
    let comment = ["# ", "// ", "/*"].iter().any(|sign| between.starts_with(sign));
    behind_stray && (comment || between.starts_with(COMMAS))
        || before_stray && between.ends_with(COMMAS)
        || matches!(between, "and" | "or")
        || between.chars().all(|c| COMMAS.contains(&c) || OTHER.contains(&c) || c.is_whitespace())
}

/// For every byte of a string, whether it stands in brackets, or in triple quotes, that open and close within
/// it. What is never closed encloses nothing.
fn enclosed(b: &[u8], quotes: &[usize]) -> Vec<bool> {
    // How many brackets open, less those that close, at each byte.
    let mut change = alloc::vec![0i32; b.len() + 1];
    let mut open: [Vec<usize>; 3] = Default::default();
    for (at, c) in b.iter().enumerate() {
        if let Some(kind) = b"([{".iter().position(|o| o == c) {
            open[kind].push(at);
        } else if let Some(kind) = b")]}".iter().position(|o| o == c)
            && let Some(from) = open[kind].pop()
        {
            change[from] += 1;
            change[at + 1] -= 1;
        }
    }
    let near = |at: usize, next: usize| next == at + 1 || next == at + 2 && b[at + 1] == b'\\';
    let mut triples = quotes.windows(3).filter(|q| near(q[0], q[1]) && near(q[1], q[2]));
    while let (Some(from), Some(to)) = (triples.next(), triples.next()) {
        change[from[0]] += 1;
        change[to[2] + 1] -= 1;
    }
    let mut depth = 0;
    change[..b.len()]
        .iter()
        .map(|by| {
            depth += by;
            depth > 0
        })
        .collect()
}

/// Any kind of quote.
pub(crate) const QUOTES: &[char] =
    &['"', '\'', '`', '“', '”', '„', '‘', '’', '«', '»', '「', '」', '´', '′', '″', '＂'];

/// Whether a comma, a key in quotes and a colon stand in a string, outside braces of its own: the model may
/// have given a member that no schema declares.
fn has_border(content: &str) -> bool {
    let mut depth = 0i32;
    for (at, c) in content.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth > 0 || c != ',' {
            continue;
        }
        let rest = content[at + 1..].trim_start();
        let name = rest.trim_start_matches(QUOTES);
        if name.len() == rest.len() {
            continue;
        }
        let Some(end) = name.char_indices().take(MAX_NAME).find(|&(_, c)| QUOTES.contains(&c)) else {
            continue;
        };
        let behind = name[end.0..].trim_start_matches(QUOTES).trim_start();
        if end.0 > 0 && behind.starts_with(':') {
            return true;
        }
    }
    false
}

/// Whether an item of an array with these stray quotes may be several items: quotes that are not in pairs,
/// or nothing but signs between two of them.
fn parts_items(text: &str, strays: &[usize], quote: u8) -> bool {
    let signs = |pair: &[usize]| {
        let between = text[pair[0] + 1..pair[1]].trim();
        matches!(between, "or" | "and" | "\\n")
            || !between.contains(char::is_alphanumeric)
            || between.starts_with(',')
            || between.ends_with(',')
    };
    // An apostrophe has no partner.
    quote == b'"' && strays.len() % 2 == 1 || strays.chunks_exact(2).any(signs)
}

/// Whether the string between these quotes, an item of an array, is no part of a longer one: its brackets are
/// its own, and at its borders stands a line break, or what a quotation neither follows nor precedes. A quotation
/// may be a comma: `awk '{print $1 "," $2}'`.
fn stands_apart(text: &str, open: usize, close: usize) -> bool {
    let border = |between: &str, last: Option<char>, first: Option<char>| {
        let ends = |c: char| c.is_alphanumeric() || matches!(c, ';' | ')' | ']' | '}' | '.' | '*' | '%');
        let begins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '/' | '.');
        between.contains('\n') || last.is_some_and(ends) && first.is_some_and(begins)
    };
    let content = &text[open + 1..close];
    let before = text[..open].trim_end().strip_suffix(',').map(str::trim_end);
    let left = before.and_then(|before| before.strip_suffix('"')).is_none_or(|item| {
        border(&text[item.len() + 1..open], item.chars().next_back(), content.chars().next())
    });
    let behind = text[close + 1..].trim_start().strip_prefix(',').map(str::trim_start);
    let right = behind.and_then(|behind| behind.strip_prefix('"')).is_none_or(|item| {
        let between = &text[close + 1..text.len() - item.len() - 1];
        border(between, content.chars().next_back(), item.chars().next())
    });
    let balanced = [('(', ')'), ('[', ']'), ('{', '}')]
        .iter()
        .all(|&(open, close)| content.matches(open).count() == content.matches(close).count());
    left && right && balanced
}

/// Whether a stray quote stands between two letters: bytes may be missing there.
fn in_word(text: &str, strays: &[usize]) -> bool {
    strays.iter().any(|&at| {
        let before = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        before && text[at + 1..].chars().next().is_some_and(char::is_alphanumeric)
    })
}

/// Whether a string holds what may be a comment behind it: where its quotes are not in pairs, they may be the
/// comment's, and its own closing one missing.
fn comments(string: &str) -> bool {
    [" # ", " // ", "/* "].iter().any(|sign| string.contains(sign))
}

/// Whether all double quotes of a string, escaped ones and stray ones together, are in pairs, but for those
/// that its own language escapes (`\\"`) and those that are a character (`'"'`).
fn pairs_up(content: &str) -> bool {
    let b = content.as_bytes();
    let (mut at, mut count, mut escaped) = (0, 0, false);
    while at < b.len() {
        // The string's own backslash comes as a pair, every other begins an escape.
        let end = at + usize::from(b[at] == b'\\');
        match b.get(end) {
            Some(b'\\') => escaped = !escaped,
            Some(b'"') => {
                let character = at > 0 && b[at - 1] == b'\'' && b.get(end + 1) == Some(&b'\'');
                count += usize::from(!escaped && !character);
                escaped = false;
            }
            _ => escaped = false,
        }
        at = end + 1;
    }
    count % 2 == 0
}

/// Whether apostrophes side by side may be one that was doubled to be escaped: `it''s`. Not where they stand
/// within a quotation whose own quotes are single: `name = 'O''Brien'`.
fn doubles(b: &[u8], strays: &[usize]) -> bool {
    let letter = |at: usize| b.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c >= 0x80);
    let beside = |at: usize| strays.binary_search(&at).is_ok();
    // Quotes that stand alone open and close quotations; an apostrophe does not.
    let quotes = |at: usize| !(beside(at - 1) || beside(at + 1) || letter(at - 1) && letter(at + 1));
    let count = strays.iter().filter(|&&at| quotes(at)).count();
    let mut before = 0;
    strays.iter().any(|&at| {
        before += usize::from(quotes(at));
        let within = before % 2 == 1 && count % 2 == 0 && !beside(at + 2);
        beside(at + 1) && !within
    })
}

/// Whether two strings seem to meet with nothing between them but white space, a sign, or a key whose quotes
/// or comma are missing: then no quote may be stray. Quotes come in pairs, so of the gaps between them only
/// every other one stands outside of quotations.
fn meets(text: &str, strays: &[usize], pairs: &[usize]) -> bool {
    // Quotes that were escaped may be the partners of others: then pairs are no pairs.
    let escaped = pairs.iter().any(|at| text[at + 1..].starts_with('"'));
    let name = |words: &str| identifier_end(words, 0) == Some(words.len());
    strays.chunks_exact(2).any(|pair| {
        let between = &text[pair[0] + 1..pair[1]];
        // `"fas" . "t"`: another language's sign for one string of two.
        let sign = !between.contains(char::is_alphanumeric);
        let inner = behind_signs(between).trim_end();
        // `"x" name: "y"`, `"x".name="y"`, `"x" name": "y"`: a comma is missing before a key.
        let key = match inner.strip_suffix([':', '=']) {
            Some(key) => name(key.trim_end()) && !(escaped && inner.ends_with('=')),
            None => name(inner) && colon_ahead(text, pair[1] + 1),
        };
        let apart = !between.starts_with(inner);
        sign && between.starts_with(char::is_whitespace)
            || between.trim() == "+"
            || apart && key
            || sign && hidden_border(between, &text[pair[1]..])
    })
}

/// The words behind the signs and the white space, raw or spelled out, with which they begin.
fn behind_signs(mut words: &str) -> &str {
    loop {
        let shorter = words.trim_start_matches(|c: char| c.is_whitespace() || SIGNS.contains(&c));
        let shorter = ["\\n", "\\r", "\\t"].iter().fold(shorter, |w, e| w.strip_prefix(e).unwrap_or(w));
        if shorter.len() == words.len() {
            return words;
        }
        words = shorter;
    }
}

/// Whether a member begins here whose comma, or whose key's closing quote, is of another kind: whatever its
/// brackets are, no other reading shows it. `"f {"，"b": "} x"`, `"f {","b”: "} x"`.
fn hidden_border(between: &str, from: &str) -> bool {
    let comma = between.contains(|c| c != '[' && c != '(' && SIGNS.contains(&c));
    let Some(end) = identifier_end(from, 1) else { return false };
    let plain = between.trim() == "," && from[end..].starts_with(&from[..1]);
    let behind = from[end..].trim_start_matches(QUOTES).trim_start();
    comma && !plain && behind.starts_with([':', '：'])
}

/// Signs that may stand where a comma belongs.
const SIGNS: &[char] = &[',', ';', '.', '，', '、', '；', '。', '|', '&', '[', '(', '/'];

/// Whether a raw line break in a string that holds stray quotes parts what looks like two members; with
/// quotes that are not in pairs any line break may.
fn breaks_line(text: &str, raw: &[usize], strays: &[usize]) -> bool {
    let odd = strays.len() % 2 == 1;
    !strays.is_empty()
        && raw.iter().any(|&at| {
            if odd && text.as_bytes()[at] == b'\n' {
                return true;
            }
            let next = skip_white(text, at);
            let name = next + usize::from(text[next..].starts_with(['"', '\'']));
            let key = identifier_end(text, name).is_some_and(|end| {
                name > next || colon_ahead(text, end + usize::from(text[end..].starts_with(['"', '\''])))
            });
            key && text[..at].trim_end().ends_with([',', '{'])
        })
}
