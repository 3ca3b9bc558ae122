//! What holds for a whole text: the tools, the model, how much may be promoted.

use alloc::sync::Arc;

use toolmend_core::{Judge, Kinds, Offer, Policy};

use crate::{Format, Match, Promote};

/// What a reader was told before the text began.
#[derive(Clone)]
pub(crate) struct Context<'c> {
    /// The tools; none where no call may be made.
    pub(crate) tools: Option<Tools<'c>>,
    pub(crate) model: Match,
    pub(crate) policy: Policy,
    pub(crate) promote: Promote,
    /// Whether more than one call may be made.
    pub(crate) parallel: bool,
}

/// The tools that a request offered.
#[derive(Clone)]
pub(crate) enum Tools<'c> {
    Lent(&'c (dyn Offer + Sync)),
    Shared(Arc<dyn Offer + Send + Sync>),
}

impl Tools<'_> {
    fn offer(&self) -> &dyn Offer {
        match self {
            Tools::Lent(tools) => *tools,
            Tools::Shared(tools) => &**tools,
        }
    }
}

impl Context<'_> {
    pub(crate) fn judge(&self, tool: &str) -> Option<&dyn Judge> {
        self.tools.as_ref()?.offer().judge(tool)
    }

    pub(crate) fn kinds(&self, tool: &str, parameter: &str) -> Kinds {
        self.tools.as_ref().map_or(Kinds::UNKNOWN, |tools| tools.offer().kinds(tool, parameter))
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
