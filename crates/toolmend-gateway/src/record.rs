//! Faulty turns, kept as files that `toolmend repair` and `toolmend batch` read.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus_client::metrics::gauge::Gauge;
use toolmend::quote::quote_into;
use toolmend::wire::CallReport;
use toolmend::{Ending, Tool};

use crate::facts::OfferedTool;
use crate::inspect::{Charge, HeldTotal};

/// The folder of recorded turns.
#[derive(Debug)]
pub(crate) struct Records {
    folder: PathBuf,
    limits: RecordLimits,
    lies: Mutex<Lies>,
    /// What is kept of turns on their way.
    kept: HeldTotal,
}

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordLimits {
    /// Turns.
    pub(crate) turns: usize,
    /// Bytes of all files.
    pub(crate) bytes: usize,
    /// Bytes of all turns that are on their way. They are counted by themselves: a copy must not stand in the way of a
    /// repair.
    pub(crate) kept: usize,
}

/// What lies in the folder.
#[derive(Debug, Default)]
struct Lies {
    /// The names and their files' bytes, the oldest first.
    names: VecDeque<(String, u64)>,
    bytes: u64,
    /// How many were written.
    written: u64,
}

/// One turn on its way into a file.
#[derive(Debug)]
pub(crate) struct Recording {
    records: Arc<Records>,
    /// Its bytes as they came; `None` once they are too many.
    bytes: Option<Vec<u8>>,
    limit: usize,
    /// The tools that were offered, by one of which each call was judged.
    tools: Vec<OfferedTool>,
    /// For these bytes, and the tools'.
    charge: Option<Charge>,
    /// Its faulty calls, as lines for `batch`.
    calls: String,
}

impl Records {
    /// Makes the folder, for nobody else to read, and finds what earlier runs left there.
    pub(crate) fn open(folder: &Path, limits: RecordLimits) -> io::Result<Arc<Records>> {
        let mut making = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut making, 0o700);
        making.recursive(true).create(folder)?;
        let mut names: Vec<String> = fs::read_dir(folder)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|name| Some(name.strip_suffix(".turn")?.to_owned()))
            .collect();
        names.sort();
        let records = Records {
            folder: folder.to_owned(),
            limits,
            lies: Mutex::default(),
            kept: HeldTotal::new(Gauge::default(), limits.kept),
        };
        let length = |name: &str, kind| fs::metadata(records.path(name, kind)).map_or(0, |about| about.len());
        let lies: VecDeque<(String, u64)> = names
            .into_iter()
            .map(|name| {
                let bytes = length(&name, "turn") + length(&name, "jsonl");
                (name, bytes)
            })
            .collect();
        let bytes = lies.iter().map(|(_, bytes)| bytes).sum();
        Ok(Arc::new(Records { lies: Mutex::new(Lies { names: lies, bytes, written: 0 }), ..records }))
    }

    /// Begins with a turn of at most so many bytes, to whose model these tools were offered.
    pub(crate) fn begin(self: &Arc<Records>, limit: usize, tools: &[OfferedTool]) -> Recording {
        let mut charge = Charge::on(&self.kept);
        let fits = charge.add(tools.iter().map(|tool| tool.json.len()).sum());
        let (bytes, tools) = if fits { (Some(Vec::new()), tools.to_vec()) } else { (None, Vec::new()) };
        let charge = fits.then_some(charge);
        Recording { records: Arc::clone(self), bytes, limit, tools, charge, calls: String::new() }
    }

    fn write(&self, turn: &[u8], calls: &str) -> io::Result<()> {
        let length = (turn.len() + calls.len()) as u64;
        if length > self.limits.bytes as u64 {
            return Ok(());
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut lies = self.lies.lock().unwrap_or_else(PoisonError::into_inner);
        // Sorted by name is sorted by age.
        let (name, mut file) = loop {
            lies.written += 1;
            let name = format!("{:013}-{:06}", now.as_millis(), lies.written % 1_000_000);
            match create(&self.path(&name, "turn")) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => break (name, file?),
            }
        };
        lies.bytes += length;
        // Before it is written, so that what is written in part gives way, too.
        lies.names.push_back((name.clone(), length));
        while lies.names.len() > self.limits.turns || lies.bytes > self.limits.bytes as u64 {
            let Some((oldest, bytes)) = lies.names.pop_front() else { break };
            lies.bytes -= bytes;
            for kind in ["turn", "jsonl"] {
                // Someone else may have taken it away.
                let _ = fs::remove_file(self.path(&oldest, kind));
            }
        }
        file.write_all(turn)?;
        create(&self.path(&name, "jsonl"))?.write_all(calls.as_bytes())
    }

    fn path(&self, name: &str, kind: &str) -> PathBuf {
        self.folder.join(format!("{name}.{kind}"))
    }
}

/// A new file, for nobody else to read: what is in it are a user's words.
fn create(path: &Path) -> io::Result<fs::File> {
    let mut making = fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut making, 0o600);
    making.write(true).create_new(true).open(path)
}

impl Recording {
    pub(crate) fn took(&mut self, bytes: &[u8]) {
        if let Some(kept) = &mut self.bytes {
            let fits = kept.len() + bytes.len() <= self.limit
                && self.charge.as_mut().is_some_and(|charge| charge.add(bytes.len()));
            if fits {
                kept.extend_from_slice(bytes);
            } else {
                (self.bytes, self.tools, self.charge) = (None, Vec::new(), None);
            }
        }
    }

    /// A call was mended or declined.
    pub(crate) fn faulty(&mut self, report: &CallReport, model: &str) {
        if self.bytes.is_none() {
            return;
        }
        let mut member = |name: &str, text: &str| {
            self.calls.push_str(name);
            quote_into(text, &mut self.calls);
        };
        member("{\"id\":", report.id.as_deref().unwrap_or(""));
        member(",\"arguments\":", &report.body);
        member(",\"model\":", model);
        // What it added up to, in the one word that says the same to `batch`.
        match report.ending {
            Ending::Complete => member(",\"finish_reason\":", "stop"),
            Ending::Cut => member(",\"finish_reason\":", "length"),
            Ending::Unknown => {}
        }
        let tool = self.tools.iter().find(|tool| tool.name == report.name);
        if let Some(OfferedTool { json, .. }) = tool.filter(|tool| Tool::one(&tool.json).is_ok()) {
            self.calls.push_str(",\"tool\":");
            // Line breaks stand between tokens alone, and a record is one line.
            self.calls.extend(json.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
        }
        self.calls.push_str("}\n");
    }
}

/// A turn that has ended goes into its files, if it was faulty.
impl Drop for Recording {
    fn drop(&mut self) {
        let (Some(bytes), false) = (self.bytes.take(), self.calls.is_empty()) else { return };
        let (records, calls) = (Arc::clone(&self.records), std::mem::take(&mut self.calls));
        let charge = self.charge.take();
        let write = move || {
            if let Err(error) = records.write(&bytes, &calls) {
                tracing::warn!(%error, "a turn could not be recorded: {error}");
            }
            drop((bytes, charge));
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(write)),
            Err(_) => write(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: RecordLimits = RecordLimits { turns: 3, bytes: 1000, kept: 100 };

    #[test]
    fn the_oldest_give_way() {
        let folder = std::env::temp_dir().join(format!("toolmend-record-{}", std::process::id()));
        for run in 0..2 {
            let records = Records::open(&folder, LIMITS).unwrap();
            for turn in 0..4 {
                let mut recording = records.begin(10, &[]);
                recording.took(b"12345");
                recording.took(if turn == 2 { b"67890." } else { b"67890" });
                recording.calls.push_str(&format!("{run}.{turn}"));
            }
            // One was too long, so three of this run are there, and none of the one before.
            let mut said: Vec<String> = fs::read_dir(&folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|kind| kind == "jsonl"))
                .map(|path| fs::read_to_string(path).unwrap())
                .collect();
            said.sort();
            assert_eq!(said, ["0", "1", "3"].map(|turn| format!("{run}.{turn}")));
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 6);
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn so_many_bytes_and_no_more() {
        let folder = std::env::temp_dir().join(format!("toolmend-bytes-{}", std::process::id()));
        let calls = |records: &Arc<Records>| records.lies.lock().unwrap().names.len();
        for run in 0..2 {
            let records = Records::open(&folder, RecordLimits { turns: 9, bytes: 10, kept: 100 }).unwrap();
            // What an earlier run left counts.
            assert_eq!(calls(&records), run);
            for (turn, left) in [("1234", 1), ("123", 2), ("12345678", 1), ("1234567890", 1)] {
                records.write(turn.as_bytes(), "c").unwrap();
                assert_eq!(calls(&records), left, "{turn}");
            }
            let lies: u64 =
                fs::read_dir(&folder).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
            assert_eq!((lies, records.lies.lock().unwrap().bytes), (9, 9));
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_them() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("toolmend-mode-{}", std::process::id()));
        let records = Records::open(&folder, LIMITS).unwrap();
        records.write(b"12345", "c").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        for entry in fs::read_dir(&folder).unwrap() {
            assert_eq!(mode(&entry.unwrap().path()), 0o600);
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_whole_is_not_kept() {
        let folder = std::env::temp_dir().join(format!("toolmend-whole-{}", std::process::id()));
        let records = Records::open(&folder, LIMITS).unwrap();
        records.begin(10, &[]).took(b"12345");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_tools_count_with_what_is_kept() {
        let folder = std::env::temp_dir().join(format!("toolmend-tools-{}", std::process::id()));
        let records = Records::open(&folder, LIMITS).unwrap();
        let tools = |length| [OfferedTool { name: "t".to_owned(), json: "x".repeat(length) }];
        let fits = |length, took: &[u8]| {
            let mut recording = records.begin(10, &tools(length));
            recording.took(took);
            recording.bytes.is_some()
        };
        assert_eq!((fits(95, b"12345"), fits(96, b"12345"), fits(101, b"")), (true, false, false));
        fs::remove_dir_all(folder).unwrap();
    }
}
