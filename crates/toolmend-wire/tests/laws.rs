//! What holds for any bytes: no panic, nothing lost, and the same turn however they are cut.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use toolmend_core::{CallJudge, Evidence, FoundCall, NoJudge, Policy, Verdict, mend};
use toolmend_wire::{CallReport, Hold, Outcome, Recorded, Recorder, StreamEnd, Turn, TurnOptions, WireError};

#[allow(dead_code, reason = "shared with other tests")]
mod turns;

use turns::TURNS;

fn read(pieces: &[&[u8]]) -> Result<Recorded, WireError> {
    let mut recorder = Recorder::new();
    for piece in pieces {
        recorder.push(piece)?;
    }
    recorder.finish()
}

/// What is done to a recording at some place: bytes go, and others come.
type Change = (prop::sample::Index, usize, Vec<u8>);

fn change() -> impl Strategy<Value = Change> {
    let put: Vec<&'static [u8]> = vec![
        b"",
        b"\n",
        b"\r",
        b"\n\n",
        b"{",
        b"}",
        b"\"",
        b"\\",
        b"\\ud83d",
        b"[",
        b"]",
        b",",
        b"null",
        b"1e9",
        b"data: ",
        b"\xFF",
        b"\xE5",
        b"[DONE]",
        b"\"error\":{},",
        b"\"index\":0,",
        b"\"id\":\"z\",",
    ];
    (any::<prop::sample::Index>(), 0usize..20, prop::sample::select(put).prop_map(<[u8]>::to_vec))
}

fn changed(recording: impl AsRef<str>, changes: &[Change]) -> Vec<u8> {
    let mut bytes = recording.as_ref().as_bytes().to_vec();
    for (at, gone, put) in changes {
        let at = at.index(bytes.len() + 1);
        let end = (at + gone).min(bytes.len());
        bytes.splice(at..end, put.iter().copied());
    }
    bytes
}

fn same_in_pieces(bytes: &[u8], cuts: &[prop::sample::Index]) -> Result<(), TestCaseError> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
    prop_assert_eq!(read(&pieces), read(&[bytes]));
    Ok(())
}

/// The streams of `testdata/turns.jsonl`, in every protocol.
static STREAMS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/turns.jsonl");
    let stream = |line: &str| {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        case["stream"].as_str().unwrap().to_owned()
    };
    fs::read_to_string(path).unwrap().lines().map(stream).collect()
});

/// Judges without a schema; every tool was offered.
struct Anything;

impl CallJudge for Anything {
    fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict> {
        Some(mend(call.body, &evidence, &NoJudge).under(Policy::STANDARD))
    }

    fn offers(&self, _name: &str) -> Option<bool> {
        None
    }
}

struct Left {
    bytes: Vec<u8>,
    reports: Vec<CallReport>,
    rewritten: bool,
}

fn pass(options: TurnOptions, pieces: &[&[u8]]) -> Left {
    let mut turn = Turn::new(options, Anything);
    let mut bytes = Vec::new();
    for piece in pieces {
        turn.push(piece, &mut bytes);
    }
    turn.finish(StreamEnd::Clean, &mut bytes);
    assert_eq!(turn.held(), 0);
    Left { bytes, reports: turn.reports(), rewritten: turn.is_rewritten() }
}

fn laws_of_a_turn(bytes: &[u8], cuts: &[prop::sample::Index]) -> Result<(), TestCaseError> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
    for hold in [Hold::Call, Hold::Deviation] {
        let observed = pass(TurnOptions { hold, observe: true, ..TurnOptions::default() }, &pieces);
        prop_assert_eq!(&observed.bytes, &bytes);

        let options = TurnOptions { hold, ..TurnOptions::default() };
        let whole = pass(options, &[bytes]);
        let cut = pass(options, &pieces);
        prop_assert_eq!(String::from_utf8_lossy(&cut.bytes), String::from_utf8_lossy(&whole.bytes));
        prop_assert_eq!(&cut.reports, &whole.reports);
        prop_assert!(whole.rewritten || whole.bytes == bytes, "{:?}", String::from_utf8_lossy(&whole.bytes));

        // Given up in the middle: what has left and what was held are what came.
        let mut turn = Turn::new(options, Anything);
        let mut out = Vec::new();
        turn.push(pieces[0], &mut out);
        turn.release(&mut out);
        for piece in &pieces[1..] {
            turn.push(piece, &mut out);
        }
        turn.finish(StreamEnd::Clean, &mut out);
        prop_assert!(turn.is_rewritten() || out == bytes);

        // What left says what was reported, unless something comes behind the end.
        let ends = String::from_utf8_lossy(bytes).matches("[DONE]").count();
        if let (Ok(turn), 0..=1) = (read(&[&whole.bytes]), ends) {
            let spoiled = |report: &&CallReport| {
                let same = |other: &CallReport| (other.choice, other.index) == (report.choice, report.index);
                whole.reports.iter().any(|other| same(other) && other.outcome == Outcome::TooLate)
            };
            let good = |report: &&CallReport| report.arguments().is_some() && !spoiled(report);
            for report in whole.reports.iter().filter(good) {
                let says_so = |call: &toolmend_wire::Call| {
                    // A name may yet change in a copy that comes when the call has left.
                    call.choice == report.choice
                        && (call.name == report.name || call.fault.is_some())
                        && Some(&*call.arguments) == report.arguments()
                };
                prop_assert!(
                    turn.calls.iter().any(says_so),
                    "{:?} is not in {}",
                    report,
                    String::from_utf8_lossy(&whole.bytes)
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn turns_in_flight(
        stream in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 0..4),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        laws_of_a_turn(&changed(stream.get(STREAMS.as_slice()), &changes), &cuts)?;
    }

    #[test]
    fn any_bytes_in_flight(
        bytes in prop::collection::vec(any::<u8>(), 0..64),
        head in prop::sample::select(vec!["", "data: ", "{", "{\"choices\":[", "event: error\n", "[{"]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        laws_of_a_turn(&[head.as_bytes(), &bytes].concat(), &cuts)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn broken_turns(
        turn in 0..TURNS.len(),
        changes in prop::collection::vec(change(), 0..4),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        same_in_pieces(&changed(TURNS[turn].recording, &changes), &cuts)?;
    }

    #[test]
    fn any_bytes(
        bytes in prop::collection::vec(any::<u8>(), 0..64),
        head in prop::sample::select(vec!["", "data: ", "{", "{\"choices\":[", "event: error\n"]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        same_in_pieces(&[head.as_bytes(), &bytes].concat(), &cuts)?;
    }
}
