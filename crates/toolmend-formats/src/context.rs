//! What holds for a whole text: the tools, the model, how much may be promoted.

use toolmend_core::{Judge, Kinds, Offer, Policy};

use crate::{Format, Match, Promote};

/// What a reader was told before the text began.
#[derive(Clone)]
pub(crate) struct Context<'c> {
    /// The tools; none where no call may be made.
    pub(crate) tools: Option<&'c dyn Offer>,
    pub(crate) model: Match,
    pub(crate) policy: Policy,
    pub(crate) promote: Promote,
    /// Whether more than one call may be made.
    pub(crate) parallel: bool,
}

impl<'c> Context<'c> {
    pub(crate) fn judge(&self, tool: &str) -> Option<&'c dyn Judge> {
        self.tools?.judge(tool)
    }

    pub(crate) fn kinds(&self, tool: &str, parameter: &str) -> Kinds {
        self.tools.map_or(Kinds::UNKNOWN, |tools| tools.kinds(tool, parameter))
    }

    pub(crate) fn marks(&self) -> &'static [&'static str] {
        self.model.marks()
    }

    /// How the model's family writes calls, where that is known.
    pub(crate) fn format(&self) -> Option<&'static Format> {
        self.model.family().map(|family| &family.format)
    }

    /// Whether the model's name says that it is of this family.
    pub(crate) fn family_is(&self, name: &str) -> bool {
        self.model.family().is_some_and(|family| family.name == name)
    }

    /// The tool that is meant by a name which may stand in the namespace that some formats put around it.
    pub(crate) fn offered<'n>(&self, name: &'n str) -> Option<&'n str> {
        let name = name.trim();
        if self.judge(name).is_some() {
            return Some(name);
        }
        name.strip_prefix("functions.").filter(|inner| self.judge(inner).is_some())
    }
}
