//! Server-sent events, as the WHATWG HTML standard (section 9.2) frames them.
//!
//! One thing differs: the last event counts although no blank line ends it. A recording that was cut there
//! still says what it says, and whether that is whole is decided from the turn, not from its framing.
//!
//! An event ends with its blank line, and one that ends with CR does not wait for a LF that may not come: a LF that
//! does is an event of its own (`tail`), so that what an event is does not depend on where the bytes were cut.

use core::ops::Range;

use memchr::memchr2;

use super::{BOM, Event, Events, Place, Stop, Template};
use crate::error::WireErrorKind;
use crate::limits::Exceeded;

#[derive(Debug)]
pub(super) struct Sse {
    limit: usize,
    /// The event that is being read, where it came in pieces.
    raw: Vec<u8>,
    /// Where that event begins, and whether the blank line before it ended with CR.
    begin: Place,
    begin_after_cr: bool,
    /// Nothing stands in the line that is being read; the last byte was CR.
    line_is_empty: bool,
    after_cr: bool,
    /// The data of an event that has several lines of it.
    joined: Vec<u8>,
}

impl Sse {
    pub(super) fn new(limit: usize) -> Self {
        Sse {
            limit,
            raw: Vec::new(),
            begin: Place::START,
            begin_after_cr: false,
            line_is_empty: true,
            after_cr: false,
            joined: Vec::new(),
        }
    }

    /// Passes on the event that ends first in these bytes, if one does; answers the bytes behind it.
    pub(super) fn push_one<'b>(
        &mut self,
        bytes: &'b [u8],
        events: &mut Events<'_>,
    ) -> Result<&'b [u8], Stop> {
        if self.raw.is_empty() && self.begin_after_cr && bytes.first() == Some(&b'\n') {
            let (tail, rest) = bytes.split_at(1);
            self.pass_tail(tail, events)?;
            return Ok(rest);
        }
        let end = self.end_of_event(bytes);
        if self.raw.len() + end.unwrap_or(bytes.len()) > self.limit {
            self.raw.extend_from_slice(bytes);
            return Err(self.too_long());
        }
        let (head, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        match end {
            Some(_) if self.raw.is_empty() => self.dispatch(head, events)?,
            Some(_) => {
                self.raw.extend_from_slice(head);
                let raw = core::mem::take(&mut self.raw);
                self.dispatch(&raw, events)?;
                self.raw = raw;
                self.raw.clear();
            }
            None => self.raw.extend_from_slice(head),
        }
        Ok(rest)
    }

    /// Takes the event that these bytes begin with, where it is like this one.
    pub(super) fn again<'a>(&mut self, template: &Template, bytes: &'a [u8]) -> Option<Event<'a>> {
        let begun = if self.raw.is_empty() { template.event(bytes, self.begin) } else { None };
        let event = begun.filter(|event| event.raw.len() <= self.limit)?;
        self.pass_over(&event);
        Some(event)
    }

    pub(super) fn finish(&mut self, events: &mut Events<'_>) -> Result<(), Stop> {
        let raw = core::mem::take(&mut self.raw);
        if raw.is_empty() { Ok(()) } else { self.dispatch(&raw, events) }
    }

    /// Gives up: the bytes that have not left as an event.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.raw)
    }

    /// Bytes that come behind those at which it stopped.
    pub(super) fn keep_rest(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
    }

    pub(super) fn held(&self) -> usize {
        self.raw.len()
    }

    /// How many of these bytes belong to the event that is being read, if it ends in them.
    fn end_of_event(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut from = 0;
        while let Some(at) = memchr2(b'\n', b'\r', &bytes[from..]) {
            self.line_is_empty &= at == 0;
            let is_second = at == 0 && self.after_cr && bytes[from] == b'\n';
            self.after_cr = bytes[from + at] == b'\r';
            from += at + 1;
            if is_second {
                continue;
            }
            if self.line_is_empty {
                return Some(from);
            }
            self.line_is_empty = true;
        }
        if from < bytes.len() {
            self.line_is_empty = false;
            self.after_cr = false;
        }
        None
    }

    /// Reads the lines of an event and passes it on.
    fn dispatch(&mut self, raw: &[u8], events: &mut Events<'_>) -> Result<(), Stop> {
        let (mut name, mut data): (&[u8], Option<(Range<usize>, Place)>) = (b"", None);
        let mut unbroken = true;
        self.joined.clear();
        let mut line_number = self.begin.line;
        for line in lines(raw) {
            let text = &raw[line.clone()];
            let start = self.begin.offset + line.start as u64;
            let text = if start == 0 { text.strip_prefix(BOM).unwrap_or(text) } else { text };
            let colon = text.iter().position(|b| *b == b':');
            let (field, value) = colon.map_or((text, &[][..]), |at| (&text[..at], &text[at + 1..]));
            let value = value.strip_prefix(b" ").unwrap_or(value);
            match field {
                b"data" => {
                    let range = line.end - value.len()..line.end;
                    if let Some((first, _)) = &data {
                        if unbroken {
                            self.joined.extend_from_slice(&raw[first.clone()]);
                        }
                        unbroken = false;
                        self.joined.push(b'\n');
                        self.joined.extend_from_slice(value);
                    } else {
                        let offset = self.begin.offset + range.start as u64;
                        data = Some((range, Place { offset, line: line_number }));
                    }
                }
                b"event" => name = value,
                // Comments, `id`, `retry`, and fields that the standard does not know.
                _ => {}
            }
            line_number += 1;
        }
        let place = data.as_ref().map_or(self.begin, |(_, place)| *place);
        let behind = Place { offset: self.begin.offset + raw.len() as u64, line: line_number };
        let at = data.as_ref().map(|(range, _)| range.start).filter(|_| unbroken);
        let filler = data.is_none();
        let data = match data {
            None => &[][..],
            Some((range, _)) if unbroken => &raw[range],
            Some(_) => &self.joined,
        };
        let event =
            Event { raw, name, data, at, filler, stream: true, tail: false, place, behind, differs: None };
        events(event).map_err(|over| Stop { kind: WireErrorKind::TooMuch(over), place })?;
        // A line that no line end follows is the last one: nothing comes after it.
        self.begin = behind;
        self.begin_after_cr = raw.last() == Some(&b'\r');
        Ok(())
    }

    pub(super) fn pass_over(&mut self, event: &Event<'_>) {
        self.begin = event.behind;
        self.begin_after_cr = event.raw.last() == Some(&b'\r');
        self.after_cr = self.begin_after_cr;
    }

    /// The LF of a blank line whose CR has passed.
    fn pass_tail(&mut self, raw: &[u8], events: &mut Events<'_>) -> Result<(), Stop> {
        let place = self.begin;
        self.begin.offset += 1;
        (self.begin_after_cr, self.after_cr) = (false, false);
        let event = Event {
            raw,
            name: b"",
            data: b"",
            at: None,
            filler: true,
            stream: true,
            tail: true,
            place,
            behind: self.begin,
            differs: None,
        };
        events(event).map_err(|over| Stop { kind: WireErrorKind::TooMuch(over), place })
    }

    fn too_long(&self) -> Stop {
        let kind = WireErrorKind::TooMuch(Exceeded::EventBytes(self.limit));
        Stop { kind, place: self.begin }
    }
}

/// Whether another event can follow on these bytes.
pub(crate) fn ends_with_blank_line(raw: &[u8]) -> bool {
    [&b"\n\n"[..], b"\n\r\n", b"\n\r", b"\r\r", b"\r\n\r"].iter().any(|end| raw.ends_with(end))
        || matches!(raw, b"\n" | b"\r" | b"\r\n")
}

/// The lines of an event, without their ends.
pub(crate) fn lines(raw: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = 0;
    core::iter::from_fn(move || {
        let rest = raw.get(from..).filter(|rest| !rest.is_empty())?;
        let end = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let line = from..from + end;
        let is_pair = rest.get(end) == Some(&b'\r') && rest.get(end + 1) == Some(&b'\n');
        from += end + 1 + usize::from(is_pair);
        Some(line)
    })
}
