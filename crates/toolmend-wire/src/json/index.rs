//! One pass over a text: whether it is JSON, and where its values stand.
//!
//! Whoever walks a text without an index passes over the inside of a value once for every level around it. Events
//! are small and many, and their calls stand six levels deep.

use super::{Inside, Value, is_blank};

/// Where a value stands in its text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    /// How many values stand in it, at any depth; a key counts as one. While it is open: the place of the container
    /// around it.
    pub(super) inside: u32,
    /// It is a string with an escape.
    pub(super) escaped: bool,
}

/// The values of one text after another, in the order in which they begin.
///
/// The events of a stream are much alike: mostly, one differs from the one before it in a string or a number or two.
/// Then only those are read, and everything else has but moved.
#[derive(Debug, Default)]
pub(crate) struct Index {
    nodes: Vec<Node>,
    /// The text that they stand in, where the next one is compared with it; else empty.
    text: Vec<u8>,
}

/// A string or a number that is another one than in the text before: where the old one ended, and by how many bytes
/// what stood behind it has moved.
#[derive(Debug, Clone, Copy, Default)]
struct Moved {
    from: u32,
    by: u32,
}

/// How many strings and numbers may differ from the text before.
const MAX_MOVED: usize = 4;

/// How long a text is, in bytes, that the next one is compared with.
const MAX_COMPARED: usize = 4096;

/// How many values of a text are noted. One with more is walked without an index.
const MAX_INDEXED: usize = 1 << 16;

/// No container is open.
const NONE: u32 = u32::MAX;

impl Index {
    /// As [`Value::parse`], and what comes of it is walked without passing over anything twice.
    ///
    /// # Errors
    /// As [`Value::parse`].
    pub(crate) fn parse<'a>(&'a mut self, text: &'a str) -> Result<Value<'a>, usize> {
        self.update(text);
        self.value(text)
    }

    /// Whether nothing was read.
    pub(crate) fn is_new(&self) -> bool {
        self.nodes.capacity() == 0 && self.text.capacity() == 0
    }

    /// Reads the next text.
    pub(crate) fn update(&mut self, text: &str) {
        let bytes = text.as_bytes();
        if self.again(bytes).is_none() {
            self.nodes.clear();
            if self.read(bytes).is_none() {
                self.nodes.clear();
                self.text.clear();
                return;
            }
        }
        self.text.clear();
        if bytes.len() <= MAX_COMPARED {
            self.text.extend_from_slice(bytes);
        }
    }

    /// The value of the text that was read last.
    ///
    /// # Errors
    /// As [`Value::parse`].
    pub(crate) fn value<'a>(&'a self, text: &'a str) -> Result<Value<'a>, usize> {
        match self.nodes.split_first() {
            Some((root, inside)) => Ok(Inside { all: text, nodes: inside }.value(*root, inside)),
            // It is no JSON, and then it is said where; or it is too large.
            None => Value::parse(text),
        }
    }

    /// Reads only what differs from the text before; `None` where that is more than a few strings and numbers.
    fn again(&mut self, new: &[u8]) -> Option<()> {
        if self.text.is_empty() || u32::try_from(new.len()).is_err() {
            return None;
        }
        let mut moved = [Moved::default(); MAX_MOVED];
        let (mut at_old, mut at_new, mut count, mut next) = (0, 0, 0, 0);
        loop {
            let same = common(self.text.get(at_old..)?, new.get(at_new..)?);
            (at_old, at_new) = (at_old + same, at_new + same);
            if at_old == self.text.len() && at_new == new.len() {
                break;
            }
            // Whichever value begins last before the first byte that differs. That byte stands inside of a string, or
            // inside of a number or right behind it; behind anything else, the grammar is another one.
            let place = self.nodes.partition_point(|node| (node.start as usize) < at_old).checked_sub(1)?;
            let node = self.nodes.get_mut(place).filter(|_| place >= next)?;
            let start = at_new - (at_old - node.start as usize);
            let end = match new[start] {
                b'"' if at_old < node.end as usize => {
                    let (end, escaped) = behind_string(new, start)?;
                    node.escaped = escaped;
                    end
                }
                b'-' | b'0'..=b'9' if at_old <= node.end as usize => behind_number(new, start)?,
                _ => return None,
            };
            let from = node.end;
            // By wrapping around, a move to the front is one to the back.
            let by = ((end - at_new) as u32).wrapping_sub(from - at_old as u32);
            *moved.get_mut(count)? = Moved { from, by };
            (at_old, at_new, count, next) = (from as usize, end, count + 1, place + 1);
        }
        for Moved { from, by } in moved[..count].iter().rev().filter(|moved| moved.by != 0) {
            for node in &mut self.nodes {
                node.start = if node.start >= *from { node.start.wrapping_add(*by) } else { node.start };
                node.end = if node.end >= *from { node.end.wrapping_add(*by) } else { node.end };
            }
        }
        Some(())
    }

    /// The grammar of RFC 8259. What is open is kept in the nodes, so depth costs nothing.
    fn read(&mut self, bytes: &[u8]) -> Option<()> {
        if u32::try_from(bytes.len()).is_err() {
            return None;
        }
        let mut open = NONE;
        let mut at = behind_blank(bytes, 0);
        loop {
            let first = *bytes.get(at)?;
            if matches!(first, b'{' | b'[') {
                let container = self.nodes.len() as u32;
                self.put(Node { start: at as u32, end: 0, inside: open, escaped: false })?;
                at = behind_blank(bytes, at + 1);
                open = container;
                match bytes.get(at)? {
                    // `]` is `[` and two more, and so are the braces.
                    close if *close == first + 2 => {
                        at += 1;
                        open = self.close(open, at);
                    }
                    b'"' if first == b'{' => {
                        at = self.key(bytes, at)?;
                        continue;
                    }
                    _ if first == b'[' => continue,
                    _ => return None,
                }
            } else {
                at = match first {
                    b'"' => self.string(bytes, at)?,
                    b'-' | b'0'..=b'9' => self.add(at, behind_number(bytes, at)?)?,
                    b't' => self.add(at, behind_word(bytes, at, b"true")?)?,
                    b'f' => self.add(at, behind_word(bytes, at, b"false")?)?,
                    b'n' => self.add(at, behind_word(bytes, at, b"null")?)?,
                    _ => return None,
                };
            }
            // Behind a value.
            loop {
                at = behind_blank(bytes, at);
                let Some(container) = self.nodes.get(open as usize) else {
                    return (at == bytes.len()).then_some(());
                };
                let opener = *bytes.get(container.start as usize)?;
                let byte = *bytes.get(at)?;
                at += 1;
                if byte == opener + 2 {
                    open = self.close(open, at);
                } else if byte == b',' {
                    at = behind_blank(bytes, at);
                    if opener == b'{' {
                        at = self.key(bytes, at)?;
                    }
                    break;
                } else {
                    return None;
                }
            }
        }
    }

    /// A key and its colon; answers where the value begins.
    fn key(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        let colon = behind_blank(bytes, self.string(bytes, at)?);
        (bytes.get(colon) == Some(&b':')).then(|| behind_blank(bytes, colon + 1))
    }

    /// A string whose quote stands here; answers where it ends.
    fn string(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        let (end, escaped) = behind_string(bytes, start)?;
        self.put(Node { start: start as u32, end: end as u32, inside: 0, escaped })?;
        Some(end)
    }

    /// A value that is no container and no string; answers where it ends.
    fn add(&mut self, start: usize, end: usize) -> Option<usize> {
        self.put(Node { start: start as u32, end: end as u32, inside: 0, escaped: false })?;
        Some(end)
    }

    fn put(&mut self, node: Node) -> Option<()> {
        if self.nodes.len() >= MAX_INDEXED {
            return None;
        }
        self.nodes.push(node);
        Some(())
    }

    /// The container is closed; answers the one around it.
    fn close(&mut self, container: u32, end: usize) -> u32 {
        let inside = self.nodes.len() as u32 - container - 1;
        let node = &mut self.nodes[container as usize];
        node.end = end as u32;
        core::mem::replace(&mut node.inside, inside)
    }
}

fn behind_blank(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| is_blank(*byte)) {
        at += 1;
    }
    at
}

fn behind_word(bytes: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    bytes[at..].starts_with(word).then_some(at + word.len())
}

fn behind_number(bytes: &[u8], mut at: usize) -> Option<usize> {
    at += usize::from(bytes[at] == b'-');
    at = match bytes.get(at)? {
        b'0' => at + 1,
        _ => behind_digits(bytes, at)?,
    };
    if bytes.get(at) == Some(&b'.') {
        at = behind_digits(bytes, at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        at = behind_digits(bytes, at)?;
    }
    Some(at)
}

/// At least one digit.
fn behind_digits(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then_some(at + digits)
}

/// Where the string ends whose quote stands here, and whether it has an escape; `None` where it is none of JSON.
pub(crate) fn behind_string(bytes: &[u8], start: usize) -> Option<(usize, bool)> {
    let mut at = behind_plain(bytes, start + 1);
    let escaped = bytes.get(at) == Some(&b'\\');
    while bytes.get(at) == Some(&b'\\') {
        at = behind_plain(bytes, behind_escape(bytes, at)?);
    }
    // Else the text ends here, or this is a control character.
    (bytes.get(at) == Some(&b'"')).then_some((at + 1, escaped))
}

fn behind_escape(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 2),
        b'u' if bytes.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => Some(at + 6),
        _ => None,
    }
}

/// The first byte from here on that is a quote, a backslash or a control character. Eight bytes a step: a byte's
/// highest bit tells whether it is one, and what is said of bytes behind the first one does not matter.
fn behind_plain(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    const QUOTE: u64 = b'"' as u64 * ONES;
    const BACKSLASH: u64 = b'\\' as u64 * ONES;
    const BLANK: u64 = b' ' as u64 * ONES;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    while let Some(word) = eight(bytes, at) {
        let control = word.wrapping_sub(BLANK) & !word;
        let found = (zero(word ^ QUOTE) | zero(word ^ BACKSLASH) | control) & HIGH;
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let is_plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..=0x1f);
    at + bytes.get(at..).unwrap_or_default().iter().take_while(|byte| is_plain(byte)).count()
}

/// How many bytes two texts have in common at their beginning.
fn common(a: &[u8], b: &[u8]) -> usize {
    let mut at = 0;
    while let (Some(left), Some(right)) = (eight(a, at), eight(b, at)) {
        if left != right {
            return at + ((left ^ right).trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    at + a[at..].iter().zip(&b[at..]).take_while(|(left, right)| left == right).count()
}

fn eight(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk::<8>().map(|eight| u64::from_le_bytes(*eight))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Index, MAX_COMPARED, MAX_INDEXED, MAX_MOVED};
    use crate::json::Value;

    /// All that stands in a value, level by level.
    fn walk(value: Value<'_>) -> String {
        let mut told = format!("{}\n", value.raw());
        for (key, value) in value.members() {
            told += &format!("{}={}", key.to_text(), walk(value));
        }
        for item in value.items() {
            told += &walk(item);
        }
        told
    }

    /// With an index or without, the same is read, and the same is refused in the same place, whatever was read before.
    fn same(index: &mut Index, text: &str) {
        assert_eq!(index.parse(text).map(walk), Value::parse(text).map(walk), "{text}");
        let mut fresh = Index::default();
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        assert_eq!(fresh.read(text.as_bytes()).is_some(), is_json, "{text}");
        // What was read again is what would have been read.
        assert!(!is_json || fresh.nodes == index.nodes, "{text}");
    }

    #[test]
    fn same_as_without() {
        for text in [
            "",
            " ",
            "7",
            " [ ] ",
            "{}",
            "{ \"a\" : [ 1 , { \"b\" : \"}\" } ] , \"c\":\"\\\"]\\\\\" , \"d\" : null }\n",
            "[0,-0,1.5,-1e5,1E+2,1e-2,12345678901234567890123]",
            "[01]",
            "[1.]",
            "[.5]",
            "[-]",
            "[1e]",
            "[+1]",
            "[true,false,null]",
            "[tru]",
            "[truex]",
            "\"\\u00e9\\ud83d\\/\\b\\f\\n\\r\\t\"",
            "\"\\u00g9\"",
            "\"\\u00e\"",
            "\"\\x\"",
            "\"a\tb\"",
            "\"eight by\u{1f}te\"",
            "\"\u{7f}é北😀 and some more of it, \\\" to fill a few words\"",
            "\"open",
            "\"open\\",
            "{\"a\":1,}",
            "{,}",
            "[,]",
            "[1,]",
            "[1 2]",
            "[1}",
            "{\"a\":1]",
            "{\"a\"}",
            "{\"a\" 1}",
            "{1:2}",
            "{} {}",
            "{}}",
            "[[[[{}]]]",
            "\u{feff}{}",
        ] {
            same(&mut Index::default(), text);
        }
        for values in [MAX_INDEXED - 1, MAX_INDEXED, MAX_INDEXED + 1] {
            let text = format!("[{}0]", "0,".repeat(values - 2));
            let mut index = Index::default();
            assert_eq!(index.read(text.as_bytes()).is_some(), values <= MAX_INDEXED);
            assert_eq!(Index::default().parse(&text).unwrap().items().count(), values - 1);
        }
    }

    /// One text after another: what is kept of the first says nothing wrong of the second.
    #[test]
    fn one_after_another() {
        let texts = [
            r#"{"a":"x","n":[12,{"b":"y"}],"c":null}"#,
            r#"{"a":"","n":[12,{"b":"y"}],"c":null}"#,
            r#"{"a":"longer than before","n":[7,{"b":"zz"}],"c":null}"#,
            r#"{"a":"\"","n":[7,{"b":"\ud83d"}],"c":null}"#,
            r#"{"a":"\"","n":[7,{"\u0062":"1"}],"c":null}"#,
            r#"{"a":"1","n":[71.5e3,{"b":""}],"c":null}"#,
            r#"{"a":"1","n":[7 ,{"b":""}],"c":null}"#,
            r#"{"a":"1]","n":[7],"c":null}"#,
            r#"{"a":"1]","n":[77},"c":null}"#,
            r#"{"a":"1]","n":[77],"c":null} "#,
            r#"{"a":"1]","n":[77],"c":"null"}"#,
            r#"["x"]"#,
            r#"["zz1]"]"#,
            r#"["zz1]"#,
            r#"["zz1]""#,
            r#"[1]"#,
            r#"[12]"#,
            r#"[1"#,
            r#"[12}"#,
            "7",
            "78",
            "",
        ];
        for first in texts {
            for second in texts {
                let mut index = Index::default();
                same(&mut index, first);
                same(&mut index, second);
            }
        }
        // Beyond what is compared.
        let mut index = Index::default();
        for length in [MAX_COMPARED - 9, MAX_COMPARED - 8, MAX_COMPARED - 7] {
            for end in ["7", "8"] {
                same(&mut index, &format!("{{\"a\":\"{}\"{end}}}", "x".repeat(length)));
                same(&mut index, &format!("{{\"a\":{end}{}}}", "0".repeat(length)));
            }
        }
        let many = |value: &str| format!("[{}]", [value; MAX_MOVED + 1].join(","));
        for value in ["\"a\"", "\"bc\"", "\"\"", "1", "10"] {
            same(&mut index, &many(value));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn same_for_any_text(pieces in prop::collection::vec(piece(), 0..12)) {
            same(&mut Index::default(), &pieces.concat());
        }

        #[test]
        fn same_for_texts_that_are_alike(
            pieces in prop::collection::vec(piece(), 1..16),
            changes in prop::collection::vec((any::<prop::sample::Index>(), piece()), 1..6),
        ) {
            let mut index = Index::default();
            let mut pieces = pieces;
            same(&mut index, &pieces.concat());
            for (at, piece) in changes {
                let at = at.index(pieces.len());
                pieces[at] = piece;
                same(&mut index, &pieces.concat());
            }
        }

        #[test]
        fn same_for_values_that_are_alike(
            changes in prop::collection::vec((0usize..4, value(), 0usize..4, value()), 1..6),
        ) {
            let mut index = Index::default();
            let mut values = ["\"a\"", "1", "\"\"", "[]"];
            for (at, value, other, another) in changes {
                (values[at], values[other]) = (value, another);
                let [a, b, c, d] = values;
                same(&mut index, &format!("{{\"a\":{a},\"b\":[{b},{{\"c\":{c}}}],{c}:{d}}}"));
                same(&mut index, &format!("{{\"a\":{a},\"b\":[{b},{{\"c\":{c}}}],\"d\":{d}}}"));
            }
        }
    }

    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"a\"",
            "\"",
            "\\",
            "\\u12",
            "34",
            "0",
            "-1",
            ".5",
            "e3",
            "true",
            "null",
            " ",
            "\n",
            "\t",
            "\u{0}",
            "é",
            "longer than eight",
            "{\"k\":",
            "[1,",
            "\"b\":2",
        ])
    }

    fn value() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "\"\"",
            "\"x\"",
            "\"a longer one\"",
            "\"\\\"\"",
            "\"\\ud83d\"",
            "\"é\"",
            "0",
            "10",
            "-1.5e3",
            "true",
            "null",
            "[]",
            "{\"e\":1}",
            "\"1,2\"",
            "01",
            "\"",
        ])
    }
}
