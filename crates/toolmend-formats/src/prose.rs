//! Where in a text a place is: in a code block, in inline code, in a quotation; and whether a call there is
//! made or talked about.

use alloc::string::String;

/// How much of a line is kept, in bytes: what a sentence needs.
const MAX_SENTENCE: usize = 256;

/// What is known of the text so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prose {
    /// The fence that is open: its character, and how many of them.
    fence: Option<(u8, usize)>,
    /// The line so far; where it is longer than [`MAX_SENTENCE`], its beginning and its end.
    line: String,
    /// How long the beginning is, where the middle is gone.
    head: Option<usize>,
    /// The last line before it that is not blank.
    before: String,
    /// Whether a blank line stands before this one.
    apart: bool,
    /// Whether a quote mark is open on this line.
    open: bool,
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
        let first = line.bytes().next();
        let run = line.bytes().take_while(|b| Some(*b) == first).count();
        match (self.fence, line.as_bytes().first()) {
            (None, Some(c @ (b'`' | b'~'))) if run >= 3 => self.fence = Some((*c, run)),
            (Some((c, length)), Some(first)) if c == *first && run >= length && run == line.len() => {
                self.fence = None;
            }
            _ => {}
        }
        let marked = line.contains('<');
        self.said |= says(line) || (marked && is_turn(line));
        self.open = false;
        self.fenced |= line.contains('`') && line.contains("```");
        self.apart = line.is_empty();
        // The header of a message is no line of the text: what announced it announces what follows.
        if !line.is_empty() && (line.starts_with("> ") || !(marked && line.contains("<|message|>"))) {
            self.before.clear();
            self.before.push_str(line);
        }
        self.line.clear();
        self.head = None;
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
            || (self.before.starts_with("> ") && !self.apart)
            || self.is_indented()
            || self.open
            || matches!(line.trim_ascii_end(), "+" | "-" | "--" | "|" | "*" | "#" | "//" | "<!--")
            || self.line.ends_with(['"', '\'', '“', '‘', '«', '(', '/', '\\', '='])
    }

    /// Whether the line so far is the white space of an indented code block.
    pub(crate) fn is_indented(&self) -> bool {
        self.at_line_start() && (self.line.starts_with("    ") || self.line.starts_with('\t'))
    }

    fn fence_opens(&self) -> bool {
        let line = self.line.trim_ascii_start();
        line.starts_with("```") || line.starts_with("~~~")
    }

    /// Whether only white space stands on the line so far.
    pub(crate) fn at_line_start(&self) -> bool {
        self.line.trim_ascii().is_empty()
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
        let line = self.line.trim_ascii();
        let behind = after.trim_ascii();
        let same_line = after.lines().next().unwrap_or_default().trim_ascii();
        if !line.is_empty() {
            let spaced = self.line.ends_with(char::is_whitespace);
            let ends = line.ends_with(['.', '!', '?', '…', '。', '！', '？', ':', '：']);
            let within = !ends && (spaced && (!token || speaks(line)) || line.ends_with('=') || fails(line));
            let joined = !spaced && !ends && !line.ends_with(char::is_alphanumeric);
            if within || joined || is_entry(line) || (line.ends_with([':', '：']) && !behind.is_empty()) {
                return true;
            }
        }
        const CLOSERS: &[&str] = &["`", "\"", "'", ",", ";", ")", ".", "”", "’", "»", "</", "-->", "*/", "|"];
        if CLOSERS.iter().any(|closer| same_line.starts_with(closer)) {
            return true;
        }
        let said = if line.is_empty() { &self.before } else { line };
        // Text of its own behind the call: a model that called waits.
        let explained = floor_str(behind, MAX_SENTENCE);
        let own = same_line.is_empty() && !behind.is_empty();
        let words = explained.split_ascii_whitespace().count();
        let continued = same_line.starts_with(char::is_lowercase) && after.starts_with(' ');
        self.said
            || says(line)
            || announces(said)
            || own
            || goes_on(same_line)
            || (words > 2 && (!token || continued))
            || denies(explained)
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

/// Whether a line goes on behind a call with what begins no words: a comment on it, or what is left of a body.
pub(crate) fn goes_on(line: &str) -> bool {
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

/// Whether a line announces somebody's words: `You wrote:`, `The user said: …`.
fn says(line: &str) -> bool {
    const VERBS: &[&str] =
        &["said", "wrote", "sent", "posted", "pasted", "asked", "quoted", "quote", "replied"];
    line.match_indices(':').any(|(at, _)| VERBS.iter().any(|verb| line[..at].ends_with(verb)))
}

/// Whether a line announces an example, or a text that is shown.
fn announces(line: &str) -> bool {
    const EXAMPLES: &[&str] = &[
        "example",
        "e.g.",
        "i.e.",
        "for instance",
        "illustrat",
        "look like",
        "looks like",
        "looked like",
        "like this",
        "like so",
        "syntax",
        "would be",
        "would write",
        "would emit",
        "would send",
        "would call",
        "would produce",
        "would output",
        "responds with",
        "as follows",
        "prompt contain",
        "native format",
        "transcript",
        "would look",
        "could write",
        "wrapped in",
        "is written",
        "are written",
        "quoted",
        "quoting",
        "beispiel",
        "ejemplo",
        "exemple",
        "например",
        "示例",
        "例如",
    ];
    // What is shown behind a colon, where the line does not say that the speaker is about to do something.
    const SHOWN: &[&str] = &[
        "call",
        "tag",
        "format",
        "model",
        "function",
        "tool",
        "xml",
        "json",
        "markup",
        "block",
        "message",
        "response",
        "output",
        "reply",
        "request",
        "log",
        "history",
        "prompt",
        "server",
        "text",
        "this is",
        "string",
        "input",
        "quotes",
        "report",
        "answer is",
        "follow",
        "how to",
        "said",
        "wrote",
        "sent",
        "posted",
        "pasted",
        "documentation",
        "template",
        "sample",
        "transcript",
        "instead",
        "write",
        "emit",
    ];
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
        "first,",
        "now i",
        "i should",
        "i can",
    ];
    const VERBS: &[&str] = &[" emits", " writes", " outputs", " prints", " produces", " generates", " sends"];
    mentions(line, EXAMPLES)
        || is_label(line)
        || VERBS.iter().any(|verb| line.ends_with(verb))
        || (line.ends_with([':', '：']) && mentions(line, SHOWN) && !mentions(&line.replace('’', "'"), DOING))
}

/// Whether a line is one word and a colon: `Input:`, `Expected:`, `User:`.
fn is_label(line: &str) -> bool {
    line.strip_suffix(':').is_some_and(|word| !word.is_empty() && !word.contains(char::is_whitespace))
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
pub(crate) fn denies(text: &str) -> bool {
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
