//! A schema's text made into the value that jsonschema compiles.
//!
//! Tools write schemas in two dialects: JSON Schema, and the OpenAPI-like one of Gemini (`"STRING"`, limits
//! as strings). Both come out as JSON Schema; OpenAPI's `nullable` is meant in both. Only places where a
//! schema stands are touched: an `enum`, a `default`, or a property that is called `type` stays as it is.

use serde_json::{Map, Value};

use crate::doc::{Doc, Fault, Kind};
use crate::number::nearest;

/// The longest schema that is used, in bytes.
pub const MAX_SCHEMA: usize = 1 << 20;

/// How deep a schema's own containers may nest.
pub const MAX_SCHEMA_NESTING: usize = 128;

/// How the tool's form writes schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Dialect {
    /// JSON Schema.
    Standard,
    /// The subset of OpenAPI 3.0 that Gemini takes.
    Gemini,
}

/// A schema as jsonschema takes it.
#[derive(Debug, PartialEq)]
pub(crate) struct Source {
    pub(crate) root: Value,
    /// How deep its containers nest.
    pub(crate) nesting: usize,
}

/// Reads a schema. The error says in a few words why it cannot be used.
pub(crate) fn read(text: &str, dialect: Dialect) -> Result<Source, String> {
    if text.len() > MAX_SCHEMA {
        return Err(format!("the schema is longer than {MAX_SCHEMA} bytes"));
    }
    let too_deep = || format!("the schema nests deeper than {MAX_SCHEMA_NESTING} levels");
    let doc = Doc::parse(text).map_err(|fault| match fault {
        Fault::Syntax { at } => format!("the schema is not JSON (byte {at})"),
        Fault::TooDeep | Fault::TooLong => too_deep(),
    })?;
    if doc.depth() > MAX_SCHEMA_NESTING {
        return Err(too_deep());
    }
    let gemini = dialect == Dialect::Gemini || speaks_gemini(&doc);
    let root = Builder { doc: &doc, gemini, open: Vec::new() }.build()?;
    Ok(Source { root, nesting: doc.depth() })
}

/// Whether the root's type is one that only Gemini writes.
fn speaks_gemini(doc: &Doc<'_>) -> bool {
    doc.kind(0) == Kind::Object
        && doc
            .get(0, "type")
            .is_some_and(|t| doc.kind(t) == Kind::String && upper_type(&doc.string(t)).is_some())
}

/// The JSON Schema type of this name in capitals.
fn upper_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "STRING" => "string",
        "NUMBER" => "number",
        "INTEGER" => "integer",
        "BOOLEAN" => "boolean",
        "ARRAY" => "array",
        "OBJECT" => "object",
        "NULL" => "null",
        _ => return None,
    })
}

/// What stands at a place in a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A schema.
    Schema,
    /// Schemas by name, or a list of them.
    Schemas,
    /// The value of `type`.
    Type,
    /// A number that values are compared with, or a value that holds some.
    Compared,
    /// A count that Gemini writes as a string.
    Count,
    /// Anything else.
    Data,
}

impl Role {
    /// The role of what stands at `key` (or, without one, in a list) in a place of this role.
    fn below(self, key: Option<&str>) -> Role {
        match (self, key) {
            (Role::Schema, Some(key)) => match key {
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
                | "dependencies" | "allOf" | "anyOf" | "oneOf" | "prefixItems" => Role::Schemas,
                "items"
                | "additionalItems"
                | "additionalProperties"
                | "unevaluatedItems"
                | "unevaluatedProperties"
                | "contains"
                | "propertyNames"
                | "not"
                | "if"
                | "then"
                | "else" => Role::Schema,
                "type" => Role::Type,
                "const" | "enum" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"
                | "multipleOf" => Role::Compared,
                "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties" => {
                    Role::Count
                }
                _ => Role::Data,
            },
            // Before 2020-12, `items` may be a list of schemas.
            (Role::Schema | Role::Schemas, _) => Role::Schema,
            (Role::Type, None) => Role::Type,
            (Role::Compared, _) => Role::Compared,
            _ => Role::Data,
        }
    }
}

/// A container whose end has not been reached.
struct Open {
    value: Value,
    end: u32,
    role: Role,
    /// The key under which it stands, in an object.
    key: Option<String>,
}

struct Builder<'a> {
    doc: &'a Doc<'a>,
    gemini: bool,
    open: Vec<Open>,
}

impl Builder<'_> {
    fn build(mut self) -> Result<Value, String> {
        let (mut at, mut key) = (0, None);
        loop {
            let kind = self.doc.kind(at);
            if kind == Kind::Key {
                // A key that a later one overrides goes with its value.
                if self.doc.item(at).stale {
                    at = self.doc.item(at).next;
                } else {
                    key = Some(self.doc.string(at).into_owned());
                    at += 1;
                    continue;
                }
            } else {
                let role = match self.open.last() {
                    Some(parent) => parent.role.below(key.as_deref()),
                    None => Role::Schema,
                };
                at += 1;
                if matches!(kind, Kind::Object | Kind::Array) {
                    let value =
                        if kind == Kind::Object { Value::Object(Map::new()) } else { Value::Array(vec![]) };
                    self.open.push(Open { value, end: self.doc.item(at - 1).next, role, key: key.take() });
                } else {
                    let value = self.scalar(at - 1, role)?;
                    if let Some(root) = self.put(key.take(), value) {
                        return Ok(root);
                    }
                }
            }
            while self.open.last().is_some_and(|open| open.end == at) {
                let Some(mut done) = self.open.pop() else { break };
                if done.role == Role::Schema {
                    allow_null(&mut done.value);
                }
                if let Some(root) = self.put(done.key, done.value) {
                    return Ok(root);
                }
            }
        }
    }

    /// Puts a value into the container that is open, or gives it back where none is.
    fn put(&mut self, key: Option<String>, value: Value) -> Option<Value> {
        match (self.open.last_mut().map(|open| &mut open.value), key) {
            (Some(Value::Object(members)), Some(key)) => _ = members.insert(key, value),
            (Some(Value::Array(elements)), None) => elements.push(value),
            _ => return Some(value),
        }
        None
    }

    fn scalar(&self, at: u32, role: Role) -> Result<Value, String> {
        Ok(match self.doc.kind(at) {
            Kind::True => Value::Bool(true),
            Kind::False => Value::Bool(false),
            Kind::Number => {
                let (number, same) = nearest(self.doc.raw(at));
                if role == Role::Compared && !same {
                    let shown: String = self.doc.raw(at).chars().take(40).collect();
                    return Err(format!("the schema's number {shown} has more digits than can be compared"));
                }
                Value::Number(number)
            }
            Kind::String => {
                let text = self.doc.string(at);
                match role {
                    Role::Type => Value::String(upper_type(&text).unwrap_or(&text).to_owned()),
                    Role::Count if self.gemini => {
                        text.parse::<u64>().map_or_else(|_| Value::String(text.into_owned()), Value::from)
                    }
                    _ => Value::String(text.into_owned()),
                }
            }
            _ => Value::Null,
        })
    }
}

/// OpenAPI's `nullable`, said in JSON Schema.
fn allow_null(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    if members.get("nullable") != Some(&Value::Bool(true)) {
        return;
    }
    if let Some(kind @ Value::String(_)) = members.get("type") {
        let either = Value::Array(vec![kind.clone(), Value::from("null")]);
        members.insert("type".to_owned(), either);
    }
    if let Some(Value::Array(allowed)) = members.get_mut("enum") {
        allowed.push(Value::Null);
    }
    for either in ["anyOf", "oneOf"] {
        if let Some(Value::Array(schemas)) = members.get_mut(either) {
            schemas.push(serde_json::json!({"type": "null"}));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn dialects_come_out_as_json_schema() {
        for (text, dialect, value) in [
            (r#"{"type":"STRING"}"#, Dialect::Standard, json!({"type": "string"})),
            (r#"{"type":["STRING","NULL"]}"#, Dialect::Gemini, json!({"type": ["string", "null"]})),
            (
                r#"{"type":"OBJECT","properties":{"type":{"type":"INTEGER","nullable":true}}}"#,
                Dialect::Standard,
                json!({"type": "object", "properties": {"type": {"type": ["integer", "null"], "nullable": true}}}),
            ),
            (
                r#"{"properties":{"a":{"type":"string","nullable":true}}}"#,
                Dialect::Standard,
                json!({"properties": {"a": {"type": ["string", "null"], "nullable": true}}}),
            ),
            (
                r#"{"type":"ARRAY","minItems":"2","items":{"enum":["STRING"],"type":"STRING","nullable":true}}"#,
                Dialect::Gemini,
                json!({"type": "array", "minItems": 2,
                       "items": {"enum": ["STRING", null], "type": ["string", "null"], "nullable": true}}),
            ),
            (
                r#"{"nullable":true,"anyOf":[{"type":"STRING"},{"type":"NUMBER"}]}"#,
                Dialect::Gemini,
                json!({"nullable": true, "anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]}),
            ),
            (
                r#"{"properties":{"nullable":{"type":"string"}},"default":{"type":"string","nullable":true}}"#,
                Dialect::Standard,
                json!({"properties": {"nullable": {"type": "string"}},
                       "default": {"type": "string", "nullable": true}}),
            ),
            (r#"{"default":{"type":"STRING"}}"#, Dialect::Gemini, json!({"default": {"type": "STRING"}})),
            (r#"{"a":1,"a":2}"#, Dialect::Standard, json!({"a": 2})),
            (r#"{"items":[{"type":"STRING"}]}"#, Dialect::Gemini, json!({"items": [{"type": "string"}]})),
            ("true", Dialect::Standard, json!(true)),
            ("{}", Dialect::Standard, json!({})),
            (r#"{"a":[[],{}],"b":{}}"#, Dialect::Standard, json!({"a": [[], {}], "b": {}})),
        ] {
            assert_eq!(read(text, dialect).map(|source| source.root), Ok(value), "{text}");
        }
    }

    #[test]
    fn numbers_that_cannot_be_compared_are_refused_where_they_matter() {
        for (text, fine) in [
            (r#"{"maximum":18446744073709551615}"#, true),
            (r#"{"maximum":1e400}"#, false),
            (r#"{"properties":{"a":{"const":123456789012345678901234}}}"#, false),
            (r#"{"enum":[{"deep":[123456789012345678901234]}]}"#, false),
            (r#"{"default":123456789012345678901234,"examples":[1e400]}"#, true),
            (r#"{"properties":{"const":{"default":1e400}}}"#, true),
        ] {
            assert_eq!(read(text, Dialect::Standard).is_ok(), fine, "{text}");
        }
    }

    #[test]
    fn limits_hold_on_both_sides() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(read(&nested(MAX_SCHEMA_NESTING), Dialect::Standard).is_ok());
        assert!(read(&nested(MAX_SCHEMA_NESTING + 1), Dialect::Standard).is_err());
        assert!(read(&nested(100_000), Dialect::Standard).is_err());
        let long = |n: usize| format!("\"{}\"", "x".repeat(n - 2));
        assert!(read(&long(MAX_SCHEMA), Dialect::Standard).is_ok());
        assert!(read(&long(MAX_SCHEMA + 1), Dialect::Standard).is_err());
    }
}
