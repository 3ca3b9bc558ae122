//! Which header fields cross the gateway (RFC 9110, section 7.6.1).

use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, ETAG, EXPECT, HOST, HeaderMap, HeaderName,
    HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING, UPGRADE,
};

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");

/// Fields that are about the bytes of a body, which may change.
const ABOUT_BYTES: [HeaderName; 6] = [
    CONTENT_LENGTH,
    ETAG,
    HeaderName::from_static("digest"),
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
    HeaderName::from_static("content-md5"),
];

/// Makes a client's fields those of the request to the upstream. The host becomes the upstream's own.
pub(crate) fn for_upstream(headers: &mut HeaderMap) {
    // Where both stand, the body was read by its chunks (RFC 9112, section 6.3), and a length that is passed
    // on would be a second opinion about where it ends.
    if headers.contains_key(TRANSFER_ENCODING) {
        headers.remove(CONTENT_LENGTH);
    }
    let trailers = headers.get_all(TE).iter().any(|value| lists(value, "trailers"));
    drop_hop_by_hop(headers);
    // The gateway itself lets the client go on, by reading.
    headers.remove(EXPECT);
    headers.remove(PROXY_AUTHORIZATION);
    headers.remove(HOST);
    if trailers {
        headers.insert(TE, HeaderValue::from_static("trailers"));
    }
}

/// Asks for an answer that can be read. One that is compressed all the same passes untouched.
pub(crate) fn ask_for_identity(headers: &mut HeaderMap) {
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
}

/// Makes the upstream's fields those of the answer to the client.
pub(crate) fn for_client(headers: &mut HeaderMap) {
    if headers.contains_key(TRANSFER_ENCODING) {
        headers.remove(CONTENT_LENGTH);
    }
    drop_hop_by_hop(headers);
    headers.remove(PROXY_AUTHENTICATE);
}

/// Drops what a body of other bytes would belie.
pub(crate) fn drop_about_bytes(headers: &mut HeaderMap) {
    for name in ABOUT_BYTES {
        headers.remove(name);
    }
}

/// Whether the body is written in a coding that is not looked into.
pub(crate) fn is_encoded(headers: &HeaderMap) -> bool {
    headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .any(|value| !value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity"))
}

/// Whether the other side asks to leave HTTP (RFC 9110, section 7.8). Java's client asks for HTTP/2 in the
/// clear like this, with any request; it goes on without.
pub(crate) fn asks_for_upgrade(headers: &HeaderMap) -> bool {
    let asks = headers.get_all(CONNECTION).iter().any(|value| lists(value, "upgrade"));
    asks && headers.get_all(UPGRADE).iter().any(|value| !lists(value, "h2c"))
}

/// The protocol that is asked for, taken out before the fields of this hop are dropped.
pub(crate) fn take_upgrade(headers: &mut HeaderMap) -> Option<HeaderValue> {
    headers.remove(UPGRADE)
}

/// Asks to leave HTTP for this protocol.
pub(crate) fn set_upgrade(headers: &mut HeaderMap, protocol: HeaderValue) {
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, protocol);
}

fn drop_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| HeaderName::from_bytes(name.trim().as_bytes()).ok())
        // A list that names these would take the body's end away.
        .filter(|name| name != CONTENT_LENGTH && name != HOST)
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in [CONNECTION, KEEP_ALIVE, PROXY_CONNECTION, TE, TRANSFER_ENCODING, UPGRADE] {
        headers.remove(name);
    }
}

fn lists(value: &HeaderValue, word: &str) -> bool {
    value.to_str().is_ok_and(|value| {
        value.split(',').any(|item| item.split(';').next().unwrap_or("").trim().eq_ignore_ascii_case(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(fields: &[(&str, &str)]) -> HeaderMap {
        fields
            .iter()
            .map(|(name, value)| (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    #[test]
    fn fields_of_a_request() {
        for (given, passed) in [
            (
                &[("authorization", "Bearer k"), ("x-api-key", "k")][..],
                &[("authorization", "Bearer k"), ("x-api-key", "k")][..],
            ),
            (&[("host", "gateway"), ("expect", "100-continue")], &[]),
            (&[("connection", "close, X-Hop"), ("x-hop", "1"), ("x-end", "2")], &[("x-end", "2")]),
            (&[("connection", "content-length"), ("content-length", "4")], &[("content-length", "4")]),
            (&[("transfer-encoding", "chunked"), ("content-length", "4")], &[]),
            (&[("te", "gzip, trailers;q=1")], &[("te", "trailers")]),
            (&[("te", "gzip")], &[]),
            (&[("keep-alive", "5"), ("proxy-connection", "a"), ("proxy-authorization", "Bearer t")], &[]),
            (&[("upgrade", "h2c"), ("connection", "upgrade")], &[]),
        ] {
            let mut headers = map(given);
            for_upstream(&mut headers);
            assert_eq!(headers, map(passed), "{given:?}");
        }
    }

    #[test]
    fn fields_of_an_answer() {
        let mut headers = map(&[
            ("connection", "keep-alive"),
            ("content-length", "4"),
            ("etag", "\"x\""),
            ("x-request-id", "r"),
            ("retry-after", "1"),
        ]);
        for_client(&mut headers);
        assert_eq!(headers.len(), 4);
        drop_about_bytes(&mut headers);
        assert_eq!(headers, map(&[("x-request-id", "r"), ("retry-after", "1")]));
    }

    #[test]
    fn upgrades_and_codings() {
        for (fields, asks) in [
            (&[("connection", "Upgrade"), ("upgrade", "websocket")][..], true),
            (&[("connection", "keep-alive, upgrade"), ("upgrade", "websocket")], true),
            (&[("upgrade", "websocket")], false),
            (&[("connection", "Upgrade, HTTP2-Settings"), ("upgrade", "h2c")], false),
            (&[("connection", "upgrade")], false),
        ] {
            assert_eq!(asks_for_upgrade(&map(fields)), asks, "{fields:?}");
        }
        for (coding, encoded) in
            [("gzip", true), ("identity", false), (" Identity ", false), ("br, gzip", true)]
        {
            assert_eq!(is_encoded(&map(&[("content-encoding", coding)])), encoded, "{coding}");
        }
        assert!(!is_encoded(&HeaderMap::new()));
    }
}
