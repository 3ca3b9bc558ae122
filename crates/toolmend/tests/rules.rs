//! What a rule's page says is what the rule does, with the tool's schema where the page gives one.

use toolmend::{Ending, Evidence, Policy, Rule, Tool, Toolmend, Verdict, certify};

/// The verdict on a body of a page, where everything that can be shown is accepted.
fn mend(body: &str, ending: Ending, schema: &str) -> Verdict {
    let tools = if schema.is_empty() { Vec::new() } else { vec![Tool::one(schema).unwrap()] };
    Toolmend::new().policy(Policy::INSPECT).tools(tools).mend(body, Evidence::new().stated(ending))
}

#[test]
fn every_example_is_repaired_as_its_page_says() {
    let mut wrong = Vec::new();
    for rule in Rule::ALL {
        let example = &rule.spec().example;
        match mend(example.before, example.ending, example.schema) {
            Verdict::Mended { output, receipt }
                if output == example.after && receipt.rules().contains(rule) => {}
            verdict => wrong.push(format!("{rule}: {:?} came out as {verdict:?}", example.before)),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_counter_example_is_repaired_by_its_rule() {
    let mut wrong = Vec::new();
    for rule in Rule::ALL {
        let counter = &rule.spec().wrong;
        match mend(counter.text, counter.ending, counter.schema) {
            Verdict::Mended { output, receipt } if receipt.rules().contains(rule) => {
                wrong.push(format!("{rule}: {:?} came out as {output:?}", counter.text));
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_example_with_a_schema_needs_it() {
    for rule in Rule::ALL {
        let example = &rule.spec().example;
        if !example.schema.is_empty() {
            let without = mend(example.before, example.ending, "");
            let same = matches!(&without, Verdict::Mended { output, .. } if output == example.after);
            assert!(!same, "{rule}");
        }
    }
}

/// Whatever the page's body is cut down to, its verdict holds: what comes out is one object that the schema
/// admits, and mending that changes nothing.
#[test]
fn every_beginning_of_every_page() {
    let mut wrong = Vec::new();
    for rule in Rule::ALL {
        let spec = rule.spec();
        let pages = [(spec.example.before, spec.example.schema), (spec.wrong.text, spec.wrong.schema)];
        for (text, schema) in pages {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            for body in ends.map(|end| &text[..end]) {
                for ending in [Ending::Complete, Ending::Unknown, Ending::Cut] {
                    let Verdict::Mended { output, receipt } = mend(body, ending, schema) else { continue };
                    if certify(body, &receipt).as_ref() != Ok(&output) {
                        wrong.push(format!("{rule}: {body:?} ({ending}) is not certified"));
                    }
                    let again = mend(&output, Ending::Complete, schema);
                    if !matches!(again, Verdict::Intact { .. }) {
                        wrong.push(format!(
                            "{rule}: {body:?} ({ending}) came out as {output:?}, then {again:?}"
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
