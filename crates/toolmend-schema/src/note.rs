//! What is worth knowing about a body that is used as it is.

use toolmend_core::{Note, NoteKind};

use crate::doc::{Doc, Kind};
use crate::reach::Reach;
use crate::schema::Compiled;

/// Notes on one body at most.
pub const MAX_NOTES: usize = 16;

/// Values with parameter markup that are looked into at most.
const MAX_LOOKED_INTO: usize = 64;

/// The longest name in a closing tag, in bytes.
const MAX_TAG: usize = 64;

/// All notes on a body, in the order of its text; `compiled` where its schema can be used.
pub(crate) fn all(doc: &Doc<'_>, compiled: Option<&Compiled>) -> Vec<Note> {
    let mut notes = Vec::new();
    if let Some(compiled) = compiled
        && (doc.len(), doc.kind(0)) == (1, Kind::Object)
        && Reach::root(compiled).required().next().is_some()
    {
        notes.push(Note { kind: NoteKind::EmptyForRequired, at: String::new() });
    }
    let mut looked_into = 0;
    for at in 0..doc.len() {
        let item = doc.item(at);
        let kind = match item.kind {
            Kind::Key if item.stale => NoteKind::DuplicateKey,
            // What the other notes are about holds a character that JSON escapes.
            Kind::String if item.escaped && is_broken_path(doc, at) => NoteKind::ControlInPath,
            Kind::String if item.escaped && looked_into < MAX_LOOKED_INTO && doc.raw(at).contains(OPENS) => {
                looked_into += 1;
                if !compiled.is_some_and(|c| swallows(doc, c, at)) {
                    continue;
                }
                NoteKind::SwallowedParameter
            }
            _ => continue,
        };
        notes.push(Note { kind, at: doc.pointer(at) });
        if notes.len() == MAX_NOTES {
            break;
        }
    }
    notes
}

/// Whether a value is a path but for a control character in it: `C:\temp` whose `\t` was decoded.
fn is_broken_path(doc: &Doc<'_>, at: u32) -> bool {
    let mut start = doc.raw(at).bytes().skip(1);
    let on_drive = start.next().is_some_and(|b| b.is_ascii_alphabetic()) && start.next() == Some(b':');
    let named =
        at.checked_sub(1).is_some_and(|key| doc.kind(key) == Kind::Key && names_a_path(&doc.string(key)));
    if !on_drive && !named {
        return false;
    }
    let value = doc.string(at);
    if !value.contains(|c: char| c.is_control()) {
        return false;
    }
    // Several lines of text may begin with a path, or stand under `file`; a path has no other white space.
    on_drive && value[2..].starts_with(|c: char| c.is_control())
        || (named || value[2..].starts_with('\\')) && !value.contains(' ')
}

/// Whether a key of this name holds a path.
fn names_a_path(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["path", "file", "filename", "dir", "directory", "folder", "cwd"].iter().any(|word| key.ends_with(word))
}

/// Whether a value holds the end of its own markup and the beginning of another parameter's, and that
/// other one is declared beside it and missing.
fn swallows(doc: &Doc<'_>, compiled: &Compiled, at: u32) -> bool {
    let value = doc.string(at);
    let names = parameters_begun(&value);
    let pointer = doc.pointer(at);
    let Some(path) = doc.path(&pointer[..pointer.rfind('/').unwrap_or(0)]) else { return false };
    let (mut reach, mut object) = (Reach::root(compiled), 0);
    for &inner in &path[1..] {
        reach = match doc.kind(object) {
            Kind::Object => reach.property(&doc.string(inner - 1)),
            _ => reach.element(doc.children(object).position(|e| e == inner).unwrap_or(0)),
        };
        object = inner;
    }
    doc.kind(object) == Kind::Object
        && names.iter().any(|name| reach.names(name) && doc.get(object, name).is_none())
}

/// How a parameter begins in the markup that models mix up with JSON.
const OPENS: &str = "<parameter";

/// The names in `</…>`, white space, `<parameter name="…">` or `<parameter=…>`.
fn parameters_begun(value: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (start, _) in value.match_indices(OPENS) {
        let before = value[..start].trim_end().as_bytes();
        let tag = before
            .iter()
            .rev()
            .take(MAX_TAG + 3)
            .position(|&b| b == b'<')
            .map(|n| &before[before.len() - n..]);
        if !tag.is_some_and(|tag| {
            tag.len() > 2
                && tag.starts_with(b"/")
                && tag.iter().position(|&b| b == b'>') == Some(tag.len() - 1)
        }) {
            continue;
        }
        let rest = &value[start + OPENS.len()..];
        let named = match rest.strip_prefix('=') {
            Some(rest) => rest.split_once('>'),
            None => rest.trim_start().strip_prefix("name=\"").and_then(|rest| rest.split_once("\"")),
        };
        names.extend(named.map(|(name, _)| name.trim()));
    }
    names
}
