//! How each family writes calls: what the readers must understand, written by another hand.

use serde_json::{Value, json};

/// A call: its tool, its arguments in order.
pub(crate) type Call = (&'static str, Vec<(&'static str, Value)>);

/// A family: a model's name, what the prompt already wrote, and how it writes calls.
pub(crate) struct Writer {
    pub(crate) model: &'static str,
    pub(crate) prefill: &'static str,
    pub(crate) write: fn(&[Call]) -> String,
    /// Whether values stand unescaped, so that some texts cannot be told from markup.
    pub(crate) raw: bool,
    /// Whether text may stand before the calls.
    pub(crate) leads: bool,
}

const fn marked(model: &'static str, write: fn(&[Call]) -> String) -> Writer {
    Writer { model, prefill: "", write, raw: false, leads: true }
}

const fn raw(model: &'static str, write: fn(&[Call]) -> String) -> Writer {
    Writer { model, prefill: "", write, raw: true, leads: true }
}

const fn bare(model: &'static str, write: fn(&[Call]) -> String) -> Writer {
    Writer { model, prefill: "", write, raw: false, leads: false }
}

pub(crate) const WRITERS: &[Writer] = &[
    marked("Qwen/Qwen3-8B", |calls| {
        each(calls, "\n", |c| format!("<tool_call>\n{}\n</tool_call>", envelope(c, "arguments")))
    }),
    marked("NousResearch/Hermes-3-Llama-3.1-8B", |calls| {
        each(calls, "", |c| format!("<tool_call>{}</tool_call>", envelope(c, "arguments")))
    }),
    marked("meituan-longcat/LongCat-Flash-Chat", |calls| {
        each(calls, "\n", |c| format!("<longcat_tool_call>{}</longcat_tool_call>", envelope(c, "arguments")))
    }),
    marked("MiniMaxAI/MiniMax-M1-80k", |calls| {
        format!("<tool_calls>\n{}\n</tool_calls>", each(calls, "\n", |c| envelope(c, "arguments")))
    }),
    marked("ai21labs/AI21-Jamba-Mini-1.6", |calls| {
        format!("<tool_calls>{}</tool_calls>", list(calls, "arguments"))
    }),
    marked("tencent/Hunyuan-A13B-Instruct", |calls| {
        format!("<tool_calls>{}</tool_calls>", list(calls, "arguments"))
    }),
    marked("nvidia/NVIDIA-Nemotron-Nano-9B-v2", |calls| {
        format!("<TOOLCALL>{}</TOOLCALL>", list(calls, "arguments"))
    }),
    marked("internlm/internlm2_5-7b-chat", |calls| {
        each(calls, "\n", |c| {
            format!("<|action_start|><|plugin|>\n{}<|action_end|>", envelope(c, "parameters"))
        })
    }),
    marked("internlm/Intern-S1", |calls| {
        each(calls, "\n", |c| {
            format!("<|action_start|> <|plugin|>\n{}<|action_end|>", envelope(c, "parameters"))
        })
    }),
    marked("ai-sage/GigaChat3.1-10B", |calls| {
        each(calls, "\n", |c| format!("<|function_call|>{}", envelope(c, "arguments")))
    }),
    marked("thinkingmachines/Inkling-Chat", |calls| {
        each(calls, "", |c| {
            format!(
                "<|message_model|>{}<|content_invoke_tool_json|>{}<|end_message|>",
                c.0,
                envelope(c, "args")
            )
        })
    }),
    marked("mistralai/Mistral-7B-Instruct-v0.3", |calls| {
        format!("[TOOL_CALLS] {}", list(calls, "arguments"))
    }),
    marked("mistralai/Devstral-Small-2507", |calls| {
        each(calls, "", |c| format!("[TOOL_CALLS]{}[ARGS]{}", c.0, object(c)))
    }),
    marked("mistralai/Mistral-Small-3.2-24B", |calls| {
        each(calls, "", |c| format!("[TOOL_CALLS]{}[CALL_ID]aB3dE6gH9[ARGS]{}", c.0, object(c)))
    }),
    marked("ibm-granite/granite-3.3-8b-instruct", |calls| {
        format!("<|tool_call|>{}", list(calls, "arguments"))
    }),
    marked("ibm-granite/granite-3.1-8b-instruct", |calls| format!("<tool_call>{}", list(calls, "arguments"))),
    marked("ibm-granite/granite-20b-functioncalling", |calls| {
        each(calls, "\n", |c| format!("<function_call> {}", envelope(c, "arguments")))
    }),
    marked("microsoft/Phi-4-mini-instruct", |calls| {
        format!("<|tool_call|>{}<|/tool_call|>", list(calls, "arguments"))
    }),
    bare("microsoft/Phi-4-mini-instruct", |calls| format!("functools{}", list(calls, "arguments"))),
    bare("fireworks-ai/llama-3-firefunction-v2", |calls| format!(" functools{}", list(calls, "arguments"))),
    marked("swiss-ai/Apertus-8B-Instruct-2509", |calls| {
        format!(
            "<|tools_prefix|>[{}]<|tools_suffix|>",
            each(calls, ", ", |c| format!("{{\"{}\": {}}}", c.0, object(c)))
        )
    }),
    marked("CohereLabs/c4ai-command-r7b-12-2024", |calls| {
        let mut n = 0;
        format!(
            "<|START_ACTION|>[\n    {}\n]<|END_ACTION|>",
            each(calls, ",\n    ", |c| {
                n += 1;
                format!(
                    "{{\"tool_call_id\": \"{}\", \"tool_name\": \"{}\", \"parameters\": {}}}",
                    n - 1,
                    c.0,
                    object(c)
                )
            })
        )
    }),
    bare("CohereForAI/c4ai-command-r-plus", |calls| {
        format!(
            "Action:\n```json\n[\n    {}\n]\n```",
            each(calls, ",\n    ", |c| format!(
                "{{\"tool_name\": \"{}\", \"parameters\": {}}}",
                c.0,
                object(c)
            ))
        )
    }),
    marked("deepseek-ai/DeepSeek-V3-0324", |calls| {
        format!(
            "<｜tool▁calls▁begin｜>{}<｜tool▁calls▁end｜>",
            each(calls, "\n", |c| format!(
                "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{}\n```json\n{}\n```<｜tool▁call▁end｜>",
                c.0,
                object(c)
            ))
        )
    }),
    marked("deepseek-ai/DeepSeek-V3.1", |calls| {
        format!(
            "<｜tool▁calls▁begin｜>{}<｜tool▁calls▁end｜>",
            each(calls, "", |c| format!(
                "<｜tool▁call▁begin｜>{}<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
                c.0,
                object(c)
            ))
        )
    }),
    marked("moonshotai/Kimi-K2-Instruct-0905", |calls| {
        let mut n = 6;
        format!(
            "<|tool_calls_section_begin|>{}<|tool_calls_section_end|>",
            each(calls, "", |c| {
                n += 1;
                format!(
                    "<|tool_call_begin|>functions.{}:{n}<|tool_call_argument_begin|>{}<|tool_call_end|>",
                    c.0,
                    object(c)
                )
            })
        )
    }),
    marked("upstage/Solar-Open-100B", |calls| {
        each(calls, "", |c| {
            format!(
                "<|tool_call:begin|>c7<|tool_call:name|>{}<|tool_call:args|>{}<|tool_call:end|>",
                c.0,
                object(c)
            )
        })
    }),
    marked("meetkai/functionary-medium-v3.1", |calls| {
        each(calls, "", |c| format!("<function={}>{}</function>", c.0, object(c)))
    }),
    Writer {
        prefill: "<|start_header_id|>assistant<|end_header_id|>\n\n>>>",
        ..bare("meetkai/functionary-medium-v3.2", |calls| {
            each(calls, ">>>", |c| format!("{}\n{}", c.0, object(c)))
        })
    },
    bare("meta-llama/Llama-3.1-8B-Instruct", |calls| each(calls, "; ", |c| envelope(c, "parameters"))),
    marked("meta-llama/Llama-3.3-70B-Instruct", |calls| {
        format!("<|python_tag|>{}", each(calls, "; ", |c| envelope(c, "parameters")))
    }),
    bare("Salesforce/Llama-xLAM-2-8b-fc-r", |calls| list(calls, "arguments")),
    bare("some-model", |calls| each(calls, "\n", |c| envelope(c, "arguments"))),
    marked("some-model", |calls| {
        each(calls, "\n\n", |c| format!("```tool_call\n{}\n```", envelope(c, "arguments")))
    }),
    bare("meta-llama/Llama-4-Scout-17B", |calls| format!("[{}]", each(calls, ", ", python))),
    marked("meta-llama/Llama-4-Maverick-17B", |calls| {
        format!("<|python_start|>[{}]<|python_end|>", each(calls, ", ", python))
    }),
    marked("LiquidAI/LFM2-8B-A1B", |calls| {
        format!("<|tool_call_start|>[{}]<|tool_call_end|>", each(calls, ", ", python))
    }),
    marked("google/gemma-3-27b-it", |calls| format!("```tool_code\n[{}]\n```", each(calls, ", ", python))),
    marked("allenai/Olmo-3-7B-Instruct", |calls| {
        format!("<function_calls>\n{}\n</function_calls>", each(calls, "\n", python))
    }),
    raw("Qwen/Qwen3-Coder-30B-A3B-Instruct", |calls| each(calls, "\n", |c| function(c, "tool_call", "\n"))),
    raw("nvidia/NVIDIA-Nemotron-3-Nano-30B", |calls| each(calls, "\n", |c| function(c, "tool_call", "\n"))),
    raw("XiaomiMiMo/MiMo-V2-Flash", |calls| each(calls, "\n", |c| function(c, "tool_call", ""))),
    raw("ByteDance-Seed/Seed-OSS-36B-Instruct", |calls| {
        each(calls, "\n", |c| function(c, "seed:tool_call", ""))
    }),
    raw("zai-org/GLM-4.6", |calls| each(calls, "\n", |c| key_values(c, "", "\n"))),
    raw("zai-org/GLM-4.7", |calls| each(calls, "", |c| key_values(c, "", ""))),
    raw("meituan-longcat/LongCat-Flash-Thinking-2601", |calls| {
        each(calls, "\n", |c| key_values(c, "longcat_", "\n"))
    }),
    raw("tencent/Hy3-preview", |calls| {
        format!(
            "<tool_calls>\n{}\n</tool_calls>",
            each(calls, "\n", |c| key_values(c, "", "\n").replacen('\n', "<tool_sep>\n", 1))
        )
    }),
    raw("MiniMaxAI/MiniMax-M2.1", |calls| wrapped(calls, "", "minimax:tool_call")),
    raw("rednote-hilab/dots.llm2.inst", |calls| wrapped(calls, "", "dots_function_call")),
    raw("claude-sonnet-4-5", |calls| wrapped(calls, "", "function_calls")),
    raw("deepseek-ai/DeepSeek-V3.2", |calls| dsml(calls, "｜DSML｜", "function_calls")),
    raw("deepseek-ai/DeepSeek-V4-Flash", |calls| dsml(calls, "｜DSML｜", "tool_calls")),
    raw("deepseek-ai/DeepSeek-V4.1-Flash", |calls| dsml(calls, "｜DSML｜ ", "calls")),
    raw("deepseek-v4-behind-a-relay", |calls| dsml(calls, "‖DSML‖", "tool_calls")),
    raw("stepfun-ai/step3", |calls| {
        format!(
            "<｜tool_calls_begin｜>{}<｜tool_calls_end｜>",
            each(calls, "<｜tool_sep｜>", |c| format!(
                "<｜tool_call_begin｜>function<｜tool_sep｜>{}<｜tool_call_end｜>",
                invoke(c, "steptml:", "")
            ))
        )
    }),
    raw("openbmb/MiniCPM5-1B", |calls| {
        each(calls, "", |c| {
            format!(
                "<function name=\"{}\">{}</function>",
                c.0,
                each(&c.1, "", |(key, value)| format!(
                    "<param name=\"{key}\"><![CDATA[{}]]></param>",
                    text(value)
                ))
            )
        })
    }),
    raw("MiniMaxAI/MiniMax-M3", |calls| {
        const NS: &str = "]<]minimax[>[";
        format!(
            "{NS}<tool_call>\n{}\n{NS}</tool_call>",
            each(calls, "\n", |c| {
                format!(
                    "{NS}<invoke name=\"{}\">{}{NS}</invoke>",
                    c.0,
                    each(&c.1, "", |(key, value)| format!("{NS}<{key}>{}{NS}</{key}>", text(value)))
                )
            })
        )
    }),
    raw("google/gemma-4-31B-it", |calls| {
        each(calls, "", |c| format!("<|tool_call>call:{}{}<tool_call|>", c.0, brace(c, "<|\"|>")))
    }),
    raw("google/functiongemma-270m-it", |calls| {
        each(calls, "", |c| {
            format!("<start_function_call>call:{}{}<end_function_call>", c.0, brace(c, "<escape>"))
        })
    }),
    Writer {
        prefill: "<|start|>assistant",
        leads: false,
        ..marked("openai/gpt-oss-20b", |calls| {
            let calls = each(calls, "<|start|>assistant", |c| {
                format!(
                    "<|channel|>commentary to=functions.{} <|constrain|>json<|message|>{}<|call|>",
                    c.0,
                    object(c)
                )
            });
            format!("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant{calls}")
        })
    },
    Writer {
        prefill: "<|open|>message role=\"assistant\"<|sep|><|open|>think<|sep|>",
        leads: false,
        ..raw("moonshotai/Kimi-K3", |calls| {
            let calls = each(calls, "", |c| {
                let arguments = each(&c.1, "", |(key, value)| {
                    let kind = match value {
                        Value::String(_) => "string",
                        Value::Number(_) => "number",
                        Value::Bool(_) => "boolean",
                        Value::Null => "null",
                        Value::Array(_) => "array",
                        Value::Object(_) => "object",
                    };
                    format!(
                        "<|open|>argument key=\"{key}\" type=\"{kind}\"<|sep|>{}<|close|>argument<|sep|>",
                        text(value)
                    )
                });
                format!("<|open|>call tool=\"{}\" index=\"1\"<|sep|>{arguments}<|close|>call<|sep|>", c.0)
            });
            format!(
                "Hm.<|close|>think<|sep|><|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|>{calls}<|close|>tools<|sep|><|close|>message<|sep|>"
            )
        })
    },
    Writer {
        prefill: "<|start|>assistant",
        leads: false,
        ..raw("meta-models/muse-glimmer", |calls| {
            each(calls, "<|start|>assistant", |c| {
                format!(
                    " to={}<|message|>\n<atem:function_calls>\n{}\n</atem:function_calls><|eom|>",
                    c.0,
                    invoke(c, "atem:", "\n")
                )
            })
        })
    },
];

fn each<T>(items: &[T], between: &str, mut write: impl FnMut(&T) -> String) -> String {
    items.iter().map(&mut write).collect::<Vec<_>>().join(between)
}

fn object(call: &Call) -> String {
    let members = each(&call.1, ", ", |(key, value)| format!("{}: {value}", json!(key)));
    format!("{{{members}}}")
}

fn envelope(call: &Call, arguments: &str) -> String {
    format!("{{\"name\": \"{}\", \"{arguments}\": {}}}", call.0, object(call))
}

fn list(calls: &[Call], arguments: &str) -> String {
    format!("[{}]", each(calls, ", ", |c| envelope(c, arguments)))
}

/// A value as the untyped formats write it: strings as they are, everything else as JSON.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn function(call: &Call, tag: &str, line: &str) -> String {
    let parameters = each(&call.1, "", |(key, value)| {
        format!("<parameter={key}>{line}{}{line}</parameter>\n", text(value))
    });
    format!("<{tag}>\n<function={}>\n{parameters}</function>\n</{tag}>", call.0)
}

fn key_values(call: &Call, prefix: &str, line: &str) -> String {
    let pairs = each(&call.1, "", |(key, value)| {
        format!(
            "{line}<{prefix}arg_key>{key}</{prefix}arg_key>{line}<{prefix}arg_value>{}</{prefix}arg_value>",
            text(value)
        )
    });
    format!("<{prefix}tool_call>{}{pairs}{line}</{prefix}tool_call>", call.0)
}

fn invoke(call: &Call, prefix: &str, line: &str) -> String {
    let parameters = each(&call.1, "", |(key, value)| {
        format!("<{prefix}parameter name=\"{key}\">{}</{prefix}parameter>{line}", text(value))
    });
    format!("<{prefix}invoke name=\"{}\">{line}{parameters}</{prefix}invoke>", call.0)
}

fn wrapped(calls: &[Call], prefix: &str, tag: &str) -> String {
    format!("<{tag}>\n{}\n</{tag}>", each(calls, "\n", |c| invoke(c, prefix, "\n")))
}

fn dsml(calls: &[Call], mark: &str, block: &str) -> String {
    let calls = each(calls, "\n", |c| {
        let parameters = each(&c.1, "", |(key, value)| {
            format!(
                "<{mark}parameter name=\"{key}\" string=\"{}\">{}</{mark}parameter>\n",
                value.is_string(),
                text(value)
            )
        });
        format!("<{mark}invoke name=\"{}\">\n{parameters}</{mark}invoke>", c.0)
    });
    format!("\n\n<{mark}{block}>\n{calls}\n</{mark}{block}>")
}

fn brace(call: &Call, quote: &str) -> String {
    format!("{{{}}}", each(&call.1, ",", |(key, value)| format!("{key}:{}", braced(value, quote))))
}

fn braced(value: &Value, quote: &str) -> String {
    match value {
        Value::String(text) => format!("{quote}{text}{quote}"),
        Value::Array(items) => format!("[{}]", each(items, ",", |item| braced(item, quote))),
        Value::Object(members) => {
            let members: Vec<_> = members.iter().collect();
            format!("{{{}}}", each(&members, ",", |(key, item)| format!("{key}:{}", braced(item, quote))))
        }
        other => other.to_string(),
    }
}

fn python(call: &Call) -> String {
    fn literal(value: &Value) -> String {
        match value {
            Value::Null => "None".to_owned(),
            Value::Bool(true) => "True".to_owned(),
            Value::Bool(false) => "False".to_owned(),
            Value::Number(number) => number.to_string(),
            Value::String(text) => {
                let escaped =
                    text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\t', "\\t");
                format!("'{escaped}'")
            }
            Value::Array(items) => format!("[{}]", each(items, ", ", literal)),
            Value::Object(members) => {
                let members: Vec<_> = members.iter().collect();
                format!("{{{}}}", each(&members, ", ", |(key, item)| format!("'{key}': {}", literal(item))))
            }
        }
    }
    format!("{}({})", call.0, each(&call.1, ", ", |(key, value)| format!("{key}={}", literal(value))))
}
