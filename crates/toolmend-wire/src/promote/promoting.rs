//! A promoter and the turn behind it, which read each event once for both.

use toolmend_core::{CallJudge, TextCall, TextReader};

use super::{Flow, Mode, Promoter};
use crate::content::{Content, Latest};
use crate::frame::Event;
use crate::turn::{CallReport, StreamEnd, Turn};

/// A [`Turn`] whose text is read for calls before the turn itself is: as if what the [`Promoter`] gives were pushed
/// into the turn. An event of a stream that the promoter leaves as it is is framed and read once for both.
#[derive(Debug)]
pub struct Promoting<R, J> {
    promoter: Promoter<R>,
    turn: Turn<J>,
    /// What the promoter gave for the turn.
    told: Vec<u8>,
}

impl<R: TextReader, J: CallJudge> Promoting<R, J> {
    /// Nothing has come yet, of either.
    #[must_use]
    pub fn new(promoter: Promoter<R>, turn: Turn<J>) -> Self {
        Promoting { promoter, turn, told: Vec::new() }
    }

    /// Takes the next bytes, cut anywhere; appends those that may leave to `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let Promoting { promoter, turn, told } = self;
        if promoter.broken {
            turn.push(bytes, out);
            return;
        }
        let Promoter { framer, latest, flow, .. } = promoter;
        let read = latest.push(framer, bytes, &mut |event, latest| {
            pass(event, latest, flow, turn, told, out);
        });
        if read.is_err() {
            promoter.release(told);
            give(told, turn, out);
        }
    }

    /// There are no more bytes: everything that waits is settled and leaves.
    pub fn finish(&mut self, end: StreamEnd, out: &mut Vec<u8>) {
        self.promoter.finish(end, &mut self.told);
        give(&mut self.told, &mut self.turn, out);
        self.turn.finish(end, out);
    }

    /// Gives up: everything that waits leaves as it came, and so does everything that comes.
    pub fn release(&mut self, out: &mut Vec<u8>) {
        self.promoter.release(&mut self.told);
        give(&mut self.told, &mut self.turn, out);
        self.turn.release(out);
    }

    /// How many bytes wait.
    #[must_use]
    pub fn held(&self) -> usize {
        self.promoter.held() + self.turn.held()
    }

    /// How many bytes of arguments the longest of the calls has that wait; text that may become calls counts as one.
    #[must_use]
    pub fn held_call(&self) -> usize {
        self.promoter.held().max(self.turn.held_call())
    }

    /// Whether an event waits, or a piece of one before the promoter.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.promoter.held() > 0 || self.turn.holds()
    }

    /// The calls that were made of text since this was last asked.
    pub fn promoted(&mut self) -> Vec<TextCall> {
        self.promoter.promoted()
    }

    /// As [`Turn::reports`].
    pub fn reports(&mut self) -> Vec<CallReport> {
        self.turn.reports()
    }
}

/// One event on its way through both.
fn pass<R: TextReader, J: CallJudge>(
    event: &Event<'_>,
    latest: &mut Latest,
    flow: &mut Flow<R>,
    turn: &mut Turn<J>,
    told: &mut Vec<u8>,
    out: &mut Vec<u8>,
) {
    let mut content = Content::default();
    if flow.looks_at(event) {
        // Where both read the same in it.
        let kind = flow.protocol.as_ref().map(|(kind, _)| *kind);
        content = latest.read(event, kind.and_then(|kind| turn.reader_of(kind)));
    }
    if flow.event(event, &content, told) {
        give(told, turn, out);
        if flow.mode != Mode::Reading || !turn.take(event, &content, out) {
            turn.push(event.raw, out);
        }
    }
    flow.settle(told);
    give(told, turn, out);
}

fn give<J: CallJudge>(told: &mut Vec<u8>, turn: &mut Turn<J>, out: &mut Vec<u8>) {
    if !told.is_empty() {
        turn.push(told, out);
        told.clear();
    }
}
