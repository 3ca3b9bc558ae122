//! What a tool's schema may say about a reading.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Edit, Note};

/// What the tool's schema says about one JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// The schema admits it.
    Valid,
    /// The schema does not admit it.
    Invalid {
        /// JSON Pointer (RFC 6901) of the first offending place.
        at: String,
        /// What is wrong there, in a few words.
        what: String,
    },
    /// There is a schema, but it cannot be used; counts as none.
    Unvalidatable {
        /// Why not.
        why: String,
    },
    /// There is no schema.
    NotApplicable,
}

impl Admission {
    /// Everything but [`Admission::Invalid`].
    #[must_use]
    pub fn allows(&self) -> bool {
        !matches!(self, Admission::Invalid { .. })
    }
}

/// Judges readings by the tool's schema. The core asks; it never looks into a schema itself.
///
/// Every `object` is the text of one RFC 8259 JSON object. The answers of the default methods are those
/// of a judge that knows nothing.
pub trait Judge {
    /// Whether there is nothing to judge by: then no reading is shown to this judge at all.
    fn is_blind(&self) -> bool {
        false
    }

    /// Whether the schema admits this object.
    fn admits(&self, object: &str) -> Admission;

    /// Whether the object, at every depth, uses only keys that the schema declares, wherever the schema
    /// declares any. A reading with other keys is no reading that a repair may choose.
    fn declared_only(&self, _object: &str) -> bool {
        true
    }

    /// Whether an object within this one holds a key that it does not declare itself, and that the top level declares
    /// and lacks: a closer that was lost may have stood before it.
    fn misplaces(&self, _object: &str) -> bool {
        false
    }

    /// Whether nothing can be missing from an object whose last `closed` closers were set by the reader:
    /// each of those containers is an object (an array may always have lost items), the schema declares
    /// properties for it, and all of the declared ones are there.
    fn proves_whole(&self, _object: &str, _closed: usize) -> bool {
        false
    }

    /// Whether the schema declares this property at the top level.
    fn declares(&self, _key: &str) -> bool {
        false
    }

    /// Whether an object may have a key of this name: the schema declares one, at whatever depth and in whatever
    /// spelling, or does not say which there are.
    fn may_have_key(&self, _key: &str) -> bool {
        true
    }

    /// Whether the schema declares a property of this name anywhere, at whatever depth.
    fn declares_within(&self, key: &str) -> bool {
        self.declares(key)
    }

    /// Whether some object within this one gives a key twice.
    fn repeats_key(&self, _object: &str) -> bool {
        false
    }

    /// Whether there is a usable schema, and it declares no property at all.
    fn takes_nothing(&self) -> bool {
        false
    }

    /// The edits, each with exactly one possible answer, after which the schema admits the object; empty
    /// where there are none, or where they would not suffice.
    fn settle(&self, _object: &str) -> Vec<Edit> {
        Vec::new()
    }

    /// Whether the schema admits an object that is to be used as it is, and where it is not ruled out, what is
    /// worth knowing about it.
    fn examine(&self, object: &str) -> (Admission, Vec<Note>) {
        (self.admits(object), Vec::new())
    }
}

/// No schema is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoJudge;

impl Judge for NoJudge {
    fn is_blind(&self) -> bool {
        true
    }

    fn admits(&self, _object: &str) -> Admission {
        Admission::NotApplicable
    }
}
