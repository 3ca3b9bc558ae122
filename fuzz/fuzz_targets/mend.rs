//! One body, under every ending: see [`toolmend_fuzz::mend`].

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| toolmend_fuzz::mend(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    toolmend_fuzz::replay_arguments(toolmend_fuzz::mend)
}
