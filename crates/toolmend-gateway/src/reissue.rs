//! The rung above repair: a turn whose call was declined is asked for once more, with the tool forced and
//! not streamed. A valid answer's arguments take the place of the declined ones; anything else leaves the turn
//! as it came.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hyper::Method;
use hyper::body::Bytes;
use hyper::header::{ACCEPT, CONTENT_LENGTH, HeaderMap, HeaderValue};
use hyper::http::Uri;
use hyper::http::request::Parts;
use toolmend::wire::{CallReport, Outcome};
use toolmend::{Ending, Verdict};

use crate::body::Body;
use crate::endpoint::Speaks;
use crate::facts::{Facts, ToolChoice};
use crate::inspect::{Charge, Settled};
use crate::proxy::{Collected, Proxy, collect};
use crate::request::force;
use crate::settings::{Hold, Mode};
use crate::turn::{Better, Ladder};
use crate::usage::WithoutUsage;

/// A request, kept to be made once more.
#[derive(Debug)]
pub(crate) struct Again {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

impl Again {
    /// `None` where its body is not all here.
    pub(crate) fn new(parts: &Parts, body: &Body) -> Option<Again> {
        let body = body.bytes()?.clone();
        Some(Again {
            method: parts.method.clone(),
            uri: parts.uri.clone(),
            headers: parts.headers.clone(),
            body,
        })
    }

    /// The request for a whole answer that calls this tool.
    fn forced(&self, speaks: Speaks, tool: &str) -> Option<(Parts, Body)> {
        let body = force(speaks, std::str::from_utf8(&self.body).ok()?, tool)?;
        let (mut parts, ()) = hyper::Request::new(()).into_parts();
        (parts.method, parts.headers) = (self.method.clone(), self.headers.clone());
        parts.uri = if speaks == Speaks::Gemini { whole_answer(&self.uri)? } else { self.uri.clone() };
        parts.headers.insert(CONTENT_LENGTH, body.len().into());
        parts.headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        Some((parts, Body::whole(body)))
    }
}

/// Gemini says in the path whether it streams, and in the query how.
fn whole_answer(uri: &Uri) -> Option<Uri> {
    let path = uri.path().replace("streamGenerateContent", "generateContent");
    let query: Vec<&str> = uri.query().unwrap_or("").split('&').filter(|part| !part.is_empty()).collect();
    let query: Vec<&str> = query.into_iter().filter(|part| !part.starts_with("alt=")).collect();
    let target = if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) };
    target.parse().ok()
}

/// Asks for a turn once more.
pub(crate) struct Reissue {
    proxy: Arc<Proxy>,
    facts: Facts,
    again: Option<Again>,
    without_usage: bool,
    /// The turn so far; `None` once it is too long to be kept, or too much is.
    came: Option<Vec<u8>>,
    /// For the request and what came.
    charge: Option<Charge>,
}

impl Reissue {
    /// `None` where there is no asking once more: the client forced a tool, or wants several answers, or what
    /// streams cannot be taken back.
    pub(crate) fn new(
        proxy: &Arc<Proxy>,
        facts: Facts,
        again: Again,
        without_usage: bool,
        charge: Charge,
    ) -> Option<Reissue> {
        let settings = &proxy.settings;
        let fits = facts.choice == ToolChoice::Auto && facts.answers == 1;
        (fits && settings.hold == Hold::Call && settings.mode == Mode::Mend).then(|| Reissue {
            proxy: Arc::clone(proxy),
            facts,
            again: Some(again),
            without_usage,
            came: Some(Vec::new()),
            charge: Some(charge),
        })
    }
}

impl Ladder for Reissue {
    fn took(&mut self, bytes: &Bytes) {
        if let Some(came) = &mut self.came {
            let fits = came.len() + bytes.len() <= self.proxy.settings.limits.held_turn_bytes
                && self.charge.as_mut().is_some_and(|charge| charge.add(bytes.len()));
            if fits {
                came.extend_from_slice(bytes);
            } else {
                (self.came, self.again, self.charge) = (None, None, None);
            }
        }
    }

    fn better(&mut self, settled: &[Settled], at_end: bool) -> Option<Better> {
        // What was found in the text and left there is no call that anybody waits for.
        let calls = settled.iter().filter(|settled| settled.found.is_none()).map(|settled| &settled.call);
        let mut declined = calls.filter(|call| is_declined(call));
        let (Some(call), None) = (declined.next(), declined.next()) else { return None };
        // One that was cut would be cut again.
        if call.ending == Ending::Cut || !self.facts.tools.iter().any(|tool| tool.name == call.name) {
            return None;
        }
        let (came, again, mut charge) = (self.came.take()?, self.again.take()?, self.charge.take()?);
        let request = again.forced(self.facts.speaks, &call.name)?;
        let (proxy, facts, call) = (Arc::clone(&self.proxy), self.facts.clone(), call.clone());
        let without_usage = self.without_usage;
        Some(Box::pin(async move {
            let limit = proxy.settings.limits.reissue;
            let answer = tokio::time::timeout(limit, ask(&proxy, request, &mut charge)).await;
            let says = match answer {
                Ok(Some(answer)) => guarded(|| proxy.inspectors.good_call(&facts, &answer, &call.name)),
                Ok(None) => None,
                Err(_) => {
                    proxy.metrics.reissued("timeout");
                    return None;
                }
            };
            let Some(says) = says else {
                proxy.metrics.reissued("no-valid-answer");
                return None;
            };
            let turn = guarded(|| rewrite(&proxy, &facts, &call, says, without_usage, &came, at_end));
            proxy.metrics.reissued(if turn.is_some() { "accepted" } else { "no-valid-answer" });
            if turn.is_some() {
                tracing::info!(tool = call.name, "asked once more: {}", call.name.escape_debug());
            }
            turn
        }))
    }
}

/// A defect in here is no better answer, and nothing else.
fn guarded<T>(work: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(None)
}

fn is_declined(report: &CallReport) -> bool {
    matches!(&report.outcome, Outcome::Judged(Verdict::Declined(_)) | Outcome::Misassembled(_))
}

/// The whole answer to this request; `None` where it is an error, or too long.
async fn ask(proxy: &Proxy, (parts, body): (Parts, Body), charge: &mut Charge) -> Option<Bytes> {
    let response = proxy.send(parts, body).await.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let limits = &proxy.settings.limits;
    match collect(response.into_body(), limits.held_turn_bytes, limits.idle, charge).await.ok()? {
        Collected::Whole { bytes, .. } => Some(bytes),
        Collected::Long { .. } => None,
    }
}

/// The turn as it leaves where the call had said this. What is made of the bytes before it is the same as the
/// first time, since the same bytes make the same turn.
fn rewrite(
    proxy: &Proxy,
    facts: &Facts,
    call: &CallReport,
    says: String,
    without_usage: bool,
    came: &[u8],
    at_end: bool,
) -> Option<Vec<u8>> {
    let mut inspector = proxy.inspectors.inspector_with(facts, call, says)?;
    if without_usage {
        inspector = Box::new(WithoutUsage::new(inspector));
    }
    let mut turn = Vec::new();
    inspector.push(came, &mut turn);
    if at_end {
        inspector.finish(true, &mut turn);
    }
    let is_it = |new: &CallReport| new.name == call.name && new.body == call.body && new.rewritten;
    let taken = inspector.settled().iter().any(|new| is_it(&new.call));
    taken.then_some(turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_gemini_answers_whole() {
        for (asked, whole) in [
            ("/v1beta/models/m:streamGenerateContent?alt=sse", "/v1beta/models/m:generateContent"),
            (
                "/v1beta/models/m:streamGenerateContent?key=k&alt=sse",
                "/v1beta/models/m:generateContent?key=k",
            ),
            ("/v1beta/models/m:generateContent", "/v1beta/models/m:generateContent"),
        ] {
            assert_eq!(whole_answer(&asked.parse().unwrap()), Some(whole.parse().unwrap()));
        }
    }
}
