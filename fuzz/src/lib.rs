//! The laws of toolmend as checks on arbitrary bytes.
//!
//! Each function here takes what a fuzzer makes up and panics where a law does not hold. The fuzz targets
//! call one of them each; `tests/replay.rs` calls them with every file of the corpora, on any compiler.
//! What JSON is they ask serde_json, not toolmend ([`oracle`]).

mod body;
pub mod oracle;
mod pieces;
mod quotes;
pub mod seeds;
mod text;
mod tool;
mod turn;
mod wire;

use std::path::Path;
use std::process::ExitCode;

/// One body, under every ending: the verdict keeps the laws.
pub fn mend(data: &[u8]) {
    body::check(&String::from_utf8_lossy(data));
}

/// A split and a body: no split changes what becomes of it.
pub fn cuts(data: &[u8]) {
    let (split, text) = pieces::Split::read(data);
    body::check_split(&split, text);
}

/// A split and a recording: no split changes what is read.
pub fn wire_cuts(data: &[u8]) {
    let (split, bytes) = pieces::Split::read(data);
    wire::check_split(&split, bytes);
}

/// A split, a byte that chooses a model, and an assistant's text: no split changes what comes of it.
pub fn text(data: &[u8]) {
    let (split, text) = pieces::Split::read(data);
    text::check_split(&split, text);
}

/// Options in a byte, a split and a turn: no split changes what leaves, and nothing is lost.
pub fn turn(data: &[u8]) {
    let Some((&options, data)) = data.split_first() else { return };
    let (split, bytes) = pieces::Split::read(data);
    turn::check_split(turn::options(options), &split, bytes);
}

/// A schema, a zero byte, and a body: the laws hold with a schema too.
pub fn schema(data: &[u8]) {
    tool::check(data);
}

/// A target: a check and the name of its corpus.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 6] = [
    ("mend", mend),
    ("cuts", cuts),
    ("schema", schema),
    ("wire_cuts", wire_cuts),
    ("turn", turn),
    ("text", text),
];

/// Runs a check on the files that the program is given: how a finding is looked at without libFuzzer.
pub fn replay_arguments(check: fn(&[u8])) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for path in std::env::args().skip(1) {
        match std::fs::read(Path::new(&path)) {
            Ok(data) => check(&data),
            Err(error) => {
                eprintln!("error: cannot read {path}: {error}");
                code = ExitCode::from(2);
            }
        }
    }
    code
}
