//! The reader of one turn: bytes in, [`Recorded`] out. No IO.

use crate::assembly::Assembly;
use crate::error::{WireError, WireErrorKind};
use crate::frame::{Event, Framer, Place, Stop};
use crate::json::{Index, Value};
use crate::limits::{Exceeded, Limits};
use crate::protocol::{Protocol, ProtocolKind};
use crate::recorded::{Choice, Fault, FaultKind, Finish, Recorded};
use crate::signal::Signal;
use crate::text::Text;

/// Reads one turn, recorded or live, in pieces of any size.
///
/// Bytes may be cut anywhere; what comes out does not depend on it.
#[derive(Debug)]
pub struct Recorder {
    framer: Framer,
    reader: Reader,
    failed: Option<WireError>,
}

impl Recorder {
    /// Nothing has been read yet.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// As [`Recorder::new`], with other limits.
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Recorder { framer: Framer::new(limits.event_bytes), reader: Reader::new(limits), failed: None }
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// When this is no recording, or more than the limits allow. From then on the answer stays the same.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let reader = &mut self.reader;
        self.framer.push(bytes, &mut |event| reader.event(event)).map_err(|stop| {
            let error = WireError::from(stop);
            self.failed = Some(error.clone());
            error
        })
    }

    /// There are no more bytes.
    ///
    /// # Errors
    /// As [`Recorder::push`], and when no turn of a known protocol was in what was read.
    pub fn finish(self) -> Result<Recorded, WireError> {
        let Recorder { mut framer, mut reader, failed } = self;
        if let Some(error) = failed {
            return Err(error);
        }
        framer.finish(&mut |event| reader.event(event))?;
        reader.finish()
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Stop> for WireError {
    fn from(stop: Stop) -> Self {
        WireError { kind: stop.kind, offset: stop.place.offset, line: stop.place.line }
    }
}

/// Events to signals: finds the protocol, and keeps what could not be read.
#[derive(Debug)]
struct Reader {
    protocol: Option<(ProtocolKind, Box<dyn Protocol>)>,
    assembly: Assembly,
    faults: Vec<Fault>,
    /// Where the first event stood that is JSON of no known protocol.
    stranger: Option<Place>,
    last: Place,
    /// Where the values of the latest event stand.
    index: Index,
    /// The turn has ended: no client reads on.
    over: bool,
}

/// How many faults of single events are kept; the turn is read on beyond that.
const MAX_FAULTS: usize = 64;

/// The most of a server's error text that is kept, in bytes.
const MAX_MESSAGE: usize = 4096;

impl Reader {
    fn new(limits: Limits) -> Self {
        Reader {
            protocol: None,
            assembly: Assembly::new(limits),
            faults: Vec::new(),
            stranger: None,
            last: Place { offset: 0, line: 1 },
            index: Index::default(),
            over: false,
        }
    }

    fn event(&mut self, event: Event<'_>) -> Result<(), Exceeded> {
        if event.filler {
            return Ok(());
        }
        if self.over {
            self.behind(event);
            return Ok(());
        }
        self.last = event.place;
        let text = match core::str::from_utf8(event.data) {
            Ok(text) => text,
            Err(error) => {
                self.lose(FaultKind::NotUtf8, event, error.valid_up_to());
                return Ok(());
            }
        };
        let data = single(text);
        if data.is_empty() {
            return Ok(());
        }
        if self.ends(data) {
            self.over = true;
            return self.assembly.signal(Signal::End);
        }
        let mut index = core::mem::take(&mut self.index);
        let read = match index.parse(data) {
            Ok(value) if value.is_array() => value.items().try_for_each(|item| self.value(item, event)),
            Ok(value) => self.value(value, event),
            Err(_) if event.name == b"error" => {
                self.lose(server_error(Text::Plain(data)), event, 0);
                Ok(())
            }
            Err(at) => {
                self.lose(FaultKind::NotJson, event, text.len() - data.len() + at);
                Ok(())
            }
        };
        self.index = index;
        read
    }

    fn value(&mut self, value: Value<'_>, event: Event<'_>) -> Result<(), Exceeded> {
        if self.protocol.is_none() {
            let mut readers = ProtocolKind::ALL.iter().map(|kind| (*kind, kind.reader()));
            self.protocol = readers.find(|(_, reader)| reader.recognises(value));
        }
        match &mut self.protocol {
            Some((_, protocol)) => {
                self.assembly.next_event();
                let (assembly, over) = (&mut self.assembly, &mut self.over);
                protocol.read(value, &mut |signal| {
                    *over |= matches!(signal, Signal::End | Signal::Whole);
                    assembly.signal(signal)
                })?;
            }
            None => {
                self.stranger.get_or_insert(event.place);
            }
        }
        if let Some(error) = error_in(value, event.name) {
            self.lose(error, event, 0);
        }
        Ok(())
    }

    /// An event behind the end of the turn: no client reads it, but another turn in it must not go untold.
    fn behind(&mut self, event: Event<'_>) {
        let data = core::str::from_utf8(event.data).map(single);
        let says = data.is_ok_and(|data| Value::parse(data).is_ok_and(|value| self.is_turn(value)));
        let told = self.faults.last().is_some_and(|fault| fault.kind == FaultKind::BehindTheEnd);
        if says && !told && self.faults.len() < MAX_FAULTS {
            let Place { offset, line } = event.place;
            self.faults.push(Fault { kind: FaultKind::BehindTheEnd, offset, line });
        }
    }

    /// Whether a value can only be a part of a turn.
    fn is_turn(&self, value: Value<'_>) -> bool {
        let is_part = |value: Value<'_>| self.protocol.as_ref().is_some_and(|(_, own)| own.recognises(value));
        if value.is_array() { value.items().any(is_part) } else { is_part(value) }
    }

    fn ends(&self, data: &str) -> bool {
        match &self.protocol {
            Some((_, protocol)) => protocol.ends(data),
            None => ProtocolKind::ALL.iter().any(|kind| kind.reader().ends(data)),
        }
    }

    /// An event did not say what it was to say. Whatever call is open may have lost a piece with it.
    fn lose(&mut self, kind: FaultKind, event: Event<'_>, at: usize) {
        self.assembly.lose(event.place.offset);
        if self.faults.len() < MAX_FAULTS {
            let Place { offset, line } = event.place_of(at);
            self.faults.push(Fault { kind, offset, line });
        }
    }

    fn finish(mut self) -> Result<Recorded, WireError> {
        let Some((protocol, _)) = self.protocol else {
            return Err(self.why_not());
        };
        let calls = (0..self.assembly.len()).filter(|at| self.assembly.is_in_parts(*at));
        let in_parts = calls.filter_map(|at| self.assembly.view(at)).map(|call| (call.choice, call.index));
        let in_parts = in_parts.collect();
        let turn = self.assembly.finish();
        if turn.lone_surrogate {
            self.faults.push(Fault {
                kind: FaultKind::LoneSurrogate,
                offset: self.last.offset,
                line: self.last.line,
            });
        }
        let mut choices = turn.choices.into_iter();
        let first = choices.next().unwrap_or(Choice {
            index: 0,
            content: String::new(),
            reasoning: String::new(),
            finish: Finish::Null,
        });
        Ok(Recorded {
            protocol,
            model: turn.model,
            calls: turn.calls,
            content: first.content,
            reasoning: first.reasoning,
            finish: first.finish,
            others: choices.collect(),
            usage: turn.usage,
            terminal: turn.terminal,
            faults: self.faults,
            in_parts,
        })
    }

    /// Why there is no turn: the first thing that was in its place.
    fn why_not(self) -> WireError {
        let fault = self
            .faults
            .into_iter()
            .find(|fault| self.stranger.is_none_or(|stranger| fault.offset <= stranger.offset));
        if let Some(Fault { kind, offset, line }) = fault {
            let kind = match kind {
                FaultKind::ServerError { message } => WireErrorKind::ServerError { message },
                FaultKind::NotUtf8 => WireErrorKind::Binary,
                FaultKind::NotJson | FaultKind::LoneSurrogate | FaultKind::BehindTheEnd => {
                    WireErrorKind::NotJson
                }
            };
            return WireError { kind, offset, line };
        }
        let place = self.stranger.unwrap_or(self.last);
        WireError { kind: WireErrorKind::UnknownProtocol, offset: place.offset, line: place.line }
    }
}

/// What an event holds, without white space before it. A bridge that frames what is framed already writes
/// `data: data: {…}`.
pub(crate) fn single(text: &str) -> &str {
    let data = text.trim_ascii_start();
    data.strip_prefix("data:").map_or(data, str::trim_ascii_start)
}

/// What an event says of an error: `{"error":{"message":…}}`, `{"error":"…"}`, or an event of that name.
pub(crate) fn error_in(event: Value<'_>, name: &[u8]) -> Option<FaultKind> {
    let [error, message, kind] = event.pick(["error", "message", "type"]);
    let named = name == b"error" || kind.and_then(Value::text).is_some_and(|kind| kind.is("error"));
    let error = match error {
        Some(error) if !error.is_object() && error.text().is_none_or(Text::is_empty) => return None,
        Some(error) => error,
        None if named => event,
        None => return None,
    };
    let said = error.text().or_else(|| error.get("message")?.text());
    let said = said.or_else(|| message.filter(|_| named)?.text());
    Some(server_error(said.unwrap_or(Text::Plain(error.raw()))))
}

fn server_error(said: Text<'_>) -> FaultKind {
    let mut message = said.to_text();
    if message.len() > MAX_MESSAGE {
        let end = (0..=MAX_MESSAGE).rfind(|at| message.is_char_boundary(*at));
        message.truncate(end.unwrap_or(0));
    }
    FaultKind::ServerError { message }
}

#[cfg(test)]
mod tests {
    use super::{MAX_FAULTS, MAX_MESSAGE, Recorder};
    use crate::recorded::{FaultKind, Recorded};

    fn read(recording: &str) -> Recorded {
        let mut recorder = Recorder::new();
        recorder.push(recording.as_bytes()).unwrap();
        recorder.finish().unwrap()
    }

    #[test]
    fn the_limit_of_faults() {
        for faults in [MAX_FAULTS - 1, MAX_FAULTS, MAX_FAULTS + 1] {
            let turn = read(&("data: {\"choices\":[]}\n\n".to_owned() + &"data: {\n\n".repeat(faults)));
            assert_eq!(turn.faults.len(), faults.min(MAX_FAULTS));
        }
    }

    #[test]
    fn the_limit_of_a_message() {
        for (length, kept) in [(MAX_MESSAGE, MAX_MESSAGE), (MAX_MESSAGE + 1, MAX_MESSAGE)] {
            let text = "x".repeat(length);
            let turn = read(&format!("data: {{\"choices\":[],\"error\":\"{text}\"}}\n\n"));
            let FaultKind::ServerError { message } = &turn.faults[0].kind else { panic!() };
            assert_eq!(message.len(), kept);
        }
        let turn = read(&format!("data: {{\"choices\":[],\"error\":\"a{}\"}}\n\n", "é".repeat(MAX_MESSAGE)));
        let FaultKind::ServerError { message } = &turn.faults[0].kind else { panic!() };
        assert_eq!(message.len(), MAX_MESSAGE - 1, "no character is cut");
    }
}
