//! What holds for every schema and every body.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use toolmend_core::{Admission, Edit, Judge, edit};
use toolmend_schema::Tool;

/// JSON values as text, made of few names and few values, so that they meet the schemas below.
fn value() -> BoxedStrategy<String> {
    let scalar = prop_oneof![
        select(vec![
            "null",
            "true",
            "false",
            "0",
            "1",
            "-2",
            "1.5",
            "2.0",
            "1e2",
            "123456789012345678901234",
            "1.10",
            r#""""#,
            r#""a""#,
            r#""A""#,
            r#""true""#,
            r#""False""#,
            r#""1""#,
            r#""-2""#,
            r#""1.10""#,
            r#""a,b""#,
            r#""\u0061""#,
            r#""[1, 2]""#,
            r#""[\"a\"]""#,
            r#""{\"a\": 1}""#,
            r#""{'a': True}""#,
            r#""[1, 2""#,
            r#""北京 \n \ud83d""#,
        ])
        .prop_map(str::to_owned),
        any::<i32>().prop_map(|n| n.to_string()),
    ];
    scalar
        .boxed()
        .prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
                vec((name(), inner), 0..4).prop_map(|members| object(&members)),
            ]
        })
        .boxed()
}

fn name() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "b", "c_d", "cD", "C-D", "A", "x-y"])
}

fn object(members: &[(&str, String)]) -> String {
    let mut out = String::from("{");
    for (n, (name, value)) in members.iter().enumerate() {
        _ = write!(out, "{}\"{name}\" : {value}", if n > 0 { " ,\n" } else { "" });
    }
    out + "}"
}

fn body() -> impl Strategy<Value = String> {
    vec((name(), value()), 0..5).prop_map(|members| object(&members))
}

/// Schemas as text; all that tools use, and some that they do not.
fn schema() -> BoxedStrategy<String> {
    let types = select(vec![
        r#""object""#,
        r#""array""#,
        r#""string""#,
        r#""integer""#,
        r#""number""#,
        r#""boolean""#,
        r#""null""#,
        r#"["string","null"]"#,
        r#"["integer","array"]"#,
    ]);
    let leaf = prop_oneof![
        4 => types.clone().prop_map(|t| format!(r#"{{"type":{t}}}"#)),
        1 => select(vec![
            "true", "false", "{}", r#"{"enum":["a","b",1]}"#, r#"{"type":"string","enum":["a","B"]}"#, r#"{"const":"a"}"#, r#"{"enum":[1,2.0,100]}"#,
            r#"{"type":"integer","minimum":0}"#, r#"{"type":"number","multipleOf":0.5}"#, r#"{"type":"string","pattern":"^[a-z]*$"}"#,
            r#"{"type":"string","minLength":2}"#, r##"{"$ref":"#/$defs/d"}"##, r##"{"$ref":"#"}"##,
        ]).prop_map(str::to_owned),
    ];
    leaf.boxed().prop_recursive(3, 16, 4, move |inner| {
        let properties = vec((name(), inner.clone()), 0..4).prop_map(|members| {
            let mut members = members;
            members.sort();
            members.dedup_by_key(|m| m.0);
            object(&members)
        });
        let required = vec(name(), 0..2).prop_map(|mut names| {
            names.sort_unstable();
            names.dedup();
            format!("{names:?}")
        });
        prop_oneof![
            4 => (properties, required, select(vec!["", r#","additionalProperties":false"#]))
                .prop_map(|(p, r, more)| format!(r#"{{"type":"object","properties":{p},"required":{r}{more}}}"#)),
            2 => inner.clone().prop_map(|s| format!(r#"{{"type":"array","items":{s}}}"#)),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!(r#"{{"prefixItems":[{a}],"items":{b}}}"#)),
            1 => inner.clone().prop_map(|s| format!(r#"{{"type":"object","additionalProperties":{s}}}"#)),
            1 => inner.clone().prop_map(|s| format!(r#"{{"patternProperties":{{"^[a-c]":{s}}},"unevaluatedProperties":false}}"#)),
            2 => (select(vec!["anyOf", "oneOf", "allOf"]), vec(inner.clone(), 1..3)).prop_map(|(k, s)| format!(r#"{{"{k}":[{}]}}"#, s.join(","))),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!(r#"{{"if":{a},"then":{b},"else":{c}}}"#)),
            1 => inner.clone().prop_map(|s| format!(r#"{{"not":{s}}}"#)),
            1 => inner.clone().prop_map(|s| format!(r#"{{"contains":{s},"uniqueItems":true}}"#)),
            1 => inner.prop_map(|s| format!(r#"{{"dependentSchemas":{{"a":{s}}},"propertyNames":{{"minLength":1}}}}"#)),
        ]
    })
    .prop_map(|root| match root.strip_suffix('}') {
        Some("{") => r#"{"$defs":{"d":{"type":"integer"}}}"#.to_owned(),
        Some(open) => format!(r#"{open},"$defs":{{"d":{{"type":"integer"}}}}}}"#),
        None => root,
    })
    .boxed()
}

/// A tool, and calls of it in which much is nearly right.
const TOOL: &str = r#"{"type":"object","properties":{
    "int":{"type":"integer"},"flag":{"type":"boolean"},"text":{"type":"string"},"unit":{"enum":["cm","Inch"]},
    "tags":{"type":"array","items":{"type":"string"}},"maybe":{"anyOf":[{"type":"number"},{"type":"null"}]},
    "opts":{"type":"object","properties":{"file_path":{"type":"string"},"n":{"type":"integer"}},"required":["file_path"],"additionalProperties":false}
},"required":["text"]}"#;

fn call() -> impl Strategy<Value = String> {
    let pairs = select(vec![
        ("int", r#""5""#),
        ("int", "1.10"),
        ("Int", "123456789012345678901234"),
        ("flag", r#""True""#),
        ("flag", "null"),
        ("text", "1e400"),
        ("Text", r#""x\n""#),
        ("text", r#""x""#),
        ("text", r#""x""#),
        ("unit", r#""CM""#),
        ("unit", r#""inch""#),
        ("tags", r#""red""#),
        ("tags", r#""[\"red\", \"\\n\"]""#),
        ("tags", r#"["a", 5]"#),
        ("maybe", r#""1e-7""#),
        ("maybe", "null"),
        ("opts", r#"{"filePath":"a","n":"1"}"#),
        ("opts", r#""{\"file_path\": \"a\"}""#),
        ("opts", r#"{"n":null,"file-path":"北京"}"#),
        ("opts", "null"),
        ("opts", r#"{"m":1}"#),
    ]);
    vec(pairs, 1..6).prop_map(|members| {
        object(&members.into_iter().map(|(name, value)| (name, value.to_owned())).collect::<Vec<_>>())
    })
}

/// The text between the edits.
fn kept(text: &str, edits: &[Edit]) -> Vec<String> {
    let starts = std::iter::once(0).chain(edits.iter().map(|e| e.end));
    let ends = edits.iter().map(|e| e.start).chain(std::iter::once(text.len()));
    starts.zip(ends).map(|(start, end)| text[start..end].to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The spans are validated as the value tree of serde_json is, which every other user validates.
    #[test]
    fn spans_validate_like_values(schema in schema(), body in body()) {
        let tool = Tool::new("t", &schema);
        let got = tool.admits(&body);
        let (Ok(schema), Ok(value)) = (serde_json::from_str(&schema), serde_json::from_str::<serde_json::Value>(&body)) else {
            return Ok(()); // half of a surrogate pair
        };
        match jsonschema::options().with_draft(jsonschema::Draft::Draft202012).offline().should_validate_formats(false).build(&schema) {
            Ok(validator) if tool.unusable().is_none() => {
                prop_assert_eq!(got == Admission::Valid, validator.is_valid(&value), "{}", body);
            }
            _ => prop_assert!(matches!(got, Admission::Unvalidatable { .. }), "{got:?}"),
        }
    }

    /// What is settled is admitted, has declared keys only, stays as it is, and differs at the edits only.
    #[test]
    fn settling_is_done_once((schema, body) in prop_oneof![(schema(), body()), (Just(TOOL.to_owned()), call())]) {
        let tool = Tool::new("t", &schema);
        let edits = tool.settle(&body);
        if edits.is_empty() {
            return Ok(());
        }
        prop_assert!(!tool.admits(&body).allows());
        let after = edit::apply(&body, &edits).expect("sorted, disjoint edits");
        prop_assert_eq!(tool.admits(&after), Admission::Valid);
        prop_assert!(tool.declared_only(&after));
        prop_assert_eq!(tool.settle(&after), vec![]);
        let back = edit::invert(&body, &edits).expect("invertible");
        prop_assert_eq!(kept(&body, &edits), kept(&after, &back));
        prop_assert_eq!(edit::apply(&after, &back), Ok(body));
    }

    /// Nothing is asked that ends in a panic, whatever the texts.
    #[test]
    fn no_text_is_too_strange(schema in text(), body in text()) {
        for tool in [Some(Tool::new("t", &schema)), Tool::one(&schema).ok()].into_iter().flatten() {
            tool.admits(&body);
            edit::apply(&body, &tool.settle(&body)).expect("sorted, disjoint edits");
            tool.examine(&body);
            tool.declared_only(&body);
            tool.proves_whole(&body, 2);
            tool.declares(&body);
            tool.takes_nothing();
        }
        _ = Tool::list(&body);
    }
}

/// Texts that are JSON, nearly JSON, or anything.
fn text() -> impl Strategy<Value = String> {
    let near = (
        prop_oneof![schema(), body(), value()],
        any::<prop::sample::Index>(),
        "[{}\\[\\],:\"\\\\a1n \u{e9}]{0,2}",
    )
        .prop_map(|(text, at, put)| {
            let at = at.index(text.len() + 1);
            let at = (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
            format!("{}{put}{}", &text[..at], text[at..].chars().skip(1).collect::<String>())
        });
    prop_oneof![4 => near, 2 => schema(), 2 => body(), 1 => any::<String>()]
}
