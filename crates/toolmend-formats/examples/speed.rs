//! What reading costs: `cargo run --release -p toolmend-formats --example speed`.

use std::hint::black_box;
use std::time::Instant;

use serde_json::json;
use toolmend_core::{Ending, TextEvent, TextReader};
use toolmend_formats::Reader;

#[path = "../tests/it/desk.rs"]
#[allow(dead_code)]
mod desk;
#[path = "../tests/it/writers.rs"]
#[allow(dead_code)]
mod writers;

/// Nanoseconds a byte, the best of some runs.
fn cost(text: &str, model: &str, prefill: &str, size: usize) -> f64 {
    let desk = desk::Desk::new();
    let chars: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = chars.chunks(size).map(|chunk| chunk.iter().collect()).collect();
    let once = || {
        let start = Instant::now();
        let mut reader = Reader::new(&desk).model(model).prefill(prefill);
        let mut sink = |event: TextEvent<'_>| {
            black_box(event);
        };
        for piece in &pieces {
            reader.push(piece, &mut sink);
        }
        reader.finish(Ending::Complete, &mut sink);
        start.elapsed().as_nanos() as f64 / text.len() as f64
    };
    (0..9).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let prose = "The gateway passes text on as it comes. Nothing in it begins a call, so nothing waits;\n"
        .repeat(1600);
    let code = "let x = items[0] < 3 && y[i] > 2; // see `tags` and <b>bold</b>\n".repeat(2000);
    println!("{:44} {:>8} {:>8} {:>6}", "ns a byte, 128 KB", "whole", "4 bytes", "ratio");
    let row = |name: &str, text: &str, model: &str, prefill: &str| {
        let (whole, pieces) = (cost(text, model, prefill, text.len()), cost(text, model, prefill, 4));
        println!("{name:44} {whole:8.2} {pieces:8.2} {:6.2}", pieces / whole);
    };
    row("prose", &prose, "", "");
    row("code", &code, "", "");
    let page = "let x = [1, 2]; // \"so\" <b> it's\n".repeat(3900);
    for writer in writers::WRITERS {
        let text = (writer.write)(&[("save_page", vec![("path", json!("a")), ("text", json!(page))])]);
        row(writer.model, &text, writer.model, writer.prefill);
    }
}
