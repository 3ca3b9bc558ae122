//! The table of cases in `testdata/bodies.jsonl`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;
use toolmend_core::{Ending, Evidence, Grade, NoJudge, Rule, Verdict, coerce_json_object};

use crate::checked::{any_split, mended};

const TABLE: &str = include_str!("../../../../testdata/bodies.jsonl");

/// One row of the table; `testdata/README.md` says what its fields mean.
struct Row {
    id: String,
    input: String,
    evidence: Evidence<'static>,
    verdict: String,
    output: Option<String>,
    grade: Option<String>,
    rules: Vec<String>,
    reason: Option<String>,
    or_declined: bool,
}

fn rows() -> Vec<Row> {
    TABLE.lines().map(row).collect()
}

fn row(line: &str) -> Row {
    const FIELDS: &[&str] = &[
        "id",
        "fault",
        "input",
        "ending",
        "finish_reason",
        "verdict",
        "output",
        "grade",
        "rules",
        "reason",
        "or_declined",
    ];
    let row: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    let fields = row.as_object().expect("a row is an object");
    assert!(fields.keys().all(|k| FIELDS.contains(&k.as_str())), "an unknown field: {line}");
    let word = |name: &str| row[name].as_str().map(String::from);
    let evidence = match (fields.get("finish_reason"), word("ending")) {
        (Some(reason), None) => Evidence::new().finish_reason(reason.as_str()),
        (None, Some(ending)) => Evidence::new().stated(Ending::named(&ending).expect("an ending")),
        _ => panic!("either an ending or a finish reason: {line}"),
    };
    Row {
        id: word("id").expect("id"),
        input: word("input").expect("input"),
        evidence,
        verdict: word("verdict").expect("verdict"),
        output: word("output"),
        grade: word("grade"),
        rules: row["rules"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|r| r.as_str().map(String::from))
            .collect(),
        reason: word("reason"),
        or_declined: row["or_declined"].as_bool().unwrap_or(false),
    }
}

/// What is wrong with this verdict on a row.
fn complaint(row: &Row, verdict: &Verdict) -> Option<String> {
    if row.or_declined && verdict.name() == "declined" {
        return None;
    }
    if verdict.name() != row.verdict {
        return Some(format!("{verdict:?}"));
    }
    if verdict.text(&row.input) != row.output.as_deref() {
        return Some(format!("output {:?}", verdict.text(&row.input)));
    }
    match verdict {
        Verdict::Intact { .. } => None,
        Verdict::Mended { receipt, .. } => {
            let rules: BTreeSet<&str> = receipt.rules().iter().map(|r| r.name()).collect();
            let grade = row.grade.as_deref() != Some(receipt.grade.name());
            (grade || rules != row.rules.iter().map(String::as_str).collect())
                .then(|| format!("grade {}, rules {rules:?}", receipt.grade))
        }
        Verdict::Declined(no) => {
            let other = row.reason.as_deref().is_some_and(|r| r != no.reason.name());
            other.then(|| format!("reason {}", no.reason.name()))
        }
    }
}

#[test]
fn every_row_is_settled_as_it_says() {
    let mut complaints = String::new();
    for row in rows() {
        let verdict = std::panic::catch_unwind(|| mended(&row.input, &row.evidence));
        let complaint = match verdict {
            Ok(verdict) => complaint(&row, &verdict),
            Err(_) => Some("breaks a law, see above".into()),
        };
        if let Some(complaint) = complaint {
            let _ = writeln!(
                complaints,
                "{}: {:?}\n    must be {} {:?} {:?}, but: {complaint}",
                row.id, row.input, row.verdict, row.output, row.reason
            );
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

#[test]
fn every_row_in_any_two_pieces() {
    for row in rows() {
        let verdict = toolmend_core::mend(&row.input, &row.evidence, &NoJudge);
        any_split(&row.input, &row.evidence, &NoJudge, &verdict);
    }
}

#[test]
fn the_plain_form_agrees() {
    for row in rows() {
        let plain = coerce_json_object(&row.input);
        match mended(&row.input, &Evidence::whole()) {
            Verdict::Intact { .. } => {
                let text = plain.expect("a valid object comes back");
                assert!(matches!(text, std::borrow::Cow::Borrowed(same) if same == row.input), "{}", row.id);
            }
            Verdict::Mended { output, receipt } if receipt.grade <= Grade::Closing => {
                assert_eq!(plain.as_deref(), Some(output.as_str()), "{}", row.id);
            }
            _ => assert_eq!(plain, None, "{}", row.id),
        }
    }
}

#[test]
fn the_table_is_sound() {
    let rows = rows();
    assert!(rows.len() >= 250, "{} rows", rows.len());
    let ids: BTreeSet<&str> = rows.iter().map(|r| r.id.as_str()).collect();
    assert_eq!(ids.len(), rows.len(), "an id stands twice");
    for row in &rows {
        let grade = row.grade.as_deref().is_none_or(|g| Grade::ALL.iter().any(|grade| grade.name() == g));
        let mended = row.verdict == "mended";
        assert!(grade && row.grade.is_some() == mended && row.rules.is_empty() != mended, "{}", row.id);
        assert_eq!(row.output.is_none(), row.verdict == "declined", "{}", row.id);
        assert!(row.rules.iter().all(|r| Rule::named(r).is_some()), "{}", row.id);
        assert!(row.output.as_deref().is_none_or(|o| crate::said::said(o).is_some()), "{}", row.id);
    }
}

#[test]
fn a_row_of_one_thing_is_one_edit() {
    for (row, rule) in [
        (",,,,", Rule::DoubledComma),
        (",\u{a0}\u{200b}\u{a0}", Rule::InvisibleSpace),
        (",\\n\\n\\t", Rule::LiteralNewline),
        (", /* a *//* b */", Rule::Comment),
    ] {
        let body = format!("{{\"a\": 1{row} \"b\": 2}}");
        let verdict = mended(&body, &Evidence::whole());
        let Verdict::Mended { receipt, .. } = verdict else { panic!("{body}: {verdict:?}") };
        let edits: Vec<_> = receipt.steps.iter().flatten().map(|e| (e.rule, e.start, e.end)).collect();
        let end = body.find(" \"b\"").unwrap();
        let [(by, start, to)] = edits[..] else { panic!("{body}: {edits:?}") };
        assert_eq!((by, to), (rule, end), "{body}");
        assert!(start > 7, "{body}");
    }
}
