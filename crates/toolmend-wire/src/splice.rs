//! Changes of an event's bytes: what stands in some places gives way, everything else stays as it is.

use core::ops::Range;

use crate::json::Value;

/// A stretch of bytes, and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) put: String,
}

/// The changes of one text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Splices(Vec<Splice>);

impl Splices {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add(&mut self, range: Range<usize>, put: impl Into<String>) {
        self.0.push(Splice { range, put: put.into() });
    }

    /// Puts this JSON in the place of a value.
    pub(crate) fn replace(&mut self, bytes: &[u8], value: Value<'_>, put: impl Into<String>) {
        self.add(value.range_in(bytes), put);
    }

    /// Puts this JSON into an object: in the place of the member's value, or as its first member.
    pub(crate) fn set(&mut self, bytes: &[u8], object: Value<'_>, key: &str, put: &str) {
        if let Some((_, value)) = object.member(key) {
            return self.replace(bytes, value, put);
        }
        let inside = object.range_in(bytes).start + 1;
        let comma = if object.members().next().is_some() { "," } else { "" };
        self.add(inside..inside, format!("\"{key}\":{put}{comma}"));
    }

    /// As [`Splices::set`], for a member of an object that is itself a member and need not be there yet.
    pub(crate) fn set_within(&mut self, bytes: &[u8], object: Value<'_>, within: &str, key: &str, put: &str) {
        if let Some((_, inner)) = object.member(within) {
            return self.set(bytes, inner, key, put);
        }
        let begin = format!("\"{within}\":{{");
        let inside = object.range_in(bytes).start + 1;
        let is_it = |splice: &&mut Splice| splice.range == (inside..inside) && splice.put.starts_with(&begin);
        match self.0.iter_mut().find(is_it) {
            Some(splice) => splice.put.insert_str(begin.len(), &format!("\"{key}\":{put},")),
            None => self.set(bytes, object, within, &format!("{{\"{key}\":{put}}}")),
        }
    }

    /// Takes a member out of an object, with the comma that it needs no more.
    pub(crate) fn remove(&mut self, bytes: &[u8], object: Value<'_>, key: &str) {
        if let Some((name, value)) = object.member(key) {
            self.cut(bytes, name.range_in(bytes).start..value.range_in(bytes).end);
        }
    }

    /// Takes an item out of its array, or a member out of its object.
    pub(crate) fn cut(&mut self, bytes: &[u8], item: Range<usize>) {
        let behind = bytes[item.end..].trim_ascii_start();
        if let Some(rest) = behind.strip_prefix(b",") {
            let next = bytes.len() - rest.trim_ascii_start().len();
            return self.add(item.start..next, "");
        }
        let before = bytes[..item.start].trim_ascii_end();
        let start = before.strip_suffix(b",").map_or(item.start, <[u8]>::len);
        self.add(start..item.end, "");
    }

    /// Appends the text with its changes to `out`. Where two changes overlap, the later one gives way.
    pub(crate) fn apply(mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.0.sort_by_key(|splice| (splice.range.start, splice.range.end));
        let mut from = 0;
        for Splice { range, put } in &self.0 {
            if range.start >= from && range.end <= bytes.len() {
                out.extend_from_slice(&bytes[from..range.start]);
                out.extend_from_slice(put.as_bytes());
                from = range.end;
            }
        }
        out.extend_from_slice(&bytes[from..]);
    }
}

/// The text as a JSON string (RFC 8259, section 7); only what must be escaped is.
pub(crate) fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 8);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            c if u32::from(c) < 0x20 => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::{Splices, quoted};
    use crate::json::Value;

    fn changed(text: &str, change: impl Fn(&mut Splices, Value<'_>)) -> String {
        let mut splices = Splices::default();
        change(&mut splices, Value::parse(text).unwrap());
        let mut out = Vec::new();
        splices.apply(text.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn members_are_set() {
        for (text, after) in [
            (r#"{"a": 1 }"#, r#"{"a": 7 }"#),
            (r#"{"a":null,"b":2}"#, r#"{"a":7,"b":2}"#),
            (r#"{}"#, r#"{"a":7}"#),
            (r#"{ "b":2}"#, r#"{"a":7, "b":2}"#),
        ] {
            assert_eq!(changed(text, |splices, value| splices.set(text.as_bytes(), value, "a", "7")), after);
        }
    }

    #[test]
    fn members_are_removed() {
        for (text, after) in [
            (r#"{"a":1}"#, "{}"),
            (r#"{"a":"x", "b":2}"#, r#"{"b":2}"#),
            (r#"{"b":2 , "a":{"c":1}}"#, r#"{"b":2 }"#),
            (r#"{"b":2,"a":1,"c":3}"#, r#"{"b":2,"c":3}"#),
            (r#"{"b":2}"#, r#"{"b":2}"#),
        ] {
            let after_change = changed(text, |splices, value| splices.remove(text.as_bytes(), value, "a"));
            assert_eq!(after_change, after);
            assert!(Value::parse(&after_change).is_ok());
        }
    }

    #[test]
    fn strings_are_quoted() {
        for text in ["", "a\"b\\c\n\r\t\u{1}\u{7f}é😀", "{\"a\":\"\\ud83d\"}"] {
            let json = quoted(text);
            assert_eq!(Value::parse(&json).unwrap().text().unwrap().to_text(), text);
        }
    }
}
