//! A schema as a graph: which schemas stand in it, where its references lead, and how much work one
//! place in a body can cost.
//!
//! Two kinds of edges: *in place* (`allOf`, `$ref`, `if` …: another schema for the same value) and
//! *below* (`properties`, `items` …: a schema for a part of the value). Only the first can multiply work
//! at one place, so they are counted before a schema is used.

use std::collections::{BTreeMap, HashMap};
use std::ptr;

use serde_json::{Map, Value};

/// Schemas that may apply to one value at once, references followed.
pub const MAX_BRANCHES: usize = 4096;

/// How deep `allOf`, `anyOf`, `$ref` and the like may nest for one value.
pub const MAX_CHAIN: usize = 256;

/// References that go by `$id` or `$dynamicAnchor`; the validator follows them, the checks here do not.
pub const MAX_FOREIGN: usize = 4;

/// Regular expressions in one schema.
pub const MAX_PATTERNS: usize = 64;

/// What is known about a schema that may be used.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    /// The longest chain of schemas for one value.
    pub(crate) chain: usize,
    /// It has references, so a body may drive it deeper than it nests itself.
    pub(crate) refers: bool,
    /// The names in `patternProperties`.
    pub(crate) patterns: Vec<String>,
    /// Where the fragment of a reference leads, by its name: JSON Pointers.
    anchors: BTreeMap<String, String>,
    /// Parts with a base URI of their own, in which `#/…` does not mean the root.
    rebased: bool,
}

impl Shape {
    /// The schema that a reference leads to, where that can be told without a base URI.
    pub(crate) fn resolve<'s>(&self, root: &'s Value, reference: &str) -> Option<&'s Value> {
        if self.rebased {
            return None;
        }
        let own = root.get("$id").or(root.get("id")).and_then(Value::as_str).unwrap_or("");
        let fragment = match reference.strip_prefix('#') {
            Some(fragment) => fragment,
            None => reference.strip_prefix(own.trim_end_matches('#')).filter(|_| !own.is_empty())?,
        };
        let fragment = percent_decode(fragment.trim_start_matches('#'))?;
        match self.anchors.get(&fragment) {
            Some(pointer) => root.pointer(pointer),
            None => root.pointer(&fragment),
        }
    }
}

/// `%20` and the like, as they stand in the fragment of a URI.
fn percent_decode(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&b, tail)) = rest.split_first() {
        rest = tail;
        if b == b'%' {
            let hex = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(b);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The schemas that apply to the same value as this one; `$ref` is not among them.
pub(crate) fn in_place(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|k| schema.get(k)?.as_array()).flatten();
    let single = ["not", "if", "then", "else"].into_iter().filter_map(|k| schema.get(k));
    let maps = ["dependentSchemas", "dependencies"].into_iter().filter_map(|k| schema.get(k)?.as_object());
    lists.chain(single).chain(maps.flat_map(Map::values))
}

/// The schemas that apply to parts of the value, and those that are only kept for reference.
fn below(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    const MAPS: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];
    const SINGLE: [&str; 7] = [
        "items",
        "additionalItems",
        "additionalProperties",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contains",
        "propertyNames",
    ];
    let maps = MAPS.into_iter().filter_map(|k| schema.get(k)?.as_object()).flat_map(Map::values);
    let single = SINGLE.into_iter().filter_map(|k| schema.get(k));
    let lists = ["prefixItems", "items"].into_iter().filter_map(|k| schema.get(k)?.as_array()).flatten();
    maps.chain(single).chain(lists)
}

/// Checks that a schema can be used at bounded cost. The error says in a few words why not.
pub(crate) fn check(root: &Value) -> Result<Shape, String> {
    let mut shape = Shape::default();
    name_anchors(root, &mut shape);
    let mut walk = Walk { root, shape, foreign: 0, regexes: 0, done: HashMap::new(), todo: vec![root] };
    while let Some(schema) = walk.todo.pop() {
        walk.measure(schema)?;
    }
    Ok(walk.shape)
}

/// Finds the names that references may use, and parts that have a base URI of their own.
fn name_anchors(root: &Value, shape: &mut Shape) {
    let mut todo = vec![(String::new(), root)];
    while let Some((pointer, value)) = todo.pop() {
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    match (key.as_str(), value.as_str()) {
                        ("$anchor", Some(name)) => _ = shape.anchors.insert(name.to_owned(), pointer.clone()),
                        ("$id" | "id", Some(id)) => match id.strip_prefix('#') {
                            Some(name) if !name.is_empty() => {
                                shape.anchors.insert(name.to_owned(), pointer.clone());
                            }
                            // A property may be called `id`, but its schema is no string.
                            _ => shape.rebased |= !pointer.is_empty() && key == "$id",
                        },
                        _ => {}
                    }
                    if value.is_object() || value.is_array() {
                        let key = key.replace('~', "~0").replace('/', "~1");
                        todo.push((format!("{pointer}/{key}"), value));
                    }
                }
            }
            Value::Array(elements) => {
                let inner = elements.iter().enumerate().filter(|(_, v)| v.is_object() || v.is_array());
                todo.extend(inner.map(|(n, value)| (format!("{pointer}/{n}"), value)));
            }
            _ => {}
        }
    }
}

/// What a schema costs at one place.
#[derive(Debug, Clone, Copy)]
enum Cost {
    /// It is being measured: meeting it again means that it leads to itself.
    Open,
    Known {
        branches: usize,
        chain: usize,
    },
}

/// A schema whose in-place schemas are being measured.
struct Frame<'s> {
    schema: &'s Value,
    inner: Vec<&'s Value>,
    branches: usize,
    chain: usize,
}

struct Walk<'s> {
    root: &'s Value,
    shape: Shape,
    foreign: usize,
    regexes: usize,
    done: HashMap<*const Value, Cost>,
    todo: Vec<&'s Value>,
}

impl<'s> Walk<'s> {
    fn measure(&mut self, schema: &'s Value) -> Result<(), String> {
        if self.done.contains_key(&ptr::from_ref(schema)) {
            return Ok(());
        }
        let mut frames = vec![self.open(schema)?];
        while let Some(frame) = frames.last_mut() {
            if let Some(inner) = frame.inner.pop() {
                match self.done.get(&ptr::from_ref(inner)) {
                    Some(&Cost::Known { branches, chain }) => frame.add(branches, chain)?,
                    Some(Cost::Open) => {
                        return Err("the schema refers to itself for the same value".to_owned());
                    }
                    None => {
                        let inner = self.open(inner)?;
                        frames.push(inner);
                    }
                }
                continue;
            }
            let (key, branches, chain) = (ptr::from_ref(frame.schema), frame.branches, frame.chain);
            self.done.insert(key, Cost::Known { branches, chain });
            self.shape.chain = self.shape.chain.max(chain);
            frames.pop();
            if let Some(outer) = frames.last_mut() {
                outer.add(branches, chain)?;
            }
        }
        Ok(())
    }

    /// Begins with a schema: notes what stands below it, lists what stands in place.
    fn open(&mut self, schema: &'s Value) -> Result<Frame<'s>, String> {
        self.done.insert(ptr::from_ref(schema), Cost::Open);
        let mut inner = Vec::new();
        if let Some(members) = schema.as_object() {
            inner.extend(in_place(members));
            self.todo.extend(below(members));
            for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
                let Some(reference) = members.get(keyword).and_then(Value::as_str) else { continue };
                self.shape.refers = true;
                match self.shape.resolve(self.root, reference).filter(|_| keyword == "$ref") {
                    Some(target) => inner.push(target),
                    None => self.foreign += 1,
                }
            }
            let by_pattern = members.get("patternProperties").and_then(Value::as_object);
            let patterns = by_pattern.into_iter().flat_map(Map::keys);
            self.shape.patterns.extend(patterns.cloned());
            self.regexes += by_pattern.map_or(0, Map::len) + usize::from(members.contains_key("pattern"));
        }
        if self.foreign > MAX_FOREIGN {
            return Err(format!("the schema has more than {MAX_FOREIGN} references that go by a base URI"));
        }
        if self.regexes > MAX_PATTERNS {
            return Err(format!("the schema has more than {MAX_PATTERNS} patterns"));
        }
        Ok(Frame { schema, inner, branches: 1, chain: 1 })
    }
}

impl Frame<'_> {
    fn add(&mut self, branches: usize, chain: usize) -> Result<(), String> {
        self.branches = self.branches.saturating_add(branches);
        self.chain = self.chain.max(chain + 1);
        if self.branches > MAX_BRANCHES {
            return Err(format!("more than {MAX_BRANCHES} schemas apply to one value"));
        }
        if self.chain > MAX_CHAIN {
            return Err(format!("more than {MAX_CHAIN} schemas follow each other for one value"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_lead_where_they_say() {
        let root = json!({
            "$id": "https://example.com/root",
            "$defs": {"a b": {"type": "string"}, "x/y": {"$anchor": "named", "type": "null"}},
            "definitions": {"old": {"$id": "#old", "type": "number"}},
            "properties": {"id": {"type": "integer"}},
        });
        let shape = check(&root).expect("usable");
        for (reference, leads_to) in [
            ("#", Some(&root)),
            ("#/$defs/a%20b", Some(&root["$defs"]["a b"])),
            ("#/$defs/x~1y", Some(&root["$defs"]["x/y"])),
            ("#named", Some(&root["$defs"]["x/y"])),
            ("#old", Some(&root["definitions"]["old"])),
            ("https://example.com/root#/properties/id", Some(&root["properties"]["id"])),
            ("#/nowhere", None),
            ("other.json", None),
            ("#/%zz", None),
        ] {
            assert_eq!(shape.resolve(&root, reference), leads_to, "{reference}");
        }
    }

    fn chain(n: usize, link: impl Fn(String) -> Value) -> Value {
        let mut defs = Map::new();
        for i in 0..n {
            defs.insert(format!("a{i}"), link(format!("#/$defs/a{}", i + 1)));
        }
        defs.insert(format!("a{n}"), json!({"type": "string"}));
        json!({"$defs": defs, "$ref": "#/$defs/a0"})
    }

    #[test]
    fn what_can_cost_too_much_is_refused() {
        let doubling = |n| chain(n, |r| json!({"anyOf": [{"$ref": r}, {"$ref": r}]}));
        let following = |n| chain(n, |r| json!({"$ref": r}));
        let patterns = |n: usize| {
            let all: Vec<_> = (0..n).map(|i| json!({"pattern": i.to_string()})).collect();
            json!({"prefixItems": all})
        };
        let foreign = |n: usize| json!({"prefixItems": vec![json!({"$dynamicRef": "#x"}); n]});
        for (name, schema, fine) in [
            ("few branches", doubling(9), true),
            ("many branches", doubling(12), false),
            ("unthinkably many branches", doubling(500), false),
            ("a chain", following(MAX_CHAIN - 2), true),
            ("a longer chain", following(MAX_CHAIN - 1), false),
            ("a chain below", chain(10_000, |r| json!({"properties": {"a": {"$ref": r}}})), true),
            ("patterns", patterns(MAX_PATTERNS), true),
            ("more patterns", patterns(MAX_PATTERNS + 1), false),
            ("foreign", foreign(MAX_FOREIGN), true),
            ("more foreign", foreign(MAX_FOREIGN + 1), false),
            ("recursive below", json!({"properties": {"a": {"$ref": "#"}}}), true),
            ("recursive in place", json!({"$ref": "#"}), false),
            ("recursive in place by allOf", json!({"allOf": [{"anyOf": [true, {"$ref": "#"}]}]}), false),
            ("all kinds of nonsense", json!({"$ref": 1, "allOf": {}, "properties": [1], "items": "x"}), true),
            ("no schema at all", json!([1, "x"]), true),
        ] {
            assert_eq!(check(&schema).is_ok(), fine, "{name}");
        }
    }

    #[test]
    fn a_part_with_its_own_base_is_not_followed() {
        let root =
            json!({"$defs": {"a": {"$id": "http://x/a", "type": "string"}}, "items": {"$ref": "#/$defs/a"}});
        let shape = check(&root).expect("usable");
        assert_eq!(shape.resolve(&root, "#/$defs/a"), None);
    }
}
