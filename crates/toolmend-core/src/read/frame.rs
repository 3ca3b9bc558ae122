//! What stands around the object: fences, marks, words, statements.
//!
//! Nothing here is searched for inside the object. The head is whatever stands before the place where the
//! object is tried, and is refused where any of it could be a part of the object; the tail is read
//! forward from the object's end, piece by piece.

use alloc::string::String;
use alloc::vec::Vec;

use super::lexeme::{first_key, identifier_end, invisible, skip_white};
use super::marks::mark_end;
use super::speaker;
use crate::context::Context;
use crate::verdict::Reason;
use crate::{Edit, Rule};

/// The most places at which an object is tried.
const MAX_PLACES: usize = 16;
/// The longest group in braces that counts as a placeholder in words, in bytes.
const MAX_PLACEHOLDER: usize = 200;

/// What stands before the object.
#[derive(Debug, Clone, Default)]
pub(crate) struct Head {
    /// Where the object begins: at its brace, or at its first key where the brace is missing.
    pub(crate) start: usize,
    /// The opening brace is missing.
    pub(crate) headless: bool,
    /// The edits that take the head off.
    pub(crate) edits: Vec<Edit>,
    /// A list's opening bracket stands before the object.
    pub(crate) list: bool,
    /// The head holds an unknown name with a colon or equals sign: it may be a key. Then a closer too many
    /// behind the object may be the one that belongs to what was lost before it.
    pub(crate) member: bool,
    /// The words of a statement around the object that stand there: `args = `.
    pub(crate) statement: Option<(usize, usize)>,
    /// Backticks stand there that begin inline code.
    pub(crate) inline_code: bool,
}

/// What stands behind the object.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tail {
    /// How many closers that close nothing stand there.
    pub(crate) closers: usize,
    /// A fence or mark shows that the model went on past the body by itself.
    pub(crate) end_mark: bool,
    /// The body stands there again.
    pub(crate) copies: bool,
}

/// Why something is no head or tail.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) reason: Reason,
    pub(crate) at: usize,
}

/// The places at which an object may begin, one after the other. A place inside a group that was tried
/// and was not an object is never one, unless that group is a placeholder in words.
#[derive(Debug)]
pub(crate) struct Places<'t> {
    text: &'t str,
    /// The schema rules out the empty object, so that `{}` is never the call.
    never_empty: bool,
    from: usize,
    left: usize,
    first: bool,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str, ctx: &Context<'_>) -> Places<'t> {
        let never_empty = ctx.never_empty;
        let reasoning = reasoning(text);
        let begin = reasoning.unwrap_or(None).unwrap_or(0);
        let from = if never_empty { empty_end(text, begin).unwrap_or(begin) } else { begin };
        // In a reasoning block that is still open there is no call.
        let left = if reasoning == Some(None) { 0 } else { MAX_PLACES };
        Places { text, never_empty, from, left, first: true }
    }

    /// The next place, and whether the opening brace is missing there.
    pub(crate) fn next(&mut self) -> Option<(usize, bool)> {
        self.left = self.left.checked_sub(1)?;
        let b = self.text.as_bytes();
        let brace = memchr::memchr(b'{', &b[self.from..]).map(|n| self.from + n);
        if core::mem::take(&mut self.first) {
            // A body without its brace begins at the text's first quote, in a key with its colon.
            let quote = first_key(self.text, self.from, brace.unwrap_or(b.len()));
            if let Some(at) = quote.filter(|&at| self.opens_key(at)) {
                self.left = 0;
                return Some((at, true));
            }
        }
        Some((brace?, false))
    }

    /// Whether the quote at `at` opens the key: one right behind a letter ends a word, unless it is a `\n` spelled
    /// out; and what begins with a sign is no key that was lost.
    fn opens_key(&self, at: usize) -> bool {
        let before = self.text[..at].strip_suffix(['n', 't', 'r']).filter(|b| b.ends_with('\\'));
        let before = before.unwrap_or(&self.text[..at]).chars().next_back();
        let first = self.text[at..].chars().nth(1);
        !before.is_some_and(char::is_alphanumeric)
            && first.is_some_and(|c| c.is_alphanumeric() || "_$-@/.\\".contains(c))
    }

    /// The object at `place` could not be read: goes on behind it if it is a placeholder in words.
    pub(crate) fn skip_placeholder(&mut self, place: usize) -> bool {
        match placeholder_end(self.text, place, self.never_empty) {
            Some(end) => {
                self.from = end;
                true
            }
            None => false,
        }
    }
}

/// Where the reasoning block ends with which the text begins, if it begins with one; `Some(None)` where the
/// block is still open.
fn reasoning(text: &str) -> Option<Option<usize>> {
    let open = skip_blank(text, 0);
    if text.as_bytes().get(open) != Some(&b'<') {
        return None;
    }
    let tag = reasoning_tag(&text[open..])?;
    let from = open + tag.len();
    // The block ends at its own closing tag, not at another one that is talked about.
    let mut closers = memchr::memmem::find_iter(&text.as_bytes()[from..], "</").map(|n| from + n);
    Some(closers.find(|&close| text[close + 2..].starts_with(&tag[1..])).map(|close| close + 1 + tag.len()))
}

/// The tag with which this text begins, if it opens a reasoning block.
fn reasoning_tag(text: &str) -> Option<&'static str> {
    ["<think>", "<thinking>", "<thought>", "<reasoning>"].into_iter().find(|tag| text.starts_with(tag))
}

/// Where an empty object ends that stands before another one.
fn empty_end(text: &str, from: usize) -> Option<usize> {
    let open = skip_blank(text, from);
    let inside = text[open..].strip_prefix('{')?.trim_start();
    let behind = inside.strip_prefix('}')?;
    let end = text.len() - behind.len();
    let next = skip_blank(text, end);
    (text[next..].starts_with('{') || super::lexeme::key_ahead(text, next)).then_some(end)
}

/// Where the group in braces at `at` ends, if it is a placeholder in words: `{name}`, or a shape with an
/// ellipsis for every value, without a line break and without another brace; `{}` as well where it is
/// `never_empty`.
fn placeholder_end(text: &str, at: usize, never_empty: bool) -> Option<usize> {
    let rest = text[at..].strip_prefix('{')?.as_bytes();
    let length =
        memchr::memchr3(b'{', b'}', b'\n', rest).filter(|&n| n < MAX_PLACEHOLDER && rest[n] == b'}')?;
    let inner = &text[at + 1..at + 1 + length];
    let word =
        !inner.is_empty() && inner.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' '));
    // What stands in quotes is somebody's words: an ellipsis there stands for nothing.
    let outside = || inner.split('"').step_by(2);
    let elided = outside().any(|part| part.contains("...") || part.contains('…'));
    // Where a value is given, it is somebody's object and no shape: `{"city": "Lyon", ...}`.
    let left_out = |value: &str| value.starts_with("...") || value.starts_with('…');
    let elided = elided && inner.split(':').skip(1).all(|value| left_out(value.trim_start()));
    (word || elided || never_empty && inner.is_empty()).then_some(at + length + 2)
}

/// The index of the first byte from `at` on that is no white space, seen or unseen.
pub(crate) fn skip_blank(text: &str, mut at: usize) -> usize {
    loop {
        at = skip_white(text, at);
        match invisible(text, at) {
            Some(end) => at = end,
            None => return at,
        }
    }
}

/// Reads what stands before the object as packaging, or refuses it.
pub(crate) fn head(text: &str, start: usize, headless: bool, ctx: &Context<'_>) -> Result<Head, Refused> {
    let mut head = Head { start, headless, edits: pieces(text, start, ctx), ..Head::default() };
    head.inline_code = head.edits.iter().any(|e| e.rule == Rule::InlineCode);
    if let Some(at) = speaker::no_call(text, &head.edits, ctx) {
        return Err(Refused { reason: Reason::Rest, at });
    }
    let count = head.edits.len();
    for n in 0..count {
        let Edit { start: from, end, rule, .. } = head.edits[n];
        if !matches!(rule, Rule::LeakedMark | Rule::Prose) {
            continue;
        }
        let mut words = speaker::said(text, &head.edits[n]);
        if rule == Rule::LeakedMark {
            if speaker::names_argument(words) || speaker::is_declared(words, &text[start..], ctx) {
                return Err(Refused { reason: Reason::Rest, at: from });
            }
            continue;
        }
        if n + 1 == count
            && let Some(before) = words.strip_suffix('[')
        {
            head.list = true;
            words = before.trim_end();
        }
        if !harmless(words, ctx.never_empty)
            || words.ends_with([',', '[', '"'])
            || n == 0 && words.starts_with([':', ',', '=', '}', ']'])
            || gives_declared(words, (n + 1 == count).then_some(&text[start..]), ctx)
            || names_flag(words, &text[start..], ctx)
            || words.match_indices('<').any(|(at, _)| speaker::names_argument(&words[at..]))
            || speaker::takes_part(words, ctx)
            || speaker::is_code(words)
            // `+{"a": 1}`, `${"a": 1}`, `!{"a": 1}`
            || text[..start].ends_with(['+', '-', '!', '~', '^', '%', '&', '|', '@', '$', '\\', '/'])
                && !words.ends_with("*/")
        {
            return Err(Refused { reason: Reason::Rest, at: from });
        }
        let members = names_members(words, ctx);
        // `items: [{"id": 1}]`, `"items" /* all */: [{"id": 1}]`: the list is a key's.
        let listed =
            head.list && (members == Members::One || words.ends_with([':', '=']) && words.contains('"'));
        // `limit: 5, "query": "x"}`: the first member lacks its quotes as well.
        let first = headless && n + 1 == count && members == Members::One;
        if members == Members::Several || listed || first {
            return Err(Refused { reason: Reason::Rest, at: from });
        }
        // `` `items`: {"id": 1} ``
        let quoted = n > 0 && head.edits[n - 1].rule == Rule::InlineCode && words.starts_with([':', '=']);
        head.member |= members == Members::One || quoted;
        head.edits[n].rule = if words.is_empty() { Rule::ListWrap } else { statement_or_words(words) };
        let code = head.edits[n].rule == Rule::CodeStatement && !words.ends_with(':');
        head.statement = code.then_some((from, end));
        if head.list && !words.is_empty() {
            let bracket = from + text[from..end].rfind('[').unwrap_or(0);
            head.edits[n].end = bracket;
            head.edits.push(Edit::delete(Rule::ListWrap, bracket, end));
        }
    }
    if headless {
        head.edits.push(Edit::insert(Rule::MissingOpener, start, "{"));
    }
    Ok(head)
}

/// Parts what stands before `start` into fences, marks and words; each piece takes the white space around
/// it along. Nothing where there is only JSON's own white space.
fn pieces(text: &str, start: usize, ctx: &Context<'_>) -> Vec<Edit> {
    let mut pieces: Vec<Edit> = Vec::with_capacity(8);
    let mut at = 0;
    let mut piece = |rule, end: usize| {
        let from = pieces.last().map_or(0, |p: &Edit| p.end);
        pieces.push(Edit::delete(rule, from, end));
    };
    let mut words = false;
    if let Some(end) = reasoning(text).flatten().filter(|&end| end <= start) {
        piece(Rule::ReasoningBlock, end);
        at = end;
    }
    if ctx.never_empty
        && let Some(end) = empty_end(text, at).filter(|&end| end <= start)
    {
        piece(Rule::EmptyThenBody, end);
        at = end;
    }
    while at < start {
        let blank = skip_blank(text, at).min(start);
        if blank == start {
            break;
        }
        let mark = opening_fence(text, blank)
            .or_else(|| mark_end(text, blank, ctx.evidence.known_marks()).map(|end| (end, Rule::LeakedMark)))
            .filter(|&(end, _)| end <= start);
        if let Some((end, rule)) = mark {
            if core::mem::take(&mut words) {
                piece(Rule::Prose, blank);
            }
            piece(rule, end);
            at = end;
        } else {
            words = true;
            at = blank + text[blank..].chars().next().map_or(1, char::len_utf8);
        }
    }
    if words {
        piece(Rule::Prose, start);
    }
    match pieces.last_mut() {
        Some(last) => last.end = start,
        None if text[..start].chars().any(|c| !matches!(c, ' ' | '\t' | '\n' | '\r')) => {
            pieces.push(Edit::delete(Rule::InvisibleSpace, 0, start));
        }
        None => {}
    }
    pieces
}

fn statement_or_words(words: &str) -> Rule {
    let words = words.trim();
    let last = words.rsplit(char::is_whitespace).next();
    if words.ends_with(['=', '(']) || last == Some("return") || lone_name(words).is_some() {
        Rule::CodeStatement
    } else {
        Rule::Prose
    }
}

/// The name, where the words are a name and a colon or equals sign and nothing else.
fn lone_name(words: &str) -> Option<&str> {
    let name = words.strip_suffix([':', '='])?.trim_end();
    (identifier_end(name, 0) == Some(name.len())).then_some(name)
}

/// What words before the object hold of names that may be keys: with a colon or equals sign behind them,
/// at the beginning of the words, on a line of their own, or behind a comma or parenthesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Members {
    None,
    /// One, right before the object.
    One,
    /// One with a value of its own and others behind it: the object is not the whole.
    Several,
}

fn names_members(words: &str, ctx: &Context<'_>) -> Members {
    let mut members = Members::None;
    // A line break may be spelled out: `\n  limit: 5,\n  `.
    for part in words.split([',', '\n', '(']).flat_map(|part| part.split("\\n")) {
        if members == Members::One && !part.trim().is_empty() {
            return Members::Several;
        }
        let part = part.trim_start();
        let named = identifier_end(part, 0)
            .filter(|&end| part[end..].trim_start().starts_with([':', '=']))
            .is_some_and(|end| !speaker::wraps(&part[..end], ctx) && ctx.judge.may_have_key(&part[..end]));
        if named {
            members = Members::One;
        }
    }
    members
}

/// The most words that spell a key: `Dry run`.
const MAX_WORDS: usize = 4;
/// The most bytes before a sign in words that are looked at for a key.
const MAX_NAME: usize = 80;

/// Whether a declared property stands in this line with a colon, an equals sign or an arrow behind it, as it is spelled
/// or in words.
fn names_declared(line: &str, ctx: &Context<'_>) -> bool {
    if !ctx.has_schema() {
        return false;
    }
    let mut begin = 0;
    let signs = line.char_indices().filter(|&(at, c)| match c {
        ':' | '=' | '：' | '→' => true,
        '>' => line[..at].ends_with('-'),
        _ => false,
    });
    signs.into_iter().any(|(at, c)| {
        let label = line[begin..at].trim_end_matches('-').trim_end();
        let label = label.trim_end_matches(['"', '\'', '`', '*']);
        begin = at + c.len_utf8();
        // `Action: search`: the name of the tool is no value.
        let value = line[begin..].trim().trim_end_matches('>').trim_matches(['"', '\'', '`', '*']);
        if ctx.evidence.tool_name() == Some(value) || c == '=' && value.ends_with('(') {
            return false;
        }
        let near = (label.len().saturating_sub(MAX_NAME)..=label.len()).find(|&n| label.is_char_boundary(n));
        gives_name(&label[near.unwrap_or(0)..], ctx)
    })
}

/// Whether these words end in the name of a declared property, as it is spelled or in words.
fn gives_name(words: &str, ctx: &Context<'_>) -> bool {
    // `n (integer): 5`
    let words = match words.strip_suffix(')').and_then(|words| words.rsplit_once('(')) {
        Some((before, _)) => before.trim_end(),
        None => words,
    };
    // Where not every key may stand, one in another spelling is declared in some.
    let name = last_name(words);
    let spelled = || !ctx.judge.may_have_key("\u{0}") && ctx.judge.may_have_key(name);
    if ctx.judge.declares(name) || name.len() > 2 && spelled() {
        return true;
    }
    let phrase = words.rsplit([',', ';', '(', '.', '!', '?', '|']).next().unwrap_or("");
    let mut name = String::new();
    phrase.rsplit([' ', '-']).take(MAX_WORDS).any(|word| {
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let rest = if name.is_empty() { "" } else { "_" };
        name = alloc::format!("{word}{rest}{name}");
        ctx.judge.declares(&name)
    })
}

/// The identifier with which the words end.
fn last_name(words: &str) -> &str {
    let begin = words
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || "_$-".contains(c)))
        .map_or(0, |n| n + words[n..].chars().next().map_or(1, char::len_utf8));
    &words[begin..]
}

/// Whether the words name a declared property that the body does not give, in a way in which only an
/// identifier is written: `dry_run`, `--dry-run`.
fn names_flag(words: &str, body: &str, ctx: &Context<'_>) -> bool {
    // Each name is looked for in the body once.
    let mut given: Vec<String> = Vec::new();
    ctx.has_schema()
        && words.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).any(|word| {
            let name = word.trim_matches('-');
            if !(name.contains(['_', '-']) || word.starts_with("--")) {
                return false;
            }
            let spellings = [String::from(name), name.replace('-', "_")];
            let Some(name) = spellings.into_iter().find(|name| ctx.judge.declares(name)) else {
                return false;
            };
            if given.contains(&name) {
                return false;
            }
            let missing = !body.contains(name.as_str());
            given.push(name);
            missing
        })
}

/// Whether a declared property stands in words before the object with a value of its own, `limit: 5`, or, where they are
/// the last ones, with the `object`, `filter = `, unless that gives it itself: `Here is the query: {"query": …}`.
fn gives_declared(words: &str, object: Option<&str>, ctx: &Context<'_>) -> bool {
    let rest = words.trim_end_matches(['*', '`']).strip_suffix([':', '=']);
    let own = rest.zip(object).map(|(rest, object)| {
        (last_name(rest.trim_end().trim_end_matches(['"', '\'', '`', '*'])).trim_start_matches('$'), object)
    });
    own.is_some_and(|(name, object)| {
        ctx.judge.declares(name) && !speaker::wraps(name, ctx) && !speaker::gives(object, name)
    }) || rest.unwrap_or(words).lines().any(|line| names_declared(line, ctx))
}

/// Whether none of these words can be a part of an object: no key with its colon, no bracket without its
/// partner, no group in braces that is not a placeholder.
fn harmless(words: &str, never_empty: bool) -> bool {
    let mut quotes = 0usize;
    let mut square = 0usize;
    let mut at = 0;
    while let Some(c) = words[at..].chars().next() {
        let next = at + c.len_utf8();
        match c {
            '{' => match placeholder_end(words, at, never_empty) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => return false,
            },
            '}' => return false,
            '[' => square += 1,
            ']' if square == 0 => return false,
            ']' => square -= 1,
            _ if super::quotes::QUOTES.contains(&c) => {
                quotes += usize::from(c == '"');
                let after = words[next..].trim_start();
                // A quote and then a colon: a key. (After an apostrophe only with nothing between.)
                let colon = if c == '\'' { words[next..].starts_with(':') } else { after.starts_with(':') };
                if colon || c != '\'' && after.starts_with('=') {
                    return false;
                }
            }
            _ => {}
        }
        at = next;
    }
    square == 0 && quotes.is_multiple_of(2)
}

/// A fence before the object, with the language tag behind it, or backticks.
fn opening_fence(text: &str, at: usize) -> Option<(usize, Rule)> {
    let (mut end, rule) = fence(text, at)?;
    if rule == Rule::CodeFence {
        let of_tag = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'+' | b'.');
        while text.as_bytes().get(end).is_some_and(of_tag) {
            end += 1;
        }
    }
    Some((end, rule))
}

/// The signs of a fence, or backticks, at `at`: where they end, and their rule.
fn fence(text: &str, at: usize) -> Option<(usize, Rule)> {
    let b = text.as_bytes();
    let sign = *b.get(at).filter(|&&c| c == b'`' || c == b'~')?;
    let mut end = at + 1;
    while b.get(end) == Some(&sign) {
        end += 1;
    }
    match end - at {
        1..=2 if sign == b'`' => Some((end, Rule::InlineCode)),
        3.. => Some((end, Rule::CodeFence)),
        _ => None,
    }
}

/// Reads what stands behind the object as packaging, or refuses it; the edits that take it off are added
/// to `edits`. `text[head.start..end]` is the object.
pub(crate) fn tail(
    text: &str,
    end: usize,
    head: &Head,
    ctx: &Context<'_>,
    edits: &mut Vec<Edit>,
) -> Result<Tail, Refused> {
    let b = text.as_bytes();
    let mut tail = Tail::default();
    let own = edits.len();
    let body = &text[head.start..end];
    let (mut list, mut begins) = (head.list, false);
    let (mut at, mut taken) = (end, end);
    loop {
        let blank = skip_blank(text, at);
        let Some(&c) = b.get(blank) else { break };
        let piece = match c {
            b']' if list => {
                list = false;
                Some((blank + 1, Rule::ListWrap))
            }
            b'}' | b']' => {
                tail.closers += 1;
                Some((blank + 1, Rule::ExtraCloser))
            }
            b'`' | b'~' => fence(text, blank),
            b';' | b')' => Some((blank + 1, Rule::CodeStatement)),
            b'\\' if matches!(b.get(blank + 1), Some(b'n' | b'r' | b't')) => {
                Some((blank + 2, Rule::LiteralNewline))
            }
            // An empty string says nothing.
            b'"' if text[blank..].trim_end() == "\"\"" => Some((blank + 2, Rule::Prose)),
            _ if body != "{}" && text[blank..].starts_with(body) => {
                tail.copies = true;
                Some((blank + body.len(), Rule::DoubledBody))
            }
            // An argument that stands behind the object is one.
            _ if speaker::names_argument(&text[blank..]) => {
                return Err(Refused { reason: Reason::Rest, at: blank });
            }
            _ => mark_end(text, blank, ctx.evidence.known_marks()).map(|end| (end, Rule::LeakedMark)),
        };
        let Some((stop, rule)) = piece else {
            let apart = blank > at || tail.end_mark;
            // A mark that begins a call, and something behind it: another call, however it goes on.
            if begins {
                return Err(Refused { reason: Reason::TwoBodies, at: blank });
            }
            words_behind(text, blank, apart, ctx)?;
            if goes_on(text, end, blank, head, ctx) || speaker::labels_other(&text[blank..], ctx) {
                return Err(Refused { reason: Reason::Rest, at: blank });
            }
            edits.push(Edit::delete(Rule::Prose, taken, text.len()));
            break;
        };
        tail.end_mark |= ends_body(&text[blank..stop], rule, head);
        if rule == Rule::LeakedMark {
            let mark = &text[blank..stop];
            // What stands before the end of a thought was one.
            if speaker::ends_other(mark, ctx) {
                return Err(Refused { reason: Reason::Rest, at: blank });
            }
            begins |= speaker::begins_call(mark, ctx);
        }
        let mut from = if rule == Rule::ExtraCloser { blank } else { taken };
        let unseen = text[taken..blank].chars().any(|c| c > ' ' || c == '\0');
        if unseen && matches!(rule, Rule::ExtraCloser | Rule::DoubledBody) {
            edits.push(Edit::delete(Rule::InvisibleSpace, taken, blank));
            from = blank;
        }
        // A row of closers is one edit.
        if rule == Rule::ExtraCloser
            && let Some(last) = edits[own..].last_mut().filter(|e| e.rule == rule && e.end == blank)
        {
            last.end = stop;
            (at, taken) = (stop, stop);
            continue;
        }
        edits.push(Edit::delete(rule, from, stop));
        (at, taken) = (stop, stop);
    }
    // `[{"x":1}`: the list is not closed.
    if list {
        return Err(Refused { reason: Reason::Rest, at: end });
    }
    let unseen = text[at..].chars().any(|c| c > ' ' || c == '\0');
    match edits[own..].last_mut() {
        // Where packaging went, the white space behind it goes as well.
        Some(last) if last.rule != Rule::ExtraCloser && !(unseen && last.rule == Rule::DoubledBody) => {
            last.end = text.len();
        }
        _ if unseen => {
            edits.push(Edit::delete(Rule::InvisibleSpace, at, text.len()));
        }
        _ => {}
    }
    Ok(tail)
}

/// Whether a statement around the object goes on at `at`, behind it: then its value is not what the statement gives.
fn goes_on(text: &str, end: usize, at: usize, head: &Head, ctx: &Context<'_>) -> bool {
    let Some(words) = head.statement.map(|(from, to)| text[from..to].trim()) else { return false };
    speaker::goes_on(words, &text[at..], !text[end..at].contains('\n'), ctx)
}

/// Whether this piece of packaging shows that the model went on past the body by itself: a fence, the end of inline
/// code that the head begins, or a mark of calls; not any tag.
fn ends_body(piece: &str, rule: Rule, head: &Head) -> bool {
    const CALLS: &[&str] =
        &["tool", "func", "call", "arg", "invoke", "param", "action", "</s", "end", "|", "｜"];
    match rule {
        Rule::CodeFence => true,
        Rule::InlineCode => head.inline_code,
        Rule::LeakedMark => {
            let piece = piece.to_ascii_lowercase();
            CALLS.iter().any(|name| piece.contains(name))
        }
        _ => false,
    }
}

/// Whether what stands at `at` is words that are no part of the object and hold no other one.
fn words_behind(text: &str, at: usize, apart: bool, ctx: &Context<'_>) -> Result<(), Refused> {
    let words = &text[at..];
    let refuse = |reason| Err(Refused { reason, at });
    match words.chars().next() {
        Some('{') => return refuse(Reason::TwoBodies),
        None | Some(',' | ':' | '"' | '\'' | '“' | '”' | '=' | '[') => return refuse(Reason::Rest),
        _ => {}
    }
    if !apart {
        return refuse(Reason::Rest);
    }
    let same_line = !text[..at].ends_with('\n');
    // `{"a": 1} > file`
    if same_line && words.starts_with(['|', '>', '&', '+', '%']) {
        return refuse(Reason::Rest);
    }
    // A declared property with a value is an argument, wherever it stands.
    if words.lines().any(|line| names_declared(line, ctx)) || names_flag(words, &text[..at], ctx) {
        return refuse(Reason::Rest);
    }
    // `{"command":"rm"} dry_run=true`: on the object's own line a name with a value may belong to the call.
    let line = words.split('\n').next().unwrap_or("").trim_end();
    let value = line.split_once([':', '=']).is_some_and(|(_, value)| !value.trim().is_empty());
    if same_line && value && names_members(line, ctx) != Members::None {
        return refuse(Reason::Rest);
    }
    if harmless(words, ctx.never_empty) {
        return Ok(());
    }
    refuse(if words.contains('{') { Reason::TwoBodies } else { Reason::Rest })
}

/// The tail, where the body ends at `at` although containers are open: nothing but fences, backticks and
/// marks from there to the end of the text, and at least one of them.
pub(crate) fn end_marks(
    text: &str,
    at: usize,
    head: &Head,
    ctx: &Context<'_>,
    edits: &mut Vec<Edit>,
) -> Option<Tail> {
    let (mut from, mut i) = (at, skip_blank(text, at));
    while i < text.len() {
        let (end, rule) = fence(text, i)
            .filter(|&(_, rule)| rule != Rule::InlineCode || head.inline_code)
            .or_else(|| mark_end(text, i, ctx.evidence.known_marks()).map(|end| (end, Rule::LeakedMark)))?;
        edits.push(Edit::delete(rule, from, end));
        from = end;
        i = skip_blank(text, end);
    }
    edits.last_mut()?.end = text.len();
    let end_mark = edits.iter().any(|e| ends_body(text[e.start..e.end].trim(), e.rule, head));
    Some(Tail { end_mark, ..Tail::default() })
}
