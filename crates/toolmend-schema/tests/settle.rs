//! Repairs that the schema decides: each row of the table with what it repairs and what it must leave.

use toolmend_core::{Admission, Judge, Rule, edit};
use toolmend_schema::Tool;

/// The properties under test; `q` makes the tool one that requires something.
const SCHEMA: &str = r##"{
    "type": "object",
    "properties": {
        "q": {"type": "string"},
        "int": {"type": "integer"},
        "num": {"type": "number"},
        "few": {"type": "integer", "enum": [1, 2, 3]},
        "top": {"type": "integer", "minimum": 1, "maximum": 10},
        "flag": {"type": "boolean"},
        "text": {"type": "string"},
        "zip": {"type": "string", "pattern": "^[0-9]{5}$"},
        "year": {"type": "string", "enum": ["2019", "2020"]},
        "unit": {"type": "string", "enum": ["celsius", "Fahrenheit", "in_progress"]},
        "twin": {"type": "string", "enum": ["on", "ON", "off"]},
        "mode": {"const": "fast"},
        "ids": {"type": "array", "items": {"type": "integer"}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "any_list": {"type": "array"},
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "pair": {"type": "array", "items": {"type": "string"}, "minItems": 2},
        "opts": {
            "type": "object",
            "properties": {"file_path": {"type": "string"}, "n": {"type": "integer"}, "m": {"type": ["null", "string"]}},
            "required": ["file_path"],
            "additionalProperties": false
        },
        "free": {"type": "object"},
        "steps": {"type": "array", "items": {"type": "object", "properties": {"at": {"type": "integer"}}}},
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "either": {"type": ["integer", "boolean"]},
        "one_or_many": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]},
        "shape": {"oneOf": [{"$ref": "#/$defs/circle"}, {"$ref": "#/$defs/box"}]},
        "nullable": {"type": ["string", "null"]}
    },
    "required": ["q"],
    "$defs": {
        "circle": {"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]},
        "box": {"type": "object", "properties": {"kind": {"const": "box"}, "r": {"type": "string"}, "w": {"type": "number"}}, "required": ["kind", "w"]}
    }
}"##;

fn settled(tool: &Tool, body: &str) -> Option<(String, Vec<Rule>)> {
    let edits = tool.settle(body);
    if edits.is_empty() {
        return None;
    }
    let after = edit::apply(body, &edits).expect("edits apply");
    assert_eq!(tool.admits(&after), Admission::Valid, "{body} became {after}");
    assert_eq!(tool.settle(&after), [], "{after} is settled");
    Some((after, edits.into_iter().map(|e| e.rule).collect()))
}

fn run(tool: &Tool, rows: &[(&str, Option<&str>, &[Rule])]) {
    for (body, after, rules) in rows {
        let wanted = after.map(|a| (a.to_owned(), rules.to_vec()));
        assert_eq!(settled(tool, body), wanted, "{body}");
    }
}

/// The rows wrap their member as `{"q":"x","name":value}`.
fn run_members(rows: &[(&str, &str, Option<&str>, Rule)]) {
    let tool = Tool::new("t", SCHEMA);
    assert_eq!(tool.unusable(), None);
    for &(name, value, after, rule) in rows {
        let body = |value: &str| format!("{{ \"q\": \"x\",\n \"{name}\" : {value} }}");
        let got = settled(&tool, &body(value));
        match after {
            None => assert_eq!(got, None, "{name}: {value}"),
            Some(after) => {
                let (text, mut rules) = got.unwrap_or_else(|| panic!("{name}: {value} is not settled"));
                rules.dedup();
                assert_eq!((text, rules), (body(after), vec![rule]), "{name}: {value}");
            }
        }
    }
}

#[test]
fn numbers_written_as_strings() {
    let rule = Rule::NumberString;
    run_members(&[
        ("int", r#""5""#, Some("5"), rule),
        ("int", r#""-12""#, Some("-12"), rule),
        ("int", r#""123456789012345678901234""#, Some("123456789012345678901234"), rule),
        ("num", r#""1.10""#, Some("1.10"), rule),
        ("num", r#""1e400""#, Some("1e400"), rule),
        ("num", r#""1e-05""#, Some("1e-05"), rule),
        ("num", r#""\u0035""#, Some("5"), rule),
        ("few", r#""3""#, Some("3"), rule),
        ("top", r#""10""#, Some("10"), rule),
        ("maybe", r#""7""#, Some("7"), rule),
        ("either", r#""7""#, Some("7"), rule),
        ("ids", r#"["1", 2, "3"]"#, Some("[1, 2, 3]"), rule),
        ("steps", r#"[{"at": "1"}, {}, {"at": "2"}]"#, Some(r#"[{"at": 1}, {}, {"at": 2}]"#), rule),
        ("opts", r#"{"file_path": "a", "n": "1"}"#, Some(r#"{"file_path": "a", "n": 1}"#), rule),
        ("shape", r#"{"kind": "circle", "r": "1.5"}"#, Some(r#"{"kind": "circle", "r": 1.5}"#), rule),
        // What is no integer, or no number as JSON writes it.
        ("int", r#""5.0""#, None, rule),
        ("int", r#""5.5""#, None, rule),
        ("int", r#""ten""#, None, rule),
        ("int", r#""5 km""#, None, rule),
        ("int", r#""""#, None, rule),
        ("int", r#"" 5""#, None, rule),
        ("int", r#""+5""#, None, rule),
        ("int", r#""05""#, None, rule),
        ("int", r#""1,000""#, None, rule),
        ("int", r#""0x1F""#, None, rule),
        ("num", r#""NaN""#, None, rule),
        // What the schema still does not admit.
        ("few", r#""4""#, None, rule),
        ("top", r#""11""#, None, rule),
        ("opts", r#"{"n": "1"}"#, None, rule),
        // Two answers.
        ("one_or_many", r#""5""#, None, rule),
    ]);
}

#[test]
fn booleans_written_as_strings() {
    let rule = Rule::BooleanString;
    run_members(&[
        ("flag", r#""true""#, Some("true"), rule),
        ("flag", r#""False""#, Some("false"), rule),
        ("flag", r#""TRUE""#, Some("true"), rule),
        ("either", r#""false""#, Some("false"), rule),
        ("flag", r#""yes""#, None, rule),
        ("flag", r#""1""#, None, rule),
        ("flag", "1", None, rule),
        ("flag", "0", None, rule),
        ("flag", r#""tRuE""#, None, rule),
        ("flag", r#"" true""#, None, rule),
    ]);
}

#[test]
fn numbers_where_strings_belong() {
    let rule = Rule::StringNumber;
    run_members(&[
        ("text", "5", Some(r#""5""#), rule),
        ("text", "1.10", Some(r#""1.10""#), rule),
        ("text", "1e400", Some(r#""1e400""#), rule),
        ("text", "123456789012345678901234", Some(r#""123456789012345678901234""#), rule),
        ("zip", "12345", Some(r#""12345""#), rule),
        ("year", "2019", Some(r#""2019""#), rule),
        ("tags", "[1, \"a\"]", Some(r#"["1", "a"]"#), rule),
        ("zip", "1234", None, rule),
        ("year", "2018", None, rule),
        ("year", "2019.0", None, rule),
        ("text", "true", None, rule),
        ("text", "[]", None, rule),
        ("text", "{}", None, rule),
    ]);
}

#[test]
fn containers_written_as_strings() {
    let rule = Rule::ContainerString;
    run_members(&[
        ("ids", r#""[1, 2]""#, Some("[1, 2]"), rule),
        ("ids", r#""[]""#, Some("[]"), rule),
        ("tags", r#""[\"a\", \"b\\n\"]""#, Some(r#"["a", "b\n"]"#), rule),
        ("free", r#""{\"brightness\": 120}""#, Some(r#"{"brightness": 120}"#), rule),
        (
            "free",
            r#""{\"n\": 1.10, \"big\": 123456789012345678901234}""#,
            Some(r#"{"n": 1.10, "big": 123456789012345678901234}"#),
            rule,
        ),
        ("opts", r#""{\"file_path\": \"a\"}""#, Some(r#"{"file_path": "a"}"#), rule),
        ("steps", r#""[{\"at\": 1}]""#, Some(r#"[{"at": 1}]"#), rule),
        ("any_list", r#""[null, {}]""#, Some("[null, {}]"), rule),
        ("shape", r#""{\"kind\": \"circle\", \"r\": 1}""#, Some(r#"{"kind": "circle", "r": 1}"#), rule),
        // Mended with certainty, for it is spelling only.
        (
            "free",
            r#""{'theme': 'dark', 'size': 14, 'beta': True}""#,
            Some(r#"{"theme": "dark", "size": 14, "beta": true}"#),
            rule,
        ),
        (
            "free",
            r#""{\"a\":\"first line\nsecond line\"}""#,
            Some(r#"{"a":"first line\nsecond line"}"#),
            rule,
        ),
        ("tags", r#""['a', 'b']""#, Some(r#"["a", "b"]"#), rule),
        ("ids", r#""[1, 2,]""#, Some("[1, 2]"), rule),
        // Cut off inside: what is missing is not known.
        ("free", r#""{\"brightness\": 12""#, None, rule),
        ("ids", r#""[1, 2""#, None, rule),
        ("ids", r#""[1, 2}""#, None, rule),
        ("tags", r#""['a', 'b""#, None, rule),
        // Numbers that would be written in another way, and words that are not JSON's.
        ("ids", r#""[0x1F]""#, None, rule),
        ("ids", r#""[007]""#, None, rule),
        ("any_list", r#""[.5]""#, None, rule),
        ("any_list", r#""[1_000]""#, None, rule),
        ("ids", r#""[1 /* one */]""#, None, rule),
        // More than the container, or not the one that fits.
        ("free", r#""Use this: {\"a\": 1}""#, None, rule),
        ("free", r#""{\"a\": 1} and more""#, None, rule),
        ("free", r#""[{\"a\": 1}]""#, None, rule),
        ("ids", r#""[\"a\"]""#, None, rule),
        ("ids", r#""[\"1\"]""#, None, rule),
        ("opts", r#""{\"file_path\": \"a\", \"extra\": 1}""#, None, rule),
        ("steps", r#""[{\"from\": 1}]""#, None, rule),
        ("free", r#""{\"a\": 1, \"a\": 2}""#, None, rule),
        ("free", r#""""#, None, rule),
        ("ids", r#""1, 2""#, None, rule),
        // Half of a surrogate pair cannot be written anew.
        ("free", r#""{\"a\": \"\ud83d\"}""#, None, rule),
    ]);
}

#[test]
fn one_item_for_a_list() {
    let rule = Rule::SingleItem;
    run_members(&[
        ("tags", r#""red""#, Some(r#"["red"]"#), rule),
        ("tags", r#""light red""#, Some(r#"["light red"]"#), rule),
        ("ids", "5", Some("[5]"), rule),
        ("any_list", "true", Some("[true]"), rule),
        // They may say that there is none.
        ("any_list", "false", None, rule),
        ("any_list", "{}", None, rule),
        ("steps", r#"{"at": 1}"#, Some(r#"[{"at": 1}]"#), rule),
        ("one_or_many", r#""red""#, Some(r#"["red"]"#), rule),
        // It may be a list itself.
        ("tags", r#""red, green""#, None, rule),
        ("tags", r#""red;green""#, None, rule),
        ("tags", r#""red\ngreen""#, None, rule),
        ("tags", r#""red|green""#, None, rule),
        ("tags", r#""[red]""#, None, rule),
        ("tags", r#""红、绿""#, None, rule),
        ("tags", r#""red and green""#, None, rule),
        ("tags", r#""red / green""#, None, rule),
        ("tags", r#""red • green""#, None, rule),
        ("tags", r#""rot und blau""#, None, rule),
        ("tags", r#""红和绿""#, None, rule),
        ("tags", r#""1. red 2. green""#, None, rule),
        ("tags", r#""- red""#, None, rule),
        ("tags", r#""(\"red\")""#, None, rule),
        ("tags", r#""\"red\"""#, None, rule),
        ("tags", r#""red\\ngreen""#, None, rule),
        ("tags", r#""a@x.org b@x.org""#, None, rule),
        ("tags", r#""http://a http://b""#, None, rule),
        ("tags", r#""1 2 3""#, None, rule),
        ("tags", r#""mailto a@x.org""#, Some(r#"["mailto a@x.org"]"#), rule),
        // It may say that there is none.
        ("tags", r#""""#, None, rule),
        ("tags", r#""None""#, None, rule),
        ("tags", r#""n/a""#, None, rule),
        ("grid", "[1, 2]", None, rule),
        ("grid", "[1]", None, rule),
        // Two repairs for one place, or still not admitted.
        ("ids", r#""5""#, None, rule),
        ("tags", "5", None, rule),
        ("ids", "5.5", None, rule),
        ("pair", r#""red""#, None, rule),
    ]);
}

#[test]
fn allowed_words_in_another_case() {
    let rule = Rule::EnumCase;
    run_members(&[
        ("unit", r#""Celsius""#, Some(r#""celsius""#), rule),
        ("unit", r#""FAHRENHEIT""#, Some(r#""Fahrenheit""#), rule),
        ("mode", r#""Fast""#, Some(r#""fast""#), rule),
        ("shape", r#"{"kind": "Circle", "r": 1}"#, Some(r#"{"kind": "circle", "r": 1}"#), rule),
        ("unit", r#""celcius""#, None, rule),
        ("unit", r#""celsius ""#, None, rule),
        ("unit", r#""in-progress""#, None, rule),
        ("unit", r#""kelvin""#, None, rule),
        ("twin", r#""On""#, None, rule),
    ]);
}

#[test]
fn nulls_that_may_be_left_out() {
    let tool = Tool::new("t", SCHEMA);
    let rule = Rule::NullOptional;
    run(
        &tool,
        &[
            (r#"{"q": "x", "int": null}"#, Some(r#"{"q": "x"}"#), &[rule]),
            (r#"{"int": null, "q": "x"}"#, Some(r#"{"q": "x"}"#), &[rule]),
            (
                r#"{"q": "x", "tags": null, "unit":null, "flag": true}"#,
                Some(r#"{"q": "x", "flag": true}"#),
                &[rule, rule],
            ),
            // It may be the one item of a list of anything.
            (r#"{"q": "x", "any_list": null}"#, None, &[]),
            (r#"{"q": "x", "shape": null}"#, Some(r#"{"q": "x"}"#), &[rule]),
            (
                r#"{"q": "x", "opts": {"file_path": "a", "n": null}}"#,
                Some(r#"{"q": "x", "opts": {"file_path": "a"}}"#),
                &[rule],
            ),
            // Required, or null is a value there.
            (r#"{"q": null}"#, None, &[]),
            (r#"{"q": "x", "opts": {"file_path": null}}"#, None, &[]),
            (
                r#"{"q": "x", "maybe": null, "nullable": null, "opts": {"file_path": "a", "m": null}}"#,
                None,
                &[],
            ),
            // In a list it holds a place; an undeclared key says something nobody knows.
            (r#"{"q": "x", "ids": [1, null]}"#, None, &[]),
            (r#"{"q": "x", "opts": {"file_path": "a", "extra": null}}"#, None, &[]),
            // The word is not the value.
            (r#"{"q": "x", "int": "null"}"#, None, &[]),
        ],
    );
}

#[test]
fn keys_in_another_spelling() {
    let tool = Tool::new(
        "t",
        r#"{"type": "object",
            "properties": {"file_path": {"type": "string"}, "max-lines": {"type": "integer"}, "userID": {"type": "string"},
                           "a_b": {}, "ab": {}, "inner": {"type": "object", "properties": {"old_string": {"type": "string"}}, "required": ["old_string"]}},
            "required": ["file_path"]}"#,
    );
    let rule = Rule::KeySpelling;
    run(
        &tool,
        &[
            (r#"{"filePath": "a"}"#, Some(r#"{"file_path": "a"}"#), &[rule]),
            (r#"{"FilePath": "a"}"#, Some(r#"{"file_path": "a"}"#), &[rule]),
            (r#"{"file-path" : "a"}"#, Some(r#"{"file_path" : "a"}"#), &[rule]),
            (r#"{"FILE PATH": "a"}"#, Some(r#"{"file_path": "a"}"#), &[rule]),
            (r#"{"file\u0050ath": "a"}"#, Some(r#"{"file_path": "a"}"#), &[rule]),
            // All of the keys have to be declared in the end.
            (
                r#"{"filePath": "a", "maxLines": 3}"#,
                Some(r#"{"file_path": "a", "max-lines": 3}"#),
                &[rule, rule],
            ),
            (
                r#"{"filePath": "a", "inner": {"oldString": "b"}}"#,
                Some(r#"{"file_path": "a", "inner": {"old_string": "b"}}"#),
                &[rule, rule],
            ),
            (r#"{"file_path": "a", "Inner": {"old_string": "b"}}"#, None, &[]),
            (
                r#"{"file_path": "a", "inner": {"oldString": "b"}}"#,
                Some(r#"{"file_path": "a", "inner": {"old_string": "b"}}"#),
                &[rule],
            ),
            (
                r#"{"filePath": "a", "Inner": {"oldString": "b"}}"#,
                Some(r#"{"file_path": "a", "inner": {"old_string": "b"}}"#),
                &[rule, rule, rule],
            ),
            // A key, and then its value.
            (
                r#"{"filePath": "a", "maxLines": "3"}"#,
                Some(r#"{"file_path": "a", "max-lines": 3}"#),
                &[rule, rule, Rule::NumberString],
            ),
            (
                r#"{"filePath": "a", "maxLines": null}"#,
                Some(r#"{"file_path": "a"}"#),
                &[rule, Rule::NullOptional],
            ),
            // Valid as it stands: nothing is wrong.
            (r#"{"file_path": "a", "maxLines": 3}"#, None, &[]),
            // Other letters, two candidates, or taken.
            (r#"{"path": "a"}"#, None, &[]),
            (r#"{"filePath": "a", "path": "b"}"#, None, &[]),
            (r#"{"filePath": "a", "file-path": "b"}"#, None, &[]),
            (r#"{"filePath": "a", "A-B": 1}"#, None, &[]),
            (
                r#"{"filePath": "a", "A-B": 1, "ab": 2}"#,
                Some(r#"{"file_path": "a", "a_b": 1, "ab": 2}"#),
                &[rule, rule],
            ),
            (r#"{"file_path": 5, "filePath": "b"}"#, None, &[]),
            (r#"{"file_path2": "b"}"#, None, &[]),
        ],
    );
}

#[test]
fn what_is_never_done() {
    let tool = Tool::new(
        "t",
        r#"{"type": "object", "properties": {"a": {"type": "integer", "default": 1}, "b": {"type": "string"}},
            "required": ["a"], "additionalProperties": false}"#,
    );
    run(
        &tool,
        &[
            // A default is not filled in, a key is not dropped, a required null is not replaced.
            ("{}", None, &[]),
            (r#"{"b": "x"}"#, None, &[]),
            (r#"{"a": 1, "dry_run": true}"#, None, &[]),
            (r#"{"a": null}"#, None, &[]),
            // Nor is anything repaired beside a fault that stays.
            (r#"{"a": "1", "dry_run": true}"#, None, &[]),
            // Of two values for one key, none is the one that is meant.
            (r#"{"a": 1, "a": "2"}"#, None, &[]),
            (r#"{"a": "1", "b": "x", "b": "x"}"#, None, &[]),
            // Several places, each with its own repair.
            (
                r#"{"a": "1", "b": 2}"#,
                Some(r#"{"a": 1, "b": "2"}"#),
                &[Rule::NumberString, Rule::StringNumber],
            ),
            // No object at all.
            ("[]", None, &[]),
            ("\"{}\"", None, &[]),
            ("{", None, &[]),
            ("", None, &[]),
        ],
    );
    let open = Tool::new("t", r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#);
    // An undeclared key rules out every repaired reading, also where the schema would let it pass.
    run(
        &open,
        &[
            (r#"{"a": "1", "dry_run": true}"#, None, &[]),
            (r#"{"a": "1"}"#, Some(r#"{"a": 1}"#), &[Rule::NumberString]),
        ],
    );
}

#[test]
fn two_ways_are_no_way() {
    let tool =
        |value: &str| Tool::new("t", &format!(r#"{{"type": "object", "properties": {{"v": {value}}}}}"#));
    for (value, body, after) in [
        // Which of the variants is meant decides whether `m` is a number.
        (
            r#"{"anyOf": [{"type": "object", "properties": {"n": {"type": "integer"}, "m": {"type": "integer"}}, "required": ["n", "m"]},
                          {"type": "object", "properties": {"n": {"type": "integer"}, "m": {"type": "string"}}, "required": ["n", "m"]}]}"#,
            r#"{"v": {"n": "1", "m": "2"}}"#,
            None,
        ),
        // The same repair by every variant is one.
        (
            r#"{"anyOf": [{"type": "integer"}, {"type": "number", "minimum": 0}]}"#,
            r#"{"v": "1"}"#,
            Some(r#"{"v": 1}"#),
        ),
        // oneOf admits it only once it fits a single variant.
        (r#"{"oneOf": [{"type": "integer"}, {"type": "number"}]}"#, r#"{"v": "1"}"#, None),
        (r#"{"oneOf": [{"type": "integer"}, {"type": "number"}]}"#, r#"{"v": "1.5"}"#, Some(r#"{"v": 1.5}"#)),
        (r#"{"type": ["integer", "array"]}"#, r#"{"v": "1"}"#, None),
        (
            r#"{"allOf": [{"type": "integer"}, {"minimum": 1}, {"enum": [1, 2]}]}"#,
            r#"{"v": "2"}"#,
            Some(r#"{"v": 2}"#),
        ),
        (r#"{"type": "integer", "not": {"const": 2}}"#, r#"{"v": "2"}"#, None),
        (r#"{"if": {"type": "string"}, "then": {"type": "integer"}}"#, r#"{"v": "2"}"#, Some(r#"{"v": 2}"#)),
    ] {
        let got = settled(&tool(value), body).map(|(after, _)| after);
        assert_eq!(got.as_deref(), after, "{value} {body}");
    }
}

#[test]
fn many_places_up_to_the_limit() {
    use toolmend_schema::limits::MAX_REPAIRS;
    let tool = Tool::new("t", SCHEMA);
    let body = |n: usize| format!(r#"{{"q":"x","ids":[{}]}}"#, vec!["\"7\""; n].join(","));
    assert_eq!(tool.settle(&body(MAX_REPAIRS)).len(), MAX_REPAIRS);
    assert_eq!(tool.settle(&body(MAX_REPAIRS + 1)), []);
}

#[test]
fn a_key_without_letters_spells_nothing() {
    let tool = Tool::new("t", r#"{"properties": {"_": {}}, "required": ["_"]}"#);
    run(&tool, &[(r#"{"-": 1}"#, None, &[]), (r#"{"": 1}"#, None, &[])]);
}

#[test]
fn words_in_which_case_says_something() {
    let tool = |words: &str| Tool::new("t", &format!(r#"{{"properties": {{"v": {{"enum": {words}}}}}}}"#));
    for (words, said, meant) in [
        (r#"["1m", "1h"]"#, "1M", None),
        (r#"["kW", "MW"]"#, "mW", None),
        (r#"["Mbps", "Gbps"]"#, "MBps", None),
        (r#"["-d", "-R"]"#, "-D", None),
        (r#"["%m", "%d"]"#, "%M", None),
        (r#"["HH:mm"]"#, "HH:MM", None),
        (r#"["HH:MM"]"#, "hh:mm", None),
        (r#"["DDD"]"#, "ddd", None),
        (r#"["main.C"]"#, "main.c", None),
        (r#"["Src/App.ts"]"#, "src/app.ts", None),
        (r#"["Europe/London"]"#, "europe/london", Some("Europe/London")),
        (r#"["YYYY-MM-dd"]"#, "YYYY-mm-dd", None),
        (r#"["m", "M1"]"#, "M", None),
        (r#"["P0", "P1"]"#, "p1", Some("P1")),
        (r#"["asc", "desc"]"#, "ASC", Some("asc")),
        (r#"["GET", "POST"]"#, "get", Some("GET")),
        (r#"["in_progress"]"#, "IN_PROGRESS", Some("in_progress")),
        (r#"["in_progress"]"#, "In_Progress", Some("in_progress")),
        (r#"["createdAt"]"#, "createdat", Some("createdAt")),
        (r#"["Bachelor of Arts (BA)"]"#, "bachelor Of arts (ba)", Some("Bachelor of Arts (BA)")),
        (r#"["красный"]"#, "Красный", Some("красный")),
    ] {
        let after = settled(&tool(words), &format!(r#"{{"v": "{said}"}}"#)).map(|(after, _)| after);
        assert_eq!(after, meant.map(|word| format!(r#"{{"v": "{word}"}}"#)), "{words} {said}");
    }
}

#[test]
fn signs_of_a_key_that_say_something() {
    let tool = |name: &str| {
        Tool::new("t", &format!(r#"{{"properties": {{"{name}": {{}}}}, "required": ["{name}"]}}"#))
    };
    for (name, said, fits) in [
        ("author", "-author", false),
        ("author", "_author", false),
        ("-n", "N", true),
        ("-n", "-N", false),
        ("-author", "author", false),
        ("MW", "mW", false),
        ("id", "ID", true),
        ("_from", "_FROM", true),
        ("v10", "v1.0", false),
        ("q11", "q1-1", false),
        ("filter_name", "filter.name", false),
        ("filter_name", "filterName", true),
        ("filter_name", "Filter-Name", true),
        ("filter_name", "filter name", true),
        ("top_5", "top5", true),
    ] {
        let after = settled(&tool(name), &format!(r#"{{"{said}": 1}}"#)).map(|(after, _)| after);
        assert_eq!(after, fits.then(|| format!(r#"{{"{name}": 1}}"#)), "{name} {said}");
    }
}
