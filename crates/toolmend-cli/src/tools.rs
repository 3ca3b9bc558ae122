//! The tools that were offered, and by which of them a call is judged.

use std::fmt;

use toolmend::{CallJudge, Evidence, FoundCall, Toolmend, Verdict};
use toolmend_schema::{Tool, ToolError};

use crate::say::{Plain, say};

/// The tools that are described.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tools {
    list: Vec<Tool>,
    /// Whether these are all that were offered: then a call of any other tool is no call.
    all: bool,
}

impl Tools {
    /// The one tool in a description. Others may have been offered, too.
    pub(crate) fn one(text: &str) -> Result<Tools, ToolError> {
        Ok(Tools { list: vec![Tool::one(text)?], all: false })
    }

    /// All tools that were offered.
    pub(crate) fn all(text: &str) -> Result<Tools, ToolError> {
        let list = Tool::list(text)?;
        let nameless = list.len() == 1 && list[0].name().is_none();
        Ok(Tools { all: !nameless, list })
    }

    /// Says which schemas cannot be used, and so block nothing.
    pub(crate) fn say_unusable(&self) {
        for tool in &self.list {
            if let Some(why) = tool.unusable() {
                let name = tool.name().unwrap_or("without a name");
                say(format_args!(
                    "note: the schema of the tool {} cannot be used, so it counts as none: {}",
                    Plain(name),
                    Plain(why)
                ));
            }
        }
    }

    /// Tells `mender` by which tools to judge the calls of these names.
    pub(crate) fn offer<'a>(
        &'a self,
        mut mender: Toolmend<'a>,
        called: &[&str],
    ) -> Result<Toolmend<'a>, Unclear> {
        for tool in &self.list {
            mender = match (tool.name(), called) {
                (Some(name), _) => mender.tool(name, tool),
                (None, []) => mender,
                (None, [name]) if self.list.len() == 1 => mender.tool(*name, tool),
                (None, _) => return Err(Unclear::Nameless),
            };
        }
        let described = |name: &str| self.list.iter().any(|tool| tool.name().is_none_or(|n| n == name));
        if !self.all && !self.list.is_empty() {
            // Nothing is known of the other tools, neither that they exist nor that they do not.
            for name in called.iter().filter(|name| !described(name)) {
                mender = mender.tool(*name, &toolmend::NoJudge);
            }
        }
        Ok(mender)
    }

    /// Who judges the calls of a turn of which it is not known yet which tools it calls.
    pub(crate) fn judge<'a>(&self, mender: Toolmend<'a>) -> TurnJudge<'a> {
        let anything = if self.all { None } else { Some(mender.clone()) };
        TurnJudge { mender: mender.tools(self.list.iter().cloned()), anything }
    }

    /// These tools as those that a call in a text may be of.
    pub(crate) fn offered(&self, mender: Toolmend<'static>) -> Toolmend<'static> {
        mender.tools(self.list.iter().filter(|tool| tool.name().is_some()).cloned())
    }

    /// The tool that a body alone belongs to: the one of this name, or the only one.
    pub(crate) fn of_body(&self, name: Option<&str>) -> Result<Option<&Tool>, Unclear> {
        match (&self.list[..], name) {
            ([], _) if !self.all => Ok(None),
            ([tool], None) => Ok(Some(tool)),
            ([tool], Some(_)) if tool.name().is_none() => Ok(Some(tool)),
            (list, Some(name)) => match list.iter().find(|tool| tool.name() == Some(name)) {
                Some(tool) => Ok(Some(tool)),
                None => Err(Unclear::NoSuchTool { name: name.to_owned(), offered: self.names() }),
            },
            (_, None) => Err(Unclear::WhichTool { offered: self.names() }),
        }
    }

    fn names(&self) -> Vec<String> {
        self.list.iter().filter_map(Tool::name).map(str::to_owned).collect()
    }
}

/// Judges the calls of a turn by the tools that are described.
pub(crate) struct TurnJudge<'a> {
    mender: Toolmend<'a>,
    /// Judges calls of tools that are not described, where those may have been offered, too.
    anything: Option<Toolmend<'a>>,
}

impl CallJudge for TurnJudge<'_> {
    fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict> {
        let verdict = self.mender.judge(call, evidence);
        verdict.or_else(|| self.anything.as_ref()?.judge(call, evidence))
    }

    fn offers(&self, name: &str) -> Option<bool> {
        match (self.mender.offers(name), &self.anything) {
            (Some(false), Some(_)) => None,
            (offers, _) => offers,
        }
    }
}

/// Mends a body that stands alone, where it is known to belong to a call of `name`, and to be judged by
/// `tool`.
pub(crate) fn mend_body(
    mender: Toolmend<'_>,
    name: Option<&str>,
    tool: Option<&Tool>,
    body: &str,
    evidence: Evidence<'_>,
) -> Verdict {
    let evidence = match name {
        Some(name) => evidence.tool(name),
        None => evidence,
    };
    match tool {
        Some(tool) => mender.tool(name.unwrap_or_default(), tool).mend(body, evidence),
        None => mender.mend(body, evidence),
    }
}

/// Why it is not clear which tool is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unclear {
    /// A description has no name, and there are several tools or calls of several tools.
    Nameless,
    /// There is no tool of the name that was given.
    NoSuchTool { name: String, offered: Vec<String> },
    /// There is not one tool, and no name was given.
    WhichTool { offered: Vec<String> },
}

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unclear::Nameless => f.write_str(
                "a tool's description has no name, so it is not clear which calls it judges; give every tool its name",
            ),
            Unclear::NoSuchTool { name, offered } => write!(
                f,
                "there is no tool {:?} in the description; it has: {}",
                Plain(name).to_string(),
                Plain(&offered.join(", "))
            ),
            Unclear::WhichTool { offered } if offered.is_empty() => f.write_str(
                "there is no tool in the description; describe the one that is called with --tool",
            ),
            Unclear::WhichTool { offered } => write!(
                f,
                "the description has several tools ({}); say with --name which one is called",
                Plain(&offered.join(", "))
            ),
        }
    }
}
