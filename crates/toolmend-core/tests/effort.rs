//! What a body costs, counted in allocations: none where it is valid, for a repair what its verdict holds, and
//! for a search no more than grows with the text.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use toolmend_core::{Evidence, NoJudge, mend};

/// The system's allocator, with a count of this thread's requests.
struct Counting;

thread_local! {
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that ends has no count any more.
    let _ = REQUESTS.try_with(|requests| requests.set(requests.get() + 1));
}

// SAFETY: every request goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often memory is asked for until the verdict is there, and what the verdict is.
fn asked(body: &str) -> (u64, &'static str) {
    let evidence = Evidence::new();
    let before = REQUESTS.get();
    let verdict = mend(body, &evidence, &NoJudge);
    (REQUESTS.get() - before, verdict.name())
}

#[test]
fn a_valid_body_asks_for_nothing() {
    assert_eq!(
        asked(r#"{"city": "Lyon", "days": [1, 2, {"deep": null}], "note": "a \"word\"\n"}"#),
        (0, "intact")
    );
}

#[test]
fn a_common_repair_asks_for_what_its_verdict_holds() {
    // The output, and the list of edits.
    assert_eq!(asked(r#"{"city": "Lyon", "days": 3,}"#), (2, "mended"));
    assert_eq!(asked("```json\n{\"city\": \"Lyon\", \"days\": 3,}\n```"), (2, "mended"));
    assert_eq!(asked("```json\n{\"city\": \"Lyon\"}\n```"), (2, "mended"));
}

/// A stray quote behind so many members that are valid, and as many behind it.
fn stray_quote(members: usize, fault: &str) -> String {
    let valid =
        |n: usize| format!(r#"{{"path": "src/module_{n}.rs", "says": "\"so\" it is", "lines": [1, {n}]}}"#);
    let valid: Vec<String> = (0..members).map(valid).collect();
    format!(r#"{{"steps": [{}, {fault}, {}]}}"#, valid.join(", "), valid.join(", "))
}

#[test]
fn a_stray_quote_far_behind_costs_no_more_than_its_text() {
    let faults = [r#"{"say": "a "word" of it"}"#, "{'say': 'it's so', 'twice': true}"];
    for fault in faults {
        let [(short, mended), (long, too)] = [64, 1024].map(|members| asked(&stray_quote(members, fault)));
        assert_eq!((mended, too), ("mended", "mended"), "{fault}");
        // Sixteen times the text.
        assert!(long < 16 * short, "{fault}: {short} requests, then {long}");
    }
}

#[test]
fn many_stray_quotes_are_mended_in_a_long_body() {
    let member = |n: usize| format!("{{'line': {n}, 'says': 'it's what they'd said, isn't it?'}}");
    let members: Vec<String> = (0..100).map(member).collect();
    assert_eq!(asked(&format!("{{'notes': [{}]}}", members.join(", "))).1, "mended");
}
