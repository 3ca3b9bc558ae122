//! `value-no-close-quote`: a string without its closing quote

use super::{Act, Counter, Example, Spec};
use crate::read::lexeme::{
    Lexeme, Spot, colon_ahead, escape_raw, identifier_end, inside, json_escape, skip_white,
};
use crate::read::quotes::swallows_member;
use crate::scan::Slot;
use crate::{Edit, Ending, Grade, Rule};
use alloc::vec::Vec;

pub(super) const SPEC: Spec = Spec {
    name: "value-no-close-quote",
    what: "A string that has lost its closing quote, where the next line opens with a declared key that is not given yet.",
    grade: Grade::Schema,
    example: Example {
        before: "{\"q\": \"words,\n \"top_k\": 5}",
        after: "{\"q\": \"words\",\n \"top_k\": 5}",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"q":{"type":"string"},"top_k":{"type":"integer"}}}"#,
    },
    safe: "A JSON string holds no raw line break, and the next line opens with a declared key and its colon.",
    wrong: Counter {
        text: r#"{"q": "words}"#,
        why: "The last string of a body: the brace may be content, and an open string is never closed.",
        ending: Ending::Complete,
        schema: r#"{"type":"object","properties":{"q":{"type":"string"},"top_k":{"type":"integer"}}}"#,
    },
    act: Act::Token(token),
};

fn token(spot: &Spot<'_>) -> Option<Lexeme> {
    if !spot.ctx.has_schema() || spot.slot != Slot::Value || !spot.rest().starts_with('"') {
        return None;
    }
    let line_end = spot.at + spot.rest().find('\n')?;
    let line = spot.text[spot.at + 1..line_end].trim_ascii_end();
    let words = line.strip_suffix(',')?;
    let comma = spot.at + 1 + words.len();
    let within = inside(spot.text, spot.at + 1, b'"')?.close < line_end;
    if words.is_empty()
        || words.ends_with(['\\', '"'])
        || words.trim_ascii_end().ends_with(',')
        // A quote that is spelled out may be the one that closes it.
        || words.ends_with("\\u0022")
        || closes_more(words)
        || is_nothing(words.trim())
        || within
    {
        return None;
    }
    // `"a, dry_run: true,`
    if swallows_member(words, &[spot.at], spot.ctx) {
        return None;
    }
    // `"a:" 5,`: with the key's quote missing as well, the colon may stand on the wrong side of it.
    let key = spot.text[..spot.at].trim_ascii_end().strip_suffix(':')?.trim_ascii_end();
    let name = key.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'));
    if !key.ends_with('"') && name.ends_with('"') {
        return None;
    }
    // The next line opens with a declared key, and its colon, that is not given yet.
    let open = skip_white(spot.text, line_end);
    let quoted = spot.text[open..].starts_with('"');
    // In its quotes any name that is declared is a key.
    let name_end = if quoted {
        inside(spot.text, open + 1, b'"').filter(|name| name.raw.is_empty())?.close
    } else {
        identifier_end(spot.text, open)?
    };
    let name = &spot.text[open + usize::from(quoted)..name_end];
    let closed = !quoted || spot.text[name_end..].starts_with('"');
    let key = closed && colon_ahead(spot.text, name_end + usize::from(quoted));
    let given = spot.text[..spot.at].match_indices(name).any(|(at, _)| {
        let end = at + name.len();
        colon_ahead(spot.text, end + usize::from(spot.text[end..].starts_with('"')))
    });
    if !key || given || !spot.ctx.judge.declares(name) {
        return None;
    }
    let escaped = inside(spot.text, spot.at + 1, b'\n')?;
    let pairs = escaped.pairs.iter().all(|&p| json_escape(spot.text, p));
    let mut edits: Vec<Edit> = escape_raw(spot.text, &escaped.raw).filter(|e| e.start < comma).collect();
    edits.push(Edit::insert(Rule::ValueNoCloseQuote, comma, "\""));
    pairs.then_some(Lexeme { end: comma, edits })
}

/// Whether the last sign of these words may not be their own: it closes what they do not open, or stands for
/// a quote.
fn closes_more(words: &str) -> bool {
    let Some(last) = words.chars().next_back() else { return false };
    let count = |c: char| words.matches(c).count();
    // All but those of `it's` and `it\'s`.
    let quotations = || {
        let b = words.as_bytes();
        let letter = |at: Option<&u8>| at.is_some_and(u8::is_ascii_alphabetic);
        let inside = |at: usize| b[..at].ends_with(b"\\") || letter(b[..at].last()) && letter(b.get(at + 1));
        words.match_indices('\'').filter(|&(at, _)| !inside(at)).count()
    };
    match last {
        '\'' => words.ends_with("''") || quotations() % 2 == 1,
        '`' => count('`') % 2 == 1,
        '”' => count('“') < count('”'),
        '’' => count('‘') < count('’'),
        '»' => count('«') < count('»'),
        '」' => count('「') < count('」'),
        '}' => count('{') < count('}'),
        ']' => count('[') < count(']'),
        ';' => words.ends_with("&quot;") || words.ends_with("&apos;") || words.ends_with("&#39;"),
        '“' | '„' | '‘' | '«' | '「' | '´' | '″' | '′' | '＂' => true,
        _ => false,
    }
}

/// Whether the words say that there is nothing: the quote may be what is too many.
fn is_nothing(words: &str) -> bool {
    ["null", "none"].iter().any(|word| words.eq_ignore_ascii_case(word))
}
