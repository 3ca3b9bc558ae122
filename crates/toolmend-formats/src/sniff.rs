//! Whether what stands behind a mark can still be a call: so that prose which names a mark flows on.

use crate::home::Sniff;
use crate::marks::{self, Body, Fit, Found, Opener, fit};
use crate::python;
use crate::region::FENCES;
use crate::tags;

/// The longest name, or tag with a name, that is waited for, in bytes.
const MAX_WAITED_NAME: usize = 128;

/// Looks at the beginning of what stands behind `opener`.
pub(crate) fn after(opener: &Opener, text: &str) -> Sniff {
    let rest = text.trim_ascii_start();
    if rest.is_empty() {
        return Sniff::Maybe;
    }
    match opener.body {
        Body::Wrap => nested(rest).or_noise(opener, rest),
        Body::Identified | Body::IdAndName => Sniff::Likely,
        Body::Brace(_) => begins(rest, "call:"),
        Body::Header => named(rest, &["<|content_invoke_tool_json|>"]),
        Body::Function | Body::Invoke(_) => tag(opener, text),
        Body::Json if opener.mark.ends_with('[') => begins(rest, "{"),
        Body::Json | Body::Python | Body::Tagged | Body::Named => match rest.as_bytes()[0] {
            b'{' | b'[' => Sniff::Likely,
            b'<' | b']' => nested(rest),
            b'`' => {
                FENCES.iter().map(|fence| begins(rest, fence)).find(|s| *s != Sniff::No).unwrap_or(Sniff::No)
            }
            _ if opener.body == Body::Tagged => named(rest, &["<"]),
            _ if opener.body == Body::Python => named(rest, &["("]),
            _ if opener.body == Body::Named => named(rest, &["[", "{"]),
            _ => Sniff::No,
        },
    }
}

impl Sniff {
    /// In a section of Kimi's, a little noise may stand before the first call.
    fn or_noise(self, opener: &Opener, rest: &str) -> Sniff {
        let noise = opener.mark.contains("section") && !rest.contains('\n');
        match (self, rest.find('<')) {
            (Sniff::No, None) if noise && rest.len() < MAX_WAITED_NAME => Sniff::Maybe,
            (Sniff::No, Some(at)) if noise && at < MAX_WAITED_NAME => nested(&rest[at..]),
            (sniff, _) => sniff,
        }
    }
}

fn begins(text: &str, word: &str) -> Sniff {
    if text.starts_with(word) {
        Sniff::Likely
    } else if word.starts_with(text) {
        Sniff::Maybe
    } else {
        Sniff::No
    }
}

/// Another mark that begins a call, or one that ends an empty section.
fn nested(rest: &str) -> Sniff {
    let bytes = rest.as_bytes();
    match (marks::open(bytes, false), marks::closer(bytes)) {
        (Found::Full(..), _) | (_, Found::Full(..)) => Sniff::Likely,
        (Found::Part, _) | (_, Found::Part) => Sniff::Maybe,
        _ => Sniff::No,
    }
}

/// A name, and then one of `next`.
fn named(rest: &str, next: &[&str]) -> Sniff {
    if !rest.starts_with(python::is_name_start) {
        return Sniff::No;
    }
    let more = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    let Some(end) = rest.find(|c| !more(c)) else {
        return if rest.len() <= MAX_WAITED_NAME { Sniff::Maybe } else { Sniff::No };
    };
    if end > MAX_WAITED_NAME {
        return Sniff::No;
    }
    let behind = rest[end..].trim_ascii_start();
    if behind.is_empty() || next.iter().any(|word| fit(behind.as_bytes(), word) == Fit::Part) {
        return Sniff::Maybe;
    }
    if next.iter().any(|word| matches!(fit(behind.as_bytes(), word), Fit::Full(_))) {
        Sniff::Likely
    } else {
        Sniff::No
    }
}

/// A tag with a name, and then a parameter, JSON, or the end of the call.
fn tag(opener: &Opener, text: &str) -> Sniff {
    let Some((_, tag, used)) = tags::tag_rest(text) else {
        let open = !text.contains('>') && !text.contains('\n') && text.len() <= MAX_WAITED_NAME;
        return if open { Sniff::Maybe } else { Sniff::No };
    };
    // As long a tag is not waited for, so none that comes at once may be as long.
    if used > MAX_WAITED_NAME + 1 {
        return Sniff::No;
    }
    if tag.trim_ascii_end().ends_with('/') {
        return Sniff::Likely;
    }
    let rest = text[used..].trim_ascii_start();
    let (parameter, end) = match opener.body {
        Body::Invoke(invoke) if invoke.parameter.is_empty() => ("]<]minimax[>[<", invoke.end),
        Body::Invoke(invoke) => (invoke.parameter, invoke.end),
        _ => ("<parameter=", "</function>"),
    };
    let tries = [fit(rest.as_bytes(), parameter), fit(rest.as_bytes(), end), fit(rest.as_bytes(), "{")];
    if tries.iter().any(|t| matches!(t, Fit::Full(_))) {
        Sniff::Likely
    } else if tries.contains(&Fit::Part) {
        Sniff::Maybe
    } else {
        Sniff::No
    }
}
