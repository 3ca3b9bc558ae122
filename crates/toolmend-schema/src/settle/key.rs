//! Keys in another spelling: `filePath` for `file_path`.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

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
                // The model may leave out what stands before a flag, `n` for `-n`, but not be robbed of it; before a word
                // it may say not, or the other way round.
                let flag = name.trim_start_matches(['-', '_']);
                let flag = if flag.chars().count() < 3 { flag } else { name };
                for spelling in [name, flag] {
                    let known = missing.entry(letters(spelling)).or_insert(Some(name));
                    *known = known.filter(|other| *other == name);
                }
            }
            // Where other keys may stand, spelling is what is wrong only if the object lacks what it must have.
            let (mut needed, mut taken) = (place.reach.is_closed(), HashSet::new());
            let all = undeclared.iter().all(|(key, name)| {
                let letters = letters(name);
                let Some(&Some(meant)) = missing.get(&letters).filter(|_| !letters.is_empty()) else {
                    return false;
                };
                // A second key cannot have it too.
                if !taken.insert(meant) {
                    return false;
                }
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

/// A name without what only says where its words end, in lower case. At its begin or end a sign says something else,
/// `-price`, and so does one between digits, `v1.0`; so does the case of a unit or a flag: `mW`, `-I`.
pub(crate) fn letters(name: &str) -> String {
    let unit = name.len() < 4 && !in_one_case(name) || name.len() == 2 && name.starts_with('-');
    let (mut letters, mut before) = (String::with_capacity(name.len()), None);
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let behind = chars.peek().copied();
        let between = |is: fn(char) -> bool| before.is_some_and(is) && behind.is_some_and(is);
        let separates = matches!(c, '_' | '-' | ' ')
            && between(char::is_alphanumeric)
            && !between(|c| c.is_ascii_digit());
        if !separates && unit {
            letters.push(c);
        } else if !separates {
            letters.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    letters
}

/// Whether each word in it is in lower case, in capitals, or begins with one: not `MBps`.
pub(super) fn in_one_case(text: &str) -> bool {
    let words = || text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let lower = |word: &str| !word.chars().any(char::is_uppercase);
    words().all(lower)
        || words().all(|word| !word.chars().any(char::is_lowercase))
        || words().all(|word| lower(&word[word.chars().next().map_or(0, char::len_utf8)..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_part_words() {
        for name in ["file_path", "filePath", "file-path", "File Path", "FILE_PATH"] {
            assert_eq!(letters(name), "filepath", "{name}");
        }
        for name in ["-price", "_price", "price_", "v1.0", "v1-0", "filter.name", "a__b"] {
            assert_eq!(letters(name), name, "{name}");
        }
        assert_eq!(letters("top_5_hits"), "top5hits");
    }
}
