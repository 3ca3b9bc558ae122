//! Where a run reads from, and every way in which that can go wrong.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, NotText};
use crate::say::{Plain, say};

/// A file, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

impl Source {
    /// `-` is standard input, and so is no path at all.
    pub(crate) fn named(path: Option<PathBuf>) -> Source {
        match path {
            Some(path) if path != Path::new("-") => Source::File(path),
            _ => Source::Stdin,
        }
    }

    /// Whether a person types it.
    pub(crate) fn is_terminal(&self) -> bool {
        *self == Source::Stdin && io::stdin().is_terminal()
    }

    /// Opens it for reading.
    pub(crate) fn open(&self) -> Result<Input, Failure> {
        let (reader, length): (Box<dyn Read + Send>, Option<u64>) = match self {
            Source::Stdin => {
                if self.is_terminal() {
                    say("note: reading from the terminal; end with Ctrl-D, or name a file");
                }
                (Box::new(io::stdin()), None)
            }
            Source::File(path) => {
                let failed = |error| Failure::open(self.clone(), error);
                let file = File::open(path).map_err(failed)?;
                let about = file.metadata().map_err(failed)?;
                if about.is_dir() {
                    return Err(Failure::directory(path));
                }
                (Box::new(file), about.is_file().then_some(about.len()))
            }
        };
        Ok(Input { source: self.clone(), reader, length, at: 0 })
    }

    /// Whether writing to `path` would overwrite this source, under whichever name. Only a file can be
    /// overwritten; a device or a pipe cannot.
    pub(crate) fn is_same_file(&self, path: &Path) -> bool {
        // Where there is no such name, standard input cannot be told from another file.
        let own = match self {
            Source::Stdin => Path::new("/dev/stdin"),
            Source::File(own) => own,
        };
        own.is_file() && (same_name(own, path) || same_inode(own, path))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Stdin => f.write_str("standard input"),
            Source::File(path) => Plain(&path.display().to_string()).fmt(f),
        }
    }
}

fn same_name(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// Whether both are names of one file, as hard links are.
#[cfg(unix)]
fn same_inode(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => a.dev() == b.dev() && a.ino() == b.ino(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same_inode(_: &Path, _: &Path) -> bool {
    false
}

/// An opened [`Source`] that knows how far it has been read.
pub(crate) struct Input {
    pub(crate) source: Source,
    /// In bytes; unknown for pipes, devices and standard input.
    pub(crate) length: Option<u64>,
    reader: Box<dyn Read + Send>,
    at: u64,
}

impl Input {
    /// Reads the next bytes; none are left where it answers 0.
    pub(crate) fn read_some(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        self.read(buffer).map_err(|error| self.failed(error))
    }

    /// Reads to the end and takes what it finds as UTF-8 text of at most `limit` bytes.
    pub(crate) fn read_text(mut self, limit: usize) -> Result<String, Failure> {
        let mut bytes = Vec::new();
        let read = self.by_ref().take(limit as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.failed(error))?;
        if bytes.len() > limit {
            return Err(Failure::TooLong { source: self.source, limit });
        }
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to() as u64;
            let why = if is_utf16(error.as_bytes()) { NotText::Utf16 } else { NotText::Utf8 };
            Failure::NotText { source: self.source, at, why }
        })
    }

    /// The failure of a read at this place.
    pub(crate) fn failed(&self, error: io::Error) -> Failure {
        Failure::Read { source: self.source.clone(), at: self.at, error }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.reader.read(buffer) {
                Ok(n) => {
                    self.at += n as u64;
                    return Ok(n);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl NotText {
    /// What the first bytes of an input that should hold lines of JSON betray, and where.
    pub(crate) fn of(head: &[u8]) -> Option<(NotText, u64)> {
        if is_utf16(head) {
            return Some((NotText::Utf16, 0));
        }
        head.iter().position(|&byte| byte == 0).map(|at| (NotText::Nul, at as u64))
    }
}

/// Whether there is a byte-order mark of UTF-16 in front; neither of the two can begin UTF-8.
fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
}
