//! The streaming example does what it says: what runs, what does not, and why not.

#[path = "../examples/streaming/desk.rs"]
mod desk;
#[path = "../examples/streaming/knowledge.rs"]
mod knowledge;
#[path = "../examples/streaming/script.rs"]
mod script;
#[path = "../examples/streaming/tools.rs"]
mod tools;

use desk::Desk;
use script::{TURNS, Turn};
use toolmend::Toolmend;

/// What comes of each turn of the script.
const OUTCOMES: &[(&str, &str)] = &[
    ("a good call", "run: search \"open on Fridays\", at most 1: Opening hours"),
    (
        "a comma too many, and words behind the object",
        "run, after trailing-comma, prose: search \"hypertension guidelines\", at most 5: \
         Hypertension guidelines, adults; Diabetes guidelines, adults",
    ),
    (
        "a string without its closing quote",
        "run, after value-no-close-quote: search \"hypertension guidelines\", at most 5: \
         Hypertension guidelines, adults; Diabetes guidelines, adults",
    ),
    (
        "Python's quotes, and an allowed word in another case",
        "run, after single-quotes, enum-case: create_ticket \"Call back about inhalers\", high",
    ),
    ("cut inside a string", "not run: declined: a string is open at the end of the text at byte 35"),
    (
        "cut inside a string, and the server says that all is well",
        "not run: declined: a string is open at the end of the text at byte 35",
    ),
    (
        "a tool that does not exist",
        "not run: declined: the tool's schema does not admit it: fits none of the alternatives at byte 0",
    ),
];

/// What was done in a turn, as the example prints it.
fn steps(desk: &mut Desk, turn: &Turn<'_>) -> Vec<String> {
    desk.answer(turn).unwrap().steps.iter().map(ToString::to_string).collect()
}

#[test]
fn every_turn_comes_out_as_it_should() {
    let mut desk = Desk::new(tools::schema().unwrap());
    let found: Vec<_> = TURNS.iter().map(|turn| (turn.title, steps(&mut desk, turn).join("\n"))).collect();
    let found: Vec<_> = found.iter().map(|(title, steps)| (*title, &steps[..])).collect();
    assert_eq!(found, OUTCOMES);
    assert_eq!(desk.tickets(), ["Call back about inhalers (high)"]);
}

#[test]
fn however_the_reply_is_cut_into_deltas() {
    for turn in TURNS {
        let whole = steps(&mut Desk::new(tools::schema().unwrap()), turn);
        let text = turn.deltas.concat();
        for size in [1, 2, 3, 7, text.len()] {
            let chars: Vec<char> = text.chars().collect();
            let deltas: Vec<String> = chars.chunks(size).map(String::from_iter).collect();
            let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
            let turn = Turn { deltas: &deltas, ..*turn };
            let found = steps(&mut Desk::new(tools::schema().unwrap()), &turn);
            assert_eq!(found, whole, "{} in deltas of {size} characters", turn.title);
        }
    }
}

/// A reply that broke off anywhere runs what the model meant, or nothing.
#[test]
fn a_reply_that_was_cut_runs_nothing_else() {
    let result = |step: &str| step.strip_prefix("run")?.split_once(": ").map(|(_, result)| result.to_owned());
    for turn in TURNS {
        let run = |turn: &Turn<'_>| steps(&mut Desk::new(tools::schema().unwrap()), turn);
        let meant: Vec<String> = run(turn).iter().filter_map(|step| result(step)).collect();
        let text = turn.deltas.concat();
        for (end, _) in text.char_indices() {
            let cut = Turn { deltas: &[&text[..end]], finish_reason: "length", ..*turn };
            for step in run(&cut) {
                let same = result(&step).is_none_or(|result| meant.contains(&result));
                assert!(same, "{:?} came to {step}", &text[..end]);
            }
        }
    }
}

/// What only the schema decides is not decided without one.
#[test]
fn a_quote_is_set_before_a_declared_key_only() {
    let turn = &TURNS[2];
    assert_eq!(turn.title, "a string without its closing quote");
    let found = steps(&mut Desk::with(Toolmend::new()), turn);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("not run: "), "{found:?}");
}

#[test]
fn documents_are_found_by_the_words_that_few_have() {
    for (query, limit, titles) in [
        (
            "hypertension guidelines",
            5,
            &["Hypertension guidelines, adults", "Diabetes guidelines, adults"][..],
        ),
        ("hypertension guidelines", 1, &["Hypertension guidelines, adults"]),
        ("measure at home", 2, &["Measuring blood pressure at home", "Hypertension guidelines, adults"]),
        ("what is the", 5, &[]),
        ("", 5, &[]),
    ] {
        let found: Vec<&str> = knowledge::retrieve(query, limit).iter().map(|d| d.title).collect();
        assert_eq!(found, titles, "{query:?}");
    }
}
