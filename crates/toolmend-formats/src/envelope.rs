//! `{"name": …, "arguments": {…}}` and its kin: one object that says which tool is called, and with what.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toolmend_core::{Admission, Ending, Evidence, Grade, Judge, Reason, Rule, TextCall, Verdict, mend};

use crate::context::Context;
use crate::json;

/// Key of the name, key of the arguments.
const PAIRS: &[(&str, &str)] = &[
    ("name", "arguments"),
    ("name", "parameters"),
    ("name", "args"),
    ("name", "input"),
    ("tool_name", "parameters"),
    ("tool_name", "arguments"),
    ("tool_name", "tool_input"),
    ("tool", "arguments"),
    ("tool", "args"),
    ("tool", "parameters"),
    ("tool", "input"),
    ("function", "arguments"),
    ("function", "parameters"),
    ("function_name", "arguments"),
    ("action", "action_input"),
];

/// Keys that may stand beside them and say nothing about the call.
const BESIDE: &[&str] = &["id", "type", "index", "call_id", "tool_call_id"];

/// A call as its format says it: a name, and the text of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) id: Option<String>,
    /// What was mended on the way here.
    pub(crate) rules: Vec<Rule>,
    pub(crate) grade: Option<Grade>,
    /// Whether the text must use only parameters that the tool declares.
    pub(crate) strict: bool,
}

impl Said {
    /// A call that stood as its format writes it.
    pub(crate) fn plain(name: impl Into<String>, arguments: impl Into<String>) -> Said {
        let (name, arguments) = (name.into(), arguments.into());
        Said { name, arguments, id: None, rules: Vec::new(), grade: None, strict: false }
    }

    /// The call, where its tool was offered and its arguments are valid, or are so after a certain mend.
    ///
    /// `ending` is how the arguments ended; `source` is left to whoever knows it.
    pub(crate) fn judged(self, ending: Ending, ctx: &Context<'_>) -> Option<TextCall> {
        let judge = ctx.judge(&self.name)?;
        let evidence = Evidence::new().stated(ending).marks(ctx.marks());
        let Said { name, mut arguments, id, mut rules, mut grade, strict } = self;
        match mend(&arguments, &evidence.tool(&name), judge).under(ctx.policy) {
            Verdict::Intact { .. } => {}
            Verdict::Mended { output, receipt } => {
                if takes_words(&arguments, &receipt.edits(&arguments)) || closes(ending, &receipt) {
                    return None;
                }
                rules.extend(receipt.rules());
                grade = grade.max(Some(receipt.grade));
                arguments = output;
            }
            Verdict::Declined(_) => return None,
        }
        let echo = is_schema(&arguments) && !(judge.declares("type") && judge.declares("properties"));
        if echo || (strict && !judge.declared_only(&arguments)) || has_twins(&arguments) {
            return None;
        }
        Some(TextCall { name, arguments, id, source: String::new(), rules, grade })
    }
}

/// Whether the edits take off words around the value: what is more than punctuation says something, and
/// then the value is not all that the model wrote.
fn takes_words(body: &str, edits: &[toolmend_core::Edit]) -> bool {
    edits.iter().any(|e| {
        matches!(
            e.rule.name(),
            "prose" | "code-statement" | "doubled-body" | "reasoning-block" | "empty-then-body"
        ) && body[e.start..e.end].chars().any(char::is_alphanumeric)
    })
}

/// Whether a call that was cut would be closed: what the text does not end was not called.
fn closes(ending: Ending, receipt: &toolmend_core::Receipt) -> bool {
    let rules = receipt.rules();
    ending == Ending::Cut && [Rule::MissingCloser, Rule::CutLiteral].iter().any(|rule| rules.contains(rule))
}

/// `{"type": "object", "properties": {…}}`: the tool's definition, not arguments.
fn is_schema(arguments: &str) -> bool {
    let Some(members) = json::members(arguments) else { return false };
    let has = |key: &str, value: &str| members.iter().any(|(k, v)| k == key && v.starts_with(value));
    has("type", "\"object\"") && has("properties", "{") || has("$schema", "\"")
}

/// A key that stands twice: readers differ in which one they keep.
fn has_twins(arguments: &str) -> bool {
    let Some(members) = json::members(arguments) else { return true };
    members.iter().enumerate().any(|(n, (key, _))| members[..n].iter().any(|(earlier, _)| earlier == key))
}

/// What an envelope may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// As marks announce it.
    Marked,
    /// As marks announce it, or `{"NAME": {…}}` (Apertus).
    SingleKey,
    /// Without any mark: then only declared parameters count.
    Bare,
}

/// Reads the envelope that `body` is. `ending` is how the body ended.
pub(crate) fn read(body: &str, ending: Ending, shape: Shape, ctx: &Context<'_>) -> Option<TextCall> {
    let evidence = Evidence::new().stated(ending).marks(ctx.marks());
    let (text, rules, grade) = match mend(body, &evidence, &Envelope { ctx }).under(ctx.policy) {
        Verdict::Intact { .. } => (body.to_string(), Vec::new(), None),
        Verdict::Mended { output, receipt } => {
            if takes_words(body, &receipt.edits(body)) || closes(ending, &receipt) {
                return None;
            }
            (output, receipt.rules(), Some(receipt.grade))
        }
        Verdict::Declined(decline) => match decline.reason {
            Reason::SchemaInvalid { .. } if shape == Shape::SingleKey => {
                return single_key(body)?.judged(Ending::Complete, ctx);
            }
            _ => return None,
        },
    };
    let parts = parts(&text)?;
    let strict = shape == Shape::Bare;
    // A name alone is data where no mark says that it is a call.
    if strict && parts.arguments.is_empty() {
        return None;
    }
    let name = ctx.offered(&parts.name)?;
    let mut said = Said { rules, grade, strict, id: parts.id, ..Said::plain(name, parts.arguments) };
    if said.arguments.starts_with('"') {
        // The arguments as a string: what it says is the text of the arguments.
        said.arguments = json::decode(&said.arguments)?;
        said.rules.push(Rule::DoubleEncoded);
        said.grade = said.grade.max(Some(Grade::Packaging));
    }
    said.judged(Ending::Complete, ctx)
}

/// `{"NAME": {…}}`, as Apertus writes a call.
fn single_key(body: &str) -> Option<Said> {
    match &json::members(body)?[..] {
        [(name, arguments)] if arguments.starts_with('{') => Some(Said::plain(name.clone(), *arguments)),
        _ => None,
    }
}

/// What an envelope says.
struct Parts<'t> {
    name: String,
    /// Empty where there are none, or `null`.
    arguments: &'t str,
    id: Option<String>,
    /// Whether the arguments are the last member.
    last: bool,
}

fn parts(object: &str) -> Option<Parts<'_>> {
    let members = json::members(object)?;
    let find = |key: &str| members.iter().find(|(k, _)| k == key).map(|(_, value)| *value);
    if let Some(inner) = find("function").filter(|value| value.starts_with('{')) {
        let beside = members.iter().all(|(k, _)| k == "function" || BESIDE.contains(&k.as_str()));
        let last = members.last().is_some_and(|(k, _)| k == "function");
        return parts(inner).filter(|_| beside).map(|p| Parts { last: last && p.last, id: None, ..p });
    }
    PAIRS.iter().find_map(|&(name, arguments)| {
        let (named, given) = (find(name)?, find(arguments));
        let known = |k: &str| k == name || k == arguments || BESIDE.contains(&k);
        let count = members.iter().filter(|(k, _)| k == name || k == arguments).count();
        let twice = count != 1 + usize::from(given.is_some());
        let given = given.filter(|given| *given != "null").unwrap_or_default();
        let kind =
            find("type").is_none_or(|t| matches!(t, "\"function\"" | "\"tool_use\"" | "\"tool_call\""));
        if !kind
            || twice
            || !members.iter().all(|(k, _)| known(k))
            || !(given.is_empty() || given.starts_with(['{', '"']))
        {
            return None;
        }
        // Mistral's own ids: nine letters and digits. Others are a counter, or copied from an example.
        let id = find("id").and_then(json::decode);
        let id = id.filter(|id| id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric()));
        let last = members.last().is_some_and(|(k, _)| k == arguments);
        Some(Parts { name: json::decode(named)?, arguments: given, id, last })
    })
}

/// Judges envelopes: their own keys, and the arguments by the tool that they name.
struct Envelope<'a, 'c> {
    ctx: &'a Context<'c>,
}

impl Envelope<'_, '_> {
    fn split<'t>(&self, object: &'t str) -> Option<(&dyn Judge, Parts<'t>)> {
        let parts = parts(object)?;
        Some((self.ctx.judge(self.ctx.offered(&parts.name)?)?, parts))
    }
}

impl Judge for Envelope<'_, '_> {
    fn admits(&self, object: &str) -> Admission {
        let invalid = |what: &str| Admission::Invalid { at: String::new(), what: what.to_string() };
        let Some((judge, parts)) = self.split(object) else { return invalid("it names no offered tool") };
        if parts.arguments.is_empty() || parts.arguments.starts_with('"') {
            return Admission::Valid;
        }
        match judge.admits(parts.arguments) {
            // What the schema can settle is settled once the envelope is off.
            Admission::Invalid { .. } if !judge.settle(parts.arguments).is_empty() => Admission::Valid,
            Admission::Invalid { at, what } => Admission::Invalid { at, what },
            _ => Admission::Valid,
        }
    }

    fn declared_only(&self, object: &str) -> bool {
        self.split(object).is_some_and(|(judge, parts)| {
            parts.arguments.is_empty()
                || parts.arguments.starts_with('"')
                || judge.declared_only(parts.arguments)
        })
    }

    fn proves_whole(&self, object: &str, closed: usize) -> bool {
        self.split(object).is_some_and(|(judge, parts)| match closed {
            0 => true,
            1 => parts.arguments.starts_with('{'),
            more => parts.last && judge.proves_whole(parts.arguments, more - 1),
        })
    }

    fn declares(&self, key: &str) -> bool {
        PAIRS.iter().any(|(name, arguments)| key == *name || key == *arguments) || BESIDE.contains(&key)
    }
}
