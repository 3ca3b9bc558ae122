//! What may be typed: the commands, their flags, and the help pages made of them.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use toolmend::formats::Promote;
use toolmend::wire::Hold;
use toolmend::{Ending, Policy};

use crate::serve::Given;

const EXIT_CODES: &str = "\
Exit codes: 0 every call is good, 1 at least one was declined, 2 the command line or a file is at fault.";

/// Repairs the tool calls of language models without ever changing what the model said.
#[derive(Debug, Parser)]
#[command(name = "toolmend", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Repair the calls of a recorded turn, in any protocol
    #[command(after_help = EXIT_CODES)]
    Repair(RepairArgs),
    /// Repair the arguments of one call: the JSON on standard output, and nothing when it is declined
    #[command(after_help = EXIT_CODES)]
    Args(ArgsArgs),
    /// Repair many: one JSON record a line in, one answer a line out, in the same order
    #[command(after_help = EXIT_CODES)]
    Batch(BatchArgs),
    /// Stand between agents and a model server, and mend calls while they stream; a demo without --upstream
    Serve(Box<ServeArgs>),
    /// Say what a rule does, why it is safe, and where it would be wrong
    Explain {
        /// The rule, as `toolmend rules` and `--trace` name it
        #[arg(value_name = "RULE")]
        rule: String,
    },
    /// List the rules
    Rules,
    /// List the model families, and the marks that they leak into arguments
    Models,
}

#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    /// The recorded turn: an SSE stream, NDJSON or one JSON response; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What to print: the calls, the turn, or the response with its calls repaired
    #[arg(long = "as", value_name = "SHAPE", default_value = "envelope", value_parser = shapes())]
    pub(crate) shape: Shape,
    /// The cap on output tokens that the request set: a turn that used all of them counts as cut
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// With `--as stream`: what waits, and for what
    #[arg(long, value_name = "WHAT", default_value = "call", value_parser = holds())]
    pub(crate) hold: Hold,
    /// Which calls to make of the assistant's text, where tools are given
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = promotes())]
    pub(crate) promote: Promote,
    /// Read the recording in pieces of so many bytes; what comes out does not depend on it
    #[arg(long, value_name = "BYTES")]
    pub(crate) chunk: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// What `repair` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One JSON envelope a call.
    Envelope,
    /// One JSON object.
    Turn,
    /// The body of the response.
    Stream,
}

#[derive(Debug, Args)]
pub(crate) struct ArgsArgs {
    /// The arguments text; without it, or with `-`, standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Whether the text is all that the model wrote
    #[arg(long, value_name = "ENDING", default_value = "complete", value_parser = endings())]
    pub(crate) ending: Ending,
    /// The tool that is called; decides between several in `--tools`
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// What `repair` and `args` share. Where they show a call and nobody runs it, every grade is accepted unless
/// told otherwise.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// The model that wrote it, whatever a turn says; decides which format marks are expected
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The tool that is called: OpenAI's, Anthropic's, Gemini's or MCP's description, or a JSON Schema
    #[arg(long, value_name = "FILE", conflicts_with = "tools")]
    pub(crate) tool: Option<PathBuf>,
    /// All tools that the model was offered, as a list; a call of any other is declined
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// The riskiest repair to accept [default: inspect; standard with `repair --as turn` and `--as stream`]
    #[arg(long, value_name = "POLICY", value_parser = policies())]
    pub(crate) policy: Option<Policy>,
    /// Tell on standard error, one line a call, which rules changed it and on what grounds
    #[arg(long)]
    pub(crate) trace: bool,
    /// Add the receipt: every edit, the grade and the evidence (`args`, and `repair --as turn`: on standard error)
    #[arg(long)]
    pub(crate) receipt: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BatchArgs {
    /// One JSON record a line; without it, or with `-`, standard input
    #[arg(value_name = "FILE.jsonl")]
    pub(crate) file: Option<PathBuf>,
    /// Where the answers go; without it, or with `-`, standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The riskiest repair to accept
    #[arg(long, value_name = "POLICY", default_value = "standard", value_parser = policies())]
    pub(crate) policy: Policy,
    /// Which calls to make of assistant texts (records with `content` or `chunks`)
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = promotes())]
    pub(crate) promote: Promote,
    /// How many records to work on at the same time [default: one a processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_JOBS))]
    pub(crate) jobs: Option<u16>,
}

/// The most records that `batch` works on at the same time, each on a thread.
const MAX_JOBS: i64 = 1024;

/// Flags come before `TOOLMEND_*` variables, and those before the file.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Settings as TOML, or - for standard input: the keys are these flags without their dashes in front. A flag goes before its variable
    /// TOOLMEND_*, and that before the file
    #[arg(long, value_name = "FILE", env = "TOOLMEND_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Print the settings that hold, as a file of settings, and end
    #[arg(long)]
    pub(crate) print_config: bool,
    #[command(flatten)]
    pub(crate) given: Given,
}

fn policies() -> impl TypedValueParser<Value = Policy> {
    let value = |name: &'static str, help: &'static str| PossibleValue::new(name).help(help);
    PossibleValuesParser::new([
        value("strict", "packaging and punctuation only"),
        value("standard", "all that is certain; for calls that will be run"),
        value("inspect", "all that can be shown; for calls that will be looked at"),
    ])
    .try_map(|name| Policy::named(&name).ok_or("there is no such policy"))
}

fn promotes() -> impl TypedValueParser<Value = Promote> {
    let value = |name: &'static str, help: &'static str| PossibleValue::new(name).help(help);
    PossibleValuesParser::new([
        value("off", "none"),
        value("marked", "what a format marks, and a fenced or bare JSON envelope that is the whole message"),
        value("all", "that, ReAct, and Python calls without marks"),
    ])
    .try_map(|name| Promote::named(&name).ok_or("there is no such choice"))
}

fn shapes() -> impl TypedValueParser<Value = Shape> {
    let value = |name: &'static str, help: &'static str| PossibleValue::new(name).help(help);
    PossibleValuesParser::new([
        value("envelope", "one JSON envelope a call"),
        value("turn", "one JSON object: text, reasoning, calls with their verdicts, how it ended"),
        value("stream", "the body of the response, byte for byte but for what was repaired"),
    ])
    .map(|name| match &*name {
        "turn" => Shape::Turn,
        "stream" => Shape::Stream,
        _ => Shape::Envelope,
    })
}

fn holds() -> impl TypedValueParser<Value = Hold> {
    let value = |name: &'static str, help: &'static str| PossibleValue::new(name).help(help);
    PossibleValuesParser::new([
        value("call", "a call, for its verdict"),
        value("deviation", "a call, from where its arguments are no beginning of a JSON object"),
    ])
    .map(|name| if name == "deviation" { Hold::Deviation } else { Hold::Call })
}

fn endings() -> impl TypedValueParser<Value = Ending> {
    PossibleValuesParser::new(["complete", "unknown", "cut"])
        .try_map(|name| Ending::named(&name).ok_or("there is no such ending"))
}
