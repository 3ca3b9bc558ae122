//! Tools: a name and the schema of its parameters.

use std::fmt;
use std::sync::Arc;

use crate::doc::{Doc, Fault};
use crate::forms;
use crate::schema::Schema;
use crate::source::Dialect;

/// One tool that a model may call.
///
/// Cloning is cheap, and tools with the same schema text share what it compiles to.
#[derive(Debug, Clone)]
pub struct Tool {
    name: Option<String>,
    pub(crate) schema: Option<Arc<Schema>>,
}

impl Tool {
    /// A tool of this name whose parameters follow this JSON Schema. Whether the schema can be used shows
    /// when it is first needed; see [`Tool::unusable`].
    #[must_use]
    pub fn new(name: impl Into<String>, schema: &str) -> Tool {
        Tool::of(Some(name.into()), Some((schema, Dialect::Standard)))
    }

    pub(crate) fn of(name: Option<String>, schema: Option<(&str, Dialect)>) -> Tool {
        Tool { name, schema: schema.map(|(text, dialect)| Schema::shared(text, dialect)) }
    }

    /// The tools in a JSON text: one tool, a list of tools, or an object with a `tools` list.
    ///
    /// A tool may have any of these forms, also mixed: OpenAI's, with `function`; that of the Responses
    /// API, flat; Anthropic's, with `input_schema`; Gemini's `functionDeclarations`; MCP's, with
    /// `inputSchema`; or a JSON Schema alone, which has no name. Tools that a server runs itself have no
    /// schema and are let through unchecked.
    ///
    /// ```
    /// use toolmend_schema::Tool;
    ///
    /// let tools = Tool::list(r#"{"tools": [{"name": "now", "input_schema": {"type": "object"}}]}"#)?;
    /// assert_eq!(tools[0].name(), Some("now"));
    /// # Ok::<(), toolmend_schema::ToolError>(())
    /// ```
    ///
    /// # Errors
    /// When the text is not JSON, or something in it is no tool.
    pub fn list(text: &str) -> Result<Vec<Tool>, ToolError> {
        let doc = Doc::parse(text).map_err(|fault| match fault {
            Fault::Syntax { at } => ToolError::NotJson { at },
            Fault::TooDeep | Fault::TooLong => ToolError::TooLarge,
        })?;
        forms::tools(&doc)
    }

    /// The one tool in a JSON text; see [`Tool::list`] for the forms.
    ///
    /// # Errors
    /// As for [`Tool::list`], and when there is not exactly one.
    pub fn one(text: &str) -> Result<Tool, ToolError> {
        let mut tools = Tool::list(text)?;
        match (tools.pop(), tools.len()) {
            (Some(tool), 0) => Ok(tool),
            (None, _) => Err(ToolError::NotOne { count: 0 }),
            (Some(_), more) => Err(ToolError::NotOne { count: more + 1 }),
        }
    }

    /// Its name; a JSON Schema alone has none.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The schema of its parameters as it was written.
    #[must_use]
    pub fn schema(&self) -> Option<&str> {
        self.schema.as_deref().map(Schema::text)
    }

    /// Why its schema cannot be used, if so. Such a schema blocks no call: it counts as none.
    #[must_use]
    pub fn unusable(&self) -> Option<&str> {
        self.schema.as_deref()?.compiled().err()
    }
}

/// Why a text holds no tools. Offsets are bytes of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolError {
    /// It is not JSON from this byte on.
    NotJson {
        /// The first byte that cannot stand.
        at: usize,
    },
    /// It is longer than 4 GiB, or nests deeper than [`MAX_NESTING`](toolmend_core::MAX_NESTING).
    TooLarge,
    /// What stands here has none of the forms of a tool.
    NotATool {
        /// Where it begins.
        at: usize,
    },
    /// A part of a tool has the wrong type.
    WrongType {
        /// Where that part begins.
        at: usize,
        /// What the part is called.
        part: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// One tool is wanted.
    NotOne {
        /// How many there are.
        count: usize,
    },
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolError::NotJson { at } => write!(f, "the tool description is not JSON (byte {at})"),
            ToolError::TooLarge => f.write_str("the tool description is too long or nests too deep"),
            ToolError::NotATool { at } => write!(
                f,
                "what stands at byte {at} is no tool: give a tool as OpenAI, Anthropic, Gemini or MCP write it, or a JSON Schema"
            ),
            ToolError::WrongType { at, part, expected } => {
                write!(f, "`{part}` of a tool must be {expected} (byte {at})")
            }
            ToolError::NotOne { count: 0 } => {
                f.write_str("there is no tool in the description, and one is wanted")
            }
            ToolError::NotOne { count } => {
                write!(f, "there are {count} tools in the description, and one is wanted")
            }
        }
    }
}

impl std::error::Error for ToolError {}
