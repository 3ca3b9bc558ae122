//! A turn arrives in deltas; a tool runs only when its call is complete and good.
//!
//! ```sh
//! cargo run --example streaming
//! ```
//!
//! The model calls three tools. The first call is good and runs while the turn is still going on. The
//! second has a comma too many. The third is cut off inside a string, by the cap on output tokens: what it
//! would have written is not known, so nothing is written.

use toolmend::{CallDelta, CallStream, Evidence, Outcome, SettledCall, StreamError, Toolmend, Verdict};

/// What a client library hands out, event by event: call number, tool, the next piece of the arguments.
const DELTAS: &[(u32, Option<&str>, &str)] = &[
    (0, Some("search"), ""),
    (0, None, "{\"query\": \"hyperten"),
    (0, None, "sion guidelines\", \"top_k\": 5}"),
    (1, Some("create_ticket"), ""),
    (1, None, "{\"title\": \"Review the guidelines\",\n"),
    (1, None, " \"labels\": [\"health\", \"docs\",],\n}"),
    (2, Some("write_file"), ""),
    (2, None, "{\"path\": \"notes.md\", \"text\": \"# Hyper"),
];

/// What it says at the end of the turn.
const FINISH_REASON: &str = "length";

fn main() -> Result<(), StreamError> {
    let toolmend = Toolmend::new().model("qwen3");
    let mut stream = CallStream::new(&toolmend);

    for (number, (index, name, arguments)) in DELTAS.iter().enumerate() {
        let delta = CallDelta { index: Some(*index), name: *name, arguments, ..CallDelta::default() };
        println!("delta {number}: call {index} {arguments:?}");
        for call in stream.push(&[delta])? {
            run(&call);
        }
    }

    println!("the turn is over: {FINISH_REASON}");
    for call in stream.finish(Evidence::new().finish_reason(Some(FINISH_REASON))) {
        run(&call);
    }
    Ok(())
}

/// Stands for your tools.
fn run(call: &SettledCall) {
    let Some(arguments) = call.arguments() else {
        println!("    not run: {} ({})", call.name, call.outcome);
        return;
    };
    println!("    run: {}({arguments})", call.name);
    if let Outcome::Judged(Verdict::Mended { receipt, .. }) = &call.outcome {
        let rules: Vec<&str> = receipt.rules().iter().map(|rule| rule.name()).collect();
        println!("    mended: {}, grade {}", rules.join(", "), receipt.grade);
    }
}
