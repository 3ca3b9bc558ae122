//! What a value can be that is not what the schema wants, and says the same.

use jsonschema::JsonType;
use jsonschema::types::JsonTypeSet;
use serde_json::Value;
use toolmend_core::quote::quoted;
use toolmend_core::{Edit, Rule};

use crate::doc::{Doc, Kind};
use crate::number;
use crate::reach::Reach;
use crate::schema::Compiled;
use crate::string::has_lone_surrogate;

use super::container;
use super::key::in_one_case;

/// One repair of one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Repair {
    /// Another text in its place.
    Replace { put: String, rule: Rule },
    /// Brackets around it.
    Wrap,
    /// Its member goes.
    LeaveOut,
}

/// A value that the schema does not admit, and where it stands.
#[derive(Clone)]
pub(super) struct Site<'a> {
    doc: &'a Doc<'a>,
    at: u32,
    /// What applies to the value.
    reach: Reach<'a>,
    /// What applies to the object whose member it is, and the member's name.
    member_of: Option<(Reach<'a>, String)>,
}

impl<'a> Site<'a> {
    /// The place that a pointer names.
    pub(super) fn find(compiled: &'a Compiled, doc: &'a Doc<'a>, pointer: &str) -> Option<Site<'a>> {
        let path = doc.path(pointer)?;
        let mut reach = Reach::root(compiled);
        let mut member_of = None;
        for pair in path.windows(2) {
            let (outer, inner) = (pair[0], pair[1]);
            let step = if doc.kind(outer) == Kind::Object {
                let name = doc.string(inner - 1).into_owned();
                let step = reach.property(&name);
                member_of = Some((reach, name));
                step
            } else {
                member_of = None;
                reach.element(doc.children(outer).position(|element| element == inner)?)
            };
            reach = step;
        }
        Some(Site { doc, at: *path.last()?, reach, member_of })
    }

    pub(super) fn at(&self) -> u32 {
        self.at
    }

    /// The repairs that would give it one of these types, or another spelling of the same word.
    pub(super) fn repairs(&self, wants: JsonTypeSet) -> Vec<Repair> {
        let mut repairs = Vec::new();
        let wants_number = wants.contains(JsonType::Number) || wants.contains(JsonType::Integer);
        let mut replace = |put: String, rule| repairs.push(Repair::Replace { put, rule });
        let raw = self.doc.raw(self.at);
        match self.doc.kind(self.at) {
            Kind::String => {
                // What is decoded must be all that was said.
                if self.doc.item(self.at).escaped && has_lone_surrogate(raw) {
                    return repairs;
                }
                let text = self.doc.string(self.at);
                // An integer is written as digits: `5.0` and `1e2` are no integers to every client.
                let digits = text.strip_prefix('-').unwrap_or(&text).bytes().all(|c| c.is_ascii_digit());
                let fits = wants.contains(JsonType::Number) || digits;
                if wants_number && fits && number::is_number(&text) {
                    replace(text.to_string(), Rule::NumberString);
                }
                if wants.contains(JsonType::Boolean)
                    && let Some(word) = boolean(&text)
                {
                    replace(word.to_owned(), Rule::BooleanString);
                }
                for (kind, json_type) in [(Kind::Array, JsonType::Array), (Kind::Object, JsonType::Object)] {
                    if wants.contains(json_type)
                        && let Some(inner) = container::inside(&text, kind)
                    {
                        replace(inner, Rule::ContainerString);
                    }
                }
                if let Some(word) = self.allowed_word(&text) {
                    replace(quoted(word), Rule::EnumCase);
                }
            }
            Kind::Number if wants.contains(JsonType::String) => {
                replace(format!("\"{raw}\""), Rule::StringNumber);
            }
            Kind::Null if self.is_optional() && !self.names_nothing() => {
                repairs.push(Repair::LeaveOut);
                // Where a list may hold it, it may be the one item.
                if wants.contains(JsonType::Array) {
                    repairs.push(Repair::Wrap);
                }
            }
            _ => {}
        }
        if wants.contains(JsonType::Array) && self.is_one_item() {
            repairs.push(Repair::Wrap);
        }
        repairs
    }

    /// The only allowed word that differs from this one in case alone, where case says nothing.
    fn allowed_word(&self, text: &str) -> Option<&'a str> {
        if !is_word(text) {
            return None;
        }
        let lower = text.to_lowercase();
        let mut words: Vec<&str> = self
            .reach
            .allowed()
            .filter_map(Value::as_str)
            .filter(|word| word.to_lowercase() == lower)
            .collect();
        words.sort_unstable();
        words.dedup();
        match words[..] {
            [word] if word != text && (in_one_case(text) && in_one_case(word) || is_long(text)) => Some(word),
            _ => None,
        }
    }

    /// Whether a listed word says that there is nothing: then a null may stand for it.
    fn names_nothing(&self) -> bool {
        let says_nothing = |word: &str| ["none", "null"].iter().any(|n| word.eq_ignore_ascii_case(n));
        self.reach.allowed().filter_map(Value::as_str).any(says_nothing)
    }

    /// Whether this is a declared property that nothing requires.
    fn is_optional(&self) -> bool {
        self.member_of.as_ref().is_some_and(|(object, name)| {
            object.names(name) && !object.is_partial() && object.required().all(|required| required != name)
        })
    }

    /// Whether it can be meant as the only item of a list: not if it may be a list already. In an array,
    /// `[1, 2]` for a list of lists may be one list or two.
    fn is_one_item(&self) -> bool {
        let first = |object| {
            self.doc.all_members(object).next().map(|(key, value)| (self.doc.raw(key), self.doc.raw(value)))
        };
        self.member_of.is_some()
            && match self.doc.kind(self.at) {
                Kind::String => !is_list_like(&self.doc.string(self.at)),
                // `{}` and `false` may say that there is no item. One that begins as the body does may be that, begun anew.
                Kind::Object => first(self.at).is_some() && first(self.at) != first(0),
                Kind::Array | Kind::Null | Kind::False | Kind::Key => false,
                Kind::Number | Kind::True => true,
            }
    }
}

/// Whether this is a word, or a letter and a number, and no flag or unit, in which case tells one from another: `-R`,
/// `1M`, `%m`, `mW`.
fn is_word(text: &str) -> bool {
    let mut chars = text.chars();
    let numbered =
        chars.next().is_some_and(char::is_alphabetic) && text.len() > 1 && chars.all(|c| c.is_ascii_digit());
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    // `hh:mm`, `ddd`, `src/a.ts`, `main.c`
    let pattern = text.contains([':', '\\', '%']) || text.contains('.') && !text.contains(' ');
    let repeated = letters().all(|c| Some(c) == letters().next());
    numbered || !pattern && !repeated && letters().count() > 2 && text.starts_with(char::is_alphabetic)
}

/// Whether it holds a word that is too long for a unit or a part of a date: not `YYYY-mm-dd`.
fn is_long(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|word| word.chars().count() > 5)
}

/// The literal that a word stands for, as JSON or Python write it, or in capitals.
fn boolean(text: &str) -> Option<&'static str> {
    match text {
        "true" | "True" | "TRUE" => Some("true"),
        "false" | "False" | "FALSE" => Some("false"),
        _ => None,
    }
}

/// Whether a text may be several items, or a list in some notation, or say that there is none.
fn is_list_like(text: &str) -> bool {
    const SIGNS: &[char] = &[
        ',', ';', '\n', '\r', '\t', '[', ']', '{', '}', '|', '｜', '•', '·', '，', '；', '、', '・', '؛',
        '،', '\u{3000}',
    ];
    const BETWEEN: &[&str] = &[
        " / ", " and ", " or ", " & ", " + ", " #", " und ", " oder ", " y ", " et ", " ou ", " и ", "和",
        "与", "及", " 2. ",
    ];
    const NOTHING: &[&str] = &["", "null", "none", "nil", "n/a", "undefined"];
    // What a list, or its one item, begins with where it is written out.
    const BEGINS: &[&str] = &["<", "- ", "* ", "‣", "(", "\"", "'", "“", "1. "];
    let all = |is: fn(&str) -> bool| text.split_whitespace().all(is);
    // `a.txt b.txt`
    let dotted = |word: &str| {
        let end = word.rsplit_once('.').map_or("", |(_, end)| end);
        (2..=4).contains(&end.len()) && end.bytes().all(|c| c.is_ascii_alphabetic())
    };
    // `server --port 80`, `a -> b`
    let flags = text.split_whitespace().skip(1).any(|word| word.len() > 1 && word.starts_with('-'));
    let alike = text.split_whitespace().nth(1).is_some()
        && (all(number::is_number)
            || all(dotted)
            || all(|word| word.contains('@'))
            || all(|word| word.contains("://")));
    alike
        || flags
        || text.contains(SIGNS)
        || text.contains("\\n")
        || BETWEEN.iter().any(|sign| text.contains(sign))
        || BEGINS.iter().any(|sign| text.trim_start().starts_with(sign))
        || NOTHING.iter().any(|word| text.trim().eq_ignore_ascii_case(word))
}

/// The edit that puts another text in the place of a value.
pub(super) fn replace(doc: &Doc<'_>, at: u32, put: &str, rule: Rule) -> Edit {
    let item = doc.item(at);
    super::put(rule, item.start, item.end, put.to_owned())
}

/// The edits that put brackets around a value.
pub(super) fn wrap(doc: &Doc<'_>, at: u32) -> [Edit; 2] {
    let item = doc.item(at);
    [
        super::put(Rule::SingleItem, item.start, item.start, "[".to_owned()),
        super::put(Rule::SingleItem, item.end, item.end, "]".to_owned()),
    ]
}
