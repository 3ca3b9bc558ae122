//! A judge for tests that are about turns, not about schemas.

use toolmend_core::{CallJudge, Evidence, FoundCall, NoJudge, Policy, Verdict, mend};

/// Judges without a schema, under the usual policy; every tool was offered.
pub(crate) struct Anything;

impl CallJudge for Anything {
    fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict> {
        Some(mend(call.body, &evidence, &NoJudge).under(Policy::STANDARD))
    }

    fn offers(&self, _name: &str) -> Option<bool> {
        None
    }
}
