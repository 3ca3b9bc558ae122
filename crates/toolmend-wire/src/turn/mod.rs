//! A turn in flight: bytes in, the bytes that may leave out.
//!
//! ```text
//!  bytes ─ frame ─▶ event ─ protocol ─▶ signals ─ assembly ─▶ calls
//!                     │                                         │ whole and good, or the turn is over
//!                     ▼                                         ▼
//!                   queue ◀───────────────────────────────── verdict
//!                     │ the first one need not wait
//!                     ▼
//!                 its own bytes, or a splice of them
//! ```
//!
//! An event is the smallest thing that waits or leaves, and events keep their order. One that nothing is
//! changed about leaves as its own bytes.

mod cuts;
mod lanes;
mod numbers;
mod options;
mod plan;
mod queue;
mod reading;
mod report;
mod settling;
mod withholding;
mod writing;

use std::collections::BTreeSet;

use toolmend_core::{CallJudge, Ending};

use self::lanes::{Aside, Lanes};
use self::numbers::Numbers;
use self::plan::{Fate, State};
use self::queue::{Has, Note, Piece, Queue};
use crate::assembly::Assembly;
use crate::content::{Content, Latest};
use crate::frame::{Event, Framer, ends_with_blank_line};
use crate::protocol::{Needs, Protocol, ProtocolKind};

pub use self::options::{Hold, OnCut, TurnOptions};
pub use self::report::{CallReport, Outcome};

/// How the bytes of a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEnd {
    /// The body ended as it was to end.
    Clean,
    /// The connection broke.
    Broken,
}

/// One turn on its way from a server to a client. No IO: bytes are pushed in, and come out where they may
/// leave.
///
/// ```
/// use toolmend_core::{CallJudge, Evidence, FoundCall, NoJudge, Verdict, mend};
/// use toolmend_wire::{StreamEnd, Turn, TurnOptions};
///
/// struct Anything;
///
/// impl CallJudge for Anything {
///     fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict> {
///         Some(mend(call.body, &evidence, &NoJudge))
///     }
///
///     fn offers(&self, _name: &str) -> Option<bool> {
///         None
///     }
/// }
///
/// let said = concat!(
///     "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,",
///     "\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"n\\\":1,}\"}}]}}]}\n\n",
///     "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
/// );
/// let mut turn = Turn::new(TurnOptions::default(), Anything);
/// let mut out = Vec::new();
/// turn.push(said.as_bytes(), &mut out);
/// turn.finish(StreamEnd::Clean, &mut out);
/// assert_eq!(String::from_utf8(out).unwrap(), said.replace("1,}", "1}"));
/// assert_eq!(turn.reports()[0].arguments(), Some("{\"n\":1}"));
/// ```
///
/// Whatever goes wrong, nothing is lost: what cannot be read, or is more than the limits allow, leaves as it
/// came.
#[derive(Debug)]
pub struct Turn<J> {
    framer: Framer,
    latest: Latest,
    flow: Flow<J>,
}

/// Everything behind the framing.
#[derive(Debug)]
struct Flow<J> {
    options: TurnOptions,
    judge: J,
    protocol: Option<(ProtocolKind, Box<dyn Protocol>)>,
    assembly: Assembly,
    queue: Queue,
    lanes: Lanes,
    /// Events so far.
    events: u64,
    /// One for each call of the assembly.
    states: Vec<State>,
    /// Calls that may yet be settled before the turn is over.
    waiting: Vec<usize>,
    /// Pieces of the event that is being read.
    fresh: Vec<Piece>,
    /// The numbers that the calls of a choice have left with.
    numbers: Numbers,
    /// The choices that it was written into who speaks.
    voiced: BTreeSet<u32>,
    /// The latest event of the stream has no blank line behind it, so none can follow.
    breaks_off: bool,
    /// It has left, and whatever leaves now came before it.
    torn: bool,
    /// The server told of an error, and the turn is over with it.
    failed: bool,
    /// An event with data has come, so the protocol is known if it ever will be.
    spoke: bool,
    /// Ids that are made up are made of it.
    seed: Option<u64>,
    /// The pieces of an event that leaves the queue.
    leaving: Vec<Piece>,
    reports: Vec<CallReport>,
    /// Something left in other bytes, or in another order, than it came.
    rewritten: bool,
    mode: Mode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Reading,
    /// All calls are settled; what comes now is none of our business.
    Over,
    /// Given up.
    Transparent,
}

impl<J: CallJudge> Turn<J> {
    /// Nothing has come yet.
    #[must_use]
    pub fn new(options: TurnOptions, judge: J) -> Self {
        Turn {
            framer: Framer::new(options.limits.event_bytes),
            latest: Latest::default(),
            flow: Flow {
                options,
                judge,
                protocol: options.protocol.map(|kind| (kind, kind.reader())),
                assembly: Assembly::new(options.limits),
                queue: Queue::default(),
                lanes: Lanes::default(),
                events: 0,
                states: Vec::new(),
                waiting: Vec::new(),
                fresh: Vec::new(),
                numbers: Numbers::default(),
                voiced: BTreeSet::new(),
                breaks_off: false,
                torn: false,
                failed: false,
                spoke: options.protocol.is_some(),
                seed: None,
                leaving: Vec::new(),
                reports: Vec::new(),
                rewritten: false,
                mode: Mode::Reading,
            },
        }
    }

    /// Takes the next bytes, cut anywhere; appends those that may leave to `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.flow.mode == Mode::Transparent {
            out.extend_from_slice(bytes);
            return;
        }
        let Turn { framer, latest, flow } = self;
        let read = latest.push(framer, bytes, &mut |event, latest| flow.read_event(event, latest, out));
        if read.is_err() || self.flow.mode == Mode::Transparent {
            self.release(out);
        }
    }

    /// As [`Turn::push`], for an event of a stream that was framed and read before; `false`, and nothing is taken,
    /// where it has to be pushed as bytes.
    pub(crate) fn take(&mut self, event: &Event<'_>, content: &Content<'_>, out: &mut Vec<u8>) -> bool {
        if self.flow.mode == Mode::Transparent || !self.framer.pass_over(event) {
            return false;
        }
        if !self.latest.is_new() {
            // It is of no use where events are read elsewhere.
            self.latest = Latest::default();
        }
        self.flow.event(event, content, out);
        if self.flow.mode == Mode::Transparent {
            self.release(out);
        }
        true
    }

    /// What reads the turn, where it is of this protocol.
    pub(crate) fn reader_of(&mut self, kind: ProtocolKind) -> Option<&mut dyn Protocol> {
        let (own, reader) = self.flow.protocol.as_mut()?;
        if *own == kind { Some(&mut **reader) } else { None }
    }

    /// There are no more bytes: everything that waits is settled and leaves.
    pub fn finish(&mut self, end: StreamEnd, out: &mut Vec<u8>) {
        if self.flow.mode != Mode::Transparent {
            let Turn { framer, latest, flow } = self;
            let read = framer.finish(&mut |event| {
                flow.read_event(&event, latest, out);
                Ok(())
            });
            if self.flow.mode == Mode::Reading {
                self.flow.over(end, out);
            }
            if read.is_err() {
                self.release(out);
            }
        }
    }

    /// Gives up: everything that waits leaves as it came, and so does everything that comes.
    pub fn release(&mut self, out: &mut Vec<u8>) {
        self.flow.queue.release(self.flow.lanes.rest(), out);
        out.append(&mut self.framer.rest());
        self.flow.mode = Mode::Transparent;
    }

    /// How many bytes wait.
    #[must_use]
    pub fn held(&self) -> usize {
        self.flow.queue.held() + self.flow.lanes.held() + self.framer.held()
    }

    /// How many bytes of arguments the longest of the calls has that wait.
    #[must_use]
    pub fn held_call(&self) -> usize {
        let waiting = (0..self.flow.states.len()).filter(|at| self.flow.states[*at].fate.is_none());
        waiting.filter_map(|at| Some(self.flow.assembly.said(at)?.0.len())).max().unwrap_or(0)
    }

    /// Whether an event waits for a verdict; half an event that has yet to come whole is none.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.flow.queue.is_empty() || self.flow.lanes.held() > 0
    }

    /// Whether everything leaves as it comes, because it was given up.
    #[must_use]
    pub fn is_transparent(&self) -> bool {
        self.flow.mode == Mode::Transparent
    }

    /// Whether anything left in other bytes, or in another order, than it came.
    #[must_use]
    pub fn is_rewritten(&self) -> bool {
        self.flow.rewritten
    }

    /// The protocol, once it is known.
    #[must_use]
    pub fn protocol(&self) -> Option<ProtocolKind> {
        self.flow.protocol.as_ref().map(|(kind, _)| *kind)
    }

    /// The model's name, once it is known.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.flow.assembly.model()
    }

    /// What became of the calls that were settled since this was last asked. A call that went on when it was
    /// settled already is told of once more: as [`Outcome::TooLate`], unless it came to a good one all the same.
    pub fn reports(&mut self) -> Vec<CallReport> {
        core::mem::take(&mut self.flow.reports)
    }
}

impl<J: CallJudge> Flow<J> {
    fn read_event(&mut self, event: &Event<'_>, latest: &mut Latest, out: &mut Vec<u8>) {
        let mut content = Content::default();
        if self.mode == Mode::Reading && !event.tail {
            let reader = self.protocol.as_mut().map(|(_, reader)| &mut **reader as &mut dyn Protocol);
            content = latest.read(event, reader);
        }
        self.event(event, &content, out);
    }

    fn event(&mut self, event: &Event<'_>, content: &Content<'_>, out: &mut Vec<u8>) {
        if self.mode != Mode::Reading {
            out.extend_from_slice(event.raw);
            return;
        }
        if event.tail {
            // Behind the event that ends with it, wherever that waits.
            let number = self.events.wrapping_sub(1);
            let waits = self.queue.append_to(number, event.raw) || self.lanes.append_to(number, event.raw);
            if !waits {
                out.extend_from_slice(event.raw);
            }
            return;
        }
        // What waited for the end of a block goes on when all of the event that closed it has come.
        while let Some(events) = self.lanes.next() {
            self.enqueue_all(events, out);
        }
        let mut fresh = core::mem::take(&mut self.fresh);
        fresh.clear();
        let mut note = Note {
            len: event.raw.len(),
            at: event.at,
            data: event.data.len(),
            number: self.events,
            ..Note::default()
        };
        self.events += 1;
        self.breaks_off = event.stream && !ends_with_blank_line(event.raw);
        let read = self.read(event, content, &mut note, &mut fresh);
        note.pieces = fresh.len();
        let end = note.end;
        self.go_on_late(&fresh);
        let held = self.queue.held() + self.lanes.held() + note.len;
        if read.is_err() || held > self.options.limits.queued_bytes {
            self.queue.release(self.lanes.rest(), out);
            out.extend_from_slice(event.raw);
            self.mode = Mode::Transparent;
        } else {
            self.in_its_lane(event, note, &fresh, out);
        }
        self.fresh = fresh;
        if self.mode == Mode::Reading {
            self.settle_early();
            self.drain(out);
            if end {
                self.over(StreamEnd::Clean, out);
            }
        }
    }

    /// An event goes on, or waits for the end of the block that is open.
    fn in_its_lane(&mut self, event: &Event<'_>, note: Note, pieces: &[Piece], out: &mut Vec<u8>) {
        match note.block.filter(|_| event.stream && !self.options.observe) {
            Some((block, step)) if !self.lanes.goes_on(block, step) => {
                self.rewritten = true;
                self.lanes.step_aside(block, step, note, event.raw, pieces);
            }
            _ => {
                // Nothing that may end a message overtakes a block.
                if !note.finish.is_empty() || note.end || note.unread {
                    let rest = self.lanes.rest();
                    self.enqueue_all(rest, out);
                }
                self.enqueue(note, event.raw, pieces, out);
            }
        }
    }

    fn enqueue_all(&mut self, events: Vec<Aside>, out: &mut Vec<u8>) {
        for Aside { note, raw, pieces, .. } in events {
            self.enqueue(note, &raw, &pieces, out);
        }
    }

    fn enqueue(&mut self, note: Note, raw: &[u8], pieces: &[Piece], out: &mut Vec<u8>) {
        if self.options.observe || self.queue.is_empty() && self.may_leave(&note, pieces) {
            self.leave(&note, raw, pieces, out);
        } else {
            self.queue.push(note, raw, pieces);
        }
    }

    /// More of a call comes that is settled already, another name, or a copy that contradicts it. More text waits for
    /// the end of the turn, where it may be taken out again; what else there is leaves, and spoils the call for its
    /// client.
    fn go_on_late(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            let state = &mut self.states[piece.call];
            let Some(Fate::Good(plan)) = &state.fate else { continue };
            let is_more = piece.end > piece.start && matches!(piece.has, Has::Text | Has::Json);
            if is_more && !piece.faulty && plan.goes_on(piece) {
                (state.fate, state.told) = (None, true);
            } else if (is_more || piece.faulty || piece.has == Has::Copy)
                && let Some(call) = self.assembly.call(piece.call)
            {
                let outcome = match &call.fault {
                    Some(fault) => Outcome::Misassembled(fault.clone()),
                    None if is_more || piece.faulty => Outcome::TooLate,
                    None => continue,
                };
                state.fate = Some(Fate::Left);
                self.report(call, outcome, Ending::Unknown, false);
            }
        }
    }

    /// Whether an event need not wait, where none waits before it.
    fn may_leave(&self, note: &Note, pieces: &[Piece]) -> bool {
        self.may_leave_with(note, pieces.iter())
    }

    fn may_leave_with<'p>(&self, note: &Note, pieces: impl Iterator<Item = &'p Piece>) -> bool {
        let finishes = !note.finish.is_empty() && self.needs().finish;
        let waits_for_the_end = (finishes || note.end) && !self.states.is_empty();
        let waits_for_the_protocol = note.silent && !self.spoke;
        !waits_for_the_end
            && !waits_for_the_protocol
            && pieces.into_iter().all(|piece| self.flows(piece))
            && (!note.closes || self.states.iter().all(State::may_close))
    }

    /// What the clients of the protocol cannot do without, once it is known.
    fn needs(&self) -> Needs {
        self.protocol.as_ref().map(|(_, protocol)| protocol.needs()).unwrap_or_default()
    }

    fn flows(&self, piece: &Piece) -> bool {
        let state = &self.states[piece.call];
        state.fate.is_some() || self.options.hold == Hold::Deviation && piece.number < state.clear
    }

    /// Lets go what need not wait any more.
    fn drain(&mut self, out: &mut Vec<u8>) {
        while let Some(note) = self.queue.front() {
            if !self.may_leave_with(note, self.queue.front_pieces()) {
                return;
            }
            self.leave_first(out);
        }
    }

    /// The first event leaves.
    fn leave_first(&mut self, out: &mut Vec<u8>) {
        let mut pieces = core::mem::take(&mut self.leaving);
        pieces.clear();
        if let Some((note, bytes, own)) = self.queue.pop(&mut pieces) {
            self.leave(&note, &bytes[own], &pieces, out);
            self.queue.give_back(bytes);
        }
        self.leaving = pieces;
    }
}
