//! Laws that hold for any text.

use proptest::prelude::*;
use toolmend_core::{Ending, TextEvent, TextReader};
use toolmend_formats::{Parts, Promote, Reader};

use crate::desk::{Asked, Desk, read};
use crate::writers::WRITERS;

/// Marks, names, JSON and prose in any order.
fn soup() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(
        &[
            "<tool_call>",
            "</tool_call>",
            "<tool_calls>",
            "</tool_calls>",
            "<function=open_shop>",
            "<function=save_page>",
            "<parameter=path>",
            "</parameter>",
            "</function>",
            "<invoke name=\"save_page\">",
            "</invoke>",
            "<parameter name=\"text\">",
            "<function_calls>",
            "</function_calls>",
            "[TOOL_CALLS]",
            "[ARGS]",
            "open_shop",
            "save_page",
            "{\"name\": \"open_shop\", \"arguments\": {}}",
            "{\"path\": \"a\", \"text\": \"b\"}",
            "[{",
            "}]",
            "<|tool_call_begin|>",
            "functions.open_shop:0",
            "<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
            "{}",
            "<｜tool▁sep｜>",
            "<|tool_call>",
            "call:open_shop{}",
            "<tool_call|>",
            "<|\"|>",
            "<|channel|>",
            "analysis",
            "commentary to=functions.open_shop",
            "<|message|>",
            "<|end|>",
            "<|call|>",
            "<|start|>assistant",
            "<|open|>",
            "tools<|sep|>",
            "<|close|>",
            "<think>",
            "</think>",
            "```json\n",
            "```\n",
            "```tool_call\n",
            "`",
            "\n",
            " ",
            "open_shop()",
            "[open_shop()]",
            "Action: open_shop\n",
            "Action Input: {}",
            "Thought: x\n",
            "<arg_key>path</arg_key>",
            "<arg_value>",
            "</arg_value>",
            "words and words",
            "ä海",
            "\"",
            "'",
            "\\",
            ":",
            ",",
            "<",
            "|",
            ">",
            ">>>",
        ][..],
    );
    prop::collection::vec(mark, 0..24).prop_map(|words| words.concat())
}

fn pieces(text: &str, size: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(size.max(1)).map(|chunk| chunk.iter().collect()).collect()
}

fn endings() -> impl Strategy<Value = Ending> {
    prop::sample::select(&[Ending::Complete, Ending::Unknown, Ending::Cut][..])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Nothing is lost, nothing is added, no split changes anything; `read` checks the first two.
    #[test]
    fn any_text_in_any_pieces(
        text in soup(),
        size in 1usize..12,
        ending in endings(),
        writer in 0..WRITERS.len(),
        prefilled in any::<bool>(),
    ) {
        let desk = Desk::new();
        let prefill = if prefilled { WRITERS[writer].prefill } else { "" };
        let asked = Asked {
            model: WRITERS[writer].model.to_owned(), prefill: prefill.to_owned(), ending: Some(ending),
        };
        let whole = read(&desk, &asked, [text.as_str()]);
        let split = pieces(&text, size);
        prop_assert_eq!(read(&desk, &asked, split.iter().map(String::as_str)), whole);
    }

    /// Without tools nothing is a call; where no mark stands either, the text leaves as it came.
    #[test]
    fn without_tools_there_is_no_call(text in soup()) {
        let desk = Desk::new();
        for mut reader in [Reader::without_tools(), Reader::new(&desk).promote(Promote::Off)] {
            let mut parts = Parts::default();
            reader.push(&text, &mut |event| parts.take(event));
            reader.finish(Ending::Complete, &mut |event| parts.take(event));
            prop_assert!(parts.calls.is_empty());
        }
    }

    /// One call is allowed: then there are none or one, and never one of several.
    #[test]
    fn one_call_or_none(text in soup(), ending in endings()) {
        let desk = Desk::new();
        let many = read(&desk, &Asked { ending: Some(ending), ..Asked::default() }, [text.as_str()]);
        let mut reader = Reader::new(&desk).parallel(false);
        let mut parts = Parts::default();
        reader.push(&text, &mut |event| parts.take(event));
        reader.finish(ending, &mut |event| parts.take(event));
        prop_assert!(parts.calls.len() <= usize::from(many.calls.len() == 1));
    }

    /// Prose leaves at once: what is kept back is shorter than the longest mark.
    #[test]
    fn prose_is_not_kept(words in prop::collection::vec("[a-zA-Z0-9 .,;:!?äß京\\n-]{1,30}", 1..20)) {
        let desk = Desk::new();
        let mut reader = Reader::new(&desk).promote(Promote::Marked);
        let (mut given, mut left) = (0, 0);
        for word in &words {
            given += word.len();
            reader.push(word, &mut |event| match event {
                TextEvent::Content(text) => left += text.len(),
                other => panic!("{other:?}"),
            });
            let blank = words.concat()[..given].trim_ascii().is_empty();
            prop_assert!(blank || given - left <= 64, "{} bytes are kept of {words:?}", given - left);
        }
    }
}
