//! What is wrong, in a few words that never repeat the body's content.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use toolmend_core::Admission;

use crate::doc::{Doc, Kind};

/// The longest description of an unusable schema, in characters.
const LONGEST: usize = 200;

/// Why jsonschema does not take a schema.
pub(crate) fn unusable(error: &ValidationError<'_>) -> String {
    let text: String = error.to_string().chars().take(LONGEST).collect();
    match error.instance_path().as_str() {
        "" => format!("the schema cannot be used: {text}"),
        at => format!("the schema cannot be used: {text} ({at})"),
    }
}

/// The place and the kind of an error; of alternatives, those of the one that was meant, where it is plain.
pub(crate) fn first(doc: &Doc<'_>, error: &ValidationError<'_>) -> Admission {
    let at = error.instance_path().as_str();
    let mut plain: (&str, &ValidationErrorKind) = (at, error.kind());
    while let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } =
        plain.1
    {
        let mut meant = context.iter().filter(|errors| !errors.iter().any(|e| rules_out(e, plain.0)));
        let (Some(errors), None) = (meant.next(), meant.next()) else { break };
        let Some(error) = errors.first() else { break };
        plain = (error.instance_path().as_str(), error.kind());
    }
    let found = doc.path(plain.0).and_then(|path| path.last().copied()).map(|i| doc.kind(i));
    Admission::Invalid { at: plain.0.to_owned(), what: say(plain.1, found) }
}

/// Whether the error says that the value at `place` is of another kind altogether.
fn rules_out(error: &ValidationError<'_>, place: &str) -> bool {
    error.instance_path().as_str() == place
        && matches!(
            error.kind(),
            ValidationErrorKind::Type { .. }
                | ValidationErrorKind::Constant { .. }
                | ValidationErrorKind::Enum { .. }
        )
}

fn say(kind: &ValidationErrorKind, found: Option<Kind>) -> String {
    use ValidationErrorKind as K;
    match kind {
        K::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(one) => one.as_str().to_owned(),
                TypeKind::Multiple(several) => {
                    several.iter().map(JsonType::as_str).collect::<Vec<_>>().join(" or ")
                }
            };
            format!("{} instead of {wanted}", found.map_or("a value", Kind::name))
        }
        K::Required { property } => format!("the required {property} is missing"),
        K::AdditionalProperties { unexpected } | K::UnevaluatedProperties { unexpected } => {
            format!(
                "{} is not declared",
                unexpected.first().map_or_else(String::new, |key| format!("{key:?}"))
            )
        }
        K::FalseSchema => "not allowed here".to_owned(),
        K::Enum { .. } => "not one of the allowed values".to_owned(),
        K::Constant { .. } => "not the allowed value".to_owned(),
        K::AnyOf { .. } | K::OneOfNotValid { .. } => "fits none of the alternatives".to_owned(),
        K::OneOfMultipleValid { .. } => "fits more than one of the alternatives".to_owned(),
        K::Minimum { limit } => format!("less than {limit}"),
        K::Maximum { limit } => format!("more than {limit}"),
        K::ExclusiveMinimum { limit } => format!("not more than {limit}"),
        K::ExclusiveMaximum { limit } => format!("not less than {limit}"),
        K::MinLength { limit } => format!("shorter than {limit} characters"),
        K::MaxLength { limit } => format!("longer than {limit} characters"),
        K::MinItems { limit } => format!("fewer than {limit} items"),
        K::MaxItems { limit } => format!("more than {limit} items"),
        other => format!("does not satisfy {:?}", other.keyword()),
    }
}
