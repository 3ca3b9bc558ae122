//! The inspector that mends: a [`Turn`] of the wire, judged by what the request says, behind a [`Promoter`] for
//! the calls that stand in the text.

use std::sync::Arc;

use toolmend::formats::{Promote, Reader};
use toolmend::wire::{
    CallReport, Hold as WireHold, Limits, OnCut as WireOnCut, Promoter, Promoting, ProtocolKind, Recorder,
    StreamEnd, Turn, TurnOptions,
};
use toolmend::{
    CallJudge, Decline, Ending, Evidence, FoundCall, Grade, Policy, Reason, Receipt, Rule, TextCall,
    Toolmend, Verdict,
};

use crate::endpoint::Speaks;
use crate::facts::{Facts, ToolChoice};
use crate::inspect::{Inspector, Settled};
use crate::proxy::Inspectors;
use crate::settings::{Hold, Mode, OnCut, Settings};

/// Makes inspectors that mend.
#[derive(Debug, Clone)]
pub struct Mending {
    model: Option<String>,
    policy: Policy,
    without: Vec<Rule>,
    options: TurnOptions,
    promote: Promote,
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
                OnCut::Withhold => WireOnCut::Withhold,
            },
            observe: settings.mode == Mode::Observe,
            ..TurnOptions::default()
        };
        Mending {
            model: settings.model.clone(),
            policy: settings.policy,
            without: settings.without.clone(),
            options,
            promote: if options.observe { Promote::Off } else { settings.promote },
        }
    }

    fn options(&self, facts: &Facts) -> Option<TurnOptions> {
        let protocol = Some(protocol(facts.speaks)?);
        Some(TurnOptions { protocol, max_tokens: facts.max_tokens, ..self.options })
    }

    /// What judges the calls of a turn that was asked for like this.
    pub(crate) fn judge(&self, facts: &Facts) -> CallsOf {
        let model = self.model.as_deref().or(facts.model.as_deref()).unwrap_or("");
        let toolmend = Toolmend::new().policy(self.policy).model(model).tools(facts.read_tools());
        CallsOf { toolmend: Arc::new(toolmend), without: self.without.clone(), said: None }
    }

    /// What makes calls of the text of such a turn; none where the request allows no call.
    fn promoter(&self, facts: &Facts, judge: &CallsOf) -> Option<Promoter<Reader<'static>>> {
        if self.promote == Promote::Off || !facts.offers_tools() || facts.choice == ToolChoice::None {
            return None;
        }
        let reader =
            judge.toolmend.shared_reader().promote(self.promote).parallel(facts.parallel != Some(false));
        Some(Promoter::new(reader, Limits::default(), facts.max_tokens))
    }
}

impl Inspectors for Mending {
    fn inspector(&self, facts: &Facts) -> Option<Box<dyn Inspector>> {
        let options = self.options(facts)?;
        let judge = self.judge(facts);
        Some(match self.promoter(facts, &judge) {
            Some(promoter) => Box::new(Finding {
                turn: Promoting::new(promoter, Turn::new(options, judge)),
                found: Vec::new(),
            }),
            None => Box::new(Turn::new(options, judge)),
        })
    }

    fn good_call(&self, facts: &Facts, answer: &[u8], tool: &str) -> Option<String> {
        let mut recorder = Recorder::new();
        recorder.push(answer).ok()?;
        let recorded = recorder.finish().ok()?;
        let judge = self.judge(facts);
        let mut calls = recorded.calls.iter().filter(|call| call.name == tool && call.fault.is_none());
        let call = calls.next()?;
        let evidence = recorded.evidence(call, facts.max_tokens);
        let found = FoundCall { name: tool, body: &call.arguments, model: None };
        judge.judge(found, evidence)?.text(&call.arguments).map(str::to_owned)
    }

    fn inspector_with(&self, facts: &Facts, call: &CallReport, says: String) -> Option<Box<dyn Inspector>> {
        let options = self.options(facts)?;
        let said = Said { name: call.name.clone(), body: call.body.clone(), says };
        let judge = CallsOf { said: Some(said), ..self.judge(facts) };
        Some(Box::new(Turn::new(options, judge)))
    }

    fn history(&self, facts: &Facts) -> Option<Box<dyn CallJudge + '_>> {
        Some(Box::new(self.judge(facts)))
    }
}

/// Judges the calls of one turn.
#[derive(Debug)]
pub(crate) struct CallsOf {
    toolmend: Arc<Toolmend<'static>>,
    without: Vec<Rule>,
    /// What a call that was declined is taken to have said.
    said: Option<Said>,
}

/// A call that the model wrote once more.
#[derive(Debug)]
struct Said {
    name: String,
    body: String,
    says: String,
}

impl CallJudge for CallsOf {
    fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict> {
        if let Some(said) = self.said.as_ref().filter(|said| said.name == call.name && said.body == call.body)
        {
            // It stands in for a repair: the turn asks for its text alone.
            let (steps, clues, notes) = Default::default();
            let receipt = Receipt { steps, grade: Grade::Schema, ending: Ending::Complete, clues, notes };
            return Some(Verdict::Mended { output: said.says.clone(), receipt });
        }
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

    fn held_call(&self) -> usize {
        Turn::held_call(self)
    }

    fn settled(&mut self) -> Vec<Settled> {
        let reports = Turn::reports(self);
        if reports.is_empty() { Vec::new() } else { reports.into_iter().map(Settled::from).collect() }
    }
}

/// A turn whose text is read for calls before the turn itself is.
struct Finding {
    turn: Promoting<Reader<'static>, CallsOf>,
    /// The calls that were made of text, until the turn has settled them.
    found: Vec<TextCall>,
}

impl Inspector for Finding {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.turn.push(bytes, out);
    }

    fn finish(&mut self, whole: bool, out: &mut Vec<u8>) {
        self.turn.finish(if whole { StreamEnd::Clean } else { StreamEnd::Broken }, out);
    }

    fn held(&self) -> usize {
        self.turn.held()
    }

    fn holds(&self) -> bool {
        self.turn.holds()
    }

    fn release(&mut self, out: &mut Vec<u8>) {
        self.turn.release(out);
    }

    fn held_call(&self) -> usize {
        self.turn.held_call()
    }

    fn settled(&mut self) -> Vec<Settled> {
        self.found.append(&mut self.turn.promoted());
        let reports = self.turn.reports();
        if reports.is_empty() {
            return Vec::new();
        }
        let mut settled: Vec<Settled> = reports.into_iter().map(Settled::from).collect();
        for Settled { call, found } in &mut settled {
            let same = |text: &TextCall| text.name == call.name && text.arguments == call.body;
            *found = self.found.iter().position(same).map(|at| self.found.remove(at));
        }
        settled
    }
}

/// The protocol that the wire reads at such an endpoint, where it does.
fn protocol(speaks: Speaks) -> Option<ProtocolKind> {
    ProtocolKind::ALL.iter().copied().find(|kind| kind.name() == speaks.name())
}
