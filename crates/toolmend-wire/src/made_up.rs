//! Ids for calls that have none: the same turn gives the same ones, however its bytes are cut.

/// What the ids of a turn are made of: its first event that says something. FNV-1a (64 bit).
pub(crate) fn seed_of(event: &str) -> u64 {
    event
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The id of the call of this number.
pub(crate) fn made_up_id(seed: u64, call: usize) -> String {
    let mixed = (seed ^ call as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("call_{:016x}", mixed ^ (mixed >> 29))
}
