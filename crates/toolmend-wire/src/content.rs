//! What an event holds, read once for all who ask.
//!
//! The events of a stream are much alike: mostly, one differs from the one before it in a piece of text or of
//! arguments alone. Then what it says is what that one said, with the other text, and nothing else of it is read.

use crate::frame::{Event, Framer, Stop, Template};
use crate::json::{Index, Value};
use crate::limits::Exceeded;
use crate::protocol::Protocol;
use crate::recorder::{error_in, single};
use crate::signal::{Arguments, Piece, Signal, Sink};
use crate::text::Text;

/// What an event holds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Content<'a> {
    /// Its data; `None` where that is no text.
    pub(crate) text: Option<&'a str>,
    /// The data without what a bridge puts before it that frames what is framed already.
    pub(crate) data: &'a str,
    /// `None` where that is no JSON.
    pub(crate) value: Option<Value<'a>>,
    /// It tells of an error.
    pub(crate) failed: bool,
    /// What the protocol makes of it, where that was read.
    pub(crate) signals: Option<Signals<'a>>,
    /// It is the event before it but for the text of this signal, and nothing but this is told of it.
    pub(crate) repeated: Option<Signal<'a>>,
}

/// What is known of the latest event.
#[derive(Debug, Default)]
pub(crate) struct Latest {
    /// Where its values stand.
    index: Index,
    /// It, where it said one piece of text or of arguments, and nothing else that was new.
    template: Template,
    /// What it said, without the text.
    said: Option<Signal<'static>>,
}

impl Latest {
    /// Whether nothing was read.
    pub(crate) fn is_new(&self) -> bool {
        self.said.is_none() && self.index.is_new()
    }

    /// Takes the next bytes of a turn, and passes on the events that they complete.
    ///
    /// # Errors
    /// As [`Framer::push`].
    pub(crate) fn push(
        &mut self,
        framer: &mut Framer,
        mut bytes: &[u8],
        each: &mut dyn FnMut(&Event<'_>, &mut Latest),
    ) -> Result<(), Stop> {
        while !bytes.is_empty() {
            bytes = match framer.again(&self.template, bytes) {
                Some(event) => {
                    each(&event, self);
                    &bytes[event.raw.len()..]
                }
                None => framer.push_some(bytes, &mut |event| {
                    // It came in pieces.
                    let differs = self.template.differs(event.raw);
                    each(&Event { differs, ..event }, self);
                    Ok(())
                })?,
            };
        }
        Ok(())
    }

    /// What the next event holds. What it says is read, too, where the reader is given and does not
    /// [remember](Protocol::remembers).
    pub(crate) fn read<'a>(
        &'a mut self,
        event: &Event<'a>,
        protocol: Option<&mut dyn Protocol>,
    ) -> Content<'a> {
        if let (Some(text), Some(said)) = (event.differs, self.said) {
            return Content { repeated: Some(with_text(said, Text::Escaped(text))), ..Content::default() };
        }
        let text = if event.filler { Some("") } else { core::str::from_utf8(event.data).ok() };
        let data = text.map_or("", single);
        let content = Content { text, data, ..Content::default() };
        if data.is_empty() {
            return content;
        }
        self.index.update(data);
        let value = self.index.value(data).ok();
        let failed = value.is_some_and(|value| error_in(value, event.name).is_some());
        let protocol = protocol.filter(|protocol| !failed && !protocol.remembers());
        let object = value.filter(|value| value.is_object());
        let signals = object.zip(protocol).and_then(|(value, protocol)| Signals::read(protocol, value));
        // What a bridge puts before its data is changed about each event.
        let one = signals.as_ref().and_then(Signals::one_text).filter(|_| data.len() == event.data.len());
        self.said = one.map(|(said, _)| said);
        match one {
            Some((_, text)) => self.template.note(event, text),
            None => self.template.clear(),
        }
        Content { value, failed, signals, ..content }
    }
}

impl<'a> Content<'a> {
    /// The JSON of the event whose content this is, be it read or not.
    pub(crate) fn value(&self, event: &Event<'a>) -> Option<Value<'a>> {
        match self.repeated {
            Some(_) => core::str::from_utf8(event.data).ok().map(Value::known),
            None => self.value,
        }
    }
}

/// What an event says, where that is little.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signals<'a> {
    said: [Signal<'a>; MAX_SIGNALS],
    count: usize,
}

/// How many things an event says that is read once for all who ask.
const MAX_SIGNALS: usize = 6;

impl<'a> Signals<'a> {
    /// Reads an event; `None` where it says too much.
    fn read(protocol: &mut dyn Protocol, value: Value<'a>) -> Option<Signals<'a>> {
        let mut signals = Signals { said: [Signal::Lost; MAX_SIGNALS], count: 0 };
        let mut fits = true;
        let read = protocol.read(value, &mut |signal| {
            match signals.said.get_mut(signals.count) {
                Some(room) => (*room, signals.count) = (signal, signals.count + 1),
                None => fits = false,
            }
            Ok(())
        });
        (fits && read.is_ok()).then_some(signals)
    }

    /// Tells them as the reader would.
    pub(crate) fn tell(&self, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
        self.said[..self.count].iter().try_for_each(|signal| sink(*signal))
    }

    /// The one piece of text or of arguments, without its text, and that; where all else is as good as said by any
    /// event before it that said the same.
    fn one_text(&self) -> Option<(Signal<'static>, &'a str)> {
        let is_new =
            |signal: &&Signal<'_>| !matches!(signal, Signal::Model(_) | Signal::Choice(_) | Signal::Role(_));
        let mut others = self.said[..self.count].iter().filter(is_new);
        let said = others.next().and_then(|signal| without_text(*signal));
        said.filter(|_| others.next().is_none())
    }
}

fn without_text(signal: Signal<'_>) -> Option<(Signal<'static>, &str)> {
    let none = Text::Escaped("");
    Some(match signal {
        Signal::Content { choice, text: Text::Escaped(text) } => {
            (Signal::Content { choice, text: none }, text)
        }
        Signal::Reasoning { choice, text: Text::Escaped(text) } => {
            (Signal::Reasoning { choice, text: none }, text)
        }
        Signal::Call(Piece {
            choice,
            slot,
            opens,
            id: None,
            kind: None,
            name: None,
            form,
            arguments: Some(Arguments::Text(Text::Escaped(text))),
        }) => {
            let (id, kind, name, arguments) = (None, None, None, None);
            (Signal::Call(Piece { choice, slot, opens, id, kind, name, form, arguments }), text)
        }
        _ => return None,
    })
}

fn with_text<'a>(signal: Signal<'static>, text: Text<'a>) -> Signal<'a> {
    match signal {
        Signal::Content { choice, .. } => Signal::Content { choice, text },
        Signal::Reasoning { choice, .. } => Signal::Reasoning { choice, text },
        Signal::Call(piece) => Signal::Call(Piece { arguments: Some(Arguments::Text(text)), ..piece }),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::assembly::{Assembled, Assembly};
    use crate::frame::{Framer, MAX_TEMPLATE};
    use crate::limits::Limits;
    use crate::protocol::ProtocolKind;

    /// What these bytes come to, with what is known of each event from the one before it, or without: its place and its
    /// parts, and all that is said; and how many events were but repeated.
    fn assembled(kind: ProtocolKind, pieces: &[&[u8]], repeating: bool) -> (Vec<String>, Assembled, usize) {
        let (mut assembly, mut reader, mut framer) =
            (Assembly::new(Limits::default()), kind.reader(), Framer::new(1 << 20));
        let (mut latest, mut events, mut repeats) = (Latest::default(), Vec::new(), 0);
        let mut each = |event: &Event<'_>, latest: &mut Latest| {
            if !repeating {
                *latest = Latest::default();
            }
            events.push(format!("{:?}", Event { differs: None, ..*event }));
            if event.tail {
                return;
            }
            let content = latest.read(event, Some(&mut *reader));
            repeats += usize::from(content.repeated.is_some());
            let value = content.value(event);
            let is_read = value.is_some() || content.repeated.is_some();
            events.push(format!("{value:?} {is_read}"));
            let error = value.and_then(|value| error_in(value, event.name));
            assert_eq!(content.failed, error.is_some());
            let taken = match (content.repeated, content.signals, value) {
                (Some(signal), ..) => assembly.signal(signal),
                (None, Some(signals), _) => signals.tell(&mut |signal| assembly.signal(signal)),
                (None, None, Some(value)) => reader.read(value, &mut |signal| assembly.signal(signal)),
                (None, None, None) => Ok(()),
            };
            assert!(taken.is_ok());
        };
        for piece in pieces {
            assert!(latest.push(&mut framer, piece, &mut each).is_ok());
        }
        (events, assembly.finish(), repeats)
    }

    /// However the bytes are cut, the same is read with and without what is known from the event before.
    fn same(kind: ProtocolKind, stream: &[u8], cut: usize) {
        let by_event: Vec<&[u8]> = stream.chunks(cut.max(1)).collect();
        let (events, said, _) = assembled(kind, &[stream], false);
        for pieces in [&[stream][..], &by_event] {
            let (again_events, again_said, _) = assembled(kind, pieces, true);
            assert_eq!(&again_events, &events, "{}", String::from_utf8_lossy(stream));
            assert_eq!(&again_said, &said, "{}", String::from_utf8_lossy(stream));
        }
    }

    /// An event with a value in each place where events of a stream differ.
    fn event(kind: ProtocolKind, [word, name, other]: [&str; 3], shape: usize) -> String {
        let delta = match shape {
            0 => format!("{{\"content\":{word}}}"),
            1 => format!("{{\"role\":\"assistant\",\"content\":{word},\"reasoning\":{other}}}"),
            2 => format!("{{\"reasoning_content\":{word}}}"),
            3 => format!("{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":{word}}}}}]}}"),
            4 => format!(
                "{{\"tool_calls\":[{{\"id\":{other},\"function\":{{\"name\":{name},\"arguments\":{word}}}}}]}}"
            ),
            _ => format!("{{\"content\":[{{\"type\":\"text\",\"text\":{word}}}]}}"),
        };
        match kind {
            ProtocolKind::Gemini => {
                format!(
                    "{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":{word},\"thought\":true}}]}},\"finishReason\":{other}}}],\"modelVersion\":{name}}}"
                )
            }
            ProtocolKind::Ollama => {
                format!(
                    "{{\"model\":{name},\"message\":{{\"content\":{word}}},\"done\":false,\"x\":{other}}}"
                )
            }
            _ => {
                format!("{{\"model\":{name},\"choices\":[{{\"delta\":{delta},\"finish_reason\":{other}}}]}}")
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        /// What is said of an event because it is like the one before it is what is read in it.
        #[test]
        fn repeated_is_read(
            kind in prop::sample::select(ProtocolKind::ALL.to_vec()),
            said in prop::collection::vec((0usize..6, 0usize..4, 0usize..4, 0usize..16, 0usize..16), 1..12),
            framing in prop::sample::select(vec![
                ("", "data: ", "\n\n"), ("event: x\n", "data:", "\r\n\r\n"), (": c\r", "data: ", "\r\r"),
                ("\u{feff}", "data: ", "\n\n"), ("", "data: data: ", "\n\n"), ("id: 1\n", "data:  ", " \n\n"),
                ("", "data: ", "\nevent: error\n\n"), ("", "data: ", "\ndata:\n\n"),
            ]),
            cut in 1usize..200,
        ) {
            // The rare ones stand behind the usual one, which every other event has.
            const WORDS: [&str; 6] = ["\"w\"", "\"\"", "\"longer \\u00e9\"", "\"{\\\"a\\\":1\"", "null", "7"];
            let ((before, field, end), mut shape, mut stream) = (framing, 0, String::new());
            for (word, name, other, turn, error) in said {
                shape = if turn < 6 { turn } else { shape };
                let mut all = event(kind, [WORDS[word], WORDS[name % 3], WORDS[(other + 4) % 6]], shape);
                if error == 0 {
                    all.insert_str(1, "\"error\":\"no\",");
                }
                stream += &format!("{before}{field}{all}{end}");
            }
            same(kind, stream.as_bytes(), cut);
        }

        /// Nor does it matter what an event is broken by.
        #[test]
        fn broken_is_read(
            kind in prop::sample::select(ProtocolKind::ALL.to_vec()),
            shape in 0usize..6,
            breaks in prop::collection::vec(
                (any::<prop::sample::Index>(), 0usize..12, prop::sample::select(BREAKS.to_vec())), 1..6,
            ),
            cut in 1usize..200,
        ) {
            let usual = format!("data: {}\n\n", event(kind, ["\"word \"", "\"m\"", "null"], shape)).into_bytes();
            let mut stream = usual.clone();
            for (at, count, with) in breaks {
                let mut broken = usual.clone();
                let at = at.index(broken.len());
                broken.splice(at..(at + count).min(usual.len()), with.iter().copied());
                stream.extend_from_slice(&broken);
                stream.extend_from_slice(&usual);
            }
            same(kind, &stream, cut);
        }
    }

    /// What an event of a stream may be broken by.
    const BREAKS: &[&[u8]] = &[
        b"",
        b"\"",
        b"\\",
        b"\\\"",
        b"\\\\\"",
        b"\\u00e9",
        b"\\u00",
        b"\\ud83d",
        b"\\x",
        b"\n",
        b"\r",
        b"\n\n",
        b"\t",
        b"\xc3",
        b"\xc3\xa9",
        b"\xf0\x9f",
        b"\0",
        b"\x7f",
        b"longer words",
        b"\",\"content\":\"b",
        b"\"},\"x\":{\"y\":\"",
        b"\",\"error\":\"e",
        b"7",
        b"null",
        b"{}",
        b"a\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"",
    ];

    #[test]
    fn what_an_event_is_broken_by() {
        let chat = (0..6).map(|shape| (ProtocolKind::OpenAiChat, shape));
        for (kind, shape) in chat.chain([(ProtocolKind::Gemini, 0)]) {
            let usual = format!("data: {}\n\n", event(kind, ["\"word \"", "\"m\"", "null"], shape));
            let usual = usual.as_bytes();
            for (with, at) in BREAKS.iter().flat_map(|with| (0..usual.len()).map(move |at| (with, at))) {
                for behind in [at, at + 1] {
                    let broken = [&usual[..at], with, &usual[behind..]].concat();
                    let stream = [usual, &broken, usual].concat();
                    let read = |repeating| {
                        let (events, said, _) = assembled(kind, &[&stream], repeating);
                        (events, said)
                    };
                    assert_eq!(read(true), read(false), "{}", String::from_utf8_lossy(&broken));
                }
            }
        }
    }

    #[test]
    fn alike_is_repeated() {
        for (kind, shape) in [
            (ProtocolKind::OpenAiChat, 0),
            (ProtocolKind::OpenAiChat, 2),
            (ProtocolKind::OpenAiChat, 3),
            (ProtocolKind::OpenAiChat, 5),
            (ProtocolKind::Gemini, 0),
        ] {
            let words = ["\"a\"", "\"bc\"", "\"\"", "\"\\n\"", "\"\\\"\"", "\"é\""];
            for (before, end) in [("", "\n\n"), ("event: x\r\n", "\r\n\r\n"), ("id: 1\r", "\r\r")] {
                let stream = |words: &[&str]| -> String {
                    let event = |word: &&str| {
                        format!("{before}data: {}{end}", event(kind, [word, "\"m\"", "null"], shape))
                    };
                    words.iter().map(event).collect()
                };
                assert_eq!(assembled(kind, &[stream(&words).as_bytes()], true).2, 5, "{kind} {shape}");
                same(kind, stream(&words).as_bytes(), 1);
                // What is no text of it is read.
                let other = stream(&["\"a\"", "null", "\"b\"", "\"c\tc\"", "\"d\"", "\"e\\"]);
                assert_eq!(assembled(kind, &[other.as_bytes()], true).2, 0, "{kind} {shape}");
            }
        }
        // Two things in one event.
        let two =
            |word: &str| format!("data: {}\n\n", event(ProtocolKind::OpenAiChat, [word, "\"m\"", word], 1));
        let stream = two("\"a\"") + &two("\"b\"");
        assert_eq!(assembled(ProtocolKind::OpenAiChat, &[stream.as_bytes()], true).2, 0);
    }

    #[test]
    fn the_limit_of_what_is_compared() {
        for length in [MAX_TEMPLATE, MAX_TEMPLATE + 1] {
            let chat = |word: &str| {
                format!("data: {}\n\n", event(ProtocolKind::OpenAiChat, [word, "\"m\"", "null"], 0))
            };
            let long = format!("\"{}\"", "x".repeat(length - chat("\"\"").len()));
            assert_eq!(chat(&long).len(), length);
            let stream = chat(&long) + &chat("\"a\"");
            let repeats = assembled(ProtocolKind::OpenAiChat, &[stream.as_bytes()], true).2;
            assert_eq!(repeats, usize::from(length <= MAX_TEMPLATE));
        }
    }
}
