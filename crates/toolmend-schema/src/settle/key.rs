//! Keys in another spelling: `filePath` for `file_path`.

use std::cell::RefCell;
use std::collections::HashMap;

use toolmend_core::quote::quoted;
use toolmend_core::{Edit, Rule};

use crate::declared::all_objects;
use crate::doc::Doc;
use crate::reach::Reach;

/// Renames every undeclared key to the one declared, missing property that it spells. `None` where some
/// undeclared key spells none, or several, or where two spell the same.
pub(super) fn respell(doc: &Doc<'_>, root: Reach<'_>) -> Option<Vec<Edit>> {
    let names: RefCell<HashMap<u32, &str>> = RefCell::default();
    let all = all_objects(
        doc,
        root,
        |key| names.borrow().get(&key).copied(),
        |place| {
            if place.reach.is_partial() {
                return false;
            }
            if !place.reach.declares_any() {
                return true;
            }
            let keys = doc.all_members(place.object).map(|(key, _)| (key, doc.string(key)));
            let undeclared: Vec<_> = keys.filter(|(_, name)| !place.reach.declares(name)).collect();
            if undeclared.is_empty() {
                return true;
            }
            // The declared, missing properties by their letters; a second one of the same letters unmakes it.
            let mut missing: HashMap<String, Option<&str>> = HashMap::new();
            for name in place.reach.properties().filter(|name| doc.get(place.object, name).is_none()) {
                let known = missing.entry(letters(name)).or_insert(Some(name));
                *known = known.filter(|other| *other == name);
            }
            // Where other keys may stand, spelling is what is wrong only if the object lacks what it must have.
            let mut needed = place.reach.is_closed();
            let all = undeclared.iter().all(|(key, name)| {
                // Taken out, so that a second key cannot have it too.
                let letters = letters(name);
                let Some(Some(meant)) = missing.remove(&letters).filter(|_| !letters.is_empty()) else {
                    return false;
                };
                needed |= place.reach.required().any(|name| name == meant);
                names.borrow_mut().insert(*key, meant);
                true
            });
            all && needed
        },
    );
    if !all {
        return None;
    }
    let mut edits: Vec<Edit> = names
        .into_inner()
        .into_iter()
        .map(|(key, name)| {
            let item = doc.item(key);
            super::put(Rule::KeySpelling, item.start, item.end, quoted(name))
        })
        .collect();
    edits.sort_by_key(|e| e.start);
    Some(edits)
}

/// A name without what only says where its words end.
pub(crate) fn letters(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.')).flat_map(char::to_lowercase).collect()
}
