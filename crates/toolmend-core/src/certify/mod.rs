//! The independent checker of receipts.
//!
//! [`certify`] is given what a repair read, and its receipt, and shares no code with the reader: its own
//! walker decides whether the output is JSON, its own decoders whether a token still says the same, and
//! its own table what each rule may touch. It runs on every repair before the output is returned; where
//! it objects, the call is declined.
//!
//! What it proves: the output is the input with the edits applied, and is one RFC 8259 JSON object; every
//! byte that no edit names is there again, in its place; and every edit only does what its rule's row of
//! `class` allows. What it does not prove is that the reading was the only one: that is the reader's
//! work.

use alloc::string::String;
use core::fmt;

use crate::edit::{Edit, apply};
use crate::{Receipt, Rule};

mod level;
mod says;
mod walk;

/// What the checker objects to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violation {
    /// Which step of the receipt, counted from zero.
    pub step: usize,
    /// Where, in bytes of that step's output.
    pub at: usize,
    /// What is wrong.
    pub what: &'static str,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (step {}, byte {})", self.what, self.step, self.at)
    }
}

impl core::error::Error for Violation {}

/// What a rule's edits may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Take off bytes before or behind the object.
    Outside,
    /// Take off one whole level of escaping.
    Level,
    /// Set or take `{ } [ ] , :`, and take signs that stand for them, between tokens.
    Punctuation,
    /// Take what says nothing, between tokens or outside.
    Void,
    /// Write a token in another way.
    Token,
    /// Take off the call around its arguments: the whole step is that.
    Envelope,
    /// Take the quotes and escapes off a string that holds an array or object.
    Container,
    /// Take one member that is `null`.
    Member,
    /// Write the empty object where nothing was said.
    Nothing,
}

/// The table: what each rule may touch.
const fn class(rule: Rule) -> Class {
    match rule {
        Rule::CodeFence
        | Rule::InlineCode
        | Rule::Prose
        | Rule::LeakedMark
        | Rule::ReasoningBlock
        | Rule::CodeStatement
        | Rule::ListWrap
        | Rule::DoubledBody
        | Rule::EmptyThenBody => Class::Outside,
        Rule::DoubleEncoded | Rule::OverEscaped | Rule::HtmlEntities => Class::Level,
        Rule::TrailingComma
        | Rule::DoubledComma
        | Rule::LeadingComma
        | Rule::MissingComma
        | Rule::MissingColon
        | Rule::WrongSeparator
        | Rule::MissingCloser
        | Rule::ExtraCloser
        | Rule::WrongCloser
        | Rule::MissingOpener
        | Rule::DoubledOpener
        | Rule::SingleItem => Class::Punctuation,
        Rule::InvisibleSpace | Rule::Comment | Rule::LiteralNewline => Class::Void,
        Rule::SingleQuotes
        | Rule::SmartQuotes
        | Rule::BacktickString
        | Rule::TripleQuotes
        | Rule::Concatenation
        | Rule::RawControl
        | Rule::EscapedApostrophe
        | Rule::BareBackslash
        | Rule::BareKey
        | Rule::KeyNoOpenQuote
        | Rule::ValueNoOpenQuote
        | Rule::LiteralCase
        | Rule::PlusSign
        | Rule::LeadingZero
        | Rule::HexNumber
        | Rule::DigitSeparator
        | Rule::BarePoint
        | Rule::InnerQuotes
        | Rule::BareApostrophe
        | Rule::KeyNoCloseQuote
        | Rule::ValueNoCloseQuote
        | Rule::UnquotedWord
        | Rule::EscapedKey
        | Rule::CutLiteral
        | Rule::NumberString
        | Rule::BooleanString
        | Rule::StringNumber
        | Rule::EnumCase
        | Rule::KeySpelling => Class::Token,
        Rule::Envelope => Class::Envelope,
        Rule::ContainerString => Class::Container,
        Rule::NullOptional => Class::Member,
        Rule::NoArguments => Class::Nothing,
    }
}

/// Proves a receipt: applies its steps to `input` and answers the output.
///
/// # Errors
/// The first thing that the receipt does not prove.
pub fn certify(input: &str, receipt: &Receipt) -> Result<String, Violation> {
    let mut text: Option<String> = None;
    let last = receipt.steps.len().checked_sub(1);
    for (step, edits) in receipt.steps.iter().enumerate() {
        let before = text.as_deref().unwrap_or(input);
        let fail = |at, what| Violation { step, at, what };
        if edits.is_empty() {
            return Err(fail(0, "a step without an edit"));
        }
        let (mut level, mut envelope) = (false, false);
        for edit in edits {
            if edit.rule.grade() > receipt.grade {
                return Err(fail(0, "an edit above the receipt's grade"));
            }
            let class = class(edit.rule);
            level |= class == Class::Level;
            envelope |= class == Class::Envelope;
        }
        let after = apply(before, edits).map_err(|_| fail(0, "edits that do not apply"))?;
        if level {
            level::check(before, edits).map_err(|(at, what)| fail(at, what))?;
            if last == Some(step) {
                walk::object(&after).map_err(|(at, what)| fail(at, what))?;
            }
        } else if envelope {
            level::envelope(before, edits).map_err(|(at, what)| fail(at, what))?;
            if last == Some(step) {
                walk::object(&after).map_err(|(at, what)| fail(at, what))?;
            }
        } else {
            check(before, edits, &after).map_err(|(at, what)| fail(at, what))?;
        }
        text = Some(after);
    }
    text.ok_or(Violation { step: 0, at: 0, what: "a receipt without a step" })
}

/// An objection: where in the output, and what.
type Objection = (usize, &'static str);

/// An edit, and where its replacement stands in the output.
#[derive(Clone, Copy)]
struct Placed<'e> {
    edit: &'e Edit,
    start: usize,
    end: usize,
}

/// The edits of a step, one after the other, each with its place in the output.
#[derive(Clone)]
struct Places<'e> {
    edits: core::slice::Iter<'e, Edit>,
    put: usize,
    taken: usize,
    next: Option<Placed<'e>>,
    /// Where the next edit's replacement begins; beyond every text where there is none.
    start: usize,
}

impl<'e> Places<'e> {
    fn new(edits: &'e [Edit]) -> Places<'e> {
        let mut places = Places { edits: edits.iter(), put: 0, taken: 0, next: None, start: usize::MAX };
        places.step();
        places
    }

    fn step(&mut self) {
        self.next = self.edits.next().map(|edit| {
            let start = edit.start + self.put - self.taken;
            self.put += edit.put.len();
            self.taken += edit.end - edit.start;
            Placed { edit, start, end: start + edit.put.len() }
        });
        self.start = self.next.map_or(usize::MAX, |p| p.start);
    }

    /// The next edit, if it is as asked.
    fn next_if(&mut self, asked: impl Fn(&Placed<'e>) -> bool) -> Option<Placed<'e>> {
        let next = self.next.filter(asked)?;
        self.step();
        Some(next)
    }
}

/// Proves one step that takes off no level.
fn check(before: &str, edits: &[Edit], after: &str) -> Result<(), Objection> {
    let mut places = Places::new(edits);
    // Most tokens are far from every edit.
    let root = walk::tokens(after, places.start, |start, end| {
        token(before, after, &mut places, start, end)?;
        Ok(places.start)
    })?;
    while places.next.is_some() {
        if let Some(p) = places.next_if(|_| true).filter(is_token) {
            return Err((p.start, "a token's edit outside of a token"));
        }
    }
    let (mut put, mut taken) = (0, 0);
    for edit in edits {
        let start = edit.start + put - taken;
        put += edit.put.len();
        taken += edit.end - edit.start;
        between(before, edits, &Placed { edit, start, end: start + edit.put.len() }, root)?;
    }
    Ok(())
}

/// Proves what the edits did to the token at `start..end` of the output, and passes those before it.
fn token(
    before: &str,
    after: &str,
    places: &mut Places<'_>,
    start: usize,
    end: usize,
) -> Result<(), Objection> {
    // What stood in a string that held an array or object is proved as one.
    if places.next.is_some_and(|p| class(p.edit.rule) == Class::Container && p.start <= start && end <= p.end)
    {
        return Ok(());
    }
    // Nothing but whole tokens may be written anew, and the others may only stand between them.
    while let Some(p) = places.next_if(|p| p.end < start || p.end == start && !is_token(p)) {
        if is_token(&p) {
            return Err((p.start, "a token's edit outside of a token"));
        }
    }
    let mut touched: Option<(Placed<'_>, Placed<'_>)> = None;
    let mut rule = None;
    while let Some(p) = places.next_if(|p| is_token(p) && p.start <= end) {
        if p.start < start || p.end > end {
            return Err((p.start, "a token's edit across its border"));
        }
        touched = Some((touched.map_or(p, |t| t.0), p));
        rule = says::with(rule, p.edit.rule).ok_or((p.start, "a token that two rules wrote"))?.into();
    }
    if let Some(p) = places.next.filter(|p| p.start < end) {
        return Err((p.start, "an edit inside a token"));
    }
    if let (Some((first, last)), Some(rule)) = (touched, rule) {
        let token = source(before, &first, &last, start, end).ok_or((start, "a token without a source"))?;
        // A quote is only ever set before what shows that the string ended there.
        let behind = before[last.edit.end..].trim_start_matches([' ', '\t']);
        let shown = match rule {
            Rule::KeyNoCloseQuote => behind.starts_with(':'),
            Rule::ValueNoCloseQuote => behind.starts_with(','),
            _ => true,
        };
        if !shown {
            return Err((start, "a string closed where nothing shows its end"));
        }
        if !says::same(token, rule, &after[start..end]) {
            return Err((start, "a token that says something else"));
        }
    }
    Ok(())
}

/// Proves one edit that writes no token anew; `root` is the object's span in the output.
fn between(before: &str, edits: &[Edit], p: &Placed<'_>, root: (usize, usize)) -> Result<(), Objection> {
    let taken = &before[p.edit.start..p.edit.end];
    let fail = |what| Err((p.start, what));
    let class = class(p.edit.rule);
    match class {
        Class::Token => Ok(()),
        Class::Outside if p.end > root.0 && p.start < root.1 => {
            fail("packaging taken from inside the object")
        }
        Class::Outside if !p.edit.put.is_empty() => fail("packaging that puts something"),
        Class::Outside if p.edit.rule == Rule::DoubledBody => {
            let own = body(before, edits, root);
            if taken.trim() == own.trim() { Ok(()) } else { fail("a copy that differs") }
        }
        // What begins like a member is the rest of the object, not packaging; an empty string says nothing.
        Class::Outside
            if p.start >= root.1
                && taken.trim_start().starts_with([',', ':', '"', '\'', '='])
                && taken.trim() != "\"\"" =>
        {
            fail("a member taken as packaging")
        }
        Class::Outside if p.edit.rule == Rule::EmptyThenBody => {
            if says::empty_object(taken) {
                Ok(())
            } else {
                fail("more than an empty object")
            }
        }
        Class::Outside if p.edit.rule != Rule::ReasoningBlock && says::holds_member(taken) => {
            fail("a member taken as packaging")
        }
        Class::Outside => Ok(()),
        Class::Punctuation if signs(p.edit.rule, taken, &p.edit.put) => Ok(()),
        Class::Punctuation => fail("more than punctuation"),
        Class::Void if p.edit.put.is_empty() && says::nothing(taken) => Ok(()),
        Class::Void => fail("something that says something"),
        Class::Member if p.edit.put.is_empty() && says::null_member(taken) => Ok(()),
        Class::Member => fail("more than one null member"),
        Class::Nothing => {
            let said = matches!(taken.trim(), "" | "\"\"" | "null" | "None");
            if said && p.edit.put == "{}" && edits.len() == 1 { Ok(()) } else { fail("more than nothing") }
        }
        Class::Container if says::contains(taken, &p.edit.put) => Ok(()),
        Class::Container => fail("a string that holds something else"),
        Class::Level | Class::Envelope => fail("a level among other edits"),
    }
}

/// The signs that each rule may take and put.
fn signs(rule: Rule, taken: &str, put: &str) -> bool {
    match rule {
        Rule::TrailingComma | Rule::LeadingComma => (taken, put) == (",", ""),
        Rule::DoubledComma => put.is_empty() && !taken.is_empty() && taken.bytes().all(|c| c == b','),
        Rule::MissingComma => (taken, put) == ("", ","),
        Rule::MissingColon => (taken, put) == ("", ":"),
        Rule::WrongSeparator => matches!((taken, put), ("=" | "=>" | ":=", ":") | (";", ",") | ("=", "")),
        Rule::MissingCloser => taken.is_empty() && matches!(put, "}" | "]"),
        Rule::ExtraCloser => {
            put.is_empty()
                && !taken.is_empty()
                && taken.chars().all(|c| c == '}' || c == ']' || c.is_whitespace())
        }
        Rule::WrongCloser => matches!((taken, put), ("}", "]") | ("]", "}")),
        Rule::MissingOpener => (taken, put) == ("", "{"),
        Rule::DoubledOpener => (taken, put) == ("{", ""),
        Rule::SingleItem => taken.is_empty() && matches!(put, "[" | "]"),
        _ => false,
    }
}

fn is_token(p: &Placed<'_>) -> bool {
    class(p.edit.rule) == Class::Token
}

/// The token in the input that became `start..end` of the output; `first` and `last` are the edits on it.
fn source<'t>(
    before: &'t str,
    first: &Placed<'_>,
    last: &Placed<'_>,
    start: usize,
    end: usize,
) -> Option<&'t str> {
    // Before the first edit and behind the last one, input and output run side by side.
    let from = first.edit.start.checked_sub(first.start.checked_sub(start)?)?;
    let to = last.edit.end + end.checked_sub(last.end)?;
    before.get(from..to)
}

/// The input's text of the object that is `root` in the output.
fn body<'t>(before: &'t str, edits: &[Edit], root: (usize, usize)) -> &'t str {
    let back = |at: usize, end: bool| {
        let mut places = Places::new(edits);
        let (mut put, mut taken) = (0, 0);
        while let Some(p) = places.next_if(|p| p.end <= at && (!end || p.start < at)) {
            put += p.edit.put.len();
            taken += p.edit.end - p.edit.start;
        }
        (at + taken).saturating_sub(put)
    };
    before.get(back(root.0, false)..back(root.1, true)).unwrap_or("")
}
