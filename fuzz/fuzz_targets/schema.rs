//! A schema and a body: see [`toolmend_fuzz::schema`].

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| toolmend_fuzz::schema(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    toolmend_fuzz::replay_arguments(toolmend_fuzz::schema)
}
