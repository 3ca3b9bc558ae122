//! Why a run stopped, as data; its sentence is made here, in one place.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use toolmend::wire::{WireError, WireErrorKind};
use toolmend_gateway::SetupError;
use toolmend_schema::ToolError;

use crate::input::Source;
use crate::say::{Plain, say};
use crate::tools::Unclear;

/// The exit code of a run that could not do its work.
const FAULT: u8 = 2;

/// How a run ended that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Every call is good.
    Good,
    /// At least one call was declined, or a record could not be read.
    Declined,
}

impl Exit {
    /// The worse of the two.
    pub(crate) fn and(self, other: Exit) -> Exit {
        if self == Exit::Good { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Good => ExitCode::SUCCESS,
            Exit::Declined => ExitCode::FAILURE,
        }
    }
}

/// Why a run stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line; clap has the words, and help and version come this way too.
    Usage(clap::Error),
    /// There is no rule of this name.
    NoRule { name: String, nearest: Vec<&'static str> },
    /// An input cannot be opened.
    Open { source: Source, error: io::Error },
    /// A directory where a file belongs.
    Directory { path: String },
    /// Reading an input failed after this many bytes.
    Read { source: Source, at: u64, error: io::Error },
    /// The input is not text: the first byte that is none.
    NotText { source: Source, at: u64, why: NotText },
    /// The input is longer than anything that it could be.
    TooLong { source: Source, limit: usize },
    /// The input is not a turn that can be read.
    Turn { source: Source, error: WireError },
    /// A description of tools cannot be read.
    Tool { source: Source, error: ToolError },
    /// It is not clear which tool is called.
    Unclear(Unclear),
    /// A setting of `serve` has a value that it cannot have.
    Setting { key: &'static str, value: String, wants: String },
    /// A variable of the environment looks like a setting of `serve` and is none.
    NoVariable { name: String, nearest: Option<&'static str> },
    /// No client could show the token of `serve`, or every one could. It is not told.
    Token { why: &'static str },
    /// A file of settings cannot be read.
    Config { source: Source, error: Box<toml::de::Error> },
    /// The gateway cannot be set up.
    Gateway(SetupError),
    /// The system refuses what serving needs.
    Runtime(io::Error),
    /// The system starts no further thread.
    Thread(io::Error),
    /// The output would overwrite the input.
    SameFile { path: String },
    /// An output cannot be written.
    Write { target: String, error: io::Error },
    /// Whoever reads the output has gone; what was seen until then stands.
    ReaderGone(Exit),
    /// A thread of `batch` ended before its records did. A defect of this program.
    LostWorker { line: u64 },
}

/// What makes an input no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotText {
    /// Bytes that are not UTF-8.
    Utf8,
    /// The byte-order mark of UTF-16.
    Utf16,
    /// A NUL byte where lines of JSON belong.
    Nul,
}

impl Failure {
    /// Says what happened, and answers with the exit code.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            // Fails only when the terminal or the pipe has gone: nobody is left to tell.
            Failure::Usage(error) => {
                let _ = error.print();
                u8::try_from(error.exit_code()).unwrap_or(FAULT).into()
            }
            Failure::ReaderGone(exit) => exit.into(),
            other => {
                say(format_args!("error: {other}"));
                FAULT.into()
            }
        }
    }

    /// The failure of opening `path`, with directories told apart.
    pub(crate) fn open(source: Source, error: io::Error) -> Failure {
        match (&source, error.kind()) {
            (Source::File(path), io::ErrorKind::IsADirectory) => Failure::directory(path),
            _ => Failure::Open { source, error },
        }
    }

    pub(crate) fn directory(path: &Path) -> Failure {
        Failure::Directory { path: path.display().to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(error) => error.fmt(f),
            Failure::NoRule { name, nearest } if nearest.is_empty() => {
                write!(f, "there is no rule {:?}; `toolmend rules` lists them", Plain(name).to_string())
            }
            Failure::NoRule { name, nearest } => write!(
                f,
                "there is no rule {:?}; did you mean {}? `toolmend rules` lists them",
                Plain(name).to_string(),
                nearest.join(" or ")
            ),
            Failure::Open { source, error } => match error.kind() {
                io::ErrorKind::NotFound => {
                    write!(f, "there is no file {source}; check the path, or give - for standard input")
                }
                io::ErrorKind::PermissionDenied => {
                    write!(f, "{source} may not be read: permission denied; check who owns it")
                }
                _ => write!(f, "{source} cannot be opened: {error}"),
            },
            Failure::Directory { path } => {
                write!(f, "{} is a directory; name a file", Plain(path))
            }
            Failure::Read { source, at, error } => {
                write!(f, "{source} cannot be read on after byte {at}: {error}")
            }
            Failure::NotText { source, at, why } => match why {
                NotText::Utf8 => write!(
                    f,
                    "{source} is not UTF-8 text at byte {at}; check that it is the right file, or convert it to UTF-8"
                ),
                NotText::Utf16 => write!(f, "{source} is UTF-16 text; convert it to UTF-8"),
                NotText::Nul => write!(
                    f,
                    "{source} holds a NUL byte at byte {at}, so it is no text; check that it is the right file"
                ),
            },
            Failure::TooLong { source, limit } => {
                write!(f, "{source} is longer than {limit} bytes; check that it is the right file")
            }
            Failure::Turn { source, error } if error.kind == WireErrorKind::Empty => {
                write!(f, "{source} is empty; record the whole response of a turn, as with curl -N -o FILE")
            }
            Failure::Turn { source, error } => write!(f, "{source}: {}", Plain(&error.to_string())),
            Failure::Tool { source, error } => write!(f, "{source}: {}", Plain(&error.to_string())),
            Failure::Unclear(unclear) => unclear.fmt(f),
            Failure::Setting { key, value, wants } => {
                let key = key.replace('_', "-");
                write!(f, "{key} is {:?}, and must be {wants}", Plain(value).to_string())
            }
            Failure::NoVariable { name, nearest } => {
                let name = Plain(name);
                write!(f, "the variable {name} is set, and no setting reads it; ")?;
                match nearest {
                    Some(nearest) => write!(f, "did you mean {nearest}?"),
                    None => f.write_str("`toolmend serve --help` lists those that are read"),
                }
            }
            Failure::Token { why } => write!(f, "the token {why}"),
            Failure::Config { source, error } => {
                write!(f, "{source} is no file of settings: {}", error.to_string().trim_end())
            }
            Failure::Gateway(error) => error.fmt(f),
            Failure::Runtime(error) => write!(f, "serving cannot begin: {error}"),
            Failure::Thread(error) => {
                write!(f, "no thread could be started: {error}; give a smaller number to --jobs")
            }
            Failure::SameFile { path } => {
                write!(
                    f,
                    "{} is the input itself and would be overwritten; give -o another file",
                    Plain(path)
                )
            }
            Failure::Write { target, error } => match error.kind() {
                io::ErrorKind::NotFound => write!(
                    f,
                    "{} cannot be written: there is no such directory; make it, or give -o another place",
                    Plain(target)
                ),
                io::ErrorKind::PermissionDenied => {
                    write!(f, "{} cannot be written: permission denied; give -o another place", Plain(target))
                }
                io::ErrorKind::StorageFull => write!(
                    f,
                    "{} cannot be written: the disk is full, so what stands in it is not all",
                    Plain(target)
                ),
                _ => write!(f, "{} cannot be written: {error}", Plain(target)),
            },
            Failure::ReaderGone(_) => f.write_str("whoever reads the output has gone"),
            Failure::LostWorker { line } => write!(
                f,
                "the records from line {line} on were not answered: a defect of toolmend; please report it with that line"
            ),
        }
    }
}

impl std::error::Error for Failure {}
