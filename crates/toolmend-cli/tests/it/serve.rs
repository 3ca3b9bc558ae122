//! `serve`, run as a user runs it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr};

use super::{Ran, command, scratch, toolmend};

/// A gateway that runs, and what it has still to say.
struct Serving {
    child: Child,
    said: BufReader<ChildStderr>,
    address: String,
}

/// Starts one on a free port.
fn serving(args: &[&str]) -> Serving {
    serving_at("127.0.0.1:0", args)
}

fn serving_at(listen: &str, args: &[&str]) -> Serving {
    let mut child = command(&[&["serve", "--listen", listen], args].concat()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("ANTHROPIC_BASE_URL=") {
        line.clear();
        assert_ne!(said.read_line(&mut line).unwrap(), 0, "it ended before it said where it listens");
    }
    let address = line.trim().rsplit("http://").next().unwrap().to_owned();
    Serving { child, said, address }
}

impl Serving {
    fn ask(&self, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The lines that it says about a turn.
    fn line(&mut self, begins: &str) -> String {
        let mut line = String::new();
        while !line.starts_with(begins) {
            line.clear();
            assert_ne!(self.said.read_line(&mut line).unwrap(), 0, "it never said {begins}");
        }
        line.trim_end().to_owned()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const CHAT: &str = r#"{"messages":[],"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","required":["city"],"properties":{"city":{"type":"string"},"days":{"type":"integer"}}}}}]}"#;

#[test]
fn the_demo_is_mended_and_told() {
    let mut serving = serving(&[]);
    let answer = serving.ask("/v1/chat/completions", CHAT);
    assert!(answer.contains(r#""arguments":"{\"city\": \"Oslo\", \"days\": 3}""#), "{answer}");
    let told = "mended: get_weather: code-fence,trailing-comma punctuation complete 40→27 bytes";
    assert_eq!(serving.line("mended"), told);
    // A turn in which the tool is not offered gets a hint.
    assert!(serving.ask("/v1/chat/completions", r#"{"messages":[]}"#).contains("Offer a tool"));
}

#[test]
fn the_log_for_machines() {
    let mut serving = serving(&["--log-format", "json", "--log-bodies"]);
    serving.ask("/v1/chat/completions", CHAT);
    let line = serving.line("{");
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    for (key, value) in [
        ("tool", "get_weather"),
        ("protocol", "openai-chat"),
        ("rules", "code-fence,trailing-comma"),
        ("grade", "punctuation"),
        ("ending", "complete"),
        ("edits", "code-fence 0..8, trailing-comma 34..35, code-fence 36..40"),
        ("clues", "finish-stop"),
        ("output", "{\"city\": \"Oslo\", \"days\": 3}"),
    ] {
        assert_eq!(line[key], value, "{line}");
    }
}

#[test]
fn without_being_asked_no_body_is_logged() {
    let mut serving = serving(&["--log-format", "json"]);
    serving.ask("/v1/chat/completions", CHAT);
    let line = serving.line("{");
    assert!(!line.contains("Oslo"), "{line}");
}

#[test]
fn a_rule_that_is_switched_off_is_named() {
    let mut serving = serving(&["--without", "trailing-comma"]);
    serving.ask("/v1/chat/completions", CHAT);
    let told = "declined: get_weather: it needs the rule trailing-comma, which is switched off, at byte 0";
    assert_eq!(serving.line("declined"), told);
}

#[test]
fn a_limit_that_is_reached_is_named() {
    let mut serving = serving(&["--max-held-call-bytes", "10"]);
    serving.ask("/v1/chat/completions", &CHAT.replace("{\"messages\"", "{\"model\":\"m\",\"messages\""));
    let told = "warn: the rest of the turn passes untouched: one call is longer than max-held-call-bytes; m over openai-chat";
    assert_eq!(serving.line("warn"), told);
    for (limit, told) in [
        (
            ["--max-request-bytes", "10"],
            "warn: a turn passes untouched: its request is longer than max-request-bytes; over openai-chat",
        ),
        (
            ["--max-held-bytes", "10"],
            "warn: a turn passes untouched: more of all turns would be held than max-held-bytes; over openai-chat",
        ),
    ] {
        let mut serving = self::serving(&limit);
        serving.ask("/v1/chat/completions", CHAT);
        assert_eq!(serving.line("warn"), told);
    }
}

#[cfg(unix)]
#[test]
fn it_ends_when_it_is_told_to() {
    for signal in ["-TERM", "-INT"] {
        let mut serving = serving(&[]);
        let told =
            std::process::Command::new("kill").arg(signal).arg(serving.child.id().to_string()).status();
        assert!(told.unwrap().success());
        assert_eq!(serving.child.wait().unwrap().code(), Some(0));
    }
}

/// The first signal lets open requests end, the second does not.
#[cfg(unix)]
#[test]
fn a_second_signal_ends_it_at_once() {
    let mut serving = serving(&["--drain-timeout", "600", "--threads", "1"]);
    let signal = |serving: &Serving| {
        let told =
            std::process::Command::new("kill").arg("-INT").arg(serving.child.id().to_string()).status();
        assert!(told.unwrap().success());
    };
    let mut open = TcpStream::connect(&serving.address).unwrap();
    // One thread takes what comes in its order, so this one has come when a later one was answered.
    write!(open, "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{{").unwrap();
    serving.ask("/v1/chat/completions", CHAT);
    signal(&serving);
    assert!(serving.line("draining").starts_with("draining, up to 600 s: "));
    assert!(serving.child.try_wait().unwrap().is_none(), "it does not wait for the request");
    signal(&serving);
    serving.line("ended at once");
    assert_eq!(serving.child.wait().unwrap().code(), Some(0));
}

#[test]
fn settings_come_from_flags_then_the_environment_then_the_file() {
    let file = scratch("serve.toml");
    std::fs::write(
        &file,
        "hold = \"deviation\"\nmode = \"observe\"\nkeep-alive = 3\nwithout = [\"prose\"]\n",
    )
    .unwrap();
    let mut command = command(&["serve", "--print-config", "--mode", "mend", "--config"]);
    let ran = command
        .arg(&file)
        .env("TOOLMEND_MODE", "observe")
        .env("TOOLMEND_KEEP_ALIVE", "7")
        .env("TOOLMEND_TOKEN", "s3cret");
    let ran = ran.output().unwrap();
    let printed = String::from_utf8(ran.stdout).unwrap();
    for line in [
        "mode = \"mend\"",
        "keep-alive = 7",
        "hold = \"deviation\"",
        "without = [\"prose\"]",
        "idle-timeout = 600",
    ] {
        assert!(printed.lines().any(|l| l == line), "{line} is not in\n{printed}");
    }
    assert!(!printed.contains("s3cret"));
    // What it prints says the same again.
    let again = scratch("serve-again.toml");
    std::fs::write(&again, &printed).unwrap();
    let ran = toolmend(&["serve", "--print-config", "--config", again.to_str().unwrap()], "");
    assert_eq!(ran.out, printed.replace("# token is given, and not shown", "# token ="));
}

/// Who listens everywhere is told where to connect to, and that everybody may.
#[test]
fn listening_everywhere() {
    for (args, warns) in [(&[][..], true), (&["--token", "s3cret", "--admin", "0.0.0.0:0"], false)] {
        let mut serving = serving_at("0.0.0.0:0", args);
        assert!(serving.address.starts_with("127.0.0.1:"), "{}", serving.address);
        serving.line("from another machine");
        if !warns {
            assert!(serving.line("health").contains(": http://127.0.0.1:"));
        }
        if warns {
            let port = serving.address.rsplit(':').next().unwrap().to_owned();
            let warning = serving.line("warning: ");
            assert!(warning.contains(&format!("whoever reaches 0.0.0.0:{port} is served")), "{warning}");
        } else {
            let _ = serving.child.kill();
            let mut rest = String::new();
            serving.said.read_to_string(&mut rest).unwrap();
            assert!(!rest.contains("warning"), "{rest}");
        }
    }
}

#[test]
fn a_variable_that_nothing_reads() {
    for (name, says) in [
        (
            "TOOLMEND_TOKNE",
            Some("TOOLMEND_TOKNE is set, and no setting reads it; did you mean TOOLMEND_TOKEN?"),
        ),
        ("TOOLMEND_XYZZY", Some("`toolmend serve --help` lists those that are read")),
        // Those of our own scripts, and those that Kubernetes makes.
        ("TOOLMEND_CHECK_ALONE", None),
        ("TOOLMEND_SERVICE_HOST", None),
        ("TOOLMEND_PORT", None),
        ("TOOLMEND_PORT_8080_TCP", None),
        ("TOOLMEND_ADMIN_SERVICE_HOST", None),
        ("TOOLMEND_ADMIN_SERVICE_PORT", None),
        ("TOOLMEND_ADMIN_SERVICE_PORT_HTTP", None),
        ("TOOLMEND_ADMIN_PORT", None),
        ("TOOLMEND_GATEWAY_PORT_8080_TCP_ADDR", None),
        ("TOOLMEND_PORT_PORT_8080_TCP", None),
        ("TOOLMEND_PORT_HTTP", Some("no setting reads it")),
        ("TOOLMENDER", None),
    ] {
        let ran = command(&["serve", "--print-config"]).env(name, "s3cret").output().unwrap();
        let err = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(if says.is_some() { 2 } else { 0 }), "{name}: {err}");
        assert!(err.contains(says.unwrap_or("")) && !err.contains("s3cret"), "{name}: {err}");
    }
}

#[test]
fn the_help_tells_what_holds_by_itself_and_what_goes_first() {
    let Ran { code, out, .. } = toolmend(&["serve", "--help"], "");
    assert_eq!(code, Some(0));
    let help = out.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in [
        "Where clients connect; :8080 is port 8080 of this machine alone [default: 127.0.0.1:8080]",
        "[default: call]",
        "[default: standard]",
        "an answer as a whole has no limit [default: 600]",
        "a longer one passes untouched [default: 33554432]",
        "A flag goes before its variable TOOLMEND_*, and that before the file",
    ] {
        assert!(help.contains(says), "{says} is not in\n{out}");
    }
}

#[test]
fn the_most_header_fields_can_be_served() {
    let serving = serving(&["--max-headers", "16384"]);
    assert!(serving.ask("/v1/chat/completions", CHAT).starts_with("HTTP/1.1 200 OK"));
}

#[test]
fn what_cannot_be_served() {
    let nowhere = scratch("no-settings.toml");
    let unknown = scratch("unknown.toml");
    std::fs::write(&unknown, "hold = \"call\"\nhodl = \"call\"\n").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let used = taken.local_addr().unwrap().to_string();
    for (args, says) in [
        (&["--upstream", "127.0.0.1:8000"][..], "upstream is \"127.0.0.1:8000\", and must be a URL"),
        (&["--listen", "8080"], "listen is \"8080\", and must be an address and a port"),
        (&["--hold", "never"], "hold is \"never\", and must be call or deviation"),
        (&["--policy", "bold"], "policy is \"bold\", and must be strict, standard or inspect"),
        (&["--reissue", "2"], "reissue is \"2\", and must be 0 or 1"),
        (&["--without", "trailing-coma"], "did you mean trailing-comma"),
        (&["--tls-cert", "x.pem"], "tls-cert is \"x.pem\", and must be given together with tls-key"),
        (&["--max-headers", "0"], "max-headers is \"0\", and must be a number from 1 to 16384"),
        (&["--max-headers", "18446744073709551615"], "and must be a number from 1 to 16384"),
        (&["--max-header-bytes", "18446744073709551615"], "max-header-bytes is"),
        (&["--max-held-bytes", "18446744073709551615"], "max-held-bytes is"),
        (&["--max-connections", "18446744073709551615"], "max-connections is"),
        (&["--idle-timeout", "18446744073709551615"], "must be a number from 1 to 31536000"),
        (&["--token", ""], "the token is empty"),
        (&["--token", " s3cret"], "the token begins or ends with white space"),
        (&["--token", "s3cret\n"], "the token begins or ends with white space"),
        (&["--token", "s3\u{1}cret"], "the token holds a control character"),
        (&["--token", "", "--print-config"], "the token is empty"),
        (&["--threads", "0"], "threads is \"0\", and must be a number from 1 to 1024"),
        (&["--on-cut", "close"], "on-cut is \"close\", and must be pass, relabel or withhold"),
        (&["--config", nowhere.to_str().unwrap()], "there is no file"),
        (&["--config", unknown.to_str().unwrap()], "unknown field `hodl`"),
        (&["--upstream-ca", "nowhere.pem"], "nowhere.pem cannot be used"),
        (&["--upstream-ca", "nowhere.pem"], "; --upstream-ca must name a file in the PEM format"),
        (&["--tls-cert", "no.pem", "--tls-key", "no.pem"], "; --tls-cert must name a file in the PEM format"),
        (
            &["--listen", "127.0.0.1:0", "--admin", &used],
            "is in use by another program; give --admin another port",
        ),
        (&["--listen", &used], "is in use by another program; give --listen another port"),
        (&["--record", "Cargo.toml"], "Cargo.toml is no folder; --record must name one, or one to be made"),
        (&["--record", "Cargo.toml/in"], "Cargo.toml/in is no folder; --record must name one"),
        (&["--listen", "203.0.113.1:1"], "203.0.113.1:1 cannot be listened on"),
    ] {
        let Ran { code, out, err } = toolmend(&[&["serve"], args].concat(), "");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}");
        assert!(err.contains(says), "{args:?}: {err}");
        assert!(!err.contains("cret"), "a token is told: {err}");
    }
}

#[test]
fn settings_from_standard_input() {
    let Ran { code, out, err } =
        toolmend(&["serve", "--print-config", "--config", "-"], "hold = \"deviation\"\n");
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("hold = \"deviation\""), "{out}");
}

/// A variable that is set to nothing does not turn off what the file asks for.
#[test]
fn an_empty_token_in_the_environment() {
    let file = scratch("token.toml");
    std::fs::write(&file, "token = \"s3cret\"\n").unwrap();
    let ran = command(&["serve", "--print-config", "--config"])
        .arg(&file)
        .env("TOOLMEND_TOKEN", "")
        .output()
        .unwrap();
    let err = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(2), "{err}");
    assert!(err.contains("the token is empty"), "{err}");
}
