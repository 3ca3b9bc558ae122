//! The law of a turn on its way from a server to a client, under the options that a byte stands for.

use toolmend_wire::{Hold, OnCut, ProtocolKind, TurnOptions};

use crate::pieces::Split;

#[path = "../../crates/toolmend-wire/tests/turn_law/mod.rs"]
mod law;

/// The options that a byte stands for.
pub fn options(byte: u8) -> TurnOptions {
    let kinds = ProtocolKind::ALL;
    TurnOptions {
        // As many kinds, and the one that is found from the bytes.
        protocol: kinds.get(usize::from(byte >> 3) % (kinds.len() + 1)).copied(),
        hold: if byte & 1 == 0 { Hold::Call } else { Hold::Deviation },
        on_cut: if byte & 2 == 0 { OnCut::Pass } else { OnCut::Relabel },
        max_tokens: (byte & 4 != 0).then_some(16),
        ..TurnOptions::default()
    }
}

/// The law holds for these bytes in these pieces.
pub fn check_split(options: TurnOptions, split: &Split, bytes: &[u8]) {
    law::check(options, &split.bytes(bytes));
}
