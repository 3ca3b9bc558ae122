//! Whether the work grows with the input and no faster: nanoseconds a byte of long and short texts.

use std::time::{Duration, Instant};

use toolmend_core::{Ending, Evidence, NoJudge, Verdict, mend};

use crate::faults::{Place, faulty, rules};
use crate::measure::{Effort, Job, interleave};
use crate::report::{Cell, Table};

const SHORT: usize = 2 << 10;
const LONG: usize = 1 << 20;

/// Sizes that are tried before the long text is.
const STEPS: [usize; 5] = [SHORT, 16 << 10, 64 << 10, 256 << 10, LONG];

/// Longer than this no single run is waited for: what would take it if it grew with the square is named
/// instead.
const PATIENCE: Duration = Duration::from_secs(10);

/// The fault of every rule that acts on text alone.
pub fn of_rules(effort: Effort) -> Table {
    let mut table = Table::new(
        "growth",
        "Growth: the fault of every rule at 2 KB and at 1 MB",
        "Nanoseconds a byte of 1 MB in texts of 2 KB, each another one → of one text of 1 MB, and how many times the \
         one is the other. Bar: at most 1.3 times. In brackets the verdict, where it is not `mended`.",
        Place::ALL.iter().map(|place| place.name().into()).collect(),
    );
    for rule in rules() {
        eprintln!("growth, {rule}");
        let ending = rule.spec().example.ending;
        for (column, place) in Place::ALL.into_iter().enumerate() {
            let text = |size, seed| faulty(rule, place, size, seed);
            if text(SHORT, 1).is_some() {
                let text = |size, seed| text(size, seed).unwrap_or_default();
                table.set(rule.name(), column, cell(text, ending, effort));
            }
        }
    }
    table
}

/// What is repeated in hostile texts.
const UNITS: &[&str] = &[
    "[",
    "{",
    "]",
    "}",
    "[]",
    "{}",
    "{\"a\":",
    "[{\"a\":",
    "\"",
    "'",
    "`",
    "“",
    "”",
    "\\",
    "\\\"",
    "\\u",
    "\"\"",
    "\"a\",",
    "\"a\":1,",
    "a\"",
    ",",
    ":",
    "=",
    ";",
    "-",
    "0",
    "1",
    "e",
    "tru",
    "true ",
    "null,",
    "a ",
    " ",
    "\n",
    "\u{a0}",
    "\u{200b}",
    "/*",
    "//",
    "#",
    "*/",
    "```",
    "```json\n",
    "\"\"\"",
    "+",
    "\"+\"",
    "&quot;",
    "<think>",
    "<tool_call>",
    "</tool_call>",
    "{\"a\":1}",
    "{'a':'",
    "',\"",
    "\",\"",
    "\"}",
    "\":\"",
    "\", \"a\": \"",
    "it's ",
    "x=\"1\" ",
    "{\"}",
    "\"k\":\"x\\\"\",\\n",
    "🦀",
];

/// What stands around the repeated unit.
const AROUND: [(&str, &str, &str); 5] = [
    ("bare", "", ""),
    ("as a value", "{\"a\":", "}"),
    ("in a string", "{\"a\":\"", "\"}"),
    ("in a curly string", "{\"a\":“", "”}"),
    ("behind a fault", "{\"a\":1,, \"b\":", ""),
];

/// Texts made to be slow: one unit again and again.
pub fn of_hostile_texts(effort: Effort) -> Table {
    let mut table = Table::new(
        "hostile",
        "Growth: one thing again and again, 2 KB and 1 MB of it",
        "As above; 1 MB holds 1,048,576 brackets or quotes. Bar: at most 1.3 times.",
        AROUND.iter().map(|(name, ..)| (*name).into()).collect(),
    );
    for unit in UNITS {
        eprintln!("hostile, {unit:?}");
        for (column, (_, head, tail)) in AROUND.iter().enumerate() {
            let text = |size: usize, _| format!("{head}{}{tail}", unit.repeat(size / unit.len()));
            table.set(&code(unit), column, cell(text, Ending::Complete, effort));
        }
    }
    table
}

/// The unit as Markdown's code, what cannot be seen as an escape.
fn code(unit: &str) -> String {
    let seen: String = unit
        .chars()
        .map(|c| {
            if c == ' ' || c.is_alphanumeric() || c.is_ascii_graphic() || "“”🦀".contains(c) {
                c.into()
            } else {
                c.escape_unicode().to_string()
            }
        })
        .collect();
    if seen.contains('`') { format!("```` {seen} ````") } else { format!("`{seen}`") }
}

/// Measures short texts and a long one; those between tell whether the long one is worth waiting for.
fn cell(text: impl Fn(usize, u64) -> String, ending: Ending, effort: Effort) -> Cell {
    let evidence = Evidence::new().stated(ending);
    let verdict = |text: &str| mend(text, &evidence, &NoJudge);
    let once = |text: &str| {
        let start = Instant::now();
        std::hint::black_box(verdict(text));
        start.elapsed().as_secs_f64()
    };
    for steps in STEPS.windows(2) {
        let on_the_way = text(steps[0], 1);
        once(&on_the_way);
        let took = once(&on_the_way);
        let growth = (steps[1] / steps[0]) as f64;
        if took * growth * growth > PATIENCE.as_secs_f64() {
            let per_byte = took * 1e9 / on_the_way.len() as f64;
            return Cell::Text(format!("**not linear**: {per_byte:.0} at {} KB", steps[0] >> 10));
        }
    }
    // As many bytes of the one as of the other: what a processor learns of the branches of a few texts, that it is given
    // again and again, makes them faster than any that it has not seen.
    let short: Vec<String> = (1..=(LONG / SHORT) as u64).map(|seed| text(SHORT, seed)).collect();
    let long = [text(LONG, 1)];
    let words = [&short[0], &long[0]].map(|text| word(&verdict(text)));
    let job = |texts| Job::through(bytes(texts), texts, verdict);
    let timings = interleave(vec![job(&short), job(&long)], effort);
    let verdict = if words[0] == words[1] { words[0].into() } else { words.join(", then ") };
    Cell::Growth { short: timings[0], long: timings[1], verdict }
}

fn bytes(texts: &[String]) -> usize {
    texts.iter().map(String::len).sum()
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Declined(no) => no.reason.name(),
        other => other.name(),
    }
}
