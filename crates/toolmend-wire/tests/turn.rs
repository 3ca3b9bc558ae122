//! Turns in flight: what leaves, and when.

use toolmend_core::{CallJudge, Evidence, FoundCall, NoJudge, Verdict, mend};
use toolmend_wire::{CallReport, Hold, StreamEnd, Turn, TurnOptions};

#[allow(dead_code, reason = "shared with other tests")]
mod turns;

use turns::TURNS;

/// Judges without a schema; every tool was offered.
struct Anything;

impl CallJudge for Anything {
    fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict> {
        Some(mend(call.body, &evidence, &NoJudge))
    }

    fn offers(&self, _name: &str) -> Option<bool> {
        None
    }
}

fn pass(options: TurnOptions, pieces: &[&[u8]]) -> (Vec<u8>, Vec<CallReport>) {
    let mut turn = Turn::new(options, Anything);
    let mut out = Vec::new();
    for piece in pieces {
        turn.push(piece, &mut out);
    }
    turn.finish(StreamEnd::Clean, &mut out);
    assert_eq!(turn.held(), 0);
    (out, turn.reports())
}

#[test]
fn what_is_only_observed_leaves_as_it_came() {
    for turn in TURNS {
        for hold in [Hold::Call, Hold::Deviation] {
            let options = TurnOptions { hold, observe: true, ..TurnOptions::default() };
            for size in [1, 7, 4096] {
                let pieces: Vec<&[u8]> = turn.recording.as_bytes().chunks(size).collect();
                let (out, _) = pass(options, &pieces);
                assert_eq!(String::from_utf8_lossy(&out), turn.recording, "{}", turn.name);
            }
        }
    }
}

#[test]
fn any_pieces_leave_the_same() {
    for turn in TURNS {
        for hold in [Hold::Call, Hold::Deviation] {
            let options = TurnOptions { hold, ..TurnOptions::default() };
            let whole = pass(options, &[turn.recording.as_bytes()]);
            for size in [1, 2, 3, 5, 7, 64] {
                let pieces: Vec<&[u8]> = turn.recording.as_bytes().chunks(size).collect();
                assert_eq!(pass(options, &pieces), whole, "{}", turn.name);
            }
        }
    }
}
