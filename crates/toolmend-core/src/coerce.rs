//! The plain form: text in, an object out or nothing.

use alloc::borrow::Cow;

use crate::{Evidence, Grade, NoJudge, Policy, Verdict, mend};

/// Makes `body` parse as a JSON object without changing what it says, or answers `None`.
///
/// The body is taken as the whole of what the model wrote, so closers that are missing at its end are
/// set (grades up to [`Grade::Closing`]). A string that is open at the end of the text is never closed.
/// A valid object comes back borrowed, byte for byte.
///
/// ```
/// use toolmend_core::coerce_json_object;
///
/// assert_eq!(coerce_json_object("Sure: {\"a\": [1, 2,]").as_deref(), Some("{\"a\": [1, 2]}"));
/// assert_eq!(coerce_json_object("{\"path\": \"/etc/ho"), None);
/// assert_eq!(coerce_json_object("{\"path\":\"a\",\"opts\":{\"x\":1},\"target\":\"/home/u"), None);
/// ```
#[must_use]
pub fn coerce_json_object(body: &str) -> Option<Cow<'_, str>> {
    match mend(body, &Evidence::whole(), &NoJudge).under(Policy::up_to(Grade::Closing)) {
        Verdict::Intact { .. } => Some(Cow::Borrowed(body)),
        Verdict::Mended { output, .. } => Some(Cow::Owned(output)),
        Verdict::Declined(_) => None,
    }
}
