//! Choices: what a generator asks where it could go several ways.

/// A row of choices, from a list that proptest made (and shrinks), or from a seed without end.
///
/// A list that is used up answers zero, and every generator takes zero for its simplest way; so a shorter
/// list is a simpler body.
#[derive(Debug, Clone)]
pub(crate) struct Tape {
    words: std::vec::IntoIter<u32>,
    seed: Option<u64>,
}

impl Tape {
    pub(crate) fn new(words: Vec<u32>) -> Tape {
        Tape { words: words.into_iter(), seed: None }
    }

    pub(crate) fn seeded(seed: u64) -> Tape {
        Tape { words: Vec::new().into_iter(), seed: Some(seed) }
    }

    fn next(&mut self) -> u64 {
        match &mut self.seed {
            None => u64::from(self.words.next().unwrap_or(0)),
            // SplitMix64 (Steele, Lea, Flood 2014).
            Some(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = *state;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^ (z >> 31)
            }
        }
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// True in one of `n` cases; false where the list is used up.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of these.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// One of these, if there is any.
    pub(crate) fn maybe<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        if of.is_empty() { None } else { Some(self.pick(of)) }
    }
}
