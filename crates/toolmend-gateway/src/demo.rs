//! A model server that makes the mistakes of real ones, for a first look without a model.
//!
//! It answers on every endpoint that makes tool calls, and calls `get_weather` with arguments that are broken
//! in the next of a few ways.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::body::{Body as HttpBody, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use toolmend::quote::quoted;

use crate::body::Body;
use crate::endpoint::Speaks;
use crate::facts::Facts;

/// The tool that the demo calls.
const TOOL: &str = "get_weather";

/// Arguments as models write them; the last ones are cut, and nobody knows how the city goes on.
const SAID: [&str; 5] = [
    "```json\n{\"city\": \"Oslo\", \"days\": 3,}\n```",
    "{'city': 'Lyon', 'days': 2}",
    "{\"city\": \"Porto\", \"days\": \"4\"",
    "{\"city\": \"Kyoto\", \"days\": 5}",
    "{\"city\": \"San Fr",
];

/// Where protocols take an object, a server that writes these has parsed them.
const GIVEN: [&str; 2] = ["{\"city\":\"Oslo\",\"days\":\"3\"}", "{\"City\":\"Lyon\",\"days\":2}"];

const MAX_REQUEST: usize = 1 << 20;

/// A demo that is running; it ends with its runtime.
#[derive(Debug)]
pub struct Demo {
    /// Where it listens, on loopback.
    pub address: SocketAddr,
}

impl Demo {
    /// Starts it on a free port.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start() -> io::Result<Demo> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let asked = Arc::new(AtomicUsize::new(0));
        tokio::spawn(async move {
            // Refused connections are the gateway's to tell.
            while let Ok((stream, _)) = listener.accept().await {
                let asked = Arc::clone(&asked);
                let service = service_fn(move |request| {
                    let asked = Arc::clone(&asked);
                    async move { Ok::<_, Infallible>(answer(request, &asked).await) }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Ok(Demo { address })
    }
}

async fn answer(request: Request<Incoming>, asked: &AtomicUsize) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let Some(speaks) = Speaks::of(&parts.method, &path) else {
        return reply(
            StatusCode::OK,
            "application/json",
            "{\"object\":\"list\",\"data\":[{\"id\":\"demo\",\"object\":\"model\"}]}".into(),
        );
    };
    let facts = read(body).await.and_then(|body| Facts::read(speaks, &path, &body));
    let Some(facts) = facts else {
        return reply(
            StatusCode::BAD_REQUEST,
            "application/json",
            "{\"error\":{\"message\":\"the demo does not understand this request\"}}".into(),
        );
    };
    let calls = facts.tools.iter().any(|tool| tool.name == TOOL);
    let number = if calls { asked.fetch_add(1, Ordering::Relaxed) } else { 0 };
    let (said, given) = (SAID[number % SAID.len()], GIVEN[number % GIVEN.len()]);
    let said = calls.then_some(said);
    let (kind, text) = match (speaks, facts.streamed) {
        (Speaks::Chat, true) => (SSE, chat_stream(said)),
        (Speaks::Chat, false) => (JSON, chat(said)),
        (Speaks::Responses, true) => (SSE, responses_stream(said)),
        (Speaks::Responses, false) => (JSON, response(said, "completed")),
        (Speaks::Messages, true) => (SSE, messages_stream(said)),
        (Speaks::Messages, false) => (JSON, message(calls.then_some(given))),
        (Speaks::Ollama, streamed) => ollama(calls.then_some(given), streamed),
        (Speaks::Gemini, true) => (SSE, format!("data: {}\r\n\r\n", gemini(calls.then_some(given)))),
        (Speaks::Gemini, false) => (JSON, gemini(calls.then_some(given))),
    };
    reply(StatusCode::OK, kind, text)
}

const SSE: &str = "text/event-stream";
const JSON: &str = "application/json";

/// What it says where the tool was not offered.
const HINT: &str = "This is the demo of toolmend. Offer a tool get_weather with a city and a number of days, and it will be called with broken arguments.";

fn chat_stream(said: Option<&str>) -> String {
    let event = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"chatcmpl-demo\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"demo\",\"choices\":[{{\"index\":0,\"delta\":{{{delta}}},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let mut stream = event("\"role\":\"assistant\",\"content\":null", "null");
    match said {
        None => stream += &event(&format!("\"content\":{}", quoted(HINT)), "null"),
        Some(said) => {
            stream += &event(
                &format!(
                    "\"tool_calls\":[{{\"index\":0,\"id\":\"call_demo\",\"type\":\"function\",\"function\":{{\"name\":\"{TOOL}\",\"arguments\":\"\"}}}}]"
                ),
                "null",
            );
            for piece in pieces(said) {
                stream += &event(
                    &format!(
                        "\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":{}}}}}]",
                        quoted(piece)
                    ),
                    "null",
                );
            }
        }
    }
    stream += &event("", if said.is_some() { "\"tool_calls\"" } else { "\"stop\"" });
    stream + "data: [DONE]\n\n"
}

fn chat(said: Option<&str>) -> String {
    let (message, finish) = match said {
        None => (format!("\"content\":{}", quoted(HINT)), "stop"),
        Some(said) => (
            format!(
                "\"content\":null,\"tool_calls\":[{{\"id\":\"call_demo\",\"type\":\"function\",\"function\":{{\"name\":\"{TOOL}\",\"arguments\":{}}}}}]",
                quoted(said)
            ),
            "tool_calls",
        ),
    };
    format!(
        "{{\"id\":\"chatcmpl-demo\",\"object\":\"chat.completion\",\"created\":0,\"model\":\"demo\",\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",{message}}},\"finish_reason\":\"{finish}\"}}]}}"
    )
}

fn response(said: Option<&str>, status: &str) -> String {
    let output = match said {
        _ if status != "completed" => String::new(),
        None => format!(
            "{{\"type\":\"message\",\"id\":\"msg_demo\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":[{{\"type\":\"output_text\",\"text\":{},\"annotations\":[]}}]}}",
            quoted(HINT)
        ),
        Some(said) => item(said, "completed"),
    };
    format!(
        "{{\"id\":\"resp_demo\",\"object\":\"response\",\"created_at\":0,\"model\":\"demo\",\"status\":\"{status}\",\"output\":[{output}],\"parallel_tool_calls\":true,\"tool_choice\":\"auto\",\"tools\":[]}}"
    )
}

fn item(said: &str, status: &str) -> String {
    format!(
        "{{\"type\":\"function_call\",\"id\":\"fc_demo\",\"call_id\":\"call_demo\",\"name\":\"{TOOL}\",\"arguments\":{},\"status\":\"{status}\"}}",
        quoted(said)
    )
}

fn responses_stream(said: Option<&str>) -> String {
    let mut events = vec![("response.created", format!("\"response\":{}", response(None, "in_progress")))];
    match said {
        None => {
            let part = format!("{{\"type\":\"output_text\",\"text\":{},\"annotations\":[]}}", quoted(HINT));
            let message = |status: &str, content: &str| {
                format!(
                    "\"output_index\":0,\"item\":{{\"type\":\"message\",\"id\":\"msg_demo\",\"role\":\"assistant\",\"status\":\"{status}\",\"content\":[{content}]}}"
                )
            };
            events.push(("response.output_item.added", message("in_progress", "")));
            events.push(("response.content_part.added", "\"item_id\":\"msg_demo\",\"output_index\":0,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}".into()));
            events.push((
                "response.output_text.delta",
                format!(
                    "\"item_id\":\"msg_demo\",\"output_index\":0,\"content_index\":0,\"delta\":{}",
                    quoted(HINT)
                ),
            ));
            events.push(("response.output_item.done", message("completed", &part)));
        }
        Some(said) => {
            events.push((
                "response.output_item.added",
                format!("\"output_index\":0,\"item\":{}", item("", "in_progress")),
            ));
            for piece in pieces(said) {
                events.push((
                    "response.function_call_arguments.delta",
                    format!("\"item_id\":\"fc_demo\",\"output_index\":0,\"delta\":{}", quoted(piece)),
                ));
            }
            events.push((
                "response.function_call_arguments.done",
                format!("\"item_id\":\"fc_demo\",\"output_index\":0,\"arguments\":{}", quoted(said)),
            ));
            events.push((
                "response.output_item.done",
                format!("\"output_index\":0,\"item\":{}", item(said, "completed")),
            ));
        }
    }
    events.push(("response.completed", format!("\"response\":{}", response(said, "completed"))));
    let numbered = events.iter().enumerate();
    numbered
        .map(|(n, (name, data))| {
            format!("event: {name}\ndata: {{\"type\":\"{name}\",\"sequence_number\":{n},{data}}}\n\n")
        })
        .collect()
}

fn messages_stream(said: Option<&str>) -> String {
    let mut events = vec![("message_start", "\"message\":{\"id\":\"msg_demo\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"demo\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}".to_owned())];
    let (block, kind, text) = match said {
        None => ("{\"type\":\"text\",\"text\":\"\"}".to_owned(), "text_delta\",\"text", HINT),
        Some(said) => (
            format!("{{\"type\":\"tool_use\",\"id\":\"toolu_demo\",\"name\":\"{TOOL}\",\"input\":{{}}}}"),
            "input_json_delta\",\"partial_json",
            said,
        ),
    };
    events.push(("content_block_start", format!("\"index\":0,\"content_block\":{block}")));
    for piece in pieces(text) {
        events.push((
            "content_block_delta",
            format!("\"index\":0,\"delta\":{{\"type\":\"{kind}\":{}}}", quoted(piece)),
        ));
    }
    events.push(("content_block_stop", "\"index\":0".into()));
    let reason = if said.is_some() { "tool_use" } else { "end_turn" };
    events.push(("message_delta", format!("\"delta\":{{\"stop_reason\":\"{reason}\",\"stop_sequence\":null}},\"usage\":{{\"output_tokens\":20}}")));
    let events: String = events
        .iter()
        .map(|(name, data)| format!("event: {name}\ndata: {{\"type\":\"{name}\",{data}}}\n\n"))
        .collect();
    events + "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
}

fn message(given: Option<&str>) -> String {
    let (content, reason) = match given {
        None => (format!("{{\"type\":\"text\",\"text\":{}}}", quoted(HINT)), "end_turn"),
        Some(given) => (
            format!("{{\"type\":\"tool_use\",\"id\":\"toolu_demo\",\"name\":\"{TOOL}\",\"input\":{given}}}"),
            "tool_use",
        ),
    };
    format!(
        "{{\"id\":\"msg_demo\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"demo\",\"content\":[{content}],\"stop_reason\":\"{reason}\",\"stop_sequence\":null,\"usage\":{{\"input_tokens\":1,\"output_tokens\":20}}}}"
    )
}

fn ollama(given: Option<&str>, streamed: bool) -> (&'static str, String) {
    let (content, calls) = match given {
        None => (quoted(HINT), String::new()),
        Some(given) => (
            "\"\"".into(),
            format!(",\"tool_calls\":[{{\"function\":{{\"name\":\"{TOOL}\",\"arguments\":{given}}}}}]"),
        ),
    };
    let line = |message: &str, end: &str| {
        format!(
            "{{\"model\":\"demo\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":{{\"role\":\"assistant\",{message}}},{end}}}"
        )
    };
    let (message, end) = (format!("\"content\":{content}{calls}"), "\"done\":true,\"done_reason\":\"stop\"");
    if streamed {
        (
            "application/x-ndjson",
            format!("{}\n{}\n", line(&message, "\"done\":false"), line("\"content\":\"\"", end)),
        )
    } else {
        (JSON, line(&message, end))
    }
}

fn gemini(given: Option<&str>) -> String {
    let part = match given {
        None => format!("{{\"text\":{}}}", quoted(HINT)),
        Some(given) => format!("{{\"functionCall\":{{\"name\":\"{TOOL}\",\"args\":{given}}}}}"),
    };
    format!(
        "{{\"candidates\":[{{\"content\":{{\"parts\":[{part}],\"role\":\"model\"}},\"finishReason\":\"STOP\",\"index\":0}}],\"modelVersion\":\"demo\"}}"
    )
}

/// A text in pieces of a few characters, as a model writes it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(6).map_or(rest.len(), |(at, _)| at);
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

async fn read(mut body: Incoming) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        bytes.extend_from_slice(frame.ok()?.data_ref()?);
        if bytes.len() > MAX_REQUEST {
            return None;
        }
    }
    Some(bytes)
}

fn reply(status: StatusCode, kind: &'static str, text: String) -> Response<Body> {
    let mut response = Response::new(Body::whole(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
