//! What looks at an answer while it passes, and the guard that lets the answer through when that fails.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use prometheus_client::metrics::gauge::Gauge;

use crate::report::CallReport;

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

    /// Whether it holds a call, so that the client may need a sign of life.
    fn holds(&self) -> bool {
        self.held() > 0
    }

    /// Whether the bytes that it gave so far end where an event ends, so that one may stand between.
    fn between_events(&self) -> bool;

    /// Lets go of all it holds, as it came.
    fn release(&mut self, out: &mut Vec<u8>);

    /// What became of the calls that were settled since it was last asked.
    fn reports(&mut self) -> Vec<CallReport> {
        Vec::new()
    }
}

/// Why an answer passes untouched from some byte on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GaveUp {
    /// A defect inside.
    Panicked,
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
            GaveUp::HeldTurn => "held-turn",
            GaveUp::HeldTotal => "held-total",
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

fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// An inspector that cannot hurt the answer: a panic or a limit lets it pass untouched.
pub(crate) struct Guard {
    /// `None` from where the answer passes untouched.
    inspector: Option<Box<dyn Inspector>>,
    held: usize,
    held_turn_limit: usize,
    total: HeldTotal,
    gave_up: Option<GaveUp>,
    /// What it held cannot be had back.
    lost: bool,
    reports: Vec<CallReport>,
}

impl Guard {
    pub(crate) fn new(inspector: Box<dyn Inspector>, held_turn_limit: usize, total: HeldTotal) -> Guard {
        Guard {
            inspector: Some(inspector),
            held: 0,
            held_turn_limit,
            total,
            gave_up: None,
            lost: false,
            reports: Vec::new(),
        }
    }

    /// The answer passes untouched from here on.
    pub(crate) fn is_transparent(&self) -> bool {
        self.inspector.is_none()
    }

    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.run(out, |inspector, out| inspector.push(bytes, out));
    }

    pub(crate) fn finish(&mut self, whole: bool, out: &mut Vec<u8>) {
        self.run(out, |inspector, out| inspector.finish(whole, out));
        self.inspector = None;
        self.note_held(0);
    }

    /// Whether a call is held.
    pub(crate) fn holds(&self) -> bool {
        self.inspector.as_ref().is_some_and(|inspector| inspector.holds())
    }

    pub(crate) fn between_events(&self) -> bool {
        self.inspector.as_ref().is_some_and(|inspector| inspector.between_events())
    }

    /// Why the answer passes untouched, told once.
    pub(crate) fn take_gave_up(&mut self) -> Option<GaveUp> {
        self.gave_up.take()
    }

    /// What became of the calls that were settled since it was last asked.
    pub(crate) fn reports(&mut self) -> Vec<CallReport> {
        std::mem::take(&mut self.reports)
    }

    /// What was held is lost, so the answer has to break off where it is.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost
    }

    fn run(&mut self, out: &mut Vec<u8>, step: impl FnOnce(&mut dyn Inspector, &mut Vec<u8>)) {
        let Some(inspector) = &mut self.inspector else { return };
        // What a panic leaves behind is only asked for what it still holds.
        let done = catch_unwind(AssertUnwindSafe(|| {
            step(&mut **inspector, out);
            (inspector.held(), inspector.reports())
        }));
        match done {
            Ok((held, reports)) => {
                self.reports.extend(reports);
                let fits = self.note_held(held);
                if held > self.held_turn_limit {
                    self.give_up(GaveUp::HeldTurn, out);
                } else if !fits && held > 0 {
                    self.give_up(GaveUp::HeldTotal, out);
                }
            }
            Err(_) => self.give_up(GaveUp::Panicked, out),
        }
    }

    fn give_up(&mut self, why: GaveUp, out: &mut Vec<u8>) {
        self.gave_up = Some(why);
        if let Some(mut inspector) = self.inspector.take() {
            let before = out.len();
            let released = catch_unwind(AssertUnwindSafe(|| inspector.release(out)));
            if released.is_err() {
                out.truncate(before);
                self.lost = true;
            }
        }
        self.note_held(0);
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

    /// Holds everything, and panics at a `!`, after having let the byte before it go at a `.`.
    struct Holding {
        held: Vec<u8>,
        breaks_twice: bool,
    }

    impl Inspector for Holding {
        fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
            for byte in bytes {
                match byte {
                    b'!' => {
                        self.held.push(*byte);
                        panic!("injected");
                    }
                    b'.' => {
                        out.append(&mut self.held);
                        out.push(*byte);
                    }
                    _ => self.held.push(*byte),
                }
            }
        }

        fn finish(&mut self, _: bool, out: &mut Vec<u8>) {
            out.append(&mut self.held);
        }

        fn held(&self) -> usize {
            self.held.len()
        }

        fn between_events(&self) -> bool {
            true
        }

        fn release(&mut self, out: &mut Vec<u8>) {
            assert!(!self.breaks_twice, "injected");
            out.append(&mut self.held);
        }
    }

    fn guard(limit: usize, total: &HeldTotal, breaks_twice: bool) -> Guard {
        Guard::new(Box::new(Holding { held: Vec::new(), breaks_twice }), limit, total.clone())
    }

    #[test]
    fn a_panic_lets_go_of_all_that_was_held() {
        let total = HeldTotal::new(Gauge::default(), 100);
        let mut guard = guard(100, &total, false);
        let mut out = Vec::new();
        guard.push(b"ab.cd", &mut out);
        assert_eq!((&out[..], total.bytes.get()), (&b"ab."[..], 2));
        guard.push(b"!", &mut out);
        assert_eq!(out, b"ab.cd!");
        assert!(guard.is_transparent() && !guard.is_lost());
        assert_eq!(guard.take_gave_up(), Some(GaveUp::Panicked));
        assert_eq!(total.bytes.get(), 0);
    }

    #[test]
    fn a_second_panic_breaks_the_answer_off() {
        let total = HeldTotal::new(Gauge::default(), 100);
        let mut guard = guard(100, &total, true);
        let mut out = Vec::new();
        guard.push(b"ab!", &mut out);
        assert!(out.is_empty() && guard.is_lost());
    }

    #[test]
    fn limits_on_both_sides() {
        let total = HeldTotal::new(Gauge::default(), 6);
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
    fn what_is_dropped_holds_nothing() {
        let total = HeldTotal::new(Gauge::default(), 100);
        let mut guard = guard(100, &total, false);
        guard.push(b"abc", &mut Vec::new());
        assert_eq!(total.bytes.get(), 3);
        drop(guard);
        assert_eq!(total.bytes.get(), 0);
    }
}
