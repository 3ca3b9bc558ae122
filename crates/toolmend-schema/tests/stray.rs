//! Stray quotes in a string, and something beside them that only the schema mends.

use toolmend_core::{Evidence, mend};
use toolmend_schema::Tool;

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "title": {"type": "string"},
        "n": {"type": "integer"},
        "flag": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "mode": {"type": "string", "enum": ["append", "create"]}
    },
    "required": ["text"],
    "additionalProperties": false
}"#;

#[test]
fn stray_quotes_and_what_the_schema_mends() {
    let tool = Tool::new("t", SCHEMA);
    let evidence = Evidence::whole();
    for (body, output) in [
        (r#"{"text":"say "hi" now","n":"5"}"#, Some(r#"{"text":"say \"hi\" now","n":5}"#)),
        (r#"{"text":"say "hi" now","flag":"True"}"#, Some(r#"{"text":"say \"hi\" now","flag":true}"#)),
        (r#"{"title":7,"text":"say "hi" now"}"#, Some(r#"{"title":"7","text":"say \"hi\" now"}"#)),
        (r#"{"Text":"say "hi" now"}"#, Some(r#"{"text":"say \"hi\" now"}"#)),
        (r#"{"text":"say "hi" now","mode":null}"#, Some(r#"{"text":"say \"hi\" now"}"#)),
        (r#"{"text":"say "hi" now","mode":"Append"}"#, Some(r#"{"text":"say \"hi\" now","mode":"append"}"#)),
        (r#"{"text":"x","tags":"say "hi" now"}"#, Some(r#"{"text":"x","tags":["say \"hi\" now"]}"#)),
        ("{'text':'it's here','n':'5'}", Some(r#"{"text":"it's here","n":5}"#)),
        // What the schema does not mend.
        (r#"{"text":"say "hi" now","n":"five"}"#, None),
        (r#"{"text":"say "hi" now","other":1}"#, None),
        // With an odd number of quotes, one with more of them may have been meant.
        (r#"{"title":1,"text":"a" b","tags":["x", "y"]}"#, None),
    ] {
        assert_eq!(mend(body, &evidence, &tool).text(body), output, "{body}");
    }
}
