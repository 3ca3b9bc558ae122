//! Tools as agents have them, and calls of them that their schemas admit.
//!
//! The calls hold no number with a fraction: what a `Value` costs then hangs on serde_json's features.

use std::fmt::Write;

use crate::body::{code, quoted};
use crate::random::Random;

/// One tool.
pub struct Tool {
    /// What most of its calls consists of.
    pub kind: &'static str,
    /// The name of its files under `tools/`, without extension.
    pub file: &'static str,
    /// Its description, as Anthropic has them.
    pub json: &'static str,
    /// The arguments of one call, of about so many bytes; another seed gives another call.
    pub call: fn(size: usize, seed: u64) -> String,
}

/// One whose calls are many small values, and one whose calls are a long text.
pub const ALL: [Tool; 2] = [
    Tool { kind: "small values", file: "plan", json: include_str!("../tools/plan.json"), call: plan },
    Tool { kind: "long text", file: "write", json: include_str!("../tools/write.json"), call: write },
];

const WORDS: &[&str] = &[
    "check",
    "the",
    "build",
    "of",
    "parser",
    "and",
    "write",
    "down",
    "what",
    "broke",
    "in",
    "release",
    "notes",
    "before",
    "Größe",
    "is",
    "measured",
    "again",
    "`cargo test`",
    "with",
    "\"strict\"",
    "on",
    "every",
    "C:\\tmp",
    "module",
    "that",
    "reads",
    "a",
    "schema",
    "寸法",
    "then",
    "remove",
    "it",
];
const FILES: &[&str] =
    &["src/lib.rs", "src/read/mod.rs", "README.md", "tests/it/main.rs", "docs/Überblick.md"];
const PEOPLE: &[&str] = &["null", "\"ana\"", "\"Jörg\"", "\"reviewer-2\""];
const STATUS: &[&str] = &["open", "running", "done", "blocked"];
const TAGS: &[&str] = &["ci", "docs", "bug", "speed", "api", "later"];

fn plan(size: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut out =
        format!(r#"{{"title": {}, "draft": {}, "steps": ["#, words(4, &mut random), truth(&mut random));
    // The last step ends about where the body does, be it half a step earlier or later.
    let mut last = 0;
    let mut separator = "";
    while out.len() + last / 2 < size {
        let begin = out.len();
        out.push_str(separator);
        step(&mut out, &mut random);
        last = out.len() - begin;
        separator = ", ";
    }
    out + "]}"
}

fn step(out: &mut String, random: &mut Random) {
    let count = 4 + random.below(10);
    let tags: Vec<String> = (0..random.below(4)).map(|_| quoted(random.pick(TAGS))).collect();
    write!(
        out,
        r#"{{"task": {}, "status": "{}", "minutes": {}, "assignee": {}, "place": {{"file": {}, "line": {}}}, "tags": [{}]}}"#,
        words(count, random),
        random.pick(STATUS),
        random.below(240),
        random.pick(PEOPLE),
        quoted(random.pick(FILES)),
        1 + random.below(3000),
        tags.join(", "),
    )
    .expect("writing to a string does not fail");
}

fn write(size: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let path = quoted(random.pick(FILES));
    let mode = if random.below(4) == 0 { "append" } else { "replace" };
    let executable = truth(&mut random);
    let around = 64 + path.len();
    // Escapes make it longer, by about a tenth.
    let content = quoted(&code(size.saturating_sub(around) * 10 / 11, &mut random));
    format!(r#"{{"path": {path}, "content": {content}, "mode": "{mode}", "executable": {executable}}}"#)
}

fn words(count: usize, random: &mut Random) -> String {
    let words: Vec<&str> = (0..count).map(|_| random.pick(WORDS)).collect();
    quoted(&words.join(" "))
}

fn truth(random: &mut Random) -> &'static str {
    random.pick(&["true", "false"])
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn calls_are_of_their_size() {
        for tool in ALL {
            for (size, seed) in [(2_000, 1), (2_000, 2), (20_000, 1), (20_000, 2)] {
                let call = (tool.call)(size, seed);
                assert!(call.len().abs_diff(size) * 10 < size, "{}: {} for {size}", tool.kind, call.len());
                assert_ne!(call, (tool.call)(size, seed + 1));
            }
        }
    }

    #[test]
    fn numbers_have_no_fraction() {
        fn whole(value: &serde_json::Value) -> bool {
            match value {
                serde_json::Value::Number(number) => !number.is_f64(),
                serde_json::Value::Array(items) => items.iter().all(whole),
                serde_json::Value::Object(members) => members.values().all(whole),
                _ => true,
            }
        }
        for tool in ALL {
            assert!(whole(&serde_json::from_str((&(tool.call)(2_000, 1)) as &str).unwrap()));
        }
    }
}
