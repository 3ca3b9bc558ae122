//! An array or object that was written as a string.

use toolmend_core::{Evidence, Grade, NoJudge, Rule, Verdict, mend};

use crate::doc::{Doc, Kind};

/// What stands around an array to have it mended as a body.
const BEFORE: &str = "{\"x\": ";
const AFTER: &str = "}";

/// The array or object that a string holds, and nothing else: as it stands there if that is JSON, else
/// mended, where that takes no more than another spelling.
pub(super) fn inside(text: &str, kind: Kind) -> Option<String> {
    if holds_raw_backslashes(text) {
        return None;
    }
    if let Ok(doc) = Doc::parse(text) {
        return (doc.kind(0) == kind && !doc.has_duplicates()).then(|| text.to_owned());
    }
    let opener = if kind == Kind::Object { '{' } else { '[' };
    if !text.trim_start().starts_with(opener) {
        return None;
    }
    let mended = if kind == Kind::Object {
        spelled(text)?
    } else {
        let mended = spelled(&format!("{BEFORE}{text}{AFTER}"))?;
        mended.strip_prefix(BEFORE)?.strip_suffix(AFTER)?.to_owned()
    };
    let doc = Doc::parse(&mended).ok()?;
    (doc.kind(0) == kind && !doc.has_duplicates()).then_some(mended)
}

/// Whether the backslashes in a text are content that was not escaped for the JSON in it: a backspace, a form
/// feed, or a control character on a drive's path (`C:\\temp`) is what nobody means.
fn holds_raw_backslashes(text: &str) -> bool {
    let b = text.as_bytes();
    let mut at = 0;
    while at + 1 < b.len() {
        if b[at] != b'\\' {
            at += 1;
            continue;
        }
        let drive = at > 2
            && b[at - 1] == b':'
            && b[at - 2].is_ascii_alphabetic()
            && !b[at - 3].is_ascii_alphanumeric();
        if matches!(b[at + 1], b'b' | b'f') || drive && matches!(b[at + 1], b'n' | b'r' | b't' | b'u') {
            return true;
        }
        at += 2;
    }
    false
}

/// The text mended, if the repair leaves its structure alone. Whether the string was written to its end
/// is not known: the quote behind it belongs to the outer text, so nothing that is missing is set.
fn spelled(text: &str) -> Option<String> {
    let Verdict::Mended { output, receipt } = mend(text, &Evidence::new(), &NoJudge) else { return None };
    (receipt.grade <= Grade::Spelling && receipt.rules().into_iter().all(keeps_structure)).then_some(output)
}

/// Rules that neither set nor drop a bracket, nor take text around the value for packaging: in a value,
/// that text was said too.
fn keeps_structure(rule: Rule) -> bool {
    match rule.grade() {
        Grade::Packaging => matches!(rule, Rule::InvisibleSpace | Rule::OverEscaped | Rule::DoubleEncoded),
        Grade::Punctuation => matches!(
            rule,
            Rule::TrailingComma
                | Rule::DoubledComma
                | Rule::LeadingComma
                | Rule::MissingComma
                | Rule::MissingColon
                | Rule::WrongSeparator
        ),
        // A number that is written in another way is no longer the one that the string says.
        Grade::Spelling => !matches!(
            rule,
            Rule::Comment | Rule::HexNumber | Rule::LeadingZero | Rule::BarePoint | Rule::DigitSeparator
        ),
        Grade::Schema | Grade::Closing | Grade::Cut => false,
    }
}
