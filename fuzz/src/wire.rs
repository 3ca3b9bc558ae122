//! The laws of one recording.

use toolmend_wire::{Recorded, Recorder, WireError};

use crate::pieces::Split;

/// Any split of a recording gives what the whole gives.
pub fn check_split(split: &Split, bytes: &[u8]) {
    let whole = read(&[bytes]);
    let cut = read(&split.bytes(bytes));
    assert_eq!(cut, whole, "{:?}", String::from_utf8_lossy(bytes));
    if let Ok(turn) = whole {
        // Whatever was recorded can be told the ending of.
        for call in &turn.calls {
            std::hint::black_box(turn.evidence(call, None));
        }
    }
}

fn read(pieces: &[&[u8]]) -> Result<Recorded, WireError> {
    let mut recorder = Recorder::new();
    for piece in pieces {
        recorder.push(piece)?;
    }
    recorder.finish()
}
