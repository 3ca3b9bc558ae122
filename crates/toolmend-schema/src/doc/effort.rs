//! How much a validation may cost.

use std::cell::Cell;

/// How much a validation may still do; counted, because a schema can ask for work without bound.
#[derive(Debug)]
pub(crate) struct Effort {
    steps: Cell<u64>,
    errors: Cell<u32>,
}

impl Effort {
    /// Steps that any body may cost.
    const STEPS: u64 = 1 << 20;
    /// Further steps for each byte of the body.
    const STEPS_PER_BYTE: u64 = 64;
    /// Errors that one validation may report, those inside the branches of `anyOf` counted.
    const ERRORS: u32 = 4096;

    pub(crate) fn for_bytes(len: usize) -> Effort {
        Effort { steps: Cell::new(Effort::allowed(len)), errors: Cell::new(Effort::ERRORS) }
    }

    /// The steps that a body of this length may cost.
    pub(crate) const fn allowed(len: usize) -> u64 {
        Effort::STEPS + Effort::STEPS_PER_BYTE * len as u64
    }

    /// The steps that are left.
    pub(crate) fn left(&self) -> u64 {
        self.steps.get()
    }

    /// Leaves at most so many steps.
    pub(crate) fn cap(&self, steps: u64) {
        self.steps.set(self.left().min(steps));
    }

    /// Takes steps; `false` where none are left.
    pub(crate) fn step(&self, n: u64) -> bool {
        let left = self.steps.get().saturating_sub(n);
        self.steps.set(left);
        left > 0
    }

    /// Counts an error. With the last one the steps are used up too, so that the validation winds up.
    pub(crate) fn error(&self) {
        let left = self.errors.get().saturating_sub(1);
        self.errors.set(left);
        if left == 0 {
            self.steps.set(0);
        }
    }

    /// Whether it was too much: then the outcome of the validation says nothing.
    pub(crate) fn spent(&self) -> bool {
        self.steps.get() == 0
    }
}
