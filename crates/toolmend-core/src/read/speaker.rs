//! Whose words stand around the object.
//!
//! What a model thinks, what a tool answered and what a user said is no call. A call of another tool is not this one. And
//! an object that stands where one argument's value stands is not all of them.

use alloc::string::String;

use super::frame::skip_blank;
use super::lexeme::identifier_end;
use super::marks::MAX_MARK;
use crate::context::Context;
use crate::{Edit, Rule};

/// Parts of a mark behind which stands what is no call, until another one with the same part ends it.
const THOUGHTS: &[&str] = &[
    "think",
    "thought",
    "reasoning",
    "reflection",
    "scratchpad",
    "cot_budget",
    "observation",
    "ipython",
    "available_tools",
];
/// The same, where they are words of the mark.
const OTHERS: &[&str] =
    &["plan", "draft", "example", "wrong", "user", "human", "system", "developer", "inst"];
/// What a tool answers, with the word for a tool in the same mark.
const ANSWERS: &[&str] = &["response", "result", "output", "error"];
/// Parts of a mark that a turn, or a part of one, begins with; its speaker's name follows.
const TURNS: &[&str] = &["start", "channel", "turn"];
/// Speakers of what is no call.
const SPEAKERS: &[&str] = &[
    "user",
    "human",
    "system",
    "developer",
    "tool",
    "function",
    "ipython",
    "analysis",
    "final",
    "thought",
    "observation",
];
/// The last words of a mark that an argument's name or value stands behind.
const ARGUMENTS: &[&str] = &["parameter", "param", "argument", "arg", "arg_key", "arg_value"];
/// How a statement, or a format, names all arguments together.
const WRAPPERS: &[&str] = &[
    "action",
    "args",
    "arguments",
    "call",
    "function",
    "input",
    "json",
    "kwargs",
    "name",
    "parameters",
    "params",
    "thought",
    "tool",
    "tool_input",
];
/// Names before an object that are no tool's.
const NO_TOOLS: &[&str] = &[
    "action",
    "analysis",
    "answer",
    "args",
    "argumente",
    "argumentos",
    "arguments",
    "assistant",
    "call",
    "code",
    "commentary",
    "details",
    "done",
    "example",
    "final",
    "function",
    "function_call",
    "functions",
    "here",
    "input",
    "javascript",
    "json",
    "jsonc",
    "json5",
    "js",
    "kwargs",
    "model",
    "next",
    "note",
    "ok",
    "okay",
    "output",
    "parameter",
    "parameters",
    "params",
    "payload",
    "python",
    "request",
    "response",
    "result",
    "return",
    "sure",
    "text",
    "thought",
    "tool",
    "tool_args",
    "tool_call",
    "tool_code",
    "tool_input",
    "xml",
];
/// What stands before the name of the tool that is called.
const CALLING: &[&str] = &["functions.", "functions[", "to=", "call:", "<function=", "name="];
/// Labels of a line that names it.
const LABELS: &[&str] = &[
    "action",
    "function",
    "function call",
    "function name",
    "name",
    "recipient",
    "tool",
    "tool call",
    "tool name",
    "tool_name",
    "using tool",
    "calling tool",
    "工具",
    "函数",
    "动作",
    "ツール",
    "werkzeug",
    "aktion",
    "herramienta",
    "outil",
    "инструмент",
];

/// What a piece says, without the white space around it, seen or unseen.
pub(super) fn said<'t>(text: &'t str, piece: &Edit) -> &'t str {
    text[skip_blank(text, piece.start).min(piece.end)..piece.end].trim()
}

/// Where what is no call begins, if the object stands in it. `pieces` are those before the object.
pub(super) fn no_call(text: &str, pieces: &[Edit], ctx: &Context<'_>) -> Option<usize> {
    // Whose turn it is, and what marks within it open.
    let (mut speaks, mut answer, mut open, mut turn, mut called) = (None, None, None, false, false);
    for (n, piece) in pieces.iter().enumerate() {
        if !matches!(piece.rule, Rule::LeakedMark | Rule::Prose) {
            turn = false;
            continue;
        }
        let words = said(text, piece);
        if piece.rule == Rule::LeakedMark {
            let mark = mark_name(words);
            match kind(&mark, ctx) {
                Some(kind) if ends(words, &mark) => open = open.filter(|&(other, _)| other != kind),
                Some(kind) => open = Some((kind, piece.start)),
                None if mark == "end"
                    || mark == "assistant"
                    || mark == "model"
                    || ends(words, &mark) && mark == "channel" =>
                {
                    (speaks, answer, open) = (None, None, None);
                }
                None => {}
            }
            turn = TURNS.iter().any(|part| mark.contains(part));
            continue;
        }
        let speaker = words.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("").to_lowercase();
        // The marks of Harmony may be lost: `analysisWe need …`.
        let thinks = words.strip_prefix("assistant").unwrap_or(words).strip_prefix("analysis");
        if turn && !speaker.is_empty() {
            // A call may stand on any channel.
            let other = SPEAKERS.contains(&speaker.as_str()) && !(called && speaker == "analysis");
            speaks = other.then_some(piece.start);
            answer = answer.filter(|_| !matches!(speaker.as_str(), "assistant" | "model"));
        } else if pieces[..n].iter().all(|before| before.rule == Rule::ReasoningBlock)
            && (thinks.is_some_and(|rest| !rest.starts_with(' ') || rest.trim_start().starts_with(':'))
                || words.starts_with("thought\n"))
            || words.ends_with("Observation:")
        {
            speaks = Some(piece.start);
        }
        // What a tool answers goes to the assistant.
        if let Some((_, to)) = words.rsplit_once("to=") {
            answer = to.starts_with("assistant").then_some(piece.start);
            called = answer.is_none();
            speaks = speaks.filter(|_| !called);
        }
        turn = false;
    }
    speaks.or(answer).or(open.map(|(_, at)| at))
}

/// What stands in a mark's brackets, in lower case; of a tag with a value only the name: behind an equals sign stands a
/// tool's.
fn mark_name(mark: &str) -> String {
    let name = mark.trim().trim_matches(['<', '>', '[', ']', '|', '｜', '/', '✿']);
    name.split('=').next().unwrap_or(name).to_lowercase()
}

/// The kind of what is no call that this mark belongs to, if to any.
fn kind(mark: &str, ctx: &Context<'_>) -> Option<&'static str> {
    if ctx.evidence.tool_name().is_some_and(|tool| tool.eq_ignore_ascii_case(mark)) {
        return None;
    }
    let part = |parts: &'static [&'static str]| parts.iter().copied().find(|part| mark.contains(part));
    let answers = part(ANSWERS).filter(|_| mark.contains("tool") || mark.contains("function"));
    let word = || {
        OTHERS
            .iter()
            .copied()
            .find(|other| mark.split(|c: char| !c.is_alphanumeric()).any(|word| word == *other))
    };
    part(THOUGHTS).or(answers).or_else(word)
}

/// Whether the mark ends something: `</think>`, `<|END_THINKING|>`, `<channel|>`.
fn ends(mark: &str, name: &str) -> bool {
    let inner = mark.trim().trim_start_matches(['<', '[']);
    inner.trim_start_matches(['|', '｜']).starts_with('/')
        || name.split(|c: char| !c.is_alphanumeric()).any(|word| word == "end")
        || mark.trim().ends_with("|>") && !inner.starts_with('|')
}

/// Whether this mark ends what is no call, so that what stands before it was none.
pub(super) fn ends_other(mark: &str, ctx: &Context<'_>) -> bool {
    let name = mark_name(mark);
    ends(mark, &name) && (kind(&name, ctx).is_some() || name == "channel")
}

/// Whether this mark begins a call.
pub(super) fn begins_call(mark: &str, ctx: &Context<'_>) -> bool {
    let name = mark_name(mark);
    let call = ["call", "function", "invoke"].iter().any(|part| name.contains(part));
    call && name != "call" && !ends(mark, &name) && kind(&name, ctx).is_none()
}

/// Whether a mark begins here that names an argument, or that one's value stands behind: `<parameter=x>`,
/// `<param name="x">`, `<longcat_arg_key>`.
pub(super) fn names_argument(words: &str) -> bool {
    let Some(inner) = words.trim_start().strip_prefix(['<', '‹']) else { return false };
    let ends = |&(n, c): &(usize, char)| n >= MAX_MARK || matches!(c, '>' | '›' | ' ' | '=' | '\n');
    let inner = &inner[..inner.char_indices().find(ends).map_or(inner.len(), |(end, _)| end)];
    let name = inner.rsplit([':', '|', '｜']).find(|part| !part.is_empty()).unwrap_or("");
    !inner.trim_start_matches(['|', '｜']).starts_with('/')
        && ARGUMENTS
            .iter()
            .any(|form| name.strip_suffix(form).is_some_and(|rest| rest.is_empty() || rest.ends_with('_')))
}

/// Whether this mark is called as a declared property that the object does not give: `<filter>`.
pub(super) fn is_declared(mark: &str, object: &str, ctx: &Context<'_>) -> bool {
    let name = mark.trim().trim_start_matches('<').trim_end_matches('>');
    let value = name.split_once('=').map_or(name, |(_, value)| value);
    ctx.has_schema()
        && ctx.judge.declares(value)
        && ctx.evidence.tool_name() != Some(value)
        && !gives(object, value)
}

/// Whether an object gives this key, as far as its text shows.
pub(super) fn gives(object: &str, key: &str) -> bool {
    object.match_indices(key).any(|(at, _)| {
        let quoted = object[..at].ends_with(['"', '\'', '`', '“']);
        quoted && object[at + key.len()..].starts_with(['"', '\'', '`', '”'])
    })
}

/// Whether a name before the object stands for all arguments together.
pub(super) fn wraps(name: &str, ctx: &Context<'_>) -> bool {
    ctx.evidence.tool_name() == Some(name) || WRAPPERS.iter().any(|n| n.eq_ignore_ascii_case(name))
}

/// Whether the object is only a part of what the words before it say: one argument of a call, `t(filter=`, a member,
/// `args["filter"] =`, what is added to something, `x +=`, or what is called or given under a condition, `if (x) t(`.
pub(super) fn takes_part(words: &str, ctx: &Context<'_>) -> bool {
    const CONDITIONS: &[&str] = &["if ", "for ", "while ", "def ", "unless ", "with ", "# ", "// "];
    const OPERATORS: &[&str] = &["(**", ", **", " or", " and", "??", "||", "&&", " else"];
    let line = words.lines().next_back().unwrap_or("").trim();
    let code = line.ends_with(['(', '=']);
    let conditional = |line: &str| CONDITIONS.iter().any(|sign| line.trim_start().starts_with(sign));
    let block = words.lines().any(|line| conditional(line) && line.trim_end().ends_with([':', '{']));
    if code && (conditional(line) || block || ["&&", "||", "??"].iter().any(|sign| line.contains(sign)))
        || OPERATORS.iter().any(|sign| line.ends_with(sign))
    {
        return true;
    }
    if line.ends_with('(') {
        return line.contains(')');
    }
    let opened = words.matches('(').count() > words.matches(')').count();
    let named = opened.then(|| line.strip_suffix("=>").or_else(|| line.strip_suffix(':'))).flatten();
    let Some(target) = named.or_else(|| line.strip_suffix('=')) else { return false };
    if target.ends_with(['+', '-', '|', '&', '=', '!', '<', '>']) {
        return true;
    }
    let target = target.trim_end();
    let name = target.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$'));
    let (before, name) = (name.trim_end(), &target[name.len()..]);
    before.ends_with(']') && name.is_empty()
        || (before.ends_with('.') || opened) && !name.is_empty() && !wraps(name, ctx)
}

/// Whether these words are a command, a script or a patch: the object in them is a part of it.
pub(super) fn is_code(words: &str) -> bool {
    let flag = |word: &str| word.starts_with('-') && word.ends_with(|c: char| c.is_ascii_alphabetic());
    words.contains("<<")
        || words.split_whitespace().next_back().is_some_and(flag)
        || words.lines().any(|line| {
            ["*** Begin Patch", "@@ ", "+++ ", "--- a/"].iter().any(|sign| line.starts_with(sign))
        })
}

/// Whether the words behind a statement that holds the object go on with it: another call, `u()`, or what is done to the
/// value, `| more`, `x["n"] = 5`. `before` are those before the object.
pub(super) fn goes_on(before: &str, words: &str, same_line: bool, ctx: &Context<'_>) -> bool {
    let comment = ["#", "//", "/*"].iter().any(|sign| words.starts_with(sign));
    if same_line && !comment {
        return true;
    }
    if before.ends_with('(') {
        return words.lines().any(|line| calls(line, ctx));
    }
    let target = before.trim_end_matches([':', '=']).trim_end();
    let begin = target.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$')).len();
    let name = &target[begin..];
    let whole = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if name.is_empty() {
        return false;
    }
    words.lines().any(|line| line.contains(name) && calls(line, ctx))
        || words.match_indices(name).any(|(at, _)| {
            let (head, rest) = (&words[..at], &words[at + name.len()..]);
            whole(head.chars().next_back())
                && whole(rest.chars().next())
                && (rest.trim_start().starts_with(['[', '.', '=', '+', '|', '-']) || head.ends_with("del "))
        })
}

/// Whether this line of code calls something else than what shows a value.
fn calls(line: &str, ctx: &Context<'_>) -> bool {
    const SHOWS: &[&str] = &["print", "len", "str", "repr", "log", "assert"];
    let mut code = line.trim_start();
    while let Some(rest) =
        ["await ", "return ", "const ", "let ", "var "].iter().find_map(|word| code.strip_prefix(word))
    {
        code = rest.trim_start();
    }
    let assigned = |(name, _): &(&str, &str)| identifier_end(name, 0) == Some(name.trim_end().len());
    if let Some((_, value)) = code.split_once('=').filter(assigned) {
        let value = value.trim_start();
        code = value.strip_prefix("await ").unwrap_or(value);
    }
    let end =
        code.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))).unwrap_or(code.len());
    let name = code[..end].rsplit('.').next().unwrap_or("");
    code[end..].starts_with('(')
        && !name.is_empty()
        && !SHOWS.contains(&name)
        && ctx.evidence.tool_name() != Some(name)
}

/// The name of a tool that stands before the object, where the called one's would stand, and is another.
pub(crate) fn other_tool<'t>(
    text: &'t str,
    start: usize,
    pieces: &[Edit],
    ctx: &Context<'_>,
) -> Option<&'t str> {
    // Without a name to compare with there is no other one.
    ctx.evidence.tool_name()?;
    let before = &text[..start];
    let called = CALLING.iter().flat_map(|sign| {
        before.match_indices(sign).filter_map(move |(at, _)| {
            let apart = sign.starts_with('<') || !before[..at].ends_with(of_name);
            apart.then(|| name_at(&before[at + sign.len()..]))
        })
    });
    // What stands behind such a sign is a tool's name, whatever it is.
    if let Some(name) = called
        .chain(labelled(before))
        .find(|name| is_other(name, ctx) && !matches!(*name, "assistant" | "functions"))
    {
        return Some(name);
    }
    let passed = pieces.iter().filter(|piece| piece.rule != Rule::LeakedMark).filter_map(|piece| {
        let words = text[piece.start..piece.end].trim();
        let line = words.lines().next_back().unwrap_or("");
        match line
            .rsplit_once('(')
            .filter(|(_, behind)| behind.is_empty() || behind.trim_end().ends_with(['=', ':']))
        {
            Some((before, _)) => before.trim_end().rsplit(|c| !of_name(c)).next(),
            None => alone(words.trim_end_matches([':', '.']).trim_start_matches(['#', ' '])),
        }
    });
    let no_tool = |name: &str| NO_TOOLS.iter().any(|no| no.eq_ignore_ascii_case(name));
    let passed = passed.into_iter().find(|name| is_other(name, ctx) && !no_tool(name));
    passed.or_else(|| {
        before.split(|c| !of_name(c)).find(|name| is_identifier(name, ctx) && is_other(name, ctx))
    })
}

/// Whether this word is written as only names are, and is neither one of a format nor of an argument: `delete_all`.
fn is_identifier(word: &str, ctx: &Context<'_>) -> bool {
    const OF_FORMATS: &[&str] = &[
        "tool",
        "call",
        "func",
        "arg",
        "param",
        "invoke",
        "action",
        "input",
        "output",
        "start",
        "begin",
        "end",
        "turn",
        "role",
        "name",
        "message",
        "content",
        "text",
        "json",
        "think",
        "thought",
        "server",
        "python",
        "tag",
        "api",
        "default",
        "sep",
        "kwargs",
        "user",
        "id",
        "result",
        "response",
        "commentary",
        "section",
        "object",
        "return",
        "query",
        "data",
    ];
    let b = word.as_bytes();
    let joined = |at: usize| {
        at > 0 && b[at - 1].is_ascii_lowercase() && b.get(at + 1).is_some_and(u8::is_ascii_lowercase)
    };
    let of_format = |part: &str| OF_FORMATS.iter().any(|of| part.starts_with(of));
    memchr::memchr_iter(b'_', b).any(joined)
        && !word.to_lowercase().split('_').any(of_format)
        && !ctx.judge.declares(word)
}

/// Whether a line of these words names another tool: `Action: u`.
pub(super) fn labels_other(words: &str, ctx: &Context<'_>) -> bool {
    labelled(words).any(|name| is_other(name, ctx))
}

/// The names that stand behind a label on a line of their own.
fn labelled(words: &str) -> impl Iterator<Item = &str> {
    words.lines().filter_map(|line| {
        let (label, name) = line.split_once([':', '=', '：'])?;
        let label = label.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        LABELS
            .contains(&label.as_str())
            .then(|| alone(name.trim_matches(['*', ' ', '[', ']', '(', ')'])))
            .flatten()
    })
}

/// Whether this is the name of another tool than the called one. A name may stand with that of its place or without it:
/// `api.search`, `default_api:search`.
fn is_other(name: &str, ctx: &Context<'_>) -> bool {
    let Some(tool) = ctx.evidence.tool_name() else { return false };
    let last = |name: &str| name.rfind(['.', ':', '/']).map_or(0, |at| at + 1);
    let same = name == tool || &name[last(name)..] == tool || name == &tool[last(tool)..];
    // No server takes a name without a letter of ASCII.
    !same && name.is_ascii() && name.contains(|c: char| c.is_ascii_alphabetic())
}

fn of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// The name at the beginning of these words, in quotes or without; a number may follow it: `u:0`.
fn name_at(words: &str) -> &str {
    let words = words.trim_start_matches(['"', '\'']);
    let words = words.strip_prefix("functions.").unwrap_or(words);
    let name = &words[..words.find(|c| !(of_name(c) || matches!(c, ':' | '/'))).unwrap_or(words.len())];
    without_number(name).trim_end_matches([':', '.', '/'])
}

fn without_number(name: &str) -> &str {
    match name.rsplit_once(':') {
        Some((before, number)) if number.bytes().all(|c| c.is_ascii_digit()) => before,
        _ => name,
    }
}

/// The name, where these words are one and nothing else.
fn alone(words: &str) -> Option<&str> {
    let words = words.trim().trim_matches(['"', '\'', '`', ',', ';']);
    let name = without_number(words);
    (!name.is_empty() && name.chars().all(of_name)).then_some(name)
}
