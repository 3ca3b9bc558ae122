//! `repair --as stream`: the body of the response as a client would get it.

use toolmend::Toolmend;
use toolmend::wire::{CallReport, StreamEnd, Turn, TurnOptions};

use super::{exit_of, texts};
use crate::done::{Done, Found};
use crate::failure::{Exit, Failure};
use crate::options::Repair;
use crate::output::Output;
use crate::say::say;
use crate::tools::TurnJudge;
use crate::trace;

/// Passes the recording through a turn in flight. Whatever it is, it comes out; only calls are changed.
pub(super) fn run(options: &Repair) -> Result<Exit, Failure> {
    let show = &options.show;
    let mut mender = Toolmend::new().policy(show.policy);
    if let Some(model) = &show.model {
        mender = mender.model(model);
    }
    if show.receipt {
        say("note: a stream has no place for receipts; --trace tells what was done");
    }
    show.tools.say_unusable();
    let mut input = options.source.open()?;
    let mut output = Output::stdout();
    let mut turn = Turn::new(
        TurnOptions { hold: options.hold, max_tokens: options.max_tokens, ..TurnOptions::default() },
        show.tools.judge(mender),
    );
    let texts = texts(show);
    let mut promoter = texts.promoter(options.promote, options.max_tokens);
    let (mut buffer, mut told, mut out) = (vec![0; options.chunk], Vec::new(), Vec::new());
    let (mut so_far, mut found) = (Exit::Good, Found::default());
    loop {
        let read = input.read_some(&mut buffer)?;
        match read {
            0 => {
                promoter.finish(StreamEnd::Clean, &mut told);
                turn.push(&told, &mut out);
                turn.finish(StreamEnd::Clean, &mut out);
            }
            n => {
                promoter.push(&buffer[..n], &mut told);
                turn.push(&told, &mut out);
            }
        }
        told.clear();
        found.add(promoter.promoted());
        so_far = so_far.and(tell(&mut turn, &mut found, show.trace));
        if !out.is_empty() {
            output.put(&out, so_far)?;
            out.clear();
        }
        if read == 0 {
            return Ok(so_far);
        }
    }
}

/// Says what became of the calls that were settled.
fn tell(turn: &mut Turn<TurnJudge<'_>>, found: &mut Found, trace: bool) -> Exit {
    let mut exit = Exit::Good;
    for CallReport { name, body, ending, outcome, .. } in turn.reports() {
        exit = exit.and(exit_of(&outcome));
        let found = found.take(&name, &body);
        if trace {
            say(trace::line(&name, &body, ending, Done { outcome: &outcome, found: found.as_ref() }));
        }
        if let Some(failed) = trace::failed(Some(&name), &outcome) {
            say(failed);
        }
    }
    exit
}
