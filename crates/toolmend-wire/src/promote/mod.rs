//! Calls that a server left in the text of a turn become calls of its protocol.
//!
//! ```text
//!  bytes ─ frame ─▶ event ─ text ─▶ TextReader ── left ──▶ the event leaves as it came
//!                                        │ keeps
//!                                        ▼
//!                      the events wait; at the end of the turn either all leave as they came,
//!                      or the calls go behind the text that is left of them
//! ```

mod forms;
mod promoting;

use core::ops::Range;

use toolmend_core::quote::quoted;
use toolmend_core::{TextCall, TextEvent, TextReader};

pub use self::promoting::Promoting;

use self::forms::{Form, Told};
use crate::content::{Content, Latest};
use crate::frame::{Event, Framer, ends_with_blank_line};
use crate::json::Value;
use crate::limits::{Limits, MAX_CALLS};
use crate::made_up::seed_of;
use crate::protocol::{Protocol, ProtocolKind};
use crate::recorded::{Finish, Usage, end_of_turn};
use crate::recorder::single;
use crate::signal::{Piece, Signal};
use crate::splice::Splices;
use crate::text::Text;
use crate::turn::StreamEnd;

/// The longest name that is kept of a call which the server told, in bytes; no tool's is longer.
const MAX_NAME: usize = 256;

/// Promotes the calls in the text of one turn. No IO: bytes are pushed in, and come out where they may leave.
/// It stands before a [`Turn`](crate::Turn), which sees the calls as if the server had told them itself.
///
/// Text in which no call can begin leaves at once. A turn in which no call is found leaves byte for byte, and
/// so does one with several choices.
#[derive(Debug)]
pub struct Promoter<R> {
    framer: Framer,
    latest: Latest,
    flow: Flow<R>,
    /// The bytes are no events, or it was given up.
    broken: bool,
}

#[derive(Debug)]
struct Flow<R> {
    reader: R,
    limits: Limits,
    max_tokens: Option<u64>,
    protocol: Option<(ProtocolKind, Box<dyn Protocol>)>,
    queue: Vec<Held>,
    /// Bytes in the queue.
    held: usize,
    /// How much text has come, and how much of it the reader let go as it is.
    came: usize,
    left: usize,
    /// The text that came and is not out yet.
    text: String,
    finish: Finish,
    usage: Option<Usage>,
    /// How many calls the server told itself, and how much text had come when it told the latest one.
    calls: usize,
    told_at: usize,
    /// The tools of these calls, each once.
    told: Vec<String>,
    /// Whether one of them came within the text that waits: what follows it is no part of that.
    parted: bool,
    /// Ids that are made up are made of it.
    seed: Option<u64>,
    promoted: Vec<TextCall>,
    /// The name of the model, as the reader was told it.
    model: String,
    /// Where the texts of the latest event stand in the text of the turn.
    texts: Vec<Range<usize>>,
    said: Said,
    mode: Mode,
    /// The turn has ended, and what waits has yet to be settled.
    ended: bool,
}

/// What the latest event with data said to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Nothing,
    /// The one text that its protocol told.
    Told,
    /// Texts of which the protocol did not tell, or not alone.
    Otherwise,
}

/// What an event says of the turn.
#[derive(Debug, Default)]
struct Seen {
    /// As in [`Held`].
    ends: bool,
    whole: bool,
    /// Nothing of the turn comes after it.
    end: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Reading,
    /// Everything leaves as it comes.
    Through,
}

/// An event that waits.
#[derive(Debug)]
struct Held {
    raw: Vec<u8>,
    /// Where its data stands.
    data: Option<Range<usize>>,
    /// Where its texts stand in the text of the turn.
    texts: Vec<Range<usize>>,
    /// It says how the turn ended, or that it did.
    ends: bool,
    /// It holds the whole turn.
    whole: bool,
    /// It is one of an event stream.
    stream: bool,
}

impl Held {
    /// It is an item of an array, whose bytes hold a bracket or a comma of the array's too.
    fn is_item(&self) -> bool {
        let before = self.data.as_ref().map_or(0, |data| data.start);
        !self.stream && !self.raw[..before].trim_ascii().is_empty()
    }

    /// Another event can follow it.
    fn is_ended(&self) -> bool {
        match self.stream {
            true => ends_with_blank_line(&self.raw),
            false => self.raw.ends_with(b"\n"),
        }
    }
}

impl<R: TextReader> Promoter<R> {
    /// Nothing has come yet. `max_tokens` is the request's cap on output tokens, where it is known.
    #[must_use]
    pub fn new(reader: R, limits: Limits, max_tokens: Option<u64>) -> Self {
        Promoter {
            framer: Framer::new(limits.event_bytes),
            latest: Latest::default(),
            flow: Flow {
                reader,
                limits,
                max_tokens,
                protocol: None,
                queue: Vec::new(),
                held: 0,
                came: 0,
                left: 0,
                text: String::new(),
                finish: Finish::Missing,
                usage: None,
                calls: 0,
                told_at: 0,
                told: Vec::new(),
                parted: false,
                seed: None,
                promoted: Vec::new(),
                model: String::new(),
                texts: Vec::new(),
                said: Said::Nothing,
                mode: Mode::Reading,
                ended: false,
            },
            broken: false,
        }
    }

    /// Takes the next bytes, cut anywhere; appends those that may leave to `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.broken {
            out.extend_from_slice(bytes);
            return;
        }
        let Promoter { framer, latest, flow, .. } = self;
        let read = latest.push(framer, bytes, &mut |event, latest| flow.read_event(event, latest, out));
        if read.is_err() {
            self.release(out);
        }
    }

    /// There are no more bytes.
    pub fn finish(&mut self, end: StreamEnd, out: &mut Vec<u8>) {
        if self.broken {
            return;
        }
        let Promoter { framer, latest, flow, .. } = self;
        let read = framer.finish(&mut |event| {
            flow.read_event(&event, latest, out);
            Ok(())
        });
        if self.flow.mode == Mode::Reading {
            if end == StreamEnd::Broken && !self.flow.finish.says_cut() {
                self.flow.finish = Finish::Null;
            }
            self.flow.over(out);
        }
        if read.is_err() {
            self.release(out);
        }
    }

    /// Gives up: everything that waits leaves as it came, and so does everything that comes.
    pub fn release(&mut self, out: &mut Vec<u8>) {
        self.flow.release(out);
        out.append(&mut self.framer.rest());
        self.broken = true;
    }

    /// How many bytes wait.
    #[must_use]
    pub fn held(&self) -> usize {
        self.flow.held + self.framer.held()
    }

    /// The calls that were made since this was last asked.
    pub fn promoted(&mut self) -> Vec<TextCall> {
        core::mem::take(&mut self.flow.promoted)
    }
}

impl<R: TextReader> Flow<R> {
    fn release(&mut self, out: &mut Vec<u8>) {
        for held in self.queue.drain(..) {
            out.extend_from_slice(&held.raw);
        }
        self.held = 0;
        self.mode = Mode::Through;
    }

    fn read_event(&mut self, event: &Event<'_>, latest: &mut Latest, out: &mut Vec<u8>) {
        let mut content = Content::default();
        if self.looks_at(event) {
            let reader = self.protocol.as_mut().map(|(_, reader)| &mut **reader as &mut dyn Protocol);
            content = latest.read(event, reader);
        }
        if self.event(event, &content, out) {
            out.extend_from_slice(event.raw);
        }
        self.settle(out);
    }

    /// Whether what an event holds is asked for.
    fn looks_at(&self, event: &Event<'_>) -> bool {
        self.mode == Mode::Reading && !event.tail
    }

    /// Takes an event; appends to `out` what leaves before it. Answers whether it leaves itself, as it came.
    fn event(&mut self, event: &Event<'_>, content: &Content<'_>, out: &mut Vec<u8>) -> bool {
        if self.mode == Mode::Through {
            return true;
        }
        if event.tail {
            let last = self.queue.last_mut();
            return last.map(|last| last.raw.extend_from_slice(event.raw)).is_none();
        }
        let mut seen = Seen::default();
        self.texts.clear();
        if !event.filler && !self.read(event, content, &mut seen) {
            self.release(out);
            return true;
        }
        self.ended = seen.end;
        if self.queue.is_empty() && self.left == self.came {
            return true;
        }
        self.held += event.raw.len();
        self.queue.push(Held {
            raw: event.raw.to_vec(),
            data: event.at.map(|at| at..at + event.data.len()),
            texts: self.texts.clone(),
            ends: seen.ends,
            whole: seen.whole,
            stream: event.stream,
        });
        if self.left == self.came || self.held > self.limits.queued_bytes {
            let mode = if self.left == self.came { Mode::Reading } else { Mode::Through };
            self.release(out);
            self.mode = mode;
        }
        false
    }

    /// Settles what waits, where the latest event ended the turn.
    fn settle(&mut self, out: &mut Vec<u8>) {
        if core::mem::take(&mut self.ended) && self.mode == Mode::Reading {
            self.over(out);
        }
    }

    /// Reads an event; `false` where this turn is none of our business.
    fn read(&mut self, event: &Event<'_>, content: &Content<'_>, seen: &mut Seen) -> bool {
        if let Some(signal) = content.repeated {
            return self.repeat(signal, event, content);
        }
        if content.text.is_none() {
            return false;
        }
        if content.data.is_empty() {
            return true;
        }
        if self.protocol.as_ref().is_some_and(|(_, protocol)| protocol.ends(content.data)) {
            (seen.ends, seen.end) = (true, true);
            return true;
        }
        // Nothing is made of a turn that failed.
        content.value.is_some_and(|value| !content.failed && self.value(value, event, content, seen))
    }

    fn value<'a>(
        &mut self,
        value: Value<'a>,
        event: &Event<'_>,
        content: &Content<'a>,
        seen: &mut Seen,
    ) -> bool {
        if self.protocol.is_none() {
            let mut readers = ProtocolKind::ALL.iter().map(|kind| (*kind, kind.reader()));
            self.protocol = readers.find(|(_, reader)| reader.recognises(value));
        }
        // What comes before the first event of a protocol is not told from noise.
        let Some((kind, protocol)) = &mut self.protocol else { return true };
        let form = Form::of(*kind);
        self.seed.get_or_insert_with(|| seed_of(value.raw()));
        let (mut alone, mut calls, mut says, mut said, mut role) = (true, 0, false, None, false);
        let (finish, usage, reader, model, told) =
            (&mut self.finish, &mut self.usage, &mut self.reader, &mut self.model, &mut self.told);
        let mut take = |signal: Signal<'a>| {
            match signal {
                Signal::Content { choice, text } => {
                    (alone, says, said) = (alone && choice == 0, true, Some(text));
                }
                Signal::Choice(choice) => alone &= choice == 0,
                Signal::Call(Piece { name: Some(name), .. }) => {
                    calls += 1;
                    let name = name.to_text();
                    if name.len() <= MAX_NAME && told.len() < MAX_CALLS && !told.contains(&name) {
                        told.push(name);
                    }
                }
                Signal::Role(_) => role = true,
                Signal::Finish { word, .. } => {
                    seen.ends = true;
                    finish.say(word.map_or(Finish::Null, |word| Finish::Word(word.to_text())));
                }
                Signal::Usage(counted) => usage.get_or_insert_default().count(counted),
                Signal::Model(name) if !name.is(model) => {
                    *model = name.to_text();
                    reader.model(model);
                }
                // Where it belongs is not known; there may be text in it.
                Signal::Lost => says = true,
                Signal::Whole => (seen.whole, seen.ends, seen.end) = (true, true, true),
                Signal::End | Signal::Ended => (seen.ends, seen.end) = (true, true),
                _ => {}
            }
            Ok(())
        };
        let read = match &content.signals {
            Some(signals) => signals.tell(&mut take),
            None => protocol.read(value, &mut take),
        };
        self.calls += calls;
        self.parted |= calls > 0 && self.left < self.came;
        // The words of a user or a tool are not the model's.
        if read.is_err() || !alone || ((role || seen.whole) && !form.is_models(value)) {
            return false;
        }
        if calls > 0 && form.texts(value).len() > 1 {
            return false;
        }
        // In a stream of chat, whatever is text was told as such.
        if form == Form::Chat && !says {
            self.said = Said::Nothing;
        } else if !self.take_texts(form, said, value, event) {
            return false;
        }
        if calls > 0 {
            self.told_at = self.came;
        }
        true
    }

    /// As [`Flow::value`], for an event that is like the one before it.
    fn repeat<'a>(&mut self, signal: Signal<'a>, event: &Event<'a>, content: &Content<'a>) -> bool {
        let Some(form) = self.protocol.as_ref().map(|(kind, _)| Form::of(*kind)) else { return true };
        let said = if let Signal::Content { text, .. } = signal { Some(text) } else { None };
        match (self.said, said) {
            (Said::Nothing, _) => true,
            (Said::Told, Some(text)) => self.take_text(text, event) && self.forget(form),
            _ => content.value(event).is_some_and(|value| self.take_texts(form, said, value, event)),
        }
    }

    /// Takes the texts of an event, of which its protocol told this one; `false` as [`Flow::take_text`].
    fn take_texts(
        &mut self,
        form: Form,
        told: Option<Text<'_>>,
        value: Value<'_>,
        event: &Event<'_>,
    ) -> bool {
        let texts = form.texts(value);
        let is_told = |text: Text<'_>| told.is_some_and(|told| told.is_same_place(text));
        self.said = match &texts[..] {
            [] => Said::Nothing,
            [one] if one.text().is_some_and(is_told) => Said::Told,
            _ => Said::Otherwise,
        };
        texts.iter().all(|text| text.text().is_some_and(|text| self.take_text(text, event)))
            && self.forget(form)
    }

    /// Lets go of the text that has left.
    fn forget(&mut self, form: Form) -> bool {
        // Where the whole text is told again at the end, all of it is needed.
        if self.left == self.came && form != Form::Responses {
            self.text.clear();
        }
        true
    }

    /// Takes a text of an event; `false` where it cannot be told what it says, or where it stands.
    fn take_text(&mut self, text: Text<'_>, event: &Event<'_>) -> bool {
        let text = text.to_cow();
        // Half of a surrogate pair: what the other half makes of it is not known here.
        if event.at.is_none() || text.contains(char::REPLACEMENT_CHARACTER) {
            return false;
        }
        if self.parted && !text.trim().is_empty() {
            return false;
        }
        self.texts.push(self.came..self.came + text.len());
        self.came += text.len();
        self.text.push_str(&text);
        let left = &mut self.left;
        self.reader.push(&text, &mut |event| *left += length(&event));
        true
    }

    /// The turn is over: calls are made of what waits, or it leaves as it came.
    fn over(&mut self, out: &mut Vec<u8>) {
        let ending = end_of_turn(&self.finish, self.usage, 1, self.max_tokens).ending();
        let (mut at, mut kept, mut calls, mut early) = (self.left, Vec::new(), Vec::new(), false);
        self.reader.finish(ending, &mut |event| {
            let next = at + length(&event);
            match event {
                TextEvent::Call(call) => {
                    early |= at < self.told_at;
                    calls.push(call);
                }
                TextEvent::Mark(_) => {}
                TextEvent::Content(_) | TextEvent::Reasoning(_) => kept.push(at..next),
            }
            at = next;
        });
        // An id that a model wrote twice names neither call: the second one gets its own.
        for n in 1..calls.len() {
            if calls[..n].iter().any(|earlier| earlier.id == calls[n].id) {
                calls[n].id = None;
            }
        }
        let form = self.protocol.as_ref().map(|(kind, _)| Form::of(*kind));
        // A server that told a call may have left its text as well; whether both are one call is not known. And calls are
        // made behind those that it told: one that stands before them would change its place.
        let doubled = calls.iter().any(|call| self.told.contains(&call.name));
        let none = doubled || early || calls.is_empty() || self.finish.word().is_some_and(is_withheld);
        let (Some(form), false) = (form, none || self.queue.is_empty()) else {
            self.release(out);
            return;
        };
        let written = self.write(form, &kept, &calls, ending == toolmend_core::Ending::Cut);
        match written {
            Some(bytes) => {
                out.extend_from_slice(&bytes);
                self.promoted.append(&mut calls);
                self.queue.clear();
                self.held = 0;
                self.mode = Mode::Through;
            }
            None => self.release(out),
        }
    }

    /// The events that wait, with the calls in them; `None` where one of them cannot be written.
    fn write(&self, form: Form, kept: &[Range<usize>], calls: &[TextCall], cut: bool) -> Option<Vec<u8>> {
        let base = self.came - self.text.len();
        let text_of = |range: &Range<usize>| {
            // What had left before stays; of the rest, what is kept.
            let mut text = String::new();
            let sent = range.start.max(base)..range.end.min(self.left).max(range.start.max(base));
            text.push_str(&self.text[sent.start - base..sent.end - base]);
            for keep in kept {
                let (start, end) = (keep.start.max(range.start), keep.end.min(range.end));
                if start < end {
                    text.push_str(&self.text[start - base..end - base]);
                }
            }
            text
        };
        let mut out = Vec::new();
        let mut told = false;
        let all = Told { calls, before: self.calls, seed: self.seed.unwrap_or_default() };
        let template = self.queue.iter().find(|held| !held.texts.is_empty())?;
        // An end is told once, and what stands between the items of an array is not written here.
        let within = form.ends_with_message() && (template.ends || template.is_item());
        if template.is_item() && !within {
            return None;
        }
        for held in &self.queue {
            let Some(data) = held.data.clone() else {
                out.extend_from_slice(&held.raw);
                continue;
            };
            let value = Value::parse(single(core::str::from_utf8(&held.raw[data]).ok()?)).ok();
            let here = held.whole || within && held.ends && !told;
            if held.ends && !told && !here {
                form.tell(&template.raw, template.data.clone()?, all, value, &mut out)?;
                told = true;
            }
            let Some(value) = value else {
                out.extend_from_slice(&held.raw);
                continue;
            };
            let mut changes = Splices::default();
            let texts: Vec<String> = held.texts.iter().map(text_of).collect();
            // An event that was nothing but the text of a call is not needed any more.
            let spared = !held.ends && !texts.is_empty() && texts.iter().all(String::is_empty);
            if spared && !held.texts.iter().all(Range::is_empty) && form.is_only_text(value) {
                continue;
            }
            for copy in form.copies(value) {
                if copy.text().is_some_and(|text| text.is(&self.text)) {
                    changes.replace(&held.raw, copy, quoted(&text_of(&(0..self.came))));
                }
            }
            if form == Form::Responses && held.ends && !held.whole {
                form.tell_whole(&held.raw, value.get("response").unwrap_or(value), all, &mut changes)?;
            }
            form.set_texts(&held.raw, value, &texts, held.whole, &mut changes);
            if here {
                form.tell_whole(&held.raw, value, all, &mut changes)?;
                told = true;
            }
            if !cut {
                form.end_with_calls(&held.raw, value, self.calls == 0, &mut changes);
            }
            changes.apply(&held.raw, &mut out);
        }
        if !told {
            if within || !self.queue.last()?.is_ended() {
                return None;
            }
            form.tell(&template.raw, template.data.clone()?, all, None, &mut out)?;
        }
        Some(out)
    }
}

/// Whether a finish reason says that the answer is not the model's, or not one to act on.
fn is_withheld(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "content_filter",
        "refusal",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "malformed_function_call",
        "error",
        "abort",
    ];
    WORDS.iter().any(|withheld| word.eq_ignore_ascii_case(withheld))
}

fn length(event: &TextEvent<'_>) -> usize {
    match event {
        TextEvent::Content(text) | TextEvent::Reasoning(text) | TextEvent::Mark(text) => text.len(),
        TextEvent::Call(call) => call.source.len(),
    }
}
