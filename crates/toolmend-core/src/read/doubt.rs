//! Readings that parse, and are not believed: a slip of another kind explains the text as well.
//!
//! Each of the doubts below is a body that was seen to be read wrongly. They count brackets in strings as
//! well as those outside, so they doubt too often rather than too seldom.

use super::frame::Head;
use super::lexeme::{identifier_end, skip_white, trim_escaped_white};
use super::quotes::{QUOTES, opens_word};
use crate::context::Context;
use crate::envelope::ARGUMENTS;
use crate::rules::RuleSet;
use crate::{Edit, Rule};

/// The longest opening of a body, to its first colon, that is looked for again, in bytes.
const MAX_OPENING: usize = 80;
/// The most places at which a body may have been begun anew.
const MAX_BEGINNINGS: usize = 4;

/// A reading that came to its end.
pub(super) struct Parsed<'a> {
    pub(super) text: &'a str,
    pub(super) head: &'a Head,
    /// The edits that take off what stands before the object.
    pub(super) before: &'a [Edit],
    /// Those within the object, in the order of the text.
    pub(super) inside: &'a [Edit],
    /// Which rules they name.
    pub(super) rules: RuleSet,
    /// Those behind it.
    pub(super) behind: &'a [Edit],
    /// How many closers that close nothing stand behind it.
    pub(super) closers_behind: usize,
    pub(super) ctx: &'a Context<'a>,
}

impl Parsed<'_> {
    /// Whether another slip explains the text as well.
    pub(super) fn is_doubtful(&self) -> bool {
        let Parsed { text, inside, rules, behind, .. } = *self;
        let has = |rule| rules.has(rule);
        let extra = self.closers_behind > 0 || has(Rule::ExtraCloser);
        let closes = has(Rule::MissingCloser);
        self.word_for_key()
            || extra && (closes || self.leaves_open() || has(Rule::MissingComma))
            || (closes || has(Rule::WrongCloser)) && self.misplaced()
            // `"argv": "x"]`: the bracket that it closes may be what was lost.
            || has(Rule::WrongCloser) && self.head.headless
            || rules.has_any(AT_QUOTATION)
                && memchr::memmem::find(text.as_bytes(), b"\\\"").is_some()
                && inside.iter().any(|e| behind_quotation(text, e))
            // `{total": 50, "ext{total": 50}`
            || has(Rule::KeyNoOpenQuote) && openings(&text[self.head.start..]).next().is_some()
            // `[{,{}]`: what closes the first may be missing. `{{"a":1}]`: the first brace may have been a bracket.
            // `{{"o":{"a":1 "b":2}}`: both braces of the body may be doubled, and the one before `"b"` missing.
            || has(Rule::DoubledOpener)
                && (has(Rule::LeadingComma)
                    || has(Rule::WrongCloser)
                    || self.comma_for_closer()
                    || closed(self.object()) && balances(self.object())
                    || inside.iter().chain(behind).any(|e| e.rule == Rule::ExtraCloser && text[e.start..e.end].contains(']')))
            || closes && has(Rule::WrongCloser)
            || has(Rule::WrongCloser) && begins_again(self.object())
            // `{"a": 1, "b" {"a": 1}}`
            || has(Rule::MissingColon) && begins_again(self.object())
            || has(Rule::ExtraCloser) && inside.iter().any(|e| e.rule == Rule::ExtraCloser && self.lost_opener(e))
            // `[["a"],"k": 1}`: of the two brackets one may be too many.
            || closes && inside.iter().any(|e| e.put == "]" && !self.rest(e).is_empty() && one_in_two(&text[..e.start]))
            || closes
                && (self.headless_and_open()
                    || begins_again(&text[self.head.start..])
                    || self.gap_at_end()
                    || self.comma_for_closer()
                    || closed(self.object())
                    || behind.iter().any(|e| e.rule == Rule::Prose && commented(&text[e.start..])))
    }

    /// The object's own text.
    fn object(&self) -> &str {
        &self.text[self.head.start..self.end()]
    }

    /// Where the object ends.
    fn end(&self) -> usize {
        self.behind.first().map_or(self.text.len(), |e| e.start)
    }

    /// `I call "f": {"a":1}}`: a quoted word in a line of words need not be a key whose brace is missing,
    /// unless a colon announces it or a schema declares it.
    fn word_for_key(&self) -> bool {
        if !self.head.headless {
            return false;
        }
        let before = self.text[..self.head.start].trim_end_matches([' ', '\t']);
        let apart = trim_escaped_white(before).len() < before.len();
        let key = self.text[self.head.start..].trim_start_matches(QUOTES);
        let known = || {
            let end = identifier_end(key, 0).unwrap_or(0);
            before.ends_with(':') || self.ctx.judge.declares(&key[..end])
        };
        self.in_words() && !apart && !known()
    }

    /// `The call "city": {"a":1}`: with words for one end and nothing for the other, neither shows where the
    /// object is.
    fn headless_and_open(&self) -> bool {
        self.head.headless && (self.in_words() || !self.ctx.has_schema())
    }

    fn in_words(&self) -> bool {
        self.before.iter().any(|e| matches!(e.rule, Rule::Prose | Rule::CodeStatement))
    }

    /// A comma too many, one that is missing, or a colon, stands where the closer may have stood:
    /// `{"o": {, "c": "x"}`, `{"o":{"a":1,,"b":2}`, `{"o":{"a":1 "b":2}`, `{"a"["x"}`.
    fn comma_for_closer(&self) -> bool {
        let first = skip_white(self.text, self.head.start + 1);
        let (mut at, mut depth) = (0, 0);
        self.inside.iter().any(|e| {
            let separates = matches!(e.rule, Rule::MissingComma | Rule::DoubledComma)
                || e.rule == Rule::WrongSeparator && e.put == ",";
            // Edits stand in the order of the text, so every byte is looked at once.
            if separates && let Some(between) = self.text.get(at..e.start) {
                depth += depth_of(between);
                at = e.start;
            }
            match e.rule {
                Rule::LeadingComma => e.start > first,
                Rule::MissingColon => self.text[e.end..].starts_with(['{', '[']),
                // `{"command":"ls"\n\nTimeout: 30`: words behind the object as well.
                Rule::MissingComma if identifier_end(self.text, skip_white(self.text, e.end)).is_some() => {
                    true
                }
                // More than the object itself is open.
                _ => separates && depth > 1,
            }
        })
    }

    /// `{"a":{"b":1,"c":2}\n`, the break spelled out: what says nothing at the end costs an edit inside the object and
    /// none behind it, so that cost does not tell where the closer belongs. A flat object has one place for it.
    fn gap_at_end(&self) -> bool {
        let gap = |e: &Edit| matches!(e.rule, Rule::InvisibleSpace | Rule::LiteralNewline | Rule::Comment);
        let body = &self.text[self.head.start..];
        (self.behind.iter().any(gap) || self.inside.iter().any(|e| gap(e) && self.rest(e).is_empty()))
            && count(body, b'{') + count(body, b'[') + usize::from(self.head.headless) > 1
    }

    /// Whether the closers that this edit takes may have lost their opener, as they are not the ones before them once more:
    /// `{"n": 1}], "k": 2`. In an envelope the arguments are known to be an object.
    fn lost_opener(&self, edit: &Edit) -> bool {
        let before = self.text[..edit.start].trim_ascii_end();
        let own = |c: char| c.is_whitespace() || before.ends_with(c);
        let ends = self.rest(edit).is_empty() && enveloped(self.object());
        !ends && before.ends_with('}') && !self.text[edit.start..edit.end].chars().all(own)
    }

    /// Whether a closer that is set, or turned into another, within the text may stand on the wrong side of the
    /// quote before it: `{"to":["a@b.c]","n":1}`, `{"a":["x]"}`.
    fn misplaced(&self) -> bool {
        let Parsed { text, inside, .. } = *self;
        let closers = || inside.iter().filter(|e| matches!(e.rule, Rule::MissingCloser | Rule::WrongCloser));
        let before = |e: &Edit| text[..e.start].trim_end();
        let in_string = |closer: char| {
            closers()
                .filter(|e| e.put.starts_with(closer))
                .any(|e| before(e).strip_suffix(['"', '\'']).is_some_and(|string| string.ends_with(closer)))
        };
        in_string('}') && count(text, b'{') <= count(text, b'}')
            || in_string(']') && count(text, b'[') <= count(text, b']')
            || closers().any(|e| !self.rest(e).is_empty() && holds_closer(before(e), &e.put))
    }

    /// What stands behind an edit in the object, but for closers and white space.
    fn rest(&self, edit: &Edit) -> &str {
        self.text[edit.end..self.end().max(edit.end)]
            .trim_matches(|c: char| matches!(c, '}' | ']') || c.is_whitespace())
    }

    /// Whether a closer too many leaves open what it was meant to close.
    fn leaves_open(&self) -> bool {
        let Parsed { text, head, inside, ctx, .. } = *self;
        // `opts: {"x":1}}`: the name before the object may be a key of a larger one.
        // `"x":1}}`: a body that has lost one opener may have lost two, and the key between them.
        // `{"name":…,"arguments":{…},"x":1}}`: where the inner object was meant to end is not known.
        // `{"b": 4]}`: an opener may be missing, and no closer be wrong.
        // `{"a":"{\"k\": \"v"}}`: the braces match, so a string may have ended before its own.
        head.member
            || head.headless
            || !inside.iter().any(|e| e.rule == Rule::DoubledOpener)
                && balanced(text)
                && closes_string(text, inside)
            || inside.iter().any(|e| e.rule == Rule::WrongCloser)
                && (!ctx.has_schema() || inside.iter().any(|e| e.rule == Rule::ExtraCloser))
            || !ctx.has_schema() && enveloped(&text[head.start..])
    }
}

/// Whether the object looks like a call with its name, not like the arguments alone.
fn enveloped(body: &str) -> bool {
    const NAMES: &[&str] = &["name", "tool", "function", "action", "tool_name", "id", "type"];
    let first = body.trim_start_matches(|c: char| c == '{' || c == '"' || c.is_whitespace());
    NAMES.iter().any(|name| first.strip_prefix(name).is_some_and(|rest| rest.starts_with(['"', ':', ' '])))
        && ARGUMENTS.iter().any(|name| body.contains(name))
}

/// Whether a body was begun, broken off and then written whole: `{"a":{"a":1}`. The beginning of the first is that of
/// the second as far as it goes.
fn begins_again(body: &str) -> bool {
    openings(body).take(MAX_BEGINNINGS).any(|at| body[at..].starts_with(body[..at].trim_ascii_end()))
}

/// Where the opening of a body stands in it again.
fn openings(body: &str) -> impl Iterator<Item = usize> {
    let again = |opening| memchr::memmem::find_iter(&body.as_bytes()[1..], opening).map(|at| at + 1);
    opening(body).into_iter().flat_map(again)
}

/// The beginning of a body, to its first colon: `{"path":`.
pub(super) fn opening(body: &str) -> Option<&[u8]> {
    let begin = &body.as_bytes()[..body.len().min(MAX_OPENING)];
    let colon = memchr::memchr(b':', begin)?;
    // A brace and a key.
    (colon > 1).then(|| &begin[..=colon])
}

/// The rules that mend what may stand behind a string that ended within a quotation.
const AT_QUOTATION: &[Rule] =
    &[Rule::MissingComma, Rule::MissingColon, Rule::WrongSeparator, Rule::DoubledComma, Rule::BareKey];

/// Whether one of those mended what stands right behind a string whose last escaped quote opens a quotation: the string's
/// own may be its partner, and what follows words. `{"html": "<i v=\"" n="a", "q": 1}`.
fn behind_quotation(text: &str, edit: &Edit) -> bool {
    if !AT_QUOTATION.contains(&edit.rule) {
        return false;
    }
    let before = text[..edit.start].trim_ascii_end();
    let before = before.strip_suffix(',').map_or(before, str::trim_ascii_end);
    let Some(string) = before.strip_suffix('"') else { return false };
    let b = string.as_bytes();
    let mut escaped = memchr::memrchr_iter(b'"', b).take_while(|&at| at > 0 && b[at - 1] == b'\\');
    let Some(last) = escaped.next() else { return false };
    let (before, behind) = (&string[..last - 1], &string[last + 1..]);
    let words = if behind.is_empty() { "x" } else { behind };
    escaped.count() % 2 == 0 && (opens_word(before, words) || before.ends_with('"'))
}

fn count(text: &str, sign: u8) -> usize {
    memchr::memchr_iter(sign, text.as_bytes()).count()
}

/// Whether there are no more closers than openers.
fn balanced(text: &str) -> bool {
    count(text, b'}') <= count(text, b'{') && count(text, b']') <= count(text, b'[')
}

/// How many containers a text opens more than it closes.
fn depth_of(text: &str) -> isize {
    let count = |sign| count(text, sign) as isize;
    count(b'{') + count(b'[') - count(b'}') - count(b']')
}

/// Whether the closers too many stand behind a string: at one of the edits, or at the end.
fn closes_string(text: &str, edits: &[Edit]) -> bool {
    let behind = |at: usize| {
        text[..at]
            .trim_end_matches(|c: char| matches!(c, '}' | ']') || c.is_ascii_whitespace())
            .ends_with(['"', '\''])
    };
    behind(text.len()) || edits.iter().any(|e| e.rule == Rule::ExtraCloser && behind(e.start))
}

/// Whether the closer that is missing may stand on the wrong side of the last quote: `{"a":"x}"`,
/// `{"o":{"a":"y}"}`.
fn closed(text: &str) -> bool {
    let value = text.trim_end_matches(|c: char| matches!(c, '}' | ']' | ',') || c.is_whitespace());
    let string = value.trim_end_matches(['"', '\'', '`', '”', '’']);
    string.len() < value.len()
        && string.trim_end().ends_with(['}', ']'])
        && count(text, b'{') <= count(text, b'}')
        && count(text, b'[') <= count(text, b']')
}

/// Whether a body, its strings included, has as many closers of each kind as openers.
fn balances(text: &str) -> bool {
    count(text, b'{') == count(text, b'}') && count(text, b'[') == count(text, b']')
}

/// Whether a text ends in the one item of two brackets that begin a value, `"k": [["a"]`; one that is no longer than an
/// opening.
fn one_in_two(text: &str) -> bool {
    let b = text.trim_ascii_end().as_bytes();
    let near = &b[b.len().saturating_sub(MAX_OPENING)..];
    memchr::memmem::rfind(near, b"[[").is_some_and(|at| {
        let item = &near[at + 2..];
        near[..at].trim_ascii_end().ends_with(b":")
            && memchr::memchr(b']', item).is_some_and(|end| end + 1 == item.len())
    })
}

/// Whether the string with which a text ends ends in this closer, and nothing in it opens that: `{"o":{"a":"y}"`.
fn holds_closer(text: &str, closer: &str) -> bool {
    let Some((&quote @ (b'"' | b'\''), string)) = text.as_bytes().split_last() else { return false };
    let open = memchr::memrchr_iter(quote, string).find(|&at| at == 0 || string[at - 1] != b'\\');
    let words = &text[open.map_or(0, |at| at + 1)..text.len() - 1];
    words.ends_with(closer) && depth_of(words) < 0
}

/// Whether these words begin as a comment does: then they may stand within the body.
fn commented(words: &str) -> bool {
    ["/*", "//", "#"].iter().any(|sign| words.trim_start().starts_with(sign))
}
