//! The repairers that toolmend is measured against.

use std::cell::RefCell;
use std::panic::catch_unwind;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own_python = folder.join(".venv/bin/python");
    let python = if own_python.exists() { own_python } else { "python3".into() };
    let programs = [
        ("jsonrepair (Node.js)", Path::new("node").to_path_buf(), "peers/node.mjs"),
        ("json_repair (Python)", python, "peers/python.py"),
    ];
    for (name, program, script) in programs {
        match Process::start(&program, &folder.join(script)) {
            Some(process) => {
                peers.push(Peer { name: name.into(), kind: Kind::Elsewhere(Rc::new(RefCell::new(process))) })
            }
            None => eprintln!("SKIPPED: {name} is not installed; README.md says how to install it"),
        }
    }
    peers
}

impl Peer {
    /// What it makes of a text; `None` where it fails or panics.
    pub fn repair(&self, text: &str) -> Option<String> {
        match &self.kind {
            Kind::Here(repair) => catch_unwind(|| repair(text)).ok().flatten(),
            Kind::Elsewhere(process) => process.borrow_mut().show(text),
        }
    }

    /// The job of repairing these texts, counted as `bytes`.
    pub fn job<'a>(&'a self, texts: &'a [String], bytes: usize) -> Option<Job<'a>> {
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
