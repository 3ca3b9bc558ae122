//! The brace grammar of Gemma 4 and FunctionGemma: `call:NAME{key:<|"|>text<|"|>,n:1}`.

use alloc::string::String;
use alloc::vec::Vec;

use crate::MAX_DEPTH;
use crate::json;
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
    let mut reader = Reader { text, at: text.len() - named.len() + open, quote };
    let mut out = String::new();
    reader.object(&mut out, 0)?;
    Some((name.into(), out, reader.at))
}

struct Reader<'t, 'q> {
    text: &'t str,
    at: usize,
    quote: &'q str,
}

impl<'t> Reader<'t, '_> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn white(&mut self) {
        self.at = self.text.len() - self.rest().trim_ascii_start().len();
    }

    fn take(&mut self, c: char) -> Option<()> {
        self.rest().starts_with(c).then(|| self.at += c.len_utf8())
    }

    fn take_quote(&mut self) -> Option<()> {
        match fit(self.rest().as_bytes(), self.quote) {
            Fit::Full(length) => {
                self.at += length;
                Some(())
            }
            _ => None,
        }
    }

    fn value(&mut self, out: &mut String, depth: usize) -> Option<()> {
        self.white();
        match self.rest().chars().next()? {
            _ if depth > MAX_DEPTH => None,
            '{' => self.object(out, depth),
            '[' => self.list(out, depth),
            '"' => {
                let end = json::string_end(self.rest().as_bytes(), 1, b'"')?;
                let written = &self.rest()[..end];
                json::decode(written)?;
                out.push_str(written);
                self.at += end;
                Some(())
            }
            _ => match self.string() {
                Some(text) => {
                    json::put_string(out, text);
                    Some(())
                }
                None => self.word(out),
            },
        }
    }

    /// A string between quote marks. It ends at the first of them: whether one inside was meant as a
    /// quote of the text, nothing tells, and then what follows is no grammar and declines.
    fn string(&mut self) -> Option<&'t str> {
        self.take_quote()?;
        let start = self.at;
        loop {
            let next = self.rest().find('<')?;
            self.at += next;
            let end = self.at;
            if self.take_quote().is_some() {
                return Some(&self.text[start..end]);
            }
            self.at += 1;
        }
    }

    fn word(&mut self, out: &mut String) -> Option<()> {
        let rest = self.rest();
        let end = rest.find([',', '}', ']', '<', '\n'])?;
        let word = rest[..end].trim();
        if !matches!(word, "true" | "false" | "null") && !json::is_number(word) {
            return None;
        }
        out.push_str(word);
        self.at += end;
        Some(())
    }

    fn list(&mut self, out: &mut String, depth: usize) -> Option<()> {
        self.take('[')?;
        out.push('[');
        let mut any = false;
        loop {
            self.white();
            if self.take(']').is_some() {
                out.push(']');
                return Some(());
            }
            if any {
                out.push_str(", ");
            }
            any = true;
            self.value(out, depth + 1)?;
            self.white();
            if self.take(',').is_none() {
                self.take(']')?;
                out.push(']');
                return Some(());
            }
        }
    }

    fn object(&mut self, out: &mut String, depth: usize) -> Option<()> {
        self.take('{')?;
        out.push('{');
        let mut keys: Vec<String> = Vec::new();
        loop {
            self.white();
            if self.take('}').is_some() {
                out.push('}');
                return Some(());
            }
            let key = self.key()?;
            if keys.contains(&key) {
                return None;
            }
            if !keys.is_empty() {
                out.push_str(", ");
            }
            json::put_string(out, &key);
            keys.push(key);
            out.push_str(": ");
            self.value(out, depth + 1)?;
            self.white();
            if self.take(',').is_none() {
                self.take('}')?;
                out.push('}');
                return Some(());
            }
        }
    }

    /// A key and the separator behind it. Keys are bare, and may hold spaces (ollama/ollama#18390).
    fn key(&mut self) -> Option<String> {
        let key = match self.string() {
            Some(text) => text.into(),
            None if self.rest().starts_with('"') => {
                let end = json::string_end(self.rest().as_bytes(), 1, b'"')?;
                let written = &self.rest()[..end];
                self.at += end;
                json::decode(written)?
            }
            None => {
                let rest = self.rest();
                let end = rest.find([':', '=', ',', '{', '}', '[', ']', '<', '"', '\n'])?;
                self.at += end;
                rest[..end].trim().into()
            }
        };
        self.white();
        self.take(':').or_else(|| self.take('='))?;
        (!key.is_empty()).then_some(key)
    }
}
