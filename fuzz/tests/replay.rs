//! Every file of the corpora and every seed, through the check of its target. Needs no libFuzzer.

use std::path::Path;

use toolmend_fuzz::{TARGETS, seeds};

fn replay(target: &str) {
    let (_, check) = TARGETS.iter().find(|(name, _)| *name == target).expect("a target of this name");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("no corpus in {}: {e}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "the corpus of {target} is empty");
    let kept = files.into_iter().map(|file| {
        let data = std::fs::read(&file).expect("a readable file");
        (file.display().to_string(), data)
    });
    let mut failed = Vec::new();
    for (name, data) in kept.chain(seeds::of(target)) {
        if std::panic::catch_unwind(|| check(&data)).is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{target}: these fail, each for the reason printed above: {failed:#?}");
}

#[test]
fn mend() {
    replay("mend");
}

#[test]
fn cuts() {
    replay("cuts");
}

#[test]
fn schema() {
    replay("schema");
}

#[test]
fn wire_cuts() {
    replay("wire_cuts");
}

#[test]
fn text() {
    replay("text");
}

#[test]
fn turn() {
    replay("turn");
}
