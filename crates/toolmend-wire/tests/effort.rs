//! What a turn costs, counted: allocations for an event that is left as it is, and bytes copied for a turn
//! that is held.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use toolmend_wire::{Hold, Limits, Promoter, Promoting, StreamEnd, Turn, TurnOptions};

mod anything;
mod marks;

use anything::Anything;
use marks::Marks;

/// The system's allocator, with a count of this thread's requests and of the bytes that they ask for.
struct Counting;

thread_local! {
    static REQUESTS: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

fn count(bytes: usize) {
    // A thread that ends has no count any more.
    let _ = REQUESTS.try_with(|count| {
        let (requests, sum) = count.get();
        count.set((requests + 1, sum + bytes as u64));
    });
}

// SAFETY: every request goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many requests, and for how many bytes, while `work` runs.
fn counted(work: impl FnOnce()) -> (u64, u64) {
    let before = REQUESTS.get();
    work();
    let after = REQUESTS.get();
    (after.0 - before.0, after.1 - before.1)
}

const TEXT: &str = r#"data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}"#;
const OPENING: &str = r#"data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"text\":\""}}]},"finish_reason":null}]}"#;
const PIECE: &str = r#"data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"word"}}]},"finish_reason":null}]}"#;
const CLOSING: &str = r#"data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]},"finish_reason":"stop"}]}"#;

/// Requests for room while so many events are pushed one by one, after a first few. The room grows by
/// doubling, so a few requests come however many events there are.
fn requests(
    mut push: impl FnMut(&[u8], &mut Vec<u8>),
    opening: &[&str],
    event: [&str; 2],
    events: usize,
) -> u64 {
    let event = event.map(|event| format!("{event}\n\n"));
    let mut out = Vec::with_capacity(events * event[0].len().max(event[1].len()) + 8192);
    for event in opening {
        push(format!("{event}\n\n").as_bytes(), &mut out);
    }
    for n in 0..16 {
        push(event[n % 2].as_bytes(), &mut out);
    }
    let (requests, _) = counted(|| {
        for n in 0..events {
            push(event[n % 2].as_bytes(), &mut out);
        }
    });
    requests
}

/// An untouched event asks for no room of its own, whether or not it is like the one before it, and whether or not its
/// text is read for calls.
#[test]
fn allocations_of_an_untouched_event() {
    for (name, hold, opening, event) in [
        ("text", Hold::Call, &[][..], [TEXT, TEXT]),
        ("text beside a call", Hold::Deviation, &[OPENING][..], [TEXT, TEXT]),
        ("a held piece", Hold::Call, &[OPENING][..], [PIECE, PIECE]),
        ("a piece that streams", Hold::Deviation, &[OPENING][..], [PIECE, PIECE]),
        ("pieces beside text", Hold::Deviation, &[OPENING][..], [PIECE, TEXT]),
        ("a comment", Hold::Call, &[TEXT][..], [": keep-alive", ": keep-alive"]),
    ] {
        let turn = || Turn::new(TurnOptions { hold, ..TurnOptions::default() }, Anything);
        let alone = |events| {
            let mut turn = turn();
            requests(|bytes, out| turn.push(bytes, out), opening, event, events)
        };
        let promoting = |events| {
            let promoter = Promoter::new(Marks::default(), Limits::default(), None);
            let mut both = Promoting::new(promoter, turn());
            requests(|bytes, out| both.push(bytes, out), opening, event, events)
        };
        // A list of the texts of an event that is not like the one before it is made to find them.
        let lists = if event == [PIECE, TEXT] { 1 << 12 } else { 0 };
        for (few, many, lists) in
            [(alone(1 << 10), alone(1 << 13), 0), (promoting(1 << 10), promoting(1 << 13), lists)]
        {
            // The rooms that grow with the turn double three times.
            assert!(many <= few + lists + 18, "{name}: {few} requests for 1024 events, {many} for 8192");
        }
    }
}

/// A turn of twice the length asks for no more than about twice the bytes, however it is cut: nothing is
/// copied again and again.
#[test]
fn held_turns_are_linear() {
    let cost = |pieces: usize, size: usize| {
        let mut stream = format!("{OPENING}\n\n");
        for _ in 0..pieces {
            stream += &format!("{PIECE}\n\n");
        }
        stream += &format!("{CLOSING}\n\ndata: [DONE]\n\n");
        let (_, bytes) = counted(|| {
            let mut turn = Turn::new(TurnOptions::default(), Anything);
            let mut out = Vec::new();
            for piece in stream.as_bytes().chunks(size) {
                turn.push(piece, &mut out);
            }
            turn.finish(StreamEnd::Clean, &mut out);
            assert_eq!(out.len(), stream.len());
        });
        bytes as f64 / stream.len() as f64
    };
    for size in [1, 7, 4096] {
        // Rooms double, so the cost a byte moves between one and two of some constant.
        let (short, long) = (cost(1 << 10, size), cost(1 << 13, size));
        assert!(
            long < 2.2 * short,
            "{short:.1} bytes asked for a byte of a short turn, {long:.1} of a long one"
        );
    }
}
