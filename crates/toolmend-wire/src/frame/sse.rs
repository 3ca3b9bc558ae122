//! Server-sent events, as the WHATWG HTML standard (section 9.2) frames them.
//!
//! One thing differs: the last event counts although no blank line ends it. A recording that was cut there
//! still says what it says, and whether that is whole is decided from the turn, not from its framing.

use memchr::memchr2;

use super::{BOM, Event, Events, Place, Stop};
use crate::error::WireErrorKind;
use crate::limits::Exceeded;

#[derive(Debug)]
pub(super) struct Sse {
    limit: usize,
    /// The line that is being read, where it came in pieces.
    line: Vec<u8>,
    /// Where that line begins.
    place: Place,
    /// The last byte was CR: a LF that follows belongs to it.
    after_cr: bool,
    event: Open,
}

/// The event that is being read.
#[derive(Debug)]
struct Open {
    name: Vec<u8>,
    data: Vec<u8>,
    /// Where the value of its first data line begins.
    place: Option<Place>,
    /// It has one data line.
    unbroken: bool,
}

impl Sse {
    pub(super) fn new(limit: usize) -> Self {
        Sse {
            limit,
            line: Vec::new(),
            place: Place::START,
            after_cr: false,
            event: Open { name: Vec::new(), data: Vec::new(), place: None, unbroken: true },
        }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8], events: &mut Events<'_>) -> Result<(), Stop> {
        while let Some(first) = bytes.first() {
            if core::mem::take(&mut self.after_cr) && *first == b'\n' {
                bytes = &bytes[1..];
                self.place.offset += 1;
                continue;
            }
            let Some(end) = memchr2(b'\n', b'\r', bytes) else {
                self.line.extend_from_slice(bytes);
                return self.check(0);
            };
            if self.line.is_empty() {
                self.take_line(&bytes[..end], events)?;
            } else {
                self.line.extend_from_slice(&bytes[..end]);
                let line = core::mem::take(&mut self.line);
                self.take_line(&line, events)?;
                self.line = line;
                self.line.clear();
            }
            self.after_cr = bytes[end] == b'\r';
            self.place.offset += 1;
            self.place.line += 1;
            bytes = &bytes[end + 1..];
        }
        Ok(())
    }

    pub(super) fn finish(mut self, events: &mut Events<'_>) -> Result<(), Stop> {
        let line = core::mem::take(&mut self.line);
        self.take_line(&line, events)?;
        self.dispatch(events)
    }

    /// Takes a line without its end, and moves on to that end.
    fn take_line(&mut self, line: &[u8], events: &mut Events<'_>) -> Result<(), Stop> {
        self.check(line.len())?;
        let begin = self.place;
        self.place.offset += line.len() as u64;
        let text = if begin.offset == 0 { line.strip_prefix(BOM).unwrap_or(line) } else { line };
        if text.is_empty() {
            return self.dispatch(events);
        }
        let colon = text.iter().position(|b| *b == b':');
        let (field, value) = colon.map_or((text, &[][..]), |at| (&text[..at], &text[at + 1..]));
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.event.place.is_some() {
                    self.event.data.push(b'\n');
                    self.event.unbroken = false;
                } else {
                    let before = (line.len() - value.len()) as u64;
                    self.event.place = Some(Place { offset: begin.offset + before, line: begin.line });
                }
                self.event.data.extend_from_slice(value);
            }
            b"event" => {
                self.event.name.clear();
                self.event.name.extend_from_slice(value);
            }
            // Comments, `id`, `retry`, and fields that the standard does not know.
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, events: &mut Events<'_>) -> Result<(), Stop> {
        let Open { name, data, place, unbroken } = &mut self.event;
        if let Some(place) = place.take() {
            let over = |over| Stop { kind: WireErrorKind::TooMuch(over), place };
            events(Event { name, data, place, unbroken: *unbroken }).map_err(over)?;
        }
        name.clear();
        data.clear();
        *unbroken = true;
        Ok(())
    }

    fn check(&self, more: usize) -> Result<(), Stop> {
        if self.line.len() + self.event.data.len() + more > self.limit {
            let kind = WireErrorKind::TooMuch(Exceeded::EventBytes(self.limit));
            return Err(Stop { kind, place: self.event.place.unwrap_or(self.place) });
        }
        Ok(())
    }
}
