//! Tools in every form in which they are described.

use toolmend_core::{Admission, Judge};
use toolmend_schema::{Tool, ToolError};

/// A tool's name, and whether it wants `n`.
type Read = (Option<&'static str>, bool);

/// Each description: the names of its tools, and whether each wants `{"n": <integer>}`.
#[test]
fn every_form_is_read() {
    const SCHEMA: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    const GEMINI: &str = r#"{"type":"OBJECT","properties":{"n":{"type":"INTEGER"}},"required":["n"]}"#;
    let rows: &[(&str, &[Read])] = &[
        (
            r#"{"type":"function","function":{"name":"a","description":"d","parameters":<schema>}}"#,
            &[(Some("a"), true)],
        ),
        (r#"{"function":{"name":"a","parameters":<schema>}}"#, &[(Some("a"), true)]),
        (r#"{"type":"function","name":"a","strict":true,"parameters":<schema>}"#, &[(Some("a"), true)]),
        (r#"{"name":"a","description":"d","input_schema":<schema>}"#, &[(Some("a"), true)]),
        (r#"{"type":"custom","name":"a","input_schema":<schema>}"#, &[(Some("a"), true)]),
        (r#"{"name":"a","title":"A","inputSchema":<schema>,"outputSchema":{}}"#, &[(Some("a"), true)]),
        (r#"{"name":"a","parameters":<schema>}"#, &[(Some("a"), true)]),
        (
            r#"{"functionDeclarations":[{"name":"a","parameters":<gemini>},{"name":"b","parametersJsonSchema":<schema>}]}"#,
            &[(Some("a"), true), (Some("b"), true)],
        ),
        (
            r#"{"tools":[{"function_declarations":[{"name":"a","parameters":<gemini>}]},{"googleSearch":{}}]}"#,
            &[(Some("a"), true)],
        ),
        (
            r#"[{"functionDeclarations":[{"name":"a","parameters":<gemini>}]},{"function":{"name":"b","parameters":<schema>}}]"#,
            &[(Some("a"), true), (Some("b"), true)],
        ),
        ("<schema>", &[(None, true)]),
        ("<gemini>", &[(None, true)]),
        (r##"{"$ref":"#/$defs/x","$defs":{"x":<schema>}}"##, &[(None, true)]),
        (
            r#"[{"name":"a","inputSchema":<schema>},{"name":"b","input_schema":<schema>},<schema>]"#,
            &[(Some("a"), true), (Some("b"), true), (None, true)],
        ),
        (
            r#"{"model":"m","tools":[{"name":"a","inputSchema":<schema>},{"name":"b","inputSchema":<schema>}]}"#,
            &[(Some("a"), true), (Some("b"), true)],
        ),
        (
            r#"{"type":"namespace","name":"ns","tools":[{"type":"function","name":"a","parameters":<schema>}]}"#,
            &[(Some("a"), true)],
        ),
        // Nothing is wanted.
        (r#"{"type":"function","function":{"name":"a"}}"#, &[(Some("a"), false)]),
        (r#"{"type":"function","name":"a","parameters":null}"#, &[(Some("a"), false)]),
        (r#"{"name":"a","description":"d"}"#, &[(Some("a"), false)]),
        ("{}", &[(None, false)]),
        ("true", &[(None, false)]),
        // Those that a server runs.
        (r#"{"type":"bash_20250124","name":"bash"}"#, &[(Some("bash"), false)]),
        (r#"{"type":"custom","custom":{"name":"sql","format":{}}}"#, &[(Some("sql"), false)]),
        (r#"{"type":"custom","custom":[1]}"#, &[(None, false)]),
        (r#"[{"type":"web_search"}]"#, &[(None, false)]),
        ("[]", &[]),
        (r#"{"tools":[]}"#, &[]),
    ];
    for (text, tools) in rows {
        let text = text.replace("<schema>", SCHEMA).replace("<gemini>", GEMINI);
        let read = Tool::list(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let got: Vec<_> = read
            .iter()
            .map(|tool| {
                let wants = !tool.admits(r#"{"n":"x"}"#).allows() && !tool.admits("{}").allows();
                assert!(tool.admits(r#"{"n":1}"#).allows(), "{text}");
                (tool.name(), wants)
            })
            .collect();
        assert_eq!(&got, tools, "{text}");
    }
}

#[test]
fn a_schema_with_a_type_that_is_none_is_no_tool_of_the_server() {
    for text in [
        r#"{"type":"objct","properties":{"n":{"type":"integer"}}}"#,
        r#"{"type":"Object ","required":["n"]}"#,
    ] {
        let read = Tool::list(text).unwrap();
        assert!(read[0].unusable().is_some(), "{text}");
    }
}

#[test]
fn what_is_no_tool_is_named() {
    for (text, error) in [
        ("", ToolError::NotJson { at: 0 }),
        ("{\"a\":", ToolError::NotJson { at: 5 }),
        ("nope", ToolError::NotJson { at: 0 }),
        ("3", ToolError::NotATool { at: 0 }),
        ("null", ToolError::NotATool { at: 0 }),
        (r#"[{"name":"a","parameters":{}}, 5]"#, ToolError::NotATool { at: 31 }),
        (r#"{"hello": 1}"#, ToolError::NotATool { at: 0 }),
        (r#"{"name": 5}"#, ToolError::NotATool { at: 0 }),
        (r#"{"function": "f"}"#, ToolError::WrongType { at: 13, part: "function", expected: "an object" }),
        (r#"{"function": {"name": 1}}"#, ToolError::WrongType { at: 22, part: "name", expected: "a string" }),
        (
            r#"{"name": "a", "input_schema": []}"#,
            ToolError::WrongType { at: 30, part: "input_schema", expected: "a JSON Schema" },
        ),
        (r#"{"tools": {}}"#, ToolError::WrongType { at: 10, part: "tools", expected: "a list" }),
        (
            r#"{"functionDeclarations": {}}"#,
            ToolError::WrongType { at: 25, part: "functionDeclarations", expected: "a list" },
        ),
    ] {
        assert_eq!(Tool::list(text).err(), Some(error), "{text}");
        assert!(!error.to_string().is_empty());
    }
    assert_eq!(Tool::list(&"[".repeat(5000)).err(), Some(ToolError::TooLarge));
}

#[test]
fn one_tool_is_one() {
    assert_eq!(Tool::one("[]").err(), Some(ToolError::NotOne { count: 0 }));
    assert_eq!(
        Tool::one(r#"[{"name":"a"},{"name":"b"},{"name":"c"}]"#).err(),
        Some(ToolError::NotOne { count: 3 })
    );
    assert_eq!(Tool::one(r#"[{"name":"a"}]"#).map(|t| t.name().map(str::to_owned)), Ok(Some("a".to_owned())));
}

#[test]
fn the_schema_stays_as_it_was_written() {
    let tool =
        Tool::one(r#"{"name":"a","input_schema": { "maximum" : 1e400, "x": 1.10 } }"#).expect("a tool");
    assert_eq!(tool.schema(), Some(r#"{ "maximum" : 1e400, "x": 1.10 }"#));
    let built_in = Tool::one(r#"{"type":"bash_20250124","name":"bash"}"#).expect("a tool");
    assert_eq!((built_in.schema(), built_in.admits("{}")), (None, Admission::NotApplicable));
}

#[test]
fn gemini_writes_types_in_capitals_and_null_apart() {
    let tool = Tool::one(
        r#"{"functionDeclarations":[{"name":"t","parameters":{"type":"OBJECT","properties":{
            "s":{"type":"STRING","nullable":true},"l":{"type":"ARRAY","items":{"type":"NUMBER"},"minItems":"2"},
            "u":{"type":"STRING","enum":["A","b"],"format":"enum"}}}}]}"#,
    )
    .expect("a tool");
    for (body, valid) in [
        (r#"{"s":null,"l":[1,2.5],"u":"A"}"#, true),
        (r#"{"s":1}"#, false),
        (r#"{"l":[1]}"#, false),
        (r#"{"l":null}"#, false),
        (r#"{"u":"a"}"#, false),
    ] {
        assert_eq!(tool.admits(body) == Admission::Valid, valid, "{body}");
    }
}
