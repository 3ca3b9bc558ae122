//! The command line of the benchmark.

use std::path::PathBuf;

/// What to measure, and how.
pub struct Options {
    /// Run everything as briefly as possible, to show that it runs.
    pub quick: bool,
    /// Where to keep the results, as Markdown and as JSON.
    pub save: Option<PathBuf>,
    /// Only these tables; all where it is empty.
    pub only: Vec<String>,
}

pub const USAGE: &str = "\
Usage: toolmend-bench [--quick] [--save DIR] [TABLE]...

  --quick     run everything once, to show that it runs; the numbers mean nothing
  --save DIR  also keep the results in DIR, as DATE-CPU.md and DATE-CPU.json
  TABLE       valid, repair, schema, streaming, growth or hostile; all of them where none is named";

/// The tables, in the order in which they are measured.
pub const TABLES: [&str; 6] = ["valid", "repair", "schema", "streaming", "growth", "hostile"];

impl Options {
    /// Reads the arguments; the error is one sentence for people.
    pub fn read(args: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options { quick: false, save: None, only: Vec::new() };
        let mut args = args.peekable();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--quick" => options.quick = true,
                "--save" => {
                    let folder = args.next().ok_or("--save needs a folder to keep the results in")?;
                    options.save = Some(folder.into());
                }
                table if TABLES.contains(&table) => options.only.push(arg),
                other => return Err(format!("there is no option or table {other:?}\n\n{USAGE}")),
            }
        }
        Ok(options)
    }

    pub fn wants(&self, table: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == table)
    }
}
