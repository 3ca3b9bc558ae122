//! The change of a text that came in pieces, piece by piece.

use super::queue::{Has, Piece};

/// One stretch of a text gives way to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) put: String,
}

/// The stretches of the pieces' text that give way, sorted and disjoint, with the pieces that bring what is put
/// there.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    cuts: Vec<(Cut, u32)>,
    /// The pieces that change only because they share a surrogate pair with one that does, by number.
    joined: Vec<u32>,
}

impl Cuts {
    /// Cuts of the text that these pieces hold, in their order; `None` where there is no piece that could bring
    /// what is put somewhere.
    pub(super) fn new(cuts: Vec<Cut>, pieces: &[&Piece]) -> Option<Self> {
        let texts: Vec<&Piece> = pieces.iter().copied().filter(|piece| piece.has != Has::Nothing).collect();
        let brought = |cut: Cut| {
            let number = carrier(&texts, &cut).or_else(|| carrier(pieces, &cut))?;
            Some((cut, number))
        };
        let cuts = cuts.into_iter().map(brought).collect::<Option<Vec<_>>>()?;
        let mut cuts = Cuts { cuts, joined: Vec::new() };
        cuts.join(pieces);
        Some(cuts)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cuts.is_empty()
    }

    /// Whether this piece changes.
    pub(super) fn touches(&self, piece: &Piece) -> bool {
        let cuts = |(cut, carrier): &(Cut, u32)| {
            *carrier == piece.number || cut.to > piece.start && cut.from < piece.end
        };
        self.near(piece).any(cuts) || self.joined.binary_search(&piece.number).is_ok()
    }

    /// The text of a piece, where `said` is that of all pieces.
    pub(super) fn text_of(&self, piece: &Piece, said: &str) -> String {
        let (mut text, mut at) = (String::new(), piece.start);
        let own = |from: usize, to: usize| said.get(from..to).unwrap_or_default();
        for (cut, carrier) in self.near(piece) {
            text.push_str(own(at, cut.from.clamp(at, piece.end.max(at))));
            if *carrier == piece.number {
                text.push_str(&cut.put);
            }
            at = at.max(cut.to);
        }
        text.push_str(own(at, piece.end.max(at)));
        text
    }

    /// The cuts that may be about a piece.
    fn near(&self, piece: &Piece) -> impl Iterator<Item = &(Cut, u32)> {
        let first = self.cuts.partition_point(|(cut, _)| cut.to < piece.start);
        let end = piece.end;
        self.cuts[first..].iter().take_while(move |(cut, _)| cut.from <= end)
    }

    /// A pair that two pieces share goes as one.
    fn join(&mut self, pieces: &[&Piece]) {
        if !pieces.iter().any(|piece| piece.waits) {
            return;
        }
        let mut touched: Vec<bool> = pieces.iter().map(|piece| self.touches(piece)).collect();
        let borders: Vec<usize> = (1..pieces.len()).filter(|at| pieces[at - 1].waits).collect();
        for at in borders.iter().chain(borders.iter().rev()) {
            let both = touched[at - 1] || touched[*at];
            (touched[at - 1], touched[*at]) = (both, both);
        }
        let joined =
            pieces.iter().zip(touched).filter(|(_, touched)| *touched).map(|(piece, _)| piece.number);
        self.joined = joined.collect();
        self.joined.sort_unstable();
    }
}

/// The piece that brings what a cut puts: the first one that it touches, or the one that it is added to.
fn carrier(pieces: &[&Piece], cut: &Cut) -> Option<u32> {
    let behind = pieces.partition_point(|piece| piece.end <= cut.from);
    let touched = pieces.get(behind).filter(|piece| piece.start < cut.to.max(cut.from + 1));
    let full = || pieces[..behind].iter().rfind(|piece| piece.start < piece.end && piece.end == cut.from);
    let added = || pieces[..behind].last().filter(|piece| piece.end == cut.from);
    touched.or_else(full).or_else(added).map(|piece| piece.number)
}
