//! What is counted.

use std::fmt::Write;
use std::sync::Mutex;
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::told::Told;

/// Names of models that are counted one by one; further ones are counted together. They are the clients'
/// words, and every new one costs memory.
const MAX_MODELS: usize = 64;

/// How a turn passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Passed {
    /// It was looked into to its end.
    Looked,
    /// No tool was offered, or the answer was an error, or in a form that is not read.
    Untouched,
    /// It was let through in the middle: see the caps.
    GaveUp,
    /// It broke off.
    Broken,
    /// The client left.
    Left,
}

impl Passed {
    const fn name(self) -> &'static str {
        match self {
            Passed::Looked => "looked",
            Passed::Untouched => "untouched",
            Passed::GaveUp => "gave-up",
            Passed::Broken => "broken",
            Passed::Left => "left",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TurnLabels {
    protocol: &'static str,
    model: String,
    passed: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    protocol: &'static str,
    model: String,
    verdict: &'static str,
    grade: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RuleLabels {
    rule: &'static str,
    protocol: &'static str,
    model: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MarkLabels {
    mark: &'static str,
    protocol: &'static str,
    model: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Why {
    why: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Became {
    became: &'static str,
}

/// One of what a gauge counts, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Counted(Gauge);

impl Counted {
    pub(crate) fn of(gauge: &Gauge) -> Counted {
        gauge.inc();
        Counted(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// What is counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    models: Mutex<Vec<String>>,
    turns: Family<TurnLabels, Counter>,
    calls: Family<CallLabels, Counter>,
    rules: Family<RuleLabels, Counter>,
    promoted: Family<MarkLabels, Counter>,
    caps: Family<Why, Counter>,
    refused: Family<Why, Counter>,
    history: Family<Became, Counter>,
    reissued: Family<Became, Counter>,
    held: Histogram,
    added: Histogram,
    pub(crate) open_turns: Gauge,
    pub(crate) connections: Gauge,
    pub(crate) held_bytes: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let mut registry = Registry::with_prefix("toolmend");
        let (turns, calls, rules) = (Family::default(), Family::default(), Family::default());
        let (promoted, caps, refused) = (Family::default(), Family::default(), Family::default());
        let (history, reissued) = (Family::default(), Family::default());
        let held = Histogram::new([0.001, 0.01, 0.1, 0.5, 1.0, 5.0, 20.0, 60.0, 300.0]);
        let added = Histogram::new([5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 5e-3, 2e-2, 0.1]);
        let (open_turns, connections, held_bytes) = (Gauge::default(), Gauge::default(), Gauge::default());
        registry.register("turns", "Turns, by how they passed", turns.clone());
        registry.register("calls", "Calls, by what became of them", calls.clone());
        registry.register("rules", "Repairs, by rule", rules.clone());
        registry.register("promoted", "Calls found in the text, by the mark before them", promoted.clone());
        registry.register("caps", "Turns that passed untouched from a limit or defect on", caps.clone());
        registry.register("refused", "Requests that had no answer of the upstream's", refused.clone());
        registry.register("history", "Past calls that were changed in requests", history.clone());
        registry.register("reissued", "Turns that were asked for once more", reissued.clone());
        registry.register("open_turns", "Turns that are being looked into", open_turns.clone());
        registry.register("connections", "Connections of clients", connections.clone());
        registry.register(
            "held_bytes",
            "Bytes that are held back, and those kept of requests and recordings",
            held_bytes.clone(),
        );
        registry.register_with_unit("held", "How long calls were held back", Unit::Seconds, held.clone());
        registry.register_with_unit("added", "Time spent on a turn", Unit::Seconds, added.clone());
        Metrics {
            registry,
            models: Mutex::new(Vec::new()),
            turns,
            calls,
            rules,
            promoted,
            caps,
            refused,
            history,
            reissued,
            held,
            added,
            open_turns,
            connections,
            held_bytes,
        }
    }

    /// In the text format of Prometheus.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a string fails only where a metric cannot be written at all.
        if text::encode(&mut out, &self.registry).is_err() {
            let _ = out.write_str("# a metric could not be written\n");
        }
        out
    }

    /// The name that a model is counted under.
    pub(crate) fn model(&self, name: Option<&str>) -> String {
        let Some(name) = name else { return "unknown".to_owned() };
        let mut models = self.models.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !models.iter().any(|known| known == name) {
            if models.len() >= MAX_MODELS || name.len() > 128 {
                return "other".to_owned();
            }
            models.push(name.to_owned());
        }
        name.to_owned()
    }

    pub(crate) fn turn(&self, protocol: &'static str, model: &str, passed: Passed, added: Duration) {
        let labels = TurnLabels { protocol, model: model.to_owned(), passed: passed.name() };
        self.turns.get_or_create(&labels).inc();
        if passed != Passed::Untouched {
            self.added.observe(added.as_secs_f64());
        }
    }

    pub(crate) fn call(&self, protocol: &'static str, model: &str, told: &Told<'_>) {
        let model = model.to_owned();
        for rule in &told.rules {
            self.rules.get_or_create(&RuleLabels { rule, protocol, model: model.clone() }).inc();
        }
        if let Some(mark) = told.mark.filter(|_| told.verdict == "promoted") {
            self.promoted.get_or_create(&MarkLabels { mark, protocol, model: model.clone() }).inc();
        }
        let (verdict, grade) = (told.verdict, told.grade.unwrap_or(""));
        self.calls.get_or_create(&CallLabels { protocol, model, verdict, grade }).inc();
    }

    pub(crate) fn cap(&self, why: &'static str) {
        self.caps.get_or_create(&Why { why }).inc();
    }

    pub(crate) fn refused(&self, why: &'static str) {
        self.refused.get_or_create(&Why { why }).inc();
    }

    pub(crate) fn history(&self, mended: u64, wrapped: u64) {
        for (became, count) in [("mended", mended), ("wrapped", wrapped)] {
            if count > 0 {
                self.history.get_or_create(&Became { became }).inc_by(count);
            }
        }
    }

    pub(crate) fn reissued(&self, became: &'static str) {
        self.reissued.get_or_create(&Became { became }).inc();
    }

    pub(crate) fn held(&self, time: Duration) {
        self.held.observe(time.as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use toolmend::wire::{CallReport, Outcome};
    use toolmend::{Ending, Evidence, Toolmend};

    use super::*;
    use crate::inspect::Settled;

    #[test]
    fn text_of_what_was_counted() {
        let metrics = Metrics::new();
        metrics.turn("openai-chat", "m", Passed::Looked, Duration::from_micros(80));
        let body = "```json\n{\"a\": 1,}\n```";
        let mended = Toolmend::new().mend(body, Evidence::whole());
        let mut settled = Settled::from(CallReport {
            choice: 0,
            index: 0,
            id: None,
            name: "f".to_owned(),
            body: body.to_owned(),
            ending: Ending::Complete,
            outcome: Outcome::Judged(mended),
            rewritten: true,
        });
        metrics.call("openai-chat", "m", &Told::of(&settled));
        settled.call.outcome = Outcome::UnknownTool;
        metrics.call("openai-chat", "m", &Told::of(&settled));
        metrics.cap("held-turn");
        let text = metrics.text();
        for line in [
            r#"toolmend_turns_total{protocol="openai-chat",model="m",passed="looked"} 1"#,
            r#"toolmend_calls_total{protocol="openai-chat",model="m",verdict="mended",grade="punctuation"} 1"#,
            r#"toolmend_rules_total{rule="code-fence",protocol="openai-chat",model="m"} 1"#,
            r#"toolmend_calls_total{protocol="openai-chat",model="m",verdict="withheld",grade=""} 1"#,
            r#"toolmend_caps_total{why="held-turn"} 1"#,
            "toolmend_added_seconds_count 1",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn no_client_makes_them_grow_without_end() {
        let metrics = Metrics::new();
        for n in 0..MAX_MODELS {
            assert_eq!(metrics.model(Some(&format!("m{n}"))), format!("m{n}"));
        }
        assert_eq!(metrics.model(Some("one more")), "other");
        assert_eq!(metrics.model(Some("m0")), "m0");
        assert_eq!(metrics.model(None), "unknown");
        assert_eq!(Metrics::new().model(Some(&"m".repeat(129))), "other");
    }
}
