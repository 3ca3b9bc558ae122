//! What an event holds, read once for all who ask.
//!
//! The events of a stream are much alike: mostly, one differs from the one before it in a piece of text or of
//! arguments alone. Then what it says is what that one said, with the other text.

use crate::frame::Event;
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
    /// It is the event before it but for one text or piece of arguments, and nothing else is told of it.
    pub(crate) repeats: bool,
    /// What the protocol makes of it, where that was read.
    pub(crate) signals: Option<Signals<'a>>,
}

/// What is known of the latest event.
#[derive(Debug, Default)]
pub(crate) struct Latest {
    /// Where its values stand.
    index: Index,
    like: Option<Like>,
}

/// An event that said one piece of text or of arguments, and nothing else that was new.
#[derive(Debug)]
struct Like {
    /// The number of the text among the values of the event.
    place: usize,
    /// What it said, without the text.
    signal: Signal<'static>,
}

impl Latest {
    /// What the next event holds. What it says is read, too, where the reader is given and does not
    /// [remember](Protocol::remembers).
    pub(crate) fn read<'a>(
        &'a mut self,
        event: &Event<'a>,
        protocol: Option<&mut dyn Protocol>,
    ) -> Content<'a> {
        let text = if event.filler { Some("") } else { core::str::from_utf8(event.data).ok() };
        let data = text.map_or("", single);
        let content = Content { text, data, ..Content::default() };
        if data.is_empty() {
            return content;
        }
        self.index.update(data);
        let value = self.index.value(data).ok();
        if let Some(Like { place, signal }) = &self.like
            && let Some(text) = self.index.all_that_differs(*place, data)
        {
            let signals = Some(Signals::of(with_text(*signal, Text::Escaped(text))));
            return Content { value, repeats: true, signals, ..content };
        }
        let failed = value.is_some_and(|value| error_in(value, event.name).is_some());
        let protocol = protocol.filter(|protocol| !failed && !protocol.remembers());
        let object = value.filter(|value| value.is_object());
        let signals = object.zip(protocol).and_then(|(value, protocol)| Signals::read(protocol, value));
        self.like = signals.as_ref().and_then(|signals| {
            let (signal, text) = signals.one_text()?;
            // Both are stretches of the same bytes, so their addresses tell.
            let start = text.as_ptr() as usize - data.as_ptr() as usize;
            let place = self.index.place_of(start..start + text.len())?;
            Some(Like { place, signal })
        });
        Content { value, failed, signals, ..content }
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
    fn of(signal: Signal<'a>) -> Signals<'a> {
        let mut signals = Signals { said: [Signal::Lost; MAX_SIGNALS], count: 1 };
        signals.said[0] = signal;
        signals
    }

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
    use crate::frame::Framer;
    use crate::limits::Limits;
    use crate::protocol::ProtocolKind;

    /// What these events come to, with what is known of each from the one before it, or without; and how many of them
    /// were but repeated.
    fn assembled(kind: ProtocolKind, events: &[String], repeating: bool) -> (Assembled, usize) {
        let (mut assembly, mut reader) = (Assembly::new(Limits::default()), kind.reader());
        let (mut latest, mut repeats) = (Latest::default(), 0);
        for event in events {
            let mut framer = Framer::new(1 << 20);
            let taken = framer.push(format!("data: {event}\n\n").as_bytes(), &mut |event| {
                if !repeating {
                    latest = Latest::default();
                }
                let content = latest.read(&event, Some(&mut *reader));
                repeats += usize::from(content.repeats);
                let error = content.value.and_then(|value| error_in(value, event.name));
                assert_eq!(content.failed, error.is_some());
                match (content.signals, content.value) {
                    (Some(signals), _) => signals.tell(&mut |signal| assembly.signal(signal)),
                    (None, Some(value)) => reader.read(value, &mut |signal| assembly.signal(signal)),
                    (None, None) => Ok(()),
                }
            });
            assert!(taken.is_ok());
        }
        (assembly.finish(), repeats)
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
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// What is said of an event because it is like the one before it is what is read in it.
        #[test]
        fn repeated_is_read(
            kind in prop::sample::select(vec![
                ProtocolKind::OpenAiChat, ProtocolKind::Gemini, ProtocolKind::Ollama,
            ]),
            said in prop::collection::vec((0usize..6, 0usize..4, 0usize..4, 0usize..16, 0usize..16), 1..12),
        ) {
            // The rare ones stand behind the usual one, which every other event has.
            const WORDS: [&str; 6] = ["\"w\"", "\"\"", "\"longer \\u00e9\"", "\"{\\\"a\\\":1\"", "null", "7"];
            let (mut shape, mut events) = (0, Vec::new());
            for (word, name, other, turn, error) in said {
                shape = if turn < 6 { turn } else { shape };
                let mut all = event(kind, [WORDS[word], WORDS[name % 3], WORDS[(other + 4) % 6]], shape);
                if error == 0 {
                    all.insert_str(1, "\"error\":\"no\",");
                }
                events.push(all);
            }
            prop_assert_eq!(assembled(kind, &events, true).0, assembled(kind, &events, false).0);
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
            let words = ["\"a\"", "\"bc\"", "\"\"", "\"\\n\""];
            let events = words.map(|word| event(kind, [word, "\"m\"", "null"], shape));
            assert_eq!(assembled(kind, &events, true).1, 3, "{kind} {shape}");
        }
        // Two things in one event.
        let events = ["\"a\"", "\"b\""].map(|word| event(ProtocolKind::OpenAiChat, [word, "\"m\"", word], 1));
        assert_eq!(assembled(ProtocolKind::OpenAiChat, &events, true).1, 0);
    }
}
