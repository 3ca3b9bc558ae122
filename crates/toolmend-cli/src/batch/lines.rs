//! Lines of bounded length, grouped to chunks of bounded size.

use std::io::{BufRead, BufReader, Read};

use crate::failure::{Failure, NotText};
use crate::input::Input;

/// The longest line that is taken as a record, in bytes without its line end. Longer than anything a
/// model writes in one turn.
pub(crate) const MAX_LINE: usize = 16 << 20;

/// How much of an over-long line is kept, in bytes: enough to find an id that stands in front.
const KEPT: usize = 4 << 10;

/// How many lines a chunk holds at most: few enough that a short file, too, occupies every worker.
const CHUNK_LINES: usize = 256;

/// How many bytes a chunk holds before it takes no further line.
const CHUNK_BYTES: usize = 64 << 10;

/// How much is read at once, in bytes.
const READ: usize = 256 << 10;

/// What a line costs beside its bytes: its answer is longer than it when it is nearly empty.
const LINE_WEIGHT: usize = 512;

/// One line of the input that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its number in the input, from 1.
    pub(crate) number: u64,
    /// Its bytes without the line end; the first `KEPT` where it is too long.
    pub(crate) bytes: Vec<u8>,
    /// Whether it is longer than [`MAX_LINE`].
    pub(crate) too_long: bool,
}

/// Successive lines that one worker answers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) lines: Vec<Line>,
    /// How many bytes of the input it stands for.
    pub(crate) bytes: u64,
    weight: usize,
}

impl super::pipeline::Job for Chunk {
    fn weight(&self) -> usize {
        self.weight
    }

    fn first_line(&self) -> u64 {
        self.lines.first().map_or(0, |line| line.number)
    }
}

/// Reads chunks of lines.
///
/// A chunk ends where the bytes that are there end, so that whoever writes one record and waits for its
/// answer gets it.
pub(crate) struct Lines<R> {
    input: BufReader<R>,
    number: u64,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Lines { input: BufReader::with_capacity(READ, input), number: 0 }
    }

    fn read_chunk(&mut self) -> std::io::Result<Option<Chunk>> {
        let mut chunk = Chunk::default();
        loop {
            let Some(taken) = self.read_line(&mut chunk.lines)? else {
                return Ok(Some(chunk).filter(|chunk| chunk.bytes > 0));
            };
            chunk.bytes += taken;
            chunk.weight += chunk.lines.last().map_or(0, |line| line.bytes.len()) + LINE_WEIGHT;
            let full = chunk.lines.len() >= CHUNK_LINES || chunk.bytes >= CHUNK_BYTES as u64;
            if full || !self.input.buffer().contains(&b'\n') {
                return Ok(Some(chunk));
            }
        }
    }

    /// Reads one line, blank or not; answers how many bytes it took, or nothing at the end of the input.
    fn read_line(&mut self, lines: &mut Vec<Line>) -> std::io::Result<Option<u64>> {
        let mut bytes = Vec::new();
        // One byte more than a line may have: its line end.
        let mut taken = self.input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut bytes)?;
        if taken == 0 {
            return Ok(None);
        }
        self.number += 1;
        let ended = bytes.pop_if(|last| *last == b'\n').is_some();
        let too_long = !ended && bytes.len() > MAX_LINE;
        if too_long {
            bytes.truncate(KEPT);
            bytes.shrink_to_fit();
            taken += self.input.skip_until(b'\n')?;
        }
        if self.number == 1 && bytes.starts_with(BOM) {
            bytes.drain(..BOM.len());
        }
        if too_long || !bytes.iter().all(u8::is_ascii_whitespace) {
            lines.push(Line { number: self.number, bytes, too_long });
        }
        Ok(Some(taken as u64))
    }
}

/// The UTF-8 byte-order mark, which some editors put in front of a file.
const BOM: &[u8] = "\u{feff}".as_bytes();

impl Lines<Input> {
    /// Looks at the first bytes, before any output is touched: is this text at all?
    pub(crate) fn check_text(&mut self) -> Result<(), Failure> {
        let (head, failed) = match self.input.fill_buf() {
            Ok(head) => (NotText::of(head), None),
            Err(error) => (None, Some(error)),
        };
        let input = self.input.get_ref();
        match (head, failed) {
            (_, Some(error)) => Err(input.failed(error)),
            (Some((why, at)), None) => Err(Failure::NotText { source: input.source.clone(), at, why }),
            (None, None) => Ok(()),
        }
    }

    /// The next lines; none at the end of the input.
    pub(crate) fn next_chunk(&mut self) -> Result<Option<Chunk>, Failure> {
        self.read_chunk().map_err(|error| self.input.get_ref().failed(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(input: &[u8]) -> Vec<(u64, usize, bool)> {
        let mut lines = Lines::new(input);
        let mut all = Vec::new();
        while let Some(chunk) = lines.read_chunk().unwrap() {
            all.extend(chunk.lines.into_iter().map(|line| (line.number, line.bytes.len(), line.too_long)));
        }
        all
    }

    #[test]
    fn lines_are_numbered_and_blank_ones_left_out() {
        for (input, lines) in [
            ("", vec![]),
            ("\n \r\n\n", vec![]),
            ("a", vec![(1, 1, false)]),
            ("a\nbb", vec![(1, 1, false), (2, 2, false)]),
            ("a\n\nbb\n", vec![(1, 1, false), (3, 2, false)]),
            ("a\r\nb\r\n", vec![(1, 2, false), (2, 2, false)]),
            ("\u{feff}a\n\u{feff}b", vec![(1, 1, false), (2, 4, false)]),
        ] {
            assert_eq!(numbered(input.as_bytes()), lines, "{input:?}");
        }
    }

    #[test]
    fn the_length_limit_holds_on_both_sides() {
        for (length, end, too_long) in [
            (MAX_LINE, "\n", false),
            (MAX_LINE, "", false),
            (MAX_LINE + 1, "\n", true),
            (MAX_LINE + 1, "", true),
        ] {
            let input = format!("{}{end}after", "x".repeat(length));
            let lines = numbered(input.as_bytes());
            if end.is_empty() {
                // What follows belongs to the same line, and makes it too long.
                assert_eq!(lines.len(), 1);
            } else {
                let kept = if too_long { KEPT } else { length };
                assert_eq!(lines, [(1, kept, too_long), (2, 5, false)]);
            }
        }
        assert_eq!(numbered("x".repeat(MAX_LINE).as_bytes()), [(1, MAX_LINE, false)]);
    }

    #[test]
    fn a_chunk_is_bounded() {
        let input = "x\n".repeat(3 * CHUNK_LINES + 1);
        let mut lines = Lines::new(input.as_bytes());
        let mut sizes = Vec::new();
        while let Some(chunk) = lines.read_chunk().unwrap() {
            sizes.push(chunk.lines.len());
        }
        assert_eq!(sizes, [CHUNK_LINES, CHUNK_LINES, CHUNK_LINES, 1]);
    }
}
