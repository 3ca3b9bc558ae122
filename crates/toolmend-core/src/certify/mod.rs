//! The independent checker of receipts.
//!
//! [`certify`] is given what a repair read, and its receipt, and shares no code with the reader: its own
//! walker decides whether the output is JSON, its own decoders whether a token still says the same, and
//! its own table what each rule may touch. It runs on every repair before the output is returned; where
//! it objects, the call is declined.
//!
//! What it proves: the output is the input with the edits applied, and is one RFC 8259 JSON object; every
//! byte that no edit names is there again, in its place; and every edit only does what its rule's row of
//! [`class`] allows. What it does not prove is that the reading was the only one: that is the reader's
//! work.

use alloc::string::String;
use alloc::vec::Vec;
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
        | Rule::Envelope
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
        | Rule::SingleItem
        | Rule::NoArguments => Class::Punctuation,
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
        | Rule::ContainerString
        | Rule::EnumCase
        | Rule::KeySpelling
        | Rule::NullOptional => Class::Token,
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
        if edits.iter().any(|e| e.rule.grade() > receipt.grade) {
            return Err(fail(0, "an edit above the receipt's grade"));
        }
        let after = apply(before, edits).map_err(|_| fail(0, "edits that do not apply"))?;
        if edits.iter().any(|e| class(e.rule) == Class::Level) {
            level::check(before, edits).map_err(|(at, what)| fail(at, what))?;
            if last == Some(step) {
                walk::object(&after, |_, _| Ok(())).map_err(|(at, what)| fail(at, what))?;
            }
        } else {
            check(before, edits, &after).map_err(|(at, what)| fail(at, what))?;
        }
        text = Some(after);
    }
    text.ok_or(Violation {
        step: 0,
        at: 0,
        what: "a receipt without a step",
    })
}

/// An objection: where in the output, and what.
type Objection = (usize, &'static str);

/// An edit, and where its replacement stands in the output.
struct Placed<'e> {
    edit: &'e Edit,
    start: usize,
    end: usize,
}

fn placed(edits: &[Edit]) -> Vec<Placed<'_>> {
    let (mut put, mut taken) = (0, 0);
    edits
        .iter()
        .map(|edit| {
            let start = edit.start + put - taken;
            put += edit.put.len();
            taken += edit.end - edit.start;
            Placed {
                edit,
                start,
                end: start + edit.put.len(),
            }
        })
        .collect()
}

/// Proves one step that takes off no level.
fn check(before: &str, edits: &[Edit], after: &str) -> Result<(), Objection> {
    let edits = placed(edits);
    let mut next = 0;
    let root = walk::object(after, |start, end| {
        // Nothing but whole tokens may be written anew, and the others may only stand between them.
        while let Some(p) = edits
            .get(next)
            .filter(|p| p.end < start || p.end == start && !is_token(p))
        {
            if is_token(p) {
                return Err((p.start, "a token's edit outside of a token"));
            }
            next += 1;
        }
        let first = next;
        while edits.get(next).is_some_and(|p| is_token(p) && p.start <= end) {
            if edits[next].start < start || edits[next].end > end {
                return Err((edits[next].start, "a token's edit across its border"));
            }
            next += 1;
        }
        if edits.get(next).is_some_and(|p| p.start < end) {
            return Err((edits[next].start, "an edit inside a token"));
        }
        if next > first {
            let touched = &edits[first..next];
            let token = source(before, touched, start, end).ok_or((start, "a token without a source"))?;
            if !says::same(token, touched.iter().map(|p| p.edit.rule), &after[start..end]) {
                return Err((start, "a token that says something else"));
            }
        }
        Ok(())
    })?;
    if edits[next..].iter().any(is_token) {
        return Err((after.len(), "a token's edit outside of a token"));
    }
    for p in &edits {
        let taken = &before[p.edit.start..p.edit.end];
        let outside = p.end <= root.0 || p.start >= root.1;
        match class(p.edit.rule) {
            Class::Token => {}
            Class::Outside if !outside => return Err((p.start, "packaging taken from inside the object")),
            Class::Outside => {
                if !p.edit.put.is_empty() {
                    return Err((p.start, "packaging that puts something"));
                }
                // What begins like a member is the rest of the object, not packaging.
                if p.start >= root.1
                    && p.edit.rule != Rule::DoubledBody
                    && taken.trim_start().starts_with([',', ':', '"', '\'', '='])
                {
                    return Err((p.start, "a member taken as packaging"));
                }
                if p.edit.rule == Rule::DoubledBody && taken.trim() != body(before, &edits, root).trim() {
                    return Err((p.start, "a copy that differs"));
                }
            }
            Class::Punctuation => {
                let signs = |s: &str, of: &str| s.chars().all(|c| of.contains(c));
                if !signs(&p.edit.put, "{}[],:") || !signs(taken, "{}[],:=>;") {
                    return Err((p.start, "more than punctuation"));
                }
            }
            Class::Void => {
                if !p.edit.put.is_empty() || !says::nothing(taken) {
                    return Err((p.start, "something that says something"));
                }
            }
            Class::Level => return Err((p.start, "a level among other edits")),
        }
    }
    Ok(())
}

fn is_token(p: &Placed<'_>) -> bool {
    class(p.edit.rule) == Class::Token
}

/// The token in the input that became `start..end` of the output; `touched` are the edits on it.
fn source<'t>(before: &'t str, touched: &[Placed<'_>], start: usize, end: usize) -> Option<&'t str> {
    let (first, last) = (touched.first()?, touched.last()?);
    // Before the first edit and behind the last one, input and output run side by side.
    let from = first.edit.start.checked_sub(first.start.checked_sub(start)?)?;
    let to = last.edit.end + end.checked_sub(last.end)?;
    before.get(from..to)
}

/// The input's text of the object that is `root` in the output.
fn body<'t>(before: &'t str, edits: &[Placed<'_>], root: (usize, usize)) -> &'t str {
    let back = |at: usize, end: bool| {
        let passed = edits.iter().take_while(|p| {
            if end {
                p.end <= at && p.start < at
            } else {
                p.end <= at
            }
        });
        let (put, taken) = passed.fold((0, 0), |(put, taken), p| {
            (put + p.edit.put.len(), taken + p.edit.end - p.edit.start)
        });
        (at + taken).saturating_sub(put)
    };
    before.get(back(root.0, false)..back(root.1, true)).unwrap_or("")
}
