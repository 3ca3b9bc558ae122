//! One turn in flight, in pieces and at once: see [`toolmend_fuzz::turn`].

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| toolmend_fuzz::turn(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    toolmend_fuzz::replay_arguments(toolmend_fuzz::turn)
}
