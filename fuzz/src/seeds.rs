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
