//! Calls and their tools: which tool judges which call, and what its schema lets out.

use toolmend::{
    CallDelta, CallStream, Ending, Evidence, NoteKind, Reason, SettledCall, Tool, ToolError, Toolmend,
    Verdict,
};

/// What a request offers, in the form of OpenAI's API.
const TOOLS: &str = r#"[
    {"type": "function", "function": {"name": "search", "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "top_k": {"type": "integer"}},
        "required": ["query"],
        "additionalProperties": false
    }}},
    {"type": "function", "function": {"name": "create_ticket", "parameters": {
        "type": "object",
        "properties": {"title": {"type": "string"}, "labels": {"type": "array", "items": {"type": "string"}}},
        "required": ["title"],
        "additionalProperties": false
    }}}
]"#;

/// A schema alone.
const NAMELESS: &str = r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#;

/// A schema that does not compile.
const UNUSABLE: &str = r##"{"name": "odd", "parameters": {"$ref": "#/nowhere"}}"##;

fn offered(tools: &[&str]) -> Toolmend<'static> {
    tools.iter().fold(Toolmend::new(), |toolmend, text| toolmend.tools(Tool::list(text).unwrap()))
}

#[test]
fn a_call_is_judged_by_its_own_tool() {
    const CASES: &[(&[&str], &str, &str, Option<&str>)] = &[
        // The tools, the call's name, its body, what may be run.
        (&[], "anything", r#"{"a": 1,}"#, Some(r#"{"a": 1}"#)),
        (&[TOOLS], "search", r#"{"query": "sse", "top_k": "5"}"#, Some(r#"{"query": "sse", "top_k": 5}"#)),
        (&[TOOLS], "search", r#"{"title": "sse"}"#, None),
        (&[TOOLS], "create_ticket", r#"{"title": "sse",}"#, Some(r#"{"title": "sse"}"#)),
        (&[TOOLS], "drop_database", r#"{"query": "sse"}"#, None),
        (&[TOOLS], "", r#"{"query": "sse"}"#, None),
        // A schema alone judges calls of any name, but not beside other tools.
        (&[NAMELESS], "anything", r#"{"n": "1"}"#, Some(r#"{"n": 1}"#)),
        (&[NAMELESS], "", r#"{"n": 1.5}"#, None),
        (&[TOOLS, NAMELESS], "anything", r#"{"n": 1}"#, None),
        (&[TOOLS, NAMELESS], "search", r#"{"query": "sse"}"#, Some(r#"{"query": "sse"}"#)),
        // Of one name the later tool counts.
        (&[TOOLS, r#"{"name": "search", "parameters": {"type": "object"}}"#], "search", "{}", Some("{}")),
        // What cannot be used blocks nothing.
        (&[UNUSABLE], "odd", r#"{"a": 1,}"#, Some(r#"{"a": 1}"#)),
        (&[UNUSABLE], "even", r#"{"a": 1}"#, None),
    ];
    for (tools, name, body, run) in CASES {
        let verdict = offered(tools).mend_call(name, body, Evidence::whole());
        assert_eq!(verdict.as_ref().and_then(|v| v.text(body)), *run, "{name} {body}: {verdict:?}");
    }
}

#[test]
fn a_body_alone_belongs_to_the_only_tool() {
    let search = || Tool::list(TOOLS).unwrap().swap_remove(0);
    let body = r#"{"name": "search", "arguments": {"query": "sse", "top_k": "5"}}"#;
    let text = |toolmend: &Toolmend<'_>| toolmend.mend(body, Evidence::whole()).text(body).map(str::to_owned);
    assert_eq!(text(&Toolmend::new().tools([search()])).as_deref(), Some(r#"{"query": "sse", "top_k": 5}"#));
    let lent = search();
    assert_eq!(text(&Toolmend::new().tool("search", &lent)), text(&Toolmend::new().tools([search()])));
    assert_eq!(text(&Toolmend::new().tool("fetch", &lent)), None, "the body names another tool");
    assert_eq!(text(&offered(&[TOOLS])).as_deref(), Some(body), "of two tools neither is known to be called");
}

#[test]
fn the_arguments_in_an_envelope_are_graded_as_without_it() {
    const TOOL: &str = r#"{"name": "t", "parameters": {
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {"x": {"type": "integer"}, "b": {"type": "integer"}}},
            "b": {"type": "integer"}
        },
        "additionalProperties": false
    }}"#;
    // Where `a` ends is not known: the schema admits `b` inside of it and beside it.
    const BODIES: &[&str] = &[
        r#"{"a":{"x":1,"b":2}"#,
        r#"{"name":"t","arguments":"{\"a\":{\"x\":1,\"b\":2}"}"#,
        r#"{"name":"t","arguments":"{\"a\":{\"x\":1,\"b\":2}",}"#,
    ];
    for body in BODIES {
        let toolmend = Toolmend::new().tools([Tool::one(TOOL).unwrap()]);
        match toolmend.mend(body, Evidence::whole()) {
            Verdict::Declined(no) => {
                assert!(matches!(no.reason, Reason::AbovePolicy { .. }), "{body}: {no:?}");
            }
            other => panic!("{body}: {other:?}"),
        }
    }
}

/// What a cut turn ends with is no call although it is closed: an empty object, whatever stands around it, and a string
/// that may go on.
#[test]
fn the_end_of_a_cut_turn() {
    let tool = |properties: &str| {
        format!(r#"{{"name": "t", "parameters": {{"type": "object", "properties": {{{properties}}}}}}}"#)
    };
    let limit = tool(r#""limit": {"type": "integer"}"#);
    let file = tool(r#""path": {"type": "string"}, "text": {"type": "string"}"#);
    for (tool, body) in [
        (&limit, "{}"),
        (&limit, "{} ok"),
        (&limit, "{}</s>"),
        (&limit, "[{}]"),
        (&limit, "\u{a0}{}"),
        (&limit, "```json\n{}\n```"),
        (&file, r#"{"path":"p","text":"a" + "b""#),
        (&file, r#"{"path":"p","text":"a" + "b\"c" "#),
        (&file, r#"{"path":"""p""","text":"""#),
        (&file, r#"{"path":'''p''',"text":''"#),
    ] {
        let toolmend = offered(&[tool]);
        let verdict = toolmend.mend(body, Evidence::new().stated(Ending::Cut));
        assert!(matches!(verdict, Verdict::Declined(_)), "{body}: {verdict:?}");
    }
    assert_eq!(notes(&Toolmend::new(), "```\n{}\n```", Ending::Cut), [NoteKind::EmptyInCutTurn]);
}

fn notes(toolmend: &Toolmend<'_>, body: &str, ending: Ending) -> Vec<NoteKind> {
    match toolmend.mend(body, Evidence::new().stated(ending)) {
        Verdict::Intact { notes } => notes.into_iter().map(|note| note.kind).collect(),
        Verdict::Mended { receipt, .. } => receipt.notes.into_iter().map(|note| note.kind).collect(),
        Verdict::Declined(no) => panic!("{body}: {no:?}"),
    }
}

#[test]
fn what_is_noticed_is_reported() {
    let unusable = offered(&[UNUSABLE]);
    assert_eq!(notes(&unusable, r#"{"a": 1}"#, Ending::Complete), [NoteKind::SchemaUnusable]);
    assert_eq!(notes(&unusable, r#"{"a": 1,}"#, Ending::Complete), [NoteKind::SchemaUnusable]);
    // More values than are checked.
    let open = offered(&[r#"{"name": "t", "parameters": {"type": "object"}}"#]);
    let large = format!(r#"{{"a": [{}0]}}"#, "0,".repeat(toolmend_schema::limits::MAX_ITEMS));
    assert_eq!(notes(&open, &large, Ending::Complete), [NoteKind::SchemaUnusable]);
    assert_eq!(notes(&Toolmend::new(), "{}", Ending::Cut), [NoteKind::EmptyInCutTurn]);
    assert_eq!(notes(&Toolmend::new(), "{}", Ending::Complete), []);
}

fn run(calls: &[SettledCall]) -> Vec<(&str, Option<&str>)> {
    calls.iter().map(|call| (call.name.as_str(), call.arguments())).collect()
}

#[test]
fn a_streamed_call_comes_out_when_its_schema_admits_it() {
    let toolmend = offered(&[TOOLS]);
    let mut stream = CallStream::new(&toolmend);
    let mut push = |index, name, arguments| {
        let delta = CallDelta { index: Some(index), name: Some(name), arguments, ..CallDelta::default() };
        stream.push(&[delta]).unwrap()
    };
    assert_eq!(run(&push(0, "search", r#"{"query": "a""#)), []);
    assert_eq!(run(&push(0, "search", r#", "top_k": 5}"#)), []);
    // The first call is over, and good as it stands.
    assert_eq!(
        run(&push(1, "search", r#"{"query": "b", "top_k": "5"}"#)),
        [("search", Some(r#"{"query": "a", "top_k": 5}"#))]
    );
    // The second is JSON, but not what its tool takes: it waits for the end, as all that needs a repair.
    assert_eq!(run(&push(2, "create_ticket", "{\"title\": \"c\",")), []);
    assert_eq!(run(&push(2, "create_ticket", "}\nDone.")), []);
    assert_eq!(run(&push(3, "create_ticket", r#"{"query": "d"}"#)), []);
    assert_eq!(run(&push(4, "search", r#"{"top_k": 5, "query": "e""#)), []);
    let rest = stream.finish(Evidence::new().finish_reason(Some("length")));
    assert_eq!(
        run(&rest),
        [
            ("search", Some(r#"{"query": "b", "top_k": 5}"#)),
            ("create_ticket", Some(r#"{"title": "c"}"#)),
            ("create_ticket", None),
            // Cut before its brace; but every declared property is there, so nothing can be missing.
            ("search", Some(r#"{"top_k": 5, "query": "e"}"#)),
        ]
    );
}

/// One for all requests of a server.
#[test]
fn it_can_be_shared_between_threads() -> Result<(), ToolError> {
    fn shared<T: Clone + Send + Sync + 'static>(value: T) -> T {
        value
    }
    let toolmend = shared(Toolmend::new().tools(Tool::list(TOOLS)?));
    let body = r#"{"query": "sse",}"#;
    let judge = || toolmend.mend_call("search", body, Evidence::whole());
    let verdicts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(judge)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(verdicts.iter().all(|verdict| matches!(verdict, Some(Verdict::Mended { .. }))));
    Ok(())
}

/// Where the turn breaks off at it, the list that it stands for may have had more.
#[test]
fn one_item_at_the_end_of_a_cut_turn_is_no_list() -> Result<(), ToolError> {
    let schema = r#"{"name": "tag", "parameters": {"properties": {"path": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}}}, "additionalProperties": false}}"#;
    let toolmend = Toolmend::new().tools([Tool::one(schema)?]);
    let body = r#"{"path": "p", "tags": "red""#;
    for (reason, text) in [("stop", Some(r#"{"path": "p", "tags": ["red"]}"#)), ("length", None)] {
        let verdict = toolmend.mend(body, Evidence::new().finish_reason(Some(reason)));
        assert_eq!(verdict.text(body), text, "{reason}");
    }
    Ok(())
}
