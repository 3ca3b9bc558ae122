//! One turn after the other: documents, prompt, reply, call, tool.

use std::error::Error;
use std::fmt;

use toolmend::{CallDelta, CallStream, Evidence, Outcome, Rule, SettledCall, Tool, Toolmend, Verdict};

use crate::knowledge::{self, Document};
use crate::script::Turn;
use crate::tools::Call;

/// How many documents go into a prompt.
const CONTEXT: usize = 2;

/// Answers questions, and keeps the tickets.
#[derive(Debug)]
pub(crate) struct Desk {
    toolmend: Toolmend<'static>,
    tickets: Vec<String>,
}

impl Desk {
    /// `schema` judges the calls.
    pub(crate) fn new(schema: Tool) -> Desk {
        Desk::with(Toolmend::new().tools([schema]))
    }

    /// A desk that takes what this lets through.
    pub(crate) fn with(toolmend: Toolmend<'static>) -> Desk {
        Desk { toolmend, tickets: Vec::new() }
    }

    /// The titles of all tickets, and their priorities.
    pub(crate) fn tickets(&self) -> &[String] {
        &self.tickets
    }

    /// Answers one question.
    pub(crate) fn answer(&mut self, turn: &Turn<'_>) -> Result<Answer, Box<dyn Error>> {
        let context = knowledge::retrieve(turn.question, CONTEXT);
        let reply = turn.reply(&prompt(&context, turn.question));
        let mut stream = CallStream::new(&self.toolmend);
        let mut calls = Vec::new();
        for arguments in reply {
            calls.extend(stream.push(&[CallDelta { arguments, ..CallDelta::default() }])?);
        }
        // Only now is it known how the reply ended.
        calls.extend(stream.finish(Evidence::new().finish_reason(Some(turn.finish_reason))));
        let steps: Result<_, _> = calls.iter().map(|call| self.step(call)).collect();
        Ok(Answer { context, steps: steps? })
    }

    /// Runs a call, if it may be run.
    fn step(&mut self, call: &SettledCall) -> Result<Step, Box<dyn Error>> {
        let Some(arguments) = call.arguments() else {
            return Ok(Step::NotRun { why: call.outcome.to_string() });
        };
        let result = match serde_json::from_str(arguments)? {
            Call::Search { query, top_k } => {
                let found = knowledge::retrieve(&query, top_k);
                let titles: Vec<&str> = found.iter().map(|document| document.title).collect();
                format!("search {query:?}, at most {top_k}: {}", titles.join("; "))
            }
            Call::CreateTicket { title, priority } => {
                let priority = priority.unwrap_or_else(|| "normal".to_owned());
                self.tickets.push(format!("{title} ({priority})"));
                format!("create_ticket {title:?}, {priority}")
            }
        };
        Ok(Step::Run { result, repairs: repairs(&call.outcome) })
    }
}

/// What a model is asked.
fn prompt(context: &[&Document], question: &str) -> String {
    let mut prompt = String::from("Answer with one call, as a JSON object that names its tool.\n\n");
    for document in context {
        prompt += &format!("{}\n{}\n\n", document.title, document.text);
    }
    prompt + question
}

/// The rules that changed something.
fn repairs(outcome: &Outcome) -> Vec<&'static str> {
    match outcome {
        Outcome::Judged(Verdict::Mended { receipt, .. }) => {
            receipt.rules().into_iter().map(Rule::name).collect()
        }
        _ => Vec::new(),
    }
}

/// What came of a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// What stood in the prompt.
    pub(crate) context: Vec<&'static Document>,
    /// What was done, call by call.
    pub(crate) steps: Vec<Step>,
}

/// What came of one call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Run { result: String, repairs: Vec<&'static str> },
    NotRun { why: String },
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles: Vec<&str> = self.context.iter().map(|document| document.title).collect();
        let titles = if titles.is_empty() { "no document".to_owned() } else { titles.join("; ") };
        writeln!(f, "  in the prompt: {titles}")?;
        self.steps.iter().try_for_each(|step| writeln!(f, "  {step}"))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Run { result, repairs } if repairs.is_empty() => write!(f, "run: {result}"),
            Step::Run { result, repairs } => write!(f, "run, after {}: {result}", repairs.join(", ")),
            Step::NotRun { why } => write!(f, "not run: {why}"),
        }
    }
}
