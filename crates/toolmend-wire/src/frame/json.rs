//! JSON without an event stream around it: one value a line (NDJSON), or values that stretch over lines,
//! most often a single one, the body of an answer that was not streamed.
//!
//! ```text
//!              LF inside the value
//!  First ─────────────────────────────▶ Values   a value is an event, wherever its lines end
//!    │
//!    └────────────────────────────────▶ Lines    a line is an event, whatever stands in it
//!      the value ends, then LF
//! ```
//!
//! In `Lines`, a line that is broken costs that line only.

use memchr::memchr;

use super::{BOM, Event, Events, Place, Stop};
use crate::error::WireErrorKind;
use crate::limits::Exceeded;
use crate::shape::Shape;

#[derive(Debug)]
pub(super) struct Json {
    limit: usize,
    mode: Mode,
    /// The event that is being read.
    data: Vec<u8>,
    /// Where it begins.
    begin: Place,
    /// Where the next byte stands.
    next: Place,
    /// The last byte was CR: a LF that follows belongs to the same line end.
    after_cr: bool,
    /// In `First` and `Values`: how far the value has got.
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    First,
    Lines,
    Values,
}

impl Json {
    pub(super) fn new(limit: usize) -> Self {
        Json {
            limit,
            mode: Mode::First,
            data: Vec::new(),
            begin: Place::START,
            next: Place::START,
            after_cr: false,
            shape: Shape::default(),
        }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8], events: &mut Events<'_>) -> Result<(), Stop> {
        while !bytes.is_empty() {
            let taken = match self.mode {
                Mode::Lines => self.take_line(bytes, events)?,
                Mode::First | Mode::Values => self.take_byte(bytes[0], events)?,
            };
            bytes = &bytes[taken..];
        }
        Ok(())
    }

    pub(super) fn finish(mut self, events: &mut Events<'_>) -> Result<(), Stop> {
        self.dispatch(events)
    }

    fn take_line(&mut self, bytes: &[u8], events: &mut Events<'_>) -> Result<usize, Stop> {
        let end = memchr(b'\n', bytes);
        let line = &bytes[..end.unwrap_or(bytes.len())];
        self.keep(line)?;
        self.next.offset += line.len() as u64;
        if end.is_some() {
            self.count(b'\n');
            self.dispatch(events)?;
        }
        Ok(line.len() + usize::from(end.is_some()))
    }

    fn take_byte(&mut self, byte: u8, events: &mut Events<'_>) -> Result<usize, Stop> {
        if self.shape.closed() {
            // Between the end of a value and what follows on it.
            match byte {
                b'\n' if self.mode == Mode::First => {
                    self.mode = Mode::Lines;
                    self.count(byte);
                    self.dispatch(events)?;
                    return Ok(1);
                }
                b' ' | b'\t' | b'\r' if self.mode == Mode::First => {
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
        if self.data.is_empty() && (byte.is_ascii_whitespace() || in_bom) {
            self.count(byte);
            self.begin = self.next;
            return Ok(1);
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

    fn dispatch(&mut self, events: &mut Events<'_>) -> Result<(), Stop> {
        let data = self.data.trim_ascii();
        if !data.is_empty() {
            let lead = self.data.len() - self.data.trim_ascii_start().len();
            let place = Place { offset: self.begin.offset + lead as u64, line: self.begin.line };
            let over = |over| Stop { kind: WireErrorKind::TooMuch(over), place };
            events(Event { name: b"", data, place, unbroken: true }).map_err(over)?;
        }
        self.data.clear();
        self.begin = self.next;
        self.shape = Shape::default();
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        if self.data.len() + bytes.len() > self.limit {
            let kind = WireErrorKind::TooMuch(Exceeded::EventBytes(self.limit));
            return Err(Stop { kind, place: self.begin });
        }
        self.data.extend_from_slice(bytes);
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
