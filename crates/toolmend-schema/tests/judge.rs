//! What a schema says about keys, wholeness and oddities.

use toolmend_core::{Admission, Evidence, Judge, Note, NoteKind};
use toolmend_schema::Tool;

const SCHEMA: &str = r##"{
    "type": "object",
    "properties": {
        "a": {"type": "string"},
        "opts": {"type": "object", "properties": {"x": {}, "y": {}}},
        "free": {"type": "object"},
        "list": {"type": "array", "items": {"$ref": "#/$defs/point"}},
        "tuple": {"type": "array", "prefixItems": [{"$ref": "#/$defs/point"}], "items": {"type": "object", "properties": {"z": {}}}},
        "map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/point"}},
        "headers": {"type": "object", "patternProperties": {"^x-": {"type": "object", "properties": {"v": {}}}}},
        "either": {"anyOf": [{"$ref": "#/$defs/point"}, {"type": "object", "properties": {"url": {}}}]},
        "tree": {"$ref": "#/$defs/tree"}
    },
    "allOf": [{"properties": {"extra": {}}}],
    "if": {"properties": {"only_tested": {}}},
    "then": {"properties": {"follows": {}}},
    "$defs": {
        "point": {"type": "object", "properties": {"x": {}, "y": {}}, "required": ["x"]},
        "tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}, "v": {}}}
    }
}"##;

#[test]
fn keys_are_declared_at_every_depth() {
    let tool = Tool::new("t", SCHEMA);
    for (body, only) in [
        ("{}", true),
        (r#"{"a":1,"extra":2,"follows":3}"#, true),
        (r#"{"\u0061":1}"#, true),
        (r#"{"b":1}"#, false),
        (r#"{"only_tested":1}"#, false),
        (r#"{"opts":{"x":1,"y":2}}"#, true),
        (r#"{"opts":{"z":1}}"#, false),
        (r#"{"opts":[{"z":1}]}"#, true),
        (r#"{"free":{"anything":{"goes":1}}}"#, true),
        (r#"{"list":[{"x":1},{"y":2}]}"#, true),
        (r#"{"list":[{"x":1},{"z":2}]}"#, false),
        (r#"{"tuple":[{"x":1},{"z":1}]}"#, true),
        (r#"{"tuple":[{"z":1}]}"#, false),
        (r#"{"tuple":[{},{"x":1}]}"#, false),
        (r#"{"map":{"any":{"x":1}}}"#, true),
        (r#"{"map":{"any":{"z":1}}}"#, false),
        (r#"{"headers":{"x-a":{"v":1}}}"#, true),
        (r#"{"headers":{"a":{}}}"#, false),
        (r#"{"headers":{"x-a":{"w":1}}}"#, false),
        (r#"{"either":{"x":1,"url":2}}"#, true),
        (r#"{"either":{"z":1}}"#, false),
        (r#"{"tree":{"left":{"left":{"v":1}}}}"#, true),
        (r#"{"tree":{"left":{"left":{"w":1}}}}"#, false),
        // The first of two members with one key is looked at too.
        (r#"{"opts":{"z":1},"opts":{}}"#, false),
        ("not JSON", false),
    ] {
        assert_eq!(tool.declared_only(body), only, "{body}");
    }
    let open = Tool::new("t", r#"{"type":"object"}"#);
    assert!(open.declared_only(r#"{"anything":{"at":["all"]}}"#));
}

#[test]
fn whole_is_what_cannot_lack_anything() {
    let tool = Tool::new(
        "t",
        r#"{"type":"object","properties":{
            "path":{"type":"string"},
            "opts":{"type":"object","properties":{"x":{},"y":{}},"required":["x"]},
            "list":{"type":"array"},
            "free":{"type":"object"},
            "map":{"type":"object","properties":{"k":{}},"additionalProperties":{"type":"string"}}
        },"required":["path"]}"#,
    );
    let all = |last: &str| {
        let mut members = vec![
            r#""path":"a""#,
            r#""opts":{"x":1,"y":2}"#,
            r#""list":[1]"#,
            r#""free":{}"#,
            r#""map":{"k":1}"#,
        ];
        let at = members.iter().position(|m| m.starts_with(last)).expect("a member");
        let last = members.remove(at);
        members.push(last);
        format!("{{{}}}", members.join(","))
    };
    for (body, closed, whole) in [
        (all("\"path\""), 1, true),
        // A closed object inside says nothing about the one around it.
        (all("\"opts\""), 1, true),
        (all("\"opts\""), 2, true),
        (all("\"list\""), 1, true),
        (all("\"list\""), 2, false),
        (all("\"free\""), 1, true),
        (all("\"free\""), 2, false),
        // It may have further members whose names nobody knows.
        (all("\"map\""), 2, false),
        // More closers than there are containers.
        (all("\"path\""), 2, false),
        (all("\"opts\""), 3, false),
        // An optional property is not there.
        (all("\"path\"").replace("\"y\":2", "\"z\":2"), 1, true),
        (all("\"opts\"").replace(",\"y\":2", ""), 2, false),
        (all("\"opts\"").replace(",\"y\":2", ""), 1, true),
        (r#"{"path":"a"}"#.to_owned(), 1, false),
        ("{}".to_owned(), 1, false),
        (r#"{"path":"a"}"#.to_owned(), 0, true),
        ("not JSON".to_owned(), 1, false),
    ] {
        assert_eq!(tool.proves_whole(&body, closed), whole, "{body} {closed}");
    }
    for (schema, whole) in [
        (r#"{"properties":{"a":{}}}"#, true),
        (r#"{"properties":{"a":{}},"additionalProperties":false}"#, true),
        (r#"{"properties":{"a":{}},"additionalProperties":true}"#, false),
        (r#"{"properties":{"a":{}},"patternProperties":{"b":{}}}"#, false),
        (r#"{"properties":{"a":{}},"anyOf":[{"properties":{"b":{}}},true]}"#, false),
        (r##"{"$ref":"#/$defs/d","$defs":{"d":{"properties":{"a":{}}}}}"##, true),
        (r#"{"type":"object"}"#, false),
        (r#"{"properties":{}}"#, false),
        ("true", false),
    ] {
        assert_eq!(Tool::new("t", schema).proves_whole(r#"{"a":1}"#, 1), whole, "{schema}");
    }
}

#[test]
fn a_key_is_declared_at_the_top() {
    let tool = Tool::new("t", SCHEMA);
    for (key, declared) in
        [("a", true), ("extra", true), ("follows", true), ("x", false), ("only_tested", false), ("", false)]
    {
        assert_eq!(tool.declares(key), declared, "{key}");
    }
}

#[test]
fn a_tool_may_take_nothing() {
    for (tool, nothing) in [
        (r#"{"type":"object","properties":{}}"#, true),
        (r#"{"type":"object"}"#, true),
        ("{}", true),
        (r#"{"type":"object","properties":{},"additionalProperties":false}"#, true),
        (r#"{"type":"function","function":{"name":"now"}}"#, true),
        (r#"{"type":"object","properties":{"a":{}}}"#, false),
        (r#"{"type":"object","additionalProperties":{"type":"string"}}"#, false),
        (r#"{"type":"object","additionalProperties":true}"#, false),
        (r#"{"type":"object","patternProperties":{"a":{}}}"#, false),
        (r#"{"type":"object","required":["a"]}"#, false),
        (r#"{"type":"object","minProperties":1}"#, false),
        (r#"{"allOf":[{"properties":{"a":{}}}]}"#, false),
        (r##"{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"a":{}}}}}"##, false),
        (r#"{"type":"string"}"#, false),
        ("true", false),
        ("false", false),
        (r#"{"type":"web_search","name":"search"}"#, false),
        (r#"{"type":"object","properties":{},"allOf":1}"#, false),
    ] {
        assert_eq!(Tool::one(tool).expect("a tool").takes_nothing(), nothing, "{tool}");
    }
}

#[test]
fn oddities_are_noted() {
    use NoteKind::{ControlInPath, DuplicateKey, EmptyForRequired, SwallowedParameter};
    let tool = Tool::new(
        "t",
        r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"preset":{},
            "edits":{"type":"array","items":{"type":"object","properties":{"old":{},"new":{}}}}},"required":["path"]}"#,
    );
    let rows: &[(&str, &[(NoteKind, &str)])] = &[
        (r#"{"path":"a"}"#, &[]),
        // What is not admitted is not used, and the verdict says why.
        ("{}", &[]),
        (r#"{"path":"a","content":"x","path":"b"}"#, &[(DuplicateKey, "/path")]),
        (r#"{"path":"a","edits":[{},{"old":1,"\u006fld":2}]}"#, &[(DuplicateKey, "/edits/1/old")]),
        // A parameter in another's value.
        (
            r#"{"path":"a","content":"Flat UI.</content>\n<parameter name=\"preset\">1024"}"#,
            &[(SwallowedParameter, "/content")],
        ),
        (
            r#"{"path":"a","content":"Flat UI.</parameter>\n<parameter=preset>\n1024"}"#,
            &[(SwallowedParameter, "/content")],
        ),
        (
            r#"{"path":"a","edits":[{"old":"x</old>\n<parameter name=\"new\">y"}]}"#,
            &[(SwallowedParameter, "/edits/0/old")],
        ),
        (r#"{"path":"a","preset":1,"content":"x</content>\n<parameter name=\"preset\">1"}"#, &[]),
        (r#"{"path":"a","content":"x</content>\n<parameter name=\"other\">1"}"#, &[]),
        (r#"{"path":"a","content":"write <parameter name=\"preset\"> there"}"#, &[]),
        // A path whose backslashes were read as escapes.
        (r#"{"path":"C:\temp\new\report.txt"}"#, &[(ControlInPath, "/path")]),
        (r#"{"path":"src\new.rs"}"#, &[(ControlInPath, "/path")]),
        (r#"{"path":"a","content":"C:\temp"}"#, &[(ControlInPath, "/content")]),
        (r#"{"path":"a","content":"C:\\bin\new"}"#, &[(ControlInPath, "/content")]),
        (r#"{"path":"C:\\temp\\new"}"#, &[]),
        (r#"{"path":"a","content":"line one\nline two\n"}"#, &[]),
        (r#"{"path":"a","content":"C:\\bin is a folder\nand more"}"#, &[]),
        (r#"{"path":"C:\new folder\temp"}"#, &[(ControlInPath, "/path")]),
        (r#"{"path":"/tmp/a b"}"#, &[]),
        (r#"{"path":"not one, but\nlines of text"}"#, &[]),
    ];
    for (body, notes) in rows {
        let got: Vec<_> = tool.examine(body).1.into_iter().map(|Note { kind, at }| (kind, at)).collect();
        let want: Vec<_> = notes.iter().map(|&(kind, at)| (kind, at.to_owned())).collect();
        assert_eq!(got, want, "{body}");
    }
    let either = Tool::new("t", r#"{"anyOf":[{"required":["path"]},{"maxProperties":2}]}"#);
    let empty = Note { kind: EmptyForRequired, at: String::new() };
    assert_eq!(either.examine(" { } "), (Admission::Valid, vec![empty]));
    let none = Tool::one(r#"{"type":"bash_1","name":"bash"}"#).expect("a tool");
    assert_eq!(none.examine(r#"{"a":1,"a":2}"#).1, [Note { kind: DuplicateKey, at: "/a".to_owned() }]);
}

#[test]
fn notes_end_at_their_limit() {
    use toolmend_schema::limits::MAX_NOTES;
    let twice = |n: usize| format!("{{{}\"z\":0}}", "\"a\":1,".repeat(n + 1));
    let tool = Tool::new("t", "{}");
    assert_eq!(tool.examine(&twice(MAX_NOTES - 1)).1.len(), MAX_NOTES - 1);
    assert_eq!(tool.examine(&twice(MAX_NOTES + 5)).1.len(), MAX_NOTES);
}

/// A name with a colon before the object may be the key of a larger one, unless the schema declares no such key.
#[test]
fn a_name_before_the_object() {
    let closed = r#"{"type":"object","properties":{"a":{"type":"string"},"opts":{"type":"object"}}}"#;
    for (schema, text, object) in [
        (closed, "You said \"go\", so:\n{\"a\":\"x\"}}", Some("{\"a\":\"x\"}")),
        (closed, "opts: {\"a\":\"x\"}}", None),
        // As it is declared, in another spelling.
        (closed, "Opts: {\"a\":\"x\"}}", None),
        // Nothing is known of the keys.
        (r#"{"type":"object"}"#, "You said \"go\", so:\n{\"a\":\"x\"}}", None),
    ] {
        let tool = Tool::new("t", schema);
        let verdict = toolmend_core::mend(text, &Evidence::whole(), &tool);
        assert_eq!(verdict.text(text), object, "{schema} {text}: {verdict:?}");
    }
}
