//! Which schemas apply to a place in a body, whatever branch of them is meant.
//!
//! A key counts as declared if any of them declares it, a property as required if any of them requires
//! it: this is for the questions where the careful answer is the union of all branches.

use std::collections::HashSet;
use std::ptr;

use serde_json::{Map, Value};

use crate::graph;
use crate::schema::Compiled;

/// The schemas that apply to one place.
#[derive(Clone)]
pub(crate) struct Reach<'s> {
    compiled: &'s Compiled,
    schemas: Vec<&'s Map<String, Value>>,
    /// A reference could not be followed, so there may be more.
    partial: bool,
}

impl<'s> Reach<'s> {
    /// What applies to the whole body.
    pub(crate) fn root(compiled: &'s Compiled) -> Reach<'s> {
        Reach::over(compiled, vec![&compiled.root])
    }

    /// All that applies in place with these schemas.
    fn over(compiled: &'s Compiled, mut todo: Vec<&'s Value>) -> Reach<'s> {
        let mut reach = Reach { compiled, schemas: Vec::new(), partial: false };
        let mut seen = HashSet::new();
        while let Some(schema) = todo.pop() {
            let Some(members) = schema.as_object() else { continue };
            if !seen.insert(ptr::from_ref(schema)) {
                continue;
            }
            // `not` and `if` say what a value may be tested for, not what it is made of.
            let tested = ["not", "if"].map(|k| members.get(k).map(ptr::from_ref));
            todo.extend(graph::in_place(members).filter(|s| !tested.contains(&Some(ptr::from_ref(*s)))));
            for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
                let Some(reference) = members.get(keyword).and_then(Value::as_str) else { continue };
                match compiled.shape.resolve(&compiled.root, reference).filter(|_| keyword == "$ref") {
                    Some(target) => todo.push(target),
                    None => reach.partial = true,
                }
            }
            reach.schemas.push(members);
        }
        reach
    }

    /// Whether some of what applies is not known here.
    pub(crate) fn is_partial(&self) -> bool {
        self.partial
    }

    /// Whether nothing is said about this place or what is below it.
    pub(crate) fn is_silent(&self) -> bool {
        self.schemas.is_empty() && !self.partial
    }

    /// How many schemas apply.
    pub(crate) fn size(&self) -> u64 {
        self.schemas.len() as u64
    }

    fn maps(&self, keyword: &'static str) -> impl Iterator<Item = &'s Map<String, Value>> + use<'_, 's> {
        self.schemas.iter().filter_map(move |s| s.get(keyword)?.as_object())
    }

    /// The properties that are declared by name; a name may come more than once.
    pub(crate) fn properties(&self) -> impl Iterator<Item = &'s str> + use<'_, 's> {
        self.maps("properties").flat_map(|p| p.keys().map(String::as_str))
    }

    /// Whether any property is declared, by name or by pattern.
    pub(crate) fn declares_any(&self) -> bool {
        self.properties().next().is_some() || self.maps("patternProperties").any(|p| !p.is_empty())
    }

    /// Whether this property is declared, by name or by pattern.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.names(name)
            || self.maps("patternProperties").flat_map(Map::keys).any(|p| self.compiled.matches(p, name))
    }

    /// Whether this property is declared by name.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.maps("properties").any(|p| p.contains_key(name))
    }

    /// The properties that are required, by any of the schemas.
    pub(crate) fn required(&self) -> impl Iterator<Item = &'s str> + use<'_, 's> {
        self.schemas.iter().filter_map(|s| s.get("required")?.as_array()).flatten().filter_map(Value::as_str)
    }

    /// Whether there may be any number of properties beside those that are declared by name, and the
    /// schema says so itself.
    pub(crate) fn is_open_ended(&self) -> bool {
        let other = ["additionalProperties", "unevaluatedProperties"];
        self.maps("patternProperties").any(|p| !p.is_empty())
            || self
                .schemas
                .iter()
                .any(|s| other.iter().any(|k| s.get(*k).is_some_and(|v| v != &Value::Bool(false))))
    }

    /// Whether no other properties may stand beside those that are declared.
    pub(crate) fn is_closed(&self) -> bool {
        let other = ["additionalProperties", "unevaluatedProperties"];
        self.schemas.iter().any(|s| other.iter().any(|k| s.get(*k) == Some(&Value::Bool(false))))
    }

    /// Whether the schema asks for a number of properties that it does not name.
    pub(crate) fn wants_members(&self) -> bool {
        self.required().next().is_some()
            || self
                .schemas
                .iter()
                .any(|s| s.get("minProperties").and_then(Value::as_u64).is_some_and(|n| n > 0))
    }

    /// The values that are allowed here, where they are listed.
    pub(crate) fn allowed(&self) -> impl Iterator<Item = &'s Value> + use<'_, 's> {
        let listed = self.schemas.iter().filter_map(|s| s.get("enum")?.as_array()).flatten();
        listed.chain(self.schemas.iter().filter_map(|s| s.get("const")))
    }

    /// The types that are named here.
    pub(crate) fn types(&self) -> impl Iterator<Item = &'s str> + use<'_, 's> {
        self.schemas.iter().filter_map(|s| s.get("type")).flat_map(|types| match types {
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect::<Vec<_>>(),
        })
    }

    /// What applies to a property's value.
    pub(crate) fn property(&self, name: &str) -> Reach<'s> {
        let mut inner = Vec::new();
        for schema in &self.schemas {
            let before = inner.len();
            inner.extend(schema.get("properties").and_then(|p| p.get(name)));
            if let Some(by_pattern) = schema.get("patternProperties").and_then(Value::as_object) {
                let matching = by_pattern.iter().filter(|(p, _)| self.compiled.matches(p, name));
                inner.extend(matching.map(|(_, schema)| schema));
            }
            if inner.len() == before {
                inner.extend(
                    ["additionalProperties", "unevaluatedProperties"].iter().filter_map(|k| schema.get(*k)),
                );
            }
        }
        self.inside(inner)
    }

    /// What applies to an element of an array, counted from zero.
    pub(crate) fn element(&self, n: usize) -> Reach<'s> {
        let mut inner = Vec::new();
        for schema in &self.schemas {
            let list = |keyword| schema.get(keyword).and_then(Value::as_array);
            inner.extend(match list("prefixItems").or(list("items")) {
                Some(first) => first.get(n).or_else(|| {
                    let rest = if list("items").is_some() { "additionalItems" } else { "items" };
                    schema.get(rest)
                }),
                None => schema.get("items"),
            });
            inner.extend(schema.get("unevaluatedItems"));
        }
        self.inside(inner)
    }

    /// Whether all elements of an array are under the same schemas.
    pub(crate) fn is_uniform(&self) -> bool {
        !self
            .schemas
            .iter()
            .any(|s| s.contains_key("prefixItems") || s.get("items").is_some_and(Value::is_array))
    }

    fn inside(&self, inner: Vec<&'s Value>) -> Reach<'s> {
        let mut reach = Reach::over(self.compiled, inner);
        reach.partial |= self.partial;
        reach
    }
}
