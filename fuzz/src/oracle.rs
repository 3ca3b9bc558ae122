//! What JSON is, told by serde_json.

use serde::de::IgnoredAny;

/// Whether the text is one RFC 8259 object, with nothing but white space around it.
pub fn is_object(text: &str) -> bool {
    begins_object(text) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Whether some text behind this one would make it an object.
pub fn is_prefix(text: &str) -> bool {
    let white = text.trim_start_matches([' ', '\t', '\r', '\n']);
    let goes_on = |more: &str| eof(&format!("{text}{more}"));
    let rest = match eof(text) {
        // serde_json takes any three bytes behind `\u` for the beginning of an escape: the string must end
        // well if the escape that is open is completed.
        Some(open) if open.contains("string") => ["\"", "\\\"", "0\"", "00\"", "000\"", "0000\""]
            .iter()
            .any(|more| goes_on(more).is_some_and(|open| !open.contains("string"))),
        Some(_) => true,
        // It calls `1e` and its like at the end an invalid number; a digit behind shows what it is.
        None => goes_on("0").is_some(),
    };
    white.is_empty() || begins_object(text) && rest
}

/// Whether the text is JSON from its first `{` on, as far as it goes, and ends inside a string.
///
/// Where a quote stands before that brace, the brace may be inside a string, and the answer is no. So it is
/// where a quote stands in the last four bytes behind `\u`, which serde_json takes for digits to come.
pub fn ends_in_string(text: &str) -> bool {
    if text.rsplit_once("\\u").is_some_and(|(_, digits)| digits.len() < 4 && digits.contains('"')) {
        return false;
    }
    let from = text.find('{').filter(|&at| !text[..at].contains(['"', '\'', '`', '“', '”', '„', '«', '‘']));
    from.and_then(|at| eof(&text[at..])).is_some_and(|message| message.contains("string"))
}

/// What serde_json missed at the end of the text, where it objects to nothing else.
fn eof(text: &str) -> Option<String> {
    serde_json::from_str::<IgnoredAny>(text).err().filter(serde_json::Error::is_eof).map(|e| e.to_string())
}

fn begins_object(text: &str) -> bool {
    text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('{')
}

/// How deep containers nest in a valid text.
pub fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    outside_strings(json, |c| match c {
        '{' | '[' => {
            depth += 1;
            deepest = deepest.max(depth);
        }
        '}' | ']' => depth = depth.saturating_sub(1),
        _ => {}
    });
    deepest
}

/// Whether no text can nest deeper than `limit`, because it has no more openers than that.
pub fn depth_at_most(text: &str, limit: usize) -> bool {
    text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count() <= limit
}

/// A valid text without the white space between its tokens.
pub fn lexemes(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut at = 0;
    for (open, close) in strings(json) {
        out.extend(json[at..open].chars().filter(|c| !c.is_ascii_whitespace()));
        out.push_str(&json[open..close]);
        at = close;
    }
    out.extend(json[at..].chars().filter(|c| !c.is_ascii_whitespace()));
    out
}

/// Every string of a valid text: where its opening quote stands, and the byte behind its closing quote.
pub fn strings(json: &str) -> Vec<(usize, usize)> {
    let bytes = json.as_bytes();
    let mut found = Vec::new();
    let mut open = None;
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], open) {
            (b'"', None) => open = Some(at),
            (b'"', Some(from)) => {
                found.push((from, at + 1));
                open = None;
            }
            (b'\\', Some(_)) => at += 1,
            _ => {}
        }
        at += 1;
    }
    found
}

fn outside_strings(json: &str, mut each: impl FnMut(char)) {
    let mut at = 0;
    for (open, close) in strings(json) {
        json[at..open].chars().for_each(&mut each);
        at = close;
    }
    json[at..].chars().for_each(each);
}

#[cfg(test)]
mod tests {
    use super::{depth, ends_in_string, is_object, is_prefix, lexemes};

    #[test]
    fn what_json_is() {
        for (text, object, prefix, in_string) in [
            ("{}", true, false, false),
            (" {\"a\": [1e400, \"\\ud800\"]}\n", true, false, false),
            ("[1]", false, false, false),
            ("", false, true, false),
            ("{\"a", false, true, true),
            ("{\"a\": \"x\\u00", false, true, true),
            ("{\"a\": \"x\"", false, true, false),
            ("{\"a\": tru", false, true, false),
            ("{\"a\": -1.5e", false, true, false),
            ("{\"a\": \"\\", false, true, true),
            ("{\"a\": \"\\u0", false, true, true),
            ("{\"a\": \"\\ux", false, false, true),
            ("{a", false, false, false),
            ("Here: {\"a\": \"x", false, false, true),
            ("\"a\": \"x{\"", false, false, false),
        ] {
            assert_eq!(
                (is_object(text), is_prefix(text), ends_in_string(text)),
                (object, prefix, in_string),
                "{text}"
            );
        }
        assert_eq!(depth("{\"a\": [{\"}{\": []}]}"), 4);
        assert_eq!(lexemes("{ \"a b\" : [ 1 , \"\\\" x\" ] }"), "{\"a b\":[1,\"\\\" x\"]}");
    }
}
