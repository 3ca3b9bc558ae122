//! JSON without an event stream around it: one value a line (NDJSON), the items of an array, or values that
//! stretch over lines, most often a single one, the body of an answer that was not streamed.
//!
//! ```text
//!              LF inside the value
//!  First ─────────────────────────────▶ Values   a value is an event, wherever its lines end
//!    │
//!    ├────────────────────────────────▶ Lines    a line is an event, whatever stands in it
//!    │ the value ends, then LF
//!    └────────────────────────────────▶ Items    an item of the array is an event
//!      [
//! ```
//!
//! In `Lines`, a line that is broken costs that line only. `Items` is what Gemini streams where nobody asked
//! for an event stream: the array is one value, and comes item by item.

use memchr::memchr;

use super::{BOM, Event, Events, Place, Stop};
use crate::error::WireErrorKind;
use crate::limits::Exceeded;
use crate::shape::Shape;

#[derive(Debug)]
pub(super) struct Json {
    limit: usize,
    mode: Mode,
    /// The bytes since the last event.
    raw: Vec<u8>,
    /// How many of them come before the value.
    lead: usize,
    /// Where the value begins.
    begin: Place,
    /// Where the next byte stands.
    next: Place,
    /// The last byte was CR: a LF that follows belongs to the same line end.
    after_cr: bool,
    /// In every mode but `Lines`: how far the value, or the array, has got.
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    First,
    Lines,
    Values,
    Items,
}

impl Json {
    pub(super) fn new(limit: usize) -> Self {
        Json {
            limit,
            mode: Mode::First,
            raw: Vec::new(),
            lead: 0,
            begin: Place::START,
            next: Place::START,
            after_cr: false,
            shape: Shape::default(),
        }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8], events: &mut Events<'_>) -> Result<(), Stop> {
        while !bytes.is_empty() {
            let taken = match self.mode {
                Mode::Lines => self.take_line(bytes, events),
                Mode::Items => self.take_item(bytes[0], events),
                Mode::First | Mode::Values => self.take_byte(bytes[0], events),
            };
            match taken {
                Ok(taken) => bytes = &bytes[taken..],
                Err(stop) => {
                    self.raw.extend_from_slice(bytes);
                    return Err(stop);
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, events: &mut Events<'_>) -> Result<(), Stop> {
        self.dispatch(events)
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

    fn take_line(&mut self, bytes: &[u8], events: &mut Events<'_>) -> Result<usize, Stop> {
        let end = memchr(b'\n', bytes);
        let taken = end.map_or(bytes.len(), |end| end + 1);
        let line = &bytes[..end.unwrap_or(bytes.len())];
        self.keep(line)?;
        self.next.offset += line.len() as u64;
        if end.is_some() {
            self.raw.push(b'\n');
            self.count(b'\n');
            self.dispatch(events)?;
        }
        Ok(taken)
    }

    fn take_byte(&mut self, byte: u8, events: &mut Events<'_>) -> Result<usize, Stop> {
        if self.shape.closed() {
            // Between the end of a value and what follows on it.
            match byte {
                b'\n' if self.mode == Mode::First => {
                    self.mode = Mode::Lines;
                    self.raw.push(byte);
                    self.count(byte);
                    self.dispatch(events)?;
                    return Ok(1);
                }
                b' ' | b'\t' | b'\r' if self.mode == Mode::First => {
                    self.keep(&[byte])?;
                    self.count(byte);
                    return Ok(1);
                }
                _ => {
                    self.mode = Mode::Values;
                    self.dispatch(events)?;
                }
            }
        }
        if self.mode == Mode::First && byte == b'\n' && self.shape.open() {
            self.mode = Mode::Values;
        }
        let in_bom = usize::try_from(self.next.offset).is_ok_and(|at| BOM.get(at) == Some(&byte));
        if self.raw.len() == self.lead && (byte.is_ascii_whitespace() || in_bom) {
            self.keep(&[byte])?;
            self.lead += 1;
            self.count(byte);
            self.begin = self.next;
            return Ok(1);
        }
        if self.mode == Mode::First && self.raw.len() == self.lead && byte == b'[' {
            self.mode = Mode::Items;
            return Ok(0);
        }
        self.keep(&[byte])?;
        self.count(byte);
        self.shape.push(byte);
        // What is no value ends with its line.
        if byte == b'\n' && !self.shape.open() && !self.shape.closed() {
            self.dispatch(events)?;
        }
        Ok(1)
    }

    /// The array's own brackets and commas, and items that are no containers, are no events.
    fn take_item(&mut self, byte: u8, events: &mut Events<'_>) -> Result<usize, Stop> {
        let before = self.shape.depth();
        if before == 0 && self.shape.closed() && !byte.is_ascii_whitespace() {
            // Behind the array.
            self.mode = Mode::Values;
            self.lead = self.raw.len();
            self.begin = self.next;
            self.dispatch(events)?;
            return Ok(0);
        }
        if self.raw.len() == self.lead {
            if before == 1 && !self.shape.in_string() && matches!(byte, b'{' | b'[') {
                self.begin = self.next;
            } else {
                self.lead += 1;
            }
        }
        self.keep(&[byte])?;
        self.count(byte);
        self.shape.push(byte);
        if before == 2 && self.shape.depth() == 1 {
            let array = self.shape;
            self.dispatch(events)?;
            self.shape = array;
        }
        Ok(1)
    }

    fn dispatch(&mut self, events: &mut Events<'_>) -> Result<(), Stop> {
        let raw = core::mem::take(&mut self.raw);
        let behind = &raw[self.lead.min(raw.len())..];
        let data = behind.trim_ascii();
        let lead = behind.len() - behind.trim_ascii_start().len();
        let at = Some(raw.len() - behind.len() + lead);
        let place = Place { offset: self.begin.offset + lead as u64, line: self.begin.line };
        if !raw.is_empty() {
            let event = Event {
                raw: &raw,
                name: b"",
                data,
                at,
                filler: data.is_empty(),
                stream: false,
                tail: false,
                place,
                behind: self.next,
                differs: None,
            };
            events(event).map_err(|over| Stop { kind: WireErrorKind::TooMuch(over), place })?;
        }
        self.raw = raw;
        self.raw.clear();
        self.lead = 0;
        self.begin = self.next;
        self.shape = Shape::default();
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        if self.raw.len() + bytes.len() > self.limit {
            let kind = WireErrorKind::TooMuch(Exceeded::EventBytes(self.limit));
            return Err(Stop { kind, place: self.begin });
        }
        self.raw.extend_from_slice(bytes);
        Ok(())
    }

    fn count(&mut self, byte: u8) {
        self.next.offset += 1;
        let second = core::mem::replace(&mut self.after_cr, byte == b'\r') && byte == b'\n';
        if matches!(byte, b'\n' | b'\r') && !second {
            self.next.line += 1;
        }
    }
}
