//! Links toolmend-core where there is no std.
//!
//! This library brings the two things that std would: a panic handler and an allocator. If anything below
//! toolmend-core linked std, there would be two panic handlers, and the compiler refuses that. So the
//! check needs no target without std to be installed. It is only ever built, never run.

#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;

use toolmend_core::{Evidence, NoJudge, Verdict, mend};

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

struct NoMemory;

// SAFETY: a null pointer is how an allocator says that it has no memory.
unsafe impl GlobalAlloc for NoMemory {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static MEMORY: NoMemory = NoMemory;

/// Uses the core, so that all of it is linked.
#[unsafe(no_mangle)]
pub extern "C" fn intact() -> bool {
    matches!(mend("{}", &Evidence::new(), &NoJudge), Verdict::Intact { .. })
}
