//! What is told to people: lines on standard error.

use std::fmt;
use std::io::{self, Write};

/// Writes one line to standard error. When nobody reads it any more, the work goes on untold.
pub(crate) fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Text from outside, on one line: what cannot be seen is shown as an escape (`\u{1b}`, which JSON does not
/// know), so that a tool name cannot forge a second line or steer the terminal.
pub(crate) struct Plain<'a>(pub(crate) &'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(unprintable) {
            let (printable, from) = rest.split_at(at);
            f.write_str(printable)?;
            let mut chars = from.chars();
            if let Some(c) = chars.next() {
                write!(f, "{}", c.escape_unicode())?;
            }
            rest = chars.as_str();
        }
        f.write_str(rest)
    }
}

/// Control characters, spaces that look like another or like nothing, line separators, and marks that turn
/// the writing direction.
fn unprintable(c: char) -> bool {
    let unseen = matches!(
        c,
        '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    );
    unseen || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_stays_on_one_line_and_is_seen() {
        for (text, shown) in [
            ("get_weather", "get_weather"),
            ("北京", "北京"),
            ("", ""),
            ("a\nrepaired: b", r"a\u{a}repaired: b"),
            ("\u{1b}[31mred", r"\u{1b}[31mred"),
            ("a\u{202e}b\u{2028}", r"a\u{202e}b\u{2028}"),
        ] {
            assert_eq!(Plain(text).to_string(), shown);
        }
    }
}
