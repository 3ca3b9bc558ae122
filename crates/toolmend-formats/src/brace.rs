//! The brace grammar of Gemma 4 and FunctionGemma: `call:NAME{key:<|"|>text<|"|>,n:1}`.

use alloc::string::String;

use toolmend_core::quote::quote_into;

use crate::json;
use crate::literal::{Cursor, Words};
use crate::marks::{Fit, fit};

/// Reads a call from `call:` on; `quote` is the mark around its strings. Its name, its arguments, and how
/// many bytes it takes.
pub(crate) fn call(text: &str, quote: &str) -> Option<(String, String, usize)> {
    let start = text.len() - text.trim_ascii_start().len();
    let named = text[start..].strip_prefix("call:")?;
    let open = named.find('{')?;
    let name = named[..open].trim();
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == '<') {
        return None;
    }
    let mut cursor = Cursor { text, at: text.len() - named.len() + open };
    let mut out = String::new();
    Brace { quote }.object(&mut cursor, &mut out, 0)?;
    Some((name.into(), out, cursor.at))
}

struct Brace<'q> {
    quote: &'q str,
}

impl Brace<'_> {
    fn take_quote(&self, cursor: &mut Cursor<'_>) -> Option<()> {
        match fit(cursor.rest().as_bytes(), self.quote) {
            Fit::Full(length) => {
                cursor.at += length;
                Some(())
            }
            _ => None,
        }
    }

    /// A string between quote marks. It ends at the first of them: whether one inside was meant as a
    /// quote of the text, nothing tells, and then what follows is no grammar and declines.
    fn string<'t>(&self, cursor: &mut Cursor<'t>) -> Option<&'t str> {
        self.take_quote(cursor)?;
        let start = cursor.at;
        loop {
            let next = cursor.rest().find('<')?;
            cursor.at += next;
            let end = cursor.at;
            if self.take_quote(cursor).is_some() {
                return Some(&cursor.text[start..end]);
            }
            cursor.at += 1;
        }
    }
}

impl Words for Brace<'_> {
    fn scalar(&self, cursor: &mut Cursor<'_>, out: &mut String) -> Option<()> {
        if cursor.rest().starts_with('"') {
            let written = json_string(cursor)?;
            json::decode(written)?;
            out.push_str(written);
            return Some(());
        }
        if let Some(text) = self.string(cursor) {
            quote_into(text, out);
            return Some(());
        }
        let end = cursor.rest().find([',', '}', ']', '<', '\n'])?;
        let word = cursor.bytes(end).trim();
        if !matches!(word, "true" | "false" | "null") && !json::is_number(word) {
            return None;
        }
        out.push_str(word);
        Some(())
    }

    /// Keys are bare, and may hold spaces (ollama/ollama#18390).
    fn key(&self, cursor: &mut Cursor<'_>) -> Option<String> {
        let key = match self.string(cursor) {
            Some(text) => text.into(),
            None if cursor.rest().starts_with('"') => json::decode(json_string(cursor)?)?,
            None => {
                let end = cursor.rest().find([':', '=', ',', '{', '}', '[', ']', '<', '"', '\n'])?;
                cursor.bytes(end).trim().into()
            }
        };
        cursor.white();
        cursor.take(':').or_else(|| cursor.take('='))?;
        (!key.is_empty()).then_some(key)
    }
}

/// The JSON string that stands next, with its quotes.
fn json_string<'t>(cursor: &mut Cursor<'t>) -> Option<&'t str> {
    let end = json::string_end(cursor.rest().as_bytes(), 1, b'"')?;
    Some(cursor.bytes(end))
}
