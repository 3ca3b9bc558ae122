//! Passes turns through [`Turn`].

use toolmend_wire::{CallReport, Hold, StreamEnd, Turn, TurnOptions};

use crate::anything::Anything;

pub(crate) fn pass(options: TurnOptions, pieces: &[&[u8]]) -> (Vec<u8>, Vec<CallReport>) {
    let mut turn = Turn::new(options, Anything);
    let mut out = Vec::new();
    for piece in pieces {
        turn.push(piece, &mut out);
    }
    turn.finish(StreamEnd::Clean, &mut out);
    assert_eq!(turn.held(), 0);
    (out, turn.reports())
}

pub(crate) fn sse(events: &[&str]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

pub(crate) fn chunks(deltas: &[&str]) -> String {
    let chunk = |delta: &&str| format!(r#"{{"choices":[{{"index":0,"delta":{delta}}}]}}"#);
    let mut events: Vec<String> = deltas.iter().map(chunk).collect();
    events.push(r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned());
    events.push("[DONE]".to_owned());
    sse(&events.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What is written, whether calls are held or stream.
pub(crate) fn is_written(said: &str, becomes: &str) {
    for hold in [Hold::Call, Hold::Deviation] {
        let mut turn = Turn::new(TurnOptions { hold, ..TurnOptions::default() }, Anything);
        let mut out = Vec::new();
        turn.push(said.as_bytes(), &mut out);
        turn.finish(StreamEnd::Clean, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), becomes, "{hold:?}");
        assert_eq!(turn.is_rewritten(), said != becomes, "{hold:?}: {said}");
        let (again, _) = pass(TurnOptions { hold, ..TurnOptions::default() }, &[&out]);
        assert_eq!(again, out, "{hold:?}: what was written is left alone");
    }
}

/// The same whatever the line ends are and however the bytes are cut; what leaves in pieces.
pub(crate) fn is_written_in_any_pieces(said: &str, becomes: &str) {
    for end in ["\n", "\r\n", "\r"] {
        let (said, becomes) = (said.replace('\n', end), becomes.replace('\n', end));
        for hold in [Hold::Call, Hold::Deviation] {
            let options = TurnOptions { hold, ..TurnOptions::default() };
            let whole = pass(options, &[said.as_bytes()]);
            assert_eq!(String::from_utf8_lossy(&whole.0), becomes, "{hold:?} {end:?}");
            for at in 0..=said.len() {
                let (first, second) = said.as_bytes().split_at(at);
                assert_eq!(pass(options, &[first, second]), whole, "{hold:?} {end:?} cut at {at}");
            }
        }
    }
}
