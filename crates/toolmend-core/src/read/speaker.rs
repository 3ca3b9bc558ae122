//! Whose words stand around the object.
//!
//! What a model thinks, what a tool answered and what a user said is no call. A call of another tool is not this one. And
//! an object that stands where one argument's value stands is not all of them.

use super::lexeme::identifier_end;
use crate::context::Context;
use crate::{Edit, Rule};

/// Parts of a mark behind which stands what is no call, until another one ends it.
const THOUGHTS: &[&str] = &[
    "think",
    "thought",
    "reasoning",
    "reflection",
    "scratchpad",
    "observation",
    "ipython",
    "available_tools",
];
/// The same, where they are words of the mark.
const OTHERS: &[&str] = &["plan", "draft", "example", "wrong", "user", "system"];
/// Parts of a mark that a turn, or a part of one, begins with; its speaker's name follows.
const TURNS: &[&str] = &["start", "channel", "turn"];
/// Speakers of what is no call.
const SPEAKERS: &[&str] = &["user", "system", "tool", "ipython", "analysis", "thought", "observation"];
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
    "arguments",
    "assistant",
    "call",
    "code",
    "commentary",
    "final",
    "function",
    "functions",
    "here",
    "input",
    "javascript",
    "json",
    "jsonc",
    "json5",
    "js",
    "kwargs",
    "ok",
    "okay",
    "output",
    "parameters",
    "params",
    "python",
    "result",
    "return",
    "sure",
    "text",
    "tool",
    "tool_call",
    "tool_code",
    "tool_input",
    "xml",
];
/// What stands before the name of the tool that is called.
const CALLING: &[&str] = &["functions.", "functions[", "to=", "call:", "<function=", "name="];
/// Labels of a line that names it.
const LABELS: &[&str] = &["action", "function", "name", "recipient", "tool", "tool name", "tool_name"];

/// Where what is no call begins, if the object stands in it. `pieces` are those before the object.
pub(super) fn no_call(text: &str, pieces: &[Edit]) -> Option<usize> {
    let (mut other, mut answer, mut turn) = (None, None, false);
    for piece in pieces {
        let words = text[piece.start..piece.end].trim();
        if piece.rule == Rule::LeakedMark {
            // Behind an equals sign stands a tool's name.
            let mark = words.split('=').next().unwrap_or(words).to_lowercase();
            match (is_other(&mark), ends(&mark)) {
                (true, true) => other = None,
                (true, false) => other = Some(piece.start),
                (false, _) => {}
            }
            turn = TURNS.iter().any(|part| mark.contains(part));
            continue;
        }
        let speaker = words.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        // The marks of Harmony may be lost: `analysisWe need …`.
        let bare = piece.start == 0
            && words.strip_prefix("analysis").is_some_and(|rest| rest.starts_with(char::is_uppercase))
            && !words.contains("commentary");
        if turn && !speaker.is_empty() {
            other = SPEAKERS.contains(&speaker).then_some(piece.start);
            answer = answer.filter(|_| !matches!(speaker, "assistant" | "model"));
        } else if bare {
            other = Some(piece.start);
        }
        // What a tool answers goes to the assistant.
        if words.contains("to=assistant") {
            answer = Some(piece.start);
        }
        turn = false;
    }
    other.or(answer)
}

/// Whether this mark, in lower case, belongs to what is no call.
fn is_other(mark: &str) -> bool {
    let answers = ["response", "result", "output"].iter().any(|part| mark.contains(part));
    THOUGHTS.iter().any(|part| mark.contains(part))
        || answers && (mark.contains("tool") || mark.contains("function"))
        || mark.split(|c: char| !c.is_alphanumeric()).any(|word| OTHERS.contains(&word))
}

/// Whether it ends something: `</think>`, `<|END_THINKING|>`.
fn ends(mark: &str) -> bool {
    mark.get(1..).is_some_and(|name| name.starts_with('/')) || mark.contains("end")
}

/// Whether this mark begins a call.
pub(super) fn begins_call(mark: &str) -> bool {
    let mark = mark.to_lowercase();
    let call = ["call", "function", "invoke"].iter().any(|part| mark.contains(part));
    call && !ends(&mark) && !is_other(&mark)
}

/// Whether this mark names an argument: the object is its value.
pub(super) fn names_argument(mark: &str, ctx: &Context<'_>) -> bool {
    let name = mark.trim().trim_start_matches('<').trim_end_matches('>');
    let value = name.split_once('=').map_or(name, |(_, value)| value);
    ["parameter", "arg_key", "arg_value"].iter().any(|form| name.starts_with(form))
        || ctx.has_schema() && ctx.judge.declares(value) && ctx.evidence.tool_name() != Some(value)
}

/// Whether a name before the object stands for all arguments together.
pub(super) fn wraps(name: &str, ctx: &Context<'_>) -> bool {
    ctx.evidence.tool_name() == Some(name) || WRAPPERS.iter().any(|n| n.eq_ignore_ascii_case(name))
}

/// Whether the object is only a part of what the words before it say: one argument of a call, `t(filter=`, a member,
/// `args["filter"] =`, what is added to something, `x +=`, or what is called under a condition, `if (x) t(`.
pub(super) fn takes_part(words: &str, ctx: &Context<'_>) -> bool {
    let line = words.lines().next_back().unwrap_or("").trim_end();
    if line.ends_with('(') {
        return line.contains(')');
    }
    let Some(target) = line.strip_suffix('=') else { return false };
    if target.ends_with(['+', '-', '|', '&', '=', '!', '<', '>']) {
        return true;
    }
    let target = target.trim_end();
    let name = target.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$'));
    let (before, name) = (name.trim_end(), &target[name.len()..]);
    let passed = before.ends_with(['.', '(']) || before.ends_with(',') && before.contains('(');
    before.ends_with(']') && name.is_empty() || passed && !wraps(name, ctx)
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
pub(super) fn goes_on(before: &str, words: &str, same_line: bool) -> bool {
    let comment = ["#", "//", "/*"].iter().any(|sign| words.starts_with(sign));
    if same_line && !comment {
        return true;
    }
    if before.ends_with('(') {
        return words.lines().any(|line| {
            let line = line.trim_start();
            identifier_end(line, 0).is_some_and(|end| line[end..].starts_with('('))
        });
    }
    let target = before.trim_end_matches([':', '=']).trim_end();
    let begin = target.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$')).len();
    let name = &target[begin..];
    let whole = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !name.is_empty()
        && words.match_indices(name).any(|(at, _)| {
            let (head, rest) = (&words[..at], &words[at + name.len()..]);
            whole(head.chars().next_back())
                && whole(rest.chars().next())
                && (rest.trim_start().starts_with(['[', '.', '=', '+', '|', '-']) || head.ends_with("del "))
        })
}

/// The name of a tool that stands before the object, where the called one's would stand, and is another.
pub(crate) fn other_tool<'t>(
    text: &'t str,
    start: usize,
    pieces: &[Edit],
    ctx: &Context<'_>,
) -> Option<&'t str> {
    let tool = ctx.evidence.tool_name()?;
    let other = |name: &&str| {
        let last = |name: &str| name.rsplit('.').next().map(str::len);
        let same = *name == tool || name.ends_with(tool) && last(name) == Some(tool.len());
        let same = same || tool.ends_with(*name) && last(tool) == Some(name.len());
        !name.is_empty() && !same && !NO_TOOLS.iter().any(|no| no.eq_ignore_ascii_case(name))
    };
    let before = &text[..start];
    let called = CALLING.iter().flat_map(|sign| {
        before.match_indices(sign).filter_map(move |(at, _)| {
            let apart = sign.starts_with('<') || !before[..at].ends_with(|c: char| c.is_alphanumeric());
            apart.then(|| name_at(&before[at + sign.len()..]))
        })
    });
    let labelled = before.lines().filter_map(|line| {
        let (label, name) = line.split_once([':', '=', '：'])?;
        let label = label.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        LABELS.contains(&label.as_str()).then(|| alone(name)).flatten()
    });
    let passed = pieces.iter().filter(|piece| piece.rule != Rule::LeakedMark).filter_map(|piece| {
        let words = text[piece.start..piece.end].trim();
        match words.strip_suffix('(') {
            Some(before) => before.trim_end().rsplit(|c| !of_name(c)).next(),
            None => alone(words.strip_suffix(':').unwrap_or(words)),
        }
    });
    called.chain(labelled).chain(passed).find(other)
}

fn of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// The name at the beginning of these words, in quotes or without.
fn name_at(words: &str) -> &str {
    let words = words.trim_start_matches(['"', '\'']);
    let words = words.strip_prefix("functions.").unwrap_or(words);
    &words[..words.find(|c| !of_name(c)).unwrap_or(words.len())]
}

/// The name, where these words are one and nothing else; a number may follow it: `u:0`.
fn alone(words: &str) -> Option<&str> {
    let words = words.trim().trim_matches(['"', '\'', '`', '*', ',', ';']);
    let name = match words.split_once(':') {
        Some((name, number)) if number.bytes().all(|c| c.is_ascii_digit()) => name,
        _ => words,
    };
    (!name.is_empty() && name.chars().all(of_name)).then_some(name)
}
