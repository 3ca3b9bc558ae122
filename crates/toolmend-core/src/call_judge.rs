//! What a reader of turns asks about the calls that it finds.

use crate::{Evidence, Verdict};

/// A call that was found in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundCall<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The text of its arguments.
    pub body: &'a str,
    /// The model that wrote it, as the turn names it.
    pub model: Option<&'a str>,
}

/// Says what is to become of a call. A reader of turns puts calls together and asks; who answers knows the
/// tools and the policy.
pub trait CallJudge {
    /// What is to become of a call; `None` where it is known which tools were offered, and its tool is none
    /// of them.
    fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict>;

    /// Whether a tool of this name was offered; `None` where it is not known which ones were.
    fn offers(&self, name: &str) -> Option<bool>;
}

impl<J: CallJudge + ?Sized> CallJudge for &J {
    fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict> {
        (**self).judge(call, evidence)
    }

    fn offers(&self, name: &str) -> Option<bool> {
        (**self).offers(name)
    }
}
