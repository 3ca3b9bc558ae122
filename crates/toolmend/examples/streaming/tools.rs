//! The two tools: what the model is told of them, and what a validated call of one is.

use serde::Deserialize;
use toolmend::{Tool, ToolError};

/// What a call may look like. The model names the tool inside of the object, as the prompt asks it to.
const CALL: &str = r#"{
    "oneOf": [
        {
            "type": "object",
            "properties": {
                "tool": {"const": "search"},
                "query": {"type": "string"},
                "top_k": {"type": "integer", "minimum": 1, "maximum": 50}
            },
            "required": ["tool", "query", "top_k"],
            "additionalProperties": false
        },
        {
            "type": "object",
            "properties": {
                "tool": {"const": "create_ticket"},
                "title": {"type": "string"},
                "priority": {"enum": ["low", "normal", "high"]}
            },
            "required": ["tool", "title"],
            "additionalProperties": false
        }
    ]
}"#;

/// The schema as what judges a call.
pub(crate) fn schema() -> Result<Tool, ToolError> {
    Tool::one(CALL)
}

/// A call that the schema admits.
#[derive(Debug, Deserialize)]
#[serde(tag = "tool", rename_all = "snake_case")]
pub(crate) enum Call {
    Search { query: String, top_k: usize },
    CreateTicket { title: String, priority: Option<String> },
}
