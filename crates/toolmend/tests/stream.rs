//! Deltas in, calls out: which call comes out when, and as what.

use toolmend::{
    Admission, CallDelta, CallStream, Evidence, Judge, NoJudge, Outcome, Policy, SettledCall, StreamError,
    Toolmend,
};

/// What is pushed: `index id name arguments`, `-` for absent, `?` for no index. Deltas of one event are
/// joined by ` & `.
fn deltas(event: &str) -> Vec<CallDelta<'_>> {
    let absent = |text: &'static str| move |field: &&str| *field != text;
    event
        .split(" & ")
        .map(|delta| {
            let fields: Vec<&str> = delta.splitn(4, ' ').collect();
            CallDelta {
                choice: 0,
                index: Some(fields[0]).filter(absent("?")).map(|index| index.parse().unwrap()),
                id: Some(fields[1]).filter(absent("-")),
                name: Some(fields[2]).filter(absent("-")),
                arguments: fields.get(3).copied().unwrap_or_default(),
            }
        })
        .collect()
}

fn show(calls: &[SettledCall]) -> Vec<String> {
    let show = |call: &SettledCall| match call.arguments() {
        Some(arguments) => format!("{} {} {arguments} ({})", call.index, call.name, call.outcome),
        None => format!("{} {} {}", call.index, call.name, call.outcome),
    };
    calls.iter().map(show).collect()
}

struct Case {
    name: &'static str,
    events: &'static [&'static str],
    finish: Option<&'static str>,
    /// Each call, after the number of events that it comes out after; 0 stands for the end of the turn.
    out: &'static [(usize, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        name: "one call waits for the end",
        events: &["0 c f {\"a\":", "0 - - 1}"],
        finish: Some("tool_calls"),
        out: &[(0, "0 f {\"a\":1} (intact)")],
    },
    Case {
        name: "a good call is out as soon as the next one begins",
        events: &["0 c f {\"a\":1}", "1 d g ", "1 - - {\"b\":2}", "2 e h {\"c\":"],
        finish: Some("length"),
        out: &[
            (2, "0 f {\"a\":1} (intact)"),
            (4, "1 g {\"b\":2} (intact)"),
            (0, "2 h declined: the text ends where more must follow at byte 5"),
        ],
    },
    Case {
        name: "calls by turns wait for the end",
        events: &["0 c f {\"a\": & 1 d g {\"b\":", "1 - - 2} & 0 - - 1}"],
        finish: Some("tool_calls"),
        out: &[(0, "0 f {\"a\":1} (intact)"), (0, "1 g {\"b\":2} (intact)")],
    },
    Case {
        name: "a faulty call waits for the end, and is mended",
        events: &["0 c f {\"a\":1,}", "1 d g {}"],
        finish: Some("tool_calls"),
        out: &[(0, "0 f {\"a\":1} (mended)"), (0, "1 g {} (intact)")],
    },
    Case {
        name: "an empty object may be a placeholder",
        events: &["0 c f {}", "1 d g {\"a\":1}"],
        finish: Some("tool_calls"),
        out: &[(0, "0 f {} (intact)"), (0, "1 g {\"a\":1} (intact)")],
    },
    Case {
        name: "no indices",
        events: &["? c f {\"a\":1}", "? d f {\"a\":2}"],
        finish: Some("stop"),
        out: &[(2, "0 f {\"a\":1} (intact)"), (0, "1 f {\"a\":2} (intact)")],
    },
    Case {
        name: "an open string is never closed, whatever the turn says",
        events: &["0 c f {\"path\":\"/etc/ho"],
        finish: Some("tool_calls"),
        out: &[(0, "0 f declined: a string is open at the end of the text at byte 8")],
    },
    Case { name: "nothing", events: &[], finish: Some("stop"), out: &[] },
];

#[test]
fn cases() {
    let toolmend = Toolmend::new();
    for Case { name, events, finish, out } in CASES {
        let mut stream = CallStream::new(&toolmend);
        let mut found = Vec::new();
        for (at, event) in events.iter().enumerate() {
            let ready = stream.push(&deltas(event)).unwrap();
            found.extend(show(&ready).into_iter().map(|call| (at + 1, call)));
        }
        let rest = stream.finish(Evidence::new().finish_reason(*finish));
        found.extend(show(&rest).into_iter().map(|call| (0, call)));
        let expected: Vec<(usize, String)> = out.iter().map(|(at, call)| (*at, (*call).to_owned())).collect();
        assert_eq!(found, expected, "{name}");
    }
}

/// However the arguments are cut into deltas, the same calls come out.
#[test]
fn deltas_of_any_size() {
    let toolmend = Toolmend::new().model("qwen3");
    let bodies = ["{\"city\":\"北京\",\"n\":1.10,}", "```json\n{\"a\":[1 2]}\n```", "{\"path\":\"C:\\new"];
    let calls = |size: usize| {
        let mut stream = CallStream::new(&toolmend);
        for (index, body) in (0..).zip(bodies) {
            let chars: Vec<char> = body.chars().collect();
            for piece in chars.chunks(size) {
                let arguments: String = piece.iter().collect();
                let delta = CallDelta {
                    index: Some(index),
                    name: Some("f"),
                    arguments: &arguments,
                    ..CallDelta::default()
                };
                assert_eq!(stream.push(&[delta]), Ok(Vec::new()));
            }
        }
        stream.finish(Evidence::new().finish_reason(Some("stop")))
    };
    let whole = calls(100);
    assert_eq!(show(&whole)[0], "0 f {\"city\":\"北京\",\"n\":1.10} (mended)");
    for size in [1, 2, 3, 5, 7] {
        assert_eq!(calls(size), whole, "in deltas of {size} characters");
    }
}

#[test]
fn only_offered_tools_come_out() {
    let toolmend = Toolmend::new().tool("f", &NoJudge);
    let mut stream = CallStream::new(&toolmend);
    stream.push(&deltas("0 c drop_database {\"a\":1}")).unwrap();
    let ready = stream.push(&deltas("1 d f {\"a\":1}")).unwrap();
    assert_eq!(ready, []);
    let calls = stream.finish(Evidence::new().finish_reason(Some("stop")));
    assert_eq!(
        show(&calls),
        ["0 drop_database declined: no such tool was offered", "1 f {\"a\":1} (intact)"]
    );
    assert_eq!(calls[0].outcome, Outcome::UnknownTool);
}

/// Admits objects that have this key.
struct Requires(&'static str);

impl Judge for Requires {
    fn admits(&self, object: &str) -> Admission {
        if object.contains(self.0) {
            Admission::Valid
        } else {
            Admission::Invalid { at: String::new(), what: format!("{} is missing", self.0) }
        }
    }
}

#[test]
fn what_the_judge_does_not_admit_does_not_come_out() {
    let (needs_a, needs_b) = (Requires("\"a\""), Requires("\"b\""));
    let toolmend = Toolmend::new().tool("f", &needs_b).tool("f", &needs_a).tool("g", &needs_b);
    let mut stream = CallStream::new(&toolmend);
    stream.push(&deltas("0 c f {\"a\":1}")).unwrap();
    let ready = stream.push(&deltas("1 d g {\"a\":1}")).unwrap();
    assert_eq!(show(&ready), ["0 f {\"a\":1} (intact)"], "the later tool of a name counts");
    let rest = stream.finish(Evidence::new().finish_reason(Some("stop")));
    assert_eq!(rest[0].arguments(), None);
    assert!(rest[0].outcome.to_string().contains("\"b\" is missing"), "{}", rest[0].outcome);
}

#[test]
fn the_policy_holds() {
    let body = "{\"a\": True}";
    for (policy, text) in [(Policy::STRICT, None), (Policy::STANDARD, Some("{\"a\": true}"))] {
        let toolmend = Toolmend::new().policy(policy);
        let mut stream = CallStream::new(&toolmend);
        let delta = CallDelta { arguments: body, ..CallDelta::default() };
        stream.push(&[delta]).unwrap();
        assert_eq!(stream.finish(Evidence::whole())[0].arguments(), text);
    }
}

#[test]
fn a_call_that_is_out_stays_as_it_was() {
    let toolmend = Toolmend::new();
    let mut stream = CallStream::new(&toolmend);
    stream.push(&deltas("0 c f {\"a\":1}")).unwrap();
    assert_eq!(stream.push(&deltas("1 d g {")).unwrap().len(), 1);
    assert_eq!(stream.push(&deltas("0 - -  \n")), Ok(Vec::new()), "white space changes nothing");
    assert_eq!(stream.push(&deltas("0 - - ,")), Err(StreamError::GoesOn { name: "f".to_owned() }));
    stream.push(&deltas("1 - - }")).unwrap();
    let rest = stream.finish(Evidence::new().finish_reason(Some("stop")));
    assert_eq!(show(&rest), ["1 g {} (intact)"]);
}
