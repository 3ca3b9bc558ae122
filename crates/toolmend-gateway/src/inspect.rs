//! What looks at an answer while it passes, and the guard that lets the answer through when that fails.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use prometheus_client::metrics::gauge::Gauge;
use toolmend::wire::CallReport;
use toolmend::{Rule, TextCall};

/// Looks at the bytes of one answer.
///
/// What it appends to `out` goes to the client at once; what it does not, it holds.
pub trait Inspector: Send {
    /// Takes the next bytes of the answer, cut anywhere.
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>);

    /// The answer is over. `whole` is false where the connection broke.
    fn finish(&mut self, whole: bool, out: &mut Vec<u8>);

    /// Bytes that are held.
    fn held(&self) -> usize;

    /// Bytes that are held of the longest call.
    fn held_call(&self) -> usize {
        self.held()
    }

    /// Whether it holds a call, so that the client may need a sign of life. What it gave before then ends
    /// where an event ends, so that one may stand between.
    fn holds(&self) -> bool;

    /// Lets go of all it holds, as it came.
    fn release(&mut self, out: &mut Vec<u8>);

    /// The calls that were settled since it was last asked.
    fn settled(&mut self) -> Vec<Settled> {
        Vec::new()
    }
}

/// A call that was settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// What became of it.
    pub call: CallReport,
    /// Where it stood in the text of the answer: how it was found there.
    pub found: Option<TextCall>,
    /// The rule that would have mended it, had it not been switched off.
    pub switched_off: Option<Rule>,
}

impl From<CallReport> for Settled {
    fn from(call: CallReport) -> Settled {
        Settled { call, found: None, switched_off: None }
    }
}

/// Why an answer passes untouched from some byte on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GaveUp {
    /// A defect inside.
    Panicked,
    /// More is held of one call than [`Limits::held_call_bytes`](crate::Limits::held_call_bytes).
    HeldCall,
    /// More is held of this turn than [`Limits::held_turn_bytes`](crate::Limits::held_turn_bytes).
    HeldTurn,
    /// More is held of all turns than [`Limits::held_bytes`](crate::Limits::held_bytes).
    HeldTotal,
}

impl GaveUp {
    /// The word for it in logs and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            GaveUp::Panicked => "panicked",
            GaveUp::HeldCall => "held-call",
            GaveUp::HeldTurn => "held-turn",
            GaveUp::HeldTotal => "held-total",
        }
    }

    /// The same for people.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            GaveUp::Panicked => "a defect of toolmend; please report it",
            GaveUp::HeldCall => "one call is longer than max-held-call-bytes",
            GaveUp::HeldTurn => "more of it would be held than max-held-turn-bytes",
            GaveUp::HeldTotal => "more of all turns would be held than max-held-bytes",
        }
    }
}

/// Bytes that all turns hold, and how many they may.
#[derive(Debug, Clone)]
pub(crate) struct HeldTotal {
    bytes: Gauge,
    limit: i64,
}

impl HeldTotal {
    /// Counts in `bytes`.
    pub(crate) fn new(bytes: Gauge, limit: usize) -> HeldTotal {
        HeldTotal { bytes, limit: signed(limit) }
    }

    /// Notes that a turn that held `before` holds `now`; false where that is too much.
    fn moved(&self, before: usize, now: usize) -> bool {
        let more = signed(now) - signed(before);
        more == 0 || self.bytes.inc_by(more) + more <= self.limit || more < 0
    }
}

/// Bytes that are kept beside what is held back, counted with it for as long as this lives.
#[derive(Debug)]
pub(crate) struct Charge {
    total: HeldTotal,
    bytes: usize,
}

impl Charge {
    /// For nothing yet.
    pub(crate) fn on(total: &HeldTotal) -> Charge {
        Charge { total: total.clone(), bytes: 0 }
    }

    /// Takes so many more on it; false, and none of them, where that is too much.
    pub(crate) fn add(&mut self, more: usize) -> bool {
        let now = self.bytes.saturating_add(more);
        let fits = self.total.moved(self.bytes, now);
        if fits {
            self.bytes = now;
        } else {
            self.total.moved(now, self.bytes);
        }
        fits
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.total.moved(self.bytes, 0);
    }
}

fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// What came and has not left, kept beside the inspector for when that is broken.
#[derive(Debug, Default)]
struct Unsent {
    bytes: Vec<u8>,
    /// Something else than what came has left since the inspector last held nothing, so that it is not known
    /// what is missing.
    unknown: bool,
}

impl Unsent {
    fn note(&mut self, held: usize, came: &[u8], left: &[u8]) {
        if held == 0 {
            self.bytes.clear();
            self.unknown = false;
        } else if !self.unknown {
            let known = match came.strip_prefix(left) {
                // What has left again need not be kept first.
                Some(rest) if self.bytes.is_empty() => {
                    self.bytes.extend_from_slice(rest);
                    true
                }
                _ => {
                    self.bytes.extend_from_slice(came);
                    let known = self.bytes.starts_with(left);
                    self.bytes.drain(..if known { left.len() } else { 0 });
                    known
                }
            };
            if !known {
                self.unknown = true;
                self.bytes = Vec::new();
            }
        }
    }

    /// Gives all of it, and what came last; false where that is not known.
    fn take(&mut self, came: &[u8], out: &mut Vec<u8>) -> bool {
        if !self.unknown {
            out.append(&mut self.bytes);
            out.extend_from_slice(came);
        }
        !self.unknown
    }
}

/// An inspector that cannot hurt the answer: a panic or a limit lets it pass untouched.
pub(crate) struct Guard {
    /// `None` from where the answer passes untouched.
    inspector: Option<Box<dyn Inspector>>,
    unsent: Unsent,
    held: usize,
    limits: HeldLimits,
    total: HeldTotal,
    gave_up: Option<GaveUp>,
    /// What it held cannot be had back.
    lost: bool,
    settled: Vec<Settled>,
}

/// How many bytes may be held.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeldLimits {
    /// Of one call.
    pub(crate) call: usize,
    /// Of the turn.
    pub(crate) turn: usize,
}

impl Guard {
    pub(crate) fn new(inspector: Box<dyn Inspector>, limits: HeldLimits, total: HeldTotal) -> Guard {
        Guard {
            inspector: Some(inspector),
            unsent: Unsent::default(),
            held: 0,
            limits,
            total,
            gave_up: None,
            lost: false,
            settled: Vec::new(),
        }
    }

    /// The answer passes untouched from here on.
    pub(crate) fn is_transparent(&self) -> bool {
        self.inspector.is_none()
    }

    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.run(bytes, out, |inspector, out| inspector.push(bytes, out));
    }

    pub(crate) fn finish(&mut self, whole: bool, out: &mut Vec<u8>) {
        self.run(&[], out, |inspector, out| inspector.finish(whole, out));
        self.inspector = None;
        self.note_held(0);
    }

    /// Whether a call is held.
    pub(crate) fn holds(&self) -> bool {
        self.inspector.as_ref().is_some_and(|inspector| inspector.holds())
    }

    /// Why the answer passes untouched, told once.
    pub(crate) fn take_gave_up(&mut self) -> Option<GaveUp> {
        self.gave_up.take()
    }

    /// The calls that were settled since it was last asked.
    pub(crate) fn settled(&mut self) -> Vec<Settled> {
        std::mem::take(&mut self.settled)
    }

    /// What was held is lost, so the answer has to break off where it is.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost
    }

    fn run(&mut self, bytes: &[u8], out: &mut Vec<u8>, step: impl FnOnce(&mut dyn Inspector, &mut Vec<u8>)) {
        let Some(inspector) = &mut self.inspector else { return };
        let before = out.len();
        // What a panic leaves behind is not asked again, unless there is nobody else to ask.
        let done = catch_unwind(AssertUnwindSafe(|| {
            step(&mut **inspector, out);
            (inspector.held(), inspector.settled())
        }));
        let Ok((held, settled)) = done else {
            self.give_up(GaveUp::Panicked);
            out.truncate(before);
            if !self.unsent.take(bytes, out) {
                self.release(out);
            }
            self.inspector = None;
            return;
        };
        if !settled.is_empty() {
            self.settled.extend(settled);
        }
        self.unsent.note(held, bytes, &out[before..]);
        let fits = self.note_held(held);
        if let Some(why) = self.too_much(held, fits) {
            self.give_up(why);
            self.release(out);
            self.inspector = None;
        }
    }

    /// Which limit is exceeded by what is held.
    fn too_much(&self, held: usize, fits: bool) -> Option<GaveUp> {
        // No call is longer than the turn, and to ask for the longest one takes a look at each.
        let longest = || self.inspector.as_ref().map_or(0, |inspector| inspector.held_call());
        match held {
            0 => None,
            _ if !fits => Some(GaveUp::HeldTotal),
            _ if held > self.limits.turn => Some(GaveUp::HeldTurn),
            _ if held > self.limits.call && longest() > self.limits.call => Some(GaveUp::HeldCall),
            _ => None,
        }
    }

    fn give_up(&mut self, why: GaveUp) {
        self.gave_up = Some(why);
        self.note_held(0);
    }

    /// Has the inspector let go of all that it holds.
    fn release(&mut self, out: &mut Vec<u8>) {
        let Some(inspector) = &mut self.inspector else { return };
        let before = out.len();
        if catch_unwind(AssertUnwindSafe(|| inspector.release(out))).is_err() {
            out.truncate(before);
            self.lost = true;
        }
    }

    fn note_held(&mut self, held: usize) -> bool {
        let fits = self.total.moved(self.held, held);
        self.held = held;
        fits
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.note_held(0);
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("transparent", &self.is_transparent())
            .field("held", &self.held)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds everything; lets go at a `.`, and at a `~` with the letters turned; panics at a `!`.
    struct Holding {
        held: Vec<u8>,
        breaks_twice: bool,
    }

    impl Inspector for Holding {
        fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
            for byte in bytes {
                self.held.push(*byte);
                match byte {
                    b'!' => panic!("injected"),
                    b'.' => out.append(&mut self.held),
                    b'~' => out.extend(self.held.drain(..).rev()),
                    _ => {}
                }
            }
        }

        fn finish(&mut self, _: bool, out: &mut Vec<u8>) {
            out.append(&mut self.held);
        }

        fn held(&self) -> usize {
            self.held.len()
        }

        fn holds(&self) -> bool {
            !self.held.is_empty()
        }

        fn release(&mut self, out: &mut Vec<u8>) {
            assert!(!self.breaks_twice, "injected");
            out.append(&mut self.held);
        }
    }

    fn guard(turn: usize, total: &HeldTotal, breaks_twice: bool) -> Guard {
        let limits = HeldLimits { call: 100, turn };
        Guard::new(Box::new(Holding { held: Vec::new(), breaks_twice }), limits, total.clone())
    }

    fn total(limit: usize) -> HeldTotal {
        HeldTotal::new(Gauge::default(), limit)
    }

    #[test]
    fn a_panic_loses_nothing() {
        for (pushes, all) in [
            (&["!"][..], "!"),
            (&["ab!cd"], "ab!cd"),
            (&["ab.cd", "ef.!g.h"], "ab.cdef.!g.h"),
            (&["ab.cd", "e", "!"], "ab.cde!"),
            (&["ab~", "cd", "!e"], "~bacd!e"),
            // What is held behind turned letters is the inspector's to know.
            (&["ab~c", "d!"], "~bacd!"),
        ] {
            let total = total(100);
            let mut guard = guard(100, &total, false);
            let mut out = Vec::new();
            for bytes in pushes {
                guard.push(bytes.as_bytes(), &mut out);
            }
            assert_eq!(String::from_utf8(out).unwrap(), all, "{pushes:?}");
            assert!(guard.is_transparent() && !guard.is_lost());
            assert_eq!((guard.take_gave_up(), total.bytes.get()), (Some(GaveUp::Panicked), 0));
        }
    }

    #[test]
    fn what_nobody_knows_any_more_breaks_the_answer_off() {
        let total = total(100);
        let mut guard = guard(100, &total, true);
        let mut out = Vec::new();
        guard.push(b"ab~c", &mut out);
        guard.push(b"d!", &mut out);
        assert!(out == b"~ba" && guard.is_lost());
    }

    #[test]
    fn limits_on_both_sides() {
        let total = total(6);
        let (mut one, mut other) = (guard(4, &total, false), guard(4, &total, false));
        let mut out = Vec::new();
        one.push(b"1234", &mut out);
        assert!(out.is_empty() && !one.is_transparent());
        other.push(b"12", &mut out);
        assert!(out.is_empty() && !other.is_transparent());
        other.push(b"3", &mut out);
        assert_eq!((&out[..], other.take_gave_up()), (&b"123"[..], Some(GaveUp::HeldTotal)));
        out.clear();
        one.push(b"5", &mut out);
        assert_eq!((&out[..], one.take_gave_up()), (&b"12345"[..], Some(GaveUp::HeldTurn)));
        assert_eq!(total.bytes.get(), 0);
    }

    #[test]
    fn a_limit_on_one_call() {
        let total = total(100);
        let limits = HeldLimits { call: 3, turn: 100 };
        let holding = Holding { held: Vec::new(), breaks_twice: false };
        let mut guard = Guard::new(Box::new(holding), limits, total.clone());
        let mut out = Vec::new();
        guard.push(b"123.123", &mut out);
        assert!(out == b"123." && !guard.is_transparent());
        guard.push(b"4", &mut out);
        assert_eq!((&out[..], guard.take_gave_up()), (&b"123.1234"[..], Some(GaveUp::HeldCall)));
        assert!(guard.is_transparent() && total.bytes.get() == 0);
    }

    #[test]
    fn a_charge_on_both_sides() {
        let total = total(6);
        let (mut one, mut other) = (Charge::on(&total), Charge::on(&total));
        assert!(one.add(4) && other.add(2) && !other.add(1));
        assert_eq!(total.bytes.get(), 6);
        drop(one);
        assert!(other.add(4) && total.bytes.get() == 6);
        drop(other);
        assert_eq!(total.bytes.get(), 0);
    }

    #[test]
    fn what_is_dropped_holds_nothing() {
        let total = total(100);
        let mut guard = guard(100, &total, false);
        guard.push(b"abc", &mut Vec::new());
        assert_eq!(total.bytes.get(), 3);
        drop(guard);
        assert_eq!(total.bytes.get(), 0);
    }
}
