//! Reads a text into items, without recursion.

use toolmend_core::MAX_NESTING;

use super::{Doc, Fault, INDEXED_FROM, Item, Kind, MAX_ITEMS};
use crate::string;

/// Reads the text of a [`Doc`] that has no items yet.
pub(super) fn read(doc: &mut Doc<'_>) -> Result<(), Fault> {
    let bytes = doc.text.as_bytes();
    Reader { doc, bytes, at: 0, open: Vec::with_capacity(8) }.read()
}

/// What may stand next.
#[derive(Clone, Copy)]
enum Want {
    Value,
    /// A value, or the end of the array that was just opened.
    First,
    Key,
    /// A key, or the end of the object that was just opened.
    FirstKey,
    /// A comma or a closer.
    After,
}

struct Reader<'d, 't> {
    doc: &'d mut Doc<'t>,
    bytes: &'t [u8],
    at: usize,
    open: Vec<u32>,
}

impl Reader<'_, '_> {
    fn read(mut self) -> Result<(), Fault> {
        let mut want = Want::Value;
        loop {
            self.skip_space();
            let Some(byte) = self.peek() else { return self.fault() };
            // A key and its value are added between two looks at the limit.
            if self.doc.items.len() > MAX_ITEMS {
                return Err(Fault::TooLong);
            }
            want = match (want, byte) {
                (Want::First, b']') | (Want::FirstKey, b'}') => self.close(byte)?,
                (Want::Value | Want::First, _) => self.value(byte)?,
                (Want::Key | Want::FirstKey, b'"') => {
                    self.string(Kind::Key)?;
                    self.skip_space();
                    if self.peek() != Some(b':') {
                        return self.fault();
                    }
                    self.at += 1;
                    Want::Value
                }
                (Want::After, b',') => {
                    self.at += 1;
                    if self.in_object() { Want::Key } else { Want::Value }
                }
                (Want::After, b'}' | b']') => self.close(byte)?,
                _ => return self.fault(),
            };
            if self.open.is_empty() {
                self.skip_space();
                return if self.at == self.bytes.len() { Ok(()) } else { self.fault() };
            }
        }
    }

    fn fault<T>(&self) -> Result<T, Fault> {
        Err(Fault::Syntax { at: self.at })
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn in_object(&self) -> bool {
        self.open.last().is_some_and(|&i| self.doc.kind(i) == Kind::Object)
    }

    /// Adds an item that ends here; `next` holds for all but containers and keys.
    fn add(&mut self, kind: Kind, start: usize, escaped: bool) {
        self.doc.items.push(Item {
            start: start as u32,
            end: self.at as u32,
            next: self.doc.items.len() as u32 + 1,
            len: 0,
            index: 0,
            kind,
            escaped,
            stale: false,
        });
    }

    fn value(&mut self, byte: u8) -> Result<Want, Fault> {
        match byte {
            b'{' => return self.container(Kind::Object, Want::FirstKey),
            b'[' => return self.container(Kind::Array, Want::First),
            b'"' => self.string(Kind::String)?,
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.literal("true", Kind::True)?,
            b'f' => self.literal("false", Kind::False)?,
            b'n' => self.literal("null", Kind::Null)?,
            _ => return self.fault(),
        }
        Ok(self.ended(self.doc.len() - 1))
    }

    /// A value has ended: in an object its key learns where.
    fn ended(&mut self, value: u32) -> Want {
        if self.in_object() {
            self.doc.items[value as usize - 1].next = self.doc.items[value as usize].next;
        }
        if let Some(&container) = self.open.last() {
            self.doc.items[container as usize].len += 1;
        }
        Want::After
    }

    fn container(&mut self, kind: Kind, then: Want) -> Result<Want, Fault> {
        if self.open.len() == MAX_NESTING {
            return Err(Fault::TooDeep);
        }
        self.add(kind, self.at, false);
        self.open.push(self.doc.len() - 1);
        self.doc.depth = self.doc.depth.max(self.open.len());
        self.at += 1;
        Ok(then)
    }

    fn close(&mut self, byte: u8) -> Result<Want, Fault> {
        if self.in_object() != (byte == b'}') {
            return self.fault();
        }
        let Some(container) = self.open.pop() else { return self.fault() };
        self.at += 1;
        let next = self.doc.len();
        let item = &mut self.doc.items[container as usize];
        item.end = self.at as u32;
        item.next = next;
        if item.kind == Kind::Object && item.len > 1 {
            self.find_duplicates(container);
        }
        Ok(self.ended(container))
    }

    /// Marks all but the last of the members that share a key; makes the index of a large object.
    fn find_duplicates(&mut self, object: u32) {
        let doc = &mut *self.doc;
        if doc.item(object).len as usize <= INDEXED_FROM {
            let end = doc.item(object).next;
            let mut key = object + 1;
            while key < end {
                let mut other = doc.item(key).next;
                while other < end && !doc.same_key(key, other) {
                    other = doc.item(other).next;
                }
                if other < end {
                    doc.drop_member(object, key);
                }
                key = doc.item(key).next;
            }
            return;
        }
        let mut keys: Vec<u32> = doc.children(object).collect();
        keys.sort_by(|&a, &b| doc.string(a).cmp(&doc.string(b)).then(a.cmp(&b)));
        for pair in keys.windows(2) {
            if doc.same_key(pair[0], pair[1]) {
                doc.drop_member(object, pair[0]);
            }
        }
        keys.retain(|&key| !doc.item(key).stale);
        doc.items[object as usize].index = doc.sorted.len() as u32;
        doc.sorted.append(&mut keys);
    }

    fn string(&mut self, kind: Kind) -> Result<(), Fault> {
        let start = self.at;
        let (end, escaped) = string::scan(self.bytes, start).map_err(|at| Fault::Syntax { at })?;
        self.at = end;
        self.add(kind, start, escaped);
        Ok(())
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let zero = self.peek() == Some(b'0');
        if self.digits()? > 1 && zero {
            self.at = start;
            return self.fault();
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        self.add(Kind::Number, start, false);
        Ok(())
    }

    fn digits(&mut self) -> Result<usize, Fault> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { self.fault() } else { Ok(self.at - start) }
    }

    fn literal(&mut self, word: &str, kind: Kind) -> Result<(), Fault> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return self.fault();
        }
        let start = self.at;
        self.at += word.len();
        self.add(kind, start, false);
        Ok(())
    }
}

impl Doc<'_> {
    fn same_key(&self, a: u32, b: u32) -> bool {
        if self.item(a).escaped || self.item(b).escaped {
            self.string(a) == self.string(b)
        } else {
            self.raw(a) == self.raw(b)
        }
    }

    fn drop_member(&mut self, object: u32, key: u32) {
        self.items[key as usize].stale = true;
        self.items[object as usize].len -= 1;
        self.twice = true;
    }
}
