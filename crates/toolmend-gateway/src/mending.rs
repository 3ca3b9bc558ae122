//! The inspector that mends: a [`Turn`] of the wire, judged by what the request says, behind a [`Promoter`] for
//! the calls that stand in the text.

use std::sync::{Arc, Mutex, PoisonError};

use toolmend::formats::{Promote, Reader};
use toolmend::wire::{
    CallReport, Hold as WireHold, Limits, OnCut as WireOnCut, Outcome, Promoter, Promoting, ProtocolKind,
    Recorder, StreamEnd, Turn, TurnOptions,
};
use toolmend::{
    CallJudge, Decline, Ending, Evidence, FoundCall, Grade, Policy, Reason, Receipt, Rule, TextCall,
    TextEvent, TextReader, Toolmend, Verdict,
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
    switches: Switches,
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
            switches: Switches { policy: settings.policy, without: settings.without.as_slice().into() },
            options,
            promote: settings.promote,
        }
    }

    fn options(&self, facts: &Facts) -> Option<TurnOptions> {
        let protocol = Some(protocol(facts.speaks)?);
        Some(TurnOptions { protocol, max_tokens: facts.max_tokens, ..self.options })
    }

    /// What judges the calls of a turn that was asked for like this.
    pub(crate) fn judge(&self, facts: &Facts) -> CallsOf {
        let model = self.model.as_deref().or(facts.model.as_deref()).unwrap_or("");
        let toolmend = Toolmend::new().policy(self.switches.policy).model(model).tools(facts.read_tools());
        CallsOf { toolmend: Arc::new(toolmend), switches: self.switches.clone(), said: None }
    }

    /// What makes calls of the text of such a turn; none where the request allows no call.
    fn promoter(&self, facts: &Facts, judge: &CallsOf) -> Option<(Promoter<Switched>, Refused)> {
        if self.promote == Promote::Off || !facts.offers_tools() || facts.choice == ToolChoice::None {
            return None;
        }
        let reader =
            judge.toolmend.shared_reader().promote(self.promote).parallel(facts.parallel != Some(false));
        let refused = Refused::default();
        let reader = Switched { reader, switches: self.switches.clone(), refused: Arc::clone(&refused) };
        Some((Promoter::new(reader, Limits::default(), facts.max_tokens), refused))
    }

    /// What looks at such a turn, with this for a judge.
    fn inspecting(&self, facts: &Facts, judge: CallsOf) -> Option<Box<dyn Inspector>> {
        let options = self.options(facts)?;
        let switches = self.switches.clone();
        Some(match self.promoter(facts, &judge) {
            Some((promoter, refused)) => {
                let turn = Promoting::new(promoter, Turn::new(options, judge));
                let finding = Finding { turn, found: Vec::new(), refused, switches };
                if options.observe { Box::new(Shadow(finding)) } else { Box::new(finding) }
            }
            None => {
                let telling = Telling { turn: Turn::new(options, judge), switches };
                if options.observe { Box::new(Shadow(telling)) } else { Box::new(telling) }
            }
        })
    }
}

impl Inspectors for Mending {
    fn inspector(&self, facts: &Facts) -> Option<Box<dyn Inspector>> {
        self.inspecting(facts, self.judge(facts))
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
        let said = Said { name: call.name.clone(), body: call.body.clone(), says };
        self.inspecting(facts, CallsOf { said: Some(said), ..self.judge(facts) })
    }

    fn history(&self, facts: &Facts) -> Option<Box<dyn CallJudge + '_>> {
        Some(Box::new(self.judge(facts)))
    }
}

/// Which repairs are accepted.
#[derive(Debug, Clone)]
struct Switches {
    policy: Policy,
    /// Rules that are not to be used.
    without: Arc<[Rule]>,
}

impl Switches {
    /// The first of these rules that is not to be used.
    fn off(&self, rules: &[Rule]) -> Option<Rule> {
        rules.iter().copied().find(|rule| self.without.contains(rule))
    }

    /// What is told of a call. One that was declined for a rule that is switched off is told as above the policy by
    /// its judge, who has no other word for it.
    fn told(&self, call: CallReport) -> Settled {
        let off = match &call.outcome {
            Outcome::Judged(Verdict::Declined(Decline {
                reason: Reason::AbovePolicy { grade },
                would: Some(would),
                ..
            })) if self.policy.accepts(*grade) => self.off(&would.1.rules()),
            _ => None,
        };
        Settled { switched_off: off, ..Settled::from(call) }
    }
}

/// Judges the calls of one turn.
#[derive(Debug)]
pub(crate) struct CallsOf {
    toolmend: Arc<Toolmend<'static>>,
    switches: Switches,
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
            Verdict::Mended { output, receipt } if self.switches.off(&receipt.rules()).is_some() => {
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

/// A turn whose text is left alone.
struct Telling {
    turn: Turn<CallsOf>,
    switches: Switches,
}

impl Inspector for Telling {
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
        let reports = self.turn.reports();
        if reports.is_empty() {
            return Vec::new();
        }
        reports.into_iter().map(|call| self.switches.told(call)).collect()
    }
}

/// Calls that were found and not made, for a rule that is switched off.
type Refused = Arc<Mutex<Vec<TextCall>>>;

/// A reader that makes no calls by rules that are switched off: what they would be made of stays text.
struct Switched {
    reader: Reader<'static>,
    switches: Switches,
    refused: Refused,
}

impl Switched {
    /// What of the reader's goes on, and what of it does not.
    fn switch(
        &mut self,
        sink: &mut dyn FnMut(TextEvent<'_>),
        read: impl FnOnce(&mut Reader<'static>, &mut dyn FnMut(TextEvent<'_>)),
    ) {
        let Switched { reader, switches, refused } = self;
        read(reader, &mut |event| match event {
            TextEvent::Call(call) if switches.off(&call.rules).is_some() => {
                sink(TextEvent::Content(&call.source));
                refused.lock().unwrap_or_else(PoisonError::into_inner).push(call);
            }
            event => sink(event),
        });
    }
}

impl TextReader for Switched {
    fn model(&mut self, name: &str) {
        TextReader::model(&mut self.reader, name);
    }

    fn push(&mut self, piece: &str, sink: &mut dyn FnMut(TextEvent<'_>)) {
        self.switch(sink, |reader, sink| reader.push(piece, sink));
    }

    fn finish(&mut self, ending: Ending, sink: &mut dyn FnMut(TextEvent<'_>)) {
        self.switch(sink, |reader, sink| reader.finish(ending, sink));
    }
}

/// A turn whose text is read for calls before the turn itself is.
struct Finding {
    turn: Promoting<Switched, CallsOf>,
    /// The calls that were made of text, until the turn has settled them.
    found: Vec<TextCall>,
    refused: Refused,
    switches: Switches,
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
        let refused = std::mem::take(&mut *self.refused.lock().unwrap_or_else(PoisonError::into_inner));
        let reports = self.turn.reports();
        if reports.is_empty() && refused.is_empty() {
            return Vec::new();
        }
        let mut settled: Vec<Settled> = reports.into_iter().map(|call| self.switches.told(call)).collect();
        for Settled { call, found, .. } in &mut settled {
            let same = |text: &TextCall| text.name == call.name && text.arguments == call.body;
            *found = self.found.iter().position(same).map(|at| self.found.remove(at));
        }
        settled.extend(refused.into_iter().map(|call| refusal(call, &self.switches)));
        settled
    }
}

/// Looks without touching: all that comes leaves at once, and what is made of it is let fall.
struct Shadow<I>(I);

impl<I: Inspector> Inspector for Shadow<I> {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(bytes);
        self.0.push(bytes, &mut Vec::new());
    }

    fn finish(&mut self, whole: bool, _: &mut Vec<u8>) {
        self.0.finish(whole, &mut Vec::new());
    }

    /// What is kept to be read, although it has left: it is memory all the same.
    fn held(&self) -> usize {
        self.0.held()
    }

    /// Nobody waits for it.
    fn holds(&self) -> bool {
        false
    }

    fn release(&mut self, _: &mut Vec<u8>) {}

    fn held_call(&self) -> usize {
        self.0.held_call()
    }

    fn settled(&mut self) -> Vec<Settled> {
        self.0.settled()
    }
}

/// What is told of a call that was found in the text and left there.
fn refusal(found: TextCall, switches: &Switches) -> Settled {
    let grade = found.grade.unwrap_or(Grade::Packaging);
    let decline = Decline {
        reason: Reason::AbovePolicy { grade },
        at: 0,
        readings: Vec::new(),
        ending: Ending::Complete,
        would: None,
    };
    let call = CallReport {
        choice: 0,
        index: 0,
        id: found.id.clone(),
        name: found.name.clone(),
        body: found.source.clone(),
        ending: Ending::Complete,
        outcome: Outcome::Judged(Verdict::Declined(decline)),
        rewritten: false,
    };
    Settled { call, switched_off: switches.off(&found.rules), found: Some(found) }
}

/// The protocol that the wire reads at such an endpoint, where it does.
fn protocol(speaks: Speaks) -> Option<ProtocolKind> {
    ProtocolKind::ALL.iter().copied().find(|kind| kind.name() == speaks.name())
}
