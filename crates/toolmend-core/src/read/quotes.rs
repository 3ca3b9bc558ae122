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
use super::{Cost, Dead, Level, Reading, begin, gap, spliced, token, token_fault};
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

/// The longest name of a member that a string with stray quotes may hold, in characters.
const MAX_NAME: usize = 64;

/// What a token that a rule knows costs, in stray quotes.
const TOKEN: usize = 3;

/// The readings of the object at `head.start` with the fewest stray quotes of this kind (`"` or `'`), of
/// those that the schema does not rule out.
pub(crate) fn read(text: &str, head: &Head, ctx: &Context<'_>, quote: u8) -> Level {
    let mut search = Search {
        text,
        head,
        ctx,
        quote,
        trail: Trail::default(),
        nodes: Vec::new(),
        queue: BinaryHeap::new(),
        visits: BTreeMap::new(),
        lost: usize::MAX,
    };
    let scan = begin(head);
    search.push(
        0,
        Node {
            scan,
            at: head.start,
            last: NO_EDIT,
            wary: false,
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
    /// A second reading counts against this way although it costs more: some string holds an odd number
    /// of stray quotes, or is an item of an array, where quotes and commas may part items, or two strings
    /// side by side hold stray quotes and may be one.
    wary: bool,
    /// The last string holds stray quotes.
    strayed: bool,
    /// Some string swallows what looks like the border of a member.
    doubtful: bool,
    /// The string that is being read: where it opens, and its stray quotes so far.
    string: Option<(usize, Vec<usize>)>,
}

struct Search<'t> {
    text: &'t str,
    head: &'t Head,
    ctx: &'t Context<'t>,
    quote: u8,
    trail: Trail,
    nodes: Vec<Option<Node>>,
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    /// How often each state was met. Several ways into one state are as many readings, if any.
    visits: BTreeMap<(usize, usize, Slot, bool), u8>,
    /// The fewest stray quotes of a way that was not followed.
    lost: usize,
}

struct Found {
    stray: usize,
    wary: bool,
    doubtful: bool,
    /// The schema does not rule it out.
    admitted: bool,
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
            let margin = if found.iter().any(|f| f.wary) { MARGIN } else { 0 };
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
        let margin = if found.iter().any(|f| f.stray == best && f.wary) { MARGIN } else { 0 };
        found.retain(|f| f.stray <= best + margin);
        // A way that was not followed might have led to another one.
        over_budget |= !found.is_empty() && self.lost <= best + margin;
        let mut values = Vec::new();
        found.retain(|f| {
            let value = value(self.text, &f.reading.edits);
            let new = value.is_some() && !values.contains(&value);
            values.push(value);
            new
        });
        // The one reading that is left must not rest on a string that swallows a border, and no other may
        // stand beside it that nothing but its types rules out.
        if found.len() == 1 && found[0].doubtful || found.iter().any(|f| !f.admitted) {
            found.clear();
        }
        let dead = Some(Dead { reason: Reason::Unreadable, at: self.head.start });
        Level {
            more: false,
            in_strings: true,
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
                            return;
                        }
                        let wary = node.wary && self.quote == b'"';
                        found.push(Found { stray, wary, doubtful: node.doubtful, admitted, reading });
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
        node.wary = true;
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
        let mut other = Node { scan, at: lexeme.end, wary: true, string: None, ..*node };
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
            let wary = node.wary || item || strays.len() % 2 == 1 || node.strayed && strayed;
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
            let doubled = strays.windows(2).any(|pair| pair[1] == pair[0] + 1);
            let doubtful = doubled
                || parts(&self.text[open..=close], open, strays, &all.pairs)
                || swallows_member(&self.text[open + 1..close], strays, self.ctx)
                || swallows_border(self.text, strays, '\'', self.ctx)
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
        let doubtful = swallows_border(self.text, strays, '"', self.ctx)
            || parts(&self.text[open..=close], open, strays, &all.pairs)
            || swallows_member(&self.text[open + 1..close], strays, self.ctx)
            || meets(self.text, strays, &all.pairs)
            || self.text[open..].starts_with("\"\"\"")
            || comments(&self.text[open..close], strays.len())
            // `\\"`: all of them may be quotes that were escaped twice.
            || !strays.is_empty() && strays.iter().all(|&at| b[at - 1] == b'\\')
            // `\bfoo\b`: nobody means a backspace, so the string's escapes are its own as well.
            || !strays.is_empty() && all.pairs.iter().any(|&at| matches!(b[at + 1], b'b' | b'f'))
            // With one quote too many in a cut turn, the string itself may be open.
            || strays.len() % 2 == 1 && self.ctx.evidence.ending() == Ending::Cut
            || strays.len() % 2 == 1 && (strays.len() > MAX_ODD || in_word(self.text, strays))
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
fn swallows_border(text: &str, strays: &[usize], quote: char, ctx: &Context<'_>) -> bool {
    let odd = strays.len() % 2 == 1;
    // `"a": "b"`: what the string seems to end with is a key.
    let key = strays.first().is_some_and(|&at| colon_ahead(text, at + 1));
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

/// Whether a stray quote stands between two letters: bytes may be missing there.
fn in_word(text: &str, strays: &[usize]) -> bool {
    strays.iter().any(|&at| {
        let before = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        before && text[at + 1..].chars().next().is_some_and(char::is_alphanumeric)
    })
}

/// Whether a string whose quotes are not in pairs holds what may be a comment behind it: the quotes may be
/// the comment's, and its own closing one missing.
fn comments(string: &str, strays: usize) -> bool {
    strays % 2 == 1 && [" # ", " // ", "/* "].iter().any(|sign| string.contains(sign))
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
        let inner = between.trim_start_matches(|c: char| c.is_whitespace() || SIGNS.contains(&c)).trim_end();
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
