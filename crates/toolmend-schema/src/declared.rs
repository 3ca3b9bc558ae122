//! Which keys a body may have, and whether any can be missing.

use crate::doc::{Doc, Kind};
use crate::reach::Reach;

/// An object of a body, and what applies to it.
pub(crate) struct Place<'s> {
    pub(crate) object: u32,
    pub(crate) reach: Reach<'s>,
}

/// Visits the objects about which the schema says something, outermost first; `false` where one is
/// refused, or where that takes too many steps. A member is followed under the name that `named` gives it.
pub(crate) fn all_objects<'s>(
    doc: &Doc<'_>,
    root: Reach<'s>,
    named: impl Fn(u32) -> Option<&'s str>,
    mut admit: impl FnMut(&Place<'s>) -> bool,
) -> bool {
    let mut todo = vec![(0, root)];
    while let Some((at, reach)) = todo.pop() {
        if reach.is_silent() {
            continue;
        }
        match doc.kind(at) {
            Kind::Object => {
                let place = Place { object: at, reach };
                // Each key is looked for in each schema, so that is what is counted.
                let steps = u64::from(doc.item(at).len) * place.reach.size();
                if !doc.effort.step(steps) || !admit(&place) {
                    return false;
                }
                for (key, value) in doc.all_members(at) {
                    if doc.item(value).len > 0 {
                        let inner = match named(key) {
                            Some(name) => place.reach.property(name),
                            None => place.reach.property(&doc.string(key)),
                        };
                        todo.push((value, inner));
                    }
                }
            }
            Kind::Array => {
                if !doc.effort.step(u64::from(doc.item(at).len) * reach.size()) {
                    return false;
                }
                let same = reach.is_uniform().then(|| reach.element(0));
                for (n, element) in doc.children(at).enumerate() {
                    if doc.item(element).len > 0 {
                        todo.push((element, same.clone().unwrap_or_else(|| reach.element(n))));
                    }
                }
            }
            _ => {}
        }
    }
    true
}

/// Whether the body uses only declared keys, wherever any are declared.
pub(crate) fn only(doc: &Doc<'_>, root: Reach<'_>) -> bool {
    all_objects(
        doc,
        root,
        |_| None,
        |place| {
            !place.reach.is_partial()
                && (!place.reach.declares_any()
                    || doc.all_members(place.object).all(|(key, _)| place.reach.declares(&doc.string(key))))
        },
    )
}

/// Whether an object within the body holds a key that it does not declare itself, and that the body declares and lacks:
/// `{"headers": {"A": "b", "timeout": 5}}`.
pub(crate) fn is_misplaced(doc: &Doc<'_>, root: &Reach<'_>) -> bool {
    if doc.kind(0) != Kind::Object {
        return false;
    }
    let lost: Vec<&str> = root.properties().filter(|name| doc.get(0, name).is_none()).collect();
    let mut todo = vec![(0, root.clone())];
    while let Some((at, reach)) = todo.pop().filter(|_| !lost.is_empty()) {
        if !doc.effort.step(u64::from(doc.item(at).len) * (reach.size() + lost.len() as u64)) {
            return true;
        }
        if doc.kind(at) != Kind::Object {
            let elements = doc.children(at).enumerate().filter(|&(_, element)| doc.item(element).len > 0);
            todo.extend(elements.map(|(n, element)| (element, reach.element(n))));
            continue;
        }
        for (key, value) in doc.all_members(at) {
            let name = doc.string(key);
            if at > 0 && lost.contains(&&*name) && !reach.names(&name) {
                return true;
            }
            if doc.item(value).len > 0 {
                todo.push((value, reach.property(&name)));
            }
        }
    }
    false
}

/// Whether nothing can be missing from any of the containers that the last `closed` closers end.
pub(crate) fn whole(doc: &Doc<'_>, root: Reach<'_>, closed: usize) -> bool {
    let (mut at, mut reach) = (0, root);
    for level in 0..closed {
        if doc.kind(at) != Kind::Object || reach.is_partial() || reach.is_open_ended() {
            return false;
        }
        let declares = reach.properties().next().is_some();
        if !declares || !reach.properties().all(|name| doc.get(at, name).is_some()) {
            return false;
        }
        if level + 1 < closed {
            let Some((key, value)) = doc.all_members(at).last() else { return false };
            reach = reach.property(&doc.string(key));
            at = value;
        }
    }
    true
}
