//! The inspector that mends: a [`Turn`] of the wire, judged by what the request says.

use toolmend::wire::{CallReport, ProtocolKind, StreamEnd, Turn, TurnOptions};
use toolmend::wire::{Hold as WireHold, OnCut as WireOnCut};
use toolmend::{CallJudge, Decline, Evidence, FoundCall, Policy, Reason, Rule, Toolmend, Verdict};

use crate::endpoint::Speaks;
use crate::facts::Facts;
use crate::inspect::Inspector;
use crate::proxy::Inspectors;
use crate::settings::{Hold, Mode, OnCut, Settings};

/// Makes inspectors that mend.
#[derive(Debug, Clone)]
pub struct Mending {
    model: Option<String>,
    policy: Policy,
    without: Vec<Rule>,
    options: TurnOptions,
}

impl Mending {
    /// Mends as these settings say.
    #[must_use]
    pub fn new(settings: &Settings) -> Mending {
        let options = TurnOptions {
            hold: match settings.hold {
                Hold::Call => WireHold::Call,
                Hold::Deviation => WireHold::Deviation,
            },
            on_cut: match settings.on_cut {
                OnCut::Pass => WireOnCut::Pass,
                OnCut::Relabel => WireOnCut::Relabel,
            },
            observe: settings.mode == Mode::Observe,
            ..TurnOptions::default()
        };
        Mending {
            model: settings.model.clone(),
            policy: settings.policy,
            without: settings.without.clone(),
            options,
        }
    }

    /// What judges the calls of a turn that was asked for like this.
    pub(crate) fn judge(&self, facts: &Facts) -> CallsOf {
        let model = self.model.as_deref().or(facts.model.as_deref()).unwrap_or("");
        let toolmend = Toolmend::new().policy(self.policy).model(model).tools(facts.read_tools());
        CallsOf { toolmend, without: self.without.clone() }
    }
}

impl Inspectors for Mending {
    fn inspector(&self, facts: &Facts) -> Option<Box<dyn Inspector>> {
        let protocol = protocol(facts.speaks)?;
        let options = TurnOptions { protocol: Some(protocol), max_tokens: facts.max_tokens, ..self.options };
        Some(Box::new(Turn::new(options, self.judge(facts))))
    }

    fn history(&self, facts: &Facts) -> Option<Box<dyn CallJudge + '_>> {
        Some(Box::new(self.judge(facts)))
    }
}

/// Judges the calls of one turn.
#[derive(Debug)]
pub(crate) struct CallsOf {
    toolmend: Toolmend<'static>,
    without: Vec<Rule>,
}

impl CallJudge for CallsOf {
    fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict> {
        let verdict = self.toolmend.judge(call, evidence)?;
        Some(match verdict {
            Verdict::Mended { output, receipt }
                if receipt.rules().iter().any(|rule| self.without.contains(rule)) =>
            {
                // A rule that is switched off is above the policy, whatever its grade.
                Verdict::Declined(Decline {
                    reason: Reason::AbovePolicy { grade: receipt.grade },
                    at: receipt.edits(call.body).first().map_or(0, |edit| edit.start),
                    readings: Vec::new(),
                    ending: receipt.ending,
                    would: Some(Box::new((output, receipt))),
                })
            }
            verdict => verdict,
        })
    }

    fn offers(&self, name: &str) -> Option<bool> {
        self.toolmend.offers(name)
    }
}

impl Inspector for Turn<CallsOf> {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        Turn::push(self, bytes, out);
    }

    fn finish(&mut self, whole: bool, out: &mut Vec<u8>) {
        Turn::finish(self, if whole { StreamEnd::Clean } else { StreamEnd::Broken }, out);
    }

    fn held(&self) -> usize {
        Turn::held(self)
    }

    fn holds(&self) -> bool {
        Turn::holds(self)
    }

    fn release(&mut self, out: &mut Vec<u8>) {
        Turn::release(self, out);
    }

    fn reports(&mut self) -> Vec<CallReport> {
        Turn::reports(self)
    }
}

/// The protocol that the wire reads at such an endpoint, where it does.
fn protocol(speaks: Speaks) -> Option<ProtocolKind> {
    ProtocolKind::ALL.iter().copied().find(|kind| kind.name() == speaks.name())
}
