//! What is known of the ways in which model families write their tool calls.
//!
//! A [`Family`] is a row of a table: what its models are called, and the marks of its format that are known
//! to leak into the arguments of a call. [`family`] finds the row of a model by its name.
//!
//! ```
//! use toolmend_formats::{Match, family};
//!
//! assert_eq!(family("Qwen/Qwen3-32B").family().map(|f| f.name), Some("qwen3"));
//! assert!(family("deepseek-ai/DeepSeek-V4").marks().contains(&"<｜tool▁calls▁begin｜>"));
//! assert!(matches!(family("my-finetune"), Match::Unknown));
//! ```
//!
//! What it does not do: a name is a hint, never a proof. Served names are arbitrary, quantised models keep
//! the habits of the model that they come from, and operators choose the wrong parser. Nothing may be
//! *forbidden* because of a name; it only says which marks are worth knowing.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod brace;
mod channel;
mod context;
mod envelope;
mod format;
mod home;
mod json;
mod literal;
mod marks;
mod parts;
mod prose;
mod python;
mod reader;
mod reason;
mod region;
mod settle;
mod sniff;
mod table;
mod tags;
mod typed;

pub use format::{Format, Grammar, Values};
pub use parts::Parts;
pub use reader::Reader;

/// The most text that waits for its end because it may be a call, in bytes; longer text flows on.
pub const MAX_HELD: usize = 8 << 20;

/// How many marks of one message are looked into; behind them all is text.
pub const MAX_TRIES: usize = 128;

/// How deep values of Python and brace calls may nest.
pub const MAX_DEPTH: usize = 64;

/// What may become a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Promote {
    /// Nothing.
    Off,
    /// What its format marks (a `tool_call` fence counts), and a fenced or bare JSON envelope that is the
    /// whole message.
    #[default]
    Marked,
    /// That, ReAct, and Python calls without marks.
    All,
}

impl Promote {
    /// The word for it on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Promote::Off => "off",
            Promote::Marked => "marked",
            Promote::All => "all",
        }
    }

    /// The choice of this name, if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<Promote> {
        [Promote::Off, Promote::Marked, Promote::All].into_iter().find(|p| p.name() == name)
    }
}

/// The models that write their calls in one way.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Family {
    /// Its name, in lower case.
    pub name: &'static str,
    /// Its name for people, and the form in which it writes a call.
    pub title: &'static str,
    /// How that is.
    pub format: Format,
    /// Marks of its format that leak into the arguments of a call. Each is literal text.
    pub marks: &'static [&'static str],
    /// Model names that are meant as a whole, in lower case; the family's own name is one without being
    /// listed.
    pub exact: &'static [&'static str],
    /// Parts of model names, in lower case.
    pub patterns: &'static [&'static str],
}

/// What a model name says about its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// The name is the family's, or one that is known as a whole.
    Exact(&'static Family),
    /// The name holds one of the family's patterns, and no longer one of another family.
    Substring(&'static Family),
    /// The name says nothing.
    Unknown,
    /// There is no name.
    Empty,
}

impl Match {
    /// The family, if there is one.
    #[must_use]
    pub const fn family(self) -> Option<&'static Family> {
        match self {
            Match::Exact(family) | Match::Substring(family) => Some(family),
            Match::Unknown | Match::Empty => None,
        }
    }

    /// The marks of that family; none where there is no family.
    #[must_use]
    pub const fn marks(self) -> &'static [&'static str] {
        match self.family() {
            Some(family) => family.marks,
            None => &[],
        }
    }
}

/// Ways to write a call that no family has for its own, each with a word on it: what a model makes up that was
/// taught none. Without a mark, such a text is a call only if it is the whole message.
pub const HOME_MADE: &[(&str, &str)] = &[
    ("fence-tool-call", "JSON in a fence called tool_call or tool"),
    ("fence-json", "one JSON envelope in a fence that is the whole message"),
    ("bare-json", "JSON envelopes that are the whole message"),
    ("calling", "[Calling tool: NAME({...})] as the whole message"),
    ("react", "Thought, Action and Action Input as the whole message"),
];

/// All families, in the order of the table.
#[must_use]
pub const fn families() -> &'static [Family] {
    table::FAMILIES
}

/// The family of a model.
///
/// Letters are compared without case (ASCII). A whole name comes first, then the longest pattern that
/// stands anywhere in the name; of two of the same length, the one of the earlier row.
#[must_use]
pub fn family(model: &str) -> Match {
    let model = model.trim();
    if model.is_empty() {
        return Match::Empty;
    }
    let named = |family: &&Family| {
        family.name.eq_ignore_ascii_case(model) || family.exact.iter().any(|n| n.eq_ignore_ascii_case(model))
    };
    if let Some(family) = families().iter().find(named) {
        return Match::Exact(family);
    }
    let mut best: Option<(usize, &'static Family)> = None;
    for family in families() {
        for pattern in family.patterns {
            let longer = best.is_none_or(|(length, _)| pattern.len() > length);
            if longer && holds(model, pattern) {
                best = Some((pattern.len(), family));
            }
        }
    }
    best.map_or(Match::Unknown, |(_, family)| Match::Substring(family))
}

fn holds(model: &str, pattern: &str) -> bool {
    model.as_bytes().windows(pattern.len()).any(|part| part.eq_ignore_ascii_case(pattern.as_bytes()))
}

#[cfg(test)]
mod tests;
