//! Of which kinds a parameter may be: what a format that writes no types needs to know.

use serde_json::Value;
use toolmend_core::Kinds;

use crate::reach::Reach;
use crate::tool::Tool;

impl Tool {
    /// The kinds of values that the schema admits for this top-level property: the union of what its
    /// branches (`type`, `enum`, `const`, `anyOf`, `$ref` …) name. Unknown where none of them says, or
    /// where a branch could not be followed.
    ///
    /// ```
    /// use toolmend_core::Kinds;
    /// use toolmend_schema::Tool;
    ///
    /// let tool = Tool::new("f", r#"{"properties": {"n": {"type": ["string", "null"]}}}"#);
    /// assert_eq!(tool.kinds("n"), Kinds::STRING.with(Kinds::NULL));
    /// assert!(tool.kinds("m").is_unknown());
    /// ```
    #[must_use]
    pub fn kinds(&self, property: &str) -> Kinds {
        let Some(Ok(compiled)) = self.schema.as_deref().map(|schema| schema.compiled()) else {
            return Kinds::UNKNOWN;
        };
        let reach = Reach::root(compiled).property(property);
        if reach.is_partial() {
            return Kinds::UNKNOWN;
        }
        let mut kinds = Kinds::UNKNOWN;
        for word in reach.types() {
            kinds = kinds.with(of_type(word));
        }
        let mut listed = Kinds::UNKNOWN;
        for value in reach.allowed() {
            listed = listed.with(of_value(value));
        }
        if kinds.is_unknown() {
            listed
        } else if listed.holds(Kinds::NULL_WORD) {
            kinds.with(Kinds::NULL_WORD)
        } else {
            kinds
        }
    }
}

fn of_type(word: &str) -> Kinds {
    match word {
        "string" => Kinds::STRING,
        "number" | "integer" => Kinds::NUMBER,
        "boolean" => Kinds::BOOLEAN,
        "null" => Kinds::NULL,
        "object" => Kinds::OBJECT,
        "array" => Kinds::ARRAY,
        _ => Kinds::UNKNOWN,
    }
}

fn of_value(value: &Value) -> Kinds {
    match value {
        Value::String(word) if word == "null" => Kinds::STRING.with(Kinds::NULL_WORD),
        Value::String(_) => Kinds::STRING,
        Value::Number(_) => Kinds::NUMBER,
        Value::Bool(_) => Kinds::BOOLEAN,
        Value::Null => Kinds::NULL,
        Value::Object(_) => Kinds::OBJECT,
        Value::Array(_) => Kinds::ARRAY,
    }
}
