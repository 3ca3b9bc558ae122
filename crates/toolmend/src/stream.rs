//! Deltas of calls in; a call out only when it is complete and good.

use core::fmt;
use std::collections::BTreeSet;

use toolmend_core::{Ending, Evidence, Verdict};
use toolmend_wire::assembly::{Assembly, View};
use toolmend_wire::signal::{Arguments, Form, Piece, Slot};
use toolmend_wire::{Exceeded, Limits, Text};

use crate::builder::Toolmend;
use crate::settled::{Outcome, SettledCall};

/// A piece of a call, as a client library hands it out while a turn is streamed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallDelta<'d> {
    /// The choice; 0 where the request asks for one answer.
    pub choice: u32,
    /// The call's number within the choice, where the server gives one.
    pub index: Option<u32>,
    /// The call's id; usually with its first delta only.
    pub id: Option<&'d str>,
    /// The tool's name; usually with its first delta only.
    pub name: Option<&'d str>,
    /// The next piece of the arguments.
    pub arguments: &'d str,
}

/// Puts the calls of a streamed turn together and lets out those that can be run.
///
/// A call is let out before the end of the turn only where nothing can change it any more: its body is a
/// valid object as it stands, its tool's schema admits it, and another call was begun after it. Everything
/// else is settled by [`CallStream::finish`], for only then is it known whether the model had finished.
///
/// ```
/// use toolmend::{CallDelta, CallStream, Evidence, Tool, Toolmend};
///
/// let search = r#"{"type": "object", "required": ["query"], "properties": {
///     "query": {"type": "string"}, "top_k": {"type": "integer"}
/// }}"#;
/// let toolmend = Toolmend::new().tools([Tool::new("search", search)]);
/// let mut stream = CallStream::new(&toolmend);
/// for arguments in ["{\"query\": ", "\"rust\", \"top_k\": \"5\",", "\n}"] {
///     let delta = CallDelta { index: Some(0), name: Some("search"), arguments, ..CallDelta::default() };
///     assert!(stream.push(&[delta])?.is_empty());
/// }
/// let calls = stream.finish(Evidence::new().finish_reason(Some("tool_calls")));
/// assert_eq!(calls[0].arguments(), Some("{\"query\": \"rust\", \"top_k\": 5\n}"));
/// # Ok::<(), toolmend::StreamError>(())
/// ```
///
/// A model that writes its call as plain text, without a name or number, is one call with deltas that have
/// only [`CallDelta::arguments`].
#[derive(Debug)]
pub struct CallStream<'t, 'a> {
    toolmend: &'t Toolmend<'a>,
    assembly: Assembly,
    /// The calls that are out, as (choice, index).
    out: BTreeSet<(u32, u32)>,
    /// The calls, in the order in which they were begun, that may still be let out early.
    waiting: Vec<usize>,
}

impl<'t, 'a> CallStream<'t, 'a> {
    /// At the beginning of a turn.
    #[must_use]
    pub fn new(toolmend: &'t Toolmend<'a>) -> Self {
        Self::with_limits(toolmend, Limits::default())
    }

    /// As [`CallStream::new`], with other limits.
    #[must_use]
    pub fn with_limits(toolmend: &'t Toolmend<'a>, limits: Limits) -> Self {
        CallStream { toolmend, assembly: Assembly::new(limits), out: BTreeSet::new(), waiting: Vec::new() }
    }

    /// Takes the deltas that came with one event; answers the calls that can be run now.
    ///
    /// # Errors
    /// When the turn holds more than its limits allow, or a call goes on that is out already. The stream
    /// can be used on; what is out stays out.
    pub fn push(&mut self, deltas: &[CallDelta<'_>]) -> Result<Vec<SettledCall>, StreamError> {
        self.assembly.next_event();
        let before = self.assembly.len();
        let mut goes_on = None;
        for delta in deltas {
            let call = self.assembly.piece(piece(delta))?;
            if !self.waiting.contains(&call) {
                self.waiting.push(call);
            }
            let view = self.assembly.view(call);
            if let Some(view) = view.filter(|view| self.out.contains(&(view.choice, view.index)))
                && !delta.arguments.trim().is_empty()
            {
                goes_on.get_or_insert(StreamError::GoesOn { name: view.name.to_owned() });
            }
        }
        if let Some(error) = goes_on {
            return Err(error);
        }
        // Only what is begun ends what came before it.
        if self.assembly.len() == before {
            return Ok(Vec::new());
        }
        let (assembly, toolmend, out) = (&self.assembly, self.toolmend, &mut self.out);
        let mut ready = Vec::new();
        self.waiting.retain(|call| {
            let Some(view) = assembly.view(*call).filter(|view| view.followed) else {
                return true;
            };
            if !out.contains(&(view.choice, view.index))
                && let Some(call) = early(toolmend, view)
            {
                out.insert((view.choice, view.index));
                ready.push(call);
            }
            false
        });
        Ok(ready)
    }

    /// The turn is over, and `end` is what is known of its ending: settles every call that is not out yet.
    #[must_use]
    pub fn finish(self, end: Evidence<'_>) -> Vec<SettledCall> {
        let CallStream { toolmend, assembly, out, .. } = self;
        let calls = assembly.finish().calls;
        let rest = calls.iter().filter(|call| !out.contains(&(call.choice, call.index)));
        rest.map(|call| toolmend.settle(call, call.evidence(end))).collect()
    }
}

fn piece<'d>(delta: &CallDelta<'d>) -> Piece<'d> {
    let arguments = Some(delta.arguments).filter(|arguments| !arguments.is_empty());
    Piece {
        choice: delta.choice,
        slot: delta.index.map_or(Slot::Unnumbered, Slot::Numbered),
        opens: false,
        id: delta.id.map(Text::Plain),
        kind: None,
        name: delta.name.map(Text::Plain),
        form: Form::Text,
        arguments: arguments.map(|arguments| Arguments::Text(Text::Plain(arguments))),
    }
}

/// A call that was ended by the one after it, where it is good as it stands. An empty object may yet prove
/// to be a placeholder.
fn early(toolmend: &Toolmend<'_>, view: View<'_>) -> Option<SettledCall> {
    if !view.closed || view.faulty || view.arguments.trim() == "{}" {
        return None;
    }
    let evidence = Evidence::new().stated(Ending::Complete);
    let verdict = toolmend.mend_call(view.name, view.arguments, evidence)?;
    matches!(verdict, Verdict::Intact { .. }).then(|| SettledCall {
        choice: view.choice,
        index: view.index,
        id: view.id.map(str::to_owned),
        name: view.name.to_owned(),
        body: view.arguments.to_owned(),
        outcome: Outcome::Judged(verdict),
    })
}

/// Why a stream of deltas cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamError {
    /// It holds more than its limits allow.
    TooMuch(Exceeded),
    /// A delta goes on with a call that was complete, and is out.
    GoesOn {
        /// The call's name.
        name: String,
    },
}

impl From<Exceeded> for StreamError {
    fn from(exceeded: Exceeded) -> Self {
        StreamError::TooMuch(exceeded)
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::TooMuch(exceeded) => exceeded.fmt(f),
            StreamError::GoesOn { name } => {
                write!(f, "a delta goes on with a call of {name} that was complete")
            }
        }
    }
}

impl core::error::Error for StreamError {}
