//! Bodies whose truth is known: made from choices, written in several styles, as a list of tokens.

use crate::said::{Said, said};
use crate::tape::Tape;

/// A JSON value; strings are UTF-16 code units, numbers are kept as they are written.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Str(Vec<u16>),
    Num(String),
    Lit(&'static str),
    Arr(Vec<Tree>),
    Obj(Vec<(Vec<u16>, Tree)>),
}

/// A token of a written body.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// As it stands in the body.
    pub(crate) text: String,
    /// As JSON writes it.
    pub(crate) json: String,
    /// How many containers are open around it; those that it opens or closes itself not counted.
    pub(crate) depth: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Open { object: bool },
    Close { object: bool },
    Comma { object: bool },
    Colon,
    Key,
    Str,
    Num,
    Lit,
    White,
}

/// How a body is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    /// What a line is indented with; none for a single line.
    pub(crate) indent: Option<&'static str>,
    pub(crate) line: &'static str,
    /// A space behind colons and commas.
    pub(crate) space: bool,
    pub(crate) escapes: Escapes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// Only what must be escaped.
    Few,
    /// All that is not ASCII.
    Ascii,
    /// Anything, in any spelling.
    Wild,
}

pub(crate) const COMPACT: Style = Style { indent: None, line: "\n", space: false, escapes: Escapes::Few };

/// What the strings of a body are made of.
pub(crate) type Words = &'static [&'static str];

/// Everyday words and all that needs care in a string.
pub(crate) const WORDS: Words = &[
    "a",
    "",
    "path",
    "/srv/data.txt",
    "two words",
    "it's",
    "say \"hi\" now",
    "line\nline",
    "\t",
    "\r\n",
    "C:\\dir",
    "^\\d+$",
    "北京",
    "ß€",
    "🙂𝄞",
    "\u{10ffff}",
    "\u{e0001}",
    "\u{0}\u{1f}",
    "\u{7f}\u{85}\u{a0}",
    "\u{200b}",
    "5",
    "true",
    "null",
    "x\n",
    " y ",
    "name",
    "file_path",
];

const KEYS: Words = &[
    "a",
    "b",
    "path",
    "file_path",
    "n",
    "query",
    "dry_run",
    "_x",
    "$y",
    "top-k",
    "two words",
    "键",
    "",
    "q\"k",
    "it's",
    "🙂",
];

const NUMBERS: Words = &[
    "0",
    "1",
    "-1",
    "42",
    "1.10",
    "-0.0",
    "1e400",
    "1E+5",
    "2e-7",
    "123456789012345678901234",
    "0.1000",
    "-17.5",
    "5.0",
    "99999999999",
    "0e0",
    "9",
    "1000000",
    "0.5",
];

/// An object of at most `depth` levels.
pub(crate) fn object(tape: &mut Tape, depth: usize, words: Words) -> Tree {
    let count = [2, 1, 3, 2, 4, 0][tape.below(6)];
    Tree::Obj((0..count).map(|_| (key(tape), value(tape, depth - 1, words))).collect())
}

fn value(tape: &mut Tape, depth: usize, words: Words) -> Tree {
    match tape.below(if depth > 0 { 10 } else { 7 }) {
        0..=3 => Tree::Str(text(tape, words)),
        4 | 5 => Tree::Num(tape.pick(NUMBERS).into()),
        6 => Tree::Lit(tape.pick(&["true", "false", "null"])),
        7 | 8 => object(tape, depth, words),
        _ => {
            let count = tape.below(4);
            Tree::Arr((0..count).map(|_| value(tape, depth - 1, words)).collect())
        }
    }
}

fn key(tape: &mut Tape) -> Vec<u16> {
    tape.pick(KEYS).encode_utf16().collect()
}

fn text(tape: &mut Tape, words: Words) -> Vec<u16> {
    let mut units: Vec<u16> = Vec::new();
    for _ in 0..[1, 2, 0, 3, 1, 5][tape.below(6)] {
        units.extend(tape.pick(words).encode_utf16());
        if tape.one_in(8) {
            // Any character of any plane.
            let c = char::from_u32(tape.below(0x11_0000) as u32).unwrap_or('�');
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
        }
        if tape.one_in(30) {
            // Half of a pair: JSON can write it, as an escape.
            units.push(0xd800 + tape.below(0x800) as u16);
        }
    }
    units
}

/// One of the ways in which models write bodies.
pub(crate) fn style(tape: &mut Tape) -> Style {
    Style {
        indent: tape.pick(&[None, None, Some("  "), Some("\t"), Some("")]),
        line: tape.pick(&["\n", "\n", "\r\n"]),
        space: tape.below(2) == 0,
        escapes: tape.pick(&[Escapes::Few, Escapes::Few, Escapes::Ascii, Escapes::Wild]),
    }
}

impl Tree {
    /// What it says.
    pub(crate) fn said(&self) -> Vec<Said> {
        said(&joined(&self.tokens(COMPACT, &mut Tape::new(Vec::new())))).expect("a tree is written as JSON")
    }

    /// Its tokens in this style.
    pub(crate) fn tokens(&self, style: Style, tape: &mut Tape) -> Vec<Token> {
        let mut writer = Writer { style, tape, out: Vec::new(), depth: 0 };
        writer.value(self);
        writer.out
    }
}

impl Token {
    /// Whether no slip has touched it yet.
    pub(crate) fn is_clean(&self) -> bool {
        self.text == self.json
    }
}

/// The text of these tokens.
pub(crate) fn joined(tokens: &[Token]) -> String {
    tokens.iter().map(|t| t.text.as_str()).collect()
}

struct Writer<'t> {
    style: Style,
    tape: &'t mut Tape,
    out: Vec<Token>,
    depth: usize,
}

impl Writer<'_> {
    fn push(&mut self, kind: Kind, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.out.push(Token { kind, json: text.clone(), text, depth: self.depth });
        }
    }

    // Trees are at most a few levels deep.
    fn value(&mut self, tree: &Tree) {
        match tree {
            Tree::Str(units) => {
                let text = self.string(units);
                self.push(Kind::Str, text);
            }
            Tree::Num(n) => self.push(Kind::Num, n.as_str()),
            Tree::Lit(l) => self.push(Kind::Lit, *l),
            Tree::Arr(items) => self.container(false, items.iter().map(|v| (None, v)).collect()),
            Tree::Obj(members) => self.container(true, members.iter().map(|(k, v)| (Some(k), v)).collect()),
        }
    }

    fn container(&mut self, object: bool, members: Vec<(Option<&Vec<u16>>, &Tree)>) {
        self.push(Kind::Open { object }, if object { "{" } else { "[" });
        self.depth += 1;
        let any = !members.is_empty();
        for (n, (key, value)) in members.into_iter().enumerate() {
            if n > 0 {
                self.push(Kind::Comma { object }, ",");
                if self.style.space && self.style.indent.is_none() {
                    self.push(Kind::White, " ");
                }
            }
            self.line();
            if let Some(key) = key {
                let text = self.string(key);
                self.push(Kind::Key, text);
                self.push(Kind::Colon, ":");
                if self.style.space {
                    self.push(Kind::White, " ");
                }
            }
            self.value(value);
        }
        self.depth -= 1;
        if any {
            self.line();
        }
        self.push(Kind::Close { object }, if object { "}" } else { "]" });
    }

    fn line(&mut self) {
        if let Some(indent) = self.style.indent {
            let text = format!("{}{}", self.style.line, indent.repeat(self.depth));
            self.push(Kind::White, text);
        }
    }

    fn string(&mut self, units: &[u16]) -> String {
        let mut out = String::from("\"");
        for c in char::decode_utf16(units.iter().copied()) {
            match c {
                Ok(c) => self.character(c, &mut out),
                Err(half) => out += &format!("\\u{:04x}", half.unpaired_surrogate()),
            }
        }
        out.push('"');
        out
    }

    fn character(&mut self, c: char, out: &mut String) {
        let wild = self.style.escapes == Escapes::Wild && self.tape.one_in(3);
        let short = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            '/' if wild => "\\/",
            _ => "",
        };
        let must =
            c < ' ' || matches!(c, '"' | '\\') || self.style.escapes == Escapes::Ascii && !c.is_ascii();
        if !must && !wild {
            out.push(c);
        } else if !(short.is_empty() || wild && self.tape.one_in(2)) {
            out.push_str(short);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                *out += &if wild && self.tape.one_in(2) {
                    format!("\\u{unit:04X}")
                } else {
                    format!("\\u{unit:04x}")
                };
            }
        }
    }
}
