//! One recording, in pieces and at once: see [`toolmend_fuzz::wire_cuts`].

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| toolmend_fuzz::wire_cuts(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    toolmend_fuzz::replay_arguments(toolmend_fuzz::wire_cuts)
}
