//! Valid bodies as coding agents write them: a path, some numbers, and much code in strings.

use std::fmt::Write;

use crate::random::Random;

/// Lines of the code that a model writes into a string, before JSON escapes them.
const LINES: &[&str] = &[
    "fn parse(input: &str) -> Result<Config, Error> {",
    "    let mut rows = Vec::with_capacity(input.len() / 16);",
    "    for (number, line) in input.lines().enumerate() {",
    "        if line.trim().is_empty() || line.starts_with('#') {",
    "            continue;",
    "        }",
    "        let Some((key, value)) = line.split_once('=') else {",
    "            return Err(Error::new(number, \"expected `key = value`\"));",
    "        };",
    "    }",
    "}",
    "",
    "def load(path: str, *, strict: bool = True) -> dict[str, Any]:",
    "    \"\"\"Reads a file and returns what it says.\"\"\"",
    "    with open(path, encoding=\"utf-8\") as f:",
    "        return json.load(f)",
    "\tif err != nil {",
    "\t\treturn fmt.Errorf(\"open %s: %w\", name, err)",
    "\t}",
    "const rows = items.filter((x) => x.id !== null).map((x) => `${x.id}: ${x.name}`);",
    "// Größe und Maß: 寸法を確認する",
    "grep -rn \"panic!\" src/ | sed -E 's/\\s+/ /g' | sort -u > out.txt",
    "SELECT id, \"name\" FROM users WHERE created_at > '2024-01-01' ORDER BY id;",
    "<div class=\"row\"><a href=\"/docs/start\">Start here</a></div>",
];

const KEYS: &[&str] = &["path", "query", "pattern", "description", "branch", "encoding", "cwd", "language"];

const WORDS: &[&str] = &[
    "src/parser/lexer.rs",
    "the failing test in the second module",
    "C:\\Users\\ana\\notes",
    "^\\d{4}-\\d{2}$",
    "main",
    "utf-8",
    "北京",
    "Does \"yes\" count?",
];

/// A body of about `size` bytes, a valid JSON object in the spacing that models prefer.
///
/// About three quarters of a long one are code in strings; the rest are keys, numbers, short strings
/// and lists. Another seed gives another body.
pub fn body(size: usize, seed: u64) -> String {
    format!("{{{}}}", members(size.saturating_sub(2), seed))
}

/// As many bytes as a processor cannot learn by heart: where one short text is read again and again, it
/// foresees every branch, and no program meets a text like that.
const VARIED: usize = 64 << 10;

/// How many different texts of this size one run goes through.
pub fn variants(size: usize) -> u64 {
    (VARIED / size).max(1) as u64
}

/// Different texts of about `size` bytes.
pub fn varied(size: usize, text: impl Fn(u64) -> String) -> Vec<String> {
    (0..variants(size)).map(|seed| text(seed + 1)).collect()
}

/// Members of an object, without its braces, of about `size` bytes.
pub fn members(size: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut out = String::with_capacity(size + 256);
    let mut number = 0;
    while out.len() + 24 < size {
        if number > 0 {
            out.push_str(", ");
        }
        let room = size - out.len();
        member(&mut out, number, room, &mut random);
        number += 1;
    }
    if out.is_empty() { "\"n\": 1".into() } else { out }
}

fn member(out: &mut String, number: usize, room: usize, random: &mut Random) {
    let key = random.pick(KEYS);
    match random.below(if room < 400 { 6 } else { 9 }) {
        0 => write!(out, "\"line_{number}\": {}", random.below(5000)),
        1 => write!(out, "\"ratio_{number}\": -{}.{}e-3", random.below(90), random.below(1000)),
        2 => write!(out, "\"{key}_{number}\": {}", random.pick(&["true", "false", "null"])),
        3 => write!(
            out,
            "\"ids_{number}\": [{}, {}, {}]",
            random.below(9),
            random.below(99),
            random.below(999)
        ),
        4 => write!(out, "\"opts_{number}\": {{\"limit\": {}, \"deep\": {{}}}}", random.below(100)),
        5 => write!(out, "\"{key}_{number}\": {}", quoted(random.pick(WORDS))),
        _ => {
            let length = (room / 2).min(200 + random.below(6000));
            write!(out, "\"content_{number}\": {}", quoted(&code(length, random)))
        }
    }
    .expect("writing to a string does not fail");
}

/// Lines of code, about `size` bytes of them.
pub fn code(size: usize, random: &mut Random) -> String {
    let mut text = String::with_capacity(size + 100);
    while text.len() < size {
        text.push_str(random.pick(LINES));
        text.push('\n');
    }
    text
}

/// The text as a JSON string.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::body;

    #[test]
    fn bodies_are_valid_and_of_their_size() {
        for (size, seed) in [(200, 1), (200, 7), (2_000, 3), (20_000, 2), (256 << 10, 1), (1 << 20, 1)] {
            let body = body(size, seed);
            assert!(serde_json::from_str::<serde_json::Value>(&body).unwrap().is_object());
            assert!(body.len().abs_diff(size) * 5 < size, "{} bytes for {size}", body.len());
        }
    }
}
