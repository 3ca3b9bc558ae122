//! Texts that speak of calls and make none: each must leave as it came.

use serde_json::json;
use toolmend_core::{Ending, TextReader};
use toolmend_formats::{Parts, Reader};

use crate::desk::{Asked, Desk, read};
use crate::writers::{Call, WRITERS};

/// Ways to show a call in a text without making it. `{}` is the call, `{> }` is it with this before each line.
const SHOWN: &[&str] = &[
    "Models of this family write their calls like this:\n\n```xml\n{}\n```\n\nThe server takes them out.",
    "```\n{}\n```",
    "~~~text\n{}\n~~~\nThat is the whole file.",
    "````markdown\n# Calls\n\n{}\n````",
    "You wrote:\n\n{> }\n\nI cannot tell what you want me to do with it.",
    "> {}",
    "A call would look like this:\n\n{}\n\nI have not made one, because you only asked about the syntax.",
    "For example:\n\n{}",
    "{}\n\nThe text above is what the parser gets; it drops the last line.",
    "{}\n\nIs that the answer that you see in your log?",
    "## Tool calls\n\nThe format is fixed.\n\n{}\n\n## Answers\n\nAnswers follow in the next message.",
    "In your patch, this is added:\n\n{+ }\n\nPlease write a test for it.",
    "@@ -10,6 +10,9 @@ fn prompt() {\n{+}\n",
    "2026-03-01T08:00:00Z INFO reply: {}\n2026-03-01T08:00:01Z WARN no tool was run",
    "[08:00:00] assistant> {}",
    "The test expects \"{}\" and gets nothing.",
    "When the model writes {}, the gateway holds the text back.",
    "- the mark\n- {}\n- the end",
    "1. Send the request.\n2. Wait for {}\n3. Run it.",
    "Sample:\n\n{    }\n\nIndented by four.",
    "$ echo '{}' | ./parse\n",
    "<pre>{}</pre>",
    "<!-- {} -->",
    "(see {})",
    "| step | text |\n|---|---|\n| 1 | {} |\n",
    "The user said: {}",
    "```python\nREPLY = '''{}'''\n\ndef test_reply():\n    assert parse(REPLY)\n```\nThis test fails since yesterday.",
    "<think>\nI could write {} but I need not.\n</think>\nNo tool is needed.",
    "Sure.\n<think>\nOr I write\n{}\n</think>\nIt is done without.",
    "{{\"log\": {\"}}",
    "[\"{}\"]",
];

/// Answers that look like calls, and are data.
const DATA: &[&str] = &[
    "{\"name\": \"open_shop\", \"description\": \"Opens it.\", \"parameters\": {\"type\": \"object\", \"properties\": {}}}",
    "{\"name\": \"open_shop\", \"parameters\": {\"type\": \"object\", \"properties\": {}}}",
    "[{\"name\": \"open_shop\", \"description\": \"Opens it.\"}]",
    "{\"name\": \"Alba\", \"arguments\": {\"age\": 40}}",
    "{\"name\": \"bookshop\", \"version\": \"1.0.0\", \"scripts\": {\"open\": \"open_shop\"}}",
    "{\"tools\": [{\"name\": \"open_shop\", \"arguments\": {}}]}",
    "{\"name\": \"open_shop\", \"arguments\": {}, \"comment\": \"as you asked\"}",
    "{\"name\": \"save_page\", \"arguments\": {\"path\": \"a\"}}",
    "{\"name\": \"save_page\", \"arguments\": {\"path\": [1], \"text\": \"b\"}}",
    "{\"name\": \"save_page\", \"arguments\": \"path\"}",
    "{\"result\": {\"name\": \"open_shop\", \"arguments\": {}}}",
    "```json\n{\"name\": \"open_shop\", \"arguments\": {}}\n```\nThat is the call that I would make.",
    "Here it is:\n```json\n{\"name\": \"open_shop\", \"arguments\": {}}\n```",
    "```json\n{\"name\": \"open_shop\", \"arguments\": {}}\n{\"name\": \"open_shop\", \"arguments\": {}}\n```",
    "```python\nopen_shop()\n```",
    "open_shop() opens the shop.",
    "Call open_shop() first.",
    "open_shop()\nsave_page(path='a', text='b')",
    "[open_shop()]\n[open_shop()]",
    "[open_shop, save_page]",
    "[1, 2, 3]",
    "[open_shop](https://example.org/open_shop)",
    "Action: open_shop",
    "Action: open_shop\nAction Input: nothing",
    "Action: open_shop\nAction Input: {}\nObservation: it is open",
    "Thought: it is open already.\nFinal Answer: nothing to do.",
    "Thought: first this.\nAction: the open_shop tool\nAction Input: {}",
    "functools[0] is no function; functools.reduce is.",
    "functools[]",
    "call:open_shop{}",
    "Use `<function=open_shop>` or <function=open_shop>, whatever your template has.",
    "The tag is <tool_call>, and it is closed by </tool_call>.",
    "<tool_call>not a call</tool_call>",
    "<tool_call>\n{\"name\": \"close_shop\", \"arguments\": {}}\n</tool_call>",
    "<function=close_shop>\n</function>",
    "<invoke name=\"close_shop\">\n</invoke>",
    "[TOOL_CALLS] are marks of Mistral's models.",
    "analysisIt is late.assistantcommentary to=functions.open_shop json{}",
    "<|channel|>final<|message|>{\"name\": \"open_shop\", \"arguments\": {}}",
    "<target name=\"open_shop\"><invoke name=\"save_page\"/></target>",
];

fn indented(text: &str, with: &str) -> String {
    text.split('\n').map(|line| format!("{with}{line}")).collect::<Vec<_>>().join("\n")
}

/// `template` with the call put in.
fn show(template: &str, call: &str) -> String {
    if template == "{{\"log\": {\"}}" {
        return json!({"log": call}).to_string();
    }
    if template == "[\"{}\"]" {
        return json!([call]).to_string();
    }
    for with in ["> ", "+ ", "+", "    "] {
        if template.contains(&format!("{{{with}}}")) {
            return template.replace(&format!("{{{with}}}"), &indented(call, with));
        }
    }
    template.replace("{}", call)
}

/// Ten thousand texts, and no call.
#[test]
fn a_call_that_is_shown_is_none() {
    let desk = Desk::new();
    let book: Call = ("add_book", vec![("title", json!("Emma")), ("pages", json!(474))]);
    let page: Call = ("save_page", vec![("path", json!("a.md")), ("text", json!("one\ntwo"))]);
    let open: Call = ("open_shop", vec![]);
    let sets = [
        vec![book.clone()],
        vec![page.clone()],
        vec![open.clone()],
        vec![book, page],
        vec![open.clone(), open],
    ];
    let mut texts = 0;
    for writer in WRITERS.iter().filter(|writer| writer.prefill.is_empty()) {
        for calls in &sets {
            let call = (writer.write)(calls);
            for template in SHOWN {
                let text = show(template, call.trim());
                // Bare JSON in a fence of its own is the call of those who have no marks, and a fence within
                // a fence ends it.
                // And behind Llama's own form prose may stand.
                if writer.model.contains("Llama-3.1") && template.starts_with("{}") {
                    continue;
                }
                let own = !writer.leads && template.starts_with("```\n");
                if own || (call.contains("```") && template.contains("```")) {
                    continue;
                }
                for ending in [Ending::Complete, Ending::Unknown] {
                    let asked = Asked { ending: Some(ending), ..Asked::model(writer.model) };
                    let parts = read(&desk, &asked, [text.as_str()]);
                    assert!(parts.calls.is_empty(), "{}: {text}", writer.model);
                    texts += 1;
                }
            }
        }
    }
    assert!(texts > 10_000, "{texts} texts");
}

#[test]
fn data_stays_as_it_is() {
    let desk = Desk::new();
    for text in DATA {
        for model in ["some-model", "Qwen/Qwen3-8B", "meta-llama/Llama-4-Scout-17B", "gpt-4o"] {
            let parts = read(&desk, &Asked::model(model), [*text]);
            assert!(parts.calls.is_empty(), "{model}: {text}");
            let answer = text.contains("<|channel|>");
            assert!(answer || parts.content == *text, "{model}: {text} became {}", parts.content);
        }
    }
}

/// Where one call is allowed, two are none, also where the second one is no call by itself.
#[test]
fn a_call_beside_another_is_none_where_one_is_allowed() {
    let desk = Desk::new();
    let cases = [
        (
            "",
            "<tool_call>\n{\"name\": \"open_shop\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n{\"name\": \"x\"}\n</tool_call>",
        ),
        ("", "[TOOL_CALLS]open_shop[ARGS]{}[TOOL_CALLS]add_book[ARGS]{\"title\": \"Em"),
        ("", "[TOOL_CALLS] [{\"name\": \"open_shop\", \"arguments\": {}}, {\"name\": \"add_"),
        (
            "<|start|>assistant",
            "<|channel|>commentary to=functions.open_shop<|message|>{}<|call|><|start|>assistant<|channel|>commentary to=functions.add_book<|message|>{\"title\": \"Em",
        ),
        (">>>", "open_shop\n{}>>>add_book\n{\"title\": \"Em"),
        (
            "",
            "<|open|>tools<|sep|><|open|>call tool=\"open_shop\" index=\"1\"<|sep|><|close|>call<|sep|><|open|>call tool=\"add_book\" index=\"2\"<|sep|>",
        ),
    ];
    for (prefill, text) in cases {
        for parallel in [true, false] {
            let mut reader = Reader::new(&desk).parallel(parallel).prefill(prefill);
            let mut parts = Parts::default();
            reader.push(text, &mut |event| parts.take(event));
            reader.finish(Ending::Cut, &mut |event| parts.take(event));
            assert_eq!(parts.calls.len(), usize::from(parallel), "{text}");
        }
    }
}
