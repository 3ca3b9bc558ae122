//! Measures toolmend against its peers, all in one run.
//!
//! Markdown goes to stdout, progress to stderr. What is measured: valid bodies ([`valid`]), the commonest
//! repair ([`repair`]), bodies checked against a tool's schema ([`schema`]), pieces against the whole
//! ([`streaming`]), and whether the work is linear ([`growth`]). How: [`measure`].

mod body;
mod faults;
mod growth;
mod machine;
mod measure;
mod options;
mod peers;
mod process;
mod random;
mod repair;
mod report;
mod schema;
mod streaming;
mod tools;
mod valid;

use std::process::ExitCode;

use machine::Machine;
use measure::Effort;
use options::Options;
use report::Table;

/// Sizes of the bodies, in bytes.
const SIZES: [usize; 4] = [200, 2_000, 20_000, 1 << 20];

fn main() -> ExitCode {
    let ran = Options::read(std::env::args().skip(1)).and_then(|options| run(&options));
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    // A peer that panics is a peer that did not repair.
    std::panic::set_hook(Box::new(|_| {}));
    let effort = if options.quick { Effort::QUICK } else { Effort::FULL };
    let machine = Machine::here();
    let tables: Vec<Table> = options::TABLES
        .into_iter()
        .filter(|table| options.wants(table))
        .map(|table| match table {
            "valid" => valid::run(effort),
            "repair" => repair::run(&peers::all(), effort),
            "schema" => schema::run(effort),
            "streaming" => streaming::run(effort),
            "growth" => growth::of_rules(effort),
            _ => growth::of_hostile_texts(effort),
        })
        .collect();
    let markdown = report::markdown(&tables, &machine);
    print!("{markdown}");
    let Some(folder) = &options.save else { return Ok(()) };
    let name = format!("{}-{}", machine.date, machine.slug());
    let keep = |file: &str, text: String| {
        let path = folder.join(file);
        std::fs::write(&path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    keep(&format!("{name}.md"), markdown)?;
    keep(&format!("{name}.json"), format!("{:#}\n", report::json(&tables, &machine)))
}

/// The text in pieces of `size` bytes, the last one shorter; a character is never split.
fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::with_capacity(text.len() / size + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let at = (size.min(rest.len())..=rest.len()).find(|&at| rest.is_char_boundary(at));
        let (piece, after) = rest.split_at(at.unwrap_or(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn size_name(size: usize) -> String {
    match size {
        n if n < 1_000 => format!("{n} B"),
        n if n < 1 << 20 => format!("{} KB", n / 1_000),
        n => format!("{} MB", n >> 20),
    }
}
