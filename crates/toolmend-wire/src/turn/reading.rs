//! An event to signals, and what is known of it for the way out.

use toolmend_core::CallJudge;

use super::plan::{Flowing, State};
use super::queue::{Has, Note, Piece, Way};
use super::writing::on_one_line;
use super::{Flow, Hold};
use crate::assembly::{Taken, is_placeholder};
use crate::content::Content;
use crate::frame::{BOM, Event};
use crate::json::Value;
use crate::limits::Exceeded;
use crate::made_up::seed_of;
use crate::protocol::{Envelope, ProtocolKind};
use crate::recorder::error_in;
use crate::signal::{self, Arguments, Form, Signal, Slot};
use crate::splice::Splices;

/// What a piece says beside what the assembly makes of it.
struct Looks {
    has: Has,
    fits: bool,
    object: bool,
    /// It is all of the arguments, before any pieces.
    full: bool,
    index: Option<u32>,
    kind: Option<bool>,
    way: Way,
}

impl<J: CallJudge> Flow<J> {
    /// Reads an event into the assembly, and notes its pieces and what is changed about it in any case.
    pub(super) fn read(
        &mut self,
        event: &Event<'_>,
        content: &Content<'_>,
        note: &mut Note,
        fresh: &mut Vec<Piece>,
    ) -> Result<(), Exceeded> {
        if let Some(signal) = content.repeated {
            self.spoke = true;
            self.assembly.next_event();
            // A protocol that does not remember adds behind any event, and changes nothing about it by itself.
            return self.signal(signal, event, true, note, fresh);
        }
        let Content { text: Some(text), data, value, .. } = *content else {
            note.unread = true;
            self.assembly.lose(event.place.offset);
            return Ok(());
        };
        if data.is_empty() {
            self.silence(event, note);
            return Ok(());
        }
        self.spoke = true;
        let mut changes = Splices::default();
        // A bridge that frames what is framed already.
        let (outer, inner) = (text.len() - text.trim_ascii_start().len(), text.len() - data.len());
        if event.stream && text[outer..inner].starts_with("data:") {
            let at = event.at.unwrap_or_else(|| on_one_line(event.raw, note.number).1);
            changes.add(at + outer..at + inner, "");
        }
        if self.ends_with(data) {
            note.end = true;
        } else {
            match value {
                Some(value) if value.is_array() => value.items().try_for_each(|item| {
                    let failed = error_in(item, event.name).is_some();
                    let content = Content { value: Some(item), failed, signals: None, ..*content };
                    self.value(item, event, &content, note, fresh, &mut changes)
                }),
                Some(value) => self.value(value, event, content, note, fresh, &mut changes),
                None => {
                    note.unread = true;
                    self.assembly.lose(event.place.offset);
                    note.end |= event.name == b"error";
                    Ok(())
                }
            }?;
        }
        if !changes.is_empty() && !self.options.observe {
            note.changes = Some(Box::new(changes));
        }
        Ok(())
    }

    fn value(
        &mut self,
        value: Value<'_>,
        event: &Event<'_>,
        content: &Content<'_>,
        note: &mut Note,
        fresh: &mut Vec<Piece>,
        changes: &mut Splices,
    ) -> Result<(), Exceeded> {
        if self.protocol.is_none() {
            let mut readers = ProtocolKind::ALL.iter().map(|kind| (*kind, kind.reader()));
            self.protocol = readers.find(|(_, reader)| reader.recognises(value));
        }
        let Some((kind, mut protocol)) = self.protocol.take() else {
            return Ok(());
        };
        self.seed.get_or_insert_with(|| seed_of(value.raw()));
        self.assembly.next_event();
        let before = self.assembly.len();
        let adds = protocol.adds(value);
        let mut take = |signal: Signal<'_>| self.signal(signal, event, adds, note, fresh);
        let read = match &content.signals {
            Some(signals) => signals.tell(&mut take),
            None => protocol.read(value, &mut take),
        };
        let mut envelope = |raw: &[u8], value: Value<'_>| {
            protocol.envelope(Envelope { name: event.name, raw, value, stream: event.stream }, changes);
        };
        match event.at {
            Some(_) => envelope(event.raw, value),
            None => {
                // It is written in one line where anything is changed about it; a space for a line end moves nothing.
                let (raw, at, data) = on_one_line(event.raw, note.number);
                let place = value.range_in(event.data);
                let same = raw[at..at + data].get(place).and_then(|value| core::str::from_utf8(value).ok());
                if let Some(Ok(value)) = same.map(Value::parse) {
                    envelope(&raw, value);
                }
            }
        }
        note.block = protocol.block();
        self.protocol = Some((kind, protocol));
        read?;
        if self.assembly.len() > before {
            self.waiting.extend(before..self.assembly.len());
        }
        if content.failed {
            self.assembly.lose(event.place.offset);
            (self.failed, note.end) = (true, true);
        }
        Ok(())
    }

    /// Takes what an event says, behind which another one can be added or not.
    fn signal(
        &mut self,
        signal: Signal<'_>,
        event: &Event<'_>,
        adds: bool,
        note: &mut Note,
        fresh: &mut Vec<Piece>,
    ) -> Result<(), Exceeded> {
        match signal {
            Signal::Call(piece) => {
                let looks = looks_of(&piece, event.stream);
                let taken = self.assembly.take(piece)?;
                fresh.push(self.note_piece(taken, &looks, adds && event.stream));
                return Ok(());
            }
            // Nobody asks a turn in flight for its text.
            Signal::Content { .. } | Signal::Reasoning { .. } => return Ok(()),
            Signal::Finish { choice, .. } => note.finish.push(choice),
            Signal::End | Signal::Whole => note.end = true,
            Signal::Closed { .. } => note.closes = true,
            Signal::Lost => note.unread = true,
            Signal::Foreign { choice, number } if !self.assembly.has_number(choice, number) => {
                self.numbers.keep_free(choice, number);
            }
            _ => {}
        }
        self.assembly.signal(signal)
    }

    /// What the assembly made of a piece, with what the way out needs to know.
    fn note_piece(&mut self, taken: Taken, looks: &Looks, adds: bool) -> Piece {
        if self.states.is_empty() {
            // Most turns have one call, and a vector makes room for several.
            self.states.reserve_exact(1);
        }
        while self.states.len() <= taken.call {
            self.states.push(State::default());
        }
        let state = &mut self.states[taken.call];
        let number = state.pieces;
        state.pieces += 1;
        if self.options.hold == Hold::Deviation
            && let Some(view) = self.assembly.view(taken.call)
        {
            let named = !view.name.is_empty() && self.judge.offers(view.name) != Some(false);
            let streams = looks.way != Way::Whole && !looks.full && (!looks.object || looks.has == Has::Copy);
            let way = Flowing { has: looks.has, named, streams, adds };
            state.follow(&taken, view.arguments, way);
        }
        Piece {
            call: taken.call,
            number,
            start: taken.start,
            end: taken.end,
            restarts: taken.restarts,
            waits: taken.waits,
            has: looks.has,
            fits: looks.fits,
            object: looks.object,
            index: looks.index,
            new_id: taken.new_id,
            name: taken.name,
            faulty: self.assembly.is_faulty(taken.call),
            kind: looks.kind,
            no_role: taken.opened && taken.no_role,
            way: looks.way,
            adds,
        }
    }

    /// An event without data. The standard has clients pass over it; those of OpenAI read it as JSON and give
    /// up, so its lines become comments.
    fn silence(&mut self, event: &Event<'_>, note: &mut Note) {
        if !event.stream || self.options.observe {
            return;
        }
        let mut changes = Splices::default();
        for line in crate::frame::lines(event.raw) {
            // The first line of a stream may begin with a byte order mark, which stays in front.
            let text = &event.raw[line.clone()];
            let text = if note.number == 0 { text.strip_prefix(BOM).unwrap_or(text) } else { text };
            if !text.starts_with(b":") && !text.is_empty() {
                let start = line.end - text.len();
                changes.add(start..start, ":");
            }
        }
        if !changes.is_empty() {
            note.at = Some(0);
            note.data = event.raw.len();
            note.silent = true;
            note.changes = Some(Box::new(changes));
        }
    }

    fn ends_with(&self, data: &str) -> bool {
        match &self.protocol {
            Some((_, protocol)) => protocol.ends(data),
            None => ProtocolKind::ALL.iter().any(|kind| kind.reader().ends(data)),
        }
    }
}

fn looks_of(piece: &signal::Piece<'_>, stream: bool) -> Looks {
    Looks {
        has: match piece.arguments {
            None | Some(Arguments::Parts { .. } | Arguments::Unreadable) => Has::Nothing,
            Some(Arguments::Text(_)) => Has::Text,
            Some(Arguments::Json(_)) => Has::Json,
            Some(Arguments::Copy { .. }) => Has::Copy,
        },
        fits: match piece.arguments {
            Some(Arguments::Text(_)) => piece.form == Form::Text,
            Some(Arguments::Json(_)) => piece.form == Form::Object,
            _ => true,
        },
        object: piece.form == Form::Object,
        full: match piece.arguments {
            Some(Arguments::Copy { text, .. }) => piece.opens && !is_placeholder(&text.to_text()),
            _ => false,
        },
        way: match piece.slot {
            Slot::Whole => Way::Whole,
            Slot::Numbered(_) | Slot::Unnumbered if stream => Way::Streamed,
            Slot::Numbered(_) => Way::Line,
            Slot::Unnumbered | Slot::Legacy => Way::Other,
        },
        index: match piece.slot {
            Slot::Numbered(number) => Some(number),
            _ => None,
        },
        kind: piece.kind.map(|kind| kind.is("function")),
    }
}
