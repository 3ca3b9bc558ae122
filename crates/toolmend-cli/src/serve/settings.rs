//! The settings of `serve`: one table for flags, environment and file.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::Args;
use serde::Deserialize;
use toolmend_gateway::Limits;

use crate::failure::Failure;

/// The longest header section that may be allowed, in bytes.
const MOST_HEADER_BYTES: u64 = 64 << 20;
/// The most bytes that any other limit may allow.
const MOST_BYTES: u64 = 1 << 40;
/// The most of anything else that a limit may allow.
const MOST: u64 = 1_000_000_000;
/// The longest wait, in seconds: a year.
const MOST_SECONDS: u64 = 31_536_000;

/// What a setting looks like in a TOML file.
trait Shown {
    fn shown(&self) -> String;
}

impl Shown for String {
    fn shown(&self) -> String {
        // A basic string of TOML takes what a string of JSON does.
        serde_json::Value::from(self.as_str()).to_string()
    }
}

impl Shown for u64 {
    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Shown for bool {
    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Shown for Vec<String> {
    fn shown(&self) -> String {
        format!("[{}]", self.iter().map(Shown::shown).collect::<Vec<_>>().join(", "))
    }
}

/// What a setting is for, and what it is where nobody gives it.
fn told<T: Shown>(help: &str, default: Option<T>) -> String {
    match default {
        Some(value) => format!("{help} [default: {}]", value.shown().trim_matches('"')),
        None => help.to_owned(),
    }
}

macro_rules! settings {
    ($($help:literal $field:ident: $type:ty $([$($arg:tt)*])?, $env:literal, $value:literal, $default:expr
        $(, $limit:ident: $kind:ident($bounds:expr))?;)*) => {
        /// Every setting, where it was given. The same table for flags, `TOOLMEND_*` and the file.
        #[derive(Debug, Clone, Default, Args, Deserialize)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
        pub(crate) struct Given {
            $(
                #[doc = $help]
                #[arg(long, help = told::<$type>($help, $default), env = $env, value_name = $value, hide_env_values = true $(, $($arg)*)?)]
                pub(crate) $field: Option<$type>,
            )*
        }

        impl Given {
            /// The variables that settings are read from.
            pub(crate) const VARIABLES: &[&str] = &[$($env,)*];

            /// What is not given here is taken from `other`.
            pub(crate) fn or(self, other: Given) -> Given {
                Given { $($field: self.$field.or(other.$field),)* }
            }

            /// What holds where nothing is given.
            pub(crate) fn defaults() -> Given {
                Given { $($field: $default,)* }
            }

            /// What it takes, holds and waits.
            pub(crate) fn limits(&self) -> Result<Limits, Failure> {
                let mut limits = Limits::default();
                $($(
                    if let Some(value) = self.$field {
                        limits.$limit = $kind(stringify!($field), value, $bounds)?;
                    }
                )?)*
                Ok(limits)
            }

            /// As a file that says the same; the token is left out.
            pub(crate) fn file(&self) -> String {
                let mut file = String::new();
                $(
                    file.push_str(concat!("# ", $help, "\n"));
                    let key = stringify!($field).replace('_', "-");
                    match &self.$field {
                        Some(_) if key == "token" => file.push_str("# token is given, and not shown\n"),
                        Some(value) => file.push_str(&format!("{key} = {}\n", value.shown())),
                        None => file.push_str(&format!("# {key} =\n")),
                    }
                )*
                file
            }
        }
    };
}

/// A setting that counts something.
fn count(key: &'static str, value: u64, bounds: RangeInclusive<u64>) -> Result<usize, Failure> {
    let count = usize::try_from(value).ok().filter(|_| bounds.contains(&value));
    count.ok_or_else(|| beyond(key, value, &bounds))
}

/// A setting in seconds.
fn time(key: &'static str, value: u64, bounds: RangeInclusive<u64>) -> Result<Duration, Failure> {
    if bounds.contains(&value) { Ok(Duration::from_secs(value)) } else { Err(beyond(key, value, &bounds)) }
}

fn beyond(key: &'static str, value: u64, bounds: &RangeInclusive<u64>) -> Failure {
    let wants = format!("a number from {} to {}", bounds.start(), bounds.end());
    Failure::Setting { key, value: value.to_string(), wants }
}

fn seconds(seconds: u64) -> Option<u64> {
    Some(seconds)
}

fn bytes(bytes: usize) -> Option<u64> {
    u64::try_from(bytes).ok()
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

use toolmend_gateway as g;

settings! {
    "The model server, as http://host:port or https://host/v1; without it, a built-in demo"
    upstream: String, "TOOLMEND_UPSTREAM", "URL", None;
    "Where clients connect; :8080 is port 8080 of this machine alone"
    listen: String, "TOOLMEND_LISTEN", "ADDRESS", text("127.0.0.1:8080");
    "The model, for the marks that its family leaks; without it, the one that a request names"
    model: String, "TOOLMEND_MODEL", "NAME", None;
    "mend, or observe: change nothing and tell what would be done"
    mode: String, "TOOLMEND_MODE", "MODE", text("mend");
    "call: hold a call until it is settled; deviation: let it stream until it departs from JSON"
    hold: String, "TOOLMEND_HOLD", "HOLD", text("call");
    "The riskiest repair to accept: strict, standard or inspect"
    policy: String, "TOOLMEND_POLICY", "POLICY", text("standard");
    "Rules that are not to be used; `toolmend rules` lists them"
    without: Vec<String> [value_delimiter = ','], "TOOLMEND_WITHOUT", "RULE", None;
    "What becomes of a call that was cut: pass (as it came), relabel (with the true finish reason) or withhold (a notice in its place)"
    on_cut: String, "TOOLMEND_ON_CUT", "WHAT", text("relabel");
    "Which calls in the text of an answer become calls: off, marked or all"
    promote: String, "TOOLMEND_PROMOTE", "WHICH", text("marked");
    "Mend broken arguments in the past calls that clients send back"
    mend_history: bool [num_args = 0..=1, default_missing_value = "true", require_equals = true], "TOOLMEND_MEND_HISTORY", "BOOL", Some(false);
    "Ask the upstream for token counts where a client did not, and keep them from it"
    ask_usage: bool [num_args = 0..=1, default_missing_value = "true", require_equals = true], "TOOLMEND_ASK_USAGE", "BOOL", Some(false);
    "How often to ask once more for a call that was declined: 0 or 1"
    reissue: u64, "TOOLMEND_REISSUE", "N", Some(0);
    "Certificates (PEM) to trust the upstream by, beside the machine's own"
    upstream_ca: String, "TOOLMEND_UPSTREAM_CA", "FILE", None;
    "The certificate chain (PEM) with which clients are served over TLS"
    tls_cert: String, "TOOLMEND_TLS_CERT", "FILE", None;
    "The key (PEM) to that certificate"
    tls_key: String, "TOOLMEND_TLS_KEY", "FILE", None;
    "A bearer token that clients have to show; better given as TOOLMEND_TOKEN"
    token: String, "TOOLMEND_TOKEN", "TOKEN", None;
    "Where /-/health, /-/ready and /-/metrics are served"
    admin: String, "TOOLMEND_ADMIN", "ADDRESS", None;
    "Threads that serve; without it, one for each processor"
    threads: u64, "TOOLMEND_THREADS", "N", None;
    "How logs are written: text or json"
    log_format: String, "TOOLMEND_LOG_FORMAT", "FORMAT", text("text");
    "What is logged: off, error, warn, info or debug"
    log_level: String, "TOOLMEND_LOG_LEVEL", "LEVEL", text("info");
    "Put the arguments of mended and declined calls into the log"
    log_bodies: bool [num_args = 0..=1, default_missing_value = "true", require_equals = true], "TOOLMEND_LOG_BODIES", "BOOL", Some(false);
    "Keep faulty turns in this folder, as files for `toolmend repair` (.turn) and `toolmend batch` (.jsonl)"
    record: String, "TOOLMEND_RECORD", "DIR", None;
    "Most turns that are kept there; the oldest gives way"
    max_recorded: u64, "TOOLMEND_MAX_RECORDED", "N", bytes(g::MAX_RECORDED), recorded: count(1..=MOST);
    "Most bytes that are kept there; the oldest turn gives way"
    max_recorded_bytes: u64, "TOOLMEND_MAX_RECORDED_BYTES", "BYTES", bytes(g::MAX_RECORDED_BYTES), recorded_bytes: count(1..=MOST_BYTES);
    "Most header fields of a message"
    max_headers: u64, "TOOLMEND_MAX_HEADERS", "N", bytes(g::MAX_HEADERS), headers: count(1..=g::MOST_HEADERS as u64);
    "Most bytes of a message's header section"
    max_header_bytes: u64, "TOOLMEND_MAX_HEADER_BYTES", "BYTES", bytes(g::MAX_HEADER_BYTES), header_bytes: count(1..=MOST_HEADER_BYTES);
    "Most bytes of a request that is looked into; a longer one passes untouched"
    max_request_bytes: u64, "TOOLMEND_MAX_REQUEST_BYTES", "BYTES", bytes(g::MAX_REQUEST_BYTES), request_bytes: count(1..=MOST_BYTES);
    "Most bytes that are held of one call"
    max_held_call_bytes: u64, "TOOLMEND_MAX_HELD_CALL_BYTES", "BYTES", bytes(g::MAX_HELD_CALL_BYTES), held_call_bytes: count(0..=MOST_BYTES);
    "Most bytes that are held of one turn"
    max_held_turn_bytes: u64, "TOOLMEND_MAX_HELD_TURN_BYTES", "BYTES", bytes(g::MAX_HELD_TURN_BYTES), held_turn_bytes: count(0..=MOST_BYTES);
    "Most bytes that are held of all turns, and kept of requests until they are answered"
    max_held_bytes: u64, "TOOLMEND_MAX_HELD_BYTES", "BYTES", bytes(g::MAX_HELD_TOTAL_BYTES), held_bytes: count(1..=MOST_BYTES);
    "Most turns that are looked into at the same time; one more passes untouched"
    max_open_turns: u64, "TOOLMEND_MAX_OPEN_TURNS", "N", bytes(g::MAX_OPEN_TURNS), open_turns: count(1..=MOST);
    "Most connections of clients; one more waits"
    max_connections: u64, "TOOLMEND_MAX_CONNECTIONS", "N", bytes(g::MAX_CONNECTIONS), connections: count(1..=MOST);
    "Seconds for a connection to the upstream to stand"
    connect_timeout: u64, "TOOLMEND_CONNECT_TIMEOUT", "SECONDS", seconds(g::CONNECT_SECONDS), connect: time(1..=MOST_SECONDS);
    "Seconds for a client's handshake, and for the header section of its next request"
    header_timeout: u64, "TOOLMEND_HEADER_TIMEOUT", "SECONDS", seconds(g::HEADER_READ_SECONDS), header_read: time(1..=MOST_SECONDS);
    "Seconds without a byte after which the other side counts as gone; an answer as a whole has no limit"
    idle_timeout: u64, "TOOLMEND_IDLE_TIMEOUT", "SECONDS", seconds(g::IDLE_SECONDS), idle: time(1..=MOST_SECONDS);
    "Seconds for open requests to end after SIGTERM"
    drain_timeout: u64, "TOOLMEND_DRAIN_TIMEOUT", "SECONDS", seconds(g::DRAIN_SECONDS), drain: time(0..=MOST_SECONDS);
    "Seconds for the answer to a turn that is asked for once more"
    reissue_timeout: u64, "TOOLMEND_REISSUE_TIMEOUT", "SECONDS", seconds(g::REISSUE_SECONDS), reissue: time(1..=MOST_SECONDS);
    "Seconds between two signs of life while a call is held"
    keep_alive: u64, "TOOLMEND_KEEP_ALIVE", "SECONDS", seconds(g::KEEP_ALIVE_SECONDS), keep_alive: time(1..=MOST_SECONDS);
}
