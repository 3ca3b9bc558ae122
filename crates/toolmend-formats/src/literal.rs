//! Lists and objects in brackets, with commas between: what Python's literals and the brace grammar share.

use alloc::string::String;
use alloc::vec::Vec;

use toolmend_core::quote::quote_into;

use crate::MAX_DEPTH;

/// A text, and how far it is read.
pub(crate) struct Cursor<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(crate) fn white(&mut self) {
        self.at = self.text.len() - self.rest().trim_ascii_start().len();
    }

    pub(crate) fn take(&mut self, c: char) -> Option<()> {
        self.rest().starts_with(c).then(|| self.at += c.len_utf8())
    }

    /// Takes the next `length` bytes.
    pub(crate) fn bytes(&mut self, length: usize) -> &'t str {
        let taken = &self.rest()[..length];
        self.at += length;
        taken
    }
}

/// How a grammar writes what stands in lists and objects. `None` is what it does not write.
pub(crate) trait Words {
    /// Writes the next value, which is neither list nor object, as JSON.
    fn scalar(&self, cursor: &mut Cursor<'_>, out: &mut String) -> Option<()>;

    /// The next key, decoded, and the separator behind it.
    fn key(&self, cursor: &mut Cursor<'_>) -> Option<String>;

    /// Writes the next value as JSON.
    fn value(&self, cursor: &mut Cursor<'_>, out: &mut String, depth: usize) -> Option<()> {
        cursor.white();
        match cursor.rest().chars().next()? {
            _ if depth > MAX_DEPTH => None,
            '[' => self.list(cursor, out, depth),
            '{' => self.object(cursor, out, depth),
            _ => self.scalar(cursor, out),
        }
    }

    /// Writes the next list as JSON.
    fn list(&self, cursor: &mut Cursor<'_>, out: &mut String, depth: usize) -> Option<()> {
        items(cursor, out, ['[', ']'], |cursor, out| self.value(cursor, out, depth + 1))
    }

    /// Writes the next object as JSON; a key that stands twice is none.
    fn object(&self, cursor: &mut Cursor<'_>, out: &mut String, depth: usize) -> Option<()> {
        let mut keys: Vec<String> = Vec::new();
        items(cursor, out, ['{', '}'], |cursor, out| {
            let key = self.key(cursor)?;
            if keys.contains(&key) {
                return None;
            }
            quote_into(&key, out);
            keys.push(key);
            out.push_str(": ");
            self.value(cursor, out, depth + 1)
        })
    }
}

/// Writes what stands between two brackets; a comma may stand behind the last item.
fn items(
    cursor: &mut Cursor<'_>,
    out: &mut String,
    [open, close]: [char; 2],
    mut item: impl FnMut(&mut Cursor<'_>, &mut String) -> Option<()>,
) -> Option<()> {
    cursor.take(open)?;
    out.push(open);
    let mut any = false;
    loop {
        cursor.white();
        if cursor.take(close).is_some() {
            break;
        }
        if any {
            out.push_str(", ");
        }
        any = true;
        item(cursor, out)?;
        cursor.white();
        if cursor.take(',').is_none() {
            cursor.take(close)?;
            break;
        }
    }
    out.push(close);
    Some(())
}
