//! A place where the text departs from JSON, and the ways on from there.

use alloc::vec::Vec;

use crate::scan::{Scanner, Slot};
use crate::{Edit, Rule};

/// A place between tokens where the next byte cannot stand.
#[derive(Debug)]
pub(crate) struct Fault<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    pub(crate) slot: Slot,
    /// The scanner as it stands before that byte.
    pub(crate) scan: &'a Scanner,
}

/// A way on from a fault: some edits, and where and how to read on.
#[derive(Debug)]
pub(crate) struct Move {
    pub(crate) edits: Vec<Edit>,
    pub(crate) at: usize,
    pub(crate) scan: Scanner,
}

/// All ways on from a fault.
#[derive(Debug, Default)]
pub(crate) struct Moves(pub(crate) Vec<Move>);

impl Fault<'_> {
    /// The byte that cannot stand; `None` at the end of the text.
    pub(crate) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The text from that byte on.
    pub(crate) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Whether the innermost open container is an object.
    pub(crate) fn in_object(&self) -> bool {
        self.scan.inside_object()
    }

    /// How many containers must be closed until the innermost open one is an object (or an array); `None`
    /// where there is none, or where it is already innermost.
    pub(crate) fn closers_to(&self, object: bool) -> Option<usize> {
        (1..self.scan.depth()).find(|&up| self.scan.outer_is_object(up) == Some(object))
    }

    /// The scanner after `count` closers set at `at`, with the edits that set them.
    pub(crate) fn close(&self, count: usize, at: usize) -> (Scanner, Vec<Edit>) {
        close(self.scan, count, at)
    }
}

/// The scanner after `count` closers set at `at`, with the edits that set them.
pub(crate) fn close(scan: &Scanner, count: usize, at: usize) -> (Scanner, Vec<Edit>) {
    let mut scan = scan.clone();
    let mut edits = Vec::with_capacity(count);
    for _ in 0..count {
        let put = if scan.inside_object() { "}" } else { "]" };
        edits.push(Edit::insert(Rule::MissingCloser, at, put));
        scan.close(at);
    }
    (scan, edits)
}

impl Moves {
    /// Adds a way on.
    pub(crate) fn add(&mut self, edits: Vec<Edit>, at: usize, scan: Scanner) {
        self.0.push(Move { edits, at, scan });
    }
}
