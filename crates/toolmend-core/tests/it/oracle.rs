//! A naive scanner: the whole text from its first byte on, one byte at a time, a plain stack.
//!
//! It is what [`toolmend_core::Scanner`] is compared with, and shares nothing with it but the answers.

use toolmend_core::MAX_NESTING;
use toolmend_core::scan::Status;

#[derive(Clone, Copy, PartialEq)]
enum Want {
    Start,
    Key { or_close: bool },
    Colon,
    Value { or_close: bool },
    CommaOrClose,
    Nothing,
}

/// A token either ends before an index, or runs into the end of the text, or holds a byte that cannot
/// stand.
enum Token {
    Ends(usize),
    Open,
    Fault(usize),
}

/// What this text is: the beginning of an object, a whole one, or neither.
pub(crate) fn scan(b: &[u8]) -> Status {
    let mut closers: Vec<u8> = Vec::new();
    let mut want = Want::Start;
    let mut i = 0;
    loop {
        while i < b.len() && matches!(b[i], b' ' | b'\t' | b'\r' | b'\n') {
            i += 1;
        }
        if i == b.len() {
            return if want == Want::Nothing { Status::Whole } else { Status::Prefix };
        }
        let c = b[i];
        let closes = closers.last() == Some(&c);
        let (token, next) = match want {
            Want::Start if c == b'{' => (open(&mut closers, b'}', i), Want::Key { or_close: true }),
            Want::Key { .. } if c == b'"' => (string(b, i), Want::Colon),
            Want::Colon if c == b':' => (Token::Ends(i + 1), Want::Value { or_close: false }),
            Want::Value { .. } if c == b'"' => (string(b, i), Want::CommaOrClose),
            Want::Value { .. } if c == b'{' => {
                if closers.len() == MAX_NESTING {
                    return Status::TooDeep { at: i };
                }
                (open(&mut closers, b'}', i), Want::Key { or_close: true })
            }
            Want::Value { .. } if c == b'[' => {
                if closers.len() == MAX_NESTING {
                    return Status::TooDeep { at: i };
                }
                (open(&mut closers, b']', i), Want::Value { or_close: true })
            }
            Want::Value { .. } if c == b'-' || c.is_ascii_digit() => (number(b, i), Want::CommaOrClose),
            Want::Value { .. } if c.is_ascii_lowercase() => (literal(b, i), Want::CommaOrClose),
            Want::CommaOrClose if c == b',' => {
                let object = closers.last() == Some(&b'}');
                let next =
                    if object { Want::Key { or_close: false } } else { Want::Value { or_close: false } };
                (Token::Ends(i + 1), next)
            }
            Want::CommaOrClose | Want::Key { or_close: true } | Want::Value { or_close: true } if closes => {
                closers.pop();
                let next = if closers.is_empty() { Want::Nothing } else { Want::CommaOrClose };
                (Token::Ends(i + 1), next)
            }
            _ => return Status::Fault { at: i },
        };
        match token {
            Token::Ends(at) => i = at,
            Token::Open => return Status::Prefix,
            Token::Fault(at) => return Status::Fault { at },
        }
        want = next;
    }
}

fn open(closers: &mut Vec<u8>, closer: u8, at: usize) -> Token {
    closers.push(closer);
    Token::Ends(at + 1)
}

fn string(b: &[u8], at: usize) -> Token {
    let mut i = at + 1;
    while i < b.len() {
        match b[i] {
            b'"' => return Token::Ends(i + 1),
            0..=0x1f => return Token::Fault(i),
            b'\\' => {
                i += 1;
                match b.get(i) {
                    None => return Token::Open,
                    Some(b'u') => {
                        for digit in i + 1..i + 5 {
                            match b.get(digit) {
                                None => return Token::Open,
                                Some(c) if c.is_ascii_hexdigit() => {}
                                Some(_) => return Token::Fault(digit),
                            }
                        }
                        i += 5;
                    }
                    Some(c) if b"\"\\/bfnrt".contains(c) => i += 1,
                    Some(_) => return Token::Fault(i),
                }
            }
            _ => i += 1,
        }
    }
    Token::Open
}

fn number(b: &[u8], at: usize) -> Token {
    let digits = |mut i: usize| {
        let from = i;
        while i < b.len() && b[i].is_ascii_digit() {
            i += 1;
        }
        // No digit at all: the byte there cannot stand, or the text ends.
        if i > from || i == b.len() { Ok(i) } else { Err(Token::Fault(i)) }
    };
    let mut i = at;
    if b[i] == b'-' {
        i += 1;
    }
    if b.get(i) == Some(&b'0') {
        i += 1;
    } else {
        match digits(i) {
            Ok(end) => i = end,
            Err(fault) => return fault,
        }
    }
    if b.get(i) == Some(&b'.') {
        match digits(i + 1) {
            Ok(end) => i = end,
            Err(fault) => return fault,
        }
    }
    if matches!(b.get(i), Some(b'e' | b'E')) {
        i += 1;
        if matches!(b.get(i), Some(b'+' | b'-')) {
            i += 1;
        }
        match digits(i) {
            Ok(end) => i = end,
            Err(fault) => return fault,
        }
    }
    if i == b.len() { Token::Open } else { Token::Ends(i) }
}

fn literal(b: &[u8], at: usize) -> Token {
    let Some(word) = [&b"true"[..], b"false", b"null"].into_iter().find(|w| w[0] == b[at]) else {
        return Token::Fault(at);
    };
    for (n, c) in word.iter().enumerate() {
        match b.get(at + n) {
            None => return Token::Open,
            Some(found) if found == c => {}
            Some(_) => return Token::Fault(at + n),
        }
    }
    Token::Ends(at + word.len())
}
