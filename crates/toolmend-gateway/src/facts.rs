//! What a request says about the turn that it asks for.

use std::fmt;

use toolmend::Tool;
use toolmend::wire::json::Value;

use crate::endpoint::{Speaks, model_and_method};

/// What a request says about the turn that it asks for.
#[derive(Clone, PartialEq, Eq)]
pub struct Facts {
    /// What the endpoint speaks.
    pub speaks: Speaks,
    /// The model that is asked.
    pub model: Option<String>,
    /// Whether the answer is to be streamed.
    pub streamed: bool,
    /// The tools that the model is offered, in the order of the request.
    pub tools: Vec<OfferedTool>,
    /// Which of them it is to call.
    pub choice: ToolChoice,
    /// Whether it may call several at a time; `None` where the request leaves that open.
    pub parallel: Option<bool>,
    /// The most tokens that it may write.
    pub max_tokens: Option<u64>,
    /// How many answers are asked for.
    pub answers: u64,
}

/// One tool that a model is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedTool {
    /// Its name.
    pub name: String,
    /// The JSON object that describes it, as the request has it.
    pub json: String,
}

/// Which tool the model is to call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// None.
    None,
    /// Some tool.
    Required,
    /// The tool of this name.
    Named(String),
}

impl Facts {
    /// What the body of a request to such an endpoint says; `None` where it is no such request. `path` says
    /// what a body of Gemini's does not.
    #[must_use]
    pub fn read(speaks: Speaks, path: &str, body: &[u8]) -> Option<Facts> {
        let body = Value::parse(std::str::from_utf8(body).ok()?).ok().filter(|body| body.is_object())?;
        let mut facts = Facts {
            speaks,
            model: string(body.get("model")),
            streamed: body.get("stream").is_some_and(|stream| stream.raw() == "true"),
            tools: Vec::new(),
            choice: ToolChoice::Auto,
            parallel: flag(body.get("parallel_tool_calls")),
            max_tokens: None,
            answers: 1,
        };
        match speaks {
            Speaks::Chat => facts.chat(body)?,
            Speaks::Responses => facts.responses(body)?,
            Speaks::Messages => facts.messages(body)?,
            Speaks::Ollama => facts.ollama(body)?,
            Speaks::Gemini => facts.gemini(body, path)?,
        }
        Some(facts)
    }

    /// Whether the answer can hold a call at all.
    #[must_use]
    pub fn offers_tools(&self) -> bool {
        !self.tools.is_empty() && self.choice != ToolChoice::None
    }

    /// The tools with their schemas. A tool whose description cannot be read is left out: calls of it are
    /// calls of no known tool, which are declined.
    #[must_use]
    pub fn read_tools(&self) -> Vec<Tool> {
        self.tools.iter().filter_map(|tool| Tool::list(&tool.json).ok()).flatten().collect()
    }

    fn chat(&mut self, body: Value<'_>) -> Option<()> {
        let [messages, tools, functions, choice, legacy, cap, old_cap, n] = body.pick([
            "messages",
            "tools",
            "functions",
            "tool_choice",
            "function_call",
            "max_completion_tokens",
            "max_tokens",
            "n",
        ]);
        messages.filter(|messages| messages.is_array())?;
        self.offer(tools, |tool| tool.get("function")?.get("name"));
        self.offer(functions, |tool| tool.get("name"));
        self.choice = choice.or(legacy).map_or(ToolChoice::Auto, |choice| {
            openai_choice(choice, |choice| match choice.get("function") {
                Some(function) => function.get("name"),
                None => choice.get("name"),
            })
        });
        self.max_tokens = cap.or(old_cap).and_then(Value::count);
        self.answers = n.and_then(Value::count).unwrap_or(1);
        Some(())
    }

    fn responses(&mut self, body: Value<'_>) -> Option<()> {
        let [input, prompt, tools, choice, cap] =
            body.pick(["input", "prompt", "tools", "tool_choice", "max_output_tokens"]);
        input.or(prompt)?;
        self.offer(tools, |tool| tool.get("name"));
        self.choice = choice.map_or(ToolChoice::Auto, |choice| openai_choice(choice, |c| c.get("name")));
        self.max_tokens = cap.and_then(Value::count);
        Some(())
    }

    fn messages(&mut self, body: Value<'_>) -> Option<()> {
        let [messages, tools, choice, cap] = body.pick(["messages", "tools", "tool_choice", "max_tokens"]);
        messages.filter(|messages| messages.is_array())?;
        self.offer(tools, |tool| tool.get("name"));
        if let Some(choice) = choice {
            self.choice = match string(choice.get("type")).as_deref() {
                Some("none") => ToolChoice::None,
                Some("any") => ToolChoice::Required,
                Some("tool") => string(choice.get("name")).map_or(ToolChoice::Required, ToolChoice::Named),
                _ => ToolChoice::Auto,
            };
            self.parallel = flag(choice.get("disable_parallel_tool_use")).map(|disabled| !disabled);
        }
        self.max_tokens = cap.and_then(Value::count);
        Some(())
    }

    fn ollama(&mut self, body: Value<'_>) -> Option<()> {
        let [messages, tools, options, stream] = body.pick(["messages", "tools", "options", "stream"]);
        messages.filter(|messages| messages.is_array())?;
        self.streamed = stream.is_none_or(|stream| stream.raw() != "false");
        self.offer(tools, |tool| tool.get("function")?.get("name"));
        self.max_tokens = options.and_then(|options| options.get("num_predict")).and_then(Value::count);
        Some(())
    }

    fn gemini(&mut self, body: Value<'_>, path: &str) -> Option<()> {
        body.get("contents")?;
        let (model, method) = model_and_method(path.rsplit('/').next()?)?;
        self.model = Some(model.to_owned());
        self.streamed = method == "streamGenerateContent";
        for group in body.get("tools").into_iter().flat_map(Value::items) {
            self.offer(either(group, "functionDeclarations", "function_declarations"), |tool| {
                tool.get("name")
            });
        }
        let calling = either(body, "toolConfig", "tool_config")
            .and_then(|config| either(config, "functionCallingConfig", "function_calling_config"));
        if let Some(calling) = calling {
            let allowed = either(calling, "allowedFunctionNames", "allowed_function_names");
            let mut allowed = allowed.into_iter().flat_map(Value::items);
            self.choice = match string(calling.get("mode")).as_deref() {
                Some("NONE") => ToolChoice::None,
                Some("ANY") => match (string(allowed.next()), allowed.next()) {
                    (Some(name), None) => ToolChoice::Named(name),
                    _ => ToolChoice::Required,
                },
                _ => ToolChoice::Auto,
            };
        }
        self.max_tokens = either(body, "generationConfig", "generation_config")
            .and_then(|config| either(config, "maxOutputTokens", "max_output_tokens"))
            .and_then(Value::count);
        Some(())
    }

    fn offer<'a>(&mut self, tools: Option<Value<'a>>, name: impl Fn(Value<'a>) -> Option<Value<'a>>) {
        for tool in tools.into_iter().flat_map(Value::items) {
            if let Some(name) = string(name(tool)) {
                self.tools.push(OfferedTool { name, json: tool.raw().to_owned() });
            }
        }
    }
}

/// Without the tools' descriptions, which are long.
impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facts")
            .field("speaks", &self.speaks)
            .field("model", &self.model)
            .field("streamed", &self.streamed)
            .field("tools", &self.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>())
            .field("choice", &self.choice)
            .field("parallel", &self.parallel)
            .field("max_tokens", &self.max_tokens)
            .field("answers", &self.answers)
            .finish()
    }
}

fn openai_choice<'a>(choice: Value<'a>, name: impl Fn(Value<'a>) -> Option<Value<'a>>) -> ToolChoice {
    match string(Some(choice)).as_deref() {
        Some("none") => ToolChoice::None,
        Some("required" | "any") => ToolChoice::Required,
        Some(_) => ToolChoice::Auto,
        None => string(name(choice)).map_or(ToolChoice::Auto, ToolChoice::Named),
    }
}

fn either<'a>(value: Value<'a>, camel: &str, snake: &str) -> Option<Value<'a>> {
    value.get(camel).or_else(|| value.get(snake))
}

fn string(value: Option<Value<'_>>) -> Option<String> {
    Some(value?.text()?.to_text())
}

fn flag(value: Option<Value<'_>>) -> Option<bool> {
    match value?.raw() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(speaks: Speaks, body: &str) -> Option<Facts> {
        Facts::read(speaks, "/v1beta/models/gem:streamGenerateContent", body.as_bytes())
    }

    fn names(facts: &Facts) -> Vec<&str> {
        facts.tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    #[test]
    fn no_turn_is_asked_for() {
        for speaks in [Speaks::Chat, Speaks::Responses, Speaks::Messages, Speaks::Ollama, Speaks::Gemini] {
            for body in
                ["", "{", "[]", "\"messages\"", "{}", "{\"messages\":{}}", "{\"contents\":null}", "\u{1}"]
            {
                assert_eq!(read(speaks, body), None, "{speaks} {body}");
            }
            assert_eq!(Facts::read(speaks, "/m:generateContent", b"{\"messages\":[\"\xff\"]}"), None);
        }
    }

    #[test]
    fn chat() {
        let facts = read(
            Speaks::Chat,
            r#"{"model":"m","messages":[],"stream":true,"n":2,"max_tokens":7,"parallel_tool_calls":false,
            "tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}},{"type":"odd"}],
            "tool_choice":{"type":"function","function":{"name":"a"}}}"#,
        )
        .unwrap();
        assert_eq!((names(&facts), facts.model.as_deref()), (vec!["a"], Some("m")));
        assert_eq!((facts.streamed, facts.answers, facts.max_tokens), (true, 2, Some(7)));
        assert_eq!((facts.choice.clone(), facts.parallel), (ToolChoice::Named("a".into()), Some(false)));
        assert_eq!(facts.read_tools().len(), 1);
        assert!(facts.offers_tools());
    }

    #[test]
    fn choices() {
        let tool = r#""tools":[{"name":"a","function":{"name":"a"}}]"#;
        for (speaks, rest, choice) in [
            (Speaks::Chat, r#""messages":[],"tool_choice":"none""#, ToolChoice::None),
            (Speaks::Chat, r#""messages":[],"tool_choice":"required""#, ToolChoice::Required),
            (Speaks::Chat, r#""messages":[],"tool_choice":"auto""#, ToolChoice::Auto),
            (Speaks::Chat, r#""messages":[],"function_call":{"name":"a"}"#, ToolChoice::Named("a".into())),
            (
                Speaks::Responses,
                r#""input":"x","tool_choice":{"type":"function","name":"a"}"#,
                ToolChoice::Named("a".into()),
            ),
            (Speaks::Messages, r#""messages":[],"tool_choice":{"type":"any"}"#, ToolChoice::Required),
            (
                Speaks::Messages,
                r#""messages":[],"tool_choice":{"type":"tool","name":"a"}"#,
                ToolChoice::Named("a".into()),
            ),
            (Speaks::Messages, r#""messages":[],"tool_choice":{"type":"none"}"#, ToolChoice::None),
        ] {
            let facts = read(speaks, &format!("{{{tool},{rest}}}")).unwrap();
            assert_eq!(facts.choice, choice, "{speaks} {rest}");
            assert_eq!(facts.offers_tools(), choice != ToolChoice::None);
        }
    }

    #[test]
    fn the_other_protocols() {
        let facts = read(
            Speaks::Responses,
            r#"{"input":[],"tools":[{"type":"function","name":"a","parameters":{}}],"max_output_tokens":"9"}"#,
        )
        .unwrap();
        assert_eq!((names(&facts), facts.max_tokens), (vec!["a"], Some(9)));

        let facts = read(
            Speaks::Messages,
            r#"{"messages":[],"max_tokens":9.0,"tools":[{"name":"a","input_schema":{"type":"object"}}],
            "tool_choice":{"type":"auto","disable_parallel_tool_use":true}}"#,
        )
        .unwrap();
        assert_eq!((names(&facts), facts.max_tokens, facts.parallel), (vec!["a"], Some(9), Some(false)));

        let facts = read(
            Speaks::Ollama,
            r#"{"messages":[],"options":{"num_predict":-1},"tools":[{"function":{"name":"a"}}]}"#,
        )
        .unwrap();
        assert_eq!((names(&facts), facts.max_tokens, facts.streamed), (vec!["a"], None, true));

        let facts = read(
            Speaks::Gemini,
            r#"{"contents":[],"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"}]},{"googleSearch":{}}],
            "toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["b"]}},
            "generationConfig":{"maxOutputTokens":9}}"#,
        )
        .unwrap();
        assert_eq!((names(&facts), facts.max_tokens), (vec!["a", "b"], Some(9)));
        assert_eq!((facts.model.as_deref(), facts.streamed), (Some("gem"), true));
        assert_eq!(facts.choice, ToolChoice::Named("b".into()));
    }

    #[test]
    fn a_tool_that_cannot_be_read_leaves_the_others() {
        let facts = read(
            Speaks::Messages,
            r#"{"messages":[],"tools":[{"name":"a","input_schema":[]},{"name":"b","input_schema":{"type":"object"}}]}"#,
        )
        .unwrap();
        let tools = facts.read_tools();
        assert_eq!(tools.iter().filter_map(Tool::name).collect::<Vec<_>>(), ["b"]);
    }
}
