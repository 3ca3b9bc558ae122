//! One tool-call body in, a verdict with a receipt out.
//!
//! A body is the text of one call's arguments, as a language model wrote it. [`mend`] says what is to
//! become of it: [`Verdict::Intact`] (it is valid JSON; use it), [`Verdict::Mended`] (here is the one
//! reading that the text and the evidence prove, with a [`Receipt`] of every edit) or
//! [`Verdict::Declined`] (it is not certain what was meant; act as if we were not here).
//!
//! ```
//! use toolmend_core::{Evidence, NoJudge, Verdict, mend};
//!
//! let body = "```json\n{\"city\": \"Lyon\", \"days\": 3,}\n```";
//! let Verdict::Mended { output, receipt } = mend(body, &Evidence::new(), &NoJudge) else { panic!() };
//! assert_eq!(output, "{\"city\": \"Lyon\", \"days\": 3}");
//! assert_eq!(receipt.grade.name(), "punctuation");
//!
//! let cut = "{\"path\": \"/etc/ho";
//! assert!(matches!(mend(cut, &Evidence::new(), &NoJudge), Verdict::Declined(_)));
//! ```
//!
//! What it does not do: it knows no protocol, no model, no schema library, no clock and no log. It never
//! closes a string that is open at the end of the text, never fills in a value, and never re-serialises:
//! an output is always a splice of its input.
//!
//! Every output of a repair passes [`certify()`], which shares no code with the reader, before it is
//! returned. The modules: [`scan`] (is this still the beginning of a valid object?), [`rules`] (one file
//! a fault), `read` (the search for readings), [`edit`], [`certify`](mod@certify).

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod call_judge;
pub mod certify;
mod coerce;
mod context;
mod decide;
pub mod edit;
mod envelope;
mod evidence;
mod grade;
mod judge;
mod mend;
pub mod quote;
mod read;
mod reader;
pub mod rules;
pub mod scan;
mod steps;
mod verdict;

pub use call_judge::{CallJudge, FoundCall};
pub use certify::{Violation, certify};
pub use coerce::coerce_json_object;
pub use edit::Edit;
pub use evidence::{Clue, Clues, Ending, Evidence};
pub use grade::{Grade, Policy};
pub use judge::{Admission, Judge, NoJudge};
pub use mend::{MAX_BODY, Mender, mend};
pub use reader::{Kinds, Offer, TextCall, TextEvent, TextReader};
pub use rules::Rule;
pub use scan::{MAX_NESTING, Scanner};
pub use steps::Steps;
pub use verdict::{Decline, MAX_SHOWN, Note, NoteKind, Reason, Receipt, Verdict};
