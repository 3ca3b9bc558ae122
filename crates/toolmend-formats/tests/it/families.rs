//! What a family writes is read as it was meant: whatever the values, wherever the text is cut.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolmend_core::Ending;

use crate::desk::{Asked, Desk, read, read_anyhow, said};
use crate::writers::{Call, WRITERS, Writer};

fn asked(writer: &Writer) -> Asked {
    Asked { prefill: writer.prefill.to_owned(), ..Asked::model(writer.model) }
}

/// What a call comes to.
fn meant(calls: &[Call]) -> Vec<(String, Value)> {
    let object = |call: &Call| call.1.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    calls.iter().map(|call| (call.0.to_owned(), Value::Object(object(call)))).collect()
}

fn plain() -> Vec<Vec<Call>> {
    let book: Call = (
        "add_book",
        vec![
            ("title", json!("Ünder \"Öl\" — 海, it's {5}")),
            ("pages", json!(412)),
            ("price", json!(9.5)),
            ("lent", json!(false)),
            ("tags", json!(["a", "b c"])),
            ("shelf", json!({"row": 3, "side": "left", "deep": {"x": [1, true]}})),
            ("note", json!(null)),
        ],
    );
    let page: Call = (
        "save_page",
        vec![("path", json!("a/b.md")), ("text", json!("# A\n\n\tif x < 3 && y > [2] {\n}\nC:\\new"))],
    );
    let open: Call = ("open_shop", vec![]);
    vec![vec![book.clone()], vec![page.clone()], vec![open.clone()], vec![open, book, page]]
}

#[test]
fn plain_calls() {
    let desk = Desk::new();
    for writer in WRITERS {
        for calls in plain() {
            let text = (writer.write)(&calls);
            let parts = read(&desk, &asked(writer), [text.as_str()]);
            assert_eq!(said(&parts.calls), meant(&calls), "{}: {text}", writer.model);
            assert_eq!(parts.content, "", "{}: {text}", writer.model);
            assert!(parts.calls.iter().all(|call| call.rules.is_empty()), "{}: {text}", writer.model);
        }
    }
}

#[test]
fn plain_calls_cut_anywhere() {
    let desk = Desk::new();
    for writer in WRITERS {
        let calls =
            [("open_shop", vec![]), ("save_page", vec![("path", json!("ä")), ("text", json!("<b>\n"))])];
        let text = (writer.write)(&calls);
        assert_eq!(said(&read_anyhow(&desk, &asked(writer), &text).calls), meant(&calls), "{text}");
    }
}

#[test]
fn text_stands_before_and_reasoning_before_that() {
    let desk = Desk::new();
    for writer in WRITERS.iter().filter(|writer| writer.leads) {
        let calls = &plain()[0];
        let text =
            format!("<think>\nOne book, I think.\n</think>\n\nI'll add it.\n\n{}", (writer.write)(calls));
        let parts = read(&desk, &asked(writer), [text.as_str()]);
        assert_eq!(said(&parts.calls), meant(calls), "{text}");
        assert_eq!(
            (parts.content.as_str(), parts.reasoning.as_str()),
            ("I'll add it.", "One book, I think.")
        );
    }
}

/// Cut at every byte, with a finish reason that says so: no call that is not whole, and never another one.
#[test]
fn what_is_cut_is_no_call() {
    let desk = Desk::new();
    let calls =
        [("open_shop", vec![]), ("save_page", vec![("path", json!("p")), ("text", json!("one two"))])];
    let meant = meant(&calls);
    for writer in WRITERS {
        let text = (writer.write)(&calls);
        let asked = Asked { ending: Some(Ending::Cut), ..asked(writer) };
        for (at, _) in text.char_indices() {
            let found = said(&read(&desk, &asked, [&text[..at]]).calls);
            assert!(meant.starts_with(&found), "{}: {found:?} of {:?}", writer.model, &text[..at]);
        }
        assert_eq!(said(&read(&desk, &asked, [text.as_str()]).calls), meant, "{}", writer.model);
    }
}

/// The same without any word about the end: what is made a call is what was meant.
#[test]
fn what_ends_anywhere_is_never_another_call() {
    let desk = Desk::new();
    let calls =
        [("add_book", vec![("title", json!("one two")), ("pages", json!(12)), ("lent", json!(true))])];
    let meant = meant(&calls);
    for writer in WRITERS {
        let text = (writer.write)(&calls);
        for ending in [Ending::Unknown, Ending::Cut] {
            let asked = Asked { ending: Some(ending), ..asked(writer) };
            for (at, _) in text.char_indices() {
                let found = said(&read(&desk, &asked, [&text[..at]]).calls);
                assert!(meant.starts_with(&found), "{}: {found:?} of {:?}", writer.model, &text[..at]);
            }
        }
    }
}

/// Texts that look like markup, quotes and code.
fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-zäß京 ]{1,6}",
        "[ \\n\\t]{1,3}",
        "[\"'`\\\\{}\\[\\](),:;=<>&|/]{1,3}",
        prop::sample::select(
            &[
                "</parameter> x",
                "<parameter=text> x",
                "</function> x",
                "</tool_call> x",
                "<tool_call> x",
                "</invoke> x",
                "</arg_value> x",
                "<arg_key> x",
                "[TOOL_CALLS]x",
                "[ARGS]x",
                "<|tool_call_end|>x",
                "```json\n",
                "```\n",
                "</think>x",
                "<think>x",
                "{\"name\": \"open_shop\"}x",
                "<｜tool▁call▁end｜>x",
                "</｜DSML｜parameter> x",
                "<|close|>argument<|sep|>x",
                "<|end|>x",
                "<|call|>x",
                "<tool_call|>x",
                "\\n",
                "\\\"",
                "None",
                "true",
                "1e5",
            ][..]
        )
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(word, 0..8).prop_map(|words| {
        let text = words.concat();
        // A string that is just a literal may be either where nothing says its type.
        if text.trim() == "null" || text.trim() == "None" { "word".to_owned() } else { text }
    })
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        (words(), words())
            .prop_map(|(path, text)| ("save_page", vec![("path", json!(path)), ("text", json!(text))])),
        (words(), any::<i64>(), any::<bool>(), prop::collection::vec("[a-z ]{0,4}", 0..3)).prop_map(
            |(title, pages, lent, tags)| {
                (
                    "add_book",
                    vec![
                        ("title", json!(title)),
                        ("pages", json!(pages)),
                        ("lent", json!(lent)),
                        ("tags", json!(tags)),
                    ],
                )
            }
        ),
        Just(("open_shop", vec![])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Any values: each call comes back as it was meant; where values stand unescaped, it may also be none.
    #[test]
    fn any_values(calls in prop::collection::vec(call(), 1..3), size in 1usize..9) {
        let desk = Desk::new();
        for writer in WRITERS {
            let text = (writer.write)(&calls);
            let parts = read(&desk, &asked(writer), [text.as_str()]);
            let (found, meant) = (said(&parts.calls), meant(&calls));
            if writer.raw {
                for call in &found {
                    prop_assert!(meant.contains(call), "{}: {call:?} of {text:?}", writer.model);
                }
            } else {
                prop_assert_eq!(&found, &meant, "{}: {:?}", writer.model, text);
            }
            let chars: Vec<char> = text.chars().collect();
            let pieces: Vec<String> = chars.chunks(size).map(|chunk| chunk.iter().collect()).collect();
            let split = read(&desk, &asked(writer), pieces.iter().map(String::as_str));
            prop_assert_eq!(split, parts, "{}: {:?} by {}", writer.model, text, size);
        }
    }
}
