//! Blocks that come interleaved, one after the other.
//!
//! Clients of Anthropic Messages take the blocks of a turn as they are opened, and some hang where a second one
//! is opened before the first one is closed. So the events of the later block step aside until it is.

use std::collections::BTreeMap;

use super::queue::{Note, Piece};
use crate::protocol::Step;

/// An event that steps aside.
#[derive(Debug)]
pub(super) struct Aside {
    pub(super) note: Note,
    pub(super) raw: Vec<u8>,
    pub(super) pieces: Vec<Piece>,
    step: Step,
}

/// Which block is open, and what waits for its end.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    open: Option<u32>,
    /// By the place of their block, which is the order in which the blocks were opened.
    aside: BTreeMap<u32, Vec<Aside>>,
    held: usize,
}

impl Lanes {
    /// In bytes.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Whether an event of this block goes on; then it is noted what it does to the block.
    pub(super) fn goes_on(&mut self, block: u32, step: Step) -> bool {
        let own = self.open.is_none_or(|open| open == block) && !self.aside.contains_key(&block);
        if own {
            self.step(block, step);
        }
        own
    }

    fn step(&mut self, block: u32, step: Step) {
        match step {
            Step::Open => self.open = Some(block),
            Step::Close => self.open = None,
            Step::Inside => {}
        }
    }

    /// The pieces that stepped aside; those of one call stand in their order.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.aside.values().flatten().flat_map(|event| &event.pieces)
    }

    pub(super) fn step_aside(&mut self, block: u32, step: Step, note: Note, raw: &[u8], pieces: &[Piece]) {
        self.held += raw.len();
        let aside = Aside { note, raw: raw.to_vec(), pieces: pieces.to_vec(), step };
        self.aside.entry(block).or_default().push(aside);
    }

    /// Appends bytes to the event of this number, where it was the last one to step aside.
    pub(super) fn append_to(&mut self, number: u64, raw: &[u8]) -> bool {
        let mut last = self.aside.values_mut().filter_map(|events| events.last_mut());
        let Some(event) = last.find(|event| event.note.number == number) else { return false };
        event.raw.extend_from_slice(raw);
        event.note.len += raw.len();
        self.held += raw.len();
        true
    }

    /// What goes on now, in order: while no block is open, all there is of the next one.
    pub(super) fn next(&mut self) -> Option<Vec<Aside>> {
        if self.open.is_some() {
            return None;
        }
        let (block, events) = self.aside.pop_first()?;
        for event in &events {
            self.held -= event.raw.len();
            self.step(block, event.step);
        }
        Some(events)
    }

    /// No more blocks are waited for: what goes on, whether its block may or not.
    pub(super) fn rest(&mut self) -> Vec<Aside> {
        self.held = 0;
        self.open = None;
        core::mem::take(&mut self.aside).into_values().flatten().collect()
    }
}
