//! What becomes of a call, and when that is known.

use toolmend_core::{CallJudge, Edit, Ending, Evidence, FoundCall, Verdict};

use super::cuts::Cut;
use super::plan::Fate;
use super::{CallReport, Flow, Mode, OnCut, Outcome, StreamEnd};
use crate::assembly::is_placeholder;
use crate::recorded::{Call, CallFault, end_of_turn};

impl<J: CallJudge> Flow<J> {
    /// Settles the calls that nothing can change any more: they are good as they are, and the model went on
    /// to something else, or the protocol said that they are whole. An empty object may prove to be a
    /// placeholder, or a cut call.
    pub(super) fn settle_early(&mut self) {
        let mut waiting = core::mem::take(&mut self.waiting);
        waiting.retain(|at| {
            if !self.assembly.is_over(*at) {
                return true;
            }
            if let Some(view) = self.assembly.view(*at)
                && !view.faulty
                && (view.closed || view.ended)
                && let Some(call) = self.assembly.call(*at)
            {
                self.settle_if_intact(*at, call);
            }
            false
        });
        self.waiting = waiting;
    }

    fn settle_if_intact(&mut self, at: usize, call: Call) {
        if call.fault.is_some() || is_placeholder(&call.arguments) {
            return;
        }
        let evidence = call.evidence(Evidence::whole());
        let ending = evidence.ending();
        if let Some(verdict @ Verdict::Intact { .. }) = self.ask(&call, evidence) {
            self.settle(at, call, Outcome::Judged(verdict), ending);
        }
    }

    /// A call without a name is one of no tool.
    fn ask(&self, call: &Call, evidence: Evidence<'_>) -> Option<Verdict> {
        if call.name.is_empty() {
            return None;
        }
        let found = FoundCall { name: &call.name, body: &call.arguments, model: self.assembly.model() };
        self.judge.judge(found, evidence)
    }

    /// The turn is over: settles every call, and lets everything go.
    pub(super) fn over(&mut self, end: StreamEnd, out: &mut Vec<u8>) {
        if end == StreamEnd::Broken {
            self.assembly.lose(0);
        }
        let rest = self.lanes.rest();
        self.enqueue_all(rest, out);
        self.assembly.end();
        for at in 0..self.states.len() {
            if self.states[at].fate.is_none()
                && let Some(call) = self.assembly.call(at)
            {
                let finish = self.assembly.finish_of(call.choice);
                let (usage, choices) = (self.assembly.usage(), self.assembly.choices());
                let evidence = call.evidence(end_of_turn(&finish, usage, choices, self.options.max_tokens));
                let ending = evidence.ending();
                let outcome = match &call.fault {
                    Some(fault) => Outcome::Misassembled(fault.clone()),
                    None => self.ask(&call, evidence).map_or(Outcome::UnknownTool, Outcome::Judged),
                };
                // Copies of it that come behind the error are not written any more, and all of them have to say the same.
                let outcome = match (outcome, self.assembly.lost_before_end(at).filter(|_| self.failed)) {
                    (Outcome::Judged(Verdict::Mended { .. }), Some(offset)) => {
                        Outcome::Misassembled(CallFault::PieceLost { offset })
                    }
                    (outcome, _) => outcome,
                };
                self.settle(at, call, outcome, ending);
            }
        }
        self.mode = Mode::Over;
        self.leave_all(out);
    }

    fn settle(&mut self, at: usize, call: Call, outcome: Outcome, ending: Ending) {
        let output = match &outcome {
            Outcome::Judged(verdict) => verdict.text(&call.arguments).map(str::to_owned),
            _ => None,
        };
        // A part of the name has left as all of it.
        let misnamed =
            self.states[at].begun && self.states[at].name.as_ref().is_some_and(|name| *name != call.name);
        let (fate, outcome) = match output {
            Some(_) if misnamed => (Fate::Left, Outcome::TooLate),
            _ if self.options.observe => (Fate::Left, outcome),
            None if self.states[at].told => (Fate::Left, Outcome::TooLate),
            None => (Fate::Left, outcome),
            // What came value by value cannot be written again.
            Some(output) if self.assembly.is_in_parts(at) => match output == call.arguments {
                true => (Fate::Left, outcome),
                false => (Fate::Left, Outcome::Misassembled(CallFault::ValueByValue)),
            },
            Some(output) => {
                match self.plan(at, &call.arguments, output, cuts_of(&outcome, &call.arguments)) {
                    Some(plan) => (Fate::Good(plan), outcome),
                    None => (Fate::Left, Outcome::TooLate),
                }
            }
        };
        let changes = matches!(&fate, Fate::Good(plan) if plan.changes());
        self.states[at].fate = Some(fate);
        // Of a text that breaks off, the verdict knows more than the server says.
        let (declined, ending) = match &outcome {
            Outcome::Judged(Verdict::Declined(decline)) => (true, decline.ending),
            _ => (false, ending),
        };
        let cut = declined && ending == Ending::Cut;
        let withheld = cut
            && self.options.on_cut == OnCut::Withhold
            && !(self.options.observe || self.states[at].begun)
            && self.is_last(at);
        (self.states[at].cut, self.states[at].withheld) = (cut, withheld);
        self.report(call, outcome, ending, changes || withheld);
    }

    pub(super) fn report(&mut self, call: Call, outcome: Outcome, ending: Ending, rewritten: bool) {
        let Call { choice, index, id, name, arguments: body, .. } = call;
        self.reports.push(CallReport { choice, index, id, name, body, ending, outcome, rewritten });
    }
}

/// What a repair cuts out of a body, and puts there.
fn cuts_of(outcome: &Outcome, body: &str) -> Vec<Cut> {
    match outcome {
        Outcome::Judged(Verdict::Mended { receipt, .. }) => {
            let cut = |edit: Edit| Cut { from: edit.start, to: edit.end, put: edit.put.into_owned() };
            receipt.edits(body).into_iter().map(cut).collect()
        }
        _ => Vec::new(),
    }
}
