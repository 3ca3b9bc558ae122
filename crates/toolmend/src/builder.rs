//! What is the same for every call of an application: its policy, its model, its tools.

use core::fmt;

use toolmend_core::{Evidence, Judge, NoJudge, Policy, Verdict, mend};
use toolmend_formats::{Match, family};
use toolmend_wire::{Call, Recorded};

use crate::settled::{Outcome, SettledCall};

/// Mends calls under one policy, for one model and its tools.
///
/// ```
/// use toolmend::{Evidence, Policy, Toolmend};
///
/// let toolmend = Toolmend::new().policy(Policy::STRICT).model("deepseek-v4");
/// let body = "<｜tool▁call▁arguments▁begin｜>{\"query\": \"vllm\", \"top_k\": 3}";
/// assert_eq!(toolmend.mend(body, Evidence::new()).text(body), Some("{\"query\": \"vllm\", \"top_k\": 3}"));
/// ```
#[derive(Clone)]
pub struct Toolmend<'a> {
    policy: Policy,
    model: Match,
    tools: Vec<(String, &'a dyn Judge)>,
}

impl<'a> Toolmend<'a> {
    /// [`Policy::STANDARD`], no model, no tools.
    #[must_use]
    pub fn new() -> Self {
        Toolmend { policy: Policy::STANDARD, model: Match::Empty, tools: Vec::new() }
    }

    /// The highest grade of repair to accept.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// The model that writes the calls: says which marks it is known to leak. An empty or unknown name
    /// leaves the general rules; see [`Toolmend::model_match`].
    #[must_use]
    pub fn model(mut self, model: &str) -> Self {
        self.model = family(model);
        self
    }

    /// A tool that the model was offered, and what judges its arguments; [`NoJudge`] where nothing does. Of
    /// two tools of one name the later one counts.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, judge: &'a dyn Judge) -> Self {
        let name = name.into();
        self.tools.retain(|(known, _)| *known != name);
        self.tools.push((name, judge));
        self
    }

    /// What the model's name said.
    #[must_use]
    pub const fn model_match(&self) -> Match {
        self.model
    }

    /// Says what is to become of one body, under the policy. It is judged by the tool where exactly one
    /// was offered.
    #[must_use]
    pub fn mend(&self, body: &str, evidence: Evidence<'_>) -> Verdict {
        match &self.tools[..] {
            [(_, judge)] => self.judged(body, evidence, *judge),
            _ => self.judged(body, evidence, &NoJudge),
        }
    }

    /// As [`Toolmend::mend`], for a call of this tool; `None` where tools were offered and it is none of
    /// them.
    #[must_use]
    pub fn mend_call<'e>(&self, name: &'e str, body: &str, evidence: Evidence<'e>) -> Option<Verdict> {
        let judge = match self.tools.iter().find(|(known, _)| known == name) {
            Some((_, judge)) => *judge,
            None if self.tools.is_empty() => &NoJudge,
            None => return None,
        };
        Some(self.judged(body, evidence.tool(name), judge))
    }

    /// Settles every call of a turn. `max_tokens` is the request's cap on output tokens, where it is known.
    #[must_use]
    pub fn turn(&self, turn: &Recorded, max_tokens: Option<u64>) -> Vec<SettledCall> {
        turn.calls.iter().map(|call| self.settle(call, turn.evidence(call, max_tokens))).collect()
    }

    /// Settles one call, where `evidence` is what is known of its own ending.
    pub(crate) fn settle<'e>(&self, call: &'e Call, evidence: Evidence<'e>) -> SettledCall {
        let outcome = match &call.fault {
            Some(fault) => Outcome::Misassembled(fault.clone()),
            None => self
                .mend_call(&call.name, &call.arguments, evidence)
                .map_or(Outcome::UnknownTool, Outcome::Judged),
        };
        SettledCall {
            choice: call.choice,
            index: call.index,
            id: call.id.clone(),
            name: call.name.clone(),
            body: call.arguments.clone(),
            outcome,
        }
    }

    fn judged(&self, body: &str, evidence: Evidence<'_>, judge: &dyn Judge) -> Verdict {
        mend(body, &evidence.marks(self.model.marks()), judge).under(self.policy)
    }
}

impl Default for Toolmend<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Toolmend<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools.iter().map(|(name, _)| &name[..]).collect();
        f.debug_struct("Toolmend")
            .field("policy", &self.policy)
            .field("model", &self.model)
            .field("tools", &tools)
            .finish()
    }
}
