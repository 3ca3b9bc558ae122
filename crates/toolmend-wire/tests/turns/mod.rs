//! Recorded turns, written for these tests, and what they say.

/// A recording, and what `show` makes of it.
pub(crate) struct Turn {
    pub(crate) name: &'static str,
    pub(crate) recording: &'static str,
    pub(crate) says: &'static str,
}

/// An event with one piece of a call.
pub(crate) fn delta(call: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{call}]}}}}]}}\n\n")
}

pub(crate) fn two_calls() -> String {
    let call = |index: u32| {
        format!(r#"{{"index":{index},"id":"c{index}","function":{{"name":"f","arguments":"{{}}"}}}}"#)
    };
    delta(&call(0)) + &delta(&call(1))
}

/// A turn whose second event holds these bytes in its text.
pub(crate) fn with_bytes(bytes: &[u8]) -> Vec<u8> {
    let (before, after) = ("data: {\"choices\":[{\"delta\":{\"content\":\"", "\"}}]}\n\n");
    [before.as_bytes(), b"a", after.as_bytes(), before.as_bytes(), bytes, after.as_bytes()].concat()
}

pub(crate) const TURNS: &[Turn] = &[
    Turn {
        name: "plain",
        recording: r#"data: {"id":"x","object":"chat.completion.chunk","model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}],"usage":null}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":""}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]},"finish_reason":null}],"obfuscation":"x7"}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"北京\"}"}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":20,"total_tokens":70}}

data: [DONE]

"#,
        says: "call 0.0 call_1 get_weather {\"city\":\"北京\"} (complete)\nfinish Word(\"tool_calls\") terminal\nusage Some(50) 20",
    },
    Turn {
        name: "not streamed",
        recording: r#"{
  "object": "chat.completion", "model": "m-1",
  "choices": [{
    "index": 0,
    "message": {
      "role": "assistant", "content": "Let me see.", "reasoning": "two of them",
      "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 1.10}"}},
        {"id": "b", "type": "function", "function": {"name": "add", "arguments": {"a": 123456789012345678901234}}}
      ]
    },
    "finish_reason": "length"
  }],
  "usage": {"completion_tokens": 9}
}
"#,
        says: "call 0.0 a add {\"a\": 1.10} (complete)\ncall 0.1 b add {\"a\": 123456789012345678901234} (cut)\ncontent Let me see.\nreasoning two of them\nfinish Word(\"length\") terminal\nusage None 9",
    },
    Turn {
        name: "not streamed, no finish reason, null finish reason",
        recording: r#"{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]}},{"index":1,"message":{"content":"b"},"finish_reason":null}]}"#,
        says: "call 0.0 a f { (unknown)\nfinish Missing terminal\nchoice 1 \"b\" Null",
    },
    Turn {
        name: "interleaved calls, two in one event, finish in the last one",
        recording: r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\":"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"2}"}},{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":"tool_calls"}]}

"#,
        says: "call 0.0 a f {\"x\":1} (complete)\ncall 0.1 b g {\"y\":2} (complete)\nfinish Word(\"tool_calls\")",
    },
    Turn {
        name: "two choices by turns, each with its own ending",
        recording: r#"data: {"choices":[{"index":1,"delta":{"content":"B","tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}}]}

data: {"choices":[{"index":1,"delta":{},"finish_reason":"length"},{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"finish_reason":"stop"}],"usage":{"completion_tokens":500}}

data: [DONE]"#,
        says: "call 0.0 a f {} (complete)\ncall 1.0 b g { (cut)\nfinish Word(\"stop\") terminal\nchoice 1 \"B\" Word(\"length\")\nusage None 500",
    },
    Turn {
        name: "a whole call before a cut one",
        recording: r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"f","arguments":"{\"x\":"}}]}}]}

data: {"choices":[{"delta":{},"finish_reason":"length"}]}

data: [DONE]

"#,
        says: "call 0.0 a f {\"x\":1} (complete)\ncall 0.1 b f {\"x\": (cut)\nfinish Word(\"length\") terminal",
    },
    Turn {
        name: "the cap was reached, whatever the finish reason says",
        recording: r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]},"finish_reason":"tool_calls"}]}

data: {"choices":[],"timings":{"prompt_n":7,"predicted_n":100}}

data: [DONE]

"#,
        says: "call 0.0 a f {\"x\":1} (cut)\nfinish Word(\"tool_calls\") terminal\nusage Some(7) 100",
    },
    Turn {
        name: "broken off",
        recording: r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1"}}]},"finish_reason":null}]}
"#,
        says: "call 0.0 a f {\"x\":1 (cut)\nfinish Null",
    },
    Turn {
        name: "arguments after the finish reason, which comes twice",
        recording: r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]},"finish_reason":""}]}

data: {"choices":[{"delta":{},"finish_reason":"tool_call"}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"finish_reason":null}]}

data: {"choices":[{"delta":{},"finish_reason":"tool_call"}]}

"#,
        says: "call 0.0 a f {} (complete)\nfinish Word(\"tool_call\")",
    },
    Turn {
        name: "no index, whole calls with ids of their own",
        recording: r#"data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":null,"id":"b","function":{"name":"f","arguments":"{\"x\":2}"}},{"id":"c","function":{"name":"f","arguments":"{\"x\":3}"}}]},"finish_reason":"stop"}]}

"#,
        says: "call 0.0 a f {\"x\":1} (complete)\ncall 0.1 b f {\"x\":2} (complete)\ncall 0.2 c f {\"x\":3} (complete)\nfinish Word(\"stop\")",
    },
    Turn {
        name: "numbers as text, fields without `function`, null everywhere",
        recording: r#"data: {"choices":[{"index":"0","delta":{"content":null,"tool_calls":null,"function_call":null,"reasoning_content":null}}]}

data: {"choices":[{"index":"0","delta":{"tool_calls":[{"index":"1","id":null,"name":"f","arguments":null}]}}]}

data: {"choices":[{"index":"0","delta":{"tool_calls":[{"index":"1","id":"","name":null,"arguments":"{}"}]},"finish_reason":"stop"}]}

"#,
        says: "call 0.1 - f {} (complete)\nfinish Word(\"stop\")",
    },
    Turn {
        name: "custom tools are no calls, an empty error is none, a cut stays a cut",
        recording: r#"data: {"error":"","choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"sh","input":"ls"}}]},"finish_reason":"length"}]}

data: {"error":false,"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"f","arguments":"{"}}]},"finish_reason":"tool_calls"}]}

"#,
        says: "call 0.1 b f { (cut)\nfinish Word(\"length\")",
    },
    Turn {
        name: "legacy function_call",
        recording: r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null,"function_call":{"name":"f","arguments":""}}}]}

data: {"choices":[{"index":0,"delta":{"function_call":{"arguments":"{}"}},"finish_reason":"function_call"}]}

"#,
        says: "call 0.0 - f {} (complete)\nfinish Word(\"function_call\")",
    },
    Turn {
        name: "objects for arguments, growing",
        recording: r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"n": 1e400}}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":{"n": 1e400, "m": "\ud83d"}}}]},"finish_reason":"stop"}]}

"#,
        says: "call 0.0 a f {\"n\": 1e400, \"m\": \"\\ud83d\"} (complete)\nfinish Word(\"stop\")",
    },
    Turn {
        name: "text, reasoning of both kinds, content in parts",
        recording: r#"data: {"choices":[{"delta":{"reasoning_content":"Hm","reasoning":"Hm","content":""}}]}

data: {"choices":[{"delta":{"reasoning":", well"}}]}

data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"."}]},{"type":"text","text":"Hel"}]}}]}

data: {"choices":[{"delta":{"content":"lo\n\u00e9"},"finish_reason":"stop"}]}

"#,
        says: "content Hello\né\nreasoning Hm, well.\nfinish Word(\"stop\")",
    },
    Turn {
        name: "a surrogate pair over two deltas, in arguments and in text",
        recording: r#"data: {"choices":[{"delta":{"content":"a\ud83d","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"\ud83d"}}]}}]}

data: {"choices":[{"delta":{"content":"\ude00b","tool_calls":[{"index":0,"function":{"arguments":"\ude00\\ud83d\"}"}}]},"finish_reason":"stop"}]}

"#,
        says: "call 0.0 a f {\"x\":\"😀\\ud83d\"} (complete)\ncontent a😀b\nfinish Word(\"stop\")",
    },
    Turn {
        name: "a surrogate that stays alone",
        recording: r#"data: {"choices":[{"delta":{"content":"a\ude00","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"\ud83d"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]},"finish_reason":"stop"}]}
"#,
        says: "call 0.0 a f {\"x\":\"\u{fffd}\"} !lone-surrogate (complete)\ncontent a\u{fffd}\nfinish Word(\"stop\")\nfault half of a surrogate pair stands alone in the text (line 3, byte 149)",
    },
    Turn {
        name: "comments, keep-alives, foreign events, a doubled field name",
        recording: r#": PROCESSING

event: ping

data:

data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}

data: data: {"choices":[{"delta":{"content":"a"}}],"tool_call_generating":true}

id: 7
retry: 500

data: {"type":"ping"}

data: {"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}

data: data: [DONE]

"#,
        says: "content ab\nfinish Word(\"stop\") terminal",
    },
    Turn {
        name: "one chunk a line",
        recording: r#"{"model":"m","choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}}]}

{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"finish_reason":"stop"}]}
"#,
        says: "call 0.0 a f {} (complete)\nfinish Word(\"stop\")",
    },
    Turn {
        name: "chunks in an array",
        recording: r#"[{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}}]},
{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"finish_reason":"stop"}]}]"#,
        says: "call 0.0 a f {} (complete)\nfinish Word(\"stop\")",
    },
    Turn {
        name: "an error in the middle",
        recording: r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}}]}

data: {"choices":[],"error":{"code":502,"message":"worker lost"}}

data: [DONE]

"#,
        says: "call 0.0 a f {\"x\" (cut)\nfinish Null terminal\nfault the server reports an error: worker lost (line 3, byte 120)",
    },
    Turn {
        name: "a cut event, then more",
        recording: r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}}]}

data: {"choices":[{"delta":{"t

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":"tool_calls"}]}

"#,
        says: "call 0.0 a f {\"x\":1} !piece-lost (complete)\nfinish Word(\"tool_calls\")\nfault an event is not JSON (line 3, byte 144)",
    },
    Turn {
        name: "a cut event at the end",
        recording: r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1"}}]},"finish_reason":"stop"}]}

data: {"choices":[{"del"#,
        says: "call 0.0 a f {\"x\":1 (cut)\nfinish Word(\"stop\")\nfault an event is not JSON (line 3, byte 161)",
    },
    Turn {
        name: "a piece of a block that is lost before its end",
        recording: r#"data: {"type":"message_start","message":{"model":"m","content":[]}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"x\":1"}}

data: {"type":"content_block_delta","ind

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

"#,
        says: "call 0.0 a f {\"x\":1 (cut)\nfinish Word(\"tool_use\") terminal\nfault an event is not JSON (line 7, byte 333)",
    },
    Turn {
        name: "all pieces of a block that are lost",
        recording: r#"data: {"type":"message_start","message":{"model":"m","content":[]}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}

data: {"type":"content_block_delta","ind

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

"#,
        says: "call 0.0 a f  (cut)\nfinish Word(\"tool_use\") terminal\nfault an event is not JSON (line 5, byte 223)",
    },
    Turn {
        name: "the event that opens a block is lost",
        recording: r#"data: {"type":"message_start","message":{"model":"m","content":[]}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_delta","ind

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x\":1}"}}

data: {"type":"content_block_stop","index":1}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

"#,
        says: "call 0.0 a f {} (complete)\ncall 0.1 -  {\"x\":1} !piece-lost (complete)\nfinish Word(\"tool_use\") terminal\nfault an event is not JSON (line 9, byte 374)",
    },
    Turn {
        name: "a block that is not opened, between another one's pieces",
        recording: r#"data: {"type":"message_start","message":{"model":"m","content":[]}}

data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}

data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"x\":"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"2"}}

data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"1}"}}

data: {"type":"content_block_stop","index":3}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

"#,
        says: "call 0.0 a f {\"x\":1} !piece-lost (complete)\nfinish Word(\"tool_use\") terminal",
    },
    Turn {
        name: "a lost piece, and empty copies",
        recording: r#"data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"i","call_id":"a","name":"f","arguments":""}}

data: {"type":"response.function_call_arguments.delta","output_index":0,"item_id":"i","delta":"{\"x\":1"}

data: {"type":"response.function_call_argum

data: {"type":"response.function_call_arguments.done","output_index":0,"item_id":"i","arguments":""}

data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"i","call_id":"a","name":"f","arguments":""}}

data: {"type":"response.completed","response":{"status":"completed","output":[]}}

"#,
        says: "call 0.0 a f {\"x\":1 (cut)\nfinish Word(\"completed\") terminal\nfault an event is not JSON (line 5, byte 292)",
    },
    Turn {
        name: "a lost piece, and a copy that says all",
        recording: r#"data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"i","call_id":"a","name":"f","arguments":""}}

data: {"type":"response.function_call_argum

data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"i","call_id":"a","name":"f","arguments":"{\"x\":1}"}}

data: {"type":"response.completed","response":{"status":"completed","output":[]}}

"#,
        says: "call 0.0 a f {\"x\":1} (complete)\nfinish Word(\"completed\") terminal\nfault an event is not JSON (line 3, byte 185)",
    },
    Turn {
        name: "what comes behind the end",
        recording: r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

data: {"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}]}}]}

"#,
        says: "call 0.0 a f {} (complete)\nfinish Word(\"tool_calls\") terminal\nfault what stands behind the end of the turn was not read (line 5, byte 159)",
    },
];
