//! Signals to calls, whatever protocol they came by.
//!
//! A piece names its call by number, by id, or not at all, and servers get each of these wrong. What
//! decides is whether the call's object is still open, and whether the piece begins one:
//!
//! ```text
//!  the piece's call    with a new id                with its name again        otherwise
//!  nothing written     same, unless the name        same                       same
//!                      is another
//!  object open         same, unless it has a        same                       same
//!                      name and no text
//!  object closed       a new call if it has         a new call if it begins    same
//!                      another name, or a name      an object, unless it is one
//!                      and no text, or begins       that the body begins with,
//!                      an object                    or the body is just `{}`
//! ```
//!
//! Where a piece without an id has come, a new id with a name is a new call while the object is open, too. An id that is
//! said again is of the same call. Another name without an id is a new call behind what is closed; without text only
//! where calls have no ids, else it may be the rest of the name. What comes with a name and is an object by itself goes on
//! with no object that is open: then both are no one's.
//!
//! So ids that change with every piece of a numbered call (vLLM with gpt-oss) stay one call, and calls that share
//! a number (ollama/ollama#7881 and others) do not run into each other. Copies of a body without an id of their own
//! stay in the body, as many as come: what is to become of a doubled body is the mender's question.

mod body;
mod call;
mod parts;

use self::body::begins_with;
pub(crate) use self::body::{ANNOUNCED, is_placeholder, same_tokens};

use std::collections::{BTreeMap, BTreeSet};

use self::call::{Loss, Naming, OpenCall, Said};
use crate::limits::{Exceeded, Limits};
use crate::recorded::{Bound, Call, CallFault, Choice, Finish, Usage};
use crate::shape::Shape;
use crate::signal::{Arguments, Piece, Signal, Slot};
use crate::text::{Joined, Text};

/// Puts the signals of one turn together.
#[derive(Debug, Default)]
pub struct Assembly {
    limits: Limits,
    held: usize,
    model: Option<String>,
    /// Boxed, as most turns have one, and a map makes room for several.
    choices: BTreeMap<u32, Box<OpenChoice>>,
    calls: Vec<OpenCall>,
    slots: BTreeMap<(u32, Slot), usize>,
    indices: BTreeSet<(u32, u32)>,
    usage: Option<Usage>,
    /// Events so far, and pieces so far: what came after what.
    events: u64,
    pieces: u64,
    /// The latest event that could not be read.
    lost: Option<Loss>,
    whole: bool,
    ended: bool,
}

#[derive(Debug, Default)]
struct OpenChoice {
    content: Joined,
    reasoning: Joined,
    finish: Option<Finish>,
    /// Some word of the server's says that the model stopped by itself.
    claims_end: bool,
    /// The server says that it broke off.
    breaks_off: bool,
    latest: Option<usize>,
    /// When its latest call was opened.
    opened: u64,
    /// It was said who speaks.
    role: bool,
}

/// What a piece was to its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    /// The call's number in [`Assembly::view`].
    pub(crate) call: usize,
    /// It is the call's first piece.
    pub(crate) opened: bool,
    /// Where its text stands in the call's arguments, in bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// How often the arguments had begun anew when they held it.
    pub(crate) restarts: u32,
    /// It ends with half of a surrogate pair.
    pub(crate) waits: bool,
    /// It gives an id that its call had not, and how long a name it gives.
    pub(crate) new_id: bool,
    pub(crate) name: usize,
    /// Nothing has said yet who speaks in its choice.
    pub(crate) no_role: bool,
}

/// How a call stands at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View<'a> {
    /// The choice that it belongs to.
    pub choice: u32,
    /// Its number within the choice.
    pub index: u32,
    /// Its id, where one came.
    pub id: Option<&'a str>,
    /// Its name so far.
    pub name: &'a str,
    /// Its arguments so far.
    pub arguments: &'a str,
    /// Whether its first object is closed.
    pub closed: bool,
    /// Whether the protocol said that no more of it comes.
    pub ended: bool,
    /// Whether another call of its choice was opened after its latest piece.
    pub followed: bool,
    /// Whether its pieces do not make a body; why is told at the end.
    pub faulty: bool,
}

/// What a turn came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// The model's name.
    pub model: Option<String>,
    /// The calls, ordered by choice and then as they were opened.
    pub calls: Vec<Call>,
    /// The choices, ordered by number.
    pub choices: Vec<Choice>,
    /// What the server counted.
    pub usage: Option<Usage>,
    /// Whether the end of the turn was seen.
    pub terminal: bool,
    /// Whether half of a surrogate pair stood alone in a text or reasoning.
    pub lone_surrogate: bool,
}

impl Assembly {
    /// Nothing has come yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Assembly { limits, ..Assembly::default() }
    }

    /// The signals that follow come with another event.
    pub fn next_event(&mut self) {
        self.events += 1;
    }

    /// The event at this byte could not be read, or is an error: any call that is open may have lost a piece
    /// with it.
    pub fn lose(&mut self, offset: u64) {
        self.lost = Some(Loss { offset, after: self.pieces });
    }

    /// Takes what an event says.
    ///
    /// # Errors
    /// When the turn holds more than its limits allow.
    pub fn signal(&mut self, signal: Signal<'_>) -> Result<(), Exceeded> {
        match signal {
            Signal::Model(model) => {
                if self.model.is_none() && !model.is_empty() {
                    let model = model.to_text();
                    self.hold(model.len())?;
                    self.model = Some(model);
                }
            }
            Signal::Choice(choice) => {
                self.choice(choice)?;
            }
            Signal::Call(piece) => {
                self.piece(piece)?;
            }
            Signal::Closed { choice, slot } => self.close(choice, slot),
            Signal::Cut { choice, slot: None } => self.choice(choice)?.breaks_off = true,
            Signal::Cut { choice, slot: Some(slot) } => {
                if let Some(at) = self.slots.get(&(choice, slot)) {
                    self.calls[*at].break_off();
                }
            }
            Signal::Foreign { .. } => {}
            Signal::Lost => self.lose(0),
            Signal::Role(choice) => self.choice(choice)?.role = true,
            Signal::Content { choice, text } => {
                let added = self.choice(choice)?.content.grow(text);
                self.hold(added)?;
            }
            Signal::Reasoning { choice, text } => {
                let added = self.choice(choice)?.reasoning.grow(text);
                self.hold(added)?;
            }
            Signal::Finish { choice, word } => {
                let finish = word.map_or(Finish::Null, |word| Finish::Word(word.to_text()));
                let choice = self.choice(choice)?;
                choice.claims_end |= finish.says_complete();
                choice.finish.get_or_insert(Finish::Null).say(finish);
            }
            Signal::Usage(usage) => self.usage.get_or_insert_default().count(usage),
            Signal::Whole => self.whole = true,
            Signal::End | Signal::Ended => self.ended = true,
        }
        Ok(())
    }

    /// Takes a piece of a call; answers the call's number in [`Assembly::view`].
    ///
    /// # Errors
    /// When the turn holds more than its limits allow.
    pub fn piece(&mut self, piece: Piece<'_>) -> Result<usize, Exceeded> {
        self.take(piece).map(|taken| taken.call)
    }

    /// As [`Assembly::piece`]; answers what the piece was to its call.
    pub(crate) fn take(&mut self, piece: Piece<'_>) -> Result<Taken, Exceeded> {
        let id = piece.id.map(Text::to_text).filter(|id| !id.is_empty());
        let name = piece.name.map(Text::to_text).filter(|name| !name.is_empty());
        let said = Said { id, name, arguments: piece.arguments.filter(|arguments| !arguments.is_empty()) };
        self.choice(piece.choice)?;
        let at = match self.target(&piece, &said).filter(|at| !self.begins_another(*at, &piece, &said)) {
            Some(at) => at,
            None => self.open(&piece)?,
        };
        self.pieces += 1;
        let call = &mut self.calls[at];
        if call.collides_with(&said) {
            call.fault.get_or_insert(CallFault::MixedArguments);
        }
        let opened = call.opened == 0;
        let lost = self.lost.filter(|loss| match opened {
            // The piece that names a call is its first; where it is missing, it may be the one that was lost.
            true => said.name.is_none(),
            false => call.may_lack(loss),
        });
        call.event = self.events;
        if opened {
            call.opened = self.pieces;
            call.latest = self.pieces;
            // A protocol that says where a numbered call begins says where it ends.
            call.has_end = piece.opens && matches!(piece.slot, Slot::Numbered(_));
        } else if said.says_something() && !said.is_copy() {
            call.latest = self.pieces;
        }
        if said.arguments.is_some() && !said.is_copy() {
            call.argued = self.pieces;
        }
        call.plain |= !opened && said.id.is_none() && !said.is_copy();
        let (before, restarts) = (call.body.text.text().len(), call.body.restarts);
        let new_id = said.id.is_some() && said.id != call.id;
        let is_copy = said.is_copy();
        let name = said.name.as_ref().map_or(0, String::len);
        let added = call.take(said, lost);
        let end = call.body.text.text().len();
        let start = if call.body.restarts == restarts && !is_copy { before } else { 0 };
        let choice = self.choices.get_mut(&piece.choice);
        let no_role = choice.as_ref().is_none_or(|choice| !choice.role);
        if let Some(choice) = choice {
            choice.latest = Some(at);
            if opened {
                choice.opened = self.pieces;
            }
        }
        let taken = Taken {
            call: at,
            opened,
            start: start.min(end),
            end,
            restarts: call.body.restarts,
            waits: call.body.text.waits(),
            new_id,
            name,
            no_role,
        };
        self.hold(added)?;
        Ok(taken)
    }

    /// No more pieces of the call in this slot.
    fn close(&mut self, choice: u32, slot: Slot) {
        if let Some(at) = self.slots.get(&(choice, slot)) {
            self.calls[*at].end(self.lost);
        }
    }

    /// No more pieces of any call.
    pub(crate) fn end(&mut self) {
        for call in &mut self.calls {
            call.body.text.end();
        }
    }

    /// The call of this number, as far as it has come.
    pub(crate) fn call(&self, at: usize) -> Option<Call> {
        let open = self.calls.get(at)?;
        // Where calls have ends, one that has none was not ended by the one behind it.
        let followed = self.is_followed(open) && (open.ended || !open.has_end);
        let breaks_off = self.choices.get(&open.choice).is_some_and(|choice| choice.breaks_off);
        let mut call = open.settle(followed, self.lost, &self.finish_of(open.choice));
        if breaks_off && call.bound == Bound::Last {
            call.bound = Bound::Torn;
        }
        Some(call)
    }

    /// What the pieces of this call say, how often it had begun anew, and what the server says they said.
    pub(crate) fn said(&self, at: usize) -> Option<(&str, u32, Vec<&str>)> {
        let body = &self.calls.get(at)?.body;
        Some((body.text.text(), body.restarts, body.copies().collect()))
    }

    /// Whether this call's arguments came value by value.
    pub(crate) fn is_in_parts(&self, at: usize) -> bool {
        self.calls.get(at).is_some_and(|call| call.body.is_in_parts())
    }

    /// Whether the protocol said that no more of this call comes.
    pub(crate) fn is_ended(&self, at: usize) -> bool {
        self.calls.get(at).is_some_and(|call| call.ended)
    }

    /// The event that got lost while this call had yet to get the end that its protocol gives it.
    pub(crate) fn lost_before_end(&self, at: usize) -> Option<u64> {
        let call = self.calls.get(at).filter(|call| call.has_end && !call.ended)?;
        self.lost.filter(|loss| loss.after >= call.opened).map(|loss| loss.offset)
    }

    /// The id and the name of this call, and its choice.
    pub(crate) fn known_as(&self, at: usize) -> Option<(u32, Option<&str>, &str)> {
        self.calls.get(at).map(|call| (call.choice, call.id.as_deref(), &*call.name))
    }

    /// Whether a call of the choice has this number.
    pub(crate) fn has_number(&self, choice: u32, number: u32) -> bool {
        self.indices.contains(&(choice, number))
    }

    /// Whether the server numbered the calls of a choice one by one, from this number on.
    pub(crate) fn counts_on_from(&self, choice: u32, first: u32) -> bool {
        let mut slots = self.calls.iter().filter(|call| call.choice == choice).map(|call| call.slot).zip(0..);
        slots.all(|(slot, before): (_, u32)| first.checked_add(before).map(Slot::Numbered) == Some(slot))
    }

    /// Whether another call of the same choice was opened after the latest piece of this one.
    fn is_followed(&self, call: &OpenCall) -> bool {
        self.choices.get(&call.choice).is_some_and(|choice| choice.opened > call.latest)
    }

    /// What the server counted, so far.
    pub(crate) fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// How many choices there are.
    pub(crate) fn choices(&self) -> usize {
        self.choices.len()
    }

    /// How a choice ended, as far as that is known.
    pub(crate) fn finish_of(&self, choice: u32) -> Finish {
        let known = self.choices.get(&choice).and_then(|choice| choice.finish.clone());
        known.unwrap_or(if self.whole { Finish::Missing } else { Finish::Null })
    }

    /// Whether the server says that a choice ended by itself, be it beside another word for a cut.
    pub(crate) fn claims_end(&self, choice: u32) -> bool {
        let finish = self.finish_of(choice);
        (finish.says_complete() || finish.says_length())
            && self.choices.get(&choice).is_some_and(|choice| choice.claims_end)
    }

    /// The model's name, where it is known.
    pub(crate) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// How many calls there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether there is no call.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// How the call of this number stands, counted in the order in which they were opened.
    #[must_use]
    pub fn view(&self, call: usize) -> Option<View<'_>> {
        let open = self.calls.get(call)?;
        Some(View {
            choice: open.choice,
            index: open.index,
            id: open.id.as_deref(),
            name: &open.name,
            arguments: open.body.text.text(),
            closed: open.body.shape.closed(),
            ended: open.ended,
            followed: self.is_followed(open),
            faulty: open.is_faulty(),
        })
    }

    /// Whether nothing that comes may change a call any more, but for what comes late.
    pub(crate) fn is_over(&self, call: usize) -> bool {
        self.calls.get(call).is_some_and(|call| call.ended || self.is_followed(call))
    }

    /// Whether the pieces of a call do not make a body, as far as they have come.
    pub(crate) fn is_faulty(&self, call: usize) -> bool {
        self.calls.get(call).is_some_and(OpenCall::is_faulty)
    }

    /// The turn is over.
    #[must_use]
    pub fn finish(mut self) -> Assembled {
        self.end();
        let mut calls: Vec<Call> = (0..self.calls.len()).filter_map(|at| self.call(at)).collect();
        // Some servers send a call in the older form beside the present one.
        let copies =
            |call: &&Call| calls.iter().any(|c| !c.legacy && c.choice == call.choice && c.says_as(call));
        let doubled: BTreeSet<(u32, u32)> = calls
            .iter()
            .filter(|call| call.legacy)
            .filter(copies)
            .map(|call| (call.choice, call.index))
            .collect();
        calls.retain(|call| !doubled.contains(&(call.choice, call.index)));
        calls.sort_by_key(|call| call.choice);

        let missing = if self.whole { Finish::Missing } else { Finish::Null };
        let mut lone_surrogate = false;
        let choices = self.choices.into_iter().map(|(index, mut open)| {
            open.content.end();
            open.reasoning.end();
            lone_surrogate |= open.content.lone().is_some() || open.reasoning.lone().is_some();
            let open = *open;
            Choice {
                index,
                content: open.content.into_text(),
                reasoning: open.reasoning.into_text(),
                finish: open.finish.unwrap_or_else(|| missing.clone()),
            }
        });
        Assembled {
            model: self.model,
            calls,
            choices: choices.collect(),
            usage: self.usage,
            terminal: self.whole || self.ended,
            lone_surrogate,
        }
    }

    fn choice(&mut self, number: u32) -> Result<&mut OpenChoice, Exceeded> {
        if self.choices.len() >= self.limits.choices && !self.choices.contains_key(&number) {
            return Err(Exceeded::Choices(self.limits.choices));
        }
        Ok(self.choices.entry(number).or_default())
    }

    /// The call that a piece belongs to, if it opens none.
    fn target(&self, piece: &Piece<'_>, said: &Said<'_>) -> Option<usize> {
        match piece.slot {
            Slot::Whole => None,
            Slot::Numbered(_) | Slot::Legacy => {
                let known = self.slots.get(&(piece.choice, piece.slot)).copied();
                // What has nothing but a number goes on with a call that has none.
                let goes_on = || {
                    let latest = self.choices.get(&piece.choice)?.latest?;
                    let numberless = self.calls[latest].slot == Slot::Unnumbered;
                    (numberless && said.id.is_none() && said.name.is_none()).then_some(latest)
                };
                known.or_else(goes_on)
            }
            Slot::Unnumbered => {
                let same = |call: &OpenCall| call.choice == piece.choice && call.id == said.id;
                let of_id = said.id.as_ref().and_then(|_| self.calls.iter().rposition(same));
                of_id.or_else(|| self.choices.get(&piece.choice)?.latest)
            }
        }
    }

    /// The table at the top of this file.
    fn begins_another(&self, at: usize, piece: &Piece<'_>, said: &Said<'_>) -> bool {
        let (call, slot) = (&self.calls[at], piece.slot);
        let (same_id, new_id) = match (&said.id, &call.id) {
            (Some(new), Some(own)) => (new == own, new != own),
            _ => (false, false),
        };
        if piece.opens {
            return true;
        }
        if said.is_copy() || said.name.is_none() && !new_id {
            return false;
        }
        let text = said.arguments.map(Arguments::to_text).unwrap_or_default();
        let (begins_object, blank) = (text.trim_start().starts_with(['{', '[']), text.trim().is_empty());
        let naming = said.name.as_ref().map(|name| Naming::of(&call.name, name));
        // A name grows under one id.
        let other_name = naming == Some(Naming::Another) || naming == Some(Naming::Longer) && new_id;
        // Two entries of one list are two calls.
        let numberless = slot == Slot::Unnumbered;
        if call.event == self.events && naming.is_some() && (new_id || numberless) {
            return true;
        }
        if call.body.shape.closed() {
            let own = call.body.text.text();
            let is_copy = || begins_with(own, &text) && Shape::of(&text).closed();
            return if new_id {
                begins_object || other_name || naming.is_some() && blank
            } else {
                !same_id
                    && (other_name && (begins_object || blank && call.id.is_none())
                        || begins_object && !is_placeholder(own) && !is_copy())
            };
        }
        // What begins as calls do, with an id, a name and no text, is one where ids do not change with every piece: other
        // pieces came without, or it has come as far as its arguments; or where nothing but ids tells calls apart.
        let begins =
            new_id && naming.is_some() && (blank && (numberless || !call.body.is_blank()) || call.plain);
        begins || new_id && other_name && call.body.is_blank()
    }

    fn open(&mut self, piece: &Piece<'_>) -> Result<usize, Exceeded> {
        if self.calls.len() >= self.limits.calls {
            return Err(Exceeded::Calls(self.limits.calls));
        }
        let at = self.calls.len();
        let index = self.free_index(piece);
        self.indices.insert((piece.choice, index));
        self.slots.insert((piece.choice, piece.slot), at);
        if at == 0 {
            // Most turns have one, and a vector makes room for several.
            self.calls.reserve_exact(1);
        }
        self.calls.push(OpenCall::new(piece.choice, index, piece.slot));
        // Nothing can be added to a call that came whole.
        self.calls[at].ended = piece.slot == Slot::Whole;
        Ok(at)
    }

    /// The server's number where no other call of the choice has it, else the one after the highest; behind the
    /// highest number there is, the first one that is free.
    fn free_index(&self, piece: &Piece<'_>) -> u32 {
        if let Slot::Numbered(number) = piece.slot
            && !self.indices.contains(&(piece.choice, number))
        {
            return number;
        }
        let highest = self.indices.range((piece.choice, 0)..=(piece.choice, u32::MAX)).next_back();
        let next = highest.map_or(Some(0), |(_, highest)| highest.checked_add(1));
        let mut free = (0..u32::MAX).filter(|number| !self.indices.contains(&(piece.choice, *number)));
        next.or_else(|| free.next()).unwrap_or(u32::MAX)
    }

    fn hold(&mut self, added: usize) -> Result<(), Exceeded> {
        self.held = self.held.saturating_add(added);
        if self.held > self.limits.held_bytes {
            return Err(Exceeded::HeldBytes(self.limits.held_bytes));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
