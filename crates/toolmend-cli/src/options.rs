//! From what was typed to checked values: what a command needs, and nothing that it would have to check.

use std::path::PathBuf;
use std::thread;

use toolmend::formats::Promote;
use toolmend::wire::Hold;
use toolmend::{Ending, Policy, Rule};
use toolmend_schema::ToolError;

use crate::cli::{Cli, Command, CommonArgs, Shape};
use crate::explain;
use crate::failure::Failure;
use crate::input::Source;
use crate::serve::Serve;
use crate::tools::Tools;

/// The longest description of tools that is read, in bytes.
const MAX_TOOLS: usize = 64 << 20;

/// How much is read from a recording at once, in bytes.
const READ: usize = 64 << 10;

/// One command with its checked values.
#[derive(Debug)]
pub(crate) enum Options {
    Repair(Repair),
    Args(Args),
    Batch(Batch),
    Serve(Box<Serve>),
    /// The settings of `serve`, as a file.
    Config(String),
    Explain(Rule),
    Rules,
    Models,
}

/// What `repair` needs.
#[derive(Debug)]
pub(crate) struct Repair {
    pub(crate) source: Source,
    pub(crate) shape: Shape,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) hold: Hold,
    pub(crate) promote: Promote,
    /// How many bytes are read at once.
    pub(crate) chunk: usize,
    pub(crate) show: Show,
}

/// What `args` needs.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) source: Source,
    pub(crate) ending: Ending,
    pub(crate) name: Option<String>,
    pub(crate) show: Show,
}

/// How a call is judged and shown.
#[derive(Debug)]
pub(crate) struct Show {
    pub(crate) model: Option<String>,
    pub(crate) tools: Tools,
    pub(crate) policy: Policy,
    pub(crate) trace: bool,
    pub(crate) receipt: bool,
}

/// What `batch` needs.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) source: Source,
    pub(crate) output: Option<PathBuf>,
    pub(crate) policy: Policy,
    pub(crate) promote: Promote,
    pub(crate) jobs: usize,
}

impl TryFrom<Cli> for Options {
    type Error = Failure;

    fn try_from(cli: Cli) -> Result<Options, Failure> {
        Ok(match cli.command {
            Command::Repair(typed) => Options::Repair(Repair {
                source: Source::named(Some(typed.file)),
                shape: typed.shape,
                max_tokens: typed.max_tokens,
                hold: typed.hold,
                promote: typed.promote,
                chunk: typed.chunk.map_or(READ, |bytes| bytes.get().min(READ)),
                show: Show::new(
                    typed.common,
                    match typed.shape {
                        Shape::Envelope => Policy::INSPECT,
                        Shape::Turn | Shape::Stream => Policy::STANDARD,
                    },
                )?,
            }),
            Command::Args(typed) => Options::Args(Args {
                source: Source::named(typed.file),
                ending: typed.ending,
                name: typed.name,
                show: Show::new(typed.common, Policy::INSPECT)?,
            }),
            Command::Batch(typed) => Options::Batch(Batch {
                source: Source::named(typed.file),
                output: typed.output,
                policy: typed.policy,
                promote: typed.promote,
                jobs: typed.jobs.map_or_else(processors, usize::from),
            }),
            Command::Serve(typed) => {
                let given = typed.given.with_file(typed.config)?;
                if typed.print_config {
                    let file = given.file();
                    Serve::try_from(given)?;
                    Options::Config(file)
                } else {
                    Options::Serve(Box::new(given.try_into()?))
                }
            }
            Command::Explain { rule } => Options::Explain(explain::named(&rule)?),
            Command::Rules => Options::Rules,
            Command::Models => Options::Models,
        })
    }
}

impl Show {
    /// `policy` counts where none was given.
    fn new(typed: CommonArgs, policy: Policy) -> Result<Show, Failure> {
        let tools = match (typed.tool, typed.tools) {
            (Some(path), _) => tools(path, Tools::one)?,
            (None, Some(path)) => tools(path, Tools::all)?,
            (None, None) => Tools::default(),
        };
        let policy = typed.policy.unwrap_or(policy);
        let CommonArgs { model, trace, receipt, .. } = typed;
        Ok(Show { model, tools, policy, trace, receipt })
    }
}

fn tools(path: PathBuf, read: fn(&str) -> Result<Tools, ToolError>) -> Result<Tools, Failure> {
    // Not standard input: that is where bodies come from.
    let source = Source::File(path);
    let text = source.open()?.read_text(MAX_TOOLS)?;
    // Some editors put a byte-order mark in front, which JSON does not know.
    let json = text.strip_prefix('\u{feff}').unwrap_or(&text);
    read(json).map_err(|error| Failure::Tool { source, error })
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
