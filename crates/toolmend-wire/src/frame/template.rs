//! Events that are like another one.

use core::ops::Range;

use super::{BOM, Event, Place, ends_with_blank_line, lines};
use crate::json::behind_string;

/// An event of a stream that others are like, but for the inside of one string in its JSON.
///
/// What begins and ends with its bytes is another such event, whatever that string holds: it holds no line end, so it is
/// framed the same; and no quote, so the same values stand around it.
#[derive(Debug, Default)]
pub(crate) struct Template {
    /// Its bytes; none where no event is like it.
    raw: Vec<u8>,
    /// Where the string's inside stands in them, and its name, and its data.
    string: Range<usize>,
    name: Range<usize>,
    data: Range<usize>,
    /// How many lines stand before the data, and how many there are.
    lines_before: u64,
    lines: u64,
}

/// How long an event is, in bytes, that others are compared with.
pub(crate) const MAX_TEMPLATE: usize = 4096;

impl Template {
    /// Others are like this event, but for the string whose inside this is, a stretch of its data.
    pub(crate) fn note(&mut self, event: &Event<'_>, inside: &str) {
        self.clear();
        let raw = event.raw;
        // A mark at the beginning of a stream is passed over there alone.
        let fits =
            event.stream && raw.len() <= MAX_TEMPLATE && ends_with_blank_line(raw) && !raw.starts_with(BOM);
        let (Some(at), true) = (event.at, fits) else { return };
        // They are stretches of the same bytes, so their addresses tell.
        let place = |part: &[u8]| {
            let start = (part.as_ptr() as usize).wrapping_sub(raw.as_ptr() as usize);
            start..start.wrapping_add(part.len())
        };
        let string = place(inside.as_bytes());
        let name = if event.name.is_empty() { 0..0 } else { place(event.name) };
        let data = at..at + event.data.len();
        let is_quoted = string.start > data.start && string.end < data.end && name.end <= data.start;
        if !is_quoted || (raw[string.start - 1], raw[string.end]) != (b'"', b'"') {
            return;
        }
        self.raw.extend_from_slice(raw);
        self.lines_before = lines(&raw[..at]).count() as u64 - 1;
        self.lines = lines(raw).count() as u64;
        (self.string, self.name, self.data) = (string, name, data);
    }

    /// No event is like another one.
    pub(crate) fn clear(&mut self) {
        self.raw.clear();
    }

    /// What stands in the place of its string in an event of these bytes, where that is like this one.
    pub(crate) fn differs<'a>(&self, raw: &'a [u8]) -> Option<&'a str> {
        let (text, len) = self.begins(raw)?;
        (len == raw.len()).then_some(text)
    }

    /// The event that these bytes begin with, where it is like this one and begins here.
    pub(super) fn event<'a>(&self, bytes: &'a [u8], begin: Place) -> Option<Event<'a>> {
        let (text, len) = self.begins(bytes)?;
        let (raw, behind_data) = (&bytes[..len], self.raw.len() - self.data.end);
        Some(Event {
            raw,
            name: &raw[self.name.clone()],
            data: &raw[self.data.start..len - behind_data],
            place: Place {
                offset: begin.offset + self.data.start as u64,
                line: begin.line + self.lines_before,
            },
            at: Some(self.data.start),
            filler: false,
            stream: true,
            tail: false,
            behind: Place { offset: begin.offset + len as u64, line: begin.line + self.lines },
            differs: Some(text),
        })
    }

    /// What stands in the place of its string in the event that these bytes begin with, and how long that is.
    fn begins<'a>(&self, bytes: &'a [u8]) -> Option<(&'a str, usize)> {
        let head = self.raw.get(..self.string.start).filter(|_| !self.raw.is_empty())?;
        if !bytes.starts_with(head) {
            return None;
        }
        let (end, _) = behind_string(bytes, head.len() - 1)?;
        let tail = &self.raw[self.string.end + 1..];
        if !bytes[end..].starts_with(tail) {
            return None;
        }
        let text = core::str::from_utf8(&bytes[head.len()..end - 1]).ok()?;
        Some((text, end + tail.len()))
    }
}
