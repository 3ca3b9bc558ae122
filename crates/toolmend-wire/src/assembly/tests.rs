//! Which piece belongs to which call.

use super::Assembly;
use crate::limits::{Exceeded, Limits};
use crate::recorded::{Bound, Usage};
use crate::signal::{Arguments, Form, Piece, Signal, Slot};
use crate::text::Text;

/// A piece: `slot id name arguments`. `-` is absent, `''` is empty; a slot is a number, `?` (none), `w`
/// (whole) or `l` (legacy). Arguments that begin with `=` are JSON, not text. `&` before the slot: in the
/// same event as the piece before it. The line `lost` is an event that could not be read.
fn put(assembly: &mut Assembly, line: &str) -> Result<(), Exceeded> {
    if line == "lost" {
        assembly.lose(99);
        return Ok(());
    }
    let fields: Vec<&str> = line.splitn(4, ' ').collect();
    let field = |at: usize| match fields[at] {
        "-" => None,
        "''" => Some(""),
        text => Some(text),
    };
    let slot = match fields[0].trim_start_matches('&') {
        "?" => Slot::Unnumbered,
        "w" => Slot::Whole,
        "l" => Slot::Legacy,
        number => Slot::Numbered(number.parse().unwrap()),
    };
    if !fields[0].starts_with('&') {
        assembly.next_event();
    }
    let arguments = field(3).map(|text| match text.strip_prefix('=') {
        Some(json) => Arguments::Json(json),
        None => Arguments::Text(Text::Plain(text)),
    });
    let (id, name) = (field(1).map(Text::Plain), field(2).map(Text::Plain));
    assembly
        .piece(Piece { choice: 0, slot, opens: false, id, kind: None, form: Form::Text, name, arguments })
        .map(|_| ())
}

/// The calls, each as `index id name arguments`, then its fault, then `+` where it was followed and `~`
/// where it was torn.
fn calls(lines: &[&str]) -> Vec<String> {
    let mut assembly = Assembly::new(Limits::default());
    for line in lines {
        put(&mut assembly, line).unwrap();
    }
    let calls = assembly.finish().calls;
    let show = |call: &crate::Call| {
        let fault = call.fault.as_ref().map_or(String::new(), |fault| format!(" !{}", fault.name()));
        let bound = match call.bound {
            Bound::Followed => " +",
            Bound::Torn => " ~",
            Bound::Last => "",
        };
        let id = call.id.as_deref().unwrap_or("-");
        format!("{} {id} {} {}{fault}{bound}", call.index, call.name, call.arguments)
    };
    calls.iter().map(show).collect()
}

const CASES: &[(&str, &[&str], &[&str])] = &[
    ("pieces", &["0 c f ''", "0 - - {\"a\":", "0 - - 1}"], &["0 c f {\"a\":1}"]),
    ("nothing at all", &["0 - - -"], &["0 -  "]),
    ("no arguments", &["0 c f -", "0 - - ''"], &["0 c f "]),
    ("id and name late", &["0 - - {\"a\"", "0 c - :", "0 - f 1}"], &["0 c f {\"a\":1}"]),
    ("name everywhere", &["0 c f {\"a\"", "0 c f :1", "0 '' null }"], &["0 c f {\"a\":1}"]),
    ("name in pieces", &["0 c get_wea ''", "0 - ther ''", "0 - - {}"], &["0 c get_weather {}"]),
    ("name growing", &["0 c get ''", "0 - get_it {\"a\"", "0 - - :1}"], &["0 c get_it {\"a\":1}"]),
    ("name growing late", &["0 c f {\"a\"", "0 - fg :1}"], &["0 c f {\"a\":1} !name-changed"]),
    ("name changed", &["0 c f {\"a\"", "0 - g :1}"], &["0 c f {\"a\":1} !name-changed"]),
    ("ids that change", &["0 c f {\"a\"", "0 d f :1", "0 e f }"], &["0 c f {\"a\":1}"]),
    ("ids that change, nothing first", &["0 c f ''", "0 d f {\"a\"", "0 e - :1}"], &["0 c f {\"a\":1}"]),
    ("two calls", &["0 c f {}", "1 d g {}"], &["0 c f {} +", "1 d g {}"]),
    ("two calls by turns", &["0 c f {", "&1 d g {", "0 - - }", "1 - - }"], &["0 c f {}", "1 d g {}"]),
    ("said nothing since", &["0 c f {}", "1 d g {", "0 - - ''", "1 - - }"], &["0 c f {} +", "1 d g {}"]),
    (
        "number shared",
        &["0 c f {}", "0 d f ''", "0 - - {\"a\"", "0 - - :1}"],
        &["0 c f {} +", "1 d f {\"a\":1}"],
    ),
    (
        "number shared, no ids",
        &["0 - f {\"a\":1}", "0 - f {\"a\":2}"],
        &["0 - f {\"a\":1} +", "1 - f {\"a\":2}"],
    ),
    (
        "number shared, no ids, in pieces",
        &["0 - f {\"a\":1}", "0 - f {\"a\":", "0 - - 1}"],
        &["0 - f {\"a\":1} +", "1 - f {\"a\":1}"],
    ),
    ("number shared, one event", &["0 c f ''", "&0 d f ''", "0 - - {}"], &["0 c f  +", "1 d f {}"]),
    ("number shared, no arguments", &["0 c f ''", "0 d g ''"], &["0 c f  +", "1 d g "]),
    ("number taken later", &["0 c f {}", "0 d g {}", "1 e h {}"], &["0 c f {} +", "1 d g {} +", "2 e h {}"]),
    ("a copy stays in the body", &["0 c f {\"a\":1}", "0 - f {\"a\":1}"], &["0 c f {\"a\":1}{\"a\":1}"]),
    (
        "and so do more of them",
        &["0 c f {\"a\":1}", "0 c f {\"a\":1}", "0 c f {\"a\":1}"],
        &["0 c f {\"a\":1}{\"a\":1}{\"a\":1}"],
    ),
    ("and those of nothing", &["0 c f {}", "0 c f {}", "0 c f {}"], &["0 c f {}{}{}"]),
    (
        "another object behind copies",
        &["0 - f {\"a\":1}", "0 - f {\"a\":1}", "0 - f {\"b\":1}"],
        &["0 - f {\"a\":1}{\"a\":1} +", "1 - f {\"b\":1}"],
    ),
    (
        "a copy in other white space",
        &["0 - f {\"a\":", "0 - - 1}", "0 - f {\"a\": 1}"],
        &["0 - f {\"a\":1}{\"a\": 1}"],
    ),
    (
        "an id that is said again",
        &["0 c f {\"a\":1}", "0 c f {\"a\"", "0 c - :1}"],
        &["0 c f {\"a\":1}{\"a\":1}"],
    ),
    (
        "the same arguments of another tool",
        &["0 - f {\"a\":1}", "0 - g {\"a\":1}"],
        &["0 - f {\"a\":1} +", "1 - g {\"a\":1}"],
    ),
    ("no arguments, then another tool", &["0 - f {}", "0 - g {\"a\":1}"], &["0 - f {} +", "1 - g {\"a\":1}"]),
    (
        "another tool in pieces",
        &["0 - f {\"a\":1}", "0 - g ''", "0 - - {\"b\":2}"],
        &["0 - f {\"a\":1} +", "1 - g {\"b\":2}"],
    ),
    (
        "the rest of a name behind the arguments",
        &["0 c f {\"a\":1}", "0 - _all -"],
        &["0 c f {\"a\":1} !name-changed"],
    ),
    (
        "a whole call where one is open",
        &["0 c f {\"a\":1,\"b\":", "0 d f {\"a\":2}"],
        &["0 c f {\"a\":1,\"b\":{\"a\":2} !mixed-arguments"],
    ),
    (
        "a whole call where one is open, no ids",
        &["0 - f {\"a\":1,\"b\":", "0 - f {\"a\":2}"],
        &["0 - f {\"a\":1,\"b\":{\"a\":2} !mixed-arguments"],
    ),
    (
        "an object within, the id said again",
        &["0 c f {\"a\":1,\"b\":", "0 c f {\"a\":2}", "0 c f }"],
        &["0 c f {\"a\":1,\"b\":{\"a\":2}}"],
    ),
    (
        "an object within, ids that change",
        &["0 c f {\"a\":1,\"b\":", "0 d - {\"a\":2}", "0 e - }"],
        &["0 c f {\"a\":1,\"b\":{\"a\":2}}"],
    ),
    (
        "a new id where others came without",
        &["0 c f ''", "0 - - {\"q\":\"x\",", "0 - - \"o\":", "0 d f ''", "0 - - {\"q\":1}"],
        &["0 c f {\"q\":\"x\",\"o\": +", "1 d f {\"q\":1}"],
    ),
    (
        "a new id that begins as calls do",
        &["0 c f {\"q\":\"x\"", "0 d f ''", "0 - - {\"q\":1}"],
        &["0 c f {\"q\":\"x\" +", "1 d f {\"q\":1}"],
    ),
    (
        "a longer name under a new id",
        &["0 c read ''", "0 d read_it {\"a\":2}"],
        &["0 c read  +", "1 d read_it {\"a\":2}"],
    ),
    (
        "a copy under a new id",
        &["0 c f {\"a\":1}", "0 d f {\"a\":1}"],
        &["0 c f {\"a\":1} +", "1 d f {\"a\":1}"],
    ),
    ("more after the end", &["0 c f {\"a\":1}", "0 - - }", "0 - f ''"], &["0 c f {\"a\":1}}"]),
    (
        "what stands around the object",
        &["0 c f ```{\"a\":1}", "0 - f ```", "0 d f ."],
        &["0 c f ```{\"a\":1}```."],
    ),
    ("first number is 1", &["1 c f {}"], &["1 c f {}"]),
    ("gap", &["0 c f {}", "2 d g {}"], &["0 c f {} +", "2 d g {}"]),
    ("no numbers", &["? c f {\"a\"", "? - - :1}", "? d f {}"], &["0 c f {\"a\":1} +", "1 d f {}"]),
    ("no numbers, ids known", &["? c f {", "&? d g {", "? c - }", "? d - }"], &["0 c f {}", "1 d g {}"]),
    (
        "no numbers, ids by turns",
        &["? c f {\"a\":", "? d f ''", "? d - {\"b\":1}", "? c - 2}"],
        &["0 c f {\"a\":2}", "1 d f {\"b\":1}"],
    ),
    ("no numbers, no ids", &["? - f {}", "&? - g {}"], &["0 - f {} +", "1 - g {}"]),
    ("whole calls", &["w c f {}", "&w c f {}", "&w - - -"], &["0 c f {} +", "1 c f {} +", "2 -  "]),
    ("legacy", &["l - f {\"a\"", "l - - :1}"], &["0 - f {\"a\":1}"]),
    ("legacy beside it", &["l - f {}", "&w c f {}"], &["1 c f {}"]),
    ("legacy besides", &["l - f {}", "&w c g {}"], &["0 - f {} +", "1 c g {}"]),
    ("object", &["0 c f ={\"n\":12345678901234567890.10}"], &["0 c f {\"n\":12345678901234567890.10}"]),
    ("objects that grow", &["0 c f ={\"a\":1}", "0 - - ={\"a\":1,\"b\":2}"], &["0 c f {\"a\":1,\"b\":2}"]),
    ("objects that differ", &["0 c f ={\"a\":1}", "0 - - ={\"b\":2}"], &["0 c f {\"a\":1} !mixed-arguments"]),
    ("object, then text", &["0 c f ={}", "0 - - {\"a\":1}"], &["0 c f {\"a\":1}"]),
    ("object with more, then text", &["0 c f ={\"a\":1}", "0 - - {"], &["0 c f {\"a\":1} !mixed-arguments"]),
    ("text, then object", &["0 c f {\"a\"", "0 - - ={\"a\":1}"], &["0 c f {\"a\" !mixed-arguments"]),
    ("blank text, then object", &["0 c f  ", "0 - - ={\"a\":1}"], &["0 c f {\"a\":1}"]),
    (
        "growing text",
        &["0 c f {\"a\":", "0 - - {\"a\":1,", "0 - - {\"a\":1,\"b\":2}"],
        &["0 c f {\"a\":1,\"b\":2}"],
    ),
    ("nested, not growing", &["0 c f {\"a\":", "0 - - {\"a\":1}", "0 - - }"], &["0 c f {\"a\":{\"a\":1}}"]),
    ("growing but twice", &["0 c f {\"a\":", "0 - - {\"a\":1}"], &["0 c f {\"a\":{\"a\":1}"]),
    (
        "repeated pieces are pieces",
        &["0 c f {\"a\":1", "0 - - 00", "0 - - 00", "0 - - }"],
        &["0 c f {\"a\":10000}"],
    ),
    ("lost at the end", &["0 c f {\"a\":1", "lost"], &["0 c f {\"a\":1 ~"]),
    ("lost in the middle", &["0 c f {\"a\":", "lost", "0 - - 1}"], &["0 c f {\"a\":1} !piece-lost"]),
    ("lost after it", &["0 c f {\"a\":1}", "lost", "1 d g {}"], &["0 c f {\"a\":1} +", "1 d g {}"]),
    ("lost before it", &["lost", "0 - - 1}"], &["0 -  1} !piece-lost"]),
    ("lost, whole calls", &["w c f {\"a\"", "lost"], &["0 c f {\"a\""]),
];

#[test]
fn cases() {
    for (name, lines, expected) in CASES {
        assert_eq!(calls(lines), *expected, "{name}");
    }
}

#[test]
fn limits() {
    let limits = Limits { calls: 2, choices: 2, held_bytes: 12, ..Limits::default() };
    let mut assembly = Assembly::new(limits);
    put(&mut assembly, "0 c f {}").unwrap();
    put(&mut assembly, "1 d f {}").unwrap();
    assert_eq!(put(&mut assembly, "2 e f {}"), Err(Exceeded::Calls(2)));
    assert_eq!(put(&mut assembly, "1 - - 1234"), Ok(()), "twelve bytes are held");
    assert_eq!(put(&mut assembly, "1 - - 5"), Err(Exceeded::HeldBytes(12)));

    let mut assembly = Assembly::new(limits);
    assert_eq!(assembly.signal(Signal::Choice(7)), Ok(()));
    assert_eq!(assembly.signal(Signal::Content { choice: 0, text: "12345678901".into() }), Ok(()));
    assert_eq!(assembly.signal(Signal::Choice(1)), Err(Exceeded::Choices(2)));
    assert_eq!(
        assembly.signal(Signal::Reasoning { choice: 7, text: "23".into() }),
        Err(Exceeded::HeldBytes(12))
    );
}

#[test]
fn what_a_turn_says() {
    let mut assembly = Assembly::new(Limits::default());
    let usage = Usage { input_tokens: None, output_tokens: 5 };
    let counted = Usage { input_tokens: Some(3), ..usage };
    let signals = [
        Signal::Model("".into()),
        Signal::Model("m".into()),
        Signal::Model("n".into()),
        Signal::Choice(3),
        Signal::Content { choice: 1, text: "a".into() },
        Signal::Content { choice: 1, text: Text::Escaped(r"\ud83d") },
        Signal::Finish { choice: 1, word: Some("tool_calls".into()) },
        Signal::Finish { choice: 1, word: None },
        Signal::Content { choice: 1, text: Text::Escaped(r"\ude00") },
        Signal::Usage(Usage { output_tokens: 1, ..usage }),
        Signal::Usage(usage),
        Signal::Usage(Usage { input_tokens: Some(3), output_tokens: 0 }),
        Signal::End,
    ];
    for signal in signals {
        assembly.signal(signal).unwrap();
    }
    let turn = assembly.finish();
    assert_eq!((turn.model.as_deref(), turn.usage, turn.terminal), (Some("m"), Some(counted), true));
    let choices: Vec<_> = turn.choices.iter().map(|c| (c.index, &c.content[..], c.finish.word())).collect();
    assert_eq!(choices, [(1, "a😀", Some("tool_calls")), (3, "", None)]);
    assert!(!turn.lone_surrogate);
}
