//! JSON, read where it stands.
//!
//! A [`Value`] is a stretch of the event's text. Nothing is built from it: a number keeps its digits, a
//! string its escapes, and the place of every part in the event is known.

mod index;

use memchr::memchr2;
use serde::de::IgnoredAny;

use self::index::Node;
use crate::text::Text;

pub(crate) use self::index::{Index, behind_string};

/// A JSON value, as a stretch of a text that was checked.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    text: &'a str,
    inside: Option<Inside<'a>>,
}

/// What is known of the values inside of one.
#[derive(Debug, Clone, Copy)]
struct Inside<'a> {
    /// The text in which the nodes have their places.
    all: &'a str,
    nodes: &'a [Node],
}

/// Values are the same where their texts are.
impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Value<'_> {}

impl core::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Value").field(&self.text).finish()
    }
}

impl<'a> Value<'a> {
    /// The one JSON value (RFC 8259) that `text` is.
    ///
    /// # Errors
    /// The byte of `text` at which it is none.
    pub fn parse(text: &'a str) -> Result<Value<'a>, usize> {
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Ok(Value::known(text)),
            Err(error) => {
                let before = error.line().saturating_sub(1);
                let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
                Err((start + error.column().saturating_sub(1)).min(text.len()))
            }
        }
    }

    /// The value of a text that is known to be one.
    pub(crate) fn known(text: &'a str) -> Value<'a> {
        Value { text: text.trim_matches(|c: char| c.is_ascii() && is_blank(c as u8)), inside: None }
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
    #[inline(always)]
    pub fn pick<const N: usize>(self, keys: [&str; N]) -> [Option<Value<'a>>; N] {
        let mut values = [None; N];
        self.each(&keys, |at, _, value| values[at] = (!value.is_null()).then_some(value));
        values
    }

    /// Whether this is an object with such a member, be it null.
    #[must_use]
    pub fn has(self, key: &str) -> bool {
        self.member(key).is_some()
    }

    /// The member of this key, as key and value, be it null; the last one where the key stands twice.
    #[must_use]
    pub fn member(self, key: &str) -> Option<(Value<'a>, Value<'a>)> {
        let mut found = None;
        self.each(&[key], |_, key, value| found = Some((key, value)));
        found
    }

    /// Tells each member that has one of these keys, with the number of that key.
    #[inline(always)]
    fn each(self, keys: &[&str], mut tell: impl FnMut(usize, Value<'a>, Value<'a>)) {
        match Parts::of(self, b'{') {
            Parts::Indexed(mut inside) => {
                while let Some(key) = inside.next() {
                    let found = inside.position(key, keys);
                    let Some((value, within)) = inside.next_with() else { return };
                    if let Some(at) = found {
                        tell(at, inside.value(key, &[]), inside.value(value, within));
                    }
                }
            }
            mut parts => {
                while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
                    if let Some(at) = key.text().and_then(|key| key.position(keys)) {
                        tell(at, key, value);
                    }
                }
            }
        }
    }

    /// The members of an object, in order; none where this is no object.
    #[must_use]
    pub fn members(self) -> Members<'a> {
        Members(Parts::of(self, b'{'))
    }

    /// The items of an array; none where this is no array.
    #[must_use]
    pub fn items(self) -> Items<'a> {
        Items(Parts::of(self, b'['))
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

    /// A count: a whole number that fits, however it is written (`16`, `16.0`, `"16"`).
    #[must_use]
    pub fn count(self) -> Option<u64> {
        let text = self.text().map_or(self.text.into(), Text::to_cow);
        let as_written = || text.parse::<f64>().ok().filter(|number| number.fract() == 0.0);
        text.parse().ok().or_else(|| format!("{:.0}", as_written()?).parse().ok())
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
enum Parts<'a> {
    /// The text from here on.
    Scanned(&'a str),
    /// The nodes from here on.
    Indexed(Inside<'a>),
}

impl<'a> Parts<'a> {
    fn of(value: Value<'a>, opener: u8) -> Self {
        match (value.text.as_bytes().first() == Some(&opener), value.inside) {
            (false, _) => Parts::Scanned(""),
            (true, Some(inside)) => Parts::Indexed(inside),
            (true, None) => Parts::Scanned(&value.text[1..]),
        }
    }

    fn next(&mut self) -> Option<Value<'a>> {
        match self {
            Parts::Scanned(rest) => {
                let between = |byte: &u8| matches!(byte, b',' | b':') || is_blank(*byte);
                let lead = rest.bytes().take_while(between).count();
                let from = &rest[lead..];
                let (text, behind) = from.split_at_checked(end_of_value(from.as_bytes()))?;
                *rest = behind;
                (!text.is_empty()).then_some(Value { text, inside: None })
            }
            Parts::Indexed(inside) => inside.next_with().map(|(node, within)| inside.value(node, within)),
        }
    }
}

impl<'a> Inside<'a> {
    /// The next value, where nothing is inside of it, as a key.
    fn next(&mut self) -> Option<Node> {
        let (node, behind) = self.nodes.split_first()?;
        self.nodes = behind;
        Some(*node)
    }

    /// The next value, and what is inside of it.
    fn next_with(&mut self) -> Option<(Node, &'a [Node])> {
        let node = self.next()?;
        let (within, behind) = self.nodes.split_at_checked(node.inside as usize)?;
        self.nodes = behind;
        Some((node, within))
    }

    fn value(&self, node: Node, within: &'a [Node]) -> Value<'a> {
        let text = self.all.get(node.start as usize..node.end as usize).unwrap_or_default();
        Value { text, inside: Some(Inside { all: self.all, nodes: within }) }
    }

    /// Which of these texts a string is.
    #[inline(always)]
    fn position(&self, string: Node, texts: &[&str]) -> Option<usize> {
        let raw = self.all.as_bytes().get(string.start as usize + 1..string.end as usize - 1)?;
        if string.escaped {
            return self.value(string, &[]).text()?.position(texts);
        }
        texts.iter().position(|text| text.len() == raw.len() && text.as_bytes() == raw)
    }
}

/// White space between the tokens of JSON.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Where the value ends that starts here; 0 at a closer and at the end. Every byte is looked at once.
fn end_of_value(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(b'"') => end_of_string(bytes),
        Some(b'{' | b'[') => end_of_container(bytes),
        _ => bytes
            .iter()
            .position(|b| matches!(b, b',' | b':' | b']' | b'}') || is_blank(*b))
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
    fn counts() {
        for (text, count) in [
            ("16", Some(16)),
            ("16.0", Some(16)),
            ("16.00", Some(16)),
            ("\"16\"", Some(16)),
            ("\"16.0\"", Some(16)),
            ("1.6e1", Some(16)),
            ("18446744073709551615", Some(u64::MAX)),
            ("16.5", None),
            ("\"inf\"", None),
            ("1e300", None),
            ("-1", None),
            ("\"\"", None),
            ("{}", None),
        ] {
            assert_eq!(Value::parse(text).unwrap().count(), count, "{text}");
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
