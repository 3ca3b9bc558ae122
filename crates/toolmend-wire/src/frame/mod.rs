//! Bytes to events. What an event says is not this module's business.
//!
//! ```text
//!            first line        data: | event: | id: | retry: | :      Sse
//!  Opening ───────────────┬─────────────────────────────────────────▶ events between blank lines
//!            { or [       │
//!                         └─────────────────────────────────────────▶ Json
//!                                                                     a line each, or values that
//!                                                                     stretch over lines
//! ```

mod json;
mod sse;
mod template;

pub(crate) use self::sse::{ends_with_blank_line, lines};
#[cfg(test)]
pub(crate) use self::template::MAX_TEMPLATE;
pub(crate) use self::template::Template;

use crate::error::WireErrorKind;
use crate::limits::Exceeded;

/// One event of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    /// All its bytes: the bytes of all events together are the recording.
    pub(crate) raw: &'a [u8],
    /// The event's name; empty where it has none.
    pub(crate) name: &'a [u8],
    /// Its data.
    pub(crate) data: &'a [u8],
    /// Where the data begins.
    pub(crate) place: Place,
    /// Where the data stands in `raw`, where it stands there in one stretch.
    pub(crate) at: Option<usize>,
    /// It has no data: comments, or what stands between values.
    pub(crate) filler: bool,
    /// It is one of an event stream.
    pub(crate) stream: bool,
    /// It is no event: it is the last byte of the one before it, a LF behind a CR, and goes where that goes.
    pub(crate) tail: bool,
    /// Where what follows on it begins.
    pub(crate) behind: Place,
    /// It is known to be like another one, but for the inside of a JSON string, which is this.
    pub(crate) differs: Option<&'a str>,
}

impl Event<'_> {
    /// Where this byte of the data stands; the beginning of the data where that cannot be told.
    pub(crate) fn place_of(&self, byte: usize) -> Place {
        match self.data.get(..byte) {
            Some(before) if self.at.is_some() => {
                let lines = place_after(before, byte).line - 1;
                Place { offset: self.place.offset + byte as u64, line: self.place.line + lines }
            }
            _ => self.place,
        }
    }
}

/// A place in a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// In bytes from its beginning.
    pub(crate) offset: u64,
    /// The line of that byte, from 1. A line ends with LF, CR or CRLF.
    pub(crate) line: u64,
}

impl Place {
    const START: Place = Place { offset: 0, line: 1 };
}

/// Takes events; what it answers as an error ends the reading.
pub(crate) type Events<'s> = dyn FnMut(Event<'_>) -> Result<(), Exceeded> + 's;

/// Why framing ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) kind: WireErrorKind,
    pub(crate) place: Place,
}

/// Finds out what kind of recording the bytes are, and cuts it into events.
#[derive(Debug)]
pub(crate) struct Framer {
    event_bytes: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    /// What was read does not tell yet what it is.
    Opening(Vec<u8>),
    Sse(sse::Sse),
    Json(json::Json),
}

/// How many bytes may pass before it is known what they are: white space, and the first field's name.
const MAX_OPENING: usize = 4096;

pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

impl Framer {
    pub(crate) fn new(event_bytes: usize) -> Self {
        Framer { event_bytes, state: State::Opening(Vec::new()) }
    }

    /// Takes the next bytes and passes on the events that they complete.
    pub(crate) fn push(&mut self, mut bytes: &[u8], events: &mut Events<'_>) -> Result<(), Stop> {
        while !bytes.is_empty() {
            bytes = self.push_some(bytes, events)?;
        }
        Ok(())
    }

    /// As [`Framer::push`], but from a stream no more than one event is taken; answers the bytes behind it.
    pub(crate) fn push_some<'b>(
        &mut self,
        bytes: &'b [u8],
        events: &mut Events<'_>,
    ) -> Result<&'b [u8], Stop> {
        match &mut self.state {
            State::Opening(opening) => {
                let had = opening.len();
                let looked = bytes.len().min(MAX_OPENING - had.min(MAX_OPENING) + 1);
                opening.extend_from_slice(&bytes[..looked]);
                let state = match decide(opening, false, self.event_bytes) {
                    Ok(Some(state)) => state,
                    Ok(None) => return Ok(&[]),
                    Err(stop) => {
                        opening.extend_from_slice(&bytes[looked..]);
                        return Err(stop);
                    }
                };
                opening.truncate(had);
                let before = core::mem::replace(&mut self.state, state);
                let State::Opening(before) = before else { return Ok(bytes) };
                let pushed = self.push(&before, events);
                if pushed.is_err() {
                    self.keep_rest(bytes);
                }
                pushed.map(|()| bytes)
            }
            State::Sse(sse) => sse.push_one(bytes, events),
            State::Json(json) => json.push(bytes, events).map(|()| &[][..]),
        }
    }

    /// Passes over an event that another framer cut out of the same stream; `false`, and nothing is done, where this is
    /// not known to be one, or bytes wait that come before it.
    pub(crate) fn pass_over(&mut self, event: &Event<'_>) -> bool {
        match &mut self.state {
            State::Sse(sse) if event.stream && sse.held() == 0 => {
                sse.pass_over(event);
                true
            }
            _ => false,
        }
    }

    /// Takes the event that these bytes begin with, where it is one of a stream that is like this one.
    pub(crate) fn again<'a>(&mut self, template: &Template, bytes: &'a [u8]) -> Option<Event<'a>> {
        match &mut self.state {
            State::Sse(sse) => sse.again(template, bytes),
            State::Opening(_) | State::Json(_) => None,
        }
    }

    /// There are no more bytes: passes on what stands open.
    pub(crate) fn finish(&mut self, events: &mut Events<'_>) -> Result<(), Stop> {
        if let State::Opening(opening) = &self.state {
            let opening = opening.clone();
            let empty = Stop { kind: WireErrorKind::Empty, place: Place::START };
            self.state = decide(&opening, true, self.event_bytes)?.ok_or(empty)?;
            self.push(&opening, events)?;
        }
        match &mut self.state {
            State::Opening(_) => Ok(()),
            State::Sse(sse) => sse.finish(events),
            State::Json(json) => json.finish(events),
        }
    }

    /// Gives up: the bytes that have not left as an event.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        match &mut self.state {
            State::Opening(opening) => core::mem::take(opening),
            State::Sse(sse) => sse.rest(),
            State::Json(json) => json.rest(),
        }
    }

    /// Bytes that come behind those at which it stopped.
    fn keep_rest(&mut self, bytes: &[u8]) {
        match &mut self.state {
            State::Opening(opening) => opening.extend_from_slice(bytes),
            State::Sse(sse) => sse.keep_rest(bytes),
            State::Json(json) => json.keep_rest(bytes),
        }
    }

    /// How many bytes have not left as an event.
    pub(crate) fn held(&self) -> usize {
        match &self.state {
            State::Opening(opening) => opening.len(),
            State::Sse(sse) => sse.held(),
            State::Json(json) => json.held(),
        }
    }
}

/// What a recording is that begins like this; `None` where that is still open. What it is not is said only
/// of a full opening or of `all` there is, so that it does not depend on where the bytes were cut.
fn decide(opening: &[u8], all: bool, event_bytes: usize) -> Result<Option<State>, Stop> {
    let text = opening.strip_prefix(BOM).unwrap_or(opening);
    let blank = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let place = place_after(opening, opening.len() - text.len() + blank);
    let text = &text[blank..];
    if matches!(text, [b'{' | b'[', ..]) {
        return Ok(Some(State::Json(json::Json::new(event_bytes))));
    }
    if begins_event(text, all) {
        return Ok(Some(State::Sse(sse::Sse::new(event_bytes))));
    }
    if opening.len() <= MAX_OPENING && (!all || text.is_empty()) {
        return Ok(None);
    }
    let kind = match text {
        [b'<', ..] => WireErrorKind::Markup,
        // The first bytes of gzip and of Zstandard.
        [0x1F, 0x8B, ..] | [0x28, 0xB5, 0x2F, 0xFD, ..] => WireErrorKind::Compressed,
        _ if is_binary(text) => WireErrorKind::Binary,
        _ => WireErrorKind::NotARecording,
    };
    Err(Stop { kind, place })
}

/// An event stream begins with one of its fields or with a comment. Fields that the standard does not know may stand
/// before those.
fn begins_event(mut text: &[u8], all: bool) -> bool {
    loop {
        let end = text.iter().position(|b| matches!(b, b':' | b'\n' | b'\r'));
        let field = &text[..end.unwrap_or(text.len())];
        let is_blank = field.is_empty() && text.first() != Some(&b':');
        if FIELDS.contains(&field) && !is_blank && (end.is_some() || all) {
            return true;
        }
        let is_name =
            !field.is_empty() && field.iter().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(b));
        if !is_name || end.is_none_or(|end| text[end] != b':') {
            return false;
        }
        let Some(end) = text.iter().position(|b| matches!(b, b'\n' | b'\r')) else { return false };
        let is_pair = text[end] == b'\r' && text.get(end + 1) == Some(&b'\n');
        text = &text[end + 1 + usize::from(is_pair)..];
    }
}

const FIELDS: [&[u8]; 5] = [b"", b"data", b"event", b"id", b"retry"];

fn is_binary(text: &[u8]) -> bool {
    let broken = core::str::from_utf8(text).is_err_and(|error| error.error_len().is_some());
    broken || text.iter().any(|b| b.is_ascii_control() && !b.is_ascii_whitespace())
}

fn place_after(bytes: &[u8], count: usize) -> Place {
    let before = &bytes[..count];
    let feeds = before.iter().filter(|b| **b == b'\n').count();
    let returns = before.windows(2).filter(|pair| pair[0] == b'\r' && pair[1] != b'\n').count();
    let last = usize::from(before.last() == Some(&b'\r'));
    Place { offset: count as u64, line: 1 + (feeds + returns + last) as u64 }
}

#[cfg(test)]
mod tests;
