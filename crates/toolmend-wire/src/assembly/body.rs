//! The arguments of one call, put together from what came.

use std::collections::BTreeSet;

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
    json: bool,
    /// Pieces of text so far, and where the latest one began.
    pieces: u32,
    latest: usize,
    /// Each piece so far began with the whole of the one before it.
    growing: bool,
}

/// A server that sends what it has so far, again and again, is told from one that sends pieces by this
/// many of them, each of which begins with the whole of the one before.
const MIN_GROWING: u32 = 3;

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
                if self.json && !extends(object, self.text.text()) || !self.json && !self.is_blank() {
                    self.replace_placeholder()?;
                }
                let before = self.text.text().len();
                *self = Body { json: true, ..Body::default() };
                self.append(Text::Plain(object));
                Ok(object.len().saturating_sub(before))
            }
        }
    }

    /// `{}` stands for arguments that are yet to come; anything else was meant.
    fn replace_placeholder(&mut self) -> Result<(), CallFault> {
        let text = self.text.text().trim_start();
        if text.strip_prefix('{').is_some_and(|rest| rest.trim() == "}") {
            *self = Body::default();
            Ok(())
        } else {
            Err(CallFault::MixedArguments)
        }
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

    pub(super) fn finish(self) -> String {
        let latest = self.latest;
        let mut text = self.text.into_text();
        if self.growing && self.pieces >= MIN_GROWING && is_object(&text[latest..]) && !is_object(&text) {
            text.drain(..latest);
        }
        text
    }
}

fn is_object(text: &str) -> bool {
    Value::parse(text).is_ok_and(Value::is_object)
}

/// Whether every key of the object `known` stands in `object` too.
fn extends(object: &str, known: &str) -> bool {
    let (Ok(object), Ok(known)) = (Value::parse(object), Value::parse(known)) else {
        return false;
    };
    let keys: BTreeSet<String> = object.members().map(|(key, _)| key.to_text()).collect();
    known.members().all(|(key, _)| keys.contains(&key.to_text()))
}
