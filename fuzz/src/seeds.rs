//! What the corpora begin with: every rule's examples, hostile texts and small recordings.

use toolmend_core::Rule;

use crate::pieces::Split;

/// A seed: the name of its file, and what is in it.
pub type Seed = (String, Vec<u8>);

/// The seeds of a target; none for a target that there is not.
pub fn of(target: &str) -> Vec<Seed> {
    match target {
        "mend" => bodies().map(|(name, text)| (name, text.into_bytes())).collect(),
        "cuts" => bodies()
            .filter(|(name, _)| !name.starts_with("wrong-"))
            .zip(SPLITS.iter().cycle())
            .map(|((name, text), lengths)| (name, Split::of(lengths).write(text.as_bytes())))
            .collect(),
        "schema" => tools().map(|(name, text)| (name, text.into_bytes())).collect(),
        "wire_cuts" => RECORDINGS
            .iter()
            .zip(SPLITS.iter().cycle())
            .map(|((name, text), lengths)| ((*name).into(), Split::of(lengths).write(text.as_bytes())))
            .collect(),
        "text" => TEXTS
            .iter()
            .enumerate()
            .zip(SPLITS.iter().cycle())
            .map(|((n, text), lengths)| {
                let chosen = [&[n as u8][..], text.as_bytes()].concat();
                (format!("text-{n:02}"), Split::of(lengths).write(&chosen))
            })
            .collect(),
        "turn" => RECORDINGS
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .chain(turns())
            .zip(SPLITS.iter().cycle())
            .enumerate()
            .map(|(at, ((name, text), lengths))| {
                // Holding by turns; the protocol is found from the bytes.
                let options = 0b0010_1000 | (at % 8) as u8;
                (name, [vec![options], Split::of(lengths).write(text.as_bytes())].concat())
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// A text in each grammar, and texts that are nearly one.
const TEXTS: &[&str] = &[
    "<tool_call>\n{\"name\": \"save\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
    "<tool_call>{\"name\": \"save\", \"arguments\": {\"path\": \"</tool_call>\"}\n</tool_call>",
    "[TOOL_CALLS] [{'name': 'save', 'arguments': {'path': \"it's\"}}]",
    "[TOOL_CALLS]save[CALL_ID]aB3dE6gH9[ARGS]{\"path\": \"a\"}[TOOL_CALLS]now[ARGS]{}",
    "<tool_call>\n<function=save>\n<parameter=path>\na\n</parameter>\n<parameter=size>\n3\n</parameter>\n</function>\n</tool_call>",
    "<function=save>\n<parameter=path>\n</parameter>\n</function>\n</parameter>\n</function>",
    "<invoke name=\"save\">\n<parameter name=\"path\">a</parameter>\n</invoke>",
    "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"save\">\n<｜DSML｜parameter name=\"size\" string=\"false\">3</｜DSML｜parameter>",
    "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"save\">]<]minimax[>[<path>a]<]minimax[>[</path>]<]minimax[>[</invoke>",
    "<tool_call>save<arg_key>path</arg_key><arg_value>a</arg_value></tool_call>",
    "<tool_calls>\n<tool_call>now<tool_sep>\n</tool_call>\n</tool_calls>",
    "<|python_start|>[save(path='a\\n', tags=[1, {'x': None}]), now()]<|python_end|>",
    "<function_calls>\nsave(path=\"a\")\nnow()\n</function_calls>",
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.save <|constrain|>json<|message|>{\"path\": \"a\"}<|call|>",
    "x<|close|>think<|sep|><|open|>tools<|sep|><|open|>call tool=\"save\" index=\"1\"<|sep|><|open|>argument key=\"path\" type=\"string\"<|sep|>a<|close|>argument<|sep|><|close|>call<|sep|>",
    "<|tool_call>call:save{path:<|\"|>a<|\"|>,tags:[1,{x:null}]}<tool_call|>",
    "<|tool_calls_section_begin|> x <|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>save\n```json\n{\"path\": \"a\"}\n```<｜tool▁call▁end｜>",
    "<|tool_call:begin|>i<|tool_call:name|>now<|tool_call:args|>{}<|tool_call:end|>",
    "```json\n{\"name\": \"save\", \"arguments\": {\"path\": \"a\"}}\n```",
    "{{\"name\": \"save\", \"arguments\": {\"path\": \"a\",}}}.",
    "Thought: x\nAction: save\nAction Input: {path: \"a\"}",
    "now\n{}>>>save\n{\"path\": \"a\"}>>>all\nDone.",
    "Like `<tool_call>` this:\n\n> <tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>\n\nor not.</tool_call>",
    "<think>a</think><response>b</response><|im_end|>",
    "functools[{\"name\": \"now\", \"arguments\": {}}]",
    "[Calling tool: save({\"path\": \"a\"})]",
];
/// The turns of the tests, in every protocol.
fn turns() -> impl Iterator<Item = (String, String)> {
    let case = |line: &str| {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case a line");
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
        (text("id"), text("stream"))
    };
    include_str!("../../testdata/turns.jsonl").lines().map(case)
}

const SPLITS: &[&[usize]] = &[&[1], &[4], &[7, 1], &[16, 0, 3], &[2, 5]];

/// All bodies: what the rules mend, what they must not touch, and what was made to go wrong.
fn bodies() -> impl Iterator<Item = (String, String)> {
    let rules = Rule::ALL.iter().flat_map(|rule| {
        let spec = rule.spec();
        [
            (format!("rule-{rule}"), spec.example.before.to_string()),
            (format!("wrong-{rule}"), spec.wrong.text.to_string()),
        ]
    });
    let hostile =
        HOSTILE.iter().enumerate().map(|(n, text)| (format!("hostile-{n:02}"), (*text).to_string()));
    let deep = [("deep-mixed", "{\"a\":[", 30), ("deep-brackets", "[", 60), ("deep-closers", "}]", 30)];
    let deep = deep.into_iter().map(|(name, unit, times)| (name.to_string(), unit.repeat(times)));
    rules.chain(hostile).chain(deep)
}

/// The examples of the rules that need a schema, each behind it.
fn tools() -> impl Iterator<Item = (String, String)> {
    Rule::ALL.iter().filter(|rule| !rule.spec().example.schema.is_empty()).flat_map(|rule| {
        let spec = rule.spec();
        [
            (format!("rule-{rule}"), format!("{}\0{}", spec.example.schema, spec.example.before)),
            (format!("wrong-{rule}"), format!("{}\0{}", spec.wrong.schema, spec.wrong.text)),
        ]
    })
}

/// Bodies whose strings look like packaging, cut bodies, and pairs of faults.
const HOSTILE: &[&str] = &[
    "{\"s\":\"```json\\n{\\\"a\\\":1}\\n```\"}",
    "```json\n{\"s\":\"```\\n}\\n```\",\"n\":1,}\n```",
    "{\"s\":\"\\\",}\",\"t\":\"}{\"}",
    "{\"s\":\"// no comment\",\"t\":\"/* nor this */\"}",
    "{\"s\":\"<tool_call>{\\\"a\\\":1}</tool_call>\"}",
    "<tool_call>{\"s\":\"</tool_call>\",}</tool_call>",
    "{\"s\":\"\\u0000\\ud83e\\udd80\\ud800 \u{2028}\u{feff}\"}",
    "{\"path\":\"a\",\"opts\":{\"x\":1},\"target\":\"/home/u",
    "{\"a\":\"b\"} and then {\"c\":\"d",
    "{\"a\":{\"b\":1,\"c\":{\"d\":2}",
    "{\"a\":[1,{\"b\":2,\"c\":[3]",
    "{\"top_k\":3",
    "{\"n\":-",
    "{\"n\":1e",
    "{\"t\":tr",
    "{\"a\":1,",
    "{\"a\":",
    "{\"a\"",
    "{\"a",
    "{\"a\":\"x\\",
    "{\"a\":\"x\\u12",
    "{\"dry_run\":{\"on\":true,\"sql\":\"insert\"}",
    "{'a':'b','c':\"d\",e:`f`,\"g\":True,}",
    "{\"a\":\"say \"hi\" to\",\"b\":\"it's\"}",
    "{\"argv\":[\"awk\",\"{print \"$1 \",\" $2\"}\"]}",
    "{\"a\":1}{\"a\":1}",
    "{\"a\":1}{\"a\":2}",
    "[{\"a\":1}]",
    "[{\"a\":1},{\"a\":2}]",
    "\"{\\\"a\\\":\\\"\\\\\\\"x\\\\\\\"\\\"}\"",
    "{\\\"a\\\":\\\"b\\\"}",
    "{&quot;a&quot;:&quot;x &amp;amp; y&quot;}",
    "<think>{\"a\":2}</think>```\n{\"a\":1}\n```\nDone.",
    "arguments = {\"a\": 1};",
    "{“a”: “it’s”, ‘b’: ‘c’}",
    "{\"n\":123456789012345678901234,\"m\":1e400,\"k\":1.10,\"z\":-0}",
    "{\"a\":\"x\" + 'y' + \"\"\"z\"\"\"}",
    "{\"a\":+1,\"b\":.5,\"c\":5.,\"d\":0x1F,\"e\":1_000,\"f\":007,\"g\":NaN}",
    "{\"a\":1,,,\"b\":2,]}}",
    "{\"a\":[1,2},\"b\":3]",
    "\u{feff}\u{a0}{\u{200b}\"a\"\u{3000}:1}\u{2029}",
    "{\"a\": 1 # one\n, /* two */ \"b\": 2 // three",
    "{\"a\":\"x\ny\tz\r\"}",
    "{\"re\":\"\\d+\\.\\w\",\"p\":\"C:\\temp\"}",
    "Sure: {city} is {\"city\":\"Lyon\"} [1].",
    "{}{\"a\":1}",
    "null",
    "",
    " \n",
    "{\"a\":1}\u{0}",
];

/// Recordings of the protocols, small, some of them broken.
const RECORDINGS: &[(&str, &str)] = &[
    (
        "sse-call",
        "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"\\ud83e\\udd80 é\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
    ),
    (
        "sse-crlf-comments",
        "\u{feff}: ping\r\nid: 7\r\nevent: message\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\r\n\r\ndata: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"},\"finish_reason\":\"length\"}]}\r\rdata: [DONE]",
    ),
    (
        "sse-two-lines",
        "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"x\"}}]}\n\ndata:data: {\"choices\":[]}\n\n",
    ),
    (
        "sse-two-calls",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{\\\"x\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":null}]}\n\n",
    ),
    ("sse-error", "event: error\ndata: {\"error\":{\"message\":\"too long\"}}\n\n"),
    (
        "sse-broken",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"{\n\ndata: nope\n\n",
    ),
    (
        "sse-surrogate",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"\\ud83e\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\udd80\"}}]}}]}\n\n",
    ),
    (
        "ndjson",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n",
    ),
    (
        "json",
        "{\"choices\":[{\"index\":0,\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1,}\"}}]},\"finish_reason\":\"stop\"}]}",
    ),
    (
        "json-legacy",
        "{\"choices\":[{\"message\":{\"function_call\":{\"name\":\"f\",\"arguments\":{\"a\":1}}},\"finish_reason\":\"function_call\"}]}",
    ),
    (
        "json-pretty",
        "{\n  \"choices\": [\n    {\"message\": {\"content\": \"x\"}}\n  ],\n  \"error\": null\n}\n",
    ),
    ("json-array", "[{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}]"),
    ("not-a-recording", "<html><body>502 Bad Gateway</body></html>"),
    ("empty", ""),
];
