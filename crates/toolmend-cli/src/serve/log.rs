//! The log of `serve`: a line for people, or JSON for machines, on standard error.

use std::fmt;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry;
use tracing_subscriber::registry::LookupSpan;

/// How logs are written, and from which level on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Log {
    pub(crate) json: bool,
    pub(crate) level: LevelFilter,
}

/// Starts the log; the first one that is started stays. What libraries have to say is left out.
pub(crate) fn start(log: Log) {
    let ours = Targets::new().with_target("toolmend_gateway", log.level);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let _ = if log.json {
        let lines = lines.json().flatten_event(true).with_target(false);
        tracing::subscriber::set_global_default(registry().with(lines.with_filter(ours)))
    } else {
        tracing::subscriber::set_global_default(registry().with(lines.event_format(Line).with_filter(ours)))
    };
}

/// What an event says, and nothing of its fields: those are in the words already.
struct Line;

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut words = Words(String::new());
        event.record(&mut words);
        let level = *event.metadata().level();
        if level <= tracing::Level::WARN {
            write!(out, "{}: ", level.as_str().to_ascii_lowercase())?;
        }
        writeln!(out, "{}", words.0)
    }
}

struct Words(String);

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
