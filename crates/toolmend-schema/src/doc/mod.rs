//! One JSON text as a flat tree of byte spans.
//!
//! Strict RFC 8259, read in one pass without recursion. Nothing is converted: a number is the span of
//! its digits, a string the span between its quotes. Items stand in the order of the text, each with the
//! index at which its subtree ends, so that skipping a value is one step:
//!
//! ```text
//! {"a": [1, 2], "b": 3}      0 Object len 2   1 Key "a"   2 Array len 2   3 Number   4 Number   5 Key "b"   6 Number
//! ```

mod effort;
mod read;

use std::borrow::Cow;

use crate::string;

pub(crate) use self::effort::Effort;

/// An object with more members than this gets an index of its keys.
const INDEXED_FROM: usize = 8;

/// Values and keys of one body; with more it is not looked into, for each takes some 30 bytes.
pub const MAX_ITEMS: usize = 1 << 22;

/// Items for which there is room from the start.
const MAX_RESERVED: usize = 1 << 12;

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
    /// The name of the member whose value is the next item.
    Key,
}

impl Kind {
    /// The word for it in JSON Schema.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Object => "object",
            Kind::Array => "array",
            Kind::String | Kind::Key => "string",
            Kind::Number => "number",
            Kind::True | Kind::False => "boolean",
            Kind::Null => "null",
        }
    }
}

/// One value or key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    /// First byte; of a string or key, its quote.
    pub(crate) start: u32,
    /// One past the last byte.
    pub(crate) end: u32,
    /// One past the last item of this value; of a key, of its value.
    pub(crate) next: u32,
    /// Members that count, or elements.
    pub(crate) len: u32,
    /// Of an object with many members: where its sorted keys begin in `Doc::sorted`.
    index: u32,
    pub(crate) kind: Kind,
    /// There is a backslash in this string or key.
    pub(crate) escaped: bool,
    /// A later member has the same key: most parsers keep that one, so this one does not count.
    pub(crate) stale: bool,
}

/// Why a text is no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The first byte that cannot stand, or the length of a text that ends too early.
    Syntax { at: usize },
    /// Nesting goes beyond `MAX_NESTING`.
    TooDeep,
    /// Longer than spans can count, or more than [`MAX_ITEMS`].
    TooLong,
}

/// A JSON text and its items.
#[derive(Debug)]
pub(crate) struct Doc<'t> {
    text: &'t str,
    items: Vec<Item>,
    /// Keys of the objects that have many, ordered by what they say.
    sorted: Vec<u32>,
    depth: usize,
    twice: bool,
    pub(crate) effort: Effort,
}

impl<'t> Doc<'t> {
    /// Reads a text.
    pub(crate) fn parse(text: &'t str) -> Result<Doc<'t>, Fault> {
        if u32::try_from(text.len()).is_err() {
            return Err(Fault::TooLong);
        }
        let mut doc = Doc {
            text,
            items: Vec::with_capacity((text.len() / 12 + 4).min(MAX_RESERVED)),
            sorted: Vec::new(),
            depth: 0,
            twice: false,
            effort: Effort::for_bytes(text.len()),
        };
        read::read(&mut doc)?;
        Ok(doc)
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    pub(crate) fn item(&self, i: u32) -> &Item {
        &self.items[i as usize]
    }

    /// How many items there are.
    pub(crate) fn len(&self) -> u32 {
        self.items.len() as u32
    }

    /// How deep containers nest.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Whether some object has a key twice.
    pub(crate) fn has_duplicates(&self) -> bool {
        self.twice
    }

    pub(crate) fn kind(&self, i: u32) -> Kind {
        self.item(i).kind
    }

    /// The item as written.
    pub(crate) fn raw(&self, i: u32) -> &'t str {
        let item = self.item(i);
        &self.text[item.start as usize..item.end as usize]
    }

    /// What a string or key says. A lone surrogate reads as U+FFFD.
    pub(crate) fn string(&self, i: u32) -> Cow<'t, str> {
        let item = self.item(i);
        let inner = &self.text[item.start as usize + 1..item.end as usize - 1];
        if item.escaped { string::decode(inner) } else { Cow::Borrowed(inner) }
    }

    /// The members that count, as (key, value).
    pub(crate) fn members(&self, object: u32) -> impl Iterator<Item = (u32, u32)> + use<'_, 't> {
        self.all_members(object).filter(|&(key, _)| !self.item(key).stale)
    }

    /// All members in the order of the text, as (key, value).
    pub(crate) fn all_members(&self, object: u32) -> impl Iterator<Item = (u32, u32)> + use<'_, 't> {
        self.children(object).map(|key| (key, key + 1))
    }

    /// The elements of an array, or the keys of an object.
    pub(crate) fn children(&self, container: u32) -> impl Iterator<Item = u32> + use<'_, 't> {
        let end = self.item(container).next;
        let mut at = container + 1;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let child = at;
                at = self.item(child).next;
                child
            })
        })
    }

    /// The value of a member, if this is an object that has one of this name.
    pub(crate) fn get(&self, object: u32, name: &str) -> Option<u32> {
        let item = self.item(object);
        if item.kind != Kind::Object {
            return None;
        }
        if (item.len as usize) <= INDEXED_FROM {
            return self.members(object).find(|&(key, _)| self.key_is(key, name)).map(|(_, value)| value);
        }
        let keys = &self.sorted[item.index as usize..][..item.len as usize];
        let found = keys.binary_search_by(|&key| self.string(key).as_ref().cmp(name)).ok()?;
        Some(keys[found] + 1)
    }

    fn key_is(&self, key: u32, name: &str) -> bool {
        let item = self.item(key);
        if item.escaped {
            return self.string(key) == name;
        }
        (item.end - item.start) as usize == name.len() + 2
            && &self.text[item.start as usize + 1..item.end as usize - 1] == name
    }

    /// The values from the root down to the one that a JSON Pointer names.
    pub(crate) fn path(&self, pointer: &str) -> Option<Vec<u32>> {
        let mut path = vec![0];
        for segment in pointer.split('/').skip(1) {
            let at = *path.last()?;
            path.push(match self.kind(at) {
                Kind::Object => self.get(at, &segment.replace("~1", "/").replace("~0", "~"))?,
                Kind::Array => self.children(at).nth(segment.parse().ok()?)?,
                _ => return None,
            });
        }
        Some(path)
    }

    /// The JSON Pointer of an item; of a key, of its member.
    pub(crate) fn pointer(&self, target: u32) -> String {
        let mut pointer = String::new();
        let mut at = 0;
        while at != target {
            let object = self.kind(at) == Kind::Object;
            let Some((n, child)) =
                self.children(at).enumerate().find(|&(_, child)| target < self.item(child).next)
            else {
                return pointer;
            };
            pointer.push('/');
            if object {
                pointer.push_str(&self.string(child).replace('~', "~0").replace('/', "~1"));
                if child == target {
                    return pointer;
                }
            } else {
                pointer.push_str(&n.to_string());
            }
            at = child + u32::from(object);
        }
        pointer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use toolmend_core::MAX_NESTING;

    #[test]
    fn items_stand_in_the_order_of_the_text() {
        let doc = Doc::parse(r#" {"a": [1, "x\n"], "b" : {}, "c":null} "#).expect("JSON");
        let kinds: Vec<_> = (0..doc.len()).map(|i| (doc.kind(i), doc.raw(i), doc.item(i).next)).collect();
        assert_eq!(
            kinds,
            [
                (Kind::Object, r#"{"a": [1, "x\n"], "b" : {}, "c":null}"#, 9),
                (Kind::Key, r#""a""#, 5),
                (Kind::Array, r#"[1, "x\n"]"#, 5),
                (Kind::Number, "1", 4),
                (Kind::String, r#""x\n""#, 5),
                (Kind::Key, r#""b""#, 7),
                (Kind::Object, "{}", 7),
                (Kind::Key, r#""c""#, 9),
                (Kind::Null, "null", 9),
            ]
        );
        assert_eq!((doc.item(0).len, doc.item(2).len, doc.depth()), (3, 2, 2));
    }

    #[test]
    fn members_are_found_in_small_and_large_objects() {
        for n in [0, 1, INDEXED_FROM, INDEXED_FROM + 1, 300] {
            let members: Vec<String> = (0..n).map(|i| format!(r#""k{i}":{i}"#)).collect();
            let text = format!(r#"{{{}}}"#, members.join(","));
            let doc = Doc::parse(&text).expect("JSON");
            for i in 0..n {
                assert_eq!(doc.get(0, &format!("k{i}")).map(|v| doc.raw(v)), Some(i.to_string().as_str()));
            }
            assert_eq!(doc.get(0, "k"), None);
            assert!(!doc.has_duplicates());
        }
    }

    #[test]
    fn the_last_of_several_members_with_one_key_counts() {
        for filler in [0, INDEXED_FROM * 2] {
            let rest: String = (0..filler).map(|i| format!(r#","k{i}":0"#)).collect();
            let text = format!(r#"{{"a":1,"b":2,"\u0061":3,"a":4{rest}}}"#);
            let doc = Doc::parse(&text).expect("JSON");
            assert!(doc.has_duplicates());
            assert_eq!(doc.item(0).len as usize, 2 + filler);
            assert_eq!(doc.get(0, "a").map(|v| doc.raw(v)), Some("4"));
            let stale: Vec<_> =
                (0..doc.len()).filter(|&i| doc.item(i).stale).map(|i| doc.raw(i + 1)).collect();
            assert_eq!(stale, ["1", "3"]);
            assert_eq!(doc.members(0).count(), 2 + filler);
        }
    }

    #[test]
    fn pointers_lead_back() {
        let text = r#"{"a/b":[{"~":1},[2]],"":{"":3}}"#;
        let doc = Doc::parse(text).expect("JSON");
        for i in (0..doc.len()).filter(|&i| doc.kind(i) != Kind::Key) {
            let path = doc.path(&doc.pointer(i)).expect("a path");
            assert_eq!(path.last(), Some(&i), "{}", doc.pointer(i));
        }
        assert_eq!(doc.pointer(5), "/a~1b/0/~0");
        for nowhere in ["/x", "/a~1b/9", "/a~1b/x", "/a~1b/0/~0/y", "/a~1b/-1"] {
            assert_eq!(doc.path(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert_eq!(Doc::parse(&nested(MAX_NESTING)).map(|d| d.depth()).ok(), Some(MAX_NESTING));
        assert_eq!(Doc::parse(&nested(MAX_NESTING + 1)).err(), Some(Fault::TooDeep));
    }

    #[test]
    fn items_have_a_limit() {
        let many = |n: usize| format!("[{}0]", "0,".repeat(n - 2));
        assert_eq!(Doc::parse(&many(MAX_ITEMS)).map(|d| d.len() as usize).ok(), Some(MAX_ITEMS));
        assert_eq!(Doc::parse(&many(MAX_ITEMS + 1)).err(), Some(Fault::TooLong));
    }

    #[test]
    fn what_is_no_json_is_refused_at_its_place() {
        for (text, at) in [
            ("", 0),
            (" ", 1),
            ("{", 1),
            ("{]", 1),
            ("[}", 1),
            ("[1,]", 3),
            ("{\"a\":1,}", 7),
            ("{\"a\" 1}", 5),
            ("{a:1}", 1),
            ("[1 2]", 3),
            ("01", 0),
            ("-", 1),
            ("1.", 2),
            ("1e", 2),
            ("+1", 0),
            ("tru", 0),
            ("{} x", 3),
            ("\u{a0}{}", 0),
            ("[1]]", 3),
        ] {
            assert_eq!(Doc::parse(text).err(), Some(Fault::Syntax { at }), "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// The same texts are JSON as for serde_json.
        #[test]
        fn json_is_what_it_is_for_others(text in "([\\[\\]{},:0-9.eE+\\- \\\\\"a\n]|true|null|\"a\":|\\\\u00e9){0,12}") {
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            // They refuse doubles out of range, which are JSON.
            let out_of_range = theirs.as_ref().is_err_and(|e| e.to_string().contains("out of range"));
            prop_assert!(out_of_range || theirs.is_ok() == Doc::parse(&text).is_ok(), "{text:?} {theirs:?}");
        }
    }
}
