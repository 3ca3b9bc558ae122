//! Every rule does what its own documentation says.

use std::collections::BTreeSet;

use toolmend_core::{Ending, Grade, Rule, Verdict};

use crate::checked::{ending, mended};

#[test]
fn every_rule_is_documented() {
    for rule in Rule::ALL {
        let spec = rule.spec();
        let parts = [
            spec.name,
            spec.what,
            spec.safe,
            spec.example.before,
            spec.example.after,
            spec.wrong.text,
            spec.wrong.why,
        ];
        assert!(parts.iter().all(|p| !p.trim().is_empty()), "{rule}");
        assert_ne!(spec.example.before, spec.example.after, "{rule}");
        let (example, wrong) = (&spec.example, &spec.wrong);
        let same =
            (example.before, example.ending, example.schema) == (wrong.text, wrong.ending, wrong.schema);
        assert!(!same, "{rule}: the example is its own counter-example");
        assert!(
            spec.what.ends_with('.') && spec.safe.ends_with('.') && spec.wrong.why.ends_with('.'),
            "{rule}"
        );
    }
}

#[test]
fn names_are_kebab_case_and_unique() {
    let names: BTreeSet<&str> = Rule::ALL.iter().map(|r| r.name()).collect();
    assert_eq!(names.len(), Rule::ALL.len());
    for name in names {
        let word = |w: &str| !w.is_empty() && w.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        assert!(name.split('-').all(word), "{name}");
        assert_eq!(Rule::named(name).map(Rule::name), Some(name));
    }
    assert_eq!(Rule::named("Trailing-Comma"), None);
    assert_eq!(Rule::named(""), None);
}

#[test]
fn examples_are_repaired_as_they_say() {
    for rule in Rule::ALL {
        let spec = rule.spec();
        if !spec.example.schema.is_empty() {
            continue;
        }
        let verdict = mended(spec.example.before, &ending(spec.example.ending));
        let Verdict::Mended { output, receipt } = verdict else { panic!("{rule}: {verdict:?}") };
        assert_eq!(output, spec.example.after, "{rule}");
        assert!(receipt.rules().contains(rule), "{rule}: {:?}", receipt.rules());
        let riskiest = receipt.rules().iter().map(|r| r.grade()).max();
        assert_eq!(Some(receipt.grade), riskiest, "{rule}");
    }
}

#[test]
fn counter_examples_are_left_alone() {
    let mut applied = Vec::new();
    for rule in Rule::ALL {
        let wrong = &rule.spec().wrong;
        if !wrong.schema.is_empty() {
            continue;
        }
        // Nor is another rule to do what this one may not.
        if let Verdict::Mended { output, receipt } = mended(wrong.text, &ending(wrong.ending)) {
            applied.push(format!("{rule}: {:?} -> {output:?} by {:?}", wrong.text, receipt.rules()));
        }
    }
    assert!(applied.is_empty(), "{applied:#?}");
}

#[test]
fn a_missing_closer_has_the_grade_of_its_ending() {
    for (end, grade) in
        [(Ending::Complete, Grade::Punctuation), (Ending::Unknown, Grade::Closing), (Ending::Cut, Grade::Cut)]
    {
        let Verdict::Mended { receipt, .. } = mended(Rule::MissingCloser.spec().example.before, &ending(end))
        else {
            panic!("{end}")
        };
        assert_eq!(receipt.grade, grade, "{end}");
    }
}
