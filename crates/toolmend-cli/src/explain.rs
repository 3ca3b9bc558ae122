//! `explain`, `rules`, `models`: what is written down about rules and families.

use std::fmt::Write;

use toolmend::formats::{HOME_MADE, families};
use toolmend::{Ending, Rule};

use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::say::Plain;

/// Sentences are wrapped to lines of this many characters.
const WIDTH: usize = 88;
/// How far examples are set in.
const INDENT: &str = "    ";
/// Names at least this like a mistyped one are suggested (Jaro–Winkler; 1 is the same name).
const ALIKE: f64 = 0.8;
/// How many names are suggested at most.
const MAX_SUGGESTED: usize = 3;

/// The rule of this name. Case and underscores are forgiven.
pub(crate) fn named(typed: &str) -> Result<Rule, Failure> {
    let name = typed.trim().to_lowercase().replace(['_', ' '], "-");
    Rule::named(&name).ok_or_else(|| Failure::NoRule { name: typed.to_owned(), nearest: nearest(&name) })
}

fn nearest(name: &str) -> Vec<&'static str> {
    let alike = |rule: &Rule| (strsim::jaro_winkler(name, rule.name()), rule.name());
    let mut ranked: Vec<_> = Rule::ALL.iter().map(alike).filter(|(score, _)| *score >= ALIKE).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().take(MAX_SUGGESTED).map(|(_, name)| name).collect()
}

/// Prints a rule's documentation.
pub(crate) fn rule(rule: Rule) -> Result<Exit, Failure> {
    print(&page(rule))
}

fn page(rule: Rule) -> String {
    let spec = rule.spec();
    let mut page = format!("{}: grade {}\n{}\n\n", spec.name, spec.grade, wrapped(spec.what));
    let _ = write!(page, "Before{}:\n{}\n\n", at_ending(spec.example.ending), set_in(spec.example.before));
    page.push_str(&schema(spec.example.schema));
    let _ = write!(page, "After:\n{}\n\n", set_in(spec.example.after));
    let _ = write!(page, "Why it is safe:\n{}\n\n", wrapped(spec.safe));
    let _ = writeln!(page, "Where it would be wrong, and is not applied{}:", at_ending(spec.wrong.ending));
    let _ = writeln!(
        page,
        "{}\n\n{}{}",
        set_in(spec.wrong.text),
        schema(spec.wrong.schema),
        wrapped(spec.wrong.why)
    );
    page
}

fn schema(json: &str) -> String {
    if json.is_empty() { String::new() } else { format!("The tool's schema:\n{}\n\n", set_in(json)) }
}

/// Said only where the text is not all that the model wrote.
fn at_ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Complete => "",
        Ending::Unknown => " (it is not known whether this is all that the model wrote)",
        Ending::Cut => " (the turn was cut)",
    }
}

/// Prints all rules with their grades.
pub(crate) fn rules() -> Result<Exit, Failure> {
    let rows = Rule::ALL.iter().map(|rule| {
        let spec = rule.spec();
        [spec.name.to_owned(), spec.grade.to_string(), spec.what.to_owned()]
    });
    let mut text = table(["RULE", "GRADE", "WHAT"], rows);
    text.push_str("\n`toolmend explain RULE` says why a rule is safe, and where it would be wrong.\n");
    print(&text)
}

/// Prints all model families, with the names that their models go by and the marks that they leak.
pub(crate) fn models() -> Result<Exit, Failure> {
    let mut text = String::new();
    for family in families() {
        let parts = family.patterns.iter().map(|part| format!("*{part}*"));
        let names: Vec<String> = family.exact.iter().map(|name| (*name).to_owned()).chain(parts).collect();
        let _ = writeln!(text, "{} ({})", family.name, family.title);
        let _ = writeln!(text, "{INDENT}models  {}", names.join(", "));
        let format = &family.format;
        let ids = if format.ids { "; ids kept" } else { "" };
        let _ =
            writeln!(text, "{INDENT}calls   {}; values {}{ids}", format.grammar.name(), format.values.name());
        if let Some((open, close)) = format.reasoning {
            let _ = writeln!(text, "{INDENT}thought {open} … {close}");
        }
        let _ = writeln!(text, "{INDENT}marks   {}\n", family.marks.join("  "));
    }
    text.push_str("Of no family:\n");
    for (name, what) in HOME_MADE {
        let _ = writeln!(text, "{INDENT}{name}: {what}");
    }
    text.push_str("\nNames are matched as a whole first, then by the longest part, whatever the case.\n");
    text.push_str("Any other model gets the general rules alone.\n");
    print(&text)
}

fn print(text: &str) -> Result<Exit, Failure> {
    Output::stdout().put(text.as_bytes(), Exit::Good)?;
    Ok(Exit::Good)
}

/// Columns two spaces apart; the last one is as wide as it likes.
fn table<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> = [head.map(str::to_owned)].into_iter().chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// An example, line by line; what cannot be seen is shown as an escape.
fn set_in(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| format!("{INDENT}{}", Plain(line))).collect();
    lines.join("\n")
}

fn wrapped(sentences: &str) -> String {
    let mut text = String::new();
    let mut room = 0;
    for word in sentences.split_whitespace() {
        let length = word.chars().count();
        if text.is_empty() {
            room = WIDTH.saturating_sub(length);
        } else if length < room {
            text.push(' ');
            room -= length + 1;
        } else {
            text.push('\n');
            room = WIDTH.saturating_sub(length);
        }
        text.push_str(word);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_found_by_its_name_in_any_spelling() {
        for typed in ["trailing-comma", "trailing_comma", "Trailing Comma"] {
            assert_eq!(named(typed).unwrap().name(), "trailing-comma");
        }
    }

    #[test]
    fn the_nearest_names_are_suggested() {
        for (typed, suggested) in [
            ("trailing-coma", Some("trailing-comma")),
            ("codefence", Some("code-fence")),
            ("missing-closers", Some("missing-closer")),
            ("xyzzy", None),
        ] {
            assert_eq!(nearest(typed).first().copied(), suggested, "{typed}");
        }
    }

    #[test]
    fn sentences_are_wrapped_and_lose_no_word() {
        let text = "word ".repeat(100);
        let wrapped = wrapped(&text);
        assert!(wrapped.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(wrapped.split_whitespace().eq(text.split_whitespace()));
    }
}
