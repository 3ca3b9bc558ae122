//! One run: parse, check, do.

use std::ffi::OsString;

use clap::Parser;

use crate::cli::Cli;
use crate::failure::{Exit, Failure};
use crate::options::Options;
use crate::output::Output;
use crate::{args, batch, explain, repair, serve};

/// Does what the command line asks for.
pub(crate) fn run(typed: impl IntoIterator<Item = OsString>) -> Result<Exit, Failure> {
    let cli = Cli::try_parse_from(typed).map_err(Failure::Usage)?;
    match Options::try_from(cli)? {
        Options::Repair(options) => repair::run(&options),
        Options::Args(options) => args::run(&options),
        Options::Batch(options) => batch::run(options),
        Options::Serve(options) => serve::run(*options),
        Options::Config(file) => {
            Output::stdout().put(file.as_bytes(), Exit::Good)?;
            Ok(Exit::Good)
        }
        Options::Explain(rule) => explain::rule(rule),
        Options::Rules => explain::rules(),
        Options::Models => explain::models(),
    }
}
