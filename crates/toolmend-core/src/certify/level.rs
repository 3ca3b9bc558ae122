//! Proves that one whole level of escaping, and nothing else, was taken off.

use super::Objection;
use crate::{Edit, Rule};

/// Proves a step whose edits take off a level: all of one rule, each the decoding of one escape (or a
/// quote around the whole), and no escape of that level left between the first and the last.
pub(super) fn check(before: &str, edits: &[Edit]) -> Result<(), Objection> {
    let Some(rule) = edits.first().map(|e| e.rule) else {
        return Err((0, "a level without an edit"));
    };
    let last = edits.len() - 1;
    let quoted = rule == Rule::DoubleEncoded;
    let mut left = edits[0].end;
    for (n, edit) in edits.iter().enumerate() {
        let taken = &before[edit.start..edit.end];
        if edit.rule != rule {
            return Err((edit.start, "a level among other edits"));
        }
        let sign = if rule == Rule::HtmlEntities { '&' } else { '\\' };
        if n > 0 && before[left..edit.start].contains(sign) {
            return Err((left, "an escape left on its level"));
        }
        left = edit.end;
        let border = quoted && (n == 0 || n == last);
        let proved = if border {
            edit.put.is_empty() && taken.trim() == "\""
        } else if rule == Rule::HtmlEntities {
            entity(taken) == Some(&*edit.put)
        } else {
            json_escape(taken).is_some_and(|c| edit.put.chars().eq([c]))
        };
        if !proved {
            return Err((edit.start, "an escape that says something else"));
        }
    }
    // It is a level only where no quote stands on the level above it.
    let begun = if rule == Rule::HtmlEntities { 0 } else { edits[0].start };
    let mut at = begun;
    for edit in edits {
        if before[at.min(edit.start)..edit.start].contains('"') {
            return Err((at, "a quote that is on another level"));
        }
        at = edit.end;
    }
    let sign = if rule == Rule::HtmlEntities { '&' } else { '\\' };
    if before[at..].contains(['"', sign]) {
        return Err((at, "an escape left on its level"));
    }
    // The quotes around a string are a pair: nothing may stand outside of them.
    if quoted && (edits[0].start != 0 || edits[last].end != before.len() || last == 0) {
        return Err((0, "a string that is not the whole"));
    }
    Ok(())
}

/// Proves a step that takes off the call around its arguments: two pieces at the ends of a valid object go,
/// and what stays is one value of it.
pub(super) fn envelope(before: &str, edits: &[Edit]) -> Result<(), Objection> {
    super::walk::object(before)?;
    let [head, tail] = edits else { return Err((0, "an envelope that is not two pieces")) };
    let ends = head.start == 0 && tail.end == before.len() && head.end <= tail.start;
    if !ends || !head.put.is_empty() || !tail.put.is_empty() {
        return Err((0, "an envelope that puts something"));
    }
    // The value begins behind a colon and ends before a comma or a closer.
    let begins = before[..head.end].trim_end().ends_with(':');
    let ended = before[tail.start..].trim_start().starts_with([',', '}']);
    if begins && ended { Ok(()) } else { Err((head.end, "arguments that are no value")) }
}

fn entity(text: &str) -> Option<&'static str> {
    Some(match text {
        "&quot;" | "&#34;" => "\"",
        "&apos;" | "&#39;" => "'",
        "&lt;" => "<",
        "&gt;" => ">",
        "&amp;" => "&",
        _ => return None,
    })
}

/// What one JSON escape (RFC 8259, section 7), or a pair of them for one character, stands for.
fn json_escape(text: &str) -> Option<char> {
    let rest = text.strip_prefix('\\')?;
    Some(match rest {
        "\"" => '"',
        "\\" => '\\',
        "/" => '/',
        "b" => '\u{8}',
        "f" => '\u{c}',
        "n" => '\n',
        "r" => '\r',
        "t" => '\t',
        _ => {
            let unit = |s: &str| {
                let digits =
                    s.strip_prefix('u').filter(|d| d.len() == 4 && d.bytes().all(|c| c.is_ascii_hexdigit()));
                digits.and_then(|d| u16::from_str_radix(d, 16).ok())
            };
            let mut units = rest.split('\\').map(unit).collect::<Option<alloc::vec::Vec<u16>>>()?.into_iter();
            let mut chars = char::decode_utf16(units.by_ref());
            let c = chars.next()?.ok()?;
            if chars.next().is_some() {
                return None;
            }
            c
        }
    })
}
