//! Is this still the beginning of a valid JSON object?
//!
//! [`Scanner`] answers that after any prefix of a body, in constant work for each byte and without
//! recursion: nesting is a stack of bits. The grammar is RFC 8259 with an object at the top.
//!
//! ```text
//!            ┌────────────── , (object) ──────────────┐
//!            ▼                                        │
//! { ─▶ FirstKey ─string─▶ Colon ─ : ─▶ Value ─any─▶ After ─ } or ] ─▶ After … Done
//!        │ Key                                        ▲ │
//!        └─ } ────────────────────────────────────────┘ │
//! [ ─▶ FirstItem ─any─▶ After ─ , (array) ─▶ Item ─any──┘
//! ```

mod token;

pub use token::plain;
use token::{Piece, is_white, number, spaces, string, white};

/// How deep containers may nest in a body, the outermost object counted.
///
/// No tool call comes near it; Python's `json` refuses at about the same depth.
pub const MAX_NESTING: usize = 1024;

const WORDS: usize = MAX_NESTING / 64;

/// What a [`Scanner`] knows after what it has taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The beginning of a valid object, not yet whole.
    Prefix,
    /// A whole valid object, with nothing but white space around it.
    Whole,
    /// No valid object begins like this; `at` is the first byte that could not stand.
    Fault {
        /// Offset in bytes from the first byte ever pushed.
        at: usize,
    },
    /// Nesting goes beyond [`MAX_NESTING`] at this byte.
    TooDeep {
        /// Offset in bytes from the first byte ever pushed.
        at: usize,
    },
}

/// A push scanner for one JSON object.
///
/// ```
/// use toolmend_core::scan::{Scanner, Status};
///
/// let mut s = Scanner::new();
/// assert_eq!(s.push(b"{\"a\": tr"), Status::Prefix);
/// assert_eq!(s.push(b"ue,}"), Status::Fault { at: 11 });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scanner {
    state: State,
    /// The string in whose middle the bytes ended is a key.
    key: bool,
    depth: usize,
    /// One bit a level, set for an object; bits at and above `depth` are zero.
    stack: [u64; WORDS],
    /// Bytes taken.
    offset: usize,
    /// Where the last token began that is a string, number or literal.
    token: usize,
    /// Where the last whole token ended.
    end: usize,
    /// Where the last comma stood.
    comma: usize,
    stopped: Option<Stopped>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stopped {
    Fault(usize),
    TooDeep(usize),
}

/// Where the scanner stands in the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    Start,
    FirstKey,
    Key,
    Colon,
    Value,
    FirstItem,
    Item,
    After,
    Done,
    Str,
    Escape,
    /// Inside `\uXXXX`: so many hex digits are still to come.
    Hex4,
    Hex3,
    Hex2,
    Hex1,
    Minus,
    Zero,
    Int,
    Point,
    Fraction,
    Exp,
    ExpSign,
    ExpInt,
    /// Inside a literal: so much of it is there.
    T,
    Tr,
    Tru,
    F,
    Fa,
    Fal,
    Fals,
    N,
    Nu,
    Nul,
}

/// What the grammar expects at a place between tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Slot {
    /// The object's opening brace.
    Start,
    /// A key or `}`.
    FirstKey,
    /// A key.
    Key,
    /// A colon.
    Colon,
    /// A value.
    Value,
    /// A value or `]`.
    FirstItem,
    /// A value, in an array.
    Item,
    /// A comma or a closer.
    After,
    /// Nothing more.
    Done,
}

impl Slot {
    /// A key belongs here.
    pub(crate) fn takes_key(self) -> bool {
        matches!(self, Slot::FirstKey | Slot::Key)
    }

    /// A value belongs here.
    pub(crate) fn takes_value(self) -> bool {
        matches!(self, Slot::Value | Slot::FirstItem | Slot::Item)
    }
}

/// Why [`Scanner::run`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The bytes are used up.
    End,
    /// The byte at this index cannot stand.
    Fault(usize),
    /// One container more than may be open.
    TooDeep(usize),
    /// The outermost object was closed; the index is that of the byte after it.
    Closed(usize),
    /// At a comma after a value, not taken yet. Only with [`AT_COMMA`].
    Comma(usize),
    /// At the opening quote of a value, not taken yet. Only with [`AT_STRING`].
    Str(usize),
}

/// Stop when the outermost object is closed.
pub(crate) const AT_CLOSE: u8 = 1;
/// Stop before each comma that follows a value.
pub(crate) const AT_COMMA: u8 = 2;
/// Stop before each string that is a value.
pub(crate) const AT_STRING: u8 = 4;

impl Default for Scanner {
    fn default() -> Self {
        Scanner::new()
    }
}

impl Scanner {
    /// Nothing taken yet.
    #[must_use]
    pub const fn new() -> Scanner {
        Scanner {
            state: State::Start,
            key: false,
            depth: 0,
            stack: [0; WORDS],
            offset: 0,
            token: 0,
            end: 0,
            comma: 0,
            stopped: None,
        }
    }

    /// Takes the next bytes and answers what is known after them. After a fault nothing more is taken.
    pub fn push(&mut self, bytes: &[u8]) -> Status {
        if self.stopped.is_none() {
            // Most pieces of a stream are words inside a string: they change nothing but the offset.
            if self.state == State::Str && plain(bytes, 0) == bytes.len() {
                self.offset += bytes.len();
                return Status::Prefix;
            }
            let base = self.offset;
            self.offset += bytes.len();
            match self.run::<0>(bytes, base, 0) {
                Halt::Fault(i) => self.stop(Stopped::Fault(base + i)),
                Halt::TooDeep(i) => self.stop(Stopped::TooDeep(base + i)),
                _ => {}
            }
        }
        self.status()
    }

    fn stop(&mut self, stopped: Stopped) {
        let (Stopped::Fault(at) | Stopped::TooDeep(at)) = stopped;
        self.offset = at;
        self.stopped = Some(stopped);
    }

    /// What is known after the bytes taken so far.
    #[must_use]
    pub fn status(&self) -> Status {
        match self.stopped {
            Some(Stopped::Fault(at)) => Status::Fault { at },
            Some(Stopped::TooDeep(at)) => Status::TooDeep { at },
            None if self.state == State::Done => Status::Whole,
            None => Status::Prefix,
        }
    }

    /// How many bytes have been taken, up to the first that could not stand.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// How many containers are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether the text so far ends inside a string.
    #[must_use]
    pub fn in_string(&self) -> bool {
        use State::{Escape, Hex1, Hex2, Hex3, Hex4, Str};
        matches!(self.state, Str | Escape | Hex4 | Hex3 | Hex2 | Hex1)
    }

    /// Takes bytes from index `i` of `b` on; `base` is the offset of `b[0]` in the whole text.
    // A function of its own keeps what it works with in registers, whoever calls.
    #[inline(never)]
    pub(crate) fn run<const STOP: u8>(&mut self, b: &[u8], base: usize, mut i: usize) -> Halt {
        let mut state = self.state;
        let mut object = self.top_is_object();
        let halt = loop {
            // The states between tokens stand in the order of the grammar: most text falls through them, and
            // what is decided twice is decided by branches that a processor foresees.
            if let State::FirstKey | State::Key = state {
                let Some(&c) = b.get(i) else { break Halt::End };
                if c == b'"' {
                    if let Err(halt) = self.string(b, base, &mut i, true) {
                        return halt;
                    }
                    state = State::Colon;
                } else if is_white(c) {
                    i = white(b, i + 1);
                    continue;
                } else if c == b'}' && state == State::FirstKey {
                    state = State::After;
                } else {
                    break Halt::Fault(i);
                }
            }
            if state == State::Colon {
                let Some(&c) = b.get(i) else { break Halt::End };
                if c == b':' {
                    i = spaces(b, i + 1);
                    state = State::Value;
                } else if is_white(c) {
                    i = white(b, i + 1);
                    continue;
                } else {
                    break Halt::Fault(i);
                }
            }
            if let State::Value | State::FirstItem | State::Item = state {
                let Some(&c) = b.get(i) else { break Halt::End };
                match c {
                    b'"' => {
                        if STOP & AT_STRING != 0 {
                            break Halt::Str(i);
                        }
                        if let Err(halt) = self.string(b, base, &mut i, false) {
                            return halt;
                        }
                        state = State::After;
                    }
                    b'0'..=b'9' | b'-' => {
                        self.token = base + i;
                        state = number(b, &mut i);
                        if state != State::After {
                            continue;
                        }
                        self.end = base + i;
                    }
                    b'{' | b'[' => {
                        if self.depth == MAX_NESTING {
                            break Halt::TooDeep(i);
                        }
                        object = c == b'{';
                        self.push_container(object);
                        i += 1;
                        state = if object { State::FirstKey } else { State::FirstItem };
                        continue;
                    }
                    b't' | b'f' | b'n' => {
                        self.token = base + i;
                        let rest = &b[i..];
                        let (whole, length, begun) = match c {
                            b't' => (rest.starts_with(b"true"), 4, State::T),
                            b'f' => (rest.starts_with(b"false"), 5, State::F),
                            _ => (rest.starts_with(b"null"), 4, State::N),
                        };
                        if !whole {
                            i += 1;
                            state = begun;
                            continue;
                        }
                        i += length;
                        self.end = base + i;
                        state = State::After;
                    }
                    b' ' | b'\n' | b'\r' | b'\t' => {
                        i = white(b, i + 1);
                        continue;
                    }
                    b']' if state == State::FirstItem => state = State::After,
                    _ => break Halt::Fault(i),
                }
            }
            if state == State::After {
                let Some(&c) = b.get(i) else { break Halt::End };
                if c == b',' {
                    if STOP & AT_COMMA != 0 {
                        break Halt::Comma(i);
                    }
                    self.comma = base + i;
                    i = spaces(b, i + 1);
                    state = if object { State::Key } else { State::Item };
                } else if c == b'}' || c == b']' {
                    if (c == b'}') != object {
                        break Halt::Fault(i);
                    }
                    i += 1;
                    self.end = base + i;
                    self.pop();
                    object = self.top_is_object();
                    if self.depth == 0 {
                        state = State::Done;
                        if STOP & AT_CLOSE != 0 {
                            break Halt::Closed(i);
                        }
                    }
                } else if is_white(c) {
                    i = white(b, i + 1);
                } else {
                    break Halt::Fault(i);
                }
                continue;
            }
            let Some(&c) = b.get(i) else { break Halt::End };
            match state {
                State::Start if c == b'{' => {
                    object = true;
                    self.push_container(true);
                    i += 1;
                    state = State::FirstKey;
                }
                State::Start | State::Done if is_white(c) => i = white(b, i + 1),
                State::Start | State::Done => break Halt::Fault(i),
                cut => match token::resume(cut, b, &mut i) {
                    Ok(State::After) => {
                        self.end = base + i;
                        state = if core::mem::take(&mut self.key) { State::Colon } else { State::After };
                    }
                    Ok(inside) => state = inside,
                    Err(inside) => {
                        state = inside;
                        break Halt::Fault(i);
                    }
                },
            }
        };
        self.state = state;
        halt
    }

    /// Reads a string from its quote on; where it does not end, what to come back with, and the scanner stands
    /// inside of it.
    #[inline(always)]
    fn string(&mut self, b: &[u8], base: usize, i: &mut usize, key: bool) -> Result<(), Halt> {
        self.token = base + *i;
        *i += 1;
        let (inside, halt) = match string(b, i) {
            Piece::Closed => {
                self.end = base + *i;
                return Ok(());
            }
            Piece::Open(inside) => (inside, Halt::End),
            Piece::Fault(inside) => (inside, Halt::Fault(*i)),
        };
        (self.key, self.state) = (key, inside);
        Err(halt)
    }

    #[inline]
    fn top_is_object(&self) -> bool {
        match self.depth.checked_sub(1) {
            Some(top) => self.stack[(top / 64) % WORDS] >> (top % 64) & 1 == 1,
            None => false,
        }
    }

    #[inline]
    fn push_container(&mut self, object: bool) {
        let at = self.depth;
        self.stack[(at / 64) % WORDS] |= u64::from(object) << (at % 64);
        self.depth += 1;
    }

    #[inline]
    fn pop(&mut self) {
        self.depth -= 1;
        let at = self.depth;
        self.stack[(at / 64) % WORDS] &= !(1 << (at % 64));
    }
}

/// For the reader: moving the scanner about between tokens.
impl Scanner {
    /// A scanner that stands inside an object whose opening brace is not in the text.
    pub(crate) fn in_object() -> Scanner {
        let mut s = Scanner::new();
        s.open(true);
        s
    }

    /// What is expected next. A token that is not whole counts as not there yet.
    pub(crate) fn slot(&self) -> Slot {
        match self.state {
            State::Start => Slot::Start,
            State::FirstKey => Slot::FirstKey,
            State::Key => Slot::Key,
            State::Colon => Slot::Colon,
            State::Value => Slot::Value,
            State::FirstItem => Slot::FirstItem,
            State::Item => Slot::Item,
            State::After => Slot::After,
            State::Done => Slot::Done,
            _ if self.key && self.in_string() => Slot::Key,
            _ if self.top_is_object() => Slot::Value,
            _ => Slot::Item,
        }
    }

    /// Whether the last bytes are those of a token that is not whole.
    pub(crate) fn in_token(&self) -> bool {
        !matches!(
            self.state,
            State::Start
                | State::FirstKey
                | State::Key
                | State::Colon
                | State::Value
                | State::FirstItem
                | State::Item
                | State::After
                | State::Done
        )
    }

    /// Whether the last bytes are those of a number that could end here.
    pub(crate) fn at_number_end(&self) -> bool {
        matches!(self.state, State::Zero | State::Int | State::Fraction | State::ExpInt)
    }

    /// What is missing of the literal that the last bytes begin.
    pub(crate) fn literal_rest(&self) -> Option<&'static str> {
        Some(match self.state {
            State::T => "rue",
            State::Tr => "ue",
            State::Tru | State::Fals => "e",
            State::F => "alse",
            State::Fa => "lse",
            State::Fal => "se",
            State::N => "ull",
            State::Nu => "ll",
            State::Nul => "l",
            _ => return None,
        })
    }

    /// Where the last string, number or literal began.
    pub(crate) fn token(&self) -> usize {
        self.token
    }

    /// Where the last whole token ended.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Where the last comma stood.
    pub(crate) fn comma(&self) -> usize {
        self.comma
    }

    /// Whether the innermost open container is an object.
    pub(crate) fn inside_object(&self) -> bool {
        self.top_is_object()
    }

    /// Whether the container `up` levels above the innermost one is an object.
    pub(crate) fn outer_is_object(&self, up: usize) -> Option<bool> {
        let at = self.depth.checked_sub(up + 1)?;
        Some(self.stack[at / 64] >> (at % 64) & 1 == 1)
    }

    /// Stands between tokens from here on.
    pub(crate) fn set_slot(&mut self, slot: Slot) {
        self.key = false;
        self.state = match slot {
            Slot::Start => State::Start,
            Slot::FirstKey => State::FirstKey,
            Slot::Key => State::Key,
            Slot::Colon => State::Colon,
            Slot::Value => State::Value,
            Slot::FirstItem => State::FirstItem,
            Slot::Item => State::Item,
            Slot::After => State::After,
            Slot::Done => State::Done,
        };
    }

    /// Notes a token that the scanner did not read itself.
    pub(crate) fn took(&mut self, start: usize, end: usize) {
        (self.token, self.end) = (start, end);
    }

    /// Notes a comma that the scanner did not read itself.
    pub(crate) fn took_comma(&mut self, at: usize) {
        self.comma = at;
        self.set_slot(if self.top_is_object() { Slot::Key } else { Slot::Item });
    }

    /// Opens a container; answers false, and does nothing, where that goes too deep.
    pub(crate) fn open(&mut self, object: bool) -> bool {
        if self.depth == MAX_NESTING {
            return false;
        }
        self.push_container(object);
        self.set_slot(if object { Slot::FirstKey } else { Slot::FirstItem });
        true
    }

    /// Closes the innermost container as of byte `end`; there must be one.
    pub(crate) fn close(&mut self, end: usize) {
        self.end = end;
        if self.depth > 0 {
            self.pop();
        }
        self.set_slot(if self.depth == 0 { Slot::Done } else { Slot::After });
    }
}
