//! Which requests ask for a turn, and where they go.

use core::fmt;

use hyper::Method;
use hyper::header::HeaderValue;
use hyper::http::uri::{Authority, InvalidUri, Parts, PathAndQuery, Scheme, Uri};

/// What an endpoint speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Speaks {
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Messages,
    /// Ollama's own chat.
    Ollama,
    /// Gemini's `generateContent`.
    Gemini,
}

impl Speaks {
    /// Its name, in kebab case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Speaks::Chat => "openai-chat",
            Speaks::Responses => "openai-responses",
            Speaks::Messages => "anthropic",
            Speaks::Ollama => "ollama",
            Speaks::Gemini => "gemini",
        }
    }

    /// What a request of this method and path may ask for; its body has to agree. Whatever stands before the
    /// last words of a path (`/v1`, a deployment's name) does not matter.
    #[must_use]
    pub fn of(method: &Method, path: &str) -> Option<Speaks> {
        if method != Method::POST {
            return None;
        }
        let path = path.strip_suffix('/').unwrap_or(path);
        let last = path.rsplit('/').next()?;
        match last {
            "completions" if path.ends_with("/chat/completions") => Some(Speaks::Chat),
            "responses" => Some(Speaks::Responses),
            "messages" => Some(Speaks::Messages),
            "chat" if path.ends_with("/api/chat") => Some(Speaks::Ollama),
            _ => model_and_method(last).map(|_| Speaks::Gemini),
        }
    }
}

/// The model and the method in the last word of one of Gemini's paths, where some clients escape the colon.
pub(crate) fn model_and_method(last: &str) -> Option<(&str, &str)> {
    let (model, method) =
        last.rsplit_once(':').or_else(|| last.rsplit_once("%3A")).or_else(|| last.rsplit_once("%3a"))?;
    let known = matches!(method, "generateContent" | "streamGenerateContent");
    (known && !model.is_empty()).then_some((model, method))
}

impl fmt::Display for Speaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where requests go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    scheme: Scheme,
    authority: Authority,
    /// What stands before a client's path; no slash at its end.
    base: String,
    /// The version that the base names at its end (`/v1`), which paths that name one of their own replace.
    version: String,
}

/// Why a text names no upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoUpstream {
    /// It is no URL.
    NotAUrl,
    /// It is none of `http` and `https`.
    Scheme,
    /// It names no host.
    NoHost,
    /// It holds a user name or a password.
    Credentials,
    /// It has a query.
    Query,
}

impl fmt::Display for NoUpstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoUpstream::NotAUrl => "it is no URL; write it as http://127.0.0.1:8000/v1",
            NoUpstream::Scheme => "it begins with neither http:// nor https://",
            NoUpstream::NoHost => "it names no host",
            NoUpstream::Credentials => {
                "it holds a user name or a password; clients send their own credentials"
            }
            NoUpstream::Query => "it has a query, which requests bring themselves",
        })
    }
}

impl std::error::Error for NoUpstream {}

impl std::str::FromStr for Upstream {
    type Err = NoUpstream;

    fn from_str(url: &str) -> Result<Upstream, NoUpstream> {
        let uri: Uri = url.parse().map_err(|_: InvalidUri| NoUpstream::NotAUrl)?;
        let Parts { scheme, authority, path_and_query, .. } = uri.into_parts();
        let scheme = scheme.ok_or(NoUpstream::Scheme)?;
        if scheme != Scheme::HTTP && scheme != Scheme::HTTPS {
            return Err(NoUpstream::Scheme);
        }
        let authority = authority.ok_or(NoUpstream::NoHost)?;
        if authority.host().is_empty() {
            return Err(NoUpstream::NoHost);
        }
        if authority.as_str().contains('@') {
            return Err(NoUpstream::Credentials);
        }
        let path = path_and_query.unwrap_or_else(|| PathAndQuery::from_static("/"));
        if path.query().is_some() {
            return Err(NoUpstream::Query);
        }
        let path = path.path().trim_end_matches('/');
        let version = path.rfind('/').map_or("", |at| &path[at..]);
        let version = if is_version(version) { version } else { "" };
        Ok(Upstream {
            scheme,
            authority,
            base: path[..path.len() - version.len()].to_owned(),
            version: version.to_owned(),
        })
    }
}

impl Upstream {
    /// The host and port.
    #[must_use]
    pub fn authority(&self) -> &str {
        self.authority.as_str()
    }

    pub(crate) fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// What requests name as their host: without the port that the scheme has anyway.
    pub(crate) fn host(&self) -> HeaderValue {
        let own = if self.scheme == Scheme::HTTPS { 443 } else { 80 };
        let host = match self.authority.port_u16() {
            Some(port) if port != own => self.authority.as_str(),
            _ => self.authority.host(),
        };
        // An authority is visible ASCII.
        HeaderValue::from_str(host).unwrap_or(HeaderValue::from_static(""))
    }

    /// Where a request for this path goes. An upstream given as `…/v1` takes both `/v1/models` and `/models`
    /// to its `/v1/models`; what an API has outside of its versions (`/api/chat`) stays there.
    pub(crate) fn uri(&self, asked: &Uri) -> Uri {
        let path = asked.path();
        let first = path.get(1..).map_or("", |rest| &path[..1 + rest.find('/').unwrap_or(rest.len())]);
        let own_root = is_version(first) || first == "/api";
        let version = if own_root { "" } else { &self.version };
        let joined = match (self.base.as_str(), version, asked.path_and_query()) {
            ("", "", Some(whole)) => Ok(whole.clone()),
            (base, version, whole) => {
                let whole = whole.map_or("/", PathAndQuery::as_str);
                let slash = if whole.starts_with('/') { "" } else { "/" };
                PathAndQuery::try_from(format!("{base}{version}{slash}{whole}"))
            }
        };
        let mut parts = Parts::default();
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(self.authority.clone());
        // Two paths that are paths make one.
        parts.path_and_query = Some(joined.unwrap_or_else(|_| PathAndQuery::from_static("/")));
        Uri::from_parts(parts).unwrap_or_default()
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}{}", self.scheme, self.authority, self.base, self.version)
    }
}

/// `/v1`, `/v1beta`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix("/v").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints() {
        for (path, speaks) in [
            ("/v1/chat/completions", Some(Speaks::Chat)),
            ("/chat/completions", Some(Speaks::Chat)),
            ("/openai/deployments/gpt/chat/completions", Some(Speaks::Chat)),
            ("/v1/completions", None),
            ("/v1/responses", Some(Speaks::Responses)),
            ("/v1/responses/resp_1", None),
            ("/v1/messages", Some(Speaks::Messages)),
            ("/v1/messages/", Some(Speaks::Messages)),
            ("/v1/messages/count_tokens", None),
            ("/api/chat", Some(Speaks::Ollama)),
            ("/chat", None),
            ("/v1beta/models/gemini-3:generateContent", Some(Speaks::Gemini)),
            ("/v1beta/models/gemini-3:streamGenerateContent", Some(Speaks::Gemini)),
            ("/v1beta/models/gemini-3%3AstreamGenerateContent", Some(Speaks::Gemini)),
            ("/v1beta/models/gemini-3:countTokens", None),
            ("/v1beta/models/:generateContent", None),
            ("/", None),
            ("", None),
        ] {
            assert_eq!(Speaks::of(&Method::POST, path), speaks, "{path}");
            assert_eq!(Speaks::of(&Method::GET, path), None, "{path}");
        }
    }

    #[test]
    fn where_requests_go() {
        for (upstream, asked, goes) in [
            ("http://h:1", "/v1/chat/completions", "http://h:1/v1/chat/completions"),
            ("http://h:1/", "/chat/completions?a=b", "http://h:1/chat/completions?a=b"),
            ("http://h:1/v1", "/v1/chat/completions", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1/", "/chat/completions", "http://h:1/v1/chat/completions"),
            (
                "http://h:1/v1",
                "/v1beta/models/m:generateContent",
                "http://h:1/v1beta/models/m:generateContent",
            ),
            ("http://h:1/v1", "/api/chat", "http://h:1/api/chat"),
            ("https://h/openai/v1", "/v1/responses", "https://h/openai/v1/responses"),
            ("https://h/openai/v1", "/responses", "https://h/openai/v1/responses"),
            ("https://h/inference", "/chat/completions", "https://h/inference/chat/completions"),
            ("https://h/inference", "/v1/messages?beta=true", "https://h/inference/v1/messages?beta=true"),
            ("http://[::1]:8000", "/", "http://[::1]:8000/"),
            ("http://h/v1", "/versions", "http://h/v1/versions"),
        ] {
            let upstream: Upstream = upstream.parse().unwrap();
            assert_eq!(upstream.uri(&asked.parse().unwrap()).to_string(), goes, "{upstream} {asked}");
        }
    }

    #[test]
    fn no_upstreams() {
        for (url, why) in [
            ("127.0.0.1:8000", NoUpstream::Scheme),
            ("/v1", NoUpstream::Scheme),
            ("ftp://h", NoUpstream::Scheme),
            ("http://user:pass@h", NoUpstream::Credentials),
            ("http://h/v1?key=k", NoUpstream::Query),
            ("http://", NoUpstream::NotAUrl),
            ("", NoUpstream::NotAUrl),
            ("ht tp://h", NoUpstream::NotAUrl),
        ] {
            assert_eq!(url.parse::<Upstream>(), Err(why), "{url}");
        }
    }
}
