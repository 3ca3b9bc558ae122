//! Faulty turns through the gateway, as a client sees them.

use toolmend::formats::Promote;
use toolmend::wire::Recorder;
use toolmend_gateway::{Hold, Mending, Mode, OnCut, Settings};

use crate::harness::*;
use crate::stream::scripted;

/// A small generator of numbers, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }
}

/// A streamed answer, cut into chunks anywhere.
fn cut(stream: &str, dice: &mut Dice) -> Vec<u8> {
    let mut bytes = SSE.as_bytes().to_vec();
    let mut rest = stream.as_bytes();
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at((1 + dice.roll(40)).min(rest.len()));
        bytes.extend(chunk(piece));
        rest = behind;
    }
    bytes.extend(LAST.as_bytes());
    bytes
}

/// A turn with one call whose arguments come in these pieces.
fn turn(pieces: &[&str], finish: &str) -> String {
    let mut stream = String::from(
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"I look.\"}}]}\n\n: a comment\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"\"}}]}}]}\n\n",
    );
    for piece in pieces {
        let text = piece.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        stream.push_str(&format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":\"{text}\"}}}}]}}}}]}}\n\n"
        ));
    }
    stream.push_str(&format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{finish}\"}}],\"usage\":{{\"completion_tokens\":9}}}}\n\ndata: [DONE]\n\n"
    ));
    stream
}

/// A tool, as a request describes it over two lines.
const TOOL: &str = r#"{"type":"function",
"function":{"name":"look","parameters":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}}}"#;

fn request(max_tokens: u64) -> String {
    post(
        "/v1/chat/completions",
        &format!(r#"{{"model":"m","messages":[],"stream":true,"max_tokens":{max_tokens},"tools":[{TOOL}]}}"#),
    )
}

/// The arguments and the finish reason that a client puts together.
fn read(answer: &Message) -> (String, String) {
    let mut recorder = Recorder::new();
    recorder.push(&answer.body).unwrap();
    let recorded = recorder.finish().unwrap();
    assert_eq!((recorded.content.as_str(), recorded.terminal, recorded.calls.len()), ("I look.", true, 1));
    assert!(answer.text().contains(": a comment\n\n"));
    (recorded.calls[0].arguments.clone(), recorded.finish.word().unwrap_or("").to_owned())
}

async fn through(
    stream: &str,
    dice: &mut Dice,
    max_tokens: u64,
    set: impl FnOnce(&mut Settings),
) -> (Message, String) {
    let upstream = Upstream::always(cut(stream, dice)).await;
    let mut settings = Settings::new(format!("http://{}", upstream.address).parse().unwrap());
    set(&mut settings);
    let mending = Mending::new(&settings);
    let gateway = Gateway::of(settings, mending).await;
    let answer = gateway.ask(request(max_tokens)).await;
    assert!(answer.whole);
    (answer, gateway.metrics().await)
}

#[tokio::test]
async fn broken_calls_arrive_whole() {
    let mut dice = Dice(0x5EED);
    for (pieces, whole, rule) in [
        (&["{\"city\":", " \"Oslo\",", "}"][..], "{\"city\": \"Oslo\"}", "trailing-comma"),
        (&["```json\n{\"city\"", ": \"Oslo\"}", "\n```"], "{\"city\": \"Oslo\"}", "code-fence"),
        (&["{\"city\": \"Oslo\", \"days\": \"3\"}"], "{\"city\": \"Oslo\", \"days\": 3}", "number-string"),
        (&["{'city': ", "'Oslo'}"], "{\"city\": \"Oslo\"}", "single-quotes"),
        (&["{\"city\": \"Oslo\"", ", \"days\": 3"], "{\"city\": \"Oslo\", \"days\": 3}", "missing-closer"),
    ] {
        for _ in 0..8 {
            let stream = turn(pieces, "tool_calls");
            let (answer, metrics) = through(&stream, &mut dice, 100, |_| {}).await;
            assert_eq!(read(&answer), (whole.to_owned(), "tool_calls".to_owned()), "{pieces:?}");
            let counted =
                format!(r#"toolmend_rules_total{{rule="{rule}",protocol="openai-chat",model="m"}} 1"#);
            assert!(metrics.contains(&counted), "{counted} is not in {metrics}");
        }
    }
}

/// A turn that says this text in pieces, and tells no call.
fn said(text: &str, dice: &mut Dice) -> String {
    let mut stream = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at((1 + dice.roll(9)).min(rest.len()));
        let piece = piece.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        stream.push_str(&format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{piece}\"}}}}]}}\n\n"
        ));
        rest = behind;
    }
    stream.push_str(
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
    );
    stream
}

#[tokio::test]
async fn calls_in_the_text_become_calls() {
    let mut dice = Dice(0xCA11);
    let call = "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"city\": \"Oslo\",}}\n</tool_call>";
    for (text, set) in [
        (call.to_owned(), Some(Promote::Marked)),
        (format!("I look.\n{call}"), Some(Promote::All)),
        // Nothing is made of it: promotion is off, the tool was not offered, it is an example.
        (call.to_owned(), None),
        (call.replace("look", "peek"), None),
        (format!("Write it like this:\n```\n{call}\n```\n"), None),
    ] {
        for _ in 0..4 {
            let stream = said(&text, &mut dice);
            let off = set.is_none() && text == call;
            let promote = set.unwrap_or(if off { Promote::Off } else { Promote::All });
            let (answer, metrics) =
                through(&stream, &mut dice, 100, |settings| settings.promote = promote).await;
            let mut recorder = Recorder::new();
            recorder.push(&answer.body).unwrap();
            let recorded = recorder.finish().unwrap();
            if set.is_none() {
                assert!(answer.text() == stream, "{text}: {}", answer.text());
                continue;
            }
            assert_eq!(recorded.calls.len(), 1, "{text}: {}", answer.text());
            assert_eq!(recorded.calls[0].name, "look");
            assert_eq!(recorded.calls[0].arguments, "{\"city\": \"Oslo\"}");
            assert_eq!(recorded.content.trim(), text.replace(call, "").trim());
            assert_eq!(recorded.finish.word(), Some("tool_calls"));
            // It is told with what made it.
            for counted in [
                r#"toolmend_calls_total{protocol="openai-chat",model="m",verdict="promoted",grade="punctuation"} 1"#,
                r#"toolmend_rules_total{rule="trailing-comma",protocol="openai-chat",model="m"} 1"#,
                r#"toolmend_promoted_total{mark="<tool_call>",protocol="openai-chat",model="m"} 1"#,
            ] {
                assert!(metrics.contains(counted), "{counted} is not in {metrics}");
            }
        }
    }
}

#[tokio::test]
async fn what_needs_nothing_or_is_not_certain_passes_byte_for_byte() {
    let mut dice = Dice(0xC0FFEE);
    for hold in Hold::ALL {
        for (pieces, verdict) in [
            (&["{\"city\":", " \"Oslo\"}"][..], "intact"),
            (&["{\"city\": \"Oslo\"}", " {\"city\": \"Nice\"}"], "declined"),
            (&["{\"city\":", " \"Os"], "declined"),
            (&["{\"town\":", " \"Oslo\"}"], "declined"),
            (&["no call at all"], "declined"),
        ] {
            let stream = turn(pieces, "tool_calls");
            let (answer, metrics) = through(&stream, &mut dice, 100, |settings| {
                settings.hold = *hold;
                settings.on_cut = OnCut::Pass;
            })
            .await;
            assert_eq!(answer.text(), stream, "{pieces:?}");
            let counted = format!(
                r#"toolmend_calls_total{{protocol="openai-chat",model="m",verdict="{verdict}",grade=""}} 1"#
            );
            assert!(metrics.contains(&counted), "{counted} is not in {metrics}");
        }
    }
}

/// Nor in what goes to the upstream, whatever else is asked for.
#[tokio::test]
async fn observing_changes_no_request() {
    let body = r#"{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"f"}}],"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1,}"}}]}]}"#;
    let (_upstream, gateway) = echoing(|settings| {
        settings.mode = Mode::Observe;
        settings.mend_history = true;
        settings.ask_usage = true;
    })
    .await;
    assert_eq!(gateway.ask(post("/v1/chat/completions", body)).await.text(), body);
    // What would have been done is told all the same.
    gateway.counts(r#"toolmend_history_total{became="mended"} 1"#).await;
}

/// What is said about the bytes of an answer still holds, so it stays.
#[tokio::test]
async fn observing_changes_no_field() {
    let body = "{\"choices\": []}";
    let upstream =
        Upstream::always(whole("200 OK", "content-type: application/json\r\netag: \"e\"\r\n", body)).await;
    for mode in Mode::ALL {
        let mut settings = Settings::new(format!("http://{}", upstream.address).parse().unwrap());
        settings.mode = *mode;
        let mending = Mending::new(&settings);
        let answer = Gateway::of(settings, mending).await.ask(request(9)).await;
        assert_eq!((answer.text(), answer.whole), (body, true));
        let kept = answer.field("etag").is_some() && answer.field("content-length").is_some();
        assert_eq!(kept, *mode == Mode::Observe, "{answer:?}");
    }
}

/// Calls in the text stay there, and are told as what they would become.
#[tokio::test]
async fn observing_tells_of_calls_in_the_text() {
    let mut dice = Dice(0x0B5);
    let call = "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"city\": \"Oslo\",}}\n</tool_call>";
    let stream = said(call, &mut dice);
    for (promote, told) in [(Promote::Marked, true), (Promote::Off, false)] {
        let (answer, metrics) = through(&stream, &mut dice, 100, |settings| {
            settings.mode = Mode::Observe;
            settings.promote = promote;
        })
        .await;
        assert_eq!(answer.text(), stream);
        assert_eq!(metrics.contains(r#"verdict="promoted",grade="punctuation"} 1"#), told, "{metrics}");
        assert!(!metrics.contains("toolmend_held_seconds_count 1"), "{metrics}");
    }
}

#[tokio::test]
async fn observing_changes_nothing() {
    let mut dice = Dice(7);
    let stream = turn(&["{\"city\": \"Oslo\",}"], "tool_calls");
    let (answer, metrics) = through(&stream, &mut dice, 100, |settings| settings.mode = Mode::Observe).await;
    assert_eq!(answer.text(), stream);
    assert!(metrics.contains(r#"verdict="mended",grade="punctuation"} 1"#), "{metrics}");
}

#[tokio::test]
async fn a_rule_that_is_switched_off_is_not_used() {
    let mut dice = Dice(11);
    let stream = turn(&["{\"city\": \"Oslo\",}"], "tool_calls");
    let without = |settings: &mut Settings| settings.without = vec![toolmend::Rule::TrailingComma];
    let (answer, metrics) = through(&stream, &mut dice, 100, without).await;
    assert_eq!(answer.text(), stream);
    assert!(metrics.contains(r#"verdict="declined",grade=""} 1"#), "{metrics}");
}

/// Neither is it for a call that stands in the text, which then stays there.
#[tokio::test]
async fn a_rule_that_is_switched_off_makes_no_call_of_text() {
    let mut dice = Dice(12);
    let call = |arguments: &str| {
        format!("<tool_call>\n{{\"name\": \"look\", \"arguments\": {arguments}}}\n</tool_call>")
    };
    let (broken, good) = (call("{\"city\": \"Oslo\",}"), call("{\"city\": \"Nice\"}"));
    let without = |settings: &mut Settings| settings.without = vec![toolmend::Rule::TrailingComma];
    let stream = said(&broken, &mut dice);
    let (answer, metrics) = through(&stream, &mut dice, 100, without).await;
    assert_eq!(answer.text(), stream);
    assert!(metrics.contains(r#"verdict="declined",grade=""} 1"#), "{metrics}");
    assert!(!metrics.contains("toolmend_rules_total{"), "{metrics}");
    assert!(!metrics.contains("toolmend_promoted_total{"), "{metrics}");
    // One beside it that needs no repair is made.
    let stream = said(&format!("{good}\n{broken}"), &mut dice);
    let (answer, _) = through(&stream, &mut dice, 100, without).await;
    let mut recorder = Recorder::new();
    recorder.push(&answer.body).unwrap();
    let recorded = recorder.finish().unwrap();
    assert_eq!(recorded.calls.len(), 1, "{}", answer.text());
    assert_eq!(recorded.calls[0].arguments, "{\"city\": \"Nice\"}");
    assert_eq!(recorded.content.trim(), broken);
}

#[tokio::test]
async fn a_policy_bounds_what_is_repaired() {
    let mut dice = Dice(13);
    let stream = turn(&["{'city': 'Oslo'}"], "tool_calls");
    let strict = |settings: &mut Settings| settings.policy = toolmend::Policy::STRICT;
    let (answer, _) = through(&stream, &mut dice, 100, strict).await;
    assert_eq!(answer.text(), stream);
}

/// The turn used up its tokens, so the call was cut, whatever the server says.
#[tokio::test]
async fn a_finish_reason_that_hides_a_cut() {
    let mut dice = Dice(17);
    let stream = turn(&["{\"city\": \"Os"], "tool_calls");
    for (on_cut, finish) in [(OnCut::Pass, "tool_calls"), (OnCut::Relabel, "length")] {
        let (answer, _) = through(&stream, &mut dice, 9, |settings| settings.on_cut = on_cut).await;
        assert_eq!(read(&answer), ("{\"city\": \"Os".to_owned(), finish.to_owned()), "{}", answer.text());
    }
}

/// What reaches the client is no call, and says that the turn was cut.
#[tokio::test]
async fn a_cut_call_that_is_withheld() {
    let mut dice = Dice(19);
    let stream = turn(&["{\"city\": \"Os"], "tool_calls");
    let withhold = |settings: &mut Settings| settings.on_cut = OnCut::Withhold;
    let (answer, metrics) = through(&stream, &mut dice, 9, withhold).await;
    let mut recorder = Recorder::new();
    recorder.push(&answer.body).unwrap();
    let recorded = recorder.finish().unwrap();
    assert!(recorded.calls.is_empty(), "{}", answer.text());
    assert!(
        recorded.content.starts_with("I look.[a call of the tool look was cut off"),
        "{}",
        recorded.content
    );
    assert_eq!(recorded.finish.word(), Some("length"));
    let counted = r#"toolmend_calls_total{protocol="openai-chat",model="m",verdict="withheld",grade=""} 1"#;
    assert!(metrics.contains(counted), "{metrics}");
}

/// A call that is longer than it may be passes as it came.
#[tokio::test]
async fn a_call_that_is_too_long_to_be_held() {
    let mut dice = Dice(23);
    let city = "x".repeat(400);
    for (limit, verdict) in [(500, "mended"), (300, "")] {
        let stream = turn(&[&format!("{{\"city\": \"{city}\",}}")], "tool_calls");
        let set = |settings: &mut Settings| settings.limits.held_call_bytes = limit;
        let (answer, metrics) = through(&stream, &mut dice, 100, set).await;
        let caps = r#"toolmend_caps_total{why="held-call"} 1"#;
        assert_eq!(
            (answer.text() == stream, metrics.contains(caps)),
            (verdict.is_empty(), verdict.is_empty())
        );
        assert_eq!(metrics.contains(r#"verdict="mended""#), verdict == "mended");
    }
}

#[tokio::test]
async fn a_turn_that_is_not_streamed() {
    let body = |arguments: &str| {
        format!(
            "{{\"id\": \"x\", \"choices\": [{{\"index\": 0, \"message\": {{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{{\"id\": \"c\", \"type\": \"function\", \"function\": {{\"name\": \"look\", \"arguments\": \"{arguments}\"}}}}]}}, \"finish_reason\": \"tool_calls\"}}]}}\n"
        )
    };
    let (broken, mended) = (r#"{\"city\": \"Oslo\",}"#, r#"{\"city\": \"Oslo\"}"#);
    let upstream =
        Upstream::always(whole("200 OK", "content-type: application/json\r\n", &body(broken))).await;
    let settings = Settings::new(format!("http://{}", upstream.address).parse().unwrap());
    let mending = Mending::new(&settings);
    let gateway = Gateway::of(settings, mending).await;
    let answer = gateway.ask(request(100).replace("\"stream\":true", "\"stream\":null")).await;
    assert_eq!((answer.status(), answer.text()), (200, body(mended).as_str()));
}

/// The end of an answer whose length is said is seen, however much comes with it: nobody asks for more behind it.
#[tokio::test]
async fn observing_sees_the_end() {
    for (length, held) in [(100, 1 << 20), (9000, 1 << 20), (9000, 10), (60_000, 1 << 20)] {
        let body = format!(
            "{{\"choices\": [{{\"index\": 0, \"message\": {{\"role\": \"assistant\", \"content\": \"{}\", \"tool_calls\": [{{\"id\": \"c\", \"type\": \"function\", \"function\": {{\"name\": \"look\", \"arguments\": \"{{\\\"city\\\": \\\"Oslo\\\",}}\"}}}}]}}, \"finish_reason\": \"tool_calls\"}}]}}",
            "x".repeat(length)
        );
        let upstream = Upstream::always(whole("200 OK", "content-type: application/json\r\n", &body)).await;
        let mut settings = Settings::new(format!("http://{}", upstream.address).parse().unwrap());
        settings.mode = Mode::Observe;
        settings.limits.held_turn_bytes = held;
        let mending = Mending::new(&settings);
        let gateway = Gateway::of(settings, mending).await;
        let answer = gateway.ask(request(100).replace("\"stream\":true", "\"stream\":null")).await;
        assert_eq!((answer.text(), answer.whole), (body.as_str(), true));
        let metrics = gateway.metrics().await;
        assert!(!metrics.contains("passed=\"left\""), "{length}: {metrics}");
        let told = metrics.contains(r#"verdict="mended",grade="punctuation"} 1"#);
        assert_eq!(told, held > length, "{length}: {metrics}");
    }
}

/// Nor does it keep anything waiting, whether it reads the text or not.
#[tokio::test]
async fn observing_holds_nothing() {
    for promote in [Promote::Marked, Promote::Off] {
        let (upstream, say, _went) =
            scripted("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\n\r\n").await;
        let mut settings = Settings::new(format!("http://{}", upstream.address).parse().unwrap());
        settings.mode = Mode::Observe;
        settings.promote = promote;
        let mending = Mending::new(&settings);
        let gateway = Gateway::of(settings, mending).await;
        let mut wire = Wire::connect(gateway.address).await;
        wire.write(request(100).replace("\"stream\":true", "\"stream\":null")).await;
        wire.head().await.unwrap();
        say.send(b"{\"choices\"".to_vec()).unwrap();
        assert_eq!(wire.read().await, b"{\"choices\"");
        say.send(b": []}".to_vec()).unwrap();
        assert_eq!(wire.read().await, b": []}");
    }
}

/// A gateway that mends, in front of an upstream that says back what it was asked.
async fn echoing(set: impl FnOnce(&mut Settings)) -> (Upstream, Gateway) {
    let upstream = Upstream::new(|request, mut wire| async move {
        assert_eq!(request.field("content-length"), Some(request.body.len().to_string().as_str()));
        wire.write(whole("200 OK", "content-type: text/plain\r\n", request.text())).await;
        Some(wire)
    })
    .await;
    let mut settings = Settings::new(format!("http://{}", upstream.address).parse().unwrap());
    set(&mut settings);
    let mending = Mending::new(&settings);
    (upstream, Gateway::of(settings, mending).await)
}

#[tokio::test]
async fn history_is_mended_where_it_is_asked_for() {
    let broken = r#"{ "messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1,}"}}]}, {"role":"tool","tool_call_id":"c","content":"x"}] }"#;
    let mended = broken.replace(r#"1,}"#, "1}");
    for (asked, arrives) in [(true, mended.as_str()), (false, broken)] {
        let (_upstream, gateway) = echoing(|settings| settings.mend_history = asked).await;
        assert_eq!(gateway.ask(post("/v1/chat/completions", broken)).await.text(), arrives);
        assert_eq!(gateway.ask(post("/v1/chat/completions", &mended)).await.text(), mended);
        let counted = gateway.metrics().await.contains(r#"toolmend_history_total{became="mended"} 1"#);
        assert_eq!(counted, asked);
    }
}

#[tokio::test]
async fn usage_is_asked_for_and_kept_from_the_client() {
    let usage = "data: {\"choices\":[],\"usage\":{\"completion_tokens\":9}}\n\n";
    let stream = |usage: &str| {
        turn(&["{\"city\": \"Os"], "length").replace("data: [DONE]", &format!("{usage}data: [DONE]"))
    };
    let with = stream(usage);
    let upstream = Upstream::new(move |request, mut wire| {
        let stream = if request.text().contains("include_usage") { with.clone() } else { stream("") };
        async move {
            wire.write(cut(&stream, &mut Dice(23))).await;
            Some(wire)
        }
    })
    .await;
    let mut settings = Settings::new(format!("http://{}", upstream.address).parse().unwrap());
    settings.ask_usage = true;
    let mending = Mending::new(&settings);
    let gateway = Gateway::of(settings, mending).await;
    assert_eq!(gateway.ask(request(100)).await.text(), stream(""));
    // A client that asks itself gets what it asked for.
    let body = request(100).split_once("\r\n\r\n").unwrap().1.replacen(
        '{',
        "{\"stream_options\":{\"include_usage\":true},",
        1,
    );
    assert_eq!(gateway.ask(post("/v1/chat/completions", &body)).await.text(), stream(usage));
}

#[tokio::test]
async fn faulty_turns_are_recorded() {
    let folder =
        std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("record-{}", std::process::id()));
    let mut dice = Dice(29);
    let record = |settings: &mut Settings| settings.record = Some(folder.clone());
    let (broken, good) =
        (turn(&["{\"city\": \"Oslo\",}"], "tool_calls"), turn(&["{\"city\": \"Oslo\"}"], "stop"));
    through(&good, &mut dice, 100, record).await;
    through(&broken, &mut dice, 100, record).await;
    let mut files = Vec::new();
    within(async {
        while files.len() < 2 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        }
    })
    .await;
    files.sort();
    let kinds: Vec<_> = files.iter().filter_map(|file| file.extension()?.to_str()).collect();
    assert_eq!(kinds, ["jsonl", "turn"]);
    // The files are made one after the other, and each at once.
    within(async {
        while std::fs::read_to_string(&files[0]).unwrap().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
    assert_eq!(std::fs::read_to_string(&files[1]).unwrap(), broken);
    let call = r#"{"id":"c1","arguments":"{\"city\": \"Oslo\",}","model":"m","finish_reason":"stop","tool":"#;
    let lines = std::fs::read_to_string(&files[0]).unwrap();
    assert_eq!(lines, format!("{call}{}}}\n", TOOL.replace('\n', " ")));
    std::fs::remove_dir_all(folder).unwrap();
}

/// The copy of a turn that is to be recorded gives way to repairs, and not the other way round.
#[tokio::test]
async fn a_recording_costs_no_repair() {
    let folder =
        std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("starved-{}", std::process::id()));
    let mut dice = Dice(31);
    let text = |piece: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{piece}\"}}}}]}}\n\n")
    };
    let stream = [text(&"x".repeat(900)).repeat(10), turn(&["{\"city\": \"Oslo\",}"], "tool_calls")].concat();
    let (answer, metrics) = through(&stream, &mut dice, 100, |settings| {
        settings.record = Some(folder.clone());
        // Room for the one or the other.
        settings.limits.held_bytes = stream.len() + 10;
    })
    .await;
    assert!(metrics.contains(r#"verdict="mended",grade="punctuation"} 1"#), "{metrics}");
    assert!(!metrics.contains("toolmend_caps_total{"), "{metrics}");
    assert_ne!(answer.text(), stream);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    std::fs::remove_dir_all(folder).unwrap();
}
