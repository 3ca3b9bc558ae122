//! The repairers that toolmend is measured against.

use std::cell::RefCell;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;

use crate::measure::Job;
use crate::process::Process;

/// One repairer.
pub struct Peer {
    /// Its name and where it comes from, as the table shows it.
    pub name: String,
    kind: Kind,
}

type Repair = fn(&str) -> Option<String>;

enum Kind {
    Here(Repair),
    Elsewhere(Rc<RefCell<Process>>),
}

/// All repairers that can run here. Those that cannot are named on stderr.
pub fn all() -> Vec<Peer> {
    let here: [(&str, Repair); 3] =
        [("jsonrepair-rs", jsonrepair_rs), ("llm_json", llm_json), ("llm-json-repair", llm_json_repair)];
    let mut peers: Vec<Peer> =
        here.map(|(name, repair)| Peer { name: name.into(), kind: Kind::Here(repair) }).into();
    let programs = [
        ("jsonrepair (Node.js)", "node".into(), "node.mjs"),
        ("json_repair (Python)", python(), "python.py"),
    ];
    peers.extend(
        programs.into_iter().filter_map(|(name, program, script)| elsewhere(name, &program, script, None)),
    );
    peers
}

/// Those that take a tool's types, told the tool of this file name. `None` where one cannot run here; it is
/// named on stderr.
pub fn with_types(tool: &str) -> [(&'static str, Option<Peer>); 2] {
    let programs =
        [("json_repair `schema=` (Python)", "python.py", "json"), ("BAML (Python)", "baml.py", "baml")];
    programs.map(|(name, script, extension)| {
        let file = folder().join("tools").join(tool).with_extension(extension);
        (name, elsewhere(name, &python(), script, Some(&file)))
    })
}

fn elsewhere(name: &str, program: &Path, script: &str, file: Option<&Path>) -> Option<Peer> {
    let Some(process) = Process::start(program, &folder().join("peers").join(script), file) else {
        eprintln!("SKIPPED: {name} is not installed; README.md says how to install it");
        return None;
    };
    Some(Peer { name: name.into(), kind: Kind::Elsewhere(Rc::new(RefCell::new(process))) })
}

fn python() -> PathBuf {
    let own = folder().join(".venv/bin/python");
    if own.exists() { own } else { "python3".into() }
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

impl Peer {
    /// What it makes of a text; `None` where it fails or panics.
    pub fn repair(&self, text: &str) -> Option<String> {
        match &self.kind {
            Kind::Here(repair) => catch_unwind(|| repair(text)).ok().flatten(),
            Kind::Elsewhere(process) => process.borrow_mut().show(text),
        }
    }

    /// The job of repairing these texts, counted as `bytes`, and in how many of them the value is not that of
    /// its truth, as a remark; `None` where it makes nothing of one.
    pub fn judged_job<'a>(
        &'a self,
        texts: &'a [String],
        truths: &[String],
        bytes: usize,
    ) -> Option<(Job<'a>, String)> {
        let made = texts.iter().map(|text| self.repair(text)).collect::<Option<Vec<_>>>()?;
        let wrong = made.iter().zip(truths).filter(|(made, truth)| value(made) != value(truth)).count();
        let remark = if wrong == 0 { String::new() } else { format!("{wrong} of {} wrong", made.len()) };
        Some((self.job(texts, bytes)?, remark))
    }

    fn job<'a>(&'a self, texts: &'a [String], bytes: usize) -> Option<Job<'a>> {
        match &self.kind {
            Kind::Here(repair) => Some(Job::through(bytes, texts, repair)),
            Kind::Elsewhere(process) => {
                let numbers =
                    texts.iter().map(|text| process.borrow_mut().load(text)).collect::<Option<Vec<_>>>()?;
                let process = Rc::clone(process);
                Some(Job::timed_elsewhere(bytes, move |times| {
                    process.borrow_mut().run(&numbers, times).unwrap_or(Duration::MAX)
                }))
            }
        }
    }
}

fn value(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

fn jsonrepair_rs(text: &str) -> Option<String> {
    jsonrepair_rs::jsonrepair(text).ok()
}

fn llm_json(text: &str) -> Option<String> {
    let options = llm_json::RepairOptions { ensure_ascii: false, ..Default::default() };
    llm_json::repair_json(text, &options).ok()
}

fn llm_json_repair(text: &str) -> Option<String> {
    Some(llm_json_repair::repair(text))
}
