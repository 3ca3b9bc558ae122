//! What a reader of turns asks about the calls that it finds.

use crate::{Evidence, Verdict};

/// Says what is to become of a call. A reader of turns puts calls together and asks; who answers knows the
/// tools, the model and the policy.
pub trait CallJudge {
    /// What is to become of a call of this tool, whose arguments are this body; `None` where it is known
    /// which tools were offered, and it is none of them.
    fn judge(&self, name: &str, body: &str, evidence: Evidence<'_>) -> Option<Verdict>;

    /// Whether such a tool was offered; `None` where it is not known which ones were.
    fn offers(&self, name: &str) -> Option<bool>;
}

impl<J: CallJudge + ?Sized> CallJudge for &J {
    fn judge(&self, name: &str, body: &str, evidence: Evidence<'_>) -> Option<Verdict> {
        (**self).judge(name, body, evidence)
    }

    fn offers(&self, name: &str) -> Option<bool> {
        (**self).offers(name)
    }
}
