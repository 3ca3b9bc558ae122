//! The repairs that only a schema can decide.
//!
//! A body that is JSON but not what the schema admits is settled in two steps. First its keys: one that
//! is not declared takes the spelling of the only declared, missing one that it can be. Then its values:
//! every place that the validator objects to has a few repairs that would leave what was said as it is
//! ([`value`]); they are tried in all combinations that address every objection. What is left must
//! validate and use declared keys only, and there must be one such result. Anything else settles nothing.

mod container;
mod key;
mod null;
mod value;

use std::collections::BTreeMap;

use jsonschema::JsonType;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::types::JsonTypeSet;
use toolmend_core::{Edit, Rule, edit};

pub(crate) use self::key::letters;
use crate::declared;
use crate::doc::{Doc, Effort};
use crate::reach::Reach;
use crate::schema::{Compiled, Outcome};

use self::value::{Repair, Site};

/// Places of one body that are repaired at most.
pub const MAX_REPAIRS: usize = 256;

/// Combinations of repairs that are tried at most.
pub const MAX_TRIALS: usize = 64;

/// All trials together may cost as much as so many validations.
const TRIAL_BUDGET: u64 = 4;

/// How deep alternatives within alternatives are looked into.
const MAX_ALTERNATIVES: usize = 8;

/// The edits after which the schema admits the body; none where that is not certain.
pub(crate) fn settle(compiled: &Compiled, text: &str) -> Vec<Edit> {
    attempt(compiled, text).unwrap_or_default()
}

fn attempt(compiled: &Compiled, text: &str) -> Option<Vec<Edit>> {
    let doc = Doc::parse(text).ok()?;
    // With two values for one key it is not certain which of them is meant.
    if doc.has_duplicates() || compiled.check(&doc) != Outcome::Invalid {
        return None;
    }
    let renamed = key::respell(&doc, Reach::root(compiled))?;
    if renamed.is_empty() {
        return values(compiled, &doc);
    }
    let text = edit::apply(text, &renamed).ok()?;
    let doc_after = Doc::parse(&text).ok()?;
    match compiled.check(&doc_after) {
        Outcome::Valid => declared::only(&doc_after, Reach::root(compiled)).then_some(renamed),
        Outcome::Invalid => edit::compose(doc.text(), &renamed, &values(compiled, &doc_after)?).ok(),
        Outcome::Unknown(_) => None,
    }
}

/// Repairs values. The keys are those that are meant.
fn values(compiled: &Compiled, doc: &Doc<'_>) -> Option<Vec<Edit>> {
    // Keys that nobody declared rule out every repaired reading, so nothing needs to be tried.
    if !declared::only(doc, Reach::root(compiled)) {
        return None;
    }
    let errors = compiled.errors(doc)?;
    let objections = objections(&errors.iter().collect::<Vec<_>>(), MAX_ALTERNATIVES)?;
    let mut search = Search { compiled, doc, sites: BTreeMap::new() };
    let mut found: Option<(Vec<Edit>, String)> = None;
    let mut left = TRIAL_BUDGET * Effort::allowed(doc.text().len());
    for chosen in search.ways(&objections)? {
        let edits = search.edits(&chosen);
        let Some(after) = edit::apply(doc.text(), &edits).ok() else { continue };
        let Ok(doc_after) = Doc::parse(&after) else { continue };
        doc_after.effort.cap(left);
        let before = doc_after.effort.left();
        let fits = match compiled.check(&doc_after) {
            Outcome::Valid => declared::only(&doc_after, Reach::root(compiled)),
            Outcome::Invalid => false,
            Outcome::Unknown(_) => return None,
        };
        left -= before - doc_after.effort.left();
        match &found {
            _ if !fits => {}
            Some((_, other)) if *other != after => return None,
            _ => found = Some((edits, after)),
        }
    }
    found.map(|(edits, _)| edits)
}

/// What the validator objects to.
enum Objection {
    /// The value at this place, a JSON Pointer; it wants one of these types, if it says which.
    Value { at: String, wants: JsonTypeSet },
    /// One of these has to be answered in full.
    OneOf(Vec<Vec<Objection>>),
}

/// The objections behind a list of errors that all have to go; `None` where one of them cannot.
fn objections(errors: &[&ValidationError<'_>], deeper: usize) -> Option<Vec<Objection>> {
    let mut values: BTreeMap<&str, JsonTypeSet> = BTreeMap::new();
    let mut all = Vec::new();
    for error in errors {
        let wants = match error.kind() {
            ValidationErrorKind::Type { kind: TypeKind::Single(one) } => JsonTypeSet::from(*one),
            ValidationErrorKind::Type { kind: TypeKind::Multiple(several) } => *several,
            ValidationErrorKind::Enum { options } => {
                let options = options.as_array().into_iter().flatten();
                options.fold(JsonTypeSet::empty(), |set, v| set.insert(type_of(v)))
            }
            ValidationErrorKind::Constant { expected_value } => JsonTypeSet::from(type_of(expected_value)),
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                let deeper = deeper.checked_sub(1)?;
                let branches: Vec<_> = context
                    .iter()
                    .filter_map(|errors| objections(&errors.iter().collect::<Vec<_>>(), deeper))
                    .collect();
                if branches.is_empty() {
                    return None;
                }
                all.push(Objection::OneOf(branches));
                continue;
            }
            _ => return None,
        };
        let at = error.instance_path().as_str();
        let known = values.entry(at).or_insert(JsonTypeSet::empty());
        *known = known.union(wants);
        if values.len() > MAX_REPAIRS {
            return None;
        }
    }
    all.extend(values.into_iter().map(|(at, wants)| Objection::Value { at: at.to_owned(), wants }));
    Some(all)
}

fn type_of(value: &serde_json::Value) -> JsonType {
    JsonType::from(value)
}

/// Repairs by the item of the value that they repair.
type Chosen = BTreeMap<u32, Repair>;

struct Search<'a> {
    compiled: &'a Compiled,
    doc: &'a Doc<'a>,
    /// The places that were looked at, by the pointer that names them.
    sites: BTreeMap<String, Option<Site<'a>>>,
}

impl<'a> Search<'a> {
    /// All ways to answer these objections, or `None` where there are too many.
    fn ways(&mut self, objections: &[Objection]) -> Option<Vec<Chosen>> {
        let mut ways = vec![Chosen::new()];
        for objection in objections {
            let answers = match objection {
                Objection::Value { at, wants } => {
                    let Some(site) = self.site(at) else { return Some(Vec::new()) };
                    site.repairs(*wants).into_iter().map(|r| Chosen::from([(site.at(), r)])).collect()
                }
                Objection::OneOf(branches) => {
                    let mut answers = Vec::new();
                    for branch in branches {
                        answers.append(&mut self.ways(branch)?);
                    }
                    answers
                }
            };
            ways = combine(&ways, &answers)?;
        }
        Some(ways)
    }

    fn site(&mut self, pointer: &str) -> Option<Site<'a>> {
        let (compiled, doc) = (self.compiled, self.doc);
        self.sites.entry(pointer.to_owned()).or_insert_with(|| Site::find(compiled, doc, pointer)).clone()
    }

    fn edits(&self, chosen: &Chosen) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut nulls = Vec::new();
        for (&at, repair) in chosen {
            match repair {
                Repair::Replace { put, rule } => edits.push(value::replace(self.doc, at, put, *rule)),
                Repair::Wrap => edits.extend(value::wrap(self.doc, at)),
                Repair::LeaveOut => nulls.push(at),
            }
        }
        edits.extend(null::leave_out(self.doc, &nulls));
        edits.sort_by_key(|e| (e.start, e.end));
        edits
    }
}

/// Every way with every answer that does not contradict it, each once.
fn combine(ways: &[Chosen], answers: &[Chosen]) -> Option<Vec<Chosen>> {
    let mut combined: Vec<Chosen> = Vec::new();
    for way in ways {
        for answer in answers {
            if answer.iter().any(|(at, repair)| way.get(at).is_some_and(|r| r != repair)) {
                continue;
            }
            let mut both = way.clone();
            both.extend(answer.iter().map(|(at, repair)| (*at, repair.clone())));
            if !combined.contains(&both) {
                combined.push(both);
            }
            if combined.len() > MAX_TRIALS {
                return None;
            }
        }
    }
    Some(combined)
}

/// An edit of one stretch of the text.
fn put(rule: Rule, start: u32, end: u32, put: String) -> Edit {
    Edit { start: start as usize, end: end as usize, put: put.into(), rule }
}
