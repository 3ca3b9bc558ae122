//! The laws of a turn on its way from a server to a client.

use toolmend_core::{CallJudge, Evidence, FoundCall, NoJudge, Policy, Verdict, mend};
use toolmend_wire::{CallReport, Hold, OnCut, ProtocolKind, StreamEnd, Turn, TurnOptions};

use crate::pieces::Split;

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

/// The options that a byte stands for.
pub fn options(byte: u8) -> TurnOptions {
    let kinds = ProtocolKind::ALL;
    TurnOptions {
        // As many kinds, and the one that is found from the bytes.
        protocol: kinds.get(usize::from(byte >> 3) % (kinds.len() + 1)).copied(),
        hold: if byte & 1 == 0 { Hold::Call } else { Hold::Deviation },
        on_cut: if byte & 2 == 0 { OnCut::Pass } else { OnCut::Relabel },
        max_tokens: (byte & 4 != 0).then_some(16),
        ..TurnOptions::default()
    }
}

/// Any split gives what the whole gives; what nothing was changed about leaves as it came; giving up loses
/// nothing.
pub fn check_split(options: TurnOptions, split: &Split, bytes: &[u8]) {
    let whole = pass(options, &[bytes]);
    let pieces = split.bytes(bytes);
    let cut = pass(options, &pieces);
    assert_eq!(String::from_utf8_lossy(&cut.bytes), String::from_utf8_lossy(&whole.bytes));
    assert_eq!(cut.reports, whole.reports);
    assert!(whole.rewritten || whole.bytes == bytes, "{:?}", String::from_utf8_lossy(&whole.bytes));

    let observed = pass(TurnOptions { observe: true, ..options }, &pieces);
    assert_eq!(observed.bytes, bytes);

    for given_up in 0..pieces.len() {
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
        // Bounds the work of one input.
        if given_up >= 16 {
            break;
        }
    }
}

struct Left {
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
    Left { bytes, reports: turn.reports(), rewritten: turn.is_rewritten() }
}
