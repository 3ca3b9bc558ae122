//! Work and memory are bounded: told by counting what is allocated, never by a clock.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use serde_json::json;
use toolmend_core::{Ending, TextEvent, TextReader};
use toolmend_formats::{MAX_DEPTH, MAX_HELD, MAX_TRIES, Reader};

use crate::desk::{Asked, Desk, read};
use crate::writers::WRITERS;

thread_local! {
    static ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

/// Counts the bytes that this thread asks for.
struct Counting;

#[expect(unsafe_code, reason = "an allocator is unsafe by its trait; this one only counts")]
// SAFETY: all is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATED.try_with(|count| count.set(count.get() + layout.size() as u64));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocated(run: impl FnOnce()) -> u64 {
    let before = ALLOCATED.with(Cell::get);
    run();
    ALLOCATED.with(Cell::get) - before
}

fn cost(text: &str, model: &str, prefill: &str, size: usize) -> u64 {
    let desk = Desk::new();
    let chars: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = chars.chunks(size).map(|chunk| chunk.iter().collect()).collect();
    let mut calls = 0;
    let cost = allocated(|| {
        let mut reader = Reader::new(&desk).model(model).prefill(prefill);
        let mut sink = |event: TextEvent<'_>| calls += usize::from(matches!(event, TextEvent::Call(_)));
        for piece in &pieces {
            reader.push(piece, &mut sink);
        }
        reader.finish(Ending::Complete, &mut sink);
    });
    assert_eq!(calls, 1, "{model}");
    cost
}

/// Twice the text costs twice, and small pieces cost no more than the whole.
#[test]
fn every_grammar_is_linear() {
    for writer in WRITERS {
        let text = |lines: usize| {
            let page = "let x = [1, 2]; // \"so\" <b> it's\n".repeat(lines);
            (writer.write)(&[("save_page", vec![("path", json!("a")), ("text", json!(page))])])
        };
        let (one, two) = (text(1000), text(2000));
        let (whole, twice) = (
            cost(&one, writer.model, writer.prefill, one.len()),
            cost(&two, writer.model, writer.prefill, two.len()),
        );
        assert!(twice <= whole * 5 / 2, "{}: {whole} bytes, then {twice}", writer.model);
        let pieces = cost(&one, writer.model, writer.prefill, 4);
        assert!(pieces <= whole * 3, "{}: {whole} bytes, in pieces {pieces}", writer.model);
    }
}

/// What is no call is looked into a bounded number of times.
#[test]
fn marks_that_begin_nothing_are_bounded() {
    let desk = Desk::new();
    for mark in [
        "<tool_call>{\"name\": \"",
        "<function=open_shop>\n<parameter=",
        "[TOOL_CALLS]open_shop[ARGS]{",
        "<|tool_call_begin|>x",
    ] {
        let cost = |times: usize| {
            let text = mark.repeat(times);
            allocated(|| {
                let parts = read(&desk, &Asked::default(), [text.as_str()]);
                assert_eq!((parts.content.len(), parts.calls.len()), (text.len(), 0));
            })
        };
        let (one, two) = (cost(2000), cost(4000));
        assert!(two <= one * 5 / 2, "{mark}: {one} bytes, then {two}");
    }
}

#[test]
fn the_limit_of_marks_holds_on_both_sides() {
    let desk = Desk::new();
    let call = "[TOOL_CALLS]open_shop[ARGS]{}";
    for (times, calls) in [(MAX_TRIES, MAX_TRIES), (MAX_TRIES + 8, MAX_TRIES + 1)] {
        let parts = read(&desk, &Asked::default(), [call.repeat(times).as_str()]);
        assert_eq!(parts.calls.len(), calls, "{times}");
    }
}

#[test]
fn the_limit_of_held_text_holds_on_both_sides() {
    let desk = Desk::new();
    let (head, tail) = ("[TOOL_CALLS]save_page[ARGS]{\"path\": \"a\", \"text\": \"", "\"}");
    for (length, calls) in [(MAX_HELD, 1), (MAX_HELD + 1, 0)] {
        let text = format!("{head}{}{tail}", "x".repeat(length - head.len() - tail.len()));
        let half = text.len() / 2;
        for pieces in [vec![text.as_str()], vec![&text[..half], &text[half..]]] {
            assert_eq!(read(&desk, &Asked::default(), pieces).calls.len(), calls, "{length}");
        }
    }
}

#[test]
fn the_limit_of_nesting_holds_on_both_sides() {
    let desk = Desk::of(r#"[{"name": "nest", "input_schema": {"type": "object"}}]"#);
    for (depth, calls) in [(MAX_DEPTH, 1), (MAX_DEPTH + 2, 0)] {
        let list = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for text in [
            format!("<|python_start|>[nest(x={list})]"),
            format!("<|tool_call>call:nest{{x:{list}}}<tool_call|>"),
        ] {
            assert_eq!(read(&desk, &Asked::default(), [text.as_str()]).calls.len(), calls, "{text}");
        }
    }
}
