//! The reader: finds the cheapest ways to read a faulty body as one JSON object.
//!
//! The strict scanner runs until a byte cannot stand ([`advance`]). There the rules say which ways lead
//! on. Where each fault has one way, [`straight`] follows it and nothing is searched. Elsewhere each way
//! is a node of a uniform-cost search ([`search`]), so that error-free text costs one scan. Costs are
//! ordered by grade first, then by the number of edits; the whole cheapest level is finished before it is
//! answered, and distinct values are counted, not scripts.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::context::Context;
use crate::edit::apply;
use crate::rules::{GAPS, RuleSet, TOKENS};
use crate::scan::{Halt, Scanner, Slot};
use crate::verdict::Reason;
use crate::{Edit, Ending, Grade, Rule};
use fault::Edits;
use frame::Head;
use lexeme::{Lexeme, Spot, skip_white};

mod doubt;
pub(crate) mod fault;
pub(crate) mod frame;
pub(crate) mod lexeme;
mod marks;
pub(crate) mod quotes;
pub(crate) mod search;
pub(crate) mod speaker;
pub(crate) mod straight;

/// What a reading costs: the grade first, then the number of edits inside the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cost {
    pub(crate) grade: Grade,
    pub(crate) edits: usize,
}

impl Cost {
    pub(crate) const NONE: Cost = Cost { grade: Grade::Packaging, edits: 0 };

    pub(crate) fn with(self, grade: Grade, edits: usize) -> Cost {
        Cost { grade: self.grade.max(grade), edits: self.edits + edits }
    }
}

/// One way to read a body as an object.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    /// Sorted and disjoint.
    pub(crate) edits: Vec<Edit>,
    /// Which rules they name.
    pub(crate) rules: RuleSet,
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
    /// It is no more than one of several: some string in it may hold more than its own.
    pub(crate) doubtful: bool,
    pub(crate) asks: Asks,
}

/// What a reading that comes to its own end asks of the turn's: at another one the text may be only the
/// beginning of something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asks {
    /// Nothing: its end is plain to see.
    Nothing,
    /// That the turn was not cut: quotes in it were not escaped, so any of them may stand within a string.
    NotCut,
    /// That the turn is complete: `opts: {"x": 1}` may be the first member of a body that lacks its brace, and what
    /// closes `{"cmd": "grep [^"]` may be words.
    Complete,
}

impl Asks {
    /// Whether this ending is what is asked for.
    pub(crate) fn met_by(self, ending: Ending) -> bool {
        match self {
            Asks::Nothing => true,
            Asks::NotCut => ending != Ending::Cut,
            Asks::Complete => ending == Ending::Complete,
        }
    }

    /// What a reading with these edits, which name these rules, asks; nothing where the turn is known to be complete.
    fn of(text: &str, head: &Head, edits: &[Edit], rules: RuleSet, ctx: &Context<'_>) -> Asks {
        if ctx.evidence.ending() == Ending::Complete {
            return Asks::Nothing;
        }
        if head.member {
            return Asks::Complete;
        }
        if !rules.has_any(&[Rule::WrongCloser, Rule::CodeStatement]) {
            return Asks::Nothing;
        }
        let behind_string = |at: usize| {
            text[..at]
                .trim_end_matches(|c: char| matches!(c, '}' | ']' | ',') || c.is_ascii_whitespace())
                .ends_with(['"', '\''])
        };
        let statement = edits.iter().any(|e| e.rule == Rule::CodeStatement && e.end <= head.start);
        let last = |e: &Edit| text[e.end..].trim_start_matches(['}', ']']).trim_ascii().is_empty();
        let word = |e: &Edit| match e.rule {
            Rule::WrongCloser => last(e) && behind_string(e.start),
            Rule::CodeStatement => e.start > head.start && !statement && behind_string(e.start),
            _ => false,
        };
        if edits.iter().any(word) { Asks::Complete } else { Asks::Nothing }
    }
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

/// Where the cheapest way that failed got stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stuck {
    /// At a string or right behind one: it may have ended too early.
    AtString,
    /// At something that cannot be read: a string before it may have ended too early.
    Behind,
    /// At nothing that a string could hold, or nowhere.
    Elsewhere,
}

/// What one search found: the readings of the cheapest level, distinct in value.
#[derive(Debug)]
pub(crate) struct Level {
    pub(crate) readings: Vec<Reading>,
    /// There are more of them than these.
    pub(crate) more: bool,
    pub(crate) stuck: Stuck,
    /// Where the cheapest way that failed got stuck.
    pub(crate) dead: Option<Dead>,
    pub(crate) over_budget: bool,
}

/// The scanner before the first byte of the object.
fn begin(head: &Head) -> Scanner {
    if head.headless { Scanner::in_object() } else { Scanner::new() }
}

/// The scanner from which the object is read, and the place where it stands. `strict` has taken the text as
/// strict JSON: where nothing stands before the object, that far it is read already.
fn resume(text: &str, head: &Head, strict: &Scanner) -> (Scanner, usize) {
    if head.headless || skip_white(text, 0) != head.start {
        return (begin(head), head.start);
    }
    let at = if strict.slot() == Slot::Done { strict.end() } else { strict.offset() };
    (strict.clone(), at)
}

/// Runs the scanner on from `at`, past gaps and past tokens that a rule knows, whose edits are given to
/// `edit`. Comes back where something else is to be decided; the scanner then stands between tokens
/// before that byte.
#[inline]
fn advance<const STOP: u8>(
    text: &str,
    ctx: &Context<'_>,
    scan: &mut Scanner,
    mut at: usize,
    mut edit: impl FnMut(Edits),
) -> Halt {
    let bytes = text.as_bytes();
    loop {
        if scan.slot() == Slot::Done {
            return Halt::Closed(at);
        }
        let halt = scan.run::<STOP>(bytes, 0, at);
        let Halt::Fault(mut fault) = halt else { return halt };
        // Where the token is not whole, or what follows shows that it goes on, it is read anew.
        let mut beyond = None;
        if token_fault(text, scan, fault) {
            beyond = (!scan.in_token()).then_some(fault);
            fault = scan.token();
            scan.set_slot(match scan.slot() {
                Slot::After if scan.inside_object() => Slot::Value,
                Slot::After => Slot::Item,
                slot => slot,
            });
        } else if let Some((rule, end)) = gap(text, fault) {
            edit(Edit::delete(rule, fault, end).into());
            at = end;
            continue;
        }
        let spot = Spot { text, at: fault, slot: scan.slot(), ctx };
        let Some(lexeme) = token(&spot) else { return Halt::Fault(fault) };
        // A token that ends before what was to be explained explains nothing.
        if beyond.is_some_and(|byte| lexeme.end <= byte) {
            return Halt::Fault(fault);
        }
        at = take(scan, fault, lexeme, &mut edit);
    }
}

/// Takes a token that the scanner did not read itself; answers where it ends.
fn take(scan: &mut Scanner, start: usize, lexeme: Lexeme, mut edit: impl FnMut(Edits)) -> usize {
    scan.took(start, lexeme.end);
    scan.set_slot(if scan.slot().takes_key() { Slot::Colon } else { Slot::After });
    edit(lexeme.edits.into());
    lexeme.end
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
fn gap(text: &str, at: usize) -> Option<(Rule, usize)> {
    let b = text.as_bytes();
    // Nothing of JSON's own begins one.
    if matches!(b[at], b'"' | b'{' | b'}' | b'[' | b']' | b',' | b':' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z')
    {
        return None;
    }
    GAPS.iter().find_map(|&(rule, behind)| {
        let mut end = behind(text, at)?;
        // A row of them is one.
        while let Some(next) = behind(text, end) {
            end = next;
        }
        // Between two digits it is not known whether one number or two were meant.
        let digits = at > 0 && b[at - 1].is_ascii_digit() && b.get(end).is_some_and(u8::is_ascii_digit);
        (!digits).then_some((rule, end))
    })
}

/// The token at this place, as the first rule that knows it reads it.
fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    let punctuation =
        matches!(spot.text.as_bytes().get(spot.at), None | Some(b',' | b':' | b'{' | b'}' | b'[' | b']'));
    if punctuation || !spot.slot.takes_key() && !spot.slot.takes_value() {
        return None;
    }
    TOKENS.iter().find_map(|(_, read)| read(spot))
}

/// The text as these edits make it.
pub(crate) fn spliced<'t>(text: &'t str, edits: &[Edit]) -> Option<Cow<'t, str>> {
    if edits.is_empty() { Some(Cow::Borrowed(text)) } else { apply(text, edits).ok().map(Cow::Owned) }
}
