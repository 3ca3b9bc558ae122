//! What a token says, however it is written.

use alloc::string::String;
use alloc::vec::Vec;

use crate::Rule;

/// The one rule that wrote a token anew, where `rule` did after `before`. Any rule for strings may escape
/// raw control characters on the way; no two others meet on one token.
pub(super) fn with(before: Option<Rule>, rule: Rule) -> Option<Rule> {
    match before {
        None | Some(Rule::RawControl) => Some(rule),
        Some(before) if before == rule || rule == Rule::RawControl => Some(before),
        Some(_) => None,
    }
}

/// Whether the input's token, which `rule` wrote anew, says what the output's token says.
pub(super) fn same(input: &str, rule: Rule, output: &str) -> bool {
    match rule {
        Rule::PlusSign | Rule::LeadingZero | Rule::HexNumber | Rule::DigitSeparator | Rule::BarePoint => {
            number(input).is_some_and(|n| number(output) == Some(n))
        }
        Rule::LiteralCase => literal(input) == Some(output),
        Rule::CutLiteral => {
            !input.is_empty() && output.starts_with(input) && matches!(output, "true" | "false" | "null")
        }
        Rule::NumberString => quoted(input) == Some(output) && number(output).is_some(),
        Rule::BooleanString => {
            matches!(output, "true" | "false")
                && quoted(input).is_some_and(|word| word.eq_ignore_ascii_case(output))
        }
        Rule::StringNumber => quoted(output) == Some(input) && number(input).is_some(),
        Rule::EnumCase | Rule::KeySpelling => {
            let letters = |token| {
                let words = words(token, Rule::RawControl)?;
                Some(
                    words
                        .chars()
                        .filter(|c| !matches!(c, '_' | '-' | ' ' | '.'))
                        .flat_map(char::to_lowercase)
                        .collect::<String>(),
                )
            };
            letters(input).is_some_and(|l| !l.is_empty() && letters(output) == Some(l))
        }
        _ => {
            let written = words(input, rule);
            written.is_some() && written == words(output, Rule::RawControl)
        }
    }
}

/// The bare inside of a token in double quotes without any escape.
fn quoted(token: &str) -> Option<&str> {
    token.strip_prefix('"')?.strip_suffix('"').filter(|t| !t.contains(['"', '\\']))
}

/// Whether a string token holds this array or object: as it is, or with the same words in the same order
/// under other quotes and spellings.
pub(super) fn contains(token: &str, container: &str) -> bool {
    let Some(held) = words(token, Rule::RawControl) else { return false };
    if held.trim() == container.trim() {
        return true;
    }
    let said = |text: &str| -> String {
        // A line break may be written out on one side and stand raw on the other.
        let text = text.replace("\\n", "").replace("\\r", "").replace("\\t", "");
        let passes = |c: &char| !c.is_whitespace() && !c.is_control() && !"\"'“”„«»`\\,:;=>+".contains(*c);
        text.chars().filter(passes).flat_map(char::to_lowercase).collect()
    };
    container.trim_start().starts_with(['[', '{']) && said(&held) == said(container)
}

/// Whether this is an empty object, with white space around and in it.
pub(super) fn empty_object(taken: &str) -> bool {
    let mut signs = taken.chars().filter(|c| !c.is_whitespace() && !c.is_control() && *c != '\u{feff}');
    signs.next() == Some('{') && signs.next() == Some('}') && signs.next().is_none()
}

/// Whether packaging that goes holds what may be a part of the object: a key with its colon (unless what
/// it stands for is left out), or a brace without its partner.
pub(super) fn holds_member(taken: &str) -> bool {
    let left_out = |after: &str| after.trim_start().starts_with("...") || after.trim_start().starts_with('…');
    let key = |at: usize| {
        let colon = taken[at + 1..].trim_start().strip_prefix(':');
        colon.is_some_and(|after| !after.trim().is_empty() && !left_out(after))
    };
    let mut braces = 0isize;
    for (at, c) in taken.bytes().enumerate() {
        match c {
            b'"' if key(at) => return true,
            b'{' => braces += 1,
            b'}' => braces -= 1,
            _ => {}
        }
    }
    braces != 0
}

/// Whether this is one member that is `null`, with at most one comma beside it.
pub(super) fn null_member(taken: &str) -> bool {
    let taken = taken.trim();
    let member = taken.strip_prefix(',').unwrap_or_else(|| taken.strip_suffix(',').unwrap_or(taken)).trim();
    member
        .strip_suffix("null")
        .map(str::trim_end)
        .and_then(|m| m.strip_suffix(':'))
        .map(str::trim_end)
        .is_some_and(|key| key.len() > 1 && key.starts_with('"') && words(key, Rule::RawControl).is_some())
}

/// Whether what was taken says nothing: white space of any kind, written-out line breaks, or comments.
pub(super) fn nothing(mut taken: &str) -> bool {
    loop {
        taken = taken.trim_start_matches(|c: char| {
            c.is_whitespace() || c.is_control() || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
        });
        if taken.is_empty() {
            return true;
        }
        let next = if let Some(rest) = ["\\n", "\\r", "\\t"].iter().find_map(|e| taken.strip_prefix(e)) {
            rest
        } else if let Some(rest) = taken.strip_prefix("/*") {
            match rest.split_once("*/") {
                Some((_, rest)) => rest,
                None => return false,
            }
        } else if taken.starts_with("//") || taken.starts_with('#') {
            return !taken.contains('\n');
        } else {
            return false;
        };
        taken = next;
    }
}

/// The literal that a word of Python, or one in capitals, stands for.
fn literal(word: &str) -> Option<&'static str> {
    Some(match word {
        "True" | "TRUE" => "true",
        "False" | "FALSE" => "false",
        "None" | "NONE" | "Null" | "NULL" => "null",
        _ => return None,
    })
}

/// The words of a string as `rule` says that it is written.
fn words(token: &str, rule: Rule) -> Option<String> {
    let between = |open: &str, close: &str| {
        token
            .strip_prefix(open)
            .and_then(|t| t.strip_suffix(close))
            .filter(|_| token.len() >= open.len() + close.len())
    };
    let plain = |t: &str| (!t.contains(['"', '\\'])).then(|| String::from(t));
    match rule {
        Rule::RawControl => decode(between("\"", "\"")?, Quote::Closing('"'), Slash::Json),
        Rule::EscapedApostrophe => decode(between("\"", "\"")?, Quote::Closing('"'), Slash::Apostrophe),
        Rule::BareBackslash => decode(between("\"", "\"")?, Quote::Closing('"'), Slash::Content),
        Rule::InnerQuotes => decode(between("\"", "\"")?, Quote::Content, Slash::Json),
        Rule::SingleQuotes => decode(between("'", "'")?, Quote::Closing('\''), Slash::Apostrophe),
        Rule::BareApostrophe => decode(between("'", "'")?, Quote::Content, Slash::Apostrophe),
        Rule::SmartQuotes => {
            let inside = [("“", "”"), ("”", "”"), ("„", "“"), ("„", "”"), ("«", "»")]
                .iter()
                .find_map(|(open, close)| between(open, close))?;
            let clean = !inside.contains(['“', '”', '„', '«', '»']);
            decode(inside, Quote::Content, Slash::Json).filter(|_| clean)
        }
        Rule::BacktickString => {
            between("`", "`").filter(|t| !t.contains(['`', '\\']) && !t.contains("${")).map(String::from)
        }
        Rule::TripleQuotes => between("\"\"\"", "\"\"\"")
            .filter(|t| !t.contains("\"\"\""))
            .or_else(|| between("'''", "'''").filter(|t| !t.contains("'''")))
            .filter(|t| !t.contains('\\'))
            .map(String::from),
        Rule::Concatenation => joined(token),
        Rule::BareKey => plain(token).filter(|t| !t.contains(char::is_whitespace)),
        Rule::KeyNoOpenQuote | Rule::ValueNoOpenQuote => {
            plain(token.strip_suffix('"')?).filter(|t| !t.starts_with(char::is_whitespace))
        }
        Rule::UnquotedWord => plain(token),
        Rule::KeyNoCloseQuote => plain(token.strip_prefix('"')?),
        Rule::ValueNoCloseQuote => decode(token.strip_prefix('"')?, Quote::Closing('"'), Slash::Json),
        Rule::EscapedKey => plain(&between("\"", "\"")?.replace("\\_", "_")),
        _ => None,
    }
}

/// What an unescaped quote inside means.
#[derive(Clone, Copy)]
enum Quote {
    /// The string would have ended there.
    Closing(char),
    /// It is content.
    Content,
}

/// What a backslash means.
#[derive(Clone, Copy, PartialEq)]
enum Slash {
    /// It begins one of JSON's escapes.
    Json,
    /// The same, and `\'` is an apostrophe.
    Apostrophe,
    /// It is content.
    Content,
}

fn decode(inside: &str, quote: Quote, slash: Slash) -> Option<String> {
    let mut out = String::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if slash == Slash::Content => out.push('\\'),
            '\\' => match chars.next()? {
                c @ ('"' | '\\' | '/') => out.push(c),
                'b' => out.push('\u{8}'),
                'f' => out.push('\u{c}'),
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                'u' => {
                    let high = unit(&mut chars)?;
                    let mut ahead = chars.clone();
                    let low =
                        (ahead.next() == Some('\\') && ahead.next() == Some('u')).then(|| unit(&mut ahead));
                    match (char::from_u32(high), low.flatten()) {
                        (Some(c), _) => out.push(c),
                        (None, Some(low)) if high < 0xdc00 && (0xdc00..0xe000).contains(&low) => {
                            out.extend(char::from_u32(0x10000 + ((high & 0x3ff) << 10 | low & 0x3ff)));
                            chars = ahead;
                        }
                        // Half of a pair: both sides spell it with the same digits.
                        (None, _) => out.push_str(&alloc::format!("\u{f0000}{high:x}")),
                    }
                }
                '\'' if slash == Slash::Apostrophe => out.push('\''),
                _ => return None,
            },
            c if matches!(quote, Quote::Closing(q) if q == c) => return None,
            c => out.push(c),
        }
    }
    Some(out)
}

/// The four hex digits of an escape.
fn unit(chars: &mut core::str::Chars<'_>) -> Option<u32> {
    (0..4).try_fold(0, |value, _| Some(value << 4 | chars.next()?.to_digit(16)?))
}

/// Strings in double quotes joined by plus signs.
fn joined(token: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = token;
    loop {
        let inside = rest.strip_prefix('"')?;
        let mut escaped = false;
        let end = inside.find(|c| match c {
            _ if escaped => {
                escaped = false;
                false
            }
            '\\' => {
                escaped = true;
                false
            }
            c => c == '"',
        })?;
        out.push_str(&decode(&inside[..end], Quote::Closing('"'), Slash::Json)?);
        rest = inside[end + 1..].trim_start();
        match rest.strip_prefix('+') {
            Some(next) => rest = next.trim_start(),
            None => return rest.is_empty().then_some(out),
        }
    }
}

/// A number, however it is written, in one form: sign, digits without leading zeros, and the rest.
fn number(token: &str) -> Option<(bool, String, String)> {
    let token: String = token.chars().filter(|&c| c != '_').collect();
    let (negative, token) = match token.strip_prefix('-') {
        Some(t) => (true, t),
        None => (false, token.strip_prefix('+').unwrap_or(&token)),
    };
    if let Some(hex) = token.strip_prefix("0x").or_else(|| token.strip_prefix("0X")) {
        return Some((negative, decimal(hex)?, String::new()));
    }
    let whole: String = token.chars().take_while(char::is_ascii_digit).collect();
    let rest = &token[whole.len()..];
    let rest = if rest == "." { "" } else { rest };
    let digits = whole.trim_start_matches('0');
    if whole.is_empty() && !rest.starts_with('.') {
        return None;
    }
    Some((negative, String::from(digits), String::from(rest)))
}

/// The decimal digits of a hexadecimal number, without leading zeros.
fn decimal(hex: &str) -> Option<String> {
    // Least significant digit first.
    let mut digits: Vec<u8> = Vec::new();
    for c in hex.chars() {
        let mut carry = c.to_digit(16)?;
        for d in &mut digits {
            carry += u32::from(*d) * 16;
            *d = (carry % 10) as u8;
            carry /= 10;
        }
        while carry > 0 {
            digits.push((carry % 10) as u8);
            carry /= 10;
        }
    }
    (!hex.is_empty()).then(|| digits.iter().rev().map(|d| char::from(b'0' + d)).collect())
}
