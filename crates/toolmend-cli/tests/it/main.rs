//! The binary, run as a user runs it.

mod args;
mod batch;
mod files;
mod repair;
mod serve;
mod texts;
mod tools;
mod turns;
mod words;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;

/// What a run left behind.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

/// The binary with these arguments, to be run at the top of the repository.
fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolmend"));
    command.args(args).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs it with `input` on standard input.
fn toolmend(args: &[&str], input: impl Into<Vec<u8>>) -> Ran {
    let mut child = command(args).spawn().unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.into());
    // A run that does not read its standard input closes it; that is no fault of the test.
    let writer = thread::spawn(move || stdin.write_all(&input));
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    Ran {
        code: status.code(),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}

/// A path of this name, for this test alone; nothing stands there yet.
fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path
}
