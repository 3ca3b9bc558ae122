//! From settings as they are written to settings that can be used.

use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;

use toolmend::formats::Promote;
use toolmend::{Policy, Rule};
use toolmend_gateway::{Hold, Mode, OnCut, Settings, Upstream};
use tracing::level_filters::LevelFilter;

use crate::explain;
use crate::failure::Failure;
use crate::input::Source;
use crate::serve::log::Log;
use crate::serve::settings::Given;

/// The longest file of settings, in bytes.
const MAX_CONFIG: usize = 1 << 20;
/// What the names of our variables begin with.
const PREFIX: &str = "TOOLMEND_";
/// How alike two names are, of 1, for one to be suggested for the other.
const ALIKE: f64 = 0.8;
/// The most threads that serve.
const MAX_THREADS: usize = 1024;

/// What `serve` needs.
#[derive(Debug)]
pub(crate) struct Serve {
    pub(crate) settings: Settings,
    /// There is no upstream, so the demo is one.
    pub(crate) demo: bool,
    pub(crate) log: Log,
}

impl Given {
    /// What holds in the end: what was typed, then the environment, then the file, then the defaults.
    pub(crate) fn with_file(self, file: Option<PathBuf>) -> Result<Given, Failure> {
        for (name, _) in std::env::vars_os() {
            if let Some(name) = name.to_str().filter(|name| !is_known(name)) {
                return Err(Failure::NoVariable { name: name.to_owned(), nearest: nearest(name) });
            }
        }
        let given = match file {
            Some(path) => self.or(read(path)?),
            None => self,
        };
        Ok(given.or(Given::defaults()))
    }
}

impl TryFrom<Given> for Serve {
    type Error = Failure;

    fn try_from(given: Given) -> Result<Serve, Failure> {
        let demo = given.upstream.is_none();
        let limits = given.limits()?;
        let upstream = given.upstream.as_deref().unwrap_or("http://127.0.0.1");
        let upstream: Upstream = upstream.parse().map_err(|why| {
            wrong("upstream", upstream, &format!("a URL such as http://127.0.0.1:8000/v1: {why}"))
        })?;
        let mut settings = Settings::new(upstream);
        if let Some(listen) = &given.listen {
            settings.listen = address("listen", listen)?;
        }
        settings.admin = given.admin.as_deref().map(|admin| address("admin", admin)).transpose()?;
        if let Some(threads) = given.threads {
            let count = usize::try_from(threads).ok().filter(|count| *count <= MAX_THREADS);
            let count = count.and_then(NonZero::new);
            settings.threads = count.ok_or_else(|| {
                wrong("threads", &threads.to_string(), &format!("a number from 1 to {MAX_THREADS}"))
            })?;
        }
        settings.model = given.model;
        settings.token = given.token.map(token).transpose()?;
        settings.upstream_ca = given.upstream_ca.map(PathBuf::from);
        settings.tls = match (given.tls_cert, given.tls_key) {
            (Some(chain), Some(key)) => Some((chain.into(), key.into())),
            (None, None) => None,
            (Some(chain), None) => return Err(wrong("tls-cert", &chain, "given together with tls-key")),
            (None, Some(key)) => return Err(wrong("tls-key", &key, "given together with tls-cert")),
        };
        settings.mode = word("mode", given.mode.as_deref(), Mode::named, "mend or observe")?;
        settings.hold = word("hold", given.hold.as_deref(), Hold::named, "call or deviation")?;
        settings.on_cut = word("on-cut", given.on_cut.as_deref(), OnCut::named, "pass, relabel or withhold")?;
        settings.promote = word("promote", given.promote.as_deref(), Promote::named, "off, marked or all")?;
        settings.policy = match given.policy.as_deref() {
            Some(name) => {
                Policy::named(name).ok_or_else(|| wrong("policy", name, "strict, standard or inspect"))?
            }
            None => Policy::STANDARD,
        };
        let without: Result<Vec<Rule>, Failure> =
            given.without.unwrap_or_default().iter().map(|name| explain::named(name)).collect();
        settings.without = without?;
        settings.mend_history = given.mend_history.unwrap_or_default();
        settings.ask_usage = given.ask_usage.unwrap_or_default();
        settings.reissue = match given.reissue {
            None | Some(0) => false,
            Some(1) => true,
            Some(more) => {
                return Err(wrong(
                    "reissue",
                    &more.to_string(),
                    "0 or 1: a turn is asked for once more, never in a loop",
                ));
            }
        };
        settings.log_bodies = given.log_bodies.unwrap_or_default();
        settings.record = given.record.map(PathBuf::from);
        settings.limits = limits;
        let json = match given.log_format.as_deref() {
            None | Some("text") => false,
            Some("json") => true,
            Some(other) => return Err(wrong("log-format", other, "text or json")),
        };
        let level = match given.log_level.as_deref() {
            Some("off") => LevelFilter::OFF,
            Some("error") => LevelFilter::ERROR,
            Some("warn") => LevelFilter::WARN,
            None | Some("info") => LevelFilter::INFO,
            Some("debug") => LevelFilter::DEBUG,
            Some(other) => return Err(wrong("log-level", other, "off, error, warn, info or debug")),
        };
        Ok(Serve { settings, demo, log: Log { json, level } })
    }
}

/// Whether a variable of the environment is none of ours, or one that is read. Mistyped ones are to be told, as keys of
/// the file are: without it, a `TOOLMEND_TOKNE` leaves the gateway open.
fn is_known(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return true };
    let read = Given::VARIABLES.contains(&name) || rest == "CONFIG";
    // Our scripts have their own.
    read || rest.starts_with("CHECK_") || is_of_a_service(name)
}

/// Whether Kubernetes sets such a variable, for a service whose name begins with `toolmend`.
fn is_of_a_service(name: &str) -> bool {
    // The parts between "_PORT" and "_PORT"; the first one is the service's name.
    let numbered = name.split("_PORT").skip(1).any(|part| {
        let behind = part.strip_prefix('_').unwrap_or("").trim_start_matches(|c: char| c.is_ascii_digit());
        behind.len() + 1 < part.len() && behind.starts_with('_')
    });
    let ends = ["_SERVICE_HOST", "_SERVICE_PORT", "_PORT"];
    numbered || ends.iter().any(|end| name.ends_with(end)) || name.contains("_SERVICE_PORT_")
}

/// The variable that was meant.
fn nearest(name: &str) -> Option<&'static str> {
    let rest = |name: &'static str| name.strip_prefix(PREFIX).unwrap_or(name);
    let typed = name.strip_prefix(PREFIX).unwrap_or(name);
    let alike = |known: &'static str| (strsim::jaro_winkler(typed, rest(known)), known);
    let ranked = Given::VARIABLES.iter().copied().map(alike).filter(|(score, _)| *score >= ALIKE);
    ranked.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, known)| known)
}

fn read(path: PathBuf) -> Result<Given, Failure> {
    let source = Source::named(Some(path));
    let text = source.open()?.read_text(MAX_CONFIG)?;
    toml::from_str(&text).map_err(|error| Failure::Config { source, error: Box::new(error) })
}

/// `:8080`, `localhost:8080`, `0.0.0.0:8080`, `[::1]:8080`.
fn address(key: &'static str, text: &str) -> Result<SocketAddr, Failure> {
    let local = |port: &str| Some(SocketAddr::from(([127, 0, 0, 1], port.parse().ok()?)));
    let parsed = match text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':')) {
        Some(port) => local(port),
        None => text.parse().ok(),
    };
    parsed.ok_or_else(|| {
        wrong(key, text, "an address and a port, such as 127.0.0.1:8080, or :8080 for this machine alone")
    })
}

/// One that a client can show.
fn token(token: String) -> Result<String, Failure> {
    let why = if token.is_empty() {
        "is empty, and every client would show it; give one, or none at all"
    } else if token.trim() != token {
        "begins or ends with white space, which is lost on the way in a header; take it away"
    } else if token.contains(|c: char| c.is_ascii_control()) {
        "holds a control character, which no header carries; take it away"
    } else {
        return Ok(token);
    };
    Err(Failure::Token { why })
}

fn word<T: Default>(
    key: &'static str,
    text: Option<&str>,
    named: fn(&str) -> Option<T>,
    wants: &str,
) -> Result<T, Failure> {
    match text {
        None => Ok(T::default()),
        Some(text) => named(text).ok_or_else(|| wrong(key, text, wants)),
    }
}

fn wrong(key: &'static str, value: &str, wants: &str) -> Failure {
    Failure::Setting { key, value: value.to_owned(), wants: wants.to_owned() }
}
