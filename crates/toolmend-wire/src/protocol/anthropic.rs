//! Anthropic Messages.
//!
//! Streamed, a turn is a row of named events that open, fill and close blocks:
//!
//! ```text
//! event: content_block_start
//! data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}
//! event: content_block_delta
//! data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}
//! event: content_block_stop
//! data: {"type":"content_block_stop","index":1}
//! event: message_delta
//! data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}
//! event: message_stop
//! data: {"type":"message_stop"}
//! ```
//!
//! Not streamed, it is one message whose blocks hold their `input` as an object. Tools that the server runs
//! itself (`server_tool_use`) are not ours.
//!
//! Its clients go by the name of an event, by the number of a block, which they take for its place, and some by
//! an `input` that is there; bridges get each of these wrong.

use std::collections::{BTreeMap, BTreeSet};

use super::{Envelope, More, Needs, Protocol, Step, arguments_in, is_elsewhere, whole_text};
use toolmend_core::quote::quoted;

use crate::assembly::{ANNOUNCED, is_placeholder};
use crate::frame::BOM;
use crate::json::Value;
use crate::limits::Exceeded;
use crate::recorded::Usage;
use crate::signal::{Arguments, Form, Piece, Signal, Sink, Slot};
use crate::site::{Keys, Part, Site};
use crate::splice::Splices;
use crate::text::Text;

/// Reads Anthropic Messages.
#[derive(Debug, Default)]
pub(super) struct Anthropic {
    /// How many blocks were opened; the number of one that is opened is its place.
    opened: u32,
    /// The latest block of each number that the server gave.
    blocks: BTreeMap<u32, Block>,
    /// The numbers of the blocks that are open.
    open: BTreeSet<u32>,
    /// A block got another number than the server's: then the server's numbers are no one's but ours to give.
    renumbers: bool,
    /// The block that the latest event is about.
    current: Option<(u32, Block)>,
    step: Option<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    place: u32,
    is_call: bool,
}

/// No number.
const NONE: u32 = u32::MAX;

/// A block that was never opened.
const NOWHERE: Block = Block { place: NONE, is_call: false };

/// How many numbers of blocks are told apart; what comes beyond is not read.
const MAX_BLOCKS: usize = 4096;

impl Protocol for Anthropic {
    fn recognises(&self, event: Value<'_>) -> bool {
        let [kind, message, content] = event.pick(["type", "message", "content"]);
        kind.and_then(Value::text).is_some_and(|kind| match &*kind.to_text() {
            "message_start" => message.is_some(),
            "message" => content.is_some_and(Value::is_array),
            "content_block_start" => event.has("content_block"),
            "content_block_delta" | "message_delta" => event.has("delta"),
            _ => false,
        })
    }

    fn ends(&self, _data: &str) -> bool {
        false
    }

    fn read<'a>(&mut self, event: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
        self.current = None;
        self.step = None;
        let [kind, index] = event.pick(["type", "index"]);
        let index = index.and_then(Value::unsigned).and_then(|index| u32::try_from(index).ok());
        let Some(kind) = kind.and_then(Value::text) else {
            return Ok(());
        };
        match &*kind.to_text() {
            "message_start" => event.get("message").map_or(Ok(()), |message| read_message(message, sink)),
            "message" => {
                read_message(event, sink)?;
                for block in blocks(event) {
                    read_whole(block, sink)?;
                }
                read_end(event, event, sink)?;
                sink(Signal::Whole)
            }
            "content_block_start" => match event.get("content_block") {
                Some(block) => self.start(index, block, sink),
                None => Ok(()),
            },
            "content_block_delta" => match event.get("delta") {
                Some(delta) => self.delta(index, delta, sink),
                None => Ok(()),
            },
            "content_block_stop" => {
                let block = self.find(index);
                self.step = Some(Step::Close);
                let closed = index.or(self.open.first().copied().filter(|_| block.is_some()));
                closed.map(|number| self.open.remove(&number));
                match block {
                    Some(Block { place, is_call: true }) => {
                        sink(Signal::Closed { choice: 0, slot: Slot::Numbered(place) })
                    }
                    _ => Ok(()),
                }
            }
            "message_delta" => match event.get("delta") {
                Some(delta) => read_end(delta, event, sink),
                None => Ok(()),
            },
            "message_stop" => sink(Signal::End),
            _ => Ok(()),
        }
    }

    fn sites<'a>(&self, event: Value<'a>, each: &mut dyn FnMut(Site<'a>)) {
        let [kind, block, delta] = event.pick(["type", "content_block", "delta"]);
        let site = |entry, keys| Site { item: entry, entry, function: entry, message: None, keys };
        let kind = kind.and_then(Value::text).map(Text::to_text).unwrap_or_default();
        match (&*kind, block, delta) {
            ("content_block_start", Some(block), _) if is_call(block) => each(site(block, &START)),
            ("content_block_delta", _, Some(delta)) if has_arguments(delta) => each(site(delta, &DELTA)),
            ("message", ..) => {
                blocks(event).filter(|block| is_call(*block)).for_each(|block| each(site(block, &WHOLE)));
            }
            _ => {}
        }
    }

    fn more(&self, _event: Value<'_>, more: More<'_>) -> Option<String> {
        // The number of a block is its place.
        Some(format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{},\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":{}}}}}\n\n",
            more.own?,
            quoted(more.text)
        ))
    }

    fn needs(&self) -> Needs {
        Needs { finish: true, ..Needs::default() }
    }

    fn ends_as_cut<'a>(&self, event: Value<'a>) -> Vec<(u32, Value<'a>, &'static str)> {
        let reason = event.get("delta").unwrap_or(event).get("stop_reason");
        reason.map(|reason| (0, reason, "\"max_tokens\"")).into_iter().collect()
    }

    fn block(&self) -> Option<(u32, Step)> {
        let (_, block) = self.current.filter(|(_, block)| *block != NOWHERE)?;
        Some((block.place, self.step?))
    }

    fn envelope(&mut self, event: Envelope<'_>, changes: &mut Splices) {
        if !event.stream {
            return;
        }
        let Envelope { name, raw, value, .. } = event;
        let kind = value.get("type").and_then(Value::text).map(Text::to_text);
        if let Some(kind) = kind.filter(|kind| name.is_empty() && is_name(kind)) {
            let before = &raw[..value.range_in(raw).start];
            let line = before.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map(|at| at + 1);
            // Data in the first line begins it, or stands behind the byte order mark of the stream.
            let line = line.unwrap_or(if before.starts_with(BOM) { BOM.len() } else { 0 });
            changes.add(line..line, format!("event: {kind}\n"));
        }
        if let Some((_, Block { place, .. })) = self.current.filter(|(number, block)| *number != block.place)
        {
            changes.set(raw, value, "index", &place.to_string());
        }
    }
}

const START: Keys = Keys {
    index: None,
    id: Some("id"),
    kind: None,
    function: None,
    name: Some("name"),
    arguments: "input",
    status: None,
    form: Form::Object,
    part: Part::Start,
};
const DELTA: Keys =
    Keys { id: None, name: None, arguments: "partial_json", form: Form::Text, part: Part::Piece, ..START };
const WHOLE: Keys = Keys { part: Part::Piece, ..START };

impl Anthropic {
    fn start<'a>(
        &mut self,
        index: Option<u32>,
        block: Value<'a>,
        sink: &mut Sink<'_, 'a>,
    ) -> Result<(), Exceeded> {
        let opened = Block { place: self.opened, is_call: is_call(block) };
        self.opened = self.opened.saturating_add(1);
        let number = index.unwrap_or(opened.place);
        if self.blocks.len() >= MAX_BLOCKS && !self.blocks.contains_key(&number) {
            return Ok(());
        }
        self.blocks.insert(number, opened);
        self.renumbers |= number != opened.place;
        self.open.insert(number);
        self.current = Some((index.unwrap_or(NONE), opened));
        self.step = Some(Step::Open);
        let [id, name, input, text] = block.pick(["id", "name", "input", "text"]);
        if !opened.is_call {
            return match text.and_then(Value::text).filter(|text| !text.is_empty()) {
                Some(text) => sink(Signal::Content { choice: 0, text }),
                None => Ok(()),
            };
        }
        sink(Signal::Call(Piece {
            choice: 0,
            slot: Slot::Numbered(opened.place),
            opens: true,
            id: id.and_then(Value::text),
            kind: None,
            name: name.and_then(Value::text),
            form: Form::Object,
            arguments: match input.filter(|input| !is_placeholder(input.raw())) {
                None if is_elsewhere(&[block]) => Some(Arguments::Unreadable),
                _ => input.map(|input| Arguments::Copy { text: whole_text(input), rank: ANNOUNCED }),
            },
        }))
    }

    fn delta<'a>(
        &mut self,
        index: Option<u32>,
        delta: Value<'a>,
        sink: &mut Sink<'_, 'a>,
    ) -> Result<(), Exceeded> {
        let block = self.find(index);
        self.step = Some(Step::Inside);
        let [text, thinking, json] = delta.pick(["text", "thinking", "partial_json"]);
        if let Some(text) = text.and_then(Value::text) {
            return sink(Signal::Content { choice: 0, text });
        }
        if let Some(text) = thinking.and_then(Value::text) {
            return sink(Signal::Reasoning { choice: 0, text });
        }
        let Some(arguments) = arguments_in(json, &[]) else {
            return Ok(());
        };
        let call = |place| {
            Signal::Call(Piece {
                choice: 0,
                slot: Slot::Numbered(place),
                opens: false,
                id: None,
                kind: None,
                name: None,
                form: Form::Text,
                arguments: Some(arguments),
            })
        };
        match block {
            Some(Block { place, is_call: true }) => sink(call(place)),
            // Those of a tool that the server runs itself.
            Some(_) => Ok(()),
            // The event that opened its block is lost, and its name with it. What comes of it when the place of its
            // number is another block's is not that one's.
            None => {
                sink(Signal::Lost)?;
                index.filter(|index| *index >= self.opened).map_or(Ok(()), |index| sink(call(index)))
            }
        }
    }

    /// The block of this number; without one, the only one that is open.
    fn find(&mut self, index: Option<u32>) -> Option<Block> {
        let only = || self.open.first().copied().filter(|_| self.open.len() == 1);
        let block = index.or_else(only).and_then(|number| self.blocks.get(&number)).copied();
        self.current = match block {
            Some(block) => Some((index.unwrap_or(NONE), block)),
            // It must not run into a block that got its number.
            None => index.filter(|_| self.renumbers).map(|index| (index, NOWHERE)),
        };
        block
    }
}

/// Whether it can stand in the line of an event's name.
fn is_name(kind: &str) -> bool {
    !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_call(block: Value<'_>) -> bool {
    block.get("type").and_then(Value::text).is_some_and(|kind| kind.is("tool_use"))
}

fn has_arguments(delta: Value<'_>) -> bool {
    let [text, thinking, json] = delta.pick(["text", "thinking", "partial_json"]);
    json.is_some() && text.and_then(Value::text).is_none() && thinking.and_then(Value::text).is_none()
}

fn blocks(message: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    message.get("content").into_iter().flat_map(Value::items)
}

fn read_message<'a>(message: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
    sink(Signal::Choice(0))?;
    match message.get("model").and_then(Value::text) {
        Some(model) => sink(Signal::Model(model)),
        None => Ok(()),
    }
}

fn read_whole<'a>(block: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
    let [id, name, input, text, thinking] = block.pick(["id", "name", "input", "text", "thinking"]);
    if is_call(block) {
        return sink(Signal::Call(Piece {
            choice: 0,
            slot: Slot::Whole,
            opens: true,
            id: id.and_then(Value::text),
            kind: None,
            name: name.and_then(Value::text),
            form: Form::Object,
            arguments: arguments_in(input, &[block]),
        }));
    }
    if let Some(text) = thinking.and_then(Value::text) {
        sink(Signal::Reasoning { choice: 0, text })?;
    }
    match text.and_then(Value::text) {
        Some(text) => sink(Signal::Content { choice: 0, text }),
        None => Ok(()),
    }
}

fn read_end<'a>(holder: Value<'a>, event: Value<'a>, sink: &mut Sink<'_, 'a>) -> Result<(), Exceeded> {
    if let Some(word) = holder.get("stop_reason").and_then(Value::text) {
        // There the server broke off, whatever the model was writing.
        if word.is("stop_sequence") {
            sink(Signal::Cut { choice: 0, slot: None })?;
        }
        sink(Signal::Finish { choice: 0, word: Some(word) })?;
    }
    let usage = event.get("usage");
    let count = |name| usage.and_then(|usage| usage.get(name)).and_then(Value::count);
    match count("output_tokens") {
        Some(output_tokens) => {
            sink(Signal::Usage(Usage { input_tokens: count("input_tokens"), output_tokens }))
        }
        None => Ok(()),
    }
}
