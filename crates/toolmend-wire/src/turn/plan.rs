//! What is written of a call: which of its pieces change, and into what.

use toolmend_core::{CallJudge, Scanner, scan::Status};

use super::Flow;
use super::queue::{Has, Note, Piece};
use crate::assembly::{Taken, is_placeholder, same_tokens};

/// A call on its way out.
#[derive(Debug, Default)]
pub(super) struct State {
    /// How many pieces have come.
    pub(super) pieces: u32,
    /// What is to become of it, once that is known.
    pub(super) fate: Option<Fate>,
    /// It is declined, and known to be cut.
    pub(super) cut: bool,
    /// The pieces before this one may leave without a verdict.
    pub(super) clear: u32,
    /// How much of its arguments has left, in bytes, and whether anything of it has.
    pub(super) sent: usize,
    pub(super) begun: bool,
    /// The number, the id and the name that the client knows it by.
    pub(super) index: Option<u32>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    /// With [`Hold::Deviation`](super::Hold::Deviation): how far it is the beginning of an object.
    scan: Option<Box<Scanner>>,
    deviates: bool,
    /// The latest event that left with a piece of it and of no other call.
    pub(super) pattern: Pattern,
}

/// An event that another one can be made like.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    pub(super) raw: Vec<u8>,
    pub(super) at: Option<usize>,
    pub(super) data: usize,
    pub(super) piece: Option<Piece>,
}

impl Pattern {
    pub(super) fn keep(&mut self, note: &Note, raw: &[u8], piece: &Piece) {
        self.raw.clear();
        self.raw.extend_from_slice(raw);
        (self.at, self.data, self.piece) = (note.at, note.data, Some(*piece));
    }
}

/// What is to become of a call.
#[derive(Debug)]
pub(super) enum Fate {
    /// It leaves as it came.
    Left,
    /// It is good, and leaves like this.
    Good(Plan),
}

/// How the pieces of a good call are written.
#[derive(Debug)]
pub(super) struct Plan {
    /// The arguments.
    pub(super) output: String,
    /// How often the arguments had begun anew: pieces from before then are empty.
    pub(super) restarts: u32,
    /// Its pieces say something.
    pub(super) in_pieces: bool,
    /// The change of the pieces' text, where there is one.
    pub(super) change: Option<Change>,
    /// A copy says something else.
    pub(super) copies: bool,
    /// What the pieces lack, where all of them have left.
    pub(super) append: Option<String>,
}

/// One stretch of the pieces' text gives way to another.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) put: String,
    /// The pieces that it touches, by number, and the one that brings the new text.
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) carrier: u32,
}

impl State {
    /// Whether the end of the call may be told without a verdict.
    pub(super) fn may_close(&self) -> bool {
        self.fate.is_some()
            || self.scan.as_ref().is_some_and(|scan| scan.status() == Status::Whole) && !self.deviates
    }

    /// Follows the arguments of a call that streams, and says which pieces may leave.
    ///
    /// Some ends are undecided until the next piece: a comma outside of a string, a body that is just `{}`, a
    /// piece that begins with all there was, and half of a surrogate pair.
    pub(super) fn follow(&mut self, taken: &Taken, has: Has, text: &str, named: bool, streams: bool) {
        if has == Has::Json || !streams && has != Has::Copy || taken.restarts > 0 {
            self.deviates = true;
        }
        if self.deviates || has == Has::Copy {
            return;
        }
        let scan = self.scan.get_or_insert_default();
        let (before, piece) = text.split_at(taken.start.min(text.len()));
        let status = scan.push(piece.as_bytes());
        if matches!(status, Status::Fault { .. } | Status::TooDeep { .. }) {
            self.deviates = true;
            return;
        }
        let last = text.trim_ascii_end().as_bytes().last();
        let undecided = taken.waits
            || !named
            || last == Some(&b',') && !scan.in_string()
            || is_placeholder(text)
            || before.len() > 1 && piece.len() > before.len() && piece.starts_with(before);
        self.clear = if undecided { self.clear } else { self.pieces };
    }
}

impl Plan {
    /// Whether anything of the arguments is written in other bytes than it came.
    pub(super) fn changes(&self) -> bool {
        self.change.is_some() || self.copies || self.append.is_some()
    }

    /// Whether this piece of the call changes.
    pub(super) fn touches(&self, piece: &Piece) -> bool {
        piece.restarts < self.restarts
            || self.change.as_ref().is_some_and(|change| (change.first..=change.last).contains(&piece.number))
    }

    /// Whether the call needs this piece no more: a protocol of whole calls had it in two parts, and the first
    /// one gets all of it.
    pub(super) fn spares(&self, piece: &Piece) -> bool {
        piece.object && piece.number > 0 && self.restarts > 0 && matches!(piece.has, Has::Text | Has::Json)
    }

    /// The text of a piece, where `said` is that of all pieces.
    pub(super) fn text_of(&self, piece: &Piece, said: &str) -> String {
        let own = |from: usize, to: usize| said.get(from..to.max(from)).unwrap_or_default();
        let Some(change) = &self.change else {
            return own(piece.start, piece.end).to_owned();
        };
        let before = own(piece.start, piece.end.min(change.from));
        let put = if piece.number == change.carrier { &*change.put } else { "" };
        let behind = own(piece.start.max(change.to), piece.end);
        [before, put, behind].concat()
    }
}

impl<J: CallJudge> Flow<J> {
    /// How the pieces of this call come to say `output`; `None` where what was sent already says otherwise.
    pub(super) fn plan(&self, at: usize, output: String) -> Option<Plan> {
        let (said, restarts, copied) = self.assembly.said(at)?;
        let state = &self.states[at];
        let in_pieces = !said.trim().is_empty();
        let copies =
            !copied.iter().all(|copy| same_tokens(copy, &output) || in_pieces && is_placeholder(copy));
        let mut plan = Plan { output, restarts, in_pieces, change: None, copies, append: None };
        // Where the server says it all at once, pieces need not say it again.
        if !in_pieces && !copied.is_empty() {
            return Some(plan);
        }
        let told = |piece: &&Piece| piece.call == at && piece.has != Has::Copy;
        let waiting: Vec<&Piece> = self.queue.pieces().filter(told).collect();
        let current: Vec<&Piece> = waiting.into_iter().filter(|piece| piece.restarts == restarts).collect();
        let misfit = current.iter().any(|piece| !piece.fits);
        if said == plan.output && !misfit {
            return Some(plan);
        }
        let (from, behind) = match misfit {
            true => (0, 0),
            // Nothing but a beginning goes: what stays need not move.
            false if said.ends_with(&plan.output) && state.sent == 0 && !said.starts_with(&plan.output) => {
                (0, plan.output.len())
            }
            false => common(said, &plan.output),
        };
        // What has left stays.
        if from < state.sent || state.sent > 0 && restarts > 0 {
            return None;
        }
        let (to, put_to) = (said.len() - behind, plan.output.len() - behind);
        let Some(carrier) = carrier(&current, from, to) else {
            // Every piece has left: more can follow, and nothing else.
            let can_follow = from == said.len() && state.pattern.piece.is_some();
            plan.append = can_follow.then(|| plan.output[from..].to_owned());
            return can_follow.then_some(plan);
        };
        let touched = |piece: &&Piece| piece.number == carrier || piece.end > from && piece.start < to;
        let mut first = current.iter().position(&touched)?;
        let mut last = current.iter().rposition(touched)?;
        // A surrogate pair that two pieces share goes as one.
        while first > 0 && current[first - 1].waits {
            first -= 1;
        }
        while last + 1 < current.len() && current[last].waits {
            last += 1;
        }
        let put = plan.output[from..put_to].to_owned();
        let (first, last) = (current[first].number, current[last].number);
        plan.change = Some(Change { from, to, put, first, last, carrier });
        Some(plan)
    }
}

/// The piece that brings the new text: the first one that the change touches, or the one that it is added to.
fn carrier(pieces: &[&Piece], from: usize, to: usize) -> Option<u32> {
    let texts = || pieces.iter().filter(|piece| piece.has != Has::Nothing);
    let touched = texts().find(|piece| piece.end > from && piece.start < to.max(from + 1));
    let before = || texts().rfind(|piece| piece.end == from && piece.start < from);
    let carrier = touched.or_else(before).or_else(|| texts().find(|piece| piece.end >= from));
    carrier.or_else(|| pieces.iter().find(|piece| piece.end >= from)).map(|piece| piece.number)
}

/// How many bytes two texts have in common at their beginning, and at their end beside those.
fn common(a: &str, b: &str) -> (usize, usize) {
    let mut from = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    while !a.is_char_boundary(from) || !b.is_char_boundary(from) {
        from -= 1;
    }
    let most = a.len().min(b.len()) - from;
    let mut behind = a.bytes().rev().zip(b.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
    while !a.is_char_boundary(a.len() - behind) || !b.is_char_boundary(b.len() - behind) {
        behind -= 1;
    }
    (from, behind)
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn what_two_texts_share() {
        for (a, b, shared) in [
            ("", "", (0, 0)),
            ("{\"a\":1,}", "{\"a\":1}", (6, 1)),
            ("{\"a\":1", "{\"a\":1}", (6, 0)),
            ("aa", "aaa", (2, 0)),
            ("é", "è", (0, 0)),
            ("x😀", "x😁", (1, 0)),
            ("ab😀", "cb😀", (0, 5)),
        ] {
            assert_eq!(common(a, b), shared, "{a} {b}");
        }
    }
}
