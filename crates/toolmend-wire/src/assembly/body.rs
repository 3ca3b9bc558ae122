//! The arguments of one call, put together from what came.

use std::collections::BTreeMap;

use super::parts::Parts;
use crate::json::Value;
use crate::recorded::CallFault;
use crate::shape::Shape;
use crate::signal::Arguments;
use crate::text::{Joined, Text};

/// The arguments of a call, as they come.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) text: Joined,
    pub(super) shape: Shape,
    /// How often what had come was thrown away: it was a placeholder, or an earlier state.
    pub(super) restarts: u32,
    json: bool,
    /// Objects came that say different things.
    mixed: bool,
    /// Pieces of text so far, and where the latest one began.
    pieces: u32,
    latest: usize,
    /// Each piece so far began with the whole of the one before it.
    growing: bool,
    /// All of the arguments, as the server says they are.
    copies: Vec<(u8, String)>,
    /// The arguments where they come value by value.
    parts: Parts,
}

/// A server that sends what it has so far, again and again, is told from one that sends pieces by this
/// many of them, each of which begins with the whole of the one before.
const MIN_GROWING: u32 = 3;

/// The rank of a copy that came before the pieces.
pub(crate) const ANNOUNCED: u8 = 0;

/// How many copies of one call's arguments are kept; no protocol has more.
const MAX_COPIES: usize = 8;

impl Body {
    /// Answers how many bytes were added.
    pub(super) fn take(&mut self, arguments: Arguments<'_>) -> Result<usize, CallFault> {
        match arguments {
            Arguments::Text(piece) => {
                if self.json {
                    if piece.to_text().trim().is_empty() {
                        return Ok(0);
                    }
                    self.replace_placeholder()?;
                }
                Ok(self.append(piece))
            }
            Arguments::Json(object) => {
                // What came first is not read again for each that follows.
                if self.mixed {
                    return Err(CallFault::MixedArguments);
                }
                if self.json && !extends(object, self.text.text()) || !self.json && !self.is_blank() {
                    self.replace_placeholder()?;
                }
                let before = self.text.text().len();
                if self.pieces > 0 {
                    self.restart();
                }
                self.json = true;
                self.append(Text::Plain(object));
                Ok(object.len().saturating_sub(before))
            }
            Arguments::Parts { parts, more } => Ok(self.parts.take(parts, more)),
            Arguments::Unreadable => Err(CallFault::UnreadableArguments),
            Arguments::Copy { text, rank } => {
                let copy = text.to_text();
                let added = copy.len();
                if self.copies.len() < MAX_COPIES && !copy.trim().is_empty() {
                    self.copies.push((rank, copy));
                }
                Ok(added)
            }
        }
    }

    /// `{}` stands for arguments that are yet to come; anything else was meant.
    fn replace_placeholder(&mut self) -> Result<(), CallFault> {
        if is_placeholder(self.text.text()) {
            self.restart();
            Ok(())
        } else {
            self.mixed = true;
            Err(CallFault::MixedArguments)
        }
    }

    fn restart(&mut self) {
        let (restarts, copies) = (self.restarts + 1, core::mem::take(&mut self.copies));
        *self = Body { restarts, copies, ..Body::default() };
    }

    fn append(&mut self, piece: Text<'_>) -> usize {
        let start = self.text.text().len();
        self.text.push(piece);
        let (before, new) = self.text.text().split_at(start);
        let longer = before
            .get(self.latest..)
            .is_some_and(|latest| new.len() > latest.len() && new.starts_with(latest));
        self.growing = if self.pieces == 0 { true } else { self.growing && longer };
        self.shape.push_all(new);
        let added = new.len();
        self.pieces = self.pieces.saturating_add(1);
        self.latest = start;
        added
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.text().trim().is_empty()
    }

    /// Whether nothing came but what stands for arguments that are yet to come.
    pub(super) fn is_announced(&self) -> bool {
        self.is_blank()
            && self.parts.is_empty()
            && !self.copies.is_empty()
            && self.copies().all(is_placeholder)
    }

    /// Whether the server said all of the arguments at once, and more than that there are none yet.
    pub(super) fn is_told_whole(&self) -> bool {
        self.copies().any(|copy| is_object(copy) && !is_placeholder(copy))
    }

    /// Whether any of the arguments have been said, in pieces or at once.
    pub(super) fn has_begun(&self) -> bool {
        !self.is_blank() || !self.copies.is_empty()
    }

    /// The arguments, where no more of them come.
    pub(super) fn settle(&self) -> Result<String, CallFault> {
        if !self.parts.is_empty() {
            let parts = self.parts.json().filter(|_| self.is_blank() && self.copies.is_empty());
            return parts.ok_or(CallFault::MixedArguments);
        }
        let text = self.text.text();
        let latest = &text[self.latest.min(text.len())..];
        let snapshots = self.growing && self.pieces >= MIN_GROWING && is_object(latest) && !is_object(text);
        let said = if snapshots { latest } else { text };
        if self.copies.is_empty() { Ok(said.to_owned()) } else { self.compare(said) }
    }

    /// What was said in pieces against what the server says was said: the pieces may lack, a copy may be
    /// empty or cut, but two texts that say different things are no one's arguments.
    fn compare(&self, said: &str) -> Result<String, CallFault> {
        let mut copies: Vec<(u8, &str)> = self.copies.iter().map(|(rank, text)| (*rank, &**text)).collect();
        copies.sort_by_key(|(rank, _)| core::cmp::Reverse(*rank));
        let mut all: Vec<&str> = copies.iter().map(|(_, text)| *text).collect();
        if !said.trim().is_empty() {
            all.insert(0, said);
        }
        if all.iter().any(|text| !is_placeholder(text)) {
            all.retain(|text| !is_placeholder(text));
        }
        let Some(first) = all.first().copied() else {
            return Ok(said.to_owned());
        };
        if all.iter().all(|text| *text == first) {
            return Ok(first.to_owned());
        }
        let longest = || all.iter().copied().max_by_key(|text| text.len()).unwrap_or(first);
        let chosen = all.iter().copied().find(|text| is_object(text)).unwrap_or_else(longest);
        let agrees = |text: &str| match is_object(text) {
            true => same_tokens(text, chosen),
            false => lacks(behind_copies(text, chosen), chosen) || says(text).eq(says(chosen)),
        };
        if all.iter().all(|text| agrees(text)) {
            // What was announced does not say that the pieces came to their end.
            let is_announced = copies.iter().all(|(rank, text)| *rank == ANNOUNCED || is_placeholder(text));
            Ok(if is_announced && !said.trim().is_empty() { said } else { chosen }.to_owned())
        } else {
            Err(CallFault::MixedArguments)
        }
    }

    /// Whether the arguments came value by value.
    pub(super) fn is_in_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    /// What the server says that the arguments are, each time that it says so.
    pub(super) fn copies(&self) -> impl Iterator<Item = &str> {
        self.copies.iter().map(|(_, text)| &**text)
    }
}

/// An empty object.
pub(crate) fn is_placeholder(text: &str) -> bool {
    text.trim()
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .is_some_and(|inside| inside.trim().is_empty())
}

pub(super) fn is_object(text: &str) -> bool {
    Value::parse(text).is_ok_and(Value::is_object)
}

/// Whether two JSON texts differ in nothing but the white space between their tokens.
pub(crate) fn same_tokens(a: &str, b: &str) -> bool {
    tokens(a).eq(tokens(b))
}

/// Whether a JSON text begins with another one, whatever white space stands between their tokens.
pub(super) fn begins_with(text: &str, begin: &str) -> bool {
    let mut own = tokens(text);
    tokens(begin).all(|byte| own.next() == Some(byte))
}

/// The bytes of a JSON text without the white space between its tokens.
fn tokens(text: &str) -> impl Iterator<Item = u8> + '_ {
    let mut shape = Shape::default();
    text.bytes().filter(move |byte| {
        let inside = shape.in_string();
        shape.push(*byte);
        inside || !byte.is_ascii_whitespace()
    })
}

/// A text behind the copies of the whole object that it begins with.
fn behind_copies<'a>(mut text: &'a str, whole: &str) -> &'a str {
    if is_object(whole) {
        while let Some(rest) = text.trim_start().strip_prefix(whole) {
            text = rest;
        }
    }
    text
}

/// Whether a text is another one with nothing changed, but perhaps pieces of it lost.
fn lacks(text: &str, whole: &str) -> bool {
    let mut whole = tokens(whole);
    tokens(text).all(|byte| whole.any(|other| other == byte))
}

/// A text's keys and values, a space where one ends and another one begins, whatever stands between them.
fn says(text: &str) -> impl Iterator<Item = u8> + '_ {
    let (mut shape, mut apart) = (Shape::default(), true);
    let words = text.bytes().filter_map(move |byte| {
        let inside = shape.in_string();
        shape.push(byte);
        let between = !inside && (byte.is_ascii_whitespace() || b"{}[],:".contains(&byte));
        let more = between && apart;
        apart = between;
        match (between, more) {
            (true, true) => None,
            (true, false) => Some(b' '),
            (false, _) => Some(byte),
        }
    });
    // What stands behind the last one tells nothing.
    let mut words = words.peekable();
    core::iter::from_fn(move || {
        let byte = words.next()?;
        (byte != b' ' || words.peek().is_some()).then_some(byte)
    })
}

/// Whether an object is another one, and perhaps more: further members and items, the rest of a string.
fn extends(object: &str, known: &str) -> bool {
    let (Ok(object), Ok(known)) = (Value::parse(object), Value::parse(known)) else {
        return false;
    };
    // Pairs of values that are yet to be compared.
    let mut pairs = vec![(object, known)];
    while let Some((value, known)) = pairs.pop() {
        if known.is_object() && value.is_object() {
            let members: BTreeMap<String, Value<'_>> =
                value.members().map(|(key, value)| (key.to_text(), value)).collect();
            for (key, known) in known.members() {
                let Some(value) = members.get(&key.to_text()) else { return false };
                pairs.push((*value, known));
            }
        } else if known.is_array() && value.is_array() {
            let mut values = value.items();
            for known in known.items() {
                let Some(value) = values.next() else { return false };
                pairs.push((value, known));
            }
        } else if let (Some(value), Some(known)) = (value.text(), known.text()) {
            if !value.to_text().starts_with(&known.to_text()) {
                return false;
            }
        } else if value.raw() != known.raw() {
            return false;
        }
    }
    true
}
