//! The forms in which tools are described.

use crate::doc::{Doc, Kind};
use crate::source::Dialect;
use crate::tool::{Tool, ToolError};

/// What a tool takes whose description gives no parameters.
const NOTHING: &str = r#"{"type":"object","properties":{}}"#;

/// Where the forms keep the schema.
const SCHEMA_KEYS: [&str; 5] =
    ["input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema", "parameters"];

/// Keys of Gemini's list entries that name something the server runs.
const GEMINI_BUILT_IN: [&str; 14] = [
    "googleSearch",
    "google_search",
    "googleSearchRetrieval",
    "google_search_retrieval",
    "codeExecution",
    "code_execution",
    "urlContext",
    "url_context",
    "googleMaps",
    "google_maps",
    "fileSearch",
    "file_search",
    "computerUse",
    "computer_use",
];

/// Keywords by which a JSON Schema that stands alone is known.
const SCHEMA_WORDS: [&str; 14] = [
    "$schema",
    "$ref",
    "$defs",
    "$id",
    "definitions",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "enum",
    "const",
];

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// All tools in a description, in its order.
pub(crate) fn tools(doc: &Doc<'_>) -> Result<Vec<Tool>, ToolError> {
    let mut tools = Vec::new();
    // A stack, so lists are put on it from their end.
    let mut todo = vec![(0, Dialect::Standard)];
    while let Some((at, dialect)) = todo.pop() {
        match doc.kind(at) {
            Kind::Array => push_all(doc, at, dialect, &mut todo),
            Kind::Object => match parts(doc, at)? {
                Parts::List(list, dialect) => push_all(doc, list, dialect, &mut todo),
                Parts::Nothing => {}
                Parts::Tool { name, schema } => tools.push(tool(doc, name, schema, dialect)?),
            },
            Kind::True | Kind::False if at == 0 => {
                tools.push(Tool::of(None, Some((doc.raw(at), Dialect::Standard))));
            }
            _ => return Err(ToolError::NotATool { at: doc.item(at).start as usize }),
        }
    }
    Ok(tools)
}

fn push_all(doc: &Doc<'_>, list: u32, dialect: Dialect, todo: &mut Vec<(u32, Dialect)>) {
    let from = todo.len();
    todo.extend(doc.children(list).map(|element| (element, dialect)));
    todo[from..].reverse();
}

/// What an object of a description is.
enum Parts {
    /// It holds a list of tools, in this dialect.
    List(u32, Dialect),
    /// It names what the server runs, and no tool.
    Nothing,
    Tool {
        name: Option<u32>,
        schema: Parameters,
    },
}

/// The parameters of a tool.
enum Parameters {
    /// They follow this schema, which stands under this key.
    Schema(u32, &'static str),
    /// There are none.
    None,
    /// The server knows them.
    BuiltIn,
}

/// Takes an object of a description apart.
fn parts(doc: &Doc<'_>, object: u32) -> Result<Parts, ToolError> {
    let get = |key: &str| doc.get(object, key);
    if let Some(list) = get("tools").filter(|_| get("type").is_none_or(|t| !is_json_type(doc, t))) {
        return Ok(Parts::List(expect(doc, list, Kind::Array, "tools", "a list")?, Dialect::Standard));
    }
    let declared = get("functionDeclarations").or(get("function_declarations"));
    if let Some(list) = declared {
        let list = expect(doc, list, Kind::Array, "functionDeclarations", "a list")?;
        return Ok(Parts::List(list, Dialect::Gemini));
    }
    if let Some(function) = get("function") {
        let function = expect(doc, function, Kind::Object, "function", "an object")?;
        return Ok(Parts::Tool { name: doc.get(function, "name"), schema: parameters(doc, function, true) });
    }
    let mut keys = doc.members(object).map(|(key, _)| doc.string(key)).peekable();
    if keys.peek().is_some() && keys.all(|key| GEMINI_BUILT_IN.contains(&key.as_ref())) {
        return Ok(Parts::Nothing);
    }
    let kind = get("type").filter(|&t| doc.kind(t) == Kind::String).map(|t| doc.string(t));
    let name = get("name").or(get("custom").and_then(|custom| doc.get(custom, "name")));
    let name = name.filter(|&n| doc.kind(n) == Kind::String);
    match kind.as_deref() {
        Some("function") => {
            return Ok(Parts::Tool { name: get("name"), schema: parameters(doc, object, true) });
        }
        // `{"type": "objct", "properties": {}}` is a schema with a type that is none.
        Some(kind) if !is_type(kind) && (name.is_some() || !stands_alone(doc, object)) => {
            return Ok(Parts::Tool { name, schema: parameters(doc, object, false) });
        }
        _ => {}
    }
    let is_schema = stands_alone(doc, object) || doc.item(object).len == 0;
    let has_schema = SCHEMA_KEYS.iter().any(|key| get(key).is_some());
    if name.is_some() || has_schema && !is_schema {
        return Ok(Parts::Tool { name: get("name"), schema: parameters(doc, object, true) });
    }
    if is_schema {
        return Ok(Parts::Tool { name: None, schema: Parameters::Schema(object, "") });
    }
    Err(ToolError::NotATool { at: doc.item(object).start as usize })
}

/// The parameters in this object. Without any, a function takes none, and another kind of tool is the
/// server's affair.
fn parameters(doc: &Doc<'_>, object: u32, function: bool) -> Parameters {
    let found = SCHEMA_KEYS.iter().find_map(|&key| Some((doc.get(object, key)?, key)));
    match found {
        Some((at, _)) if doc.kind(at) == Kind::Null => Parameters::None,
        Some((at, key)) => Parameters::Schema(at, key),
        None if function => Parameters::None,
        None => Parameters::BuiltIn,
    }
}

fn tool(doc: &Doc<'_>, name: Option<u32>, schema: Parameters, form: Dialect) -> Result<Tool, ToolError> {
    let name = match name {
        Some(name) => Some(doc.string(expect(doc, name, Kind::String, "name", "a string")?).into_owned()),
        None => None,
    };
    let schema = match schema {
        Parameters::Schema(at, key) => {
            if !matches!(doc.kind(at), Kind::Object | Kind::True | Kind::False) {
                return wrong_type(doc, at, key, "a JSON Schema");
            }
            // Gemini takes JSON Schema too, under a key of its own.
            Some((doc.raw(at), if key == "parameters" { form } else { Dialect::Standard }))
        }
        Parameters::None => Some((NOTHING, Dialect::Standard)),
        Parameters::BuiltIn => None,
    };
    Ok(Tool::of(name, schema))
}

fn expect(
    doc: &Doc<'_>,
    at: u32,
    kind: Kind,
    part: &'static str,
    expected: &'static str,
) -> Result<u32, ToolError> {
    if doc.kind(at) == kind { Ok(at) } else { wrong_type(doc, at, part, expected) }
}

fn wrong_type<T>(doc: &Doc<'_>, at: u32, part: &'static str, expected: &'static str) -> Result<T, ToolError> {
    Err(ToolError::WrongType { at: doc.item(at).start as usize, part, expected })
}

/// Whether the object is a JSON Schema.
fn stands_alone(doc: &Doc<'_>, object: u32) -> bool {
    doc.get(object, "type").is_some_and(|t| is_json_type(doc, t))
        || SCHEMA_WORDS.iter().any(|word| doc.get(object, word).is_some())
}

/// Whether a value is what `type` may be in a JSON Schema.
fn is_json_type(doc: &Doc<'_>, at: u32) -> bool {
    match doc.kind(at) {
        Kind::String => is_type(&doc.string(at)),
        Kind::Array => true,
        _ => false,
    }
}

fn is_type(name: &str) -> bool {
    TYPES.iter().any(|t| t.eq_ignore_ascii_case(name))
}
