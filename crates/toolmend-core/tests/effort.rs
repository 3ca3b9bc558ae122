//! What a body costs, counted in allocations: none where it is valid, and for a repair what its verdict
//! holds.

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
    // The output, the list of steps, and the one step.
    assert_eq!(asked(r#"{"city": "Lyon", "days": 3,}"#), (3, "mended"));
    // And the clue that the fence is.
    assert_eq!(asked("```json\n{\"city\": \"Lyon\", \"days\": 3,}\n```"), (4, "mended"));
    assert_eq!(asked("```json\n{\"city\": \"Lyon\"}\n```"), (4, "mended"));
}
