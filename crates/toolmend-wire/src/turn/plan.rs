//! What is written of a call: which of its pieces change, and into what.

use toolmend_core::{CallJudge, Scanner, scan::Status};

use super::Flow;
use super::cuts::{Cut, Cuts};
use super::queue::{Has, Note, Piece, Way};
use crate::assembly::{Taken, is_placeholder, same_tokens};
use crate::json::Value;
use crate::protocol::More;
use crate::recorder::single;

/// A call on its way out.
#[derive(Debug, Default)]
pub(super) struct State {
    /// How many pieces have come.
    pub(super) pieces: u32,
    /// What is to become of it, once that is known.
    pub(super) fate: Option<Fate>,
    /// It is declined, and known to be cut.
    pub(super) cut: bool,
    /// It was told of as a good one, and went on.
    pub(super) told: bool,
    /// It does not leave as a call.
    pub(super) withheld: bool,
    /// The pieces before this one may leave without a verdict.
    pub(super) clear: u32,
    /// How much of its arguments has left, in bytes, and whether anything of it has.
    pub(super) sent: usize,
    pub(super) begun: bool,
    /// It was declined before anything of it left, so all of it leaves as it came.
    pub(super) untouched: bool,
    /// Its first piece says who speaks in its choice.
    pub(super) voices: bool,
    /// The number, the id and the name that the client knows it by.
    pub(super) index: Option<u32>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    /// With [`Hold::Deviation`](super::Hold::Deviation): how far it is the beginning of an object.
    scan: Option<Box<Scanner>>,
    deviates: bool,
    /// How many bytes of its arguments are no white space, and the last of those.
    solid: usize,
    last: u8,
    /// The latest event that left with a piece of it and of no other call.
    pub(super) pattern: Pattern,
}

/// How a piece of a call comes, with [`Hold::Deviation`](super::Hold::Deviation).
#[derive(Debug, Clone, Copy)]
pub(super) struct Flowing {
    pub(super) has: Has,
    /// The call has a name that may be one of a tool.
    pub(super) named: bool,
    /// The protocol gives arguments in pieces here.
    pub(super) streams: bool,
    /// An event can be added behind it.
    pub(super) adds: bool,
}

/// An event that another one can be made like.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    /// Its data; none where that stands in several lines.
    pub(super) data: Vec<u8>,
    pub(super) piece: Option<Piece>,
}

impl Pattern {
    pub(super) fn keep(&mut self, note: &Note, raw: &[u8], piece: &Piece) {
        self.data.clear();
        let at = note.at.unwrap_or(raw.len());
        self.data.extend_from_slice(raw.get(at..at + note.data).unwrap_or_default());
        self.piece = Some(*piece);
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
    /// The change of the pieces' text.
    pub(super) cuts: Cuts,
    /// A copy says something else.
    pub(super) copies: bool,
    /// The event that says what the pieces lack, where all of them have left.
    pub(super) append: Option<String>,
}

impl State {
    /// Whether the end of the call may be told without a verdict.
    pub(super) fn may_close(&self) -> bool {
        self.fate.is_some()
            || self.scan.as_ref().is_some_and(|scan| scan.status() == Status::Whole) && !self.deviates
    }

    /// Follows the arguments of a call that streams, and says which pieces may leave.
    ///
    /// Some ends are undecided until the next piece: a comma outside of a string, white space there, in front of which a
    /// comma or a closer may be missing, a body that is just `{}`, a piece that begins with all there was, and half of a
    /// surrogate pair.
    /// Where no event can be added to the stream, the closers that may be missing can be written into a piece that has
    /// not left and nowhere else: the latest piece of an open object waits, too.
    pub(super) fn follow(&mut self, taken: &Taken, text: &str, way: Flowing) {
        if way.has == Has::Json || !way.streams || taken.restarts > 0 {
            self.deviates = true;
        }
        if self.deviates || way.has == Has::Copy {
            return;
        }
        let scan = self.scan.get_or_insert_default();
        let (before, piece) = text.split_at(taken.start.min(text.len()));
        let status = scan.push(piece.as_bytes());
        if matches!(status, Status::Fault { .. } | Status::TooDeep { .. }) {
            self.deviates = true;
            return;
        }
        for byte in piece.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
            (self.solid, self.last) = (self.solid + 1, byte);
        }
        let is_placeholder = self.solid == 2 && self.last == b'}';
        let spaced = self.solid > 0
            && status != Status::Whole
            && !scan.in_string()
            && piece.ends_with([' ', '\t', '\n', '\r']);
        let undecided = taken.waits
            || spaced
            || !way.named
            || self.last == b',' && !scan.in_string()
            || is_placeholder
            || before.len() > 1 && piece.len() > before.len() && piece.starts_with(before);
        let may_grow = !way.adds && status != Status::Whole && self.solid > 0;
        self.clear = match (undecided, may_grow) {
            (true, _) => self.clear,
            (false, true) if piece.is_empty() => self.clear,
            (false, true) => self.pieces - 1,
            (false, false) => self.pieces,
        };
    }
}

impl Plan {
    /// Whether anything of the arguments is written in other bytes than it came.
    pub(super) fn changes(&self) -> bool {
        !self.cuts.is_empty() || self.copies || self.append.is_some()
    }

    /// Whether this piece goes on with a text that leaves as it came.
    pub(super) fn goes_on(&self, piece: &Piece) -> bool {
        let is_text = piece.has == Has::Text && piece.restarts == 0 && piece.start == self.output.len();
        is_text && self.in_pieces && self.restarts == 0 && !self.changes()
    }

    /// Whether this piece of the call changes.
    pub(super) fn touches(&self, piece: &Piece) -> bool {
        piece.restarts < self.restarts || self.cuts.touches(piece)
    }

    /// Whether the call needs this piece no more: a protocol of whole calls had it in two parts, and the first
    /// one gets all of it.
    pub(super) fn spares(&self, piece: &Piece) -> bool {
        piece.object && piece.number > 0 && self.restarts > 0 && matches!(piece.has, Has::Text | Has::Json)
    }
}

impl<J: CallJudge> Flow<J> {
    /// How the pieces of this call come to say `output`, which these cuts make of its body; `None` where what
    /// was sent already says otherwise.
    pub(super) fn plan(&self, at: usize, body: &str, output: String, cuts: Vec<Cut>) -> Option<Plan> {
        let (said, restarts, copied) = self.assembly.said(at)?;
        let state = &self.states[at];
        let in_pieces = !said.trim().is_empty();
        let copies =
            !copied.iter().all(|copy| same_tokens(copy, &output) || in_pieces && is_placeholder(copy));
        let mut plan = Plan { output, restarts, in_pieces, cuts: Cuts::default(), copies, append: None };
        // Where the server says it all at once, pieces need not say it again.
        if !in_pieces && !copied.is_empty() {
            return Some(plan);
        }
        let told = |piece: &&Piece| piece.call == at && piece.has != Has::Copy && piece.restarts == restarts;
        let pieces = || self.queue.pieces().chain(self.lanes.pieces()).filter(told);
        let misfit = pieces().any(|piece| !piece.fits);
        if said == plan.output && !misfit {
            return Some(plan);
        }
        let pieces: Vec<&Piece> = pieces().collect();
        let cuts = match misfit {
            true => vec![Cut { from: 0, to: said.len(), put: plan.output.clone() }],
            false if said == body && !cuts.is_empty() => cuts,
            false => vec![difference(said, &plan.output)],
        };
        // What has left stays: the rest may follow it.
        if state.sent > 0 && restarts > 0 {
            return None;
        }
        let cuts = match cuts.first() {
            Some(first) if first.from < state.sent => {
                let rest = rest_of(&plan.output, said.get(..state.sent)?)?.to_owned();
                vec![Cut { from: state.sent, to: said.len(), put: rest }]
            }
            _ => cuts,
        };
        let from = cuts.first().map_or(0, |cut| cut.from);
        if pieces.is_empty() {
            // Every piece has left: more can follow, and nothing else.
            let rest = plan.output.get(from..).filter(|_| from == said.len())?;
            plan.append = Some(self.one_more(at, rest)?);
            return Some(plan);
        }
        plan.cuts = Cuts::new(cuts, &pieces)?;
        Some(plan)
    }
}

impl<J: CallJudge> Flow<J> {
    /// An event of the stream that says more of a call all of whose pieces have left.
    fn one_more(&self, at: usize, text: &str) -> Option<String> {
        let (state, (_, protocol)) = (&self.states[at], self.protocol.as_ref()?);
        let piece = state
            .pattern
            .piece
            .filter(|piece| piece.way == Way::Streamed && piece.adds && !self.breaks_off)?;
        let event = Value::parse(single(core::str::from_utf8(&state.pattern.data).ok()?)).ok()?;
        let (choice, ..) = self.assembly.known_as(at)?;
        protocol.more(event, More { choice, own: piece.index, number: state.index, text })
    }
}

/// What is to follow of `output` where `left` has left. White space around an object is a part of JSON, so that of it
/// which has left stays.
fn rest_of<'a>(output: &'a str, left: &str) -> Option<&'a str> {
    let solid = left.trim_ascii_start();
    output.strip_prefix(solid).or_else(|| (solid.trim_ascii_end() == output).then_some(""))
}

/// The one stretch in which two texts differ. Where all that differs is more in front of the other text, the text
/// that stays does not move.
fn difference(said: &str, output: &str) -> Cut {
    let (from, behind) = match said.ends_with(output) && !said.starts_with(output) {
        true => (0, output.len()),
        false => common(said, output),
    };
    let put = output[from..output.len() - behind].to_owned();
    Cut { from, to: said.len() - behind, put }
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
    use super::{common, rest_of};

    #[test]
    fn what_is_to_follow() {
        for (output, left, rest) in [
            ("{\"a\":1}", "", Some("{\"a\":1}")),
            ("{\"a\":1}", "{\"a\":", Some("1}")),
            ("{\"a\":1}", "\n {\"a\":", Some("1}")),
            ("{\"a\":1}", "{\"a\":1}\n", Some("")),
            ("{\"a\":1}", " {\"a\":1}\r\n", Some("")),
            ("{\"a\":1}", "{\"a\": ", None),
            ("{\"a\":1}", "{\"a\":1}}", None),
            ("{\"a\":1}", "{\"b", None),
        ] {
            assert_eq!(rest_of(output, left), rest, "{output} {left}");
        }
    }

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
