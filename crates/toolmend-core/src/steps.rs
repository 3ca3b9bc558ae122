//! The steps of a repair.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use crate::Edit;

/// The steps of a repair, each a sorted list of disjoint edits, none of them empty.
///
/// Most repairs have one step: it lies in the value itself, without a list of lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Steps {
    /// Empty where there is no step at all.
    first: Vec<Edit>,
    more: Vec<Vec<Edit>>,
}

impl Steps {
    /// Appends a step; a list without an edit is none.
    pub fn push(&mut self, step: Vec<Edit>) {
        if self.first.is_empty() {
            self.first = step;
        } else if !step.is_empty() {
            self.more.push(step);
        }
    }

    /// Puts a step before all others.
    pub(crate) fn prepend(&mut self, step: Vec<Edit>) {
        let first = core::mem::replace(&mut self.first, step);
        if self.first.is_empty() {
            self.first = first;
        } else if !first.is_empty() {
            self.more.insert(0, first);
        }
    }

    /// The steps, in the order in which they were taken.
    pub fn iter(&self) -> impl Iterator<Item = &Vec<Edit>> + Clone {
        Some(&self.first).filter(|step| !step.is_empty()).into_iter().chain(&self.more)
    }

    /// How many steps there are.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(!self.first.is_empty()) + self.more.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }
}

impl From<Vec<Edit>> for Steps {
    fn from(step: Vec<Edit>) -> Steps {
        Steps { first: step, more: Vec::new() }
    }
}

impl Extend<Vec<Edit>> for Steps {
    fn extend<T: IntoIterator<Item = Vec<Edit>>>(&mut self, steps: T) {
        steps.into_iter().for_each(|step| self.push(step));
    }
}

impl FromIterator<Vec<Edit>> for Steps {
    fn from_iter<T: IntoIterator<Item = Vec<Edit>>>(steps: T) -> Steps {
        let mut all = Steps::default();
        all.extend(steps);
        all
    }
}

impl IntoIterator for Steps {
    type Item = Vec<Edit>;
    type IntoIter = core::iter::Chain<core::option::IntoIter<Vec<Edit>>, alloc::vec::IntoIter<Vec<Edit>>>;

    fn into_iter(self) -> Self::IntoIter {
        Some(self.first).filter(|step| !step.is_empty()).into_iter().chain(self.more)
    }
}

impl Index<usize> for Steps {
    type Output = Vec<Edit>;

    /// # Panics
    /// Where there are fewer steps.
    fn index(&self, step: usize) -> &Vec<Edit> {
        if step == 0 && !self.first.is_empty() { &self.first } else { &self.more[step - 1] }
    }
}

impl IndexMut<usize> for Steps {
    fn index_mut(&mut self, step: usize) -> &mut Vec<Edit> {
        if step == 0 && !self.first.is_empty() { &mut self.first } else { &mut self.more[step - 1] }
    }
}
