//! What a record with an assistant's text says of its request.

use serde::Deserialize;
use serde_json::value::RawValue;
use toolmend_schema::Tool;

use super::record::{Wrong, string};

/// An assistant's text, and what the request said of calls.
#[derive(Debug)]
pub(crate) struct Text {
    /// In the pieces in which it came.
    pub(crate) pieces: Vec<String>,
    /// The beginning of the message that the prompt wrote.
    pub(crate) prefill: String,
    pub(crate) choice: Choice,
    /// Whether more than one call may be made.
    pub(crate) parallel: bool,
}

/// Which tools may be called.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Choice {
    #[default]
    Any,
    None,
    Named(String),
}

impl Choice {
    /// `tool_choice` as the APIs write it: a word, or an object that names a tool.
    pub(super) fn read(raw: &RawValue) -> Result<Choice, Wrong<'static>> {
        #[derive(Deserialize)]
        struct Demanded {
            name: Option<String>,
            function: Option<Named>,
            r#type: Option<String>,
        }
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        if raw.get().starts_with('"') {
            return Ok(if string(raw, "tool_choice")? == "none" { Choice::None } else { Choice::Any });
        }
        let wrong =
            |_| Wrong::NotOfType { field: "tool_choice", wanted: "a word, or an object that names a tool" };
        let demanded: Demanded = serde_json::from_str(raw.get()).map_err(wrong)?;
        Ok(match demanded.function.map(|f| f.name).or(demanded.name) {
            Some(name) => Choice::Named(name),
            None if demanded.r#type.as_deref() == Some("none") => Choice::None,
            None => Choice::Any,
        })
    }

    /// Those of the tools that may be called.
    pub(crate) fn of(&self, tools: &[Tool]) -> Vec<Tool> {
        let allowed = |tool: &&Tool| match self {
            Choice::Any => true,
            Choice::None => false,
            Choice::Named(name) => tool.name() == Some(name),
        };
        tools.iter().filter(allowed).cloned().collect()
    }
}

/// `parallel_tool_calls`.
pub(super) fn parallel(raw: &RawValue) -> Result<bool, Wrong<'static>> {
    let wrong = |_| Wrong::NotOfType { field: "parallel_tool_calls", wanted: "true or false" };
    serde_json::from_str(raw.get()).map_err(wrong)
}

/// `chunks`.
pub(super) fn pieces(raw: &RawValue) -> Result<Vec<String>, Wrong<'static>> {
    let wrong = |_| Wrong::NotOfType { field: "chunks", wanted: "a list of strings" };
    let list: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(wrong)?;
    list.into_iter().map(|piece| string(piece, "chunks")).collect()
}
