//! Edits: how an output is spliced from its input.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::Rule;

/// One replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// First byte that goes, counted in UTF-8 bytes of the input.
    pub start: usize,
    /// First byte that stays again; `start == end` only inserts.
    pub end: usize,
    /// What stands there instead.
    pub put: Cow<'static, str>,
    /// Why.
    pub rule: Rule,
}

impl Edit {
    pub(crate) fn delete(rule: Rule, start: usize, end: usize) -> Edit {
        Edit { start, end, put: Cow::Borrowed(""), rule }
    }

    pub(crate) fn insert(rule: Rule, at: usize, put: &'static str) -> Edit {
        Edit { start: at, end: at, put: Cow::Borrowed(put), rule }
    }

    pub(crate) fn replace(rule: Rule, start: usize, end: usize, put: impl Into<Cow<'static, str>>) -> Edit {
        Edit { start, end, put: put.into(), rule }
    }
}

/// Why edits do not apply to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditError {
    /// An edit ends before it starts, or beyond the text.
    OutOfRange {
        /// Which edit, counted from zero.
        edit: usize,
    },
    /// An edit starts before the one before it has ended.
    Overlap {
        /// Which edit, counted from zero.
        edit: usize,
    },
    /// An edit starts or ends inside a character.
    InsideCharacter {
        /// Which edit, counted from zero.
        edit: usize,
    },
}

impl core::fmt::Display for EditError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            EditError::OutOfRange { edit } => write!(f, "edit {edit} lies outside the text"),
            EditError::Overlap { edit } => write!(f, "edit {edit} overlaps the one before it"),
            EditError::InsideCharacter { edit } => write!(f, "edit {edit} splits a character"),
        }
    }
}

impl core::error::Error for EditError {}

/// Applies edits to the text that they were made for.
///
/// # Errors
/// When the edits are not sorted, not disjoint, or not on character boundaries of `text`.
pub fn apply(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    // Most edits put a byte, or none.
    let mut out = String::with_capacity(text.len() + edits.len());
    let mut at = 0;
    for (edit, e) in edits.iter().enumerate() {
        if e.start > e.end || e.end > text.len() {
            return Err(EditError::OutOfRange { edit });
        }
        if e.start < at {
            return Err(EditError::Overlap { edit });
        }
        let kept = text.get(at..e.start).ok_or(EditError::InsideCharacter { edit })?;
        if !text.is_char_boundary(e.end) {
            return Err(EditError::InsideCharacter { edit });
        }
        out.push_str(kept);
        if !e.put.is_empty() {
            out.push_str(&e.put);
        }
        at = e.end;
    }
    out.push_str(&text[at..]);
    Ok(out)
}

/// The edits that turn `apply(text, edits)` back into `text`.
///
/// # Errors
/// As for [`apply`].
pub fn invert(text: &str, edits: &[Edit]) -> Result<Vec<Edit>, EditError> {
    apply(text, edits)?;
    let (mut grown, mut shrunk) = (0, 0);
    Ok(edits
        .iter()
        .map(|e| {
            let start = e.start + grown - shrunk;
            grown += e.put.len();
            shrunk += e.end - e.start;
            Edit {
                start,
                end: start + e.put.len(),
                put: Cow::Owned(text[e.start..e.end].into()),
                rule: e.rule,
            }
        })
        .collect())
}

/// One list of edits that does what `first` and then `second` do: `second` counts in the text that
/// `first` makes of `text`. Where the two touch, they become one edit, named after the second's rule.
///
/// # Errors
/// As for [`apply`], for either list.
pub fn compose(text: &str, first: &[Edit], second: &[Edit]) -> Result<Vec<Edit>, EditError> {
    let mut out: Vec<Edit> = Vec::with_capacity(first.len() + second.len());
    let (mut f, mut s) = (0, 0);
    // `grown` and `shrunk`: bytes that the first list has put and taken so far, so that
    // `middle = input + grown - shrunk` between its edits.
    let (mut grown, mut shrunk) = (0usize, 0usize);
    loop {
        // A cluster: edits of both lists whose stretches [lo, hi] of the middle text touch.
        let (from_f, from_s, before) = (f, s, (grown, shrunk));
        let middle = |e: &Edit, grown: usize, shrunk: usize| e.start + grown - shrunk;
        let lo = match (first.get(f), second.get(s)) {
            (None, None) => return Ok(out),
            (Some(a), Some(b)) => middle(a, grown, shrunk).min(b.start),
            (Some(a), None) => middle(a, grown, shrunk),
            (None, Some(b)) => b.start,
        };
        let mut hi = lo;
        loop {
            if let Some(a) = first.get(f).filter(|a| middle(a, grown, shrunk) <= hi) {
                hi = hi.max(middle(a, grown, shrunk) + a.put.len());
                grown += a.put.len();
                shrunk += a.end - a.start;
                f += 1;
            } else if let Some(b) = second.get(s).filter(|b| b.start <= hi) {
                hi = hi.max(b.end);
                s += 1;
            } else {
                break;
            }
        }
        let (mine, theirs) = (&first[from_f..f], &second[from_s..s]);
        let back = |p: usize, (grown, shrunk): (usize, usize)| p + shrunk - grown;
        if theirs.is_empty() {
            out.extend_from_slice(mine);
        } else if mine.is_empty() {
            out.extend(theirs.iter().map(|e| Edit {
                start: back(e.start, before),
                end: back(e.end, before),
                ..e.clone()
            }));
        } else {
            let (start, end) = (back(lo, before), back(hi, (grown, shrunk)));
            let stretch = text.get(start..end).ok_or(EditError::OutOfRange { edit: from_f })?;
            let made = apply(stretch, &shifted(mine, start))?;
            let put = apply(&made, &shifted(theirs, lo))?;
            out.push(Edit { start, end, put: Cow::Owned(put), rule: theirs[0].rule });
        }
    }
}

fn shifted(edits: &[Edit], by: usize) -> Vec<Edit> {
    edits.iter().map(|e| Edit { start: e.start - by, end: e.end - by, ..e.clone() }).collect()
}
