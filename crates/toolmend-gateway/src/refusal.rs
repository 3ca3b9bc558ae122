//! Answers that are the gateway's own: what went wrong, whose fault it is, and what to do.

use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use toolmend::quote::quote_into;

use crate::body::Body;

/// Why a request is not passed on, or has no answer.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The client did not show the token.
    Unauthorised,
    /// The client asks for a tunnel.
    Connect,
    /// The client sent more header fields than so many.
    Fields(usize),
    /// The client's body broke off or cannot be read.
    Body(String),
    /// The client's body did not come in time.
    BodyIdle(u64),
    /// The upstream cannot be reached.
    Unreachable { upstream: String, why: String },
    /// The upstream closed the connection before it answered, or its answer is no HTTP.
    NoAnswer { upstream: String, why: String },
    /// The upstream did not begin to answer in time.
    Silent { upstream: String, seconds: u64 },
}

impl Refusal {
    /// The word for it in logs, metrics and the answer.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Refusal::Unauthorised => "unauthorised",
            Refusal::Connect => "connect_not_supported",
            Refusal::Fields(_) => "too_many_header_fields",
            Refusal::Body(_) => "request_broken_off",
            Refusal::BodyIdle(_) => "request_timeout",
            Refusal::Unreachable { .. } => "upstream_unreachable",
            Refusal::NoAnswer { .. } => "upstream_no_answer",
            Refusal::Silent { .. } => "upstream_timeout",
        }
    }

    const fn status(&self) -> StatusCode {
        match self {
            Refusal::Unauthorised => StatusCode::UNAUTHORIZED,
            Refusal::Connect => StatusCode::NOT_IMPLEMENTED,
            Refusal::Fields(_) => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Refusal::Body(_) => StatusCode::BAD_REQUEST,
            Refusal::BodyIdle(_) => StatusCode::REQUEST_TIMEOUT,
            Refusal::Unreachable { .. } | Refusal::NoAnswer { .. } => StatusCode::BAD_GATEWAY,
            Refusal::Silent { .. } => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// One sentence for people.
    pub(crate) fn message(&self) -> String {
        match self {
            Refusal::Unauthorised => {
                "toolmend serves only clients that show its token: send it as `Authorization: Bearer …`, or beside the upstream's key as `Proxy-Authorization: Bearer …`".to_owned()
            }
            Refusal::Connect => "toolmend opens no tunnels: set it as the base URL, not as a proxy".to_owned(),
            Refusal::Fields(limit) => format!("the request has more than {limit} header fields (--max-headers)"),
            Refusal::Body(why) => format!("the request's body broke off: {why}"),
            Refusal::BodyIdle(seconds) => {
                format!("the request's body did not go on for {seconds} seconds")
            }
            Refusal::Unreachable { upstream, why } => format!(
                "the upstream {upstream} cannot be reached: {why}; check that it runs, and the address given with --upstream"
            ),
            Refusal::NoAnswer { upstream, why } => {
                format!("the upstream {upstream} ended the connection without an answer: {why}")
            }
            Refusal::Silent { upstream, seconds } => {
                format!("the upstream {upstream} did not begin to answer within {seconds} seconds")
            }
        }
    }

    /// In a form that the clients of OpenAI's and Anthropic's APIs both show.
    pub(crate) fn response(&self) -> Response<Body> {
        let mut json = String::from(r#"{"type":"error","error":{"type":""#);
        json.push_str(self.name());
        json.push_str(r#"","message":"#);
        quote_into(&self.message(), &mut json);
        json.push_str("}}");
        let mut response = Response::new(Body::whole(json));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match self {
            Refusal::Unauthorised => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Refusal::Unreachable { .. } => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}
