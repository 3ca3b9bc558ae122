//! One text, in pieces and at once: see [`toolmend_fuzz::text`].

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| toolmend_fuzz::text(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    toolmend_fuzz::replay_arguments(toolmend_fuzz::text)
}
