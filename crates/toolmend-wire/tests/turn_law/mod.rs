//! The law of a turn in flight, whatever its bytes are. The tests hold changed turns to it, and the fuzz target
//! (`fuzz/src/turn.rs`, which takes this file as it is) any bytes.

use std::collections::BTreeMap;

use toolmend_core::{CallJudge, Evidence, FoundCall, NoJudge, Policy, Verdict, mend};
use toolmend_wire::{Call, CallReport, ProtocolKind, Recorder, StreamEnd, Turn, TurnOptions};

/// Judges without a schema. One tool was not offered, so that calls are declined for that, too.
struct Anyone;

impl CallJudge for Anyone {
    fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict> {
        let verdict = || mend(call.body, &evidence, &NoJudge).under(Policy::STANDARD);
        (call.name != "nobody").then(verdict)
    }

    fn offers(&self, name: &str) -> Option<bool> {
        Some(name != "nobody")
    }
}

/// At how many places one check gives up; bounds its work.
const MAX_GIVEN_UP: usize = 16;

/// Any pieces give what the whole gives. What nothing was changed about leaves as it came, and so does what is only
/// observed. Giving up loses nothing. What leaves says what was reported.
pub(crate) fn check(options: TurnOptions, pieces: &[&[u8]]) {
    let bytes = pieces.concat();
    let whole = pass(options, &[&bytes]);
    let cut = pass(options, pieces);
    assert_eq!(String::from_utf8_lossy(&cut.bytes), String::from_utf8_lossy(&whole.bytes));
    assert_eq!(cut.reports, whole.reports);
    assert!(whole.rewritten || whole.bytes == bytes, "{:?}", String::from_utf8_lossy(&whole.bytes));

    let observed = pass(TurnOptions { observe: true, ..options }, pieces);
    assert_eq!(String::from_utf8_lossy(&observed.bytes), String::from_utf8_lossy(&bytes));
    assert_eq!(observed.bytes, bytes);

    for given_up in 0..pieces.len().min(MAX_GIVEN_UP) {
        let mut turn = Turn::new(options, Anyone);
        let mut out = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            turn.push(piece, &mut out);
            if at == given_up {
                turn.release(&mut out);
                assert_eq!(turn.held(), 0);
            }
        }
        turn.finish(StreamEnd::Broken, &mut out);
        assert!(turn.is_rewritten() || out == bytes, "{:?}", String::from_utf8_lossy(&out));
    }
    says_what_was_reported(&whole);
}

struct Left {
    protocol: Option<ProtocolKind>,
    bytes: Vec<u8>,
    reports: Vec<CallReport>,
    rewritten: bool,
}

fn pass(options: TurnOptions, pieces: &[&[u8]]) -> Left {
    let mut turn = Turn::new(options, Anyone);
    let mut bytes = Vec::new();
    for piece in pieces {
        turn.push(piece, &mut bytes);
    }
    turn.finish(StreamEnd::Clean, &mut bytes);
    assert_eq!(turn.held(), 0);
    Left { protocol: turn.protocol(), bytes, reports: turn.reports(), rewritten: turn.is_rewritten() }
}

/// Each call that is good stands in what left.
fn says_what_was_reported(left: &Left) {
    let mut recorder = Recorder::new();
    let Ok(turn) = recorder.push(&left.bytes).and_then(|()| recorder.finish()) else { return };
    // What is told of a call that went on counts, and not what was told before.
    let latest: BTreeMap<(u32, u32), &CallReport> =
        left.reports.iter().map(|report| ((report.choice, report.index), report)).collect();
    // One was told the protocol, and the other found another one.
    let is_same_turn = left.protocol == Some(turn.protocol);
    let good = |report: &&CallReport| is_same_turn && report.arguments().is_some();
    for report in latest.into_values().filter(good) {
        let says_so = |call: &Call| {
            // White space around the arguments may have left before it was known for packaging.
            // A name may yet change in a copy that comes when the call has left.
            call.choice == report.choice
                && (call.name == report.name || call.fault.is_some())
                && Some(call.arguments.trim_ascii()) == report.arguments().map(str::trim_ascii)
        };
        let text = String::from_utf8_lossy(&left.bytes);
        assert!(turn.calls.iter().any(says_so), "{report:?} is not in {text}");
    }
}
