//! The example of every rule that acts on text alone, in bodies of any size.

use toolmend_core::Rule;

use crate::body::{body, members, quoted};

/// Where the fault stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The fault, and then a long valid rest; or the fault around a long valid body.
    First,
    /// The fault between two long valid halves.
    Middle,
    /// A long valid text, and then the fault.
    Last,
    /// The fault again and again, some 200 valid bytes between.
    Many,
    /// One fault that is itself long.
    Long,
}

impl Place {
    pub const ALL: [Place; 5] = [Place::First, Place::Middle, Place::Last, Place::Many, Place::Long];

    pub const fn name(self) -> &'static str {
        match self {
            Place::First => "first or around",
            Place::Middle => "in the middle",
            Place::Last => "last",
            Place::Many => "many",
            Place::Long => "long",
        }
    }
}

/// The rules that need no schema.
pub fn rules() -> impl Iterator<Item = Rule> {
    Rule::ALL.iter().copied().filter(|rule| rule.spec().example.schema.is_empty())
}

/// A body of about `size` bytes with the rule's fault, another one for another seed; `None` where the fault has no such form.
pub fn faulty(rule: Rule, place: Place, size: usize, seed: u64) -> Option<String> {
    let example = &rule.spec().example;
    if place == Place::Long {
        return long(rule, size);
    }
    if example.before.contains(example.after) {
        return (place == Place::First).then(|| {
            let copies = example.before.matches(example.after).count();
            example.before.replace(example.after, &body(size / copies, seed))
        });
    }
    match rule {
        Rule::DoubleEncoded => (place == Place::First).then(|| quoted(&body(size * 9 / 10, seed))),
        Rule::OverEscaped => (place == Place::First).then(|| {
            let quoted = quoted(&body(size * 9 / 10, seed));
            quoted[1..quoted.len() - 1].into()
        }),
        Rule::HtmlEntities => (place == Place::First).then(|| {
            body(size * 8 / 10, seed).replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
        }),
        Rule::MissingOpener => (place == Place::First).then(|| body(size, seed)[1..].into()),
        Rule::MissingCloser if place == Place::Last => {
            let body = body(size, seed);
            Some(body[..body.len() - 1].into())
        }
        Rule::MissingCloser => Some(among_members(r#""a": [{"b": 1]"#, place, size, seed)),
        Rule::ExtraCloser => Some(among_members(r#""a": [1]]"#, place, size, seed)),
        Rule::WrongCloser => Some(among_members(r#""a": [1, 2}"#, place, size, seed)),
        _ => Some(among_items(example.before, place, size, seed)),
    }
}

/// Valid bytes between two faults of many.
const BETWEEN: usize = 200;

/// The fault as an item of a list of objects.
fn among_items(fault: &str, place: Place, size: usize, seed: u64) -> String {
    let between = |n: u64| format!("{{{}}}", members(BETWEEN, seed + n));
    let items = match place {
        Place::First => format!("{fault}, {}", body(size, seed)),
        Place::Middle => format!("{}, {fault}, {}", body(size / 2, seed), body(size / 2, seed + 1)),
        Place::Last => format!("{}, {fault}", body(size, seed)),
        Place::Many | Place::Long => many(size, |n| format!("{fault}, {}", between(n))),
    };
    format!("{{\"items\": [{items}]}}")
}

/// The fault as a member of the body.
fn among_members(fault: &str, place: Place, size: usize, seed: u64) -> String {
    let inside = match place {
        Place::First => format!("{fault}, {}", members(size, seed)),
        Place::Middle => format!("{}, {fault}, {}", members(size / 2, seed), members(size / 2, seed + 1)),
        Place::Last => format!("{}, {fault}", members(size, seed)),
        Place::Many | Place::Long => many(size, |n| format!("{fault}, {}", members(BETWEEN, seed + n))),
    };
    format!("{{{inside}}}")
}

fn many(size: usize, part: impl Fn(u64) -> String) -> String {
    let mut all = part(0);
    let mut n = 1;
    while all.len() < size {
        all += ", ";
        all += &part(n);
        n += 1;
    }
    all
}

fn long(rule: Rule, size: usize) -> Option<String> {
    let (_, head, unit, tail) = LONG.iter().find(|(of, ..)| *of == rule)?;
    Some(format!("{head}{}{tail}", unit.repeat(size / unit.len())))
}

/// Faults that can be long themselves: what stands before, what is repeated, what stands behind.
const LONG: &[(Rule, &str, &str, &str)] = &[
    (Rule::Prose, "", "Let me think about what to do here. ", "\n{\"city\": \"Lyon\"}"),
    (Rule::LeakedMark, "", "<tool_call>\n", "{\"city\": \"Lyon\"}"),
    (Rule::ReasoningBlock, "<think>", "Maybe {\"city\": 1}? No. ", "</think>\n{\"city\": \"Lyon\"}"),
    (Rule::InvisibleSpace, "{\"a\":", "\u{a0}", "1}"),
    (Rule::DoubledBody, "", "{\"city\": \"Lyon\"}", ""),
    (Rule::DoubledComma, "{\"a\": 1", ",", " \"b\": 2}"),
    (Rule::LeadingComma, "{", ",", " \"b\": 2}"),
    (Rule::MissingComma, "{\"a\": [1", " 2", "]}"),
    (Rule::ExtraCloser, "{\"a\": 1", "}", ""),
    (Rule::DoubledOpener, "", "{", "\"a\": 1}"),
    (Rule::MissingCloser, "{\"a\": {\"b\": 1", ", \"c\": 2", "}"),
    (Rule::Comment, "{\"a\": 1, /*", " some * words / more ", "*/ \"b\": 2}"),
    (Rule::LiteralNewline, "{\"a\": 1,", "\\n", "\"b\": 2}"),
    (Rule::TripleQuotes, "{\"code\": \"\"\"", "x = \"1\"\ny ", "\"\"\", \"n\": 1}"),
    (Rule::SingleQuotes, "{'a': '", "don\\'t say \"hi\" ", "'}"),
    (Rule::SmartQuotes, "{“path”: “", "/srv/a is \"it\" ", "”}"),
    (Rule::BacktickString, "{\"s\": `", "say \"hi\" ", "`}"),
    (Rule::Concatenation, "{\"a\": \"x\"", " + \"y\"", "}"),
    (Rule::RawControl, "{\"code\": \"", "a line of code\n\tand more ", "\"}"),
    (Rule::EscapedApostrophe, "{\"msg\": \"", "it\\'s fine ", "\"}"),
    (Rule::BareBackslash, "{\"re\": \"", "^\\d+\\.\\w*$ ", "\"}"),
    (Rule::BareKey, "{", "abc", ": 1}"),
    (Rule::KeyNoOpenQuote, "{\"a\": 1, ", "abc", "\": 1}"),
    (Rule::ValueNoOpenQuote, "{\"city\": ", "Paris", "\", \"n\": 1}"),
    (Rule::LeadingZero, "{\"n\": ", "0", "7}"),
    (Rule::HexNumber, "{\"n\": 0x", "1F", "}"),
    (Rule::DigitSeparator, "{\"n\": 1", "_000", "}"),
    (Rule::InnerQuotes, "{\"sql\": \"", "select \"id\" from t ", "\", \"n\": 1}"),
    (Rule::BareApostrophe, "{'msg': '", "it's fine ", "', 'n': 1}"),
];

#[cfg(test)]
mod tests {
    use super::{Place, faulty, rules};

    #[test]
    fn every_rule_has_a_fault_of_every_size() {
        for rule in rules() {
            for size in [2_000, 20_000] {
                let made: Vec<String> =
                    Place::ALL.iter().filter_map(|&place| faulty(rule, place, size, 1)).collect();
                assert!(!made.is_empty(), "{rule}");
                for text in made {
                    assert!(text.len().abs_diff(size) * 3 < size, "{rule}: {} bytes for {size}", text.len());
                }
            }
        }
    }
}
