//! The events that wait, as their bytes and what is known of them.

use core::ops::Range;
use std::collections::VecDeque;
use std::collections::vec_deque::Iter;

use super::lanes::Aside;
use crate::protocol::Step;
use crate::splice::Splices;

/// What is known of an event.
#[derive(Debug, Default)]
pub(super) struct Note {
    /// Its bytes.
    pub(super) len: usize,
    /// Where its data stands in them, where that is one stretch; and how long it is.
    pub(super) at: Option<usize>,
    pub(super) data: usize,
    /// How many pieces of calls it holds.
    pub(super) pieces: usize,
    /// The choices that it says how they ended.
    pub(super) finish: Vec<u32>,
    /// Calls that get no more pieces after it.
    pub(super) closes: bool,
    /// It has no data; whether that is to be changed depends on the protocol.
    pub(super) silent: bool,
    /// It could not be read, or not all of it.
    pub(super) unread: bool,
    /// Nothing of the turn comes after it.
    pub(super) end: bool,
    /// Its number among the events of the turn.
    pub(super) number: u64,
    /// The block that it is about, and what it does to it, where clients take one block at a time.
    pub(super) block: Option<(u32, Step)>,
    /// What is changed about it in any case.
    pub(super) changes: Option<Box<Splices>>,
}

/// What is known of a piece of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) call: usize,
    /// Its number among the pieces of its call.
    pub(super) number: u32,
    /// Where its text stands in the call's arguments, and how often they had begun anew by then.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) restarts: u32,
    /// It ends with half of a surrogate pair.
    pub(super) waits: bool,
    /// How it has its arguments.
    pub(super) has: Has,
    /// How its arguments stand there is how the protocol writes them.
    pub(super) fits: bool,
    /// The protocol writes them as an object here.
    pub(super) object: bool,
    /// The number that the server gives the call, where pieces are numbered.
    pub(super) index: Option<u32>,
    /// It gives an id that its call had not, and how long a name it gives, in bytes.
    pub(super) new_id: bool,
    pub(super) name: usize,
    /// It came when its call was known to be none: it gives another name, or what came before it did.
    pub(super) faulty: bool,
    /// Whether it says of which kind the call is, and in the protocol's word.
    pub(super) kind: Option<bool>,
    /// Its event has to say who speaks.
    pub(super) no_role: bool,
    /// In what way its call came.
    pub(super) way: Way,
    /// An event can be added behind it.
    pub(super) adds: bool,
}

/// In what way a piece came: what clients look at differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// In an event of a stream.
    Streamed,
    /// In a whole message.
    Whole,
    /// In a line of JSON, with a number: nobody looks at the rest of its envelope.
    Line,
    /// In an older form, or in a line without a number: nobody looks at its envelope.
    Other,
}

/// How a piece has its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Has {
    Nothing,
    Text,
    Json,
    Copy,
}

/// The events that wait, in order.
#[derive(Debug, Default)]
pub(super) struct Queue {
    bytes: Vec<u8>,
    /// The bytes before it have left.
    from: usize,
    notes: VecDeque<Note>,
    pieces: VecDeque<Piece>,
}

/// Room that is given back only once as much of it is free.
const MIN_COMPACT: usize = 64 << 10;

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    /// In bytes.
    pub(super) fn held(&self) -> usize {
        self.bytes.len() - self.from
    }

    pub(super) fn push(&mut self, note: Note, raw: &[u8], pieces: &[Piece]) {
        self.bytes.extend_from_slice(raw);
        self.notes.push_back(note);
        self.pieces.extend(pieces);
    }

    /// Appends bytes to the last event, where it has this number.
    pub(super) fn append_to(&mut self, number: u64, raw: &[u8]) -> bool {
        let Some(note) = self.notes.back_mut().filter(|note| note.number == number) else { return false };
        note.len += raw.len();
        self.bytes.extend_from_slice(raw);
        true
    }

    pub(super) fn front(&self) -> Option<&Note> {
        self.notes.front()
    }

    /// The pieces of the first event.
    pub(super) fn front_pieces(&self) -> impl Iterator<Item = &Piece> {
        let count = self.notes.front().map_or(0, |note| note.pieces);
        self.pieces.iter().take(count)
    }

    /// All pieces that wait.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter()
    }

    /// All events that wait, each with its pieces.
    pub(super) fn notes(&self) -> impl Iterator<Item = (&Note, Iter<'_, Piece>)> {
        let mut at = 0;
        self.notes.iter().map(move |note| {
            let pieces = self.pieces.range(at..at + note.pieces);
            at += note.pieces;
            (note, pieces)
        })
    }

    /// Takes the first event; its pieces are appended to `pieces`. Its bytes are these of all that wait, which are
    /// to be [given back](Queue::give_back).
    pub(super) fn pop(&mut self, pieces: &mut Vec<Piece>) -> Option<(Note, Vec<u8>, Range<usize>)> {
        let note = self.notes.pop_front()?;
        let own = self.from..self.from + note.len;
        self.from = own.end;
        pieces.extend((0..note.pieces).map_while(|_| self.pieces.pop_front()));
        Some((note, core::mem::take(&mut self.bytes), own))
    }

    pub(super) fn give_back(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
        if self.notes.is_empty() {
            self.bytes.clear();
            self.from = 0;
        } else if self.from >= MIN_COMPACT && self.from * 2 >= self.bytes.len() {
            self.bytes.drain(..self.from);
            self.from = 0;
        }
    }

    /// Lets everything go as it came, and so do the events that stepped aside.
    pub(super) fn release(&mut self, aside: Vec<Aside>, out: &mut Vec<u8>) {
        let (bytes, mut from) = (core::mem::take(&mut self.bytes), self.from);
        let mut events: Vec<(u64, &[u8])> =
            aside.iter().map(|aside| (aside.note.number, &aside.raw[..])).collect();
        for note in &self.notes {
            events.push((note.number, &bytes[from..from + note.len]));
            from += note.len;
        }
        events.sort_by_key(|(number, _)| *number);
        out.extend(events.into_iter().flat_map(|(_, raw)| raw));
        *self = Queue::default();
    }
}
