//! What was done to a call: by the mender of the turn, and before it where the call was made of text.

use toolmend::wire::Outcome;
use toolmend::{Grade, Rule, TextCall, Verdict};

use crate::receipt::rule_names;

/// What became of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done<'a> {
    pub(crate) outcome: &'a Outcome,
    /// The text that it was made of. The outcome sees only what was made of it.
    pub(crate) found: Option<&'a TextCall>,
}

impl<'a> From<&'a Outcome> for Done<'a> {
    /// Of a call that the server told itself.
    fn from(outcome: &'a Outcome) -> Done<'a> {
        Done { outcome, found: None }
    }
}

impl Done<'_> {
    /// Whether the call's arguments are not those that the model wrote.
    pub(crate) fn is_repaired(self) -> bool {
        matches!(self.outcome, Outcome::Judged(Verdict::Mended { .. })) || self.found_rules().next().is_some()
    }

    /// The rules that changed bytes.
    pub(crate) fn rules(self) -> Vec<&'static str> {
        let mut rules: Vec<_> = self.found_rules().map(Rule::name).collect();
        if let Outcome::Judged(Verdict::Mended { receipt, .. }) = self.outcome {
            rules.extend(rule_names(receipt));
        }
        rules
    }

    /// The grade of the riskiest of them.
    pub(crate) fn grade(self) -> Option<Grade> {
        let own = match self.outcome {
            Outcome::Judged(Verdict::Mended { receipt, .. }) => Some(receipt.grade),
            _ => None,
        };
        own.max(self.found.and_then(|found| found.grade))
    }

    fn found_rules(self) -> impl Iterator<Item = Rule> {
        self.found.into_iter().flat_map(|found| found.rules.iter().copied())
    }
}

/// The calls that were made of a turn's text and are not yet known again among its calls.
#[derive(Debug, Default)]
pub(crate) struct Found(Vec<TextCall>);

impl Found {
    pub(crate) fn add(&mut self, calls: Vec<TextCall>) {
        self.0.extend(calls);
    }

    /// The first one that became this call.
    pub(crate) fn take(&mut self, name: &str, arguments: &str) -> Option<TextCall> {
        let at = self.0.iter().position(|found| found.name == name && found.arguments == arguments)?;
        Some(self.0.remove(at))
    }
}
