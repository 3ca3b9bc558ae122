//! Where a run writes to.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Exit, Failure};
use crate::input::Source;

/// Standard output or a file, buffered.
pub(crate) struct Output {
    target: String,
    writer: BufWriter<Box<dyn Write>>,
    is_terminal: bool,
}

impl Output {
    /// Standard output.
    pub(crate) fn stdout() -> Output {
        let stdout = io::stdout().lock();
        Output {
            target: "standard output".into(),
            is_terminal: stdout.is_terminal(),
            writer: BufWriter::new(Box::new(stdout)),
        }
    }

    /// The file `path`, made anew; standard output for `-` or no path. Refuses to overwrite `input`, so
    /// open the input first: a mistyped input then leaves an old output alone.
    pub(crate) fn named(path: Option<PathBuf>, input: &Source) -> Result<Output, Failure> {
        let Some(path) = path.filter(|path| path != Path::new("-")) else {
            return Ok(Output::stdout());
        };
        let target = path.display().to_string();
        if path.is_dir() {
            return Err(Failure::directory(&path));
        }
        if input.is_same_file(&path) {
            return Err(Failure::SameFile { path: target });
        }
        match File::create(&path) {
            Ok(file) => {
                Ok(Output { target, is_terminal: file.is_terminal(), writer: BufWriter::new(Box::new(file)) })
            }
            Err(error) => Err(Failure::Write { target, error }),
        }
    }

    /// Whether a person is looking at it.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Writes everything and pushes it out. `so_far` is what the run came to before this, should the
    /// reader have gone.
    pub(crate) fn put(&mut self, bytes: &[u8], so_far: Exit) -> Result<(), Failure> {
        self.writer.write_all(bytes).and_then(|()| self.writer.flush()).map_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                Failure::ReaderGone(so_far)
            } else {
                Failure::Write { target: self.target.clone(), error }
            }
        })
    }
}
