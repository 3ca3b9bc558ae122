//! `html-entities`: an HTML-escaped body

use super::{Act, Counter, Example, Spec};
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec::Vec;

pub(super) const SPEC: Spec = Spec {
    name: "html-entities",
    what: "A body in which every quote is written as an HTML entity.",
    grade: Grade::Packaging,
    example: Example {
        before: "{&quot;city&quot;: &quot;Lyon&quot;}",
        after: r#"{"city": "Lyon"}"#,
        ending: Ending::Complete,
        schema: "",
    },
    safe: "There is no raw quote and no ampersand that begins no entity, so the whole text is one escaped level.",
    wrong: Counter {
        text: r#"{&quot;city&quot;: "Lyon &amp; region"}"#,
        why: "Only some quotes are entities: no even level can be taken off.",
        ending: Ending::Complete,
        schema: "",
    },
    act: Act::Layer(layer),
};

/// Whether the text holds entities for quotes that are neither plainly a level nor plainly content: a body
/// in quotes of another kind, with none of its own kind.
pub(crate) fn undecided(text: &str) -> bool {
    memchr::memchr(b'"', text.as_bytes()).is_none()
        && memchr::memchr(b'&', text.as_bytes()).is_some()
        && (text.contains("&quot;") || text.contains("&#34;"))
        && text.contains(['\'', '`', '“', '”', '„', '«'])
}

fn layer(text: &str) -> Option<Vec<Edit>> {
    const ENTITIES: &[(&str, &str)] = &[
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&#39;", "'"),
        ("&apos;", "'"),
    ];
    // Most bodies hold a quote, and soon: no more of them is looked at.
    if memchr::memchr(b'"', text.as_bytes()).is_some() {
        return None;
    }
    let first = memchr::memchr(b'&', text.as_bytes())?;
    // A quote of another kind before the first entity: the entities are content of its strings.
    if text[..first].contains(['\'', '`', '“', '”', '„', '«']) {
        return None;
    }
    if !text.contains("&quot;") && !text.contains("&#34;") {
        return None;
    }
    // A raw sign beside its entity: the level is not even.
    let escaped = ["&lt;", "&gt;", "&amp;"].iter().any(|entity| text.contains(entity));
    let uneven = escaped && text.contains(['<', '>']);
    if uneven {
        return None;
    }
    memchr::memchr_iter(b'&', text.as_bytes())
        .map(|at| {
            let (entity, put) = ENTITIES.iter().find(|(entity, _)| text[at..].starts_with(entity))?;
            Some(Edit::replace(Rule::HtmlEntities, at, at + entity.len(), *put))
        })
        .collect()
}
