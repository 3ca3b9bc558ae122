//! JSON, read where it stands.
//!
//! A [`Value`] is a stretch of the event's text. Nothing is built from it: a number keeps its digits, a
//! string its escapes, and the place of every part in the event is known.

use memchr::memchr2;
use serde::de::IgnoredAny;

use crate::text::Text;

/// A JSON value, as a stretch of a text that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value<'a> {
    text: &'a str,
}

impl<'a> Value<'a> {
    /// The one JSON value (RFC 8259) that `text` is.
    ///
    /// # Errors
    /// The byte of `text` at which it is none.
    pub fn parse(text: &'a str) -> Result<Value<'a>, usize> {
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Ok(Value { text: text.trim_matches(BLANK) }),
            Err(error) => {
                let before = error.line().saturating_sub(1);
                let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
                Err((start + error.column().saturating_sub(1)).min(text.len()))
            }
        }
    }

    /// Its text, without white space around it.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.text
    }

    /// Where it stands in these bytes, of which it is a part.
    #[must_use]
    pub fn range_in(self, bytes: &[u8]) -> core::ops::Range<usize> {
        // Both are stretches of the same bytes, so their addresses tell; in others this is nowhere.
        let start = (self.text.as_ptr() as usize).wrapping_sub(bytes.as_ptr() as usize);
        match start.checked_add(self.text.len()) {
            Some(end) if end <= bytes.len() => start..end,
            _ => bytes.len()..bytes.len(),
        }
    }

    /// The value of this member; of the last one where the key stands twice, as JavaScript and Python
    /// have it. `None` where this is no object, or the member is absent or null.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        let [value] = self.pick([key]);
        value
    }

    /// As [`Value::get`], for several members in one pass.
    #[must_use]
    pub fn pick<const N: usize>(self, keys: [&str; N]) -> [Option<Value<'a>>; N] {
        let mut values = [None; N];
        for (name, value) in self.members() {
            if let Some(at) = keys.iter().position(|key| name.is(key)) {
                values[at] = Some(value);
            }
        }
        values.map(|value| value.filter(|value| !value.is_null()))
    }

    /// Whether this is an object with such a member, be it null.
    #[must_use]
    pub fn has(self, key: &str) -> bool {
        self.members().any(|(name, _)| name.is(key))
    }

    /// The members of an object, in order; none where this is no object.
    #[must_use]
    pub fn members(self) -> Members<'a> {
        Members(Parts::of(self.text, b'{'))
    }

    /// The member of this key, as key and value, be it null; the last one where the key stands twice.
    #[must_use]
    pub fn member(self, key: &str) -> Option<(Value<'a>, Value<'a>)> {
        let mut parts = Parts::of(self.text, b'{');
        let mut found = None;
        while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            if name.text().is_some_and(|name| name.is(key)) {
                found = Some((name, value));
            }
        }
        found
    }

    /// The items of an array; none where this is no array.
    #[must_use]
    pub fn items(self) -> Items<'a> {
        Items(Parts::of(self.text, b'['))
    }

    /// The text of a string.
    #[must_use]
    pub fn text(self) -> Option<Text<'a>> {
        let inside = self.text.strip_prefix('"')?.strip_suffix('"')?;
        Some(Text::Escaped(inside))
    }

    /// A number that is written as an integer and fits.
    #[must_use]
    pub fn unsigned(self) -> Option<u64> {
        self.text.parse().ok()
    }

    /// Whether this is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.text.starts_with('{')
    }

    /// Whether this is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        self.text.starts_with('[')
    }

    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.text == "null"
    }
}

/// The members of an object.
#[derive(Debug, Clone)]
pub struct Members<'a>(Parts<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Text<'a>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.0.next()?;
        let value = self.0.next()?;
        Some((key.text()?, value))
    }
}

/// The items of an array.
#[derive(Debug, Clone)]
pub struct Items<'a>(Parts<'a>);

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.0.next()
    }
}

/// What stands between the punctuation of one container: items, or keys and values by turns.
#[derive(Debug, Clone)]
struct Parts<'a> {
    rest: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str, opener: u8) -> Self {
        Parts { rest: if text.as_bytes().first() == Some(&opener) { &text[1..] } else { "" } }
    }

    fn next(&mut self) -> Option<Value<'a>> {
        let between = |byte: &u8| matches!(byte, b',' | b':' | b' ' | b'\t' | b'\n' | b'\r');
        let lead = self.rest.bytes().take_while(between).count();
        let from = &self.rest[lead..];
        let end = end_of_value(from.as_bytes());
        let (value, rest) = from.split_at_checked(end)?;
        self.rest = rest;
        if value.is_empty() { None } else { Some(Value { text: value }) }
    }
}

const BLANK: [char; 4] = [' ', '\t', '\n', '\r'];

/// Where the value ends that starts here; 0 at a closer and at the end. Every byte is looked at once.
fn end_of_value(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(b'"') => end_of_string(bytes),
        Some(b'{' | b'[') => end_of_container(bytes),
        _ => bytes
            .iter()
            .position(|b| matches!(b, b',' | b':' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r'))
            .unwrap_or(bytes.len()),
    }
}

fn end_of_container(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0u64);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += end_of_string(&bytes[at..]);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

fn end_of_string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(step) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += step;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn members_and_items() {
        let cases = [
            ("{}", ""),
            (" { } ", ""),
            ("{\"a\":1}", "a=1"),
            (
                "{ \"a\" : [ 1 , { \"b\" : \"}\" } ] , \"c\":\"\\\"]\\\\\" , \"d\" : null }",
                "a=[ 1 , { \"b\" : \"}\" } ];c=\"\\\"]\\\\\";d=null",
            ),
            (
                "{\"n\":123456789012345678901234.50,\"a\":-1e400,\"t\":true}",
                "n=123456789012345678901234.50;a=-1e400;t=true",
            ),
            ("[1, [], \"x,y\", {\"a\":[]}]", "1;[];\"x,y\";{\"a\":[]}"),
            ("[]", ""),
            ("7", ""),
            ("\"{\"", ""),
        ];
        for (text, parts) in cases {
            let value = Value::parse(text).unwrap();
            let mut found: Vec<String> =
                value.members().map(|(key, value)| format!("{}={}", key.to_text(), value.raw())).collect();
            found.extend(value.items().map(|item| item.raw().to_owned()));
            assert_eq!(found.join(";"), parts, "{text}");
        }
    }

    #[test]
    fn get() {
        let value = Value::parse(r#"{"a":1,"\u0062":2,"n":null,"a":3,"\ud83d":4}"#).unwrap();
        assert_eq!(value.get("a").and_then(Value::unsigned), Some(3), "the last one counts");
        assert_eq!(value.get("b").and_then(Value::unsigned), Some(2), "an escaped key is the same key");
        assert_eq!(value.get("n"), None);
        assert!(value.has("n") && !value.has("x"));
    }

    #[test]
    fn numbers() {
        for (text, number) in [
            ("0", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("-1", None),
            ("1.0", None),
            ("\"1\"", None),
        ] {
            assert_eq!(Value::parse(text).unwrap().unsigned(), number, "{text}");
        }
    }

    #[test]
    fn places_of_errors() {
        for (text, at) in [("", 0), ("{\"a\":}", 5), ("{\n\"a\":x}", 6), ("{} {}", 3), ("{\"a\"", 3)] {
            assert_eq!(Value::parse(text), Err(at), "{text}");
        }
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let text = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert_eq!(Value::parse(&text).unwrap().items().count(), 1);
    }

    #[test]
    fn lone_surrogates_are_json() {
        assert!(Value::parse(r#"{"a":"\ud83d"}"#).is_ok());
    }
}
