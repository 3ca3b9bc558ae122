//! What is changed about a request on its way: nothing, or a few stretches of it.
//!
//! The rest of the body stays byte for byte: a change is a stretch of the text and what stands there instead.

use toolmend::quote::quoted;
use toolmend::wire::Text;
use toolmend::wire::json::Value;
use toolmend::{CallJudge, Evidence, FoundCall, Verdict};

use crate::endpoint::Speaks;

/// The key under which the raw text of arguments is kept that are no object and cannot be made one.
pub const UNPARSED: &str = "unparsed_arguments";

/// Stretches of a body that give way to something else, in order.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// First byte, the byte behind the last, and what stands there instead.
    stretches: Vec<(usize, usize, String)>,
    /// Past calls that were mended.
    pub(crate) mended: u64,
    /// Past calls of which the raw text is kept in an object.
    pub(crate) wrapped: u64,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// The body with its changes.
    pub(crate) fn apply(mut self, body: &str) -> String {
        self.stretches.sort_by_key(|(from, _, _)| *from);
        let mut out = String::with_capacity(body.len() + 64);
        let mut at = 0;
        for (from, to, put) in &self.stretches {
            out.push_str(&body[at..*from]);
            out.push_str(put);
            at = *to;
        }
        out.push_str(&body[at..]);
        out
    }

    /// `value`, which is a part of `body`, gives way to this.
    pub(crate) fn replace(&mut self, body: &str, value: Value<'_>, put: String) {
        let from = place(body, value);
        self.stretches.push((from, from + value.raw().len(), put));
    }

    /// The object gets one more member, at its end.
    fn add(&mut self, body: &str, object: Value<'_>, member: &str) {
        let end = place(body, object) + object.raw().len() - 1;
        let first =
            object.members().next().is_none() && self.stretches.iter().all(|(from, _, _)| *from != end);
        let comma = if first { "" } else { "," };
        self.stretches.push((end, end, format!("{comma}{member}")));
    }

    /// The member of this key says this, whether or not it was there.
    pub(crate) fn set(&mut self, body: &str, object: Value<'_>, key: &str, put: &str) {
        let mut found = false;
        for (name, value) in object.members() {
            if name.to_text() == key {
                self.replace(body, value, put.to_owned());
                found = true;
            }
        }
        if !found {
            self.add(body, object, &format!("\"{key}\":{put}"));
        }
    }
}

/// Where a part of a text begins in it.
fn place(body: &str, part: Value<'_>) -> usize {
    part.raw().as_ptr() as usize - body.as_ptr() as usize
}

/// Asks for token counts in a stream of OpenAI's chat where the client did not.
pub(crate) fn ask_usage(body: &str, changes: &mut Changes) -> bool {
    let Ok(request) = Value::parse(body) else { return false };
    match request.get("stream_options") {
        None => changes.set(body, request, "stream_options", "{\"include_usage\":true}"),
        Some(options) if options.get("include_usage").is_some_and(|asks| asks.raw() == "true") => {
            return false;
        }
        Some(options) if options.is_object() => changes.set(body, options, "include_usage", "true"),
        Some(_) => return false,
    }
    true
}

/// The same request for a whole answer that calls this tool; `None` where the protocol has no words for that.
///
/// Ollama has none: `/api/chat` knows no choice of a tool, and `format` constrains the text, with which the answer
/// holds no call (ollama#8095). What was constrained like that would be a text that we call a call.
pub(crate) fn force(speaks: Speaks, body: &str, tool: &str) -> Option<String> {
    let request = Value::parse(body).ok()?;
    let name = quoted(tool);
    let mut changes = Changes::default();
    match speaks {
        Speaks::Chat => {
            let choice = format!("{{\"type\":\"function\",\"function\":{{\"name\":{name}}}}}");
            changes.set(body, request, "tool_choice", &choice);
            if let Some(options) = request.get("stream_options") {
                changes.replace(body, options, "null".to_owned());
            }
        }
        Speaks::Responses => {
            changes.set(body, request, "tool_choice", &format!("{{\"type\":\"function\",\"name\":{name}}}"));
        }
        Speaks::Messages => {
            changes.set(body, request, "tool_choice", &format!("{{\"type\":\"tool\",\"name\":{name}}}"));
        }
        Speaks::Gemini => {
            let mode = format!("{{\"mode\":\"ANY\",\"allowedFunctionNames\":[{name}]}}");
            let key = if request.has("tool_config") { "tool_config" } else { "toolConfig" };
            changes.set(body, request, key, &format!("{{\"functionCallingConfig\":{mode}}}"));
        }
        Speaks::Ollama => return None,
    }
    if speaks != Speaks::Gemini {
        changes.set(body, request, "stream", "false");
    }
    Some(changes.apply(body))
}

/// Mends the arguments of past calls that are no JSON object, which servers refuse whole requests for.
/// Whatever is an object stays, whether or not its tool's schema admits it: it is what the model said.
pub(crate) fn mend_history(speaks: Speaks, body: &str, judge: &dyn CallJudge, changes: &mut Changes) {
    let Ok(request) = Value::parse(body) else { return };
    let mut past = Past { body, judge, changes };
    match speaks {
        Speaks::Chat | Speaks::Ollama => {
            let text = speaks == Speaks::Chat;
            for message in list(request.get("messages")).filter(|message| is(*message, "role", "assistant")) {
                for call in list(message.get("tool_calls")) {
                    past.call(call.get("function"), "arguments", text);
                }
                past.call(message.get("function_call"), "arguments", text);
            }
        }
        Speaks::Responses => {
            for item in list(request.get("input")).filter(|item| is(*item, "type", "function_call")) {
                past.call(Some(item), "arguments", true);
            }
        }
        Speaks::Messages => {
            for message in list(request.get("messages")).filter(|message| is(*message, "role", "assistant")) {
                for block in list(message.get("content")).filter(|block| is(*block, "type", "tool_use")) {
                    past.call(Some(block), "input", false);
                }
            }
        }
        Speaks::Gemini => {
            for part in list(request.get("contents")).flat_map(|content| list(content.get("parts"))) {
                past.call(part.get("functionCall").or_else(|| part.get("function_call")), "args", false);
            }
        }
    }
}

fn list(value: Option<Value<'_>>) -> impl Iterator<Item = Value<'_>> {
    value.into_iter().flat_map(Value::items)
}

fn is(value: Value<'_>, key: &str, word: &str) -> bool {
    value.get(key).and_then(Value::text).is_some_and(|text| text.to_text() == word)
}

/// The past calls of one request.
struct Past<'a> {
    body: &'a str,
    judge: &'a dyn CallJudge,
    changes: &'a mut Changes,
}

impl Past<'_> {
    /// Looks into the arguments of one call, which are a `text`, or an object of their own.
    fn call(&mut self, call: Option<Value<'_>>, key: &str, text: bool) {
        let Some(call) = call else { return };
        let Some((_, arguments)) = call.members().filter(|(name, _)| name.to_text() == key).last() else {
            return;
        };
        let said = match arguments.text() {
            Some(said) => said.to_text(),
            None if arguments.is_object() && !text => return,
            None if arguments.is_null() => String::new(),
            None => arguments.raw().to_owned(),
        };
        let stands = arguments.text().is_some() == text && is_object(&said);
        if stands {
            return;
        }
        let name = call.get("name").and_then(Value::text).map(Text::to_text).unwrap_or_default();
        let object = self.object(&name, said);
        let put = if text { quoted(&object) } else { object };
        self.changes.replace(self.body, arguments, put);
    }

    /// An object that says what the arguments said.
    fn object(&mut self, name: &str, said: String) -> String {
        if is_object(&said) {
            self.changes.mended += 1;
            return said;
        }
        if said.trim().is_empty() {
            self.changes.mended += 1;
            return "{}".to_owned();
        }
        match self.judge.judge(FoundCall { name, body: &said, model: None }, Evidence::new()) {
            Some(Verdict::Mended { output, .. }) => {
                self.changes.mended += 1;
                output
            }
            _ => {
                self.changes.wrapped += 1;
                format!("{{\"{UNPARSED}\":{}}}", quoted(&said))
            }
        }
    }
}

fn is_object(text: &str) -> bool {
    Value::parse(text).is_ok_and(Value::is_object)
}

#[cfg(test)]
mod tests {
    use toolmend::{Tool, Toolmend};

    use super::*;

    fn mended(speaks: Speaks, body: &str) -> (String, u64, u64) {
        let tool = r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#;
        let judge = Toolmend::new().tools([Tool::new("f", tool)]);
        let mut changes = Changes::default();
        mend_history(speaks, body, &judge, &mut changes);
        let (mended, wrapped) = (changes.mended, changes.wrapped);
        (changes.apply(body), mended, wrapped)
    }

    /// How each protocol sends a past call back, with `@` where the arguments stand.
    const SHAPES: [(Speaks, bool, &str); 6] = [
        (
            Speaks::Chat,
            true,
            r#"{ "messages": [ {"role":"user","content":"\u00e9"}, {"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":@}}]}, {"role":"tool","tool_call_id":"c1","content":"{"} ] }"#,
        ),
        (
            Speaks::Chat,
            true,
            r#"{"messages":[{"role":"assistant","function_call":{"arguments":@,"name":"f"}}]}"#,
        ),
        (
            Speaks::Responses,
            true,
            r#"{"input":[{"type":"function_call","call_id":"c1","name":"f","arguments":@},{"type":"function_call_output","call_id":"c1","output":"{"}]}"#,
        ),
        (
            Speaks::Messages,
            false,
            r#"{"messages":[{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"f","input":@}]}]}"#,
        ),
        (
            Speaks::Ollama,
            false,
            r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":@}}]}]}"#,
        ),
        (
            Speaks::Gemini,
            false,
            r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":@},"thoughtSignature":"s"}]}]}"#,
        ),
    ];

    #[test]
    fn past_calls_of_every_protocol() {
        // What the call said, what it says afterwards, and whether its raw text had to be kept.
        for (said, says, wrapped) in [
            ("{\"n\":1,}", "{\"n\":1}", false),
            ("```json\n{\"n\": 1}\n```", "{\"n\": 1}", false),
            ("", "{}", false),
            ("{\"n\":1", r#"{"unparsed_arguments":"{\"n\":1"}"#, true),
            ("{\"s\":\"a\\\"b", r#"{"unparsed_arguments":"{\"s\":\"a\\\"b"}"#, true),
            ("no object", r#"{"unparsed_arguments":"no object"}"#, true),
        ] {
            for (speaks, text, shape) in SHAPES {
                let body = shape.replace('@', &quoted(said));
                let put = if text { quoted(says) } else { says.to_owned() };
                let expected = (shape.replace('@', &put), u64::from(!wrapped), u64::from(wrapped));
                assert_eq!(mended(speaks, &body), expected, "{speaks} {said}");
                // Once is enough.
                assert_eq!(mended(speaks, &expected.0), (expected.0.clone(), 0, 0));
            }
        }
    }

    #[test]
    fn arguments_of_the_other_type() {
        for (speaks, text, shape) in SHAPES {
            let (given, put) =
                if text { ("{\"n\": 1}", r#""{\"n\": 1}""#) } else { (r#""{\"n\": 1}""#, "{\"n\": 1}") };
            assert_eq!(
                mended(speaks, &shape.replace('@', given)),
                (shape.replace('@', put), 1, 0),
                "{speaks}"
            );
            let empty = if text { "\"{}\"" } else { "{}" };
            assert_eq!(
                mended(speaks, &shape.replace('@', "null")),
                (shape.replace('@', empty), 1, 0),
                "{speaks}"
            );
            let list = if text {
                r#""{\"unparsed_arguments\":\"[1]\"}""#
            } else {
                r#"{"unparsed_arguments":"[1]"}"#
            };
            assert_eq!(
                mended(speaks, &shape.replace('@', "[1]")),
                (shape.replace('@', list), 0, 1),
                "{speaks}"
            );
        }
    }

    #[test]
    fn what_needs_nothing_stays() {
        for (speaks, text, shape) in SHAPES {
            // Whether the schema admits it does not matter.
            for said in ["{}", " {\"n\": \"no number\"} ", "{\"n\":1e400,\"n\":2}"] {
                let body = shape.replace('@', &if text { quoted(said) } else { said.to_owned() });
                assert_eq!(mended(speaks, &body), (body.clone(), 0, 0), "{speaks} {said}");
            }
            for body in ["", "{", "[]", "{\"messages\":7,\"input\":\"x\",\"contents\":{}}"] {
                assert_eq!(mended(speaks, body), (body.to_owned(), 0, 0));
            }
        }
        // Only what a model said is mended.
        let user =
            r#"{"messages":[{"role":"user","tool_calls":[{"function":{"name":"f","arguments":"{"}}]}]}"#;
        assert_eq!(mended(Speaks::Chat, user), (user.to_owned(), 0, 0));
    }

    #[test]
    fn several_calls_in_one_request() {
        let body = r#"{"input":[{"type":"function_call","name":"f","arguments":"{\"n\":1,}"},{"type":"function_call","name":"f","arguments":"{}"},{"type":"function_call","name":"f","arguments":"{"}]}"#;
        let says = r#"{"input":[{"type":"function_call","name":"f","arguments":"{\"n\":1}"},{"type":"function_call","name":"f","arguments":"{}"},{"type":"function_call","name":"f","arguments":"{\"unparsed_arguments\":\"{\"}"}]}"#;
        assert_eq!(mended(Speaks::Responses, body), (says.to_owned(), 1, 1));
    }

    #[test]
    fn a_tool_is_forced() {
        for (speaks, body, forced) in [
            (
                Speaks::Chat,
                r#"{"stream":true,"tool_choice":"auto","stream_options":{"include_usage":true}}"#,
                r#"{"stream":false,"tool_choice":{"type":"function","function":{"name":"f"}},"stream_options":null}"#,
            ),
            (
                Speaks::Responses,
                r#"{"input":"x"}"#,
                r#"{"input":"x","tool_choice":{"type":"function","name":"f"},"stream":false}"#,
            ),
            (
                Speaks::Messages,
                r#"{"stream":true}"#,
                r#"{"stream":false,"tool_choice":{"type":"tool","name":"f"}}"#,
            ),
            (
                Speaks::Gemini,
                r#"{"contents":[]}"#,
                r#"{"contents":[],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}}"#,
            ),
        ] {
            assert_eq!(force(speaks, body, "f").as_deref(), Some(forced));
        }
        assert_eq!(force(Speaks::Ollama, "{}", "f"), None);
    }

    #[test]
    fn usage_is_asked_for_once() {
        for (body, asked) in [
            (r#"{"stream":true}"#, Some(r#"{"stream":true,"stream_options":{"include_usage":true}}"#)),
            ("{}", Some(r#"{"stream_options":{"include_usage":true}}"#)),
            (r#"{"stream_options":null}"#, Some(r#"{"stream_options":{"include_usage":true}}"#)),
            (r#"{"stream_options":{}}"#, Some(r#"{"stream_options":{"include_usage":true}}"#)),
            (
                r#"{"stream_options":{"include_usage":false} }"#,
                Some(r#"{"stream_options":{"include_usage":true} }"#),
            ),
            (r#"{"stream_options":{"include_usage":true}}"#, None),
            (r#"{"stream_options":7}"#, None),
            ("{", None),
        ] {
            let mut changes = Changes::default();
            assert_eq!(ask_usage(body, &mut changes), asked.is_some(), "{body}");
            assert_eq!(changes.apply(body), asked.unwrap_or(body));
        }
    }
}
