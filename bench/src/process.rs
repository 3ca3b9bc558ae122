//! A peer in another language, in a process of its own that takes the times itself.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// A running adapter: one command a line in, one answer a line out.
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts the adapter; `None` where the language or the package is not there.
    pub fn start(program: &Path, script: &Path, file: Option<&Path>) -> Option<Process> {
        let mut child = Command::new(program)
            .arg(script)
            .args(file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let input = child.stdin.take()?;
        let output = BufReader::new(child.stdout.take()?);
        let mut process = Process { child, input, output };
        process.load("{}")?;
        Some(process)
    }

    /// Hands it a text; answers the text's number.
    pub fn load(&mut self, text: &str) -> Option<u64> {
        self.ask(&json!({ "load": text }))?.as_u64()
    }

    /// Repairs these texts so many times.
    pub fn run(&mut self, numbers: &[u64], times: u64) -> Option<Duration> {
        let ns = self.ask(&json!({ "run": numbers, "times": times }))?.as_f64()?;
        Some(Duration::from_nanos(ns as u64))
    }

    /// What it makes of a text.
    pub fn show(&mut self, text: &str) -> Option<String> {
        let number = self.load(text)?;
        Some(self.ask(&json!({ "show": number }))?.as_str()?.into())
    }

    fn ask(&mut self, command: &Value) -> Option<Value> {
        writeln!(self.input, "{command}").ok()?;
        self.input.flush().ok()?;
        let mut line = String::new();
        self.output.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
