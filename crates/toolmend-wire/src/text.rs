//! Text on the wire, and how its pieces join.

use std::borrow::Cow;

use memchr::memchr;

/// A piece of text as an event holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text<'a> {
    /// Text as it is.
    Plain(&'a str),
    /// The inside of a JSON string, its escapes not yet read.
    Escaped(&'a str),
}

impl<'a> Text<'a> {
    /// As [`Text::to_text`], borrowed where it stands in the event as it is.
    pub(crate) fn to_cow(self) -> Cow<'a, str> {
        match self {
            Text::Escaped(raw) if memchr(b'\\', raw.as_bytes()).is_some() => self.to_text().into(),
            Text::Plain(text) | Text::Escaped(text) => text.into(),
        }
    }

    /// Whether it is the same stretch of the same event.
    pub(crate) fn is_same_place(self, other: Text<'_>) -> bool {
        let (Text::Plain(own) | Text::Escaped(own)) = self;
        let (Text::Plain(other) | Text::Escaped(other)) = other;
        core::ptr::eq(own, other)
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        let (Text::Plain(text) | Text::Escaped(text)) = self;
        text.is_empty()
    }

    /// Whether it is this text.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        match self {
            Text::Plain(own) => *own == text,
            // An escape is longer than what it stands for.
            Text::Escaped(raw) if raw.len() > text.len() => {
                memchr(b'\\', raw.as_bytes()).is_some() && self.to_text() == text
            }
            Text::Escaped(raw) => *raw == text,
        }
    }

    /// Which of these texts it is.
    #[inline(never)]
    pub(crate) fn position(&self, texts: &[&str]) -> Option<usize> {
        texts.iter().position(|text| self.is(text))
    }

    /// The text, with U+FFFD for each half of a surrogate pair that stands alone.
    #[must_use]
    pub fn to_text(self) -> String {
        let mut joined = Joined::default();
        joined.push(self);
        joined.end();
        joined.text
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text::Plain(text)
    }
}

/// Pieces of text, joined.
///
/// A server that cuts its output by UTF-16 units may put the two halves of a surrogate pair into two
/// events, each as an escape of its own. The first half waits here for the second. One that stays alone
/// has no place in Unicode text: U+FFFD stands for it, and [`Joined::lone`] tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Joined {
    text: String,
    high: Option<u16>,
    lone: Option<usize>,
}

impl Joined {
    pub(crate) fn push(&mut self, piece: Text<'_>) {
        match piece {
            Text::Plain(text) => self.run(text),
            Text::Escaped(raw) => self.unescape(raw),
        }
    }

    /// As [`Joined::push`]; answers by how many bytes the text grew.
    pub(crate) fn grow(&mut self, piece: Text<'_>) -> usize {
        let before = self.text.len();
        self.push(piece);
        self.text.len() - before
    }

    /// No more pieces: a half that still waits stays alone.
    pub(crate) fn end(&mut self) {
        if self.high.take().is_some() {
            self.alone();
        }
    }

    /// The text so far, without a half that waits.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where the first lone half stood, in bytes of the text.
    pub(crate) fn lone(&self) -> Option<usize> {
        self.lone
    }

    /// Half of a surrogate pair waits for the other one.
    pub(crate) fn waits(&self) -> bool {
        self.high.is_some()
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn alone(&mut self) {
        self.lone.get_or_insert(self.text.len());
        self.text.push(char::REPLACEMENT_CHARACTER);
    }

    fn run(&mut self, text: &str) {
        if !text.is_empty() {
            self.end();
            self.text.push_str(text);
        }
    }

    fn unescape(&mut self, mut raw: &str) {
        while let Some(at) = memchr(b'\\', raw.as_bytes()) {
            self.run(&raw[..at]);
            let escape = &raw[at + 1..];
            let Some(letter) = escape.chars().next() else {
                return;
            };
            raw = &escape[letter.len_utf8()..];
            match letter {
                'u' => {
                    let unit = raw.get(..4).and_then(|hex| u16::from_str_radix(hex, 16).ok());
                    raw = raw.get(4..).unwrap_or_default();
                    self.unit(unit.unwrap_or(char::REPLACEMENT_CHARACTER as u16));
                }
                'n' => self.run("\n"),
                't' => self.run("\t"),
                'r' => self.run("\r"),
                'b' => self.run("\u{8}"),
                'f' => self.run("\u{c}"),
                other => self.run(other.encode_utf8(&mut [0; 4])),
            }
        }
        self.run(raw);
    }

    fn unit(&mut self, unit: u16) {
        if let Some(high) = self.high.take() {
            if let Some(Ok(joined)) = char::decode_utf16([high, unit]).next() {
                self.text.push(joined);
                return;
            }
            self.alone();
        }
        match char::from_u32(unit.into()) {
            Some(c) => self.text.push(c),
            None if unit < 0xDC00 => self.high = Some(unit),
            None => self.alone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Joined, Text};

    fn joined(pieces: &[&str]) -> (String, Option<usize>) {
        let mut joined = Joined::default();
        for piece in pieces {
            joined.push(Text::Escaped(piece));
        }
        joined.end();
        (joined.text, joined.lone)
    }

    #[test]
    fn pieces_join() {
        let cases: &[(&[&str], &str, Option<usize>)] = &[
            (&[], "", None),
            (&["", "a", ""], "a", None),
            (&[r#"\"\\\/\b\f\n\r\t\u0041"#], "\"\\/\u{8}\u{c}\n\r\tA", None),
            (&[r"\u00e9\u5317"], "é北", None),
            (&[r"a\ud83d\ude00b"], "a😀b", None),
            (&[r"a\ud83d", r"\ude00b"], "a😀b", None),
            (&[r"a\uD83D", "", r"\uDE00b"], "a😀b", None),
            (&[r"a\ud83d"], "a\u{fffd}", Some(1)),
            (&[r"\ude00b"], "\u{fffd}b", Some(0)),
            (&[r"a\ud83d", "b", r"\ude00"], "a\u{fffd}b\u{fffd}", Some(1)),
            (&[r"\ud83d\ud83d\ude00"], "\u{fffd}😀", Some(0)),
            (&[r"\ud83d\n"], "\u{fffd}\n", Some(0)),
            (&[r"\ud83d\u0041"], "\u{fffd}A", Some(0)),
            // Never seen by the protocols, which pass JSON only; it must not panic all the same.
            (&[r"\", r"\u12", r"\u12é4"], "\u{fffd}\u{fffd}4", None),
        ];
        for (pieces, text, lone) in cases {
            assert_eq!(joined(pieces), ((*text).to_owned(), *lone), "{pieces:?}");
        }
    }

    #[test]
    fn plain_text_is_not_unescaped() {
        let mut joined = Joined::default();
        joined.push(Text::Escaped(r"\ud83d"));
        joined.push(Text::Plain(r"\n"));
        assert_eq!((joined.text(), joined.lone()), ("\u{fffd}\\n", Some(0)));
    }
}
