//! The entry points: one body at once, or piece by piece.

use alloc::string::String;

use crate::context::Context;
use crate::scan::Status;
use crate::verdict::{Decline, Reason, Verdict};
use crate::{Evidence, Judge, Scanner, decide};

/// The longest body that is looked into, in bytes. A longer one is declined, unless it is a valid object
/// that no schema judges.
pub const MAX_BODY: usize = 64 << 20;

/// Says what is to become of one body.
///
/// `body` is the text of one call's arguments. The verdict is the same for any splitting of it through
/// [`Mender`]. It is not yet under a policy: see [`Verdict::under`].
#[must_use]
pub fn mend(body: &str, evidence: &Evidence<'_>, judge: &dyn Judge) -> Verdict {
    let mut scan = Scanner::new();
    scan.push(body.as_bytes());
    decide(body, &scan, evidence, judge)
}

/// How many bytes may wait to be scanned, so that a stream of small pieces is scanned in blocks.
const BLOCK: usize = 1024;

/// A body that arrives piece by piece.
///
/// While the text is the beginning of a valid object, it is scanned as it comes and nothing else is done;
/// what departs from JSON is kept and settled by [`finish`](Mender::finish). The verdict is that of
/// [`mend`] on all pieces together.
///
/// ```
/// use toolmend_core::{Evidence, Mender, NoJudge, Verdict};
///
/// let mut mender = Mender::new();
/// for piece in ["{\"q\": \"x", "\", \"n\": 5", ",}"] {
///     mender.feed(piece);
/// }
/// let verdict = mender.finish(&Evidence::new(), &NoJudge);
/// assert!(matches!(verdict, Verdict::Mended { output, .. } if output == "{\"q\": \"x\", \"n\": 5}"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Mender {
    text: String,
    /// The scanner, as far as it has come.
    scan: Scanner,
    scanned: usize,
}

impl Mender {
    /// No text yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece of the body.
    #[inline]
    pub fn feed(&mut self, piece: &str) {
        self.text.push_str(piece);
        if self.text.len() - self.scanned >= BLOCK {
            self.scan();
        }
    }

    /// What has been fed so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the text so far is: the beginning of an object, a whole one, or neither.
    pub fn status(&mut self) -> Status {
        self.scan();
        self.scan.status()
    }

    /// The turn is over: says what is to become of the body.
    #[must_use]
    pub fn finish(&self, evidence: &Evidence<'_>, judge: &dyn Judge) -> Verdict {
        let mut scan = self.scan.clone();
        scan.push(&self.text.as_bytes()[self.scanned..]);
        decide(&self.text, &scan, evidence, judge)
    }

    fn scan(&mut self) {
        self.scan.push(&self.text.as_bytes()[self.scanned..]);
        self.scanned = self.text.len();
    }
}

/// `strict` has taken the whole body.
fn decide(body: &str, strict: &Scanner, evidence: &Evidence<'_>, judge: &dyn Judge) -> Verdict {
    let decline =
        |reason, at| Verdict::Declined(Decline { ending: evidence.ending(), ..decide::no(reason, at) });
    let status = strict.status();
    match status {
        Status::TooDeep { at } => decline(Reason::TooDeep, at),
        // What no schema judges is used whatever its length.
        _ if body.len() > MAX_BODY && !(status == Status::Whole && judge.is_blind()) => {
            decline(Reason::TooLong, MAX_BODY)
        }
        Status::Whole => decide::whole(body, &Context::new(evidence, judge)),
        _ => decide::faulty(body, strict, &Context::new(evidence, judge)),
    }
}
