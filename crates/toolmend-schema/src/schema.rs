//! One schema: compiled when it is first needed, and kept for whoever comes with the same text.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;
use toolmend_core::Admission;

use crate::doc::{Doc, Fault};
use crate::graph::{self, Shape};
use crate::node::{Span, Spans};
use crate::report;
use crate::source::{self, Dialect, Source};

/// Compiled schemas that are kept; the one that has rested longest goes first.
pub const MAX_CACHED: usize = 128;

/// A body's nesting times the schemas that follow each other for one value: what validation may recurse.
pub const MAX_RECURSION: usize = 512;

/// Bytes that one compiled regular expression may take.
const PATTERN_BYTES: usize = 1 << 20;

/// A schema's text, and what it compiles to.
#[derive(Debug)]
pub(crate) struct Schema {
    text: Box<str>,
    dialect: Dialect,
    compiled: OnceLock<Result<Compiled, String>>,
}

/// A schema that can be used.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) root: Value,
    pub(crate) shape: Shape,
    validator: Validator<Spans>,
    /// What decides whether a name belongs to an entry of `patternProperties`.
    patterns: BTreeMap<String, Validator<Spans>>,
    /// The properties that are declared by name, at whatever depth.
    pub(crate) names: BTreeSet<String>,
    nesting: usize,
}

impl Schema {
    /// The schema of this text, from the cache where it is known.
    pub(crate) fn shared(text: &str, dialect: Dialect) -> Arc<Schema> {
        static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(Mutex::default);
        CACHE.lock().unwrap_or_else(PoisonError::into_inner).get(text, dialect)
    }

    fn new(text: &str, dialect: Dialect) -> Schema {
        Schema { text: text.into(), dialect, compiled: OnceLock::new() }
    }

    /// The schema as it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What it compiles to, or in a few words why it does not.
    pub(crate) fn compiled(&self) -> Result<&Compiled, &str> {
        let compiled = self.compiled.get_or_init(|| Compiled::new(&self.text, self.dialect));
        compiled.as_ref().map_err(String::as_str)
    }
}

/// What a validation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Valid,
    Invalid,
    /// It could not be carried through.
    Unknown(String),
}

/// Collects the names in every `properties` of a schema, whose nesting is bounded.
fn collect_names(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                names.extend(properties.keys().cloned());
            }
            members.values().for_each(|value| collect_names(value, names));
        }
        Value::Array(items) => items.iter().for_each(|value| collect_names(value, names)),
        _ => {}
    }
}

impl Compiled {
    fn new(text: &str, dialect: Dialect) -> Result<Compiled, String> {
        let Source { mut root, nesting } = source::read(text, dialect)?;
        let drafts = drafts(&mut root);
        let shape = graph::check(&root)?;
        let (draft, validator) = choose(&root, &drafts)?;
        let patterns = shape.patterns.iter().map(|p| {
            let validator =
                build(&serde_json::json!({"pattern": p}), draft).map_err(|e| report::unusable(&e))?;
            Ok((p.clone(), validator))
        });
        let patterns = patterns.collect::<Result<_, String>>()?;
        let mut names = BTreeSet::new();
        collect_names(&root, &mut names);
        Ok(Compiled { root, shape, validator, patterns, names, nesting })
    }

    /// Whether validating this body would go too deep.
    pub(crate) fn too_deep(&self, doc: &Doc<'_>) -> bool {
        let driven = if self.shape.refers { doc.depth() } else { doc.depth().min(self.nesting) };
        driven.saturating_mul(self.shape.chain) > MAX_RECURSION
    }

    /// Whether the schema admits a body.
    pub(crate) fn check(&self, doc: &Doc<'_>) -> Outcome {
        if self.too_deep(doc) {
            return Outcome::Unknown("the body nests too deep for this schema".to_owned());
        }
        let valid = self.validator.is_valid(Span::At(doc, 0));
        match (doc.effort.spent(), valid) {
            (true, _) => Outcome::Unknown("checking the body takes too many steps".to_owned()),
            (false, true) => Outcome::Valid,
            (false, false) => Outcome::Invalid,
        }
    }

    /// The same with the first offending place, of a body as far as it could be read.
    pub(crate) fn admits(&self, doc: &Result<Doc<'_>, Fault>) -> Admission {
        let doc = match doc {
            Ok(doc) => doc,
            Err(Fault::Syntax { at }) => {
                return Admission::Invalid { at: String::new(), what: format!("it is no JSON (byte {at})") };
            }
            Err(Fault::TooDeep | Fault::TooLong) => {
                return Admission::Unvalidatable { why: "the body is too large to be checked".to_owned() };
            }
        };
        match self.check(doc) {
            Outcome::Valid => Admission::Valid,
            Outcome::Unknown(why) => Admission::Unvalidatable { why },
            Outcome::Invalid => match self.validator.validate(Span::At(doc, 0)) {
                Err(error) if !doc.effort.spent() => report::first(doc, &error),
                _ => {
                    Admission::Invalid { at: String::new(), what: "the schema does not admit it".to_owned() }
                }
            },
        }
    }

    /// Every error of a body that is not admitted, or `None` where there are too many to tell.
    pub(crate) fn errors<'d>(&'d self, doc: &'d Doc<'_>) -> Option<Vec<ValidationError<'d>>> {
        let errors: Vec<_> = self.validator.iter_errors(Span::At(doc, 0)).collect();
        (!doc.effort.spent()).then_some(errors)
    }

    /// Whether a property's name belongs to this entry of `patternProperties`.
    pub(crate) fn matches(&self, pattern: &str, name: &str) -> bool {
        self.patterns.get(pattern).is_some_and(|p| p.is_valid(Span::Name(name)))
    }
}

/// The drafts to read a schema by: the one it names, else all that its kind is written in. A meta-schema
/// of its own making says nothing about the words used, so it counts as none.
fn drafts(root: &mut Value) -> Vec<Draft> {
    let named = root.as_object_mut().and_then(|members| members.remove("$schema"));
    let named = named.as_ref().and_then(Value::as_str).unwrap_or("");
    for (part, draft) in [
        ("2020-12", Draft::Draft202012),
        ("2019-09", Draft::Draft201909),
        ("draft-07", Draft::Draft7),
        ("draft-06", Draft::Draft6),
        ("draft-04", Draft::Draft4),
    ] {
        if named.contains("json-schema.org") && named.contains(part) {
            return vec![draft];
        }
    }
    vec![Draft::Draft202012, Draft::Draft7, Draft::Draft4]
}

/// Compiles a schema by the first draft that takes it. What the newest says about it is what is wrong.
fn choose(schema: &Value, drafts: &[Draft]) -> Result<(Draft, Validator<Spans>), String> {
    let mut refusal = None;
    for &draft in drafts {
        let error = match build(schema, draft) {
            Ok(validator) => return Ok((draft, validator)),
            Err(error) => error,
        };
        let leads_out = matches!(error.kind(), ValidationErrorKind::Referencing(_));
        refusal.get_or_insert_with(|| report::unusable(&error));
        // An older draft would only not know the reference.
        if leads_out {
            break;
        }
    }
    Err(refusal.unwrap_or_default())
}

fn build(schema: &Value, draft: Draft) -> Result<Validator<Spans>, ValidationError<'static>> {
    jsonschema::options_for::<Spans>()
        .with_draft(draft)
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES))
        .build(schema)
}

/// Schemas by their text.
#[derive(Default)]
struct Cache {
    known: HashMap<(Dialect, Box<str>), (Arc<Schema>, u64)>,
    clock: u64,
}

impl Cache {
    fn get(&mut self, text: &str, dialect: Dialect) -> Arc<Schema> {
        self.clock += 1;
        let key = (dialect, text.into());
        if let Some((schema, used)) = self.known.get_mut(&key) {
            *used = self.clock;
            return Arc::clone(schema);
        }
        let schema = Arc::new(Schema::new(text, dialect));
        // What is longer than a schema may be compiles to nothing that is worth keeping.
        if text.len() <= source::MAX_SCHEMA {
            if self.known.len() == MAX_CACHED
                && let Some(oldest) =
                    self.known.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone())
            {
                self.known.remove(&oldest);
            }
            self.known.insert(key, (Arc::clone(&schema), self.clock));
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_is_compiled_once() {
        let mut cache = Cache::default();
        let first = cache.get("{}", Dialect::Standard);
        assert!(Arc::ptr_eq(&first, &cache.get("{}", Dialect::Standard)));
        assert!(!Arc::ptr_eq(&first, &cache.get("{ }", Dialect::Standard)));
        assert!(!Arc::ptr_eq(&first, &cache.get("{}", Dialect::Gemini)));
    }

    #[test]
    fn the_schema_that_rested_longest_goes() {
        let mut cache = Cache::default();
        let text = |n: usize| format!(r#"{{"minProperties":{n}}}"#);
        let all: Vec<_> = (0..MAX_CACHED).map(|n| cache.get(&text(n), Dialect::Standard)).collect();
        assert_eq!(cache.known.len(), MAX_CACHED);
        assert!(Arc::ptr_eq(&all[0], &cache.get(&text(0), Dialect::Standard)));
        cache.get(&text(MAX_CACHED), Dialect::Standard);
        assert_eq!(cache.known.len(), MAX_CACHED);
        assert!(Arc::ptr_eq(&all[0], &cache.get(&text(0), Dialect::Standard)));
        assert!(!Arc::ptr_eq(&all[1], &cache.get(&text(1), Dialect::Standard)));
        let long = " ".repeat(source::MAX_SCHEMA + 1);
        assert!(cache.get(&long, Dialect::Standard).compiled().is_err());
        assert!(!cache.known.contains_key(&(Dialect::Standard, long.into())));
    }

    #[test]
    fn many_threads_share_schemas() {
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || {
                    for n in 0..200 {
                        let text = format!(r#"{{"minProperties":{}}}"#, (n * thread) % 150);
                        let schema = Schema::shared(&text, Dialect::Standard);
                        assert_eq!(schema.text(), text);
                        assert!(schema.compiled().is_ok());
                    }
                });
            }
        });
    }
}
