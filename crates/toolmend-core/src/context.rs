//! What is known beside the text, as the reader asks for it.

use crate::{Admission, Evidence, Judge};

/// What is known beside the text of one body.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) evidence: &'a Evidence<'a>,
    pub(crate) judge: &'a dyn Judge,
    /// The schema rules out the empty object as the call.
    pub(crate) never_empty: bool,
}

impl<'a> Context<'a> {
    pub(crate) fn new(evidence: &'a Evidence<'a>, judge: &'a dyn Judge) -> Context<'a> {
        let never_empty = !judge.is_blind() && matches!(judge.admits("{}"), Admission::Invalid { .. });
        Context { evidence, judge, never_empty }
    }

    /// Whether a schema decides at all.
    pub(crate) fn has_schema(&self) -> bool {
        !self.judge.is_blind()
    }

    /// Whether a key stands twice in one object.
    pub(crate) fn repeats_key(&self, object: &str) -> bool {
        self.judge.repeats_key(object)
    }

    /// Whether the schema's own repairs make an object of this one that it admits.
    pub(crate) fn can_be(&self, object: &str) -> bool {
        self.has_schema() && !self.judge.settle(object).is_empty()
    }

    /// Whether a reading may be this object: the schema admits it, or there is none that could tell.
    pub(crate) fn may_be(&self, object: &str) -> bool {
        if self.judge.is_blind() {
            return true;
        }
        match self.judge.admits(object) {
            Admission::Valid => self.judge.declared_only(object),
            Admission::Invalid { .. } => false,
            Admission::Unvalidatable { .. } | Admission::NotApplicable => true,
        }
    }
}
