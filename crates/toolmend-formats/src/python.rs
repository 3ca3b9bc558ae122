//! Calls as Python writes them: `[f(a='x', b=True), g()]`. Only literals; everything else declines.

use alloc::string::String;
use alloc::vec::Vec;

use crate::MAX_DEPTH;
use crate::json;
use crate::typed;

/// One call: its name, its arguments as JSON.
pub(crate) type Called = (String, String);

/// Reads calls that stand in brackets, from `[` on; and how many bytes they take.
pub(crate) fn list(text: &str) -> Option<(Vec<Called>, usize)> {
    let mut reader = Reader { text, at: 0 };
    reader.take('[')?;
    let mut calls = Vec::new();
    loop {
        reader.white();
        if reader.take(']').is_some() {
            return (!calls.is_empty()).then_some((calls, reader.at));
        }
        calls.push(reader.call()?);
        reader.white();
        if reader.take(',').is_none() {
            reader.take(']')?;
            return Some((calls, reader.at));
        }
    }
}

/// Reads calls that follow each other, with white space, `,` or `;` between.
pub(crate) fn calls(text: &str) -> Option<(Vec<Called>, usize)> {
    let mut reader = Reader { text, at: 0 };
    let mut calls = Vec::new();
    let mut end = 0;
    loop {
        reader.white();
        if !reader.rest().starts_with(is_name_start) {
            return (!calls.is_empty()).then_some((calls, end));
        }
        calls.push(reader.call()?);
        end = reader.at;
        reader.white();
        let _ = reader.take(',').or_else(|| reader.take(';'));
    }
}

/// The JSON of a Python literal that is all of `text`.
pub(crate) fn literal(text: &str) -> Option<String> {
    let mut reader = Reader { text, at: 0 };
    let mut out = String::new();
    reader.value(&mut out, 0)?;
    reader.white();
    reader.rest().is_empty().then_some(out)
}

/// Whether a name may begin with it.
pub(crate) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn white(&mut self) {
        self.at = self.text.len() - self.rest().trim_ascii_start().len();
    }

    fn take(&mut self, c: char) -> Option<()> {
        self.rest().starts_with(c).then(|| self.at += c.len_utf8())
    }

    fn name(&mut self, also: &[char]) -> Option<&'t str> {
        let rest = self.rest();
        if !rest.starts_with(is_name_start) {
            return None;
        }
        let more = |c: char| c.is_alphanumeric() || c == '_' || also.contains(&c);
        let end = rest.find(|c| !more(c)).unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }

    fn call(&mut self) -> Option<Called> {
        // Tools have names that no Python function may have.
        let name = self.name(&['.', '-'])?;
        self.white();
        self.take('(')?;
        let mut members = Vec::new();
        loop {
            self.white();
            if self.take(')').is_some() {
                return Some((name.into(), typed::object(&members)?));
            }
            let key = self.name(&[])?;
            self.white();
            self.take('=')?;
            let mut value = String::new();
            self.value(&mut value, 0)?;
            members.push((key.into(), value));
            self.white();
            if self.take(',').is_none() {
                self.take(')')?;
                return Some((name.into(), typed::object(&members)?));
            }
        }
    }

    fn value(&mut self, out: &mut String, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.white();
        match self.rest().chars().next()? {
            '\'' | '"' => {
                let text = self.string()?;
                json::put_string(out, &text);
                Some(())
            }
            '[' => self.sequence(out, depth),
            '{' => self.mapping(out, depth),
            _ => self.word(out),
        }
    }

    fn word(&mut self, out: &mut String) -> Option<()> {
        let rest = self.rest();
        let more = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
        let end = rest.find(|c| !more(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        out.push_str(match word {
            "True" | "true" => "true",
            "False" | "false" => "false",
            "None" | "null" => "null",
            _ if json::is_number(word) => word,
            _ => return None,
        });
        self.at += end;
        Some(())
    }

    fn sequence(&mut self, out: &mut String, depth: usize) -> Option<()> {
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

    fn mapping(&mut self, out: &mut String, depth: usize) -> Option<()> {
        self.take('{')?;
        out.push('{');
        let mut keys: Vec<String> = Vec::new();
        loop {
            self.white();
            if self.take('}').is_some() {
                out.push('}');
                return Some(());
            }
            if !keys.is_empty() {
                out.push_str(", ");
            }
            let key = self.string()?;
            if keys.contains(&key) {
                return None;
            }
            json::put_string(out, &key);
            keys.push(key);
            self.white();
            self.take(':')?;
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

    /// A string with its escapes undone. An escape that Python does not know declines, and so does a
    /// string with a prefix or one that another one follows.
    fn string(&mut self) -> Option<String> {
        let quote = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quote| self.rest().starts_with(quote))?;
        self.at += quote.len();
        let mut out = String::new();
        loop {
            let rest = self.rest();
            if rest.starts_with(quote) {
                self.at += quote.len();
                self.white();
                return (!self.rest().starts_with(['\'', '"'])).then_some(out);
            }
            let c = rest.chars().next()?;
            self.at += c.len_utf8();
            if c == '\\' { self.escape(&mut out)? } else { out.push(c) }
        }
    }

    fn escape(&mut self, out: &mut String) -> Option<()> {
        let rest = self.rest();
        let c = rest.chars().next()?;
        self.at += c.len_utf8();
        let digits = match c {
            '\n' => return Some(()),
            '\\' | '\'' | '"' => 0,
            'n' | 'r' | 't' | 'a' | 'b' | 'f' | 'v' => 0,
            'x' => 2,
            'u' => 4,
            'U' => 8,
            '0' if !rest[1..].starts_with(|c: char| c.is_ascii_digit()) => 0,
            _ => return None,
        };
        out.push(match c {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '0' => '\0',
            _ if digits > 0 => {
                let code = json::hex(self.rest(), digits)?;
                self.at += digits;
                char::from_u32(code)?
            }
            other => other,
        });
        Some(())
    }
}
