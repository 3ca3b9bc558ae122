//! `args`: the arguments of one call. What is printed may be run; so a declined body prints nothing.

use toolmend::{Evidence, MAX_BODY, Outcome, Toolmend};
use toolmend_schema::Tool;

use crate::failure::{Exit, Failure};
use crate::model::General;
use crate::options::Args;
use crate::output::Output;
use crate::receipt::ReceiptJson;
use crate::say::say;
use crate::tools::mend_body;
use crate::trace;

/// What the call is called in the trace, where nothing names its tool.
const NAMELESS: &str = "arguments";

/// Reads the body, mends it, and prints it byte for byte.
pub(crate) fn run(options: &Args) -> Result<Exit, Failure> {
    let show = &options.show;
    let body = options.source.open()?.read_text(MAX_BODY)?;
    let mut mender = Toolmend::new().policy(show.policy);
    // A body rarely comes with a model's name; only one that was given and is not known deserves a word.
    if let Some(model) = &show.model {
        mender = mender.model(model);
        if let Some(general) = General::of(&mender, model) {
            say(format_args!("note: {general}"));
        }
    }
    let evidence = Evidence::new().stated(options.ending);
    let tool = show.tools.of_body(options.name.as_deref()).map_err(Failure::Unclear)?;
    show.tools.say_unusable();
    let name = options.name.as_deref().or(tool.and_then(Tool::name));
    let outcome = Outcome::Judged(mend_body(mender, name, tool, &body, evidence));
    if show.trace {
        say(trace::line(name.unwrap_or(NAMELESS), &body, evidence.ending(), (&outcome).into()));
    }
    if show.receipt {
        let receipt = ReceiptJson::new(&body, &evidence, (&outcome).into());
        say(serde_json::to_string(&receipt).expect("strings and numbers are always JSON"));
    }
    let text = match &outcome {
        Outcome::Judged(verdict) => verdict.text(&body),
        Outcome::Misassembled(_) | Outcome::UnknownTool | Outcome::TooLate => None,
    };
    let Some(text) = text else {
        say(trace::failed(name, &outcome).unwrap_or_default());
        return Ok(Exit::Declined);
    };
    let mut output = Output::stdout();
    output.put(text.as_bytes(), Exit::Good)?;
    // The next prompt would stand on the same line; in a pipe every byte counts.
    if output.is_terminal() && !text.ends_with('\n') {
        output.put(b"\n", Exit::Good)?;
    }
    Ok(Exit::Good)
}
