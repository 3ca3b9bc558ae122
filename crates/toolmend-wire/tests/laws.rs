//! What holds for any bytes: no panic, nothing lost, and the same turn however they are cut.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use toolmend_wire::{
    Hold, Limits, OnCut, Promoter, Promoting, ProtocolKind, Recorded, Recorder, StreamEnd, Turn, TurnOptions,
    WireError,
};

mod anything;
mod marks;
mod turn_law;
#[allow(dead_code, reason = "shared with other tests")]
mod turns;

use anything::Anything;
use marks::Marks;
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
        b"<c>f {}</c>",
        b"<",
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
    prop_assert_eq!(read(&pieces(bytes, cuts)), read(&[bytes]));
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

/// What stands at the ends of lines.
fn line_end() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["\n", "\n", "\r\n", "\r"])
}

fn options() -> impl Strategy<Value = TurnOptions> {
    let hold = prop::sample::select(vec![Hold::Call, Hold::Deviation]);
    let on_cut = prop::sample::select(vec![OnCut::Pass, OnCut::Relabel]);
    (hold, on_cut, prop::option::of(Just(16))).prop_map(|(hold, on_cut, max_tokens)| TurnOptions {
        hold,
        on_cut,
        max_tokens,
        ..TurnOptions::default()
    })
}

fn pieces<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// A turn that is read once for the promoter and for itself gives what the two give one behind the other, and gives
/// it as soon.
fn promoting_is_both(options: TurnOptions, pieces: &[&[u8]], end: StreamEnd) -> Result<(), TestCaseError> {
    let promoter = || Promoter::new(Marks::default(), Limits::default(), options.max_tokens);
    let mut both = Promoting::new(promoter(), Turn::new(options, Anything));
    let (mut promoter, mut turn) = (promoter(), Turn::new(options, Anything));
    let (mut out, mut told, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for piece in pieces {
        both.push(piece, &mut out);
        promoter.push(piece, &mut told);
        turn.push(&told, &mut expected);
        told.clear();
        prop_assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&expected));
        prop_assert_eq!(both.held(), promoter.held() + turn.held());
        prop_assert_eq!(both.holds(), promoter.held() > 0 || turn.holds());
        prop_assert_eq!(both.held_call(), promoter.held().max(turn.held_call()));
    }
    both.finish(end, &mut out);
    promoter.finish(end, &mut told);
    turn.push(&told, &mut expected);
    turn.finish(end, &mut expected);
    prop_assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&expected));
    prop_assert_eq!(both.reports(), turn.reports());
    prop_assert_eq!(both.promoted(), promoter.promoted());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn promoted_in_flight(
        stream in any::<prop::sample::Index>(),
        recorded in any::<bool>(),
        line_end in line_end(),
        changes in prop::collection::vec(change(), 0..4),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        options in options(),
        protocol in prop::option::of(prop::sample::select(ProtocolKind::ALL)),
        end in prop::sample::select(vec![StreamEnd::Clean, StreamEnd::Broken]),
    ) {
        let stream = match recorded {
            true => TURNS[stream.index(TURNS.len())].recording,
            false => stream.get(STREAMS.as_slice()),
        };
        let bytes = changed(stream.replace('\n', line_end), &changes);
        promoting_is_both(TurnOptions { protocol, ..options }, &pieces(&bytes, &cuts), end)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn turns_in_flight(
        stream in any::<prop::sample::Index>(),
        line_end in line_end(),
        changes in prop::collection::vec(change(), 0..4),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        options in options(),
    ) {
        let stream = stream.get(STREAMS.as_slice()).replace('\n', line_end);
        let bytes = changed(stream, &changes);
        turn_law::check(options, &pieces(&bytes, &cuts));
    }

    #[test]
    fn any_bytes_in_flight(
        bytes in prop::collection::vec(any::<u8>(), 0..64),
        head in prop::sample::select(vec!["", "data: ", "{", "{\"choices\":[", "event: error\n", "[{"]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        options in options(),
    ) {
        turn_law::check(options, &pieces(&[head.as_bytes(), &bytes].concat(), &cuts));
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
