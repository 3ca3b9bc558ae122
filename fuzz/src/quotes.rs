//! A string that is open at the end of the text is never closed: checked from the edits alone.

use toolmend_core::Edit;

use crate::oracle::strings;

/// What may have stood where a closing quote was set.
const CLOSERS: &[&str] =
    &["\"", "'", "`", "”", "“", "„", "’", "‘", "»", "«", "&quot;", "&#34;", "&#x22;", "&apos;", "&#39;"];

/// Every closing quote of `output` stands in `text`, or stands for a quote there, or closes a key before
/// its colon.
///
/// `edits` turn `text` into `output`, a valid object. Closing an open string means setting a quote where
/// none was: no schema is known here, so only a colon can tell where a string without its closing quote
/// has ended.
pub fn check(text: &str, edits: &[Edit], output: &str) {
    let ends: Vec<(usize, &Edit)> = edits
        .iter()
        .scan(0_isize, |grown, e| {
            *grown += e.put.len() as isize - (e.end - e.start) as isize;
            Some((e.end.wrapping_add_signed(*grown), e))
        })
        .collect();
    for (_, close) in strings(output) {
        // The last byte of the string, its closing quote, is at `close - 1`.
        let Some((_, edit)) = ends.iter().find(|(end, e)| (end - e.put.len()..*end).contains(&(close - 1)))
        else {
            continue;
        };
        let key = output[close..].trim_ascii_start().starts_with(':');
        let stood = text[edit.start..edit.end].trim_end();
        assert!(
            key || CLOSERS.iter().any(|closer| stood.ends_with(closer)),
            "a quote was set where none was, by {edit:?}\n  input  {text:?}\n  output {output:?}"
        );
    }
}
