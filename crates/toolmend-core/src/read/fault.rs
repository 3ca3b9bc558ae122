//! A place where the text departs from JSON, and the ways on from there.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::context::Context;
use crate::scan::{Scanner, Slot};
use crate::{Edit, Rule};

/// A place between tokens where the next byte cannot stand.
pub(crate) struct Fault<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    pub(crate) slot: Slot,
    /// The scanner as it stands before that byte.
    pub(crate) scan: &'a Scanner,
    pub(crate) ctx: &'a Context<'a>,
}

/// A way on from a fault: some edits, and where and how to read on.
#[derive(Debug)]
pub(crate) struct Move {
    pub(crate) edits: Edits,
    pub(crate) at: usize,
    pub(crate) then: Then,
}

/// How the scanner stands on a way on.
#[derive(Debug)]
pub(crate) enum Then {
    /// As at the fault, but with this expected next.
    Slot(Slot),
    /// As behind a comma that stands, or is set, at this byte.
    Comma(usize),
    Scan(Box<Scanner>),
}

impl From<Slot> for Then {
    fn from(slot: Slot) -> Then {
        Then::Slot(slot)
    }
}

impl From<Scanner> for Then {
    fn from(scan: Scanner) -> Then {
        Then::Scan(Box::new(scan))
    }
}

impl Then {
    /// Moves the scanner, which stands at the fault, on.
    pub(crate) fn apply_to(self, scan: &mut Scanner) {
        match self {
            Then::Slot(slot) => scan.set_slot(slot),
            Then::Comma(at) => scan.took_comma(at),
            Then::Scan(next) => *scan = *next,
        }
    }
}

/// The most ways on from one fault; where there are more, none is followed.
const MAX_WAYS: usize = 4;

/// All ways on from a fault. They live on the stack: most faults have one.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    ways: [Option<Move>; MAX_WAYS],
    /// How many there are, those beyond [`MAX_WAYS`] counted as well.
    count: usize,
}

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
    #[inline]
    pub(crate) fn add(&mut self, edits: impl Into<Edits>, at: usize, then: impl Into<Then>) {
        if let Some(way) = self.ways.get_mut(self.count) {
            *way = Some(Move { edits: edits.into(), at, then: then.into() });
        }
        self.count += 1;
    }

    /// How many ways there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Whether there are more than were kept.
    pub(crate) fn overflowed(&self) -> bool {
        self.count > MAX_WAYS
    }

    /// The way, if there is only one.
    pub(crate) fn only(&mut self) -> Option<Move> {
        if self.count == 1 { self.ways[0].take() } else { None }
    }

    /// All ways, in the order in which they were added.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Move> {
        self.count = 0;
        self.ways.iter_mut().filter_map(Option::take)
    }
}

/// The edits of one way: most have one.
#[derive(Debug)]
pub(crate) enum Edits {
    One(Edit),
    Many(Vec<Edit>),
}

impl From<Edit> for Edits {
    fn from(edit: Edit) -> Edits {
        Edits::One(edit)
    }
}

impl From<Vec<Edit>> for Edits {
    fn from(edits: Vec<Edit>) -> Edits {
        Edits::Many(edits)
    }
}

impl Edits {
    /// Appends them to a list.
    pub(crate) fn append_to(self, list: &mut Vec<Edit>) {
        match self {
            Edits::One(edit) => list.push(edit),
            // A long token may have many; where they are the first ones, the list is theirs.
            Edits::Many(edits) if list.is_empty() => *list = edits,
            Edits::Many(edits) => list.extend(edits),
        }
    }

    /// Gives one after the other.
    pub(crate) fn each(self, mut take: impl FnMut(Edit)) {
        match self {
            Edits::One(edit) => take(edit),
            Edits::Many(edits) => edits.into_iter().for_each(take),
        }
    }
}
