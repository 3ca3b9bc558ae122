//! What holds for any bytes: no panic, and the same turn however they are cut.

use proptest::prelude::*;
use toolmend_wire::{Recorded, Recorder, WireError};

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

fn changed(recording: &str, changes: &[Change]) -> Vec<u8> {
    let mut bytes = recording.as_bytes().to_vec();
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
