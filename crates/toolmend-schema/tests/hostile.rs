//! Schemas and bodies that are made to cost too much, on a stack as small as threads have.

use toolmend_core::{Admission, Judge, MAX_NESTING};
use toolmend_schema::Tool;
use toolmend_schema::limits::{MAX_RECURSION, MAX_SCHEMA_NESTING};

/// Bytes of stack: half of what Rust gives a thread.
const STACK: usize = 1 << 20;

/// Asks everything there is to ask, and answers whether the body is admitted.
fn ask(schema: &str, body: &str) -> Admission {
    let (schema, body) = (schema.to_owned(), body.to_owned());
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let tool = Tool::new("t", &schema);
        tool.settle(&body);
        tool.examine(&body);
        tool.declared_only(&body);
        tool.proves_whole(&body, 3);
        tool.takes_nothing();
        tool.declares("a");
        tool.admits(&body)
    });
    thread.expect("a thread").join().expect("no panic")
}

fn refused(admission: &Admission) -> bool {
    matches!(admission, Admission::Unvalidatable { .. })
}

fn nested(n: usize, open: &str, leaf: &str, close: &str) -> String {
    format!("{}{leaf}{}", open.repeat(n), close.repeat(n))
}

/// Definitions `a0` … `an`, each made by `link` from a reference to the next.
fn chain(n: usize, link: impl Fn(&str) -> String, last: &str) -> String {
    let defs: Vec<String> = (0..n)
        .map(|i| format!(r#""a{i}":{}"#, link(&format!(r##"{{"$ref":"#/$defs/a{}"}}"##, i + 1))))
        .collect();
    format!(r##"{{"$ref":"#/$defs/a0","$defs":{{{},"a{n}":{last}}}}}"##, defs.join(","))
}

#[test]
fn alternatives_that_multiply() {
    let doubling = |n| chain(n, |r| format!(r#"{{"anyOf":[{r},{r}]}}"#), r#"{"type":"string"}"#);
    assert!(matches!(ask(&doubling(8), "{}"), Admission::Invalid { .. }));
    assert!(refused(&ask(&doubling(40), "{}")));
    assert!(matches!(
        ask(&chain(120, |r| format!(r#"{{"allOf":[{r}]}}"#), r#"{"required":["a"]}"#), "{}"),
        Admission::Invalid { .. }
    ));
    // Once a level of the body, instead of at one place.
    let recursive = r##"{"anyOf":[
        {"type":"object","properties":{"a":{"$ref":"#"}}},
        {"type":"object","properties":{"a":{"$ref":"#"}},"required":["b"]},
        {"type":"object","properties":{"a":{"$ref":"#"}},"minProperties":2}]}"##;
    assert!(matches!(ask(recursive, &nested(40, r#"{"a":"#, "{}", "}")), Admission::Valid));
    for depth in [3, 20, 60] {
        let body = nested(depth, r#"{"a":"#, "1", "}");
        assert!(matches!(ask(recursive, &body), Admission::Invalid { .. }), "{depth}");
    }
}

#[test]
fn bodies_and_schemas_that_nest() {
    let recursive =
        r##"{"type":"object","properties":{"a":{"$ref":"#"}},"additionalProperties":{"$ref":"#"}}"##;
    let body = |n: usize| nested(n, r#"{"a":"#, "{}", "}");
    assert_eq!(ask(recursive, &body(100)), Admission::Valid);
    assert!(refused(&ask(recursive, &body(MAX_RECURSION))));
    let lists = r##"{"properties":{"a":{"$ref":"#/$defs/l"}},"$defs":{"l":{"type":"array","items":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/l"}]}}}}"##;
    assert_eq!(ask(lists, &format!(r#"{{"a":{}}}"#, nested(90, "[", "", "]"))), Admission::Valid);
    // A schema without references goes no deeper than it nests itself, whatever the body.
    let flat = r#"{"type":"object","properties":{"a":{"type":"object"}}}"#;
    assert_eq!(ask(flat, &body(MAX_NESTING - 1)), Admission::Valid);
    assert!(refused(&ask(flat, &body(MAX_NESTING))));
    let deep = |n: usize| nested(n, r#"{"properties":{"a":"#, r#"{"type":"object"}"#, "}}");
    assert_eq!(ask(&deep(MAX_SCHEMA_NESTING / 2 - 1), &body(60)), Admission::Valid);
    assert!(refused(&ask(&deep(MAX_SCHEMA_NESTING / 2), &body(60))));
    assert!(refused(&ask(&nested(50_000, r#"{"not":"#, "{}", "}"), "{}")));
    // In place, and once more for each level of the body.
    let all = |n: usize| {
        nested(
            n,
            r#"{"allOf":["#,
            r##"{"properties":{"a":{"$ref":"#"}},"required":[]},{"type":"object"}"##,
            "]}",
        )
    };
    assert_eq!(ask(&all(20), &body(20)), Admission::Valid);
    assert!(refused(&ask(&all(50), &body(60))));
}

#[test]
fn the_deepest_that_is_checked_fits_the_stack() {
    // Every kind of step that goes down, at the limit of what is let through.
    for (schema, open, close) in [
        (r##"{"properties":{"a":{"$ref":"#"}}}"##, r#"{"a":"#, "}"),
        (r##"{"additionalProperties":{"$ref":"#"}}"##, r#"{"a":"#, "}"),
        (r##"{"patternProperties":{"a":{"$ref":"#"}}}"##, r#"{"a":"#, "}"),
        (r##"{"unevaluatedProperties":{"$ref":"#"}}"##, r#"{"a":"#, "}"),
        (
            r##"{"properties":{"a":{"$ref":"#/$defs/l"}},"$defs":{"l":{"prefixItems":[{"$ref":"#"}]}}}"##,
            r#"{"a":["#,
            "]}",
        ),
        (r##"{"properties":{"a":{"contains":{"$ref":"#"}}}}"##, r#"{"a":["#, "]}"),
        (r##"{"properties":{"a":{"unevaluatedItems":{"$ref":"#"}}}}"##, r#"{"a":["#, "]}"),
        (r##"{"anyOf":[{"properties":{"a":{"$ref":"#"}}}]}"##, r#"{"a":"#, "}"),
        (r##"{"oneOf":[{"not":{}},{"properties":{"a":{"$ref":"#"}}}]}"##, r#"{"a":"#, "}"),
        (r##"{"if":{"properties":{"a":{"$ref":"#"}}},"then":{},"else":false}"##, r#"{"a":"#, "}"),
        (r##"{"not":{"properties":{"a":{"not":{"$ref":"#"}}},"required":["a"]}}"##, r#"{"a":"#, "}"),
        (r##"{"dependentSchemas":{"a":{"properties":{"a":{"$ref":"#"}}}}}"##, r#"{"a":"#, "}"),
        (r##"{"$dynamicAnchor":"d","properties":{"a":{"$dynamicRef":"#d"}}}"##, r#"{"a":"#, "}"),
    ] {
        let checked = (1..=MAX_RECURSION)
            .rev()
            .find(|n| !refused(&Tool::new("t", schema).admits(&nested(*n, open, "{}", close))));
        let checked = checked.expect("some depth is checked");
        assert!(checked >= 50, "{schema}: {checked}");
        for leaf in ["{}", "1", "null"] {
            ask(schema, &nested(checked, open, leaf, close));
        }
    }
}

#[test]
fn patterns_that_backtrack() {
    let schema = r#"{"properties":{"a":{"pattern":"^(a+)+$"},"b":{"pattern":"(x+x+)+y"},"c":{"pattern":"^(([a-z])+.)+[A-Z]([a-z])+$"}}}"#;
    let long = "a".repeat(100_000);
    assert!(matches!(ask(schema, &format!(r#"{{"a":"{long}!"}}"#)), Admission::Invalid { .. }));
    assert!(matches!(
        ask(schema, &format!(r#"{{"b":"{}"}}"#, "x".repeat(100_000))),
        Admission::Invalid { .. }
    ));
    assert!(matches!(ask(schema, &format!(r#"{{"c":"{long}"}}"#)), Admission::Invalid { .. }));
    let names = r#"{"patternProperties":{"^(a+)+$":false}}"#;
    assert_eq!(ask(names, &format!(r#"{{"{long}!":1}}"#)), Admission::Valid);
}

#[test]
fn large_schemas_and_bodies() {
    let properties: Vec<String> =
        (0..5000).map(|i| format!(r#""p{i}":{{"type":"integer","minimum":{i}}}"#)).collect();
    let schema = format!(
        r#"{{"properties":{{{}}},"required":["p1","p4999"],"additionalProperties":false}}"#,
        properties.join(",")
    );
    let body = |value: &dyn Fn(usize) -> String| {
        let members: Vec<String> = (0..5000).map(|i| format!(r#""p{i}":{}"#, value(i))).collect();
        format!("{{{}}}", members.join(","))
    };
    assert_eq!(ask(&schema, &body(&|i| i.to_string())), Admission::Valid);
    assert!(matches!(ask(&schema, &body(&|i| format!("\"{i}\""))), Admission::Invalid { .. }));
    assert!(matches!(ask(&schema, &body(&|_| "null".to_owned())), Admission::Invalid { .. }));
    let words: Vec<String> = (0..20_000).map(|i| format!("\"word{i}\"")).collect();
    let schema = format!(r#"{{"properties":{{"a":{{"enum":[{}]}}}}}}"#, words.join(","));
    assert!(matches!(ask(&schema, r#"{"a":"WORD7"}"#), Admission::Invalid { .. }));
    let many = format!(r#"{{"a":[{}]}}"#, vec!["1"; 200_000].join(","));
    assert_eq!(
        ask(r#"{"properties":{"a":{"uniqueItems":false,"items":{"type":"integer"}}}}"#, &many),
        Admission::Valid
    );
    assert!(matches!(ask(r#"{"properties":{"a":{"uniqueItems":true}}}"#, &many), Admission::Invalid { .. }));
    assert!(matches!(
        ask(r#"{"properties":{"a":{"items":{"type":"string"}}}}"#, &many),
        Admission::Invalid { .. }
    ));
    let markup = vec![r#""</a>\n<parameter name=\"b\">""#; 20_000].join(",");
    assert_eq!(ask(r#"{"properties":{"a":{}}}"#, &format!(r#"{{"a":[{markup}]}}"#)), Admission::Valid);
    let opened = r#"\n<parameter name="#.repeat(100_000);
    assert_eq!(ask(r#"{"properties":{"a":{}}}"#, &format!(r#"{{"a":"{opened}"}}"#)), Admission::Valid);
    let twice = format!("{{{}\"z\":1}}", r#""a":1,"#.repeat(50_000));
    assert_eq!(ask("{}", &twice), Admission::Valid);
}

#[test]
fn nonsense_in_every_place() {
    let junk = [
        "null",
        "1",
        "-1",
        "1.5",
        "\"\"",
        "\"x\"",
        "[]",
        "{}",
        "[[]]",
        "[null]",
        "{\"a\":1}",
        "true",
        "\"#\"",
        "[\"a\",\"a\"]",
    ];
    for keyword in [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "items",
        "prefixItems",
        "enum",
        "const",
        "anyOf",
        "allOf",
        "oneOf",
        "not",
        "if",
        "$ref",
        "$defs",
        "$id",
        "$anchor",
        "$schema",
        "$dynamicRef",
        "minimum",
        "multipleOf",
        "pattern",
        "format",
        "minLength",
        "uniqueItems",
        "contains",
        "dependentSchemas",
        "dependencies",
        "propertyNames",
        "unevaluatedProperties",
        "nullable",
        "id",
        "minProperties",
        "contentEncoding",
        "contentMediaType",
        "$vocabulary",
        "$recursiveRef",
    ] {
        for value in junk {
            let tool = Tool::new(
                "t",
                &format!(r#"{{"{keyword}":{value},"properties":{{"b":{{"{keyword}":{value}}}}}}}"#),
            );
            for body in ["{}", r#"{"a":1,"b":"2"}"#, r#"{"b":null,"B":[]}"#, r#"{"b":{"b":1}}"#] {
                tool.admits(body);
                tool.settle(body);
                tool.examine(body);
                tool.declared_only(body);
                tool.proves_whole(body, 1);
            }
            tool.takes_nothing();
        }
    }
}
