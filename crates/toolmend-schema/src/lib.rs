//! A tool's JSON Schema as a judge of readings, and the repairs that only it can decide.
//!
//! A [`Tool`] is read from any of the forms in which tools are described, and answers what
//! [`toolmend_core::Judge`] asks: is this object admitted, are its keys declared, can anything be missing
//! from it, and which repairs have exactly one answer.
//!
//! ```
//! use toolmend_core::{Admission, Judge, edit};
//! use toolmend_schema::Tool;
//!
//! let tool = Tool::one(r#"{"type": "function", "function": {"name": "search", "parameters": {
//!     "type": "object",
//!     "properties": {"query": {"type": "string"}, "top_k": {"type": "integer"}},
//!     "required": ["query"]
//! }}}"#)?;
//!
//! let body = r#"{"query": "sse", "topK": "5"}"#;
//! let edits = tool.settle(body);
//! assert!(edits.is_empty()); // as it stands, the schema admits it: nothing is changed
//!
//! let body = r#"{"query": "sse", "top_k": "5"}"#;
//! assert!(matches!(tool.admits(body), Admission::Invalid { at, .. } if at == "/top_k"));
//! assert_eq!(edit::apply(body, &tool.settle(body)).unwrap(), r#"{"query": "sse", "top_k": 5}"#);
//! # Ok::<(), toolmend_schema::ToolError>(())
//! ```
//!
//! What it does not do: it fills in no default, drops no key but a `null` that may be left out, mends no
//! typing error in an allowed word, and fetches nothing: a reference that leaves the schema makes it
//! unusable, and a schema that cannot be used blocks no call. A repair is a list of edits of the text, so no
//! number is ever converted; only bounds and a bare `const` compare what 64 bits do not hold as doubles.
//!
//! Work is bounded whatever the schema: see [`limits`]. The modules: `doc` (a body as spans), `node`
//! (jsonschema validates those spans), `schema` (compiling, caching), `graph` (what a schema may cost),
//! `reach` (which schemas apply where), `declared`, `settle`, `note`, `forms` (how tools are described).

#![forbid(unsafe_code)]

mod declared;
mod doc;
mod equal;
mod forms;
mod graph;
mod judge;
mod node;
mod note;
mod number;
mod reach;
mod report;
mod schema;
mod settle;
mod source;
mod string;
mod tool;
mod typed;

pub use tool::{Tool, ToolError};

/// The limits within which a schema is used.
pub mod limits {
    pub use crate::doc::MAX_ITEMS;
    pub use crate::graph::{MAX_BRANCHES, MAX_CHAIN, MAX_FOREIGN, MAX_PATTERNS};
    pub use crate::note::MAX_NOTES;
    pub use crate::schema::{MAX_CACHED, MAX_RECURSION};
    pub use crate::settle::{MAX_REPAIRS, MAX_TRIALS};
    pub use crate::source::{MAX_SCHEMA, MAX_SCHEMA_NESTING};
}
