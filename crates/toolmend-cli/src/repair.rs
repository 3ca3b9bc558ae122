//! `repair`: the calls of a recorded turn, as envelopes, within their turn, or within its bytes.

mod stream;

use toolmend::wire::{Call, Recorded, Recorder, StreamEnd};
use toolmend::{Evidence, Outcome, Policy, SettledCall, Toolmend, Verdict};

use crate::cli::Shape;
use crate::done::{Done, Found};
use crate::envelope::Envelope;
use crate::failure::{Exit, Failure};
use crate::model::General;
use crate::options::{Repair, Show};
use crate::output::Output;
use crate::receipt::ReceiptJson;
use crate::say::{Plain, say};
use crate::trace;
use crate::turn::json as turn_json;

/// Reads the turn, mends its calls, and prints what was asked for.
pub(crate) fn run(options: &Repair) -> Result<Exit, Failure> {
    if options.shape == Shape::Stream {
        return stream::run(options);
    }
    let (turn, mut found) = record(options)?;
    for fault in &turn.faults {
        say(format_args!(
            "note: {}: {}; the rest of the turn was read",
            options.source,
            Plain(&fault.to_string())
        ));
    }
    if turn.calls.is_empty() {
        say(format_args!("note: {} holds no tool call", options.source));
        if options.shape == Shape::Envelope {
            return Ok(Exit::Good);
        }
    }
    let model = options.show.model.as_deref().or(turn.model.as_deref()).unwrap_or_default();
    let mender = Toolmend::new().policy(options.show.policy).model(model);
    if let Some(general) = General::of(&mender, model) {
        say(format_args!("note: {general}"));
    }
    let tools = &options.show.tools;
    tools.say_unusable();
    let mut called: Vec<&str> = turn.calls.iter().map(|call| call.name.as_str()).collect();
    called.sort_unstable();
    called.dedup();
    let mender = tools.offer(mender, &called).map_err(Failure::Unclear)?;
    let mut output = Output::stdout();
    let mut so_far = Exit::Good;
    let settled = mender.turn(&turn, options.max_tokens);
    let found: Vec<_> = turn.calls.iter().map(|call| found.take(&call.name, &call.arguments)).collect();
    if options.shape == Shape::Turn {
        let exit = settled.iter().fold(Exit::Good, |exit, call| exit.and(exit_of(&call.outcome)));
        output.put(&turn_json(&turn, &settled, &found, options.max_tokens), exit)?;
    }
    for ((call, settled), found) in turn.calls.iter().zip(&settled).zip(&found) {
        let done = Done { outcome: &settled.outcome, found: found.as_ref() };
        let evidence = turn.evidence(call, options.max_tokens);
        so_far = so_far.and(exit_of(&settled.outcome));
        if options.shape == Shape::Turn && options.show.receipt {
            let receipt = ReceiptJson::new(&call.arguments, &evidence, done);
            say(serde_json::to_string(&receipt).expect("strings and numbers are always JSON"));
        }
        if options.shape == Shape::Envelope {
            output.put(&envelope(call, &evidence, settled, done, options.show.receipt), so_far)?;
        }
        if options.show.trace {
            say(trace::line(&call.name, &call.arguments, evidence.ending(), done));
        }
        if let Some(failed) = trace::failed(Some(&call.name), &settled.outcome) {
            say(failed);
        }
    }
    Ok(so_far)
}

/// The turn, and the calls among its own that were made of its text.
fn record(options: &Repair) -> Result<(Recorded, Found), Failure> {
    let mut input = options.source.open()?;
    let mut recorder = Recorder::new();
    let texts = texts(&options.show);
    let mut promoter = texts.promoter(options.promote, options.max_tokens);
    let (mut buffer, mut told, mut found) = (vec![0; options.chunk], Vec::new(), Found::default());
    let unreadable = |error| Failure::Turn { source: options.source.clone(), error };
    loop {
        let read = input.read_some(&mut buffer)?;
        match read {
            0 => promoter.finish(StreamEnd::Clean, &mut told),
            n => promoter.push(&buffer[..n], &mut told),
        }
        recorder.push(&told).map_err(unreadable)?;
        told.clear();
        found.add(promoter.promoted());
        if read == 0 {
            return Ok((recorder.finish().map_err(unreadable)?, found));
        }
    }
}

/// Who reads the texts of a turn: without tools, no call is made of them. What is looked at only may be
/// repaired with less certainty than what is taken for a call.
pub(super) fn texts(show: &Show) -> Toolmend<'static> {
    let policy = if show.policy == Policy::STRICT { Policy::STRICT } else { Policy::STANDARD };
    let mender = Toolmend::new().policy(policy).model(show.model.as_deref().unwrap_or_default());
    show.tools.offered(mender)
}

pub(super) fn exit_of(outcome: &Outcome) -> Exit {
    match outcome {
        Outcome::Judged(Verdict::Intact { .. } | Verdict::Mended { .. }) => Exit::Good,
        _ => Exit::Declined,
    }
}

/// The envelope of a call, as lines of JSON.
fn envelope(
    call: &Call,
    evidence: &Evidence<'_>,
    settled: &SettledCall,
    done: Done<'_>,
    receipt: bool,
) -> Vec<u8> {
    let arguments = settled.arguments().unwrap_or(&call.arguments);
    let mut envelope = Envelope::new(call, arguments, done.is_repaired());
    envelope.receipt = receipt.then(|| ReceiptJson::new(&call.arguments, evidence, done));
    let mut json = serde_json::to_vec_pretty(&envelope).expect("strings and numbers are always JSON");
    json.push(b'\n');
    json
}
