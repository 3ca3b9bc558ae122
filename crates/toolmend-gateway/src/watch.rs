//! What is counted and logged of a turn while it passes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;

use crate::endpoint::Speaks;
use crate::inspect::{GaveUp, Settled};
use crate::metrics::{Metrics, Passed};
use crate::record::Recording;
use crate::told::Told;
use crate::turn::Observer;

/// A turn that is being looked into.
#[derive(Debug)]
pub(crate) struct OpenTurn {
    metrics: Arc<Metrics>,
}

impl OpenTurn {
    /// `None` where there are as many as there may be.
    pub(crate) fn begin(metrics: &Arc<Metrics>, limit: usize) -> Option<OpenTurn> {
        let turn = OpenTurn { metrics: Arc::clone(metrics) };
        let before = metrics.open_turns.inc();
        if usize::try_from(before).is_ok_and(|before| before < limit) {
            Some(turn)
        } else {
            metrics.cap("open-turns");
            tracing::warn!(
                why = "open-turns",
                "a turn passes untouched: as many as max-open-turns are looked into already"
            );
            None
        }
    }
}

impl Drop for OpenTurn {
    fn drop(&mut self) {
        self.metrics.open_turns.dec();
    }
}

/// Counts and logs what happens to one turn.
#[derive(Debug)]
pub(crate) struct Watch {
    metrics: Arc<Metrics>,
    /// Ends with this.
    _turn: OpenTurn,
    speaks: Speaks,
    model: String,
    spent: Duration,
    passed: Passed,
    pub(crate) recording: Option<Recording>,
    pub(crate) log_bodies: bool,
}

impl Watch {
    pub(crate) fn new(
        metrics: Arc<Metrics>,
        turn: OpenTurn,
        speaks: Speaks,
        model: String,
        spent: Duration,
    ) -> Watch {
        Watch {
            metrics,
            _turn: turn,
            speaks,
            model,
            spent,
            passed: Passed::Left,
            recording: None,
            log_bodies: false,
        }
    }
}

impl Observer for Watch {
    fn settled(&mut self, settled: Settled) {
        let (told, report) = (Told::of(&settled), &settled.call);
        self.metrics.call(self.speaks.name(), &self.model, &told);
        if let Some(recording) = self.recording.as_mut().filter(|_| told.verdict != "intact") {
            recording.faulty(report, &self.model);
        }
        let bodies = self.log_bodies.then_some((report.body.as_str(), told.output));
        let (body, output) = (bodies.map(|(body, _)| body), bodies.and_then(|(_, output)| output));
        let (from, to) = (report.body.len(), told.output.map_or(report.body.len(), str::len));
        // The name is the server's word, and not to steer a terminal.
        let name = report.name.escape_debug();
        let (ending, protocol) = (report.ending.name(), self.speaks.name());
        match told.verdict {
            "intact" => tracing::debug!(tool = report.name, model = self.model, protocol, "intact: {name}"),
            "promoted" => tracing::info!(
                tool = report.name,
                model = self.model,
                protocol,
                rules = told.rules.join(","),
                grade = told.grade,
                mark = told.mark,
                bytes_out = to,
                output = body,
                "promoted: {name}: found in the text, {}{}{} {to} bytes{}",
                told.mark.unwrap_or(""),
                if told.rules.is_empty() { "" } else { "; " },
                told.rules.join(","),
                Shown(body, None)
            ),
            "mended" => tracing::info!(
                tool = report.name,
                model = self.model,
                protocol,
                rules = told.rules.join(","),
                grade = told.grade,
                edits = told.edits(&report.body),
                ending,
                clues = told.clues(),
                bytes_in = from,
                bytes_out = to,
                rewritten = report.rewritten,
                body,
                output,
                "mended: {name}: {} {} {ending} {from}→{to} bytes{}",
                told.rules.join(","),
                told.grade.unwrap_or(""),
                Shown(body, output)
            ),
            verdict => tracing::info!(
                tool = report.name,
                model = self.model,
                protocol,
                reason = told.reason,
                ending,
                bytes_in = from,
                body,
                "{verdict}: {name}: {}{}",
                told.reason.as_deref().unwrap_or(""),
                Shown(body, None)
            ),
        }
    }

    fn gave_up(&mut self, why: GaveUp) {
        self.passed = Passed::GaveUp;
        self.metrics.cap(why.name());
        tracing::warn!(
            why = why.name(),
            model = self.model,
            protocol = self.speaks.name(),
            "the rest of the turn passes untouched: {}; {} over {}",
            why.words(),
            self.model.escape_debug(),
            self.speaks.name()
        );
    }

    fn held(&mut self, time: Duration) {
        self.metrics.held(time);
    }

    fn took(&mut self, bytes: &Bytes) {
        if let Some(recording) = &mut self.recording {
            recording.took(bytes);
        }
    }

    fn spent(&mut self, time: Duration) {
        self.spent += time;
    }

    fn ended(&mut self, whole: bool) {
        self.passed = match (whole, self.passed) {
            (false, _) => Passed::Broken,
            (true, Passed::GaveUp) => Passed::GaveUp,
            (true, _) => Passed::Looked,
        };
    }
}

/// The bodies of a call in a line for people, where they are to be shown.
struct Shown<'a>(Option<&'a str>, Option<&'a str>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(body, output) = self;
        if let Some(body) = body {
            write!(f, ": {}", body.escape_debug())?;
        }
        match output {
            Some(output) => write!(f, " → {}", output.escape_debug()),
            None => Ok(()),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.metrics.turn(self.speaks.name(), &self.model, self.passed, self.spent);
    }
}
