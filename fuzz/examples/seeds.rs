//! Writes the seeds of every target to its corpus: `cargo run --example seeds`.

use std::io;
use std::path::Path;

use toolmend_fuzz::{TARGETS, seeds};

fn main() -> io::Result<()> {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (target, _) in TARGETS {
        let folder = corpora.join(target);
        std::fs::create_dir_all(&folder)?;
        for (name, data) in seeds::of(target) {
            std::fs::write(folder.join(name), data)?;
        }
    }
    Ok(())
}
