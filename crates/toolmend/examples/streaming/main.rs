//! A desk that answers from a handful of documents, with a model that writes its tool calls as text.
//!
//! ```sh
//! cargo run -p toolmend --example streaming
//! ```
//!
//! Each turn goes one way: retrieved documents → prompt → the model's reply, delta by delta → put together,
//! repaired, validated → the tool. Nothing runs before its call is complete, and nothing runs that is not
//! certain. The model is a script, so that the program needs no network and always prints the same.

mod desk;
mod knowledge;
mod script;
mod tools;

use std::error::Error;

use desk::Desk;

fn main() -> Result<(), Box<dyn Error>> {
    let mut desk = Desk::new(tools::schema()?);
    for turn in script::TURNS {
        println!("# {}", turn.title);
        println!("  the model: {:?}", turn.deltas.concat());
        println!("{}", desk.answer(turn)?);
    }
    println!("tickets: {}", desk.tickets().join("; "));
    Ok(())
}
