//! What ARCHITECTURE.md says of limits, laws and places is so.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of the table under this heading, as cells.
fn table(heading: &str) -> Vec<Vec<String>> {
    let page = read("ARCHITECTURE.md");
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect("the page has this section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    let rows: Vec<Vec<String>> = rows
        .map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect();
    assert!(!rows.is_empty(), "no table under {heading}");
    rows
}

/// What stands in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// `64 Mi`, `1024`.
fn number(cell: &str) -> u64 {
    let (digits, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    let digits: u64 = digits.parse().unwrap();
    match unit {
        "" => digits,
        "Ki" => digits << 10,
        "Mi" => digits << 20,
        "Gi" => digits << 30,
        "Ti" => digits << 40,
        unit => panic!("{unit} is no unit"),
    }
}

/// `64 << 20`, `60_000`.
fn value(expression: &str) -> u64 {
    let number = |text: &str| text.trim().replace('_', "").parse::<u64>().unwrap();
    match expression.split_once("<<") {
        Some((base, shift)) => number(base) << number(shift),
        None => number(expression),
    }
}

#[test]
fn limits() {
    for row in table("Limits") {
        let [name, shown, _, kind, path] = &row[..] else { panic!("{row:?}") };
        let (name, path) = (quoted(name)[0], quoted(path)[0]);
        let source = read(path);
        let line = source
            .lines()
            .find(|line| line.contains(&format!("const {name}: ")))
            .unwrap_or_else(|| panic!("{path} has no constant {name}"));
        let expression = line.split(" = ").nth(1).and_then(|e| e.strip_suffix(';')).unwrap();
        assert_eq!(value(expression), number(shown), "{name} in {path}");
        let public = line.trim_start().starts_with("pub const");
        assert_eq!(kind, if public { "public" } else { "own" }, "{name} in {path}");
    }
}

/// Every Rust file below this folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_limit_stands_in_the_table() {
    let rows = table("Limits");
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut found);
    }
    let mut seen = 0;
    for path in found {
        for line in fs::read_to_string(&path).unwrap().lines() {
            let Some((_, rest)) = line.split_once("const MAX_") else { continue };
            let Some((name, _)) = rest.split_once(':') else { continue };
            let name = format!("MAX_{name}");
            let listed =
                rows.iter().any(|row| quoted(&row[0])[0] == name && path.ends_with(quoted(&row[4])[0]));
            assert!(listed, "{name} of {} is in no row of the table", path.display());
            seen += 1;
        }
    }
    assert!(seen > 30, "the limits were not found");
}

#[test]
fn every_law_has_its_tests() {
    let laws = table("The laws");
    assert_eq!(laws.len(), 10);
    for (number, row) in (1..).zip(&laws) {
        assert!(row[0].starts_with(&format!("L{number} ")), "{row:?}");
        let tests = quoted(&row[2]);
        assert!(!tests.is_empty() && tests.len().is_multiple_of(2), "{row:?}");
        for test in tests.chunks(2) {
            assert!(
                read(test[0]).contains(&format!("fn {}(", test[1])),
                "{} has no test {}",
                test[0],
                test[1]
            );
        }
    }
}

#[test]
fn places_exist() {
    let page = read("ARCHITECTURE.md");
    let places: Vec<&str> = quoted(&page).into_iter().filter(|text| text.starts_with("crates/")).collect();
    assert!(!places.is_empty());
    for place in places {
        assert!(root().join(place).exists(), "{place}");
    }
}

/// The checker of repairs shares no code with the reader.
#[test]
fn the_checker_stands_alone() {
    const ITS_OWN: &[&str] = &["edit", "Edit", "apply", "Receipt", "Rule"];
    let folder = "crates/toolmend-core/src/certify";
    let mut files = 0;
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let path = entry.unwrap().path();
        let source = fs::read_to_string(&path).unwrap();
        for line in source.lines().filter(|line| line.contains("crate::")) {
            let names = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let strange: Vec<&str> = names
                .filter(|name| !matches!(*name, "" | "use" | "crate") && !ITS_OWN.contains(name))
                .collect();
            assert!(strange.is_empty(), "{}: {line}", path.display());
        }
        files += 1;
    }
    assert!(files > 1);
}
