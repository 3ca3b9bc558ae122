//! One call that may still go on.

use super::body::{Body, is_object, is_placeholder};
use crate::recorded::{Bound, Call, CallFault, Finish};
use crate::signal::{Arguments, Slot};

/// A call that may still go on.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) choice: u32,
    pub(super) index: u32,
    pub(super) slot: Slot,
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) body: Body,
    pub(super) fault: Option<CallFault>,
    /// The event that its latest piece came with.
    pub(super) event: u64,
    /// When its first piece came, its latest one that said anything, and its latest one that said arguments.
    pub(super) opened: u64,
    pub(super) latest: u64,
    pub(super) argued: u64,
    /// The protocol said that no more of it comes.
    pub(super) ended: bool,
    /// The protocol says of such a call that no more of it comes.
    pub(super) has_end: bool,
    /// It may have lacked a piece by then, or the server says that it broke off.
    torn: bool,
    /// A later piece of it came without an id.
    pub(super) plain: bool,
}

/// An event that could not be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loss {
    pub(super) offset: u64,
    /// How many pieces had come before it.
    pub(super) after: u64,
}

/// What a piece says of its call.
pub(super) struct Said<'a> {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) arguments: Option<Arguments<'a>>,
}

impl Said<'_> {
    pub(super) fn says_something(&self) -> bool {
        self.id.is_some() || self.name.is_some() || self.arguments.is_some()
    }

    pub(super) fn is_copy(&self) -> bool {
        matches!(self.arguments, Some(Arguments::Copy { .. }))
    }
}

impl OpenCall {
    /// Nothing has come of it yet.
    pub(super) fn new(choice: u32, index: u32, slot: Slot) -> Self {
        OpenCall {
            choice,
            index,
            slot,
            id: None,
            name: String::new(),
            body: Body::default(),
            fault: None,
            event: 0,
            opened: 0,
            latest: 0,
            argued: 0,
            ended: false,
            has_end: false,
            torn: false,
            plain: false,
        }
    }

    /// Whether it was open when this event got lost, and has said no arguments since.
    pub(super) fn may_lack(&self, loss: &Loss) -> bool {
        loss.after >= self.opened.max(self.argued) && !self.body.shape.closed()
    }

    /// No more of it comes.
    pub(super) fn end(&mut self, lost: Option<Loss>) {
        self.torn |= lost.is_some_and(|loss| self.may_lack(&loss)) && !self.body.is_told_whole();
        self.ended = true;
    }

    /// The server says that it broke off.
    pub(super) fn break_off(&mut self) {
        self.torn = true;
    }

    /// Whether its pieces do not make a body, as far as they have come.
    pub(super) fn is_faulty(&self) -> bool {
        self.fault.is_some() || self.body.text.lone().is_some()
    }

    /// Whether a piece begins as another call does and holds all of its arguments, while those of this one are open.
    pub(super) fn collides_with(&self, said: &Said<'_>) -> bool {
        let is_known = said.id.is_some() && said.id == self.id;
        let Some(Arguments::Text(text)) = said.arguments.filter(|_| said.name.is_some() && !is_known) else {
            return false;
        };
        let text = text.to_cow();
        !self.body.is_blank() && !self.body.shape.closed() && is_object(&text) && !is_placeholder(&text)
    }

    /// Answers how many bytes were added.
    pub(super) fn take(&mut self, said: Said<'_>, lost: Option<Loss>) -> usize {
        let mut added = 0;
        if let Some(id) = said.id.filter(|_| self.id.is_none()) {
            added += id.len();
            self.id = Some(id);
        }
        if let Some(name) = said.name {
            added += self.rename(&name);
        }
        let Some(arguments) = said.arguments else {
            return added;
        };
        // A copy lacks nothing for that.
        if let Some(Loss { offset, .. }) = lost.filter(|_| !matches!(arguments, Arguments::Copy { .. })) {
            self.fault.get_or_insert(CallFault::PieceLost { offset });
        }
        match self.body.take(arguments) {
            Ok(bytes) => added + bytes,
            Err(fault) => {
                self.fault.get_or_insert(fault);
                added
            }
        }
    }

    fn rename(&mut self, name: &str) -> usize {
        let before = self.name.len();
        match Naming::of(&self.name, name) {
            Naming::First => self.name = name.to_owned(),
            Naming::Same => {}
            // A name that comes in pieces is complete before the arguments begin.
            Naming::Longer if !self.body.has_begun() => self.name = name.to_owned(),
            Naming::Another if !self.body.has_begun() => self.name.push_str(name),
            Naming::Longer | Naming::Another => {
                self.fault.get_or_insert_with(|| CallFault::NameChanged { to: name.to_owned() });
            }
        }
        self.name.len().saturating_sub(before)
    }

    /// The call as far as it has come.
    ///
    /// Where the protocol puts `{}` in the place of arguments that are yet to come, and no end of them was seen, there
    /// are none.
    pub(super) fn settle(&self, followed: bool, lost: Option<Loss>, finish: &Finish) -> Call {
        let mut fault = self.fault.clone();
        if let Some(at) = self.body.text.lone() {
            fault.get_or_insert(CallFault::LoneSurrogate { at });
        }
        let open = self.slot != Slot::Whole && !self.ended;
        let torn = self.torn || open && lost.is_some_and(|loss| self.may_lack(&loss));
        let bound = match followed {
            _ if torn => Bound::Torn,
            true => Bound::Followed,
            false => Bound::Last,
        };
        let ends = followed || !finish.says_cut() && (self.ended || matches!(finish, Finish::Word(_)));
        let arguments = match self.slot != Slot::Whole && self.body.is_announced() && (torn || !ends) {
            true => String::new(),
            false => self.body.settle().unwrap_or_else(|other| {
                fault.get_or_insert(other);
                self.body.text.text().to_owned()
            }),
        };
        Call {
            choice: self.choice,
            index: self.index,
            id: self.id.clone(),
            name: self.name.clone(),
            arguments,
            fault,
            bound,
            legacy: self.slot == Slot::Legacy,
        }
    }
}

/// How a name relates to the one that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    First,
    Same,
    /// The known name, and more.
    Longer,
    Another,
}

impl Naming {
    pub(super) fn of(known: &str, name: &str) -> Naming {
        if known.is_empty() {
            Naming::First
        // Some servers write a missing name as the word `null`.
        } else if known == name || name == "null" {
            Naming::Same
        } else if name.starts_with(known) {
            Naming::Longer
        } else {
            Naming::Another
        }
    }
}
