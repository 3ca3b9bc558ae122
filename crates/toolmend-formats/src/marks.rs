//! The marks of all formats: which begin a call, which may stand behind one, which part reasoning off.
//!
//! A mark is written here in its plain form. Where it has `|`, the text may have one or two of the pipes
//! that are mistaken for each other (`|`, `｜` U+FF5C, `‖` U+2016; leaks of DeepSeek's DSML show all of
//! them); where it has `_`, the text may have `▁` (U+2581).

/// How a mark fits the beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It does not.
    No,
    /// The text ends before the mark does.
    Part,
    /// It does, and takes this many bytes.
    Full(usize),
}

/// Whether `text` begins with `mark`.
pub(crate) fn fit(text: &[u8], mark: &str) -> Fit {
    let mut at = 0;
    for &want in mark.as_bytes() {
        let taken = match want {
            b'|' => match pipe(&text[at..]) {
                0 => 0,
                one => one + pipe(&text[at + one..]),
            },
            b'_' if text[at..].starts_with("▁".as_bytes()) => "▁".len(),
            _ => usize::from(text.get(at) == Some(&want)),
        };
        if taken == 0 {
            return if at == text.len() { Fit::Part } else { Fit::No };
        }
        at += taken;
    }
    Fit::Full(at)
}

/// How many bytes the pipe takes that `text` begins with.
fn pipe(text: &[u8]) -> usize {
    match text {
        [b'|', ..] => 1,
        _ if text.starts_with("｜".as_bytes()) || text.starts_with("‖".as_bytes()) => 3,
        _ => 0,
    }
}

/// Which of `marks` `text` begins with, and its length; or that more text is needed to tell.
fn first<'m, T>(text: &[u8], marks: impl Iterator<Item = &'m T>, mark: impl Fn(&T) -> &str) -> Found<&'m T> {
    let mut part = false;
    for one in marks {
        match fit(text, mark(one)) {
            // No mark is the beginning of another one.
            Fit::Full(length) => return Found::Full(one, length),
            Fit::Part => part = true,
            Fit::No => {}
        }
    }
    if part { Found::Part } else { Found::No }
}

/// What [`first`] answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found<T> {
    No,
    Part,
    Full(T, usize),
}

/// What stands behind a mark that begins a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// Only another mark of this table: it wraps calls.
    Wrap,
    /// JSON, a list of calls, or another mark.
    Json,
    /// As [`Body::Json`], and Python calls without brackets.
    Python,
    /// As [`Body::Json`], and key/value tags behind a name.
    Tagged,
    /// JSON, or a name and a mark or JSON (Mistral).
    Named,
    /// `ID` or `NAME`, a mark, JSON (Kimi, DeepSeek).
    Identified,
    /// `ID`, a mark, `NAME`, a mark, JSON (Solar).
    IdAndName,
    /// `NAME`, a mark, an envelope (Inkling).
    Header,
    /// `call:NAME{…}` with this mark around strings (Gemma).
    Brace(&'static str),
    /// `NAME>` and `<parameter=KEY>` tags, or JSON (Qwen3-Coder, Functionary).
    Function,
    /// `"NAME">` and parameter tags.
    Invoke(&'static Invoke),
}

/// How a family of `<invoke name=…>` writes its tags.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Invoke {
    /// What a parameter begins with; empty where its name is the tag (MiniMax-M3).
    pub(crate) parameter: &'static str,
    /// What ends a parameter.
    pub(crate) parameter_end: &'static str,
    /// What ends the call.
    pub(crate) end: &'static str,
    /// What ends the marks around calls.
    pub(crate) around: &'static [&'static str],
}

const PLAIN: Invoke = Invoke {
    parameter: "<parameter",
    parameter_end: "</parameter>",
    end: "</invoke>",
    around: &["</function_calls>", "</minimax:tool_call>", "</dots_function_call>"],
};
const ANTML: Invoke = Invoke {
    parameter: concat!("<ant", "ml:parameter"),
    parameter_end: concat!("</ant", "ml:parameter>"),
    end: concat!("</ant", "ml:invoke>"),
    around: &[concat!("</ant", "ml:function_calls>")],
};
const ATEM: Invoke = Invoke {
    parameter: "<atem:parameter",
    parameter_end: "</atem:parameter>",
    end: "</atem:invoke>",
    around: &["</atem:function_calls>"],
};
const STEP: Invoke = Invoke {
    parameter: "<steptml:parameter",
    parameter_end: "</steptml:parameter>",
    end: "</steptml:invoke>",
    around: &["<|tool_call_end|>"],
};
const DSML: Invoke = Invoke {
    parameter: "<|DSML|parameter",
    parameter_end: "</|DSML|parameter>",
    end: "</|DSML|invoke>",
    around: &["</|DSML|function_calls>", "</|DSML|tool_calls>"],
};
const DSML_SPACED: Invoke = Invoke {
    parameter: "<|DSML| parameter",
    parameter_end: "</|DSML| parameter>",
    end: "</|DSML| invoke>",
    around: &["</|DSML| calls>"],
};
const MINICPM: Invoke =
    Invoke { parameter: "<param", parameter_end: "</param>", end: "</function>", around: &[] };
pub(crate) const M3: Invoke = Invoke {
    parameter: "",
    parameter_end: "]<]minimax[>[</",
    end: "]<]minimax[>[</invoke>",
    around: &["]<]minimax[>[</tool_call>"],
};

/// A mark that begins a call, or a wrapper of calls.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Opener {
    pub(crate) mark: &'static str,
    pub(crate) body: Body,
}

const fn opener(mark: &'static str, body: Body) -> Opener {
    Opener { mark, body }
}

/// Marks that count wherever they stand in the text of a message.
pub(crate) const OPENERS: &[Opener] = &[
    opener("<tool_call>", Body::Tagged),
    opener("<longcat_tool_call>", Body::Tagged),
    opener("<iquest_tool_call>", Body::Tagged),
    opener("<seed:tool_call>", Body::Wrap),
    opener("<minimax:tool_call>", Body::Wrap),
    opener("<tool_calls>", Body::Json),
    opener("<TOOLCALL>", Body::Json),
    opener("<function_call>", Body::Json),
    opener("<function_calls>", Body::Python),
    opener(concat!("<ant", "ml:function_calls>"), Body::Wrap),
    opener("<atem:function_calls>", Body::Wrap),
    opener("<dots_function_call>", Body::Wrap),
    opener("<|DSML|function_calls>", Body::Wrap),
    opener("<|DSML|tool_calls>", Body::Wrap),
    opener("<|DSML| calls>", Body::Wrap),
    opener("<|tool_call|>", Body::Json),
    opener("<|tool_call_start|>", Body::Json),
    opener("<|tools_prefix|>", Body::Json),
    opener("<|START_ACTION|>", Body::Json),
    opener("<|action_start|>", Body::Wrap),
    opener("<|plugin|>", Body::Json),
    opener("<|function_call|>", Body::Json),
    opener("<|python_tag|>", Body::Json),
    opener("<|python_start|>", Body::Json),
    opener("[TOOL_CALLS]", Body::Named),
    opener("<|tool_calls_begin|>", Body::Wrap),
    opener("<|tool_calls_section_begin|>", Body::Wrap),
    opener("<|tool_call_section_begin|>", Body::Wrap),
    opener("<|tool_call_begin|>", Body::Identified),
    opener("<|tool_call:begin|>", Body::IdAndName),
    opener("<|message_model|>", Body::Header),
    opener("<|tool_call>", Body::Brace("<|\"|>")),
    opener("<start_function_call>", Body::Brace("<escape>")),
    opener("<function=", Body::Function),
    opener("<function name=", Body::Invoke(&MINICPM)),
    opener("<invoke name=", Body::Invoke(&PLAIN)),
    opener(concat!("<ant", "ml:invoke name="), Body::Invoke(&ANTML)),
    opener("<atem:invoke name=", Body::Invoke(&ATEM)),
    opener("<steptml:invoke name=", Body::Invoke(&STEP)),
    opener("<|DSML|invoke name=", Body::Invoke(&DSML)),
    opener("<|DSML| invoke name=", Body::Invoke(&DSML_SPACED)),
    opener("]<]minimax[>[<tool_call>", Body::Wrap),
    opener("]<]minimax[>[<invoke name=", Body::Invoke(&M3)),
];

/// Marks that are plain words, and so count only where a line begins.
pub(crate) const LINE_OPENERS: &[Opener] = &[
    opener("functools[", Body::Json),
    opener("function call<|role_sep|>", Body::Json),
    opener("```tool_call\n", Body::Json),
    opener("```tool_calls\n", Body::Json),
    opener("```tool\n", Body::Json),
    opener("```tool_code\n", Body::Json),
];

/// Marks that may stand behind a call or around calls, and alone at the end of a message.
pub(crate) const CLOSERS: &[&str] = &[
    "</tool_call>",
    "</longcat_tool_call>",
    "</iquest_tool_call>",
    "</seed:tool_call>",
    "</minimax:tool_call>",
    "</tool_calls>",
    "</TOOLCALL>",
    "</function_call>",
    "</function_calls>",
    concat!("</ant", "ml:function_calls>"),
    concat!("</ant", "ml:invoke>"),
    concat!("</ant", "ml:parameter>"),
    "</atem:function_calls>",
    "</dots_function_call>",
    "</|DSML|function_calls>",
    "</|DSML|tool_calls>",
    "</|DSML| calls>",
    "</|DSML|invoke>",
    "</|DSML|parameter>",
    "</|DSML| invoke>",
    "</|DSML| parameter>",
    "</invoke>",
    "</parameter>",
    "</function>",
    "</arg_value>",
    "]<]minimax[>[</tool_call>",
    "<|/tool_call|>",
    "<|tool_call_end|>",
    "<|tools_suffix|>",
    "<|END_ACTION|>",
    "<|action_end|>",
    "<|python_end|>",
    "[/TOOL_CALLS]",
    "<|tool_calls_end|>",
    "<|tool_calls_section_end|>",
    "<|tool_call_section_end|>",
    "<|tool_call:end|>",
    "<|tool_sep|>",
    "<|end_message|>",
    "<tool_call|>",
    "<end_function_call>",
    "<|message_sep|>",
    "<|im_end|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|eom|>",
    "<|eot|>",
    "<|endoftext|>",
    "<|observation|>",
    "<|user|>",
    "<|end_of_sentence|>",
    "<|end_of_text|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|END_RESPONSE|>",
    "<|END_TEXT|>",
    "<end_of_turn>",
    "<turn|>",
    "<seed:eos>",
    "[|endofturn|]",
    "[e~[",
    "</s>",
];

/// Marks around the answer of families that have some; they say nothing and are taken off.
pub(crate) const FRAMES: &[&str] = &["<|START_RESPONSE|>", "<|START_TEXT|>"];

/// Marks around reasoning: where it begins, where it ends.
pub(crate) const REASONING: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<scratch_pad>", "</scratch_pad>"),
];

/// Which marks of a list may stand at a place: a bit for each, by the byte that tells most of them apart.
///
/// Little of what begins like a mark in code and in markup is one, and this is all that is looked at there.
struct Index {
    by: [u128; 256],
    all: u128,
    /// By its first byte, whether there is a mark, and whether one has a slash behind that.
    first: [(bool, bool); 256],
}

impl Index {
    const NONE: Index = Index { by: [0; 256], all: 0, first: [(false, false); 256] };

    /// The index of the same list with this mark at its end.
    const fn and(mut self, mark: &str) -> Index {
        let bit = self.all + 1;
        self.all |= bit;
        let first = &mut self.first[mark.as_bytes()[0] as usize];
        *first = (true, first.1 || mark.as_bytes()[1] == b'/');
        match Index::key(mark.as_bytes()) {
            Some(key) => self.by[key] |= bit,
            None => panic!("a mark is longer"),
        }
        self
    }

    /// The second byte, or the one behind a slash there; `None` where the text ends before it.
    const fn key(text: &[u8]) -> Option<usize> {
        let (byte, half) = match text {
            [_, b'/', byte, ..] => (*byte, 128),
            [] | [_] | [_, b'/'] => return None,
            [_, byte, ..] => (*byte, 0),
        };
        // What is not ASCII may be the look-alike of a pipe.
        let byte = if byte.is_ascii() { byte } else { b'|' };
        Some(byte as usize + half)
    }

    fn at(&self, text: &[u8]) -> u128 {
        Index::key(text).map_or(self.all, |key| self.by[key])
    }

    /// Whether `text` is the beginning of a mark, where it ends before the byte that tells marks apart.
    fn begins(&self, text: &[u8]) -> bool {
        match text {
            [] => true,
            [one] => self.first[usize::from(*one)].0,
            [one, b'/'] => self.first[usize::from(*one)].1,
            _ => false,
        }
    }

    /// The places in the list of the marks that `text` may begin with.
    fn find(&self, text: &[u8]) -> impl Iterator<Item = usize> + use<> {
        // What ends before that byte begins many or none: see `begins`.
        let mut left = Index::key(text).map_or(0, |key| self.by[key]);
        core::iter::from_fn(move || {
            let next = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (next < 128).then_some(next)
        })
    }
}

static OPENING: Index = {
    let (mut index, mut i) = (Index::NONE, 0);
    while i < OPENERS.len() {
        index = index.and(OPENERS[i].mark);
        i += 1;
    }
    index
};

static CLOSING: Index = {
    let (mut index, mut i) = (Index::NONE, 0);
    while i < CLOSERS.len() {
        index = index.and(CLOSERS[i]);
        i += 1;
    }
    index
};

static THINKING: Index = {
    let (mut index, mut i) = (Index::NONE, 0);
    while i < REASONING.len() {
        index = index.and(REASONING[i].0).and(REASONING[i].1);
        i += 1;
    }
    index
};

/// Whether a mark, or a tag that a closer ends, may begin like this.
pub(crate) fn may_begin(text: &[u8]) -> bool {
    OPENING.at(text) | CLOSING.at(text) | THINKING.at(text) != 0 || tags(text).next().is_some()
}

/// The closers that may end the tag that `text` opens.
fn tags(text: &[u8]) -> impl Iterator<Item = &'static str> + use<> {
    let opened = match text {
        [b'<', byte, ..] => CLOSING.find(&[b'<', b'/', *byte]),
        _ => CLOSING.find(text),
    };
    opened.map(|n| CLOSERS[n])
}

/// The closer of the plain tag (`<parameter …>`) that `text` opens, if there is one.
pub(crate) fn tag(text: &[u8]) -> Found<&'static str> {
    let Some(inner) = text.strip_prefix(b"<") else { return Found::No };
    if inner.is_empty() {
        return Found::Part;
    }
    let mut part = false;
    for closer in tags(text) {
        let Some(name) = closer.strip_prefix("</").and_then(|c| c.strip_suffix('>')) else { continue };
        match inner.strip_prefix(name.as_bytes()) {
            Some([b'>' | b' ' | b'=' | b'\n', ..]) => return Found::Full(closer, name.len() + 1),
            Some([]) => part = true,
            Some(_) => {}
            None => part |= name.as_bytes().starts_with(inner),
        }
    }
    if part { Found::Part } else { Found::No }
}

/// The closer that `text` begins with.
pub(crate) fn closer(text: &[u8]) -> Found<&'static str> {
    if CLOSING.begins(text) {
        return Found::Part;
    }
    match first(text, CLOSING.find(text).map(|n| &CLOSERS[n]), |mark| mark) {
        Found::Full(mark, length) => Found::Full(mark, length),
        Found::Part => Found::Part,
        Found::No => Found::No,
    }
}

/// The opener that `text` begins with.
pub(crate) fn open(text: &[u8], line_start: bool) -> Found<&'static Opener> {
    let anywhere = match OPENING.begins(text) {
        true => Found::Part,
        false => first(text, OPENING.find(text).map(|n| &OPENERS[n]), |one| one.mark),
    };
    match anywhere {
        Found::Full(..) => anywhere,
        _ if !line_start => anywhere,
        part => match first(text, LINE_OPENERS.iter(), |one| one.mark) {
            Found::No => part,
            found => found,
        },
    }
}

/// How many bytes of white space `text` begins with.
pub(crate) fn white(text: &str) -> usize {
    text.len() - text.trim_ascii_start().len()
}

/// How many bytes of white space, and of characters that are not seen, a message begins with.
pub(crate) fn unseen(text: &str) -> usize {
    text.len()
        - text
            .trim_start_matches(|c: char| {
                c.is_ascii_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\u{2060}')
            })
            .len()
}

/// How many bytes of white space and closers `text` begins with, and whether there is any closer.
pub(crate) fn skip_closers(text: &str) -> (usize, bool) {
    let (mut at, mut any) = (0, false);
    loop {
        at += white(&text[at..]);
        match closer(&text.as_bytes()[at..]) {
            Found::Full(_, length) => {
                at += length;
                any = true;
            }
            _ => return (at, any),
        }
    }
}
