//! Where in a text a place is: in a code block, in inline code, in a quotation; and whether a call there is
//! made or talked about.

use alloc::string::String;

use crate::marks::unseen;

/// How much of a line is kept, in bytes: what a sentence needs.
const MAX_SENTENCE: usize = 256;

/// How much is kept of the lines before, in bytes.
const MAX_BEFORE: usize = 2048;

/// What is known of the text so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prose {
    /// The fence that is open: its character, and how many of them.
    fence: Option<(u8, usize)>,
    /// The line so far; where it is longer than [`MAX_SENTENCE`], its beginning and its end.
    line: String,
    /// How long the beginning is, where the middle is gone.
    head: Option<usize>,
    /// The last lines before it that are not blank, outside of code blocks, each with its line end.
    before: String,
    /// Whether a blank line stands before this one.
    apart: bool,
    /// Whether a quote mark is open in this paragraph.
    open: bool,
    /// What ends the comment that is open.
    comment: Option<&'static str>,
    /// How many tags are open of those that stand on lines of their own.
    inside: usize,
    /// Whether a fence stood somewhere.
    pub(crate) fenced: bool,
    /// Whether somebody's words were announced: what stands behind that may be theirs.
    said: bool,
}

impl Prose {
    /// Takes the next piece of the text.
    pub(crate) fn feed(&mut self, text: &str) {
        let mut rest = text;
        while let Some(end) = rest.as_bytes().iter().position(|b| *b == b'\n') {
            self.keep(&rest[..end]);
            self.end_line();
            rest = &rest[end + 1..];
        }
        self.keep(rest);
    }

    fn keep(&mut self, text: &str) {
        if text.as_bytes().contains(&b'"') {
            let mut before = self.line.bytes().next_back();
            for byte in text.bytes() {
                self.open ^= byte == b'"' && before != Some(b'\\');
                before = Some(byte);
            }
        }
        self.line.push_str(text);
        if self.head.is_none() && self.line.len() <= MAX_SENTENCE {
            return;
        }
        // The end of the line says more than its middle; its beginning is kept for what it quotes. How much of both is
        // kept may not depend on the pieces in which it came.
        let head = *self.head.get_or_insert_with(|| floor(&self.line, MAX_SENTENCE / 4));
        let tail = floor(&self.line, self.line.len() - MAX_SENTENCE / 2);
        if head < tail {
            self.line.replace_range(head..tail, "");
        }
    }

    fn end_line(&mut self) {
        let line = self.line.trim_ascii();
        // Lists and quotations hold blocks, too.
        let inner = unlisted(line);
        let first = inner.bytes().next();
        let run = inner.bytes().take_while(|b| Some(*b) == first).count();
        let was_open = self.fence.is_some();
        match (self.fence, first) {
            (None, Some(c @ (b'`' | b'~'))) if run >= 3 => self.fence = Some((c, run)),
            (Some((c, length)), Some(first)) if c == first && run >= length && run == inner.len() => {
                self.fence = None;
            }
            _ => {}
        }
        let marked = line.contains('<');
        self.said |= says(line) || (marked && is_turn(line));
        if !was_open && self.fence.is_none() {
            self.contain(marked);
        }
        let line = self.line.trim_ascii();
        self.open &= !line.is_empty();
        self.fenced |= line.contains('`') && line.contains("```");
        self.apart = line.is_empty();
        // The header of a message is no line of the text: what announced it announces what follows.
        let told = line.starts_with("> ") || !(marked && line.contains("<|message|>"));
        if !line.is_empty() && told && !was_open {
            self.before.push_str(line);
            self.before.push('\n');
            // Whole lines go.
            if let Some(spare) = self.before.len().checked_sub(MAX_BEFORE + 1) {
                let end = self.before.as_bytes()[spare..].iter().position(|b| *b == b'\n');
                self.before.drain(..end.map_or(0, |end| spare + end + 1));
            }
        }
        self.line.clear();
        self.head = None;
    }

    /// Notes what the line opens that holds lines, and what it closes: comments, and tags on lines of their own.
    fn contain(&mut self, marked: bool) {
        let line = self.line.trim_ascii();
        if let Some(end) = self.comment {
            self.comment = self.comment.filter(|_| !line.contains(end));
            return;
        }
        const COMMENTS: [(&str, &str); 2] = [("<!--", "-->"), ("/*", "*/")];
        let comment = COMMENTS.iter().find(|(open, close)| line.starts_with(open) && !line.contains(close));
        self.comment = comment.map(|(_, close)| *close);
        let tag = line.strip_prefix('<').and_then(|tag| tag.strip_suffix('>')).filter(|_| marked);
        let tag = tag.filter(|tag| !tag.contains(['<', '>', '|']) && !tag.ends_with('/'));
        match tag.map(|tag| tag.strip_prefix('/').is_some()) {
            Some(true) => self.inside = self.inside.saturating_sub(1),
            Some(false) if tag.is_some_and(|t| t.starts_with(|c: char| c.is_ascii_alphabetic())) => {
                self.inside += 1;
            }
            _ => {}
        }
    }

    /// Whether the next byte stands in a code block, in inline code or in a quotation.
    pub(crate) fn is_quoted(&self) -> bool {
        let line = self.line.trim_ascii_start();
        self.fence.is_some()
            || self.fence_opens()
            || in_code(&self.line)
            || line.starts_with("> ")
            || line == ">"
            // A paragraph of a quotation goes on without its sign.
            || (self.last().starts_with("> ") && !self.apart)
            || self.is_indented()
            || self.open
            || self.comment.is_some()
            || self.inside > 0
            || matches!(line.trim_ascii_end(), "+" | "-" | "--" | "|" | "*" | "#" | "//" | "<!--")
            || self.line.ends_with(['"', '\'', '“', '‘', '«', '(', '/', '\\', '='])
    }

    /// Whether the line so far is the white space of an indented code block.
    pub(crate) fn is_indented(&self) -> bool {
        self.at_line_start() && (self.line.starts_with("    ") || self.line.starts_with('\t'))
    }

    fn fence_opens(&self) -> bool {
        let line = unlisted(self.line.trim_ascii_start());
        line.starts_with("```") || line.starts_with("~~~")
    }

    /// The last line that is not blank.
    fn last(&self) -> &str {
        self.before.lines().next_back().unwrap_or_default()
    }

    /// Whether only white space stands on the line so far.
    pub(crate) fn at_line_start(&self) -> bool {
        self.line.trim_ascii().is_empty()
    }

    /// Whether a mark that stands here is a word of a sentence.
    pub(crate) fn names(&self) -> bool {
        let line = self.line.trim_ascii_end();
        line.len() < self.line.len() && line.ends_with(char::is_alphanumeric)
    }

    /// Whether a code block is open.
    pub(crate) fn in_block(&self) -> bool {
        self.fence.is_some()
    }

    /// Whether what stands here, and is followed by `after`, is a part of a sentence, an entry of a log or
    /// a list, announced as an example, or explained: a call that is talked about.
    ///
    /// `token` is whether the mark is one that no text has as a word; after such a one a model may go on.
    pub(crate) fn talks(&self, after: &str, token: bool) -> bool {
        // Text behind the call: a model that called waits.
        self.said
            || after.contains(char::is_alphanumeric)
            || goes_on(first_line(after))
            || self.presents(token)
    }

    /// Whether the line so far cannot go on with a call, or what stands before presents what follows.
    fn presents(&self, token: bool) -> bool {
        let line = self.line[unseen(&self.line)..].trim_ascii_end();
        if line.is_empty() {
            return announces(self.last()) || self.is_shown();
        }
        let spaced = self.line.ends_with(char::is_whitespace);
        let ends = ends(line) || line.ends_with([':', '：']);
        let goes_on = !token || speaks(line) || stance(line) != Some(Stance::Acts);
        let within = !ends && (spaced && goes_on || fails(line));
        let joined = !ends && !line.ends_with(char::is_alphanumeric);
        within
            || joined
            || is_entry(line)
            || says(line)
            || announces(line)
            || (stance(line).is_none() && self.is_shown())
    }

    /// Whether what was said last of what the speaker does or shows is that it is shown.
    fn is_shown(&self) -> bool {
        self.before.lines().rev().find_map(stance) == Some(Stance::Shows)
    }
}

/// What ends a sentence.
const SENTENCE_ENDS: &[char] = &['.', '!', '?', '…', '。', '！', '？'];

/// Whether a line ends with its sentence, or with a sign that may stand behind one: an emoji, an emphasis.
fn ends(line: &str) -> bool {
    let sign = |c: char| match c.is_ascii() {
        true => "*_ ".contains(c),
        false => !c.is_alphanumeric() && !SENTENCE_ENDS.contains(&c),
    };
    line.trim_end_matches(sign).ends_with(SENTENCE_ENDS)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_ascii()
}

/// A line without the signs of lists and quotations that it begins with.
fn unlisted(line: &str) -> &str {
    let mut line = line;
    loop {
        let inner = match line.as_bytes() {
            [b'>', ..] | [b'-' | b'*' | b'+', b' ', ..] => &line[1..],
            [b'0'..=b'9', ..] => {
                let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
                match digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") ")) {
                    Some(inner) => inner,
                    None => return line,
                }
            }
            _ => return line,
        };
        line = inner.trim_ascii_start();
    }
}

/// The last border of a character at or before `at`.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn floor_str(text: &str, most: usize) -> &str {
    &text[..floor(text, most.min(text.len()))]
}

/// Whether inline code is open at the end of the line (CommonMark 6.1: as many backticks close as opened).
fn in_code(line: &str) -> bool {
    let bytes = line.as_bytes();
    let (mut open, mut i) = (0, 0);
    while i < bytes.len() {
        if bytes[i] != b'`' {
            i += 1;
            continue;
        }
        let run = bytes[i..].iter().take_while(|b| **b == b'`').count();
        open = match open {
            0 => run,
            length if length == run => 0,
            length => length,
        };
        i += run;
    }
    open != 0
}

/// Whether what stands behind a call is a paragraph of its own that speaks to the user: it asks, or says what the
/// speaker does.
pub(crate) fn leaves(behind: &str) -> bool {
    let text = behind.trim_ascii();
    let own = first_line(behind).is_empty() && !goes_on(first_line(text));
    let acts = stance(floor_str(text, MAX_SENTENCE)) == Some(Stance::Acts);
    own && !denies(text) && (text.ends_with(['?', '？']) || acts)
}

/// Whether the last line of a thought shows what follows it, or says that it is not done.
pub(crate) fn rejects(thought: &str) -> bool {
    thought.lines().next_back().is_some_and(|line| stance(line) == Some(Stance::Shows))
}

/// Whether a line goes on behind a call with what begins no words: a comment on it, or what is left of a body.
fn goes_on(line: &str) -> bool {
    !line.is_empty() && !line.starts_with(char::is_alphabetic)
}

/// Whether a line that goes on with a mark says that something is wrong with it.
fn fails(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "error",
        "warning",
        "fail",
        "could not",
        "couldn't",
        "cannot",
        "can't",
        "unable",
        "invalid",
        "unexpected",
        "malformed",
        "unknown",
    ];
    mentions(line, WORDS)
}

/// A line of a log, a diff, a prompt, a comment, a table.
fn is_entry(line: &str) -> bool {
    const BEGINS: &[&str] = &["$ ", "# ", "// ", "+ ", "- ", "* ", "| ", "> ", "<!--", "/*", "%", "@@"];
    const LEVELS: &[&str] =
        &["INFO", "DEBUG", "WARN", "ERROR", "TRACE", "FATAL", "info:", "debug:", "error:", "warn"];
    BEGINS.iter().any(|begin| line.starts_with(begin))
        || LEVELS.iter().any(|level| line.contains(level))
        || line.starts_with(|c: char| c.is_ascii_digit())
        || (line.len() < 4 && line.ends_with(')'))
        || line.starts_with(['[', '+'])
}

/// Whether a line announces somebody's words (`You wrote:`), or begins with its speaker (`user: …`).
fn says(line: &str) -> bool {
    const VERBS: &[&str] =
        &["said", "wrote", "sent", "posted", "pasted", "asked", "quoted", "quote", "replied"];
    const SPEAKERS: &[&str] = &["user", "human", "system", "assistant", "tool"];
    let Some((before, _)) = line.split_once(':') else { return false };
    SPEAKERS.iter().any(|speaker| before.eq_ignore_ascii_case(speaker))
        || line.match_indices(':').any(|(at, _)| VERBS.iter().any(|verb| line[..at].ends_with(verb)))
}

/// What a line says of what its speaker is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stance {
    /// That it is done.
    Acts,
    /// That something is shown, or not done.
    Shows,
}

/// Words by which the speaker says that they act, and which begin a word.
const DOING: &[&str] = &[
    "i'll",
    "i will",
    "let me",
    "let's",
    "i need",
    "i am going",
    "i'm going",
    "i am calling",
    "i'm calling",
    "calling",
    "checking",
    "looking",
    "searching",
    "running",
    "fetching",
    "reading",
    "creating",
    "getting",
    "opening",
    "listing",
    "updating",
    "adding",
    "saving",
    "doing",
    "trying",
    "using",
    "starting",
    "next,",
    "now the",
    "first,",
    "now i",
    "i should",
    "i can ",
    "i must",
    "i have to",
    "we need",
    "we should",
    "we'll",
    "let us",
    "i want to",
    "ich ",
    "je ",
    "j'",
    "voy a",
    "vamos",
    "vou ",
    "déjame",
    "我",
    "正在",
    "します",
    "겠습니다",
    "я ",
    "сейчас",
    "давайте",
];

/// Words by which the speaker says that they do not act, and which begin a word.
const REFUSING: &[&str] = &[
    "i'll not",
    "i will not",
    "i will never",
    "i won't",
    "i must not",
    "i mustn't",
    "i should not",
    "i shouldn't",
    "i would not",
    "i wouldn't",
    "i shall not",
    "i refuse",
    "i'm not going",
    "i am not going",
    "i decided not",
    "i decided against",
    "decided against",
    "i can't do",
    "i cannot do",
    "i can't run",
    "i cannot run",
    "i can't call",
    "i cannot call",
    "let's not",
    "let me not",
    "nicht",
    "ne peux pas",
    "ne vais pas",
    "no voy",
    "não vou",
    "不",
    "ません",
    "не ",
];

/// Words by which a line presents what it speaks of, whatever else it says.
const SHOWING: &[&str] = &[
    "an example",
    "for example",
    "example of",
    "example:",
    "e.g.",
    "i.e.",
    "for instance",
    "illustrat",
    "demonstrat",
    "show you",
    "look like",
    "looks like",
    "looked like",
    "like this",
    "like so",
    "would be",
    "would write",
    "would emit",
    "would send",
    "would call",
    "would produce",
    "would output",
    "would look",
    "could write",
    "as follows",
    "beispiel",
    "ejemplo",
    "exemple",
    "например",
    "示例",
    "例如",
];

/// Words by which a line presents something, where it does not say that its speaker acts.
const EXAMPLES: &[&str] = &[
    "example",
    "the syntax",
    "syntax is",
    "responds with",
    "prompt contain",
    "native format",
    "transcript",
    "wrapped in",
    "is written",
    "are written",
    "quoted",
    "quoting",
];

/// What a line says of what its speaker does; `None` where it speaks of neither. Of an act and its refusal,
/// the last one counts.
fn stance(line: &str) -> Option<Stance> {
    if line.starts_with('#') && line.trim_start_matches('#').starts_with(' ') {
        return Some(Stance::Shows);
    }
    let lower = line.to_lowercase().replace('’', "'");
    let acts = last_of(&lower, DOING);
    let refuses = last_of(&lower, REFUSING).max(forbids(&lower));
    let holds = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if (refuses.is_some() && refuses >= acts) || holds(SHOWING) {
        return Some(Stance::Shows);
    }
    match acts {
        Some(_) if !(lower.ends_with([':', '：']) && holds(EXAMPLES)) => Some(Stance::Acts),
        _ => holds(EXAMPLES).then_some(Stance::Shows),
    }
}

/// Where the last of `words` stands in `text`, at the beginning of a word.
fn last_of(text: &str, words: &[&str]) -> Option<usize> {
    let begins = |at: &usize| {
        let before = text[..*at].chars().next_back();
        !(text.as_bytes()[*at].is_ascii() && before.is_some_and(char::is_alphanumeric))
    };
    words.iter().filter_map(|word| text.rmatch_indices(word).map(|(at, _)| at).find(begins)).max()
}

/// Where the last sentence of `text` begins that forbids something.
fn forbids(text: &str) -> Option<usize> {
    const WORDS: &[&str] =
        &["do not ", "don't ", "never ", "not ", "must not ", "you must n", "you should n"];
    let mut at = 0;
    let mut last = None;
    for sentence in text.split_inclusive(['.', '!', '?', ':', ';']) {
        let begin = at + sentence.len() - sentence.trim_start().len();
        if WORDS.iter().any(|word| text[begin..].starts_with(word)) {
            last = Some(begin);
        }
        at += sentence.len();
    }
    last
}

/// Whether the line right before a call presents it: it shows something, or it is no sentence of a speaker who
/// acts, but a caption, a label, or the beginning of a sentence that goes on with what follows.
fn announces(line: &str) -> bool {
    // The sign of a list, and a single word: a model's stray token.
    let item = unlisted(line).len() < line.len() && !line.starts_with('>');
    let plain = line.is_empty() || item || line.starts_with("```") || line.starts_with("~~~");
    match stance(line) {
        Some(stance) => stance == Stance::Shows,
        None if plain => false,
        None => {
            let words = line.split_ascii_whitespace().count();
            let caption = !ends(line) && (words > 1 || !line.chars().all(char::is_alphanumeric));
            caption || is_demonstrative(line)
        }
    }
}

/// Whether a sentence says what something is: that which follows, or that which was spoken of.
fn is_demonstrative(line: &str) -> bool {
    const BEGINS: &[&str] =
        &["this is", "that is", "here is", "here's", "here are", "these are", "the following"];
    let lower = line.to_ascii_lowercase();
    BEGINS.iter().any(|begin| lower.starts_with(begin))
}

/// Whether a line begins somebody else's turn, or a header that is quoted begins within it.
fn is_turn(line: &str) -> bool {
    let other = ["<|im_start|>user", "<|im_start|>system", "<|im_start|>tool"];
    let header = line.find("<|message|>").is_some() && !line.starts_with("to=") && !line.starts_with("<|");
    header || other.iter().any(|turn| line.starts_with(turn))
}

/// Whether a line that goes on with a mark speaks of marks.
fn speaks(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "write", "wrote", "emit", "use", "call", "output", "produce", "generate", "return", "send", "print",
        "token", "model", "tag", "mark", "begin", "start", "start", "end", "wrap", "put", "type", "say",
        "read", "contain", "with", "like", "is", "are", "the", "a", "and", "or", "between", "by",
    ];
    let last = line.rsplit(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    let last = last.to_ascii_lowercase();
    WORDS.iter().any(|word| last == *word || (word.len() > 3 && last.starts_with(word)))
}

/// Whether a text speaks of what stands before it as of no call.
fn denies(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "example",
        "illustrat",
        "is how",
        "this is what",
        "this format",
        "the format",
        "syntax",
        "this tag",
        "these tags",
        "the tag",
        "this call",
        "the call above",
        "that call",
        "above",
        "this block",
        "the block",
        "not a real",
        "not a call",
        "have not made",
        "haven't made",
        "did not call",
        "didn't call",
        "would be",
        "would look",
        "would send",
        "would write",
        "replace",
        "template",
        "placeholder",
        "parser",
        "this snippet",
        "this line",
        "this message",
        "you sent",
        "you wrote",
        "that is what",
        "that's what",
        "here,",
        "as you can see",
        "note that",
        "means",
    ];
    mentions(text, WORDS)
}

fn mentions(text: &str, words: &[&str]) -> bool {
    let lower = text.to_ascii_lowercase();
    words.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn what_is_kept_of_a_long_line_does_not_depend_on_its_pieces() {
        let text: String = (0..200).map(|n| ['a', 'é', '日', '🦀'][n % 4]).collect();
        let kept = |pieces: &[&str]| {
            let mut prose = Prose::default();
            pieces.iter().for_each(|piece| prose.feed(piece));
            prose.line
        };
        let whole = kept(&[&text]);
        assert!(whole.len() < text.len() && text.starts_with(&whole[..floor(&whole, MAX_SENTENCE / 4)]));
        for (at, _) in text.char_indices() {
            assert_eq!(kept(&[&text[..at], &text[at..]]), whole, "{at}");
        }
        let letters: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(kept(&letters.iter().map(String::as_str).collect::<Vec<_>>()), whole);
    }
}
