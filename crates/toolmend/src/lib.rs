//! Makes the tool calls of language models trustworthy: what the model said stays, byte for byte, or the
//! call is declined with a reason.
//!
//! One body at once:
//!
//! ```
//! use toolmend::{Evidence, Toolmend, Verdict};
//!
//! let toolmend = Toolmend::new().model("Qwen/Qwen3-32B");
//! let body = "<tool_call>\n{\"city\": \"Lyon\", \"days\": 3,}\n</tool_call>";
//! let verdict = toolmend.mend(body, Evidence::new());
//! assert_eq!(verdict.text(body), Some("{\"city\": \"Lyon\", \"days\": 3}"));
//!
//! // The end of the path is not known, so there is nothing to run.
//! let cut = "{\"path\": \"/etc/ho";
//! assert!(matches!(toolmend.mend(cut, Evidence::new()), Verdict::Declined(_)));
//! ```
//!
//! With [`Toolmend::tools`], a call is also checked against its tool's JSON Schema, and the schema decides
//! where the text alone leaves several readings; what it does not admit is declined.
//!
//! A turn that is being streamed, as deltas of calls: [`CallStream`]. A recorded turn, as bytes:
//! [`wire::Recorder`] and [`Toolmend::turn`]. A turn on its way from a server to a client: [`wire::Turn`], for
//! which a [`Toolmend`] is the judge.
//!
//! What it does not do: it calls no model, opens no connection, writes no log and runs no call. It never
//! closes a string that is open at the end of the text, and never fills in a value.
//!
//! The parts stand on their own, and their words are the same everywhere: [`toolmend_core`] mends one body,
//! [`schema`] judges it by the tool's JSON Schema, [`wire`] reads a turn, [`formats`] knows the model
//! families.

#![forbid(unsafe_code)]

mod builder;
mod settled;
mod stream;

pub use builder::Toolmend;
pub use settled::{Outcome, SettledCall};
pub use stream::{CallDelta, CallStream, StreamError};

pub use toolmend_core::{
    Admission, CallJudge, Clue, Clues, Decline, Edit, Ending, Evidence, FoundCall, Grade, Judge, Kinds,
    MAX_BODY, MAX_NESTING, MAX_SHOWN, Mender, NoJudge, Note, NoteKind, Offer, Policy, Reason, Receipt, Rule,
    Scanner, Steps, TextCall, TextEvent, TextReader, Verdict, Violation, certify, coerce_json_object, edit,
    mend, quote, rules,
};
pub use toolmend_formats as formats;
pub use toolmend_schema as schema;
pub use toolmend_schema::{Tool, ToolError};
pub use toolmend_wire as wire;

/// The program in the README runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
