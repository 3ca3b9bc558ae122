//! The command line of toolmend.
//!
//! A run goes one way: [`cli`] says what may be typed, [`options`] makes checked values of it, and
//! [`run`] does the work of one command. What went wrong is a [`failure::Failure`], printed here and
//! nowhere else. No repair logic lives in this crate: it reads, asks the library `toolmend`, and prints.
//!
//! Results go to standard output, everything said to people to standard error. Exit codes: 0 when every
//! call is good, 1 when at least one was declined, 2 when the command line or a file was at fault.

#![forbid(unsafe_code)]

mod args;
mod batch;
mod cli;
mod done;
mod envelope;
mod explain;
mod failure;
mod input;
mod model;
mod options;
mod output;
mod receipt;
mod repair;
mod run;
mod say;
mod serve;
mod tools;
mod trace;
mod turn;

use std::process::ExitCode;

fn main() -> ExitCode {
    match run::run(std::env::args_os()) {
        Ok(outcome) => outcome.into(),
        Err(failure) => failure.report(),
    }
}
