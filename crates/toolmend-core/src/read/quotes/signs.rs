//! Signs that a string which holds stray quotes may hold more than its own.

use alloc::vec::Vec;

use crate::context::Context;
use crate::read::doubt::opening;
use crate::read::lexeme::{colon_ahead, identifier_end, skip_white, trim_escaped_white};

/// The longest name of a member that a string with stray quotes may hold, in characters.
const MAX_NAME: usize = 64;

/// Whether a string with these stray quotes swallows what looks like the border of a member: then a quote
/// that is missing, or a fault of another kind behind that border, explains the text as well.
pub(super) fn swallows_border(
    text: &str,
    strays: &[usize],
    pairs: &[usize],
    quote: char,
    ctx: &Context<'_>,
) -> bool {
    let odd = strays.len() % 2 == 1;
    // `"a": "b"`: what the string seems to end with is a key; not where that quote is the partner of one that was
    // escaped: `{\"k": 1}`.
    let key = strays.first().is_some_and(|&at| {
        let escaped = pairs.iter().filter(|&&p| p < at && text[p + 1..].starts_with(quote)).count();
        escaped % 2 == 0 && colon_ahead(text, at + 1)
    });
    // `…","key":"…`: the string ends where a member's own value would; JSON in a string ends in a brace.
    let last = strays.last().map_or("", |&at| text[..at].trim_end());
    let ends_member = last.strip_suffix(':').is_some_and(|before| before.trim_end().ends_with(quote));
    key || strays.iter().enumerate().any(|(n, &open)| {
        let before = trim_escaped_white(&text[..open]);
        let Some(value) = before.strip_suffix([',', '{']).map(str::trim_end) else {
            return false;
        };
        let Some(name_end) = identifier_end(text, open + 1) else {
            return false;
        };
        let closed = text[name_end..].starts_with(quote);
        let colon = colon_ahead(text, name_end + usize::from(closed));
        let between = &text[before.len()..open];
        let line = between.contains('\n') || between.contains("\\n");
        let begins = before.ends_with('{');
        // Quotes in pairs stand before it, and one more: the string, or a quotation in it, could have ended.
        // A schema knows which keys there are; others are words of the string.
        let declared = !ctx.has_schema() || ctx.judge.declares_within(&text[open + 1..name_end]);
        let behind_end = n > 0 && !begins && value.len() == strays[n - 1] + 1;
        let other = n % 2 == 1 && (closed && !colon || colon && declared);
        if behind_end && (other || ends_member && colon && closed) {
            return true;
        }
        let known = !ctx.has_schema() || ctx.judge.declares(&text[open + 1..name_end]);
        known && colon && (n % 2 == 1 || odd && (closed || line || begins || value.ends_with(quote)))
    })
}

/// Whether a string that holds stray quotes seems to hold a member's key with its colon, however its quotes
/// and its comma are written: `x","b”:"y`, `x, b: "y`, `x"， "b": "y`; or a key without its colon between a
/// comma and a value: `x', "b" 'y`. A schema knows which names are keys; without one, those are that stand
/// behind a comma, in quotes, or between a quote and the colon before a string. A whole border counts whatever
/// the schema declares. Braces within the string are its own.
pub(crate) fn swallows_member(content: &str, strays: &[usize], ctx: &Context<'_>) -> bool {
    const COMMAS: &[char] = &[',', ';', '，', '、', '；'];
    if strays.is_empty() {
        return false;
    }
    if has_border(content) {
        return true;
    }
    let (mut depth, mut at) = (0i32, 0);
    while let Some(c) = content[at..].chars().next() {
        let Some(end) = identifier_end(content, at) else {
            depth += i32::from(c == '{') - i32::from(c == '}');
            at += c.len_utf8();
            continue;
        };
        let name = &content[at..end];
        let before = content[..at].trim_end_matches(QUOTES);
        let opened = before.len() < at;
        // `"},{name: …`: behind a brace that opens nothing within the string a key stands as behind a comma; `x," 'name': …`:
        // and behind one that stands on the wrong side of a quote.
        let outer = before.trim_end().trim_end_matches(QUOTES).trim_end();
        let behind_comma = outer.ends_with(COMMAS) || before.trim_end().ends_with('{');
        // `" name: …`: a comma is missing.
        let behind_quote = before.len() == at && before.trim_end().ends_with(QUOTES);
        let behind = content[end..].trim_start_matches(|c| QUOTES.contains(&c) || matches!(c, '\\' | ']'));
        let closed = content.len() - behind.len() > end;
        let behind = behind.trim_start().trim_start_matches(',');
        let key = if let Some(value) = behind.strip_prefix([':', '：']) {
            // `first, call: now`: without quotes at either end it is a key only before a string.
            behind_comma && (opened || closed || value.trim_start().starts_with(QUOTES))
                || !ctx.has_schema() && opened && (closed || value.trim_start().starts_with(QUOTES))
                || ctx.has_schema()
                    && (opened
                        || closed
                        || behind_comma
                        || behind_quote
                        || before.trim_end_matches(' ').ends_with('\n'))
        } else {
            opened && closed && behind_comma && behind.starts_with(QUOTES)
        };
        if depth <= 0 && key && (!ctx.has_schema() || ctx.judge.declares_within(name)) {
            return true;
        }
        at = end;
    }
    false
}

/// Whether a string's stray quotes may part it: between two of them that would open and close a quotation
/// stands nothing but what separates values, or what does so at its border (`a.py","b.py`, `x, "b":"y`,
/// `srv/" + name + ".txt`). `string` is the string with its own quotes, and begins at `open`; `pairs` are its
/// backslashes. What stands in brackets or triple quotes that the string opens and closes is its own.
pub(super) fn parts(string: &str, open: usize, strays: &[usize], pairs: &[usize]) -> bool {
    if strays.is_empty() {
        return false;
    }
    let b = string.as_bytes();
    let letter = |at: usize| b.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c >= 0x80);
    let mut quotes: Vec<usize> = strays.iter().map(|at| at - open).collect();
    // A quote that was escaped may be the partner of one that was not.
    quotes.extend(pairs.iter().map(|at| at + 1 - open).filter(|&at| b[at] == b[0]));
    quotes.sort_unstable();
    let own = enclosed(b, &quotes);
    if b[0] == b'\'' {
        // `it's`: an apostrophe has no partner.
        quotes.retain(|&at| !(letter(at - 1) && letter(at + 1)));
    }
    // `'"'` is a character.
    let character = |at: usize| {
        let before = string[..at].strip_suffix('\\').unwrap_or(&string[..at]);
        b[0] == b'"' && before.ends_with('\'') && b.get(at + 1) == Some(&b'\'')
    };
    quotes.retain(|&at| !own[at] && !character(at));
    if b[0] == b'\'' {
        // `c = '"';`
        let opens = |at: usize| {
            b"(=,:[ ".contains(&b[at - 1])
                && b[at..].starts_with(b"'\"'")
                && b.get(at + 3).is_some_and(|c| b";,) ]".contains(c))
        };
        let character = |at: usize| opens(at) || at > 2 && opens(at - 2);
        quotes.retain(|&at| !character(at));
    }
    let last = string.len() - 1;
    // A quotation that fills the string may be the string with doubled quotes.
    if quotes == [1, last - 1] || *strays == [open + 1, open + last - 1] {
        return true;
    }
    let odd = quotes.len() % 2 == 1;
    if odd {
        // Nothing says which of them is alone, so each may stand beside each, and beside the string's own.
        quotes.insert(0, 0);
        quotes.push(last);
    }
    let mut gaps = quotes.windows(2).step_by(if odd { 1 } else { 2 });
    gaps.any(|gap| {
        let (from, to) = (gap[0] + 1, gap[1]);
        let between = string[from..to].strip_suffix('\\').unwrap_or(&string[from..to]);
        separates(between, &string[..gap[0]], from > 1, to < last)
    })
}

/// Whether this text, between two quotes, may stand between values. Where one of the quotes is the string's
/// own, what stands beside it there is no border.
fn separates(between: &str, before: &str, behind_stray: bool, before_stray: bool) -> bool {
    const COMMAS: &[char] = &[',', ';', '+', '，', '、', '；', '：'];
    const OTHER: &[char] = &[':', '.', '。', '|', '&', '=', '>', '-', '/', '{', '}', '[', ']', '(', ')'];
    let between =
        trim_escaped_white(between).trim_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c));
    if between.is_empty() {
        // `alt=""`
        return !before.trim_end_matches('\\').ends_with('=');
    }
    // `"{}"`
    if [('(', ')'), ('[', ']'), ('{', '}')]
        .iter()
        .any(|&(open, close)| between.starts_with(open) && between.ends_with(close))
    {
        return false;
    }
    let comment = ["# ", "// ", "/*"].iter().any(|sign| between.starts_with(sign));
    behind_stray && (comment || between.starts_with(COMMAS))
        || before_stray && between.ends_with(COMMAS)
        || matches!(between, "and" | "or")
        || between.chars().all(|c| COMMAS.contains(&c) || OTHER.contains(&c) || c.is_whitespace())
}

/// For every byte of a string, whether it stands in brackets, or in triple quotes, that open and close within
/// it. What is never closed encloses nothing.
fn enclosed(b: &[u8], quotes: &[usize]) -> Vec<bool> {
    // How many brackets open, less those that close, at each byte.
    let mut change = alloc::vec![0i32; b.len() + 1];
    let mut open: [Vec<usize>; 3] = Default::default();
    for (at, c) in b.iter().enumerate() {
        if let Some(kind) = b"([{".iter().position(|o| o == c) {
            open[kind].push(at);
        } else if let Some(kind) = b")]}".iter().position(|o| o == c)
            && let Some(from) = open[kind].pop()
        {
            change[from] += 1;
            change[at + 1] -= 1;
        }
    }
    let near = |at: usize, next: usize| next == at + 1 || next == at + 2 && b[at + 1] == b'\\';
    let mut triples = quotes.windows(3).filter(|q| near(q[0], q[1]) && near(q[1], q[2]));
    while let (Some(from), Some(to)) = (triples.next(), triples.next()) {
        change[from[0]] += 1;
        change[to[2] + 1] -= 1;
    }
    let mut depth = 0;
    change[..b.len()]
        .iter()
        .map(|by| {
            depth += by;
            depth > 0
        })
        .collect()
}

/// Any kind of quote.
pub(crate) const QUOTES: &[char] =
    &['"', '\'', '`', '“', '”', '„', '‘', '’', '«', '»', '「', '」', '´', '′', '″', '＂'];

/// Whether a comma, a key in quotes and a colon stand in a string, outside braces of its own: the model may
/// have given a member that no schema declares.
fn has_border(content: &str) -> bool {
    let mut depth = 0i32;
    for (at, c) in content.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth > 0 || c != ',' {
            continue;
        }
        let rest = content[at + 1..].trim_start();
        let name = rest.trim_start_matches(QUOTES);
        if name.len() == rest.len() {
            continue;
        }
        let Some(end) = name.char_indices().take(MAX_NAME).find(|&(_, c)| QUOTES.contains(&c)) else {
            continue;
        };
        let behind = name[end.0..].trim_start_matches(QUOTES).trim_start();
        if end.0 > 0 && behind.starts_with(':') {
            return true;
        }
    }
    false
}

/// Whether an item of an array with these stray quotes may be several items: quotes that are not in pairs,
/// or nothing but signs between two of them.
pub(super) fn parts_items(text: &str, strays: &[usize], quote: u8) -> bool {
    let signs = |pair: &[usize]| {
        let between = text[pair[0] + 1..pair[1]].trim();
        matches!(between, "or" | "and" | "\\n")
            || !between.contains(char::is_alphanumeric)
            || between.starts_with(',')
            || between.ends_with(',')
    };
    // An apostrophe has no partner.
    quote == b'"' && strays.len() % 2 == 1 || strays.chunks_exact(2).any(signs)
}

/// Whether the string between these quotes, an item of an array, is no part of a longer one: its brackets are
/// its own, and at its borders stands a line break, or what a quotation neither follows nor precedes. A quotation
/// may be a comma: `awk '{print $1 "," $2}'`.
pub(super) fn stands_apart(text: &str, open: usize, close: usize) -> bool {
    let border = |between: &str, last: Option<char>, first: Option<char>| {
        let ends = |c: char| c.is_alphanumeric() || matches!(c, ';' | ')' | ']' | '}' | '.' | '*' | '%');
        let begins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '/' | '.');
        between.contains('\n') || last.is_some_and(ends) && first.is_some_and(begins)
    };
    let content = &text[open + 1..close];
    let before = text[..open].trim_end().strip_suffix(',').map(str::trim_end);
    let left = before.and_then(|before| before.strip_suffix('"')).is_none_or(|item| {
        border(&text[item.len() + 1..open], item.chars().next_back(), content.chars().next())
    });
    let behind = text[close + 1..].trim_start().strip_prefix(',').map(str::trim_start);
    let right = behind.and_then(|behind| behind.strip_prefix('"')).is_none_or(|item| {
        let between = &text[close + 1..text.len() - item.len() - 1];
        border(between, content.chars().next_back(), item.chars().next())
    });
    let balanced = [('(', ')'), ('[', ']'), ('{', '}')]
        .iter()
        .all(|&(open, close)| content.matches(open).count() == content.matches(close).count());
    left && right && balanced
}

/// Whether a stray quote stands between two letters: bytes may be missing there.
pub(super) fn in_word(text: &str, strays: &[usize]) -> bool {
    strays.iter().any(|&at| {
        let before = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        before && text[at + 1..].chars().next().is_some_and(char::is_alphanumeric)
    })
}

/// Whether a stray quote opens a word: `grep "foo`. In a string whose quotes are not in pairs its partner is lost,
/// and may be the one that the string seems to end with; `5" of rain` opens none.
pub(super) fn opens(text: &str, strays: &[usize]) -> bool {
    strays.iter().any(|&at| is_opener(text, at))
}

/// Whether more apostrophes open words than close them: `x = 'y`.
pub(super) fn leaves_open(text: &str, strays: &[usize]) -> bool {
    let (mut open, mut closed) = (0usize, 0usize);
    for &at in strays {
        if is_opener(text, at) {
            open += 1;
        } else if !text[..at].ends_with(char::is_whitespace)
            && !text[at + 1..].starts_with(char::is_alphanumeric)
        {
            closed += 1;
        }
    }
    open > closed
}

/// Whether a quotation in stray quotes holds one in escaped quotes: `sh -c "echo \"hi\""`. The escapes may be the
/// words' own, of a string in which nothing was escaped.
pub(super) fn quotes_raw(text: &str, strays: &[usize], pairs: &[usize]) -> bool {
    strays.chunks_exact(2).any(|quotation| {
        let mut escaped =
            pairs.iter().filter(|&&p| quotation[0] < p && p < quotation[1] && text[p + 1..].starts_with('"'));
        is_opener(text, quotation[0])
            && escaped.next().is_some_and(|&p| opens_word(&text[..p], &text[p + 2..]))
            && escaped.count() % 2 == 1
    })
}

fn is_opener(text: &str, at: usize) -> bool {
    opens_word(&text[..at], &text[at + 1..])
}

/// Whether a quote between these opens a quotation: it stands before a word and behind none.
pub(crate) fn opens_word(before: &str, behind: &str) -> bool {
    // `f"{x}"`, `r"^\d"`
    let unmarked = before.trim_end_matches(['f', 'r', 'b', 'u', 'E']);
    let before = if before.len() - unmarked.len() == 1 { unmarked } else { before };
    before.ends_with(|c: char| c.is_whitespace() || matches!(c, '=' | '(' | '[' | '{' | ',' | ':' | '>'))
        && behind.starts_with(|c: char| !c.is_whitespace())
}

/// Whether a string holds the body's own beginning, to its first colon: a turn that was begun anew.
pub(super) fn restarts(text: &str, start: usize, string: &str) -> bool {
    opening(&text[start..]).is_some_and(|opening| memchr::memmem::find(string.as_bytes(), opening).is_some())
}

/// Whether a string holds what may be a comment behind it: where its quotes are not in pairs, they may be the
/// comment's, and its own closing one missing.
pub(super) fn comments(string: &str) -> bool {
    [" # ", " // ", "/* "].iter().any(|sign| string.contains(sign))
}

/// Whether all double quotes of a string, escaped ones and stray ones together, are in pairs, but for those
/// that its own language escapes (`\\"`) and those that are a character (`'"'`).
pub(super) fn pairs_up(content: &str) -> bool {
    let b = content.as_bytes();
    let (mut at, mut count, mut escaped) = (0, 0, false);
    while at < b.len() {
        // The string's own backslash comes as a pair, every other begins an escape.
        let end = at + usize::from(b[at] == b'\\');
        match b.get(end) {
            Some(b'\\') => escaped = !escaped,
            Some(b'"') => {
                let character = at > 0 && b[at - 1] == b'\'' && b.get(end + 1) == Some(&b'\'');
                count += usize::from(!escaped && !character);
                escaped = false;
            }
            _ => escaped = false,
        }
        at = end + 1;
    }
    count % 2 == 0
}

/// Whether apostrophes side by side may be one that was doubled to be escaped: `it''s`. Not where they stand
/// within a quotation whose own quotes are single: `name = 'O''Brien'`.
pub(super) fn doubles(b: &[u8], strays: &[usize]) -> bool {
    let letter = |at: usize| b.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c >= 0x80);
    let beside = |at: usize| strays.binary_search(&at).is_ok();
    // Quotes that stand alone open and close quotations; an apostrophe does not.
    let quotes = |at: usize| !(beside(at - 1) || beside(at + 1) || letter(at - 1) && letter(at + 1));
    let count = strays.iter().filter(|&&at| quotes(at)).count();
    let mut before = 0;
    strays.iter().any(|&at| {
        before += usize::from(quotes(at));
        let within = before % 2 == 1 && count % 2 == 0 && !beside(at + 2);
        beside(at + 1) && !within
    })
}

/// Whether two strings seem to meet with nothing between them but white space, a sign, or a key whose quotes
/// or comma are missing: then no quote may be stray. Quotes come in pairs, so of the gaps between them only
/// every other one stands outside of quotations.
pub(super) fn meets(text: &str, strays: &[usize], pairs: &[usize]) -> bool {
    // Quotes that were escaped may be the partners of others: then pairs are no pairs.
    let escaped = pairs.iter().any(|at| text[at + 1..].starts_with('"'));
    let name = |words: &str| identifier_end(words, 0) == Some(words.len());
    strays.chunks_exact(2).any(|pair| {
        let between = &text[pair[0] + 1..pair[1]];
        // `"fas" . "t"`: another language's sign for one string of two.
        let sign = !between.contains(char::is_alphanumeric);
        let inner = behind_signs(between).trim_end();
        // `"x" name: "y"`, `"x".name="y"`, `"x" name": "y"`: a comma is missing before a key.
        let key = match inner.strip_suffix([':', '=']) {
            Some(key) => name(key.trim_end()) && !(escaped && inner.ends_with('=')),
            None => name(inner) && colon_ahead(text, pair[1] + 1),
        };
        let apart = !between.starts_with(inner);
        sign && between.starts_with(char::is_whitespace)
            || between.trim() == "+"
            || apart && key
            || sign && hidden_border(between, &text[pair[1]..])
    })
}

/// Whether what stands between two stray quotes stands between two strings: behind it the second one opens a word.
/// `"ls" description "list"`, `"a" 1 "b"`.
pub(super) fn gaps(text: &str, strays: &[usize], pairs: &[usize], quote: char) -> bool {
    // A quote that was escaped may be the partner of one that was not; an apostrophe has none.
    let mut quotes: Vec<(usize, bool)> = strays.iter().map(|&at| (at, true)).collect();
    quotes.extend(pairs.iter().map(|at| (at + 1, false)).filter(|&(at, _)| text[at..].starts_with(quote)));
    quotes.sort_unstable();
    quotes.retain(|&(at, _)| quote == '"' || !in_word(text, &[at]));
    quotes.chunks_exact(2).any(|pair| {
        let [(from, true), (to, true)] = *pair else { return false };
        let (between, behind) = (&text[from + 1..to], &text[to + 1..]);
        let opens = behind.strip_prefix('.').unwrap_or(behind);
        between.starts_with(char::is_whitespace)
            && between.ends_with(char::is_whitespace)
            && between.contains(|c: char| !c.is_whitespace())
            && !opens.starts_with(|c: char| c.is_whitespace() || ",;.)]}\"'".contains(c))
    })
}

/// Whether stray quotes behind a backslash may be quotes that were escaped twice: where all are, or where more of them
/// open a word than do not, `say \\"hi" now`.
pub(super) fn escaped_twice(text: &str, strays: &[usize]) -> bool {
    let slashed = || strays.iter().filter(|&&at| text[..at].ends_with('\\'));
    let opens = |&&at: &&usize| opens_word(text[..at].trim_end_matches('\\'), &text[at + 1..]);
    let (count, openers) = (slashed().count(), slashed().filter(opens).count());
    count > 0 && count == strays.len() || openers > count - openers
}

/// The words behind the signs and the white space, raw or spelled out, with which they begin.
fn behind_signs(mut words: &str) -> &str {
    loop {
        let shorter = words.trim_start_matches(|c: char| c.is_whitespace() || SIGNS.contains(&c));
        let shorter = ["\\n", "\\r", "\\t"].iter().fold(shorter, |w, e| w.strip_prefix(e).unwrap_or(w));
        if shorter.len() == words.len() {
            return words;
        }
        words = shorter;
    }
}

/// Whether a member begins here whose comma, or whose key's closing quote, is of another kind: whatever its
/// brackets are, no other reading shows it. `"f {"，"b": "} x"`, `"f {","b”: "} x"`.
fn hidden_border(between: &str, from: &str) -> bool {
    let comma = between.contains(|c| c != '[' && c != '(' && SIGNS.contains(&c));
    let Some(end) = identifier_end(from, 1) else { return false };
    let plain = between.trim() == "," && from[end..].starts_with(&from[..1]);
    let behind = from[end..].trim_start_matches(QUOTES).trim_start();
    comma && !plain && behind.starts_with([':', '：'])
}

/// Signs that may stand where a comma belongs.
const SIGNS: &[char] = &[',', ';', '.', '，', '、', '；', '。', '|', '&', '[', '(', '/'];

/// Whether a raw line break in a string that holds stray quotes parts what looks like two members; with
/// quotes that are not in pairs any line break may.
pub(super) fn breaks_line(text: &str, raw: &[usize], strays: &[usize]) -> bool {
    let odd = strays.len() % 2 == 1;
    !strays.is_empty()
        && raw.iter().any(|&at| {
            if odd && text.as_bytes()[at] == b'\n' {
                return true;
            }
            let next = skip_white(text, at);
            let name = next + usize::from(text[next..].starts_with(['"', '\'']));
            let key = identifier_end(text, name).is_some_and(|end| {
                name > next || colon_ahead(text, end + usize::from(text[end..].starts_with(['"', '\''])))
            });
            key && text[..at].trim_end().ends_with([',', '{'])
        })
}
