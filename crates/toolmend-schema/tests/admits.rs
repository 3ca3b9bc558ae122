//! What the schema admits, and what is said where it does not.

use toolmend_core::{Admission, Judge};
use toolmend_schema::Tool;

enum Want {
    Valid,
    Invalid(&'static str),
    Unusable,
}
use Want::{Invalid, Unusable, Valid};

fn run(rows: &[(&str, &str, Want)]) {
    for (schema, body, want) in rows {
        let tool = Tool::new("t", schema);
        let got = tool.admits(body);
        match (want, &got) {
            (Valid, Admission::Valid) => {}
            (Invalid(at), Admission::Invalid { at: found, what }) if at == found && !what.is_empty() => {}
            (Unusable, Admission::Unvalidatable { why }) if Some(why.as_str()) == tool.unusable() => {}
            _ => panic!("{schema} {body}: {got:?}"),
        }
    }
}

#[test]
fn the_words_of_json_schema() {
    run(&[
        ("{}", r#"{"a":1}"#, Valid),
        ("true", "{}", Valid),
        ("false", "{}", Invalid("")),
        (r#"{"type":"object"}"#, "[]", Invalid("")),
        (r#"{"properties":{"a":{"type":"integer"}}}"#, r#"{"a":5}"#, Valid),
        (r#"{"properties":{"a":{"type":"integer"}}}"#, r#"{"a":"5"}"#, Invalid("/a")),
        (
            r#"{"properties":{"a/b~":{"items":{"type":"null"}}}}"#,
            r#"{"a/b~":[null,1]}"#,
            Invalid("/a~1b~0/1"),
        ),
        (r#"{"required":["a"]}"#, r#"{"b":1}"#, Invalid("")),
        (r#"{"required":["a"]}"#, r#"{"\u0061":1}"#, Valid),
        (r#"{"properties":{"a":{}},"additionalProperties":false}"#, r#"{"a":1,"b":2}"#, Invalid("")),
        (r#"{"additionalProperties":{"type":"string"}}"#, r#"{"a":"x","b":2}"#, Invalid("/b")),
        (r#"{"patternProperties":{"^x-":{"type":"string"}}}"#, r#"{"x-a":1}"#, Invalid("/x-a")),
        (r#"{"propertyNames":{"pattern":"^[a-z]+$"}}"#, r#"{"A":1}"#, Invalid("")),
        (r#"{"properties":{"a":{"pattern":"^\\d{3}$"}}}"#, r#"{"a":"12"}"#, Invalid("/a")),
        (r#"{"properties":{"a":{"pattern":"^\\d{3}$"}}}"#, r#"{"a":"\u0031\u0032\u0033"}"#, Valid),
        (r#"{"properties":{"a":{"enum":["x",{"k":[1]}]}}}"#, r#"{"a":{"k":[1.0]}}"#, Valid),
        (r#"{"properties":{"a":{"enum":["x"]}}}"#, r#"{"a":"y"}"#, Invalid("/a")),
        (r#"{"properties":{"a":{"const":null}}}"#, r#"{"a":0}"#, Invalid("/a")),
        (r#"{"properties":{"a":{"uniqueItems":true}}}"#, r#"{"a":[1,1.0]}"#, Invalid("/a")),
        (r#"{"properties":{"a":{"minLength":2,"maxLength":2}}}"#, r#"{"a":"北京"}"#, Valid),
        (r#"{"properties":{"a":{"maxLength":1}}}"#, r#"{"a":"\ud83d\ude00"}"#, Valid),
        (
            r#"{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}"#,
            r#"{"a":"x"}"#,
            Invalid("/a"),
        ),
        // Where one alternative is plainly meant, its own fault is named.
        (
            r#"{"properties":{"a":{"anyOf":[{"properties":{"b":{"type":"integer"}},"type":"object"},{"type":"null"}]}}}"#,
            r#"{"a":{"b":"x"}}"#,
            Invalid("/a/b"),
        ),
        (r#"{"properties":{"a":{"oneOf":[{"minimum":1},{"minimum":2}]}}}"#, r#"{"a":3}"#, Invalid("/a")),
        (r#"{"allOf":[{"required":["a"]},{"required":["b"]}]}"#, r#"{"a":1}"#, Invalid("")),
        (r#"{"if":{"required":["a"]},"then":{"required":["b"]}}"#, r#"{"a":1}"#, Invalid("")),
        (r#"{"dependentRequired":{"a":["b"]}}"#, r#"{"a":1}"#, Invalid("")),
        (r#"{"properties":{"a":{"contains":{"const":1},"maxContains":1}}}"#, r#"{"a":[1,1]}"#, Invalid("/a")),
        (
            r#"{"unevaluatedProperties":false,"allOf":[{"properties":{"a":{}}}]}"#,
            r#"{"a":1,"b":1}"#,
            Invalid(""),
        ),
        // A format is an annotation.
        (r#"{"properties":{"a":{"type":"string","format":"date-time"}}}"#, r#"{"a":"tomorrow"}"#, Valid),
        // What most parsers keep of a key that stands twice.
        (r#"{"properties":{"a":{"type":"integer"}},"maxProperties":1}"#, r#"{"a":"x","a":1}"#, Valid),
        (r#"{"properties":{"a":{"type":"integer"}}}"#, r#"{"a":1,"\u0061":"x"}"#, Invalid("/a")),
        // What is no JSON is not admitted.
        ("{}", r#"{"a":1"#, Invalid("")),
        ("{}", "", Invalid("")),
    ]);
}

#[test]
fn numbers_are_what_their_digits_say() {
    let a = |schema: &str| format!(r#"{{"properties":{{"a":{schema}}}}}"#);
    for (schema, number, valid) in [
        (r#"{"type":"integer"}"#, "123456789012345678901234", true),
        (r#"{"type":"integer"}"#, "1e400", true),
        (r#"{"type":"integer"}"#, "5.0", true),
        (r#"{"type":"integer"}"#, "12345678901234567890.5", false),
        (r#"{"type":"integer"}"#, "1e-400", false),
        (r#"{"type":"number"}"#, "1e400", true),
        (r#"{"maximum":100}"#, "123456789012345678901234", false),
        (r#"{"minimum":100}"#, "123456789012345678901234", true),
        (r#"{"maximum":100}"#, "-123456789012345678901234", true),
        (r#"{"maximum":1.7976931348623157e308}"#, "1e400", false),
        (r#"{"minimum":0}"#, "1e400", true),
        (r#"{"minimum":0}"#, "-1e400", false),
        (r#"{"maximum":9007199254740993}"#, "9007199254740993", true),
        (r#"{"maximum":9007199254740992}"#, "9007199254740993", false),
        (r#"{"exclusiveMinimum":0}"#, "0.0", false),
        (r#"{"multipleOf":2}"#, "123456789012345678901234", true),
        (r#"{"multipleOf":2}"#, "123456789012345678901235", false),
        (r#"{"multipleOf":2}"#, "1e400", true),
        (r#"{"multipleOf":3}"#, "1e400", false),
        (r#"{"multipleOf":0.01}"#, "1.10", true),
        (r#"{"multipleOf":0.01}"#, "1.101", false),
        (r#"{"const":1.1}"#, "1.10", true),
        (r#"{"const":100}"#, "1e2", true),
        (r#"{"enum":[18446744073709551615]}"#, "18446744073709551615", true),
        (r#"{"enum":[18446744073709551615]}"#, "18446744073709551616", false),
        (r#"{"enum":[1.2345678901234568e23]}"#, "123456789012345678901234", false),
        (r#"{"enum":[1.2345678901234568e23]}"#, "123456789012345680000000", true),
        (r#"{"const":{"n":0.1}}"#, r#"{"n":0.1000000000000000000000001}"#, false),
        // Beyond 64 bits, bounds and a bare `const` are compared to the precision of a double.
        (r#"{"const":0.1}"#, "0.1000000000000000000000001", true),
        (r#"{"maximum":0.1}"#, "0.1000000000000000000000001", true),
        (r#"{"maximum":1e22}"#, "10000000000000000000001", true),
        (r#"{"maximum":1e22}"#, "10000000000000100000000", false),
    ] {
        let got = Tool::new("t", &a(schema)).admits(&format!(r#"{{"a":{number}}}"#));
        let want =
            if valid { matches!(got, Admission::Valid) } else { matches!(got, Admission::Invalid { .. }) };
        assert!(want, "{schema} {number}: {got:?}");
    }
    // Where the schema's own number cannot be held, nothing is compared with it.
    for schema in [
        r#"{"const":123456789012345678901234}"#,
        r#"{"maximum":1e400}"#,
        r#"{"enum":[0.1000000000000000000000001]}"#,
    ] {
        run(&[(a(schema).as_str(), r#"{"a":1}"#, Unusable)]);
    }
}

#[test]
fn every_draft_is_read_by_its_own_rules() {
    let pair = r#""properties":{"a":{"items":[{"type":"integer"}],"additionalItems":false}}"#;
    let half_open = r#""properties":{"a":{"maximum":5,"exclusiveMaximum":true}}"#;
    let draft = |uri: &str, rest: &str| format!(r#"{{"$schema":"{uri}",{rest}}}"#);
    for (schema, body, valid) in [
        (draft("http://json-schema.org/draft-04/schema#", half_open), r#"{"a":5}"#, false),
        (
            draft("http://json-schema.org/draft-04/schema#", r#""properties":{"a":{"type":"integer"}}"#),
            r#"{"a":5.0}"#,
            false,
        ),
        (draft("http://json-schema.org/draft-06/schema#", pair), r#"{"a":[1,2]}"#, false),
        (draft("http://json-schema.org/draft-07/schema#", pair), r#"{"a":[1,2]}"#, false),
        (
            draft(
                "http://json-schema.org/draft-07/schema#",
                r##""definitions":{"i":{"type":"integer"}},"properties":{"a":{"$ref":"#/definitions/i"}}"##,
            ),
            r#"{"a":"x"}"#,
            false,
        ),
        (draft("https://json-schema.org/draft/2019-09/schema", pair), r#"{"a":[1,2]}"#, false),
        (
            draft(
                "https://json-schema.org/draft/2020-12/schema",
                r#""properties":{"a":{"prefixItems":[{"type":"integer"}],"items":false}}"#,
            ),
            r#"{"a":[1,2]}"#,
            false,
        ),
        // Without a draft, the newest that takes the schema.
        (format!("{{{pair}}}"), r#"{"a":[1,2]}"#, false),
        (format!("{{{pair}}}"), r#"{"a":[1]}"#, true),
        (format!("{{{half_open}}}"), r#"{"a":5}"#, false),
        (format!("{{{half_open}}}"), r#"{"a":4}"#, true),
        // A draft that nobody knows says nothing.
        (draft("https://example.com/my-schema", r#""required":["a"]"#), "{}", false),
        (draft("http://json-schema.org/schema#", r#""required":["a"]"#), "{}", false),
    ] {
        let tool = Tool::new("t", &schema);
        assert_eq!(tool.unusable(), None, "{schema}");
        assert_eq!(tool.admits(body) == Admission::Valid, valid, "{schema} {body}");
    }
}

#[test]
fn references_stay_inside() {
    run(&[
        (r##"{"$ref":"#/$defs/a","$defs":{"a":{"required":["x"]}}}"##, "{}", Invalid("")),
        (
            r##"{"properties":{"n":{"$ref":"#"}},"required":["v"]}"##,
            r#"{"v":1,"n":{"v":2,"n":{}}}"#,
            Invalid("/n/n"),
        ),
        (r##"{"$ref":"#named","$defs":{"a":{"$anchor":"named","required":["x"]}}}"##, "{}", Invalid("")),
        (
            r##"{"$defs":{"a":{"$id":"https://x.example/a","required":["x"]}},"$ref":"https://x.example/a"}"##,
            "{}",
            Invalid(""),
        ),
        (r#"{"$ref":"http://127.0.0.1:9/schema.json"}"#, "{}", Unusable),
        (r#"{"$ref":"https://example.com/schema.json"}"#, "{}", Unusable),
        (r#"{"$ref":"file:///etc/passwd"}"#, "{}", Unusable),
        (r#"{"$ref":"/etc/passwd"}"#, "{}", Unusable),
        (r#"{"$ref":"other.json"}"#, "{}", Unusable),
        (r#"{"$id":"file:///etc/","$ref":"passwd"}"#, "{}", Unusable),
        (r##"{"$ref":"#/$defs/nowhere"}"##, "{}", Unusable),
    ]);
}

/// A server that a hostile reference names must never be asked.
#[test]
fn a_hostile_reference_is_not_fetched() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    server.set_nonblocking(true).expect("a socket");
    let address = server.local_addr().expect("an address");
    let file = std::env::temp_dir().join(format!("toolmend-schema-{}.json", std::process::id()));
    std::fs::write(&file, "{}").expect("a file");
    let base = |uri: &str| {
        [
            format!(r#"{{"$ref":"{uri}"}}"#),
            format!(r#"{{"$schema":"{uri}"}}"#),
            format!(r#"{{"$id":"{uri}","properties":{{"a":{{"$ref":"?b"}}}}}}"#),
            format!(r#"{{"properties":{{"a":{{"$dynamicRef":"{uri}#x"}}}}}}"#),
        ]
    };
    for schema in base(&format!("http://{address}/s.json")) {
        let admission = Tool::new("t", &schema).admits("{}");
        assert!(
            schema.contains("$schema") || matches!(admission, Admission::Unvalidatable { .. }),
            "{schema}"
        );
    }
    let at = file.display().to_string().replace('\\', "/");
    for schema in base(&format!("file://{at}")).into_iter().filter(|s| s.starts_with("{\"$ref")) {
        // The file holds a schema that admits everything: had it been read, this would be valid.
        assert!(matches!(Tool::new("t", &schema).admits("{}"), Admission::Unvalidatable { .. }), "{schema}");
    }
    std::fs::remove_file(&file).expect("removed");
    assert_eq!(server.accept().map_err(|e| e.kind()).err(), Some(std::io::ErrorKind::WouldBlock));
}

#[test]
fn an_unusable_schema_blocks_nothing() {
    for schema in [
        "{",
        "[]",
        "\"x\"",
        r#"{"type":"strin"}"#,
        r#"{"type":1}"#,
        r#"{"properties":[]}"#,
        r#"{"required":true}"#,
        r#"{"properties":{"a":{"required":true}}}"#,
        r#"{"properties":{"a":{"pattern":"("}}}"#,
        r#"{"properties":{"a":{"pattern":"^(?!x)y"}}}"#,
        r#"{"properties":{"a":{"pattern":"(a{1,1000}){1,1000}"}}}"#,
        r##"{"$ref":"#"}"##,
    ] {
        let tool = Tool::new("t", schema);
        let why = tool.unusable().unwrap_or_else(|| panic!("{schema} is usable")).to_owned();
        assert!(!why.is_empty() && why.chars().count() < 400, "{why}");
        assert_eq!(tool.admits(r#"{"a":1}"#), Admission::Unvalidatable { why }, "{schema}");
        assert!(tool.admits("{}").allows());
        assert!(tool.declared_only(r#"{"z":1}"#));
        assert_eq!(tool.settle(r#"{"a":1}"#), []);
        assert!(!tool.declares("a") && !tool.takes_nothing() && !tool.proves_whole("{}", 1), "{schema}");
    }
}

#[test]
fn what_is_wrong_is_said_without_repeating_it() {
    for (schema, body, what) in [
        (r#"{"properties":{"a":{"type":"integer"}}}"#, r#"{"a":"secret"}"#, "string instead of integer"),
        (
            r#"{"properties":{"a":{"type":["integer","null"]}}}"#,
            r#"{"a":[]}"#,
            "array instead of null or integer",
        ),
        (r#"{"required":["a"]}"#, "{}", "the required \"a\" is missing"),
        (r#"{"properties":{"a":{}},"additionalProperties":false}"#, r#"{"x":1}"#, "\"x\" is not declared"),
        (r#"{"additionalProperties":false}"#, r#"{"x":1}"#, "not allowed here"),
        (r#"{"properties":{"a":{"enum":["x"]}}}"#, r#"{"a":"secret"}"#, "not one of the allowed values"),
        (r#"{"properties":{"a":{"maximum":5}}}"#, r#"{"a":7}"#, "more than 5"),
        (r#"{"properties":{"a":{"pattern":"x"}}}"#, r#"{"a":"secret"}"#, "does not satisfy \"pattern\""),
        (
            r#"{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}"#,
            r#"{"a":"secret"}"#,
            "fits none of the alternatives",
        ),
    ] {
        match Tool::new("t", schema).admits(body) {
            Admission::Invalid { what: said, .. } => assert_eq!(said, what, "{schema}"),
            other => panic!("{schema}: {other:?}"),
        }
    }
}
