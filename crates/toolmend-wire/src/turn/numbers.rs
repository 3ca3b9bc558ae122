//! The numbers that clients know the calls of a choice by: dense and in order, as long as the server lets them be.

use std::collections::{BTreeMap, BTreeSet};

/// The numbers that are taken, each with its choice.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Those of calls, and whether no other call may have it: only declined calls share one, where the server has them
    /// share it.
    given: BTreeMap<(u32, u32), bool>,
    /// Those of things that are no calls.
    foreign: BTreeSet<(u32, u32)>,
}

/// How many numbers of things that are no calls are kept free.
const MAX_FOREIGN: usize = 4096;

impl Numbers {
    /// No call gets this number.
    pub(super) fn keep_free(&mut self, choice: u32, number: u32) {
        if self.foreign.len() < MAX_FOREIGN {
            self.foreign.insert((choice, number));
        }
    }

    /// The number of a call whose first piece leaves, where the server's own is `own`. A declined call keeps its own,
    /// where no good one has it, and no declined one that gave way. The first call of a choice may have another one
    /// than 0, where `counts_on` from there.
    pub(super) fn give(
        &mut self,
        choice: u32,
        own: Option<u32>,
        declined: bool,
        counts_on: impl Fn(u32) -> bool,
    ) -> u32 {
        let keeps = own.filter(|own| declined && self.given.get(&(choice, *own)) != Some(&true));
        if let Some(own) = keeps {
            self.given.entry((choice, own)).or_default();
            return own;
        }
        let is_free = |number: u32| {
            let place = (choice, number);
            !self.given.contains_key(&place) && !self.foreign.contains(&place)
        };
        let last =
            self.given.range((choice, 0)..=(choice, u32::MAX)).next_back().map(|((_, number), _)| *number);
        let mut number = match (last, own) {
            (Some(last), _) => last.wrapping_add(1),
            (None, Some(own)) if own > 0 && is_free(own) && counts_on(own) => own,
            (None, _) => 0,
        };
        // Behind the highest number there is, those that were left out come.
        while !is_free(number) {
            number = number.wrapping_add(1);
        }
        // What has no number of its own is declined without one.
        if !declined || own.is_some() {
            self.given.insert((choice, number), true);
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_FOREIGN, Numbers};

    /// The numbers that these calls get, each with its own number, `-` where a call is declined.
    fn given(own: &str) -> Vec<u32> {
        let mut numbers = Numbers::default();
        numbers.keep_free(0, 5);
        let give = |own: &str| {
            let declined = own.starts_with('-');
            numbers.give(0, own.trim_start_matches('-').parse().ok(), declined, |own| own == 7)
        };
        own.split(' ').map(give).collect()
    }

    #[test]
    fn numbers_are_given() {
        for (own, get) in [
            ("0 1 2", &[0, 1, 2][..]),
            ("? ? ?", &[0, 1, 2]),
            ("0 0 0", &[0, 1, 2]),
            ("3 4", &[0, 1]),
            ("7 8 9", &[7, 8, 9]),
            ("0 -3 4", &[0, 3, 4]),
            ("-0 0 0", &[0, 1, 2]),
            ("-4 4", &[4, 6]),
            ("-? 0", &[0, 0]),
            ("-0 -0 0 -0 -1", &[0, 0, 1, 0, 2]),
            ("-5 0", &[5, 6]),
            ("0 0 -1 -2", &[0, 1, 2, 3]),
            ("0 -0 -0 -1 -2", &[0, 1, 2, 3, 4]),
            ("-1 0 -1 -2 -2", &[1, 2, 1, 3, 4]),
            ("0 0 0 0 -3 -4", &[0, 1, 2, 3, 4, 6]),
            ("0 1 2 3 4 -4", &[0, 1, 2, 3, 4, 6]),
            ("-4294967295 0 1", &[u32::MAX, 0, 1]),
            ("-4294967295 -4294967295 -0 ?", &[u32::MAX, u32::MAX, 0, 1]),
        ] {
            assert_eq!(given(own), get, "{own}");
        }
    }

    #[test]
    fn the_limit_of_foreign_numbers() {
        let mut numbers = Numbers::default();
        for number in 0..=u32::try_from(MAX_FOREIGN).unwrap() {
            numbers.keep_free(0, number);
        }
        assert_eq!(numbers.give(0, None, false, |_| false), u32::try_from(MAX_FOREIGN).unwrap());
    }
}
