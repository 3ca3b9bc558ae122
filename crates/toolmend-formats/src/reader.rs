//! The reader: text in, piece by piece; content, reasoning and calls out.
//!
//! ```text
//!           reasoning mark            closing mark
//!   Start ─────────────────▶ Think ─────────────────▶ Start
//!     │ a message on a channel ────▶ Channel
//!     │ may be a home-made call ───▶ Home ──┐ it is none
//!     ▼                                     ▼
//!   Text ◀──────────────────────────────── Text ── a mark that begins a call ──▶ Hold
//! ```
//!
//! In `Home` and `Hold` the text waits for its end, because only the whole message tells whether a call was
//! made or talked about, and where an untyped value ends. It waits only while its first bytes can be a call,
//! and no longer than [`MAX_HELD`](crate::MAX_HELD) bytes.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolmend_core::{Ending, Offer, Policy, TextCall, TextEvent, TextReader};

use crate::channel::{self, Channel, Part, Step};
use crate::context::{Context, Tools};
use crate::home::{self, MAX_SNIFFED, Sniff};
use crate::marks::{self, FRAMES, Fit, Found, REASONING, fit, unseen, white};
use crate::prose::Prose;
use crate::{MAX_HELD, MAX_TRIES, Match, Promote, family};

/// Reads an assistant's text.
///
/// ```
/// use toolmend_core::{Ending, Judge, NoJudge, Offer, TextEvent, TextReader};
/// use toolmend_formats::Reader;
///
/// struct Tools;
/// impl Offer for Tools {
///     fn judge(&self, tool: &str) -> Option<&dyn Judge> {
///         (tool == "now").then_some(&NoJudge)
///     }
/// }
///
/// let mut reader = Reader::new(&Tools);
/// let mut calls = Vec::new();
/// let mut sink = |event: TextEvent<'_>| if let TextEvent::Call(call) = event { calls.push(call) };
/// for piece in ["[TOOL", "_CALLS]now[AR", "GS]{\"zone\": \"UTC\"}"] {
///     reader.push(piece, &mut sink);
/// }
/// reader.finish(Ending::Complete, &mut sink);
/// assert_eq!((calls[0].name.as_str(), calls[0].arguments.as_str()), ("now", r#"{"zone": "UTC"}"#));
/// ```
pub struct Reader<'c> {
    pub(crate) ctx: Context<'c>,
    /// What has come, from `at` on not yet out.
    pub(crate) text: String,
    pub(crate) at: usize,
    /// How many bytes behind `at` are known to begin nothing.
    pub(crate) seen: usize,
    /// Whether what is held has passed for the beginning of a call.
    pub(crate) sniffed: bool,
    /// Whether nothing is looked at before the end of the text.
    pub(crate) waits: bool,
    pub(crate) mode: Mode,
    pub(crate) prose: Prose,
    /// Whether no text for the user has come yet.
    pub(crate) fresh: bool,
    /// Names of plain tags that were opened in the text, so that their ends are no leaks.
    opened: Vec<&'static str>,
    pub(crate) tries: usize,
    /// Whether calls were made, and nothing but marks stands behind them.
    pub(crate) called: bool,
    /// Whether text behind calls tells that none of them was made.
    talked: bool,
    /// Whether a whole call was let out as text, because it is talked about: then the ones behind it are, too.
    pub(crate) passed: bool,
    /// Whether marks that begin something were let out as text.
    pub(crate) shown: bool,
    /// Whether the mark that is held stands in a quotation.
    pub(crate) quoted: bool,
    /// The mark up to which the text is reasoning that stands within it.
    aside: Option<&'static str>,
}

/// What is being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mode {
    Start,
    Text,
    /// Inside of reasoning; from where on a call may stand in it.
    Think {
        close: &'static str,
        call: Option<usize>,
    },
    Channel(Channel),
    /// From a mark on, behind so many bytes of white space.
    Hold,
    Home,
    /// Messages of Functionary: `>>>NAME`.
    Chevrons,
    /// Too much was held: nothing is looked for any more.
    Through,
}

impl<'c> Reader<'c> {
    /// A reader that makes calls of these tools only; everything is promoted, under [`Policy::STANDARD`].
    #[must_use]
    pub fn new(tools: &'c (dyn Offer + Sync)) -> Self {
        Reader::with(Some(Tools::Lent(tools)))
    }

    /// As [`Reader::new`], for a reader that lives longer than whoever knows the tools.
    #[must_use]
    pub fn shared(tools: Arc<dyn Offer + Send + Sync>) -> Self {
        Reader::with(Some(Tools::Shared(tools)))
    }

    /// A reader that makes no calls: no tools were offered, or none may be called. Reasoning is still told
    /// from content.
    #[must_use]
    pub fn without_tools() -> Self {
        Reader::with(None)
    }

    fn with(tools: Option<Tools<'c>>) -> Self {
        Reader {
            ctx: Context {
                tools,
                model: Match::Empty,
                policy: Policy::STANDARD,
                promote: Promote::All,
                parallel: true,
            },
            text: String::new(),
            at: 0,
            seen: 0,
            sniffed: false,
            waits: false,
            mode: Mode::Start,
            prose: Prose::default(),
            fresh: true,
            opened: Vec::new(),
            tries: 0,
            called: false,
            talked: false,
            passed: false,
            shown: false,
            quoted: false,
            aside: None,
        }
    }

    /// The model that writes the text: decides what the text itself leaves open.
    #[must_use]
    pub fn model(self, model: &str) -> Self {
        self.matched(family(model))
    }

    /// As [`Reader::model`], where the name was looked up already.
    #[must_use]
    pub fn matched(mut self, model: Match) -> Self {
        self.ctx.model = model;
        self
    }

    /// The highest grade of repair to accept in a call.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.ctx.policy = policy;
        self
    }

    /// What may become a call.
    #[must_use]
    pub fn promote(mut self, promote: Promote) -> Self {
        self.ctx.promote = promote;
        if promote == Promote::Off {
            self.ctx.tools = None;
        }
        self
    }

    /// Whether more than one call may be made; where not, two calls are none.
    #[must_use]
    pub fn parallel(mut self, parallel: bool) -> Self {
        self.ctx.parallel = parallel;
        self
    }

    /// The beginning of the assistant's message that the prompt already wrote: `<think>`, `>>>` …
    #[must_use]
    pub fn prefill(mut self, prefill: &str) -> Self {
        if let Some(channel) = channel::prefilled(prefill) {
            self.mode = Mode::Channel(channel);
        } else if prefill.trim_end().ends_with(">>>") {
            self.mode = Mode::Chevrons;
        } else {
            for (open, close) in REASONING {
                let opened = prefill.rfind(open.trim_end());
                if opened.is_some_and(|at| !prefill[at..].contains(close)) {
                    self.mode = Mode::Think { close, call: None };
                }
            }
        }
        self
    }

    pub(crate) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Lets the next `length` bytes out.
    pub(crate) fn out(&mut self, part: Part, length: usize, sink: &mut dyn FnMut(TextEvent<'_>)) {
        if length == 0 {
            return;
        }
        let piece = &self.text[self.at..self.at + length];
        sink(match part {
            Part::Content => TextEvent::Content(piece),
            Part::Reasoning => TextEvent::Reasoning(piece),
            Part::Mark => TextEvent::Mark(piece),
        });
        if part != Part::Mark {
            self.prose.feed(piece);
        }
        if part == Part::Content {
            self.fresh &= piece.trim_ascii().is_empty();
            self.called &= piece.trim_ascii().is_empty();
        }
        self.skip(length);
    }

    fn skip(&mut self, length: usize) {
        self.at += length;
        self.seen = self.seen.saturating_sub(length);
        if self.at == self.text.len() {
            self.text.clear();
            self.at = 0;
        }
    }

    pub(crate) fn calls(&mut self, calls: Vec<TextCall>, length: usize, sink: &mut dyn FnMut(TextEvent<'_>)) {
        let mut source = String::from(&self.text[self.at..self.at + length]);
        for mut call in calls {
            // All of them were made of it; the first one carries it.
            call.source = core::mem::take(&mut source);
            sink(TextEvent::Call(call));
        }
        self.skip(length);
        self.called = true;
        self.prose = Prose::default();
    }

    fn run(&mut self, last: Option<Ending>, sink: &mut dyn FnMut(TextEvent<'_>)) {
        while self.at < self.text.len() && self.step(last, sink) {}
        if self.at > MAX_SNIFFED {
            self.text.drain(..self.at);
            self.at = 0;
        }
    }

    /// One step; `false` where more text is needed.
    fn step(&mut self, last: Option<Ending>, sink: &mut dyn FnMut(TextEvent<'_>)) -> bool {
        if self.rest().len() > MAX_HELD && self.mode != Mode::Through {
            self.mode = Mode::Through;
            self.waits = false;
        }
        match self.mode.clone() {
            Mode::Start => self.start(last, sink),
            Mode::Text => self.plain(last, sink),
            Mode::Think { close, call } => self.think(close, call, last, sink),
            Mode::Channel(mut channel) => {
                let ending = last.unwrap_or(Ending::Unknown);
                let step = channel.step(&self.text[self.at..], last.is_some(), ending, &self.ctx);
                self.mode = Mode::Channel(channel);
                match step {
                    Step::Out(part, length) => {
                        self.out(part, length, sink);
                        // What was said in a message that has ended says nothing of the next one.
                        if part == Part::Mark && length > 0 {
                            self.prose = Prose::default();
                        }
                    }
                    Step::Calls(..) if self.prose.is_quoted() || self.prose.talks("", true) => {
                        self.mode = Mode::Channel(Channel::Text);
                        self.talked |= self.called;
                    }
                    Step::Calls(calls, length) => self.calls(calls, length, sink),
                    Step::Stray => self.talked |= self.called,
                    Step::Wait => return false,
                    Step::Hold => {
                        self.waits = true;
                        return false;
                    }
                }
                true
            }
            Mode::Hold => self.hold(last, sink),
            Mode::Home => self.home(last, sink),
            Mode::Chevrons => self.chevrons(last, sink),
            Mode::Through => {
                self.out(Part::Content, self.rest().len(), sink);
                true
            }
        }
    }

    /// The message, or what follows its reasoning, begins.
    fn start(&mut self, last: Option<Ending>, sink: &mut dyn FnMut(TextEvent<'_>)) -> bool {
        let blank = unseen(self.rest());
        let text = &self.text[self.at + blank..];
        if text.is_empty() {
            if last.is_some() {
                self.out(Part::Content, blank, sink);
            }
            return false;
        }
        let bytes = text.as_bytes();
        let mut part = false;
        for (open, close) in REASONING {
            match fit(bytes, open) {
                Fit::Full(length) => {
                    self.mode = Mode::Think { close, call: None };
                    self.out(Part::Mark, blank + length, sink);
                    self.prose = Prose::default();
                    return true;
                }
                Fit::Part => part = true,
                Fit::No => {}
            }
        }
        for frame in FRAMES.iter().copied().chain(self.frame().map(|(open, _)| open)) {
            match fit(bytes, frame) {
                Fit::Full(length) => {
                    self.out(Part::Mark, blank + length, sink);
                    return true;
                }
                Fit::Part => part = true,
                Fit::No => {}
            }
        }
        match channel::begins(text) {
            Found::Full(channel, _) => {
                self.mode = Mode::Channel(channel);
                self.out(Part::Mark, blank, sink);
                return true;
            }
            Found::Part => part = true,
            Found::No => {}
        }
        match fit(bytes, ">>>") {
            Fit::Full(length) if self.ctx.family_is("functionary-v3.2") => {
                self.mode = Mode::Chevrons;
                self.out(Part::Mark, blank + length, sink);
                return true;
            }
            Fit::Part => part = true,
            _ => {}
        }
        if part && last.is_none() {
            return false;
        }
        match home::sniff(&text[..floor(text, MAX_SNIFFED)], &self.ctx) {
            Sniff::Maybe if last.is_none() && text.len() < MAX_SNIFFED => false,
            Sniff::No => {
                self.mode = Mode::Text;
                true
            }
            _ => {
                self.mode = Mode::Home;
                true
            }
        }
    }

    /// Marks around the answer that only this family has: they are plain words elsewhere.
    fn frame(&self) -> Option<(&'static str, &'static str)> {
        self.ctx.format().and_then(|format| format.frame)
    }

    fn home(&mut self, last: Option<Ending>, sink: &mut dyn FnMut(TextEvent<'_>)) -> bool {
        let Some(ending) = last else {
            self.waits = true;
            return false;
        };
        let blank = unseen(self.rest());
        let text = self.rest()[blank..].trim_ascii_end();
        let length = text.len();
        let Some(home) = home::read(text, ending, &self.ctx) else {
            self.mode = Mode::Text;
            return true;
        };
        self.out(Part::Mark, blank, sink);
        let mut end = home.end;
        if let Some((mark, thought)) = home.thought {
            self.out(Part::Mark, mark, sink);
            self.out(Part::Reasoning, thought - mark, sink);
            end -= thought;
        }
        if home.end == length {
            end = self.rest().len();
        }
        self.calls(home.calls, end, sink);
        self.mode = Mode::Through;
        self.out(Part::Mark, white(self.rest()), sink);
        true
    }

    /// Text for the user.
    fn plain(&mut self, last: Option<Ending>, sink: &mut dyn FnMut(TextEvent<'_>)) -> bool {
        let mut i = self.seen;
        let mut line_start = i == 0 && self.prose.at_line_start()
            || (i > 0
                && self.rest()[..i].rsplit('\n').next().is_some_and(|l| l.trim_ascii().is_empty())
                && (self.rest()[..i].contains('\n') || self.prose.at_line_start()));
        loop {
            let Some(&byte) = self.text.as_bytes().get(self.at + i) else {
                // All of it begins nothing.
                self.out(Part::Content, i, sink);
                return false;
            };
            let word = line_start && matches!(byte, b'f' | b'`');
            let begins = matches!(byte, b'<' | b'[' | b']')
                && (marks::may_begin(&self.text.as_bytes()[self.at + i..]) || self.frame().is_some());
            if begins || word {
                let text = &self.text[self.at + i..];
                let opener = marks::open(text.as_bytes(), line_start);
                let closer = self.closer(text);
                let tag = marks::tag(text.as_bytes());
                let part = opener == Found::Part
                    || closer == Found::Part
                    || tag == Found::Part
                    || self.may_be_aside(text, line_start);
                if part && last.is_none() {
                    self.out(Part::Content, i, sink);
                    return false;
                }
                match (opener, closer) {
                    (Found::Full(_, length), _) => {
                        self.out(Part::Content, i, sink);
                        // In a code block there is nothing to wait for.
                        if self.prose.in_block() || self.ctx.tools.is_none() {
                            self.let_go(length, sink);
                            return true;
                        }
                        // Behind another fence nothing tells whether one opens or closes.
                        let shown = match byte {
                            b'`' => self.prose.fenced || self.prose.is_indented(),
                            _ => self.prose.is_quoted(),
                        };
                        self.quoted = self.aside.is_some() || shown;
                        self.mode = Mode::Hold;
                        self.sniffed = false;
                        return true;
                    }
                    (_, Found::Full(_, length)) => {
                        self.out(Part::Content, i, sink);
                        return self.leaked(length, last, sink);
                    }
                    _ => {
                        self.note_aside(i, line_start);
                        // Its end is then no leak.
                        if let Found::Full(end, _) = tag
                            && !self.opened.contains(&end)
                        {
                            self.opened.push(end);
                        }
                    }
                }
            }
            line_start = byte == b'\n' || (line_start && byte.is_ascii_whitespace());
            i += 1;
            self.seen = i;
        }
    }

    fn closer(&self, text: &str) -> Found<&'static str> {
        match marks::closer(text.as_bytes()) {
            Found::No => match self.frame().map(|(_, close)| (close, fit(text.as_bytes(), close))) {
                Some((close, Fit::Full(length))) => Found::Full(close, length),
                Some((_, Fit::Part)) => Found::Part,
                _ => Found::No,
            },
            found => found,
        }
    }

    /// Whether the text ends within a mark that [`Reader::note_aside`] looks for.
    fn may_be_aside(&self, text: &str, line_start: bool) -> bool {
        let part = |mark: &str| fit(text.as_bytes(), mark) == Fit::Part;
        match self.aside {
            Some(close) => part(close),
            None => line_start && REASONING.iter().any(|(open, _)| part(open)),
        }
    }

    /// Remembers that reasoning begins or ends here, in the middle of the text. It stays text, because where
    /// it ends is not known; but a call in it is none.
    fn note_aside(&mut self, i: usize, line_start: bool) {
        let text = &self.text.as_bytes()[self.at + i..];
        self.aside = match self.aside {
            Some(close) if matches!(fit(text, close), Fit::Full(_)) => None,
            None if line_start => {
                let begun = REASONING.iter().find(|(open, _)| matches!(fit(text, open), Fit::Full(_)));
                begun.map(|(_, close)| *close)
            }
            same => same,
        };
    }

    /// A mark that ends something stands here. At the end of the text it is a leak; elsewhere it is text.
    fn leaked(&mut self, length: usize, last: Option<Ending>, sink: &mut dyn FnMut(TextEvent<'_>)) -> bool {
        let mut at = 0;
        let text = self.rest();
        loop {
            let next = at + white(&text[at..]);
            match self.closer(&text[next..]) {
                Found::Full(mark, length) if !self.opened.contains(&mark) => at = next + length,
                Found::Part if last.is_none() => return false,
                _ => {
                    let rest = &text[next..];
                    if rest.is_empty() && last.is_none() && at > 0 {
                        return false;
                    }
                    let leak = rest.is_empty()
                        && at > 0
                        && !self.shown
                        && !self.prose.names()
                        && !self.prose.is_quoted()
                        && !self.prose.in_block();
                    let (part, length) =
                        if leak { (Part::Mark, text.len()) } else { (Part::Content, length) };
                    self.out(part, length, sink);
                    return true;
                }
            }
        }
    }

    /// Functionary's messages: `NAME`, a line end, a body; then `>>>` and the next.
    fn chevrons(&mut self, last: Option<Ending>, sink: &mut dyn FnMut(TextEvent<'_>)) -> bool {
        if last.is_none() {
            self.waits = true;
            return false;
        }
        let text = self.rest();
        let Some((name, body)) = text.split_once('\n') else {
            self.mode = Mode::Through;
            return true;
        };
        let head = name.len() + 1;
        if name.trim() == "all" {
            let end = self.next_chevrons(body).unwrap_or(body.len());
            self.out(Part::Mark, head, sink);
            self.out(Part::Content, end, sink);
            self.out(Part::Mark, 3.min(self.rest().len()), sink);
            return true;
        }
        let call = (|| {
            let tool = self.ctx.offered(name)?;
            let crate::json::End::At(end) = crate::json::value_end(text, head + white(body)) else {
                return None;
            };
            let behind = text[end..].trim_ascii_start();
            let mark = if behind.starts_with(">>>") { 3 } else { 0 };
            let over = mark > 0 || text[end..].len() == marks::skip_closers(&text[end..]).0;
            let said = crate::envelope::Said::plain(tool, text[head..end].trim_ascii());
            let call = over.then(|| said.judged(Ending::Complete, &self.ctx))??;
            Some((call, if mark > 0 { text.len() - behind.len() + mark } else { text.len() }))
        })();
        match call {
            Some((call, end)) => self.calls([call].into(), end, sink),
            None => {
                // Behind calls that are whole, another one may be cut, and nothing else may stand.
                let open = crate::json::value_end(text, head + white(body)) == crate::json::End::Open;
                let cut = open && last == Some(Ending::Cut) && self.ctx.parallel;
                self.talked |= self.called && !cut;
                self.mode = Mode::Through;
            }
        }
        true
    }
}

impl Reader<'_> {
    /// Where in `body` the next message of Functionary begins: with a line that is a recipient, and not where it is
    /// shown.
    fn next_chevrons(&self, body: &str) -> Option<usize> {
        let mut prose = Prose::default();
        let (mut at, mut tries) = (0, 0);
        while let Some(step) = body[at..].find(">>>").filter(|_| tries <= MAX_TRIES) {
            prose.feed(&body[at..at + step]);
            at += step;
            let head = &body[at + 3..floor(body, at + 3 + MAX_SNIFFED)];
            let name = head.split_once('\n').map(|(name, _)| name.trim());
            let begins = name.is_some_and(|name| name == "all" || self.ctx.offered(name).is_some());
            tries += usize::from(begins);
            if begins && !prose.is_quoted() && !prose.talks("", true) {
                return Some(at);
            }
            prose.feed(&body[at..at + 3]);
            at += 3;
        }
        None
    }
}

/// The last border of a character at or before `at`.
pub(crate) fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl TextReader for Reader<'_> {
    /// Counts where none was given before.
    fn model(&mut self, name: &str) {
        if self.ctx.model == Match::Empty {
            self.ctx.model = family(name);
        }
    }

    fn push(&mut self, piece: &str, sink: &mut dyn FnMut(TextEvent<'_>)) {
        self.text.push_str(piece);
        if !self.waits || self.rest().len() > MAX_HELD {
            self.run(None, sink);
        }
    }

    fn finish(&mut self, ending: Ending, sink: &mut dyn FnMut(TextEvent<'_>)) {
        let mut calls = 0usize;
        let mut held: Vec<(Part, String, Option<TextCall>)> = Vec::new();
        self.run(Some(ending), &mut |event| {
            held.push(match event {
                TextEvent::Content(text) => (Part::Content, text.into(), None),
                TextEvent::Reasoning(text) => (Part::Reasoning, text.into(), None),
                TextEvent::Mark(text) => (Part::Mark, text.into(), None),
                TextEvent::Call(call) => {
                    calls += 1;
                    (Part::Content, call.source.clone(), Some(call))
                }
            });
        });
        let one = !self.talked && (self.ctx.parallel || calls < 2);
        let mut refused = false;
        for (part, text, call) in held {
            // What stands between calls that are none is text like they are.
            refused |= call.is_some() && !one;
            match (call, part) {
                (Some(call), _) if one => sink(TextEvent::Call(call)),
                (_, Part::Content) if text.is_empty() => {}
                (_, Part::Content) => sink(TextEvent::Content(&text)),
                (_, Part::Reasoning) => sink(TextEvent::Reasoning(&text)),
                (_, Part::Mark) if refused => sink(TextEvent::Content(&text)),
                (_, Part::Mark) => sink(TextEvent::Mark(&text)),
            }
        }
    }
}
