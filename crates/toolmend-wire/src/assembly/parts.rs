//! Arguments that come value by value, each with the path that it belongs to (Vertex AI,
//! `streamFunctionCallArguments`): `{"jsonPath":"$.items[0].name","stringValue":"ap","willContinue":true}`.

use toolmend_core::quote::quoted;

use crate::json::Value;
use crate::text::Text;

/// The values so far.
#[derive(Debug, Default)]
pub(super) struct Parts {
    root: Option<Node>,
    /// A part has no place, a value that is none, or a place that holds a value already.
    contradicts: bool,
    /// More parts are to come.
    more: bool,
}

#[derive(Debug)]
enum Node {
    /// A text, and whether more of it is to come.
    Text(String, bool),
    Json(String),
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
}

enum Step {
    Key(String),
    Item(usize),
}

/// How deep a path may lead.
const MAX_PATH: usize = 64;

impl Parts {
    /// Takes an array of parts; answers how many bytes they added.
    pub(super) fn take(&mut self, parts: &str, more: bool) -> usize {
        if self.root.is_none() && !more && parts == "[]" {
            return 0;
        }
        self.root.get_or_insert(Node::Object(Vec::new()));
        self.more = more;
        let Some(parts) = Value::parse(parts).ok().filter(|parts| parts.is_array()) else {
            self.contradicts = true;
            return 0;
        };
        for part in parts.items() {
            let steps = part.get("jsonPath").and_then(Value::text).and_then(|path| steps(&path.to_text()));
            let root = self.root.get_or_insert(Node::Object(Vec::new()));
            let placed = steps.zip(value_of(part)).is_some_and(|(steps, value)| place(root, &steps, value));
            self.contradicts |= !placed;
        }
        parts.raw().len()
    }

    /// The arguments as JSON; `None` where the parts contradict each other. Where more was to come, the end is
    /// open: at a text without its quote, or an object without its brace.
    pub(super) fn json(&self) -> Option<String> {
        let mut json = String::new();
        let whole = match &self.root {
            Some(root) => write(root, &mut json),
            None => {
                json.push_str("{}");
                true
            }
        };
        if whole && self.more {
            json.pop();
        }
        (!self.contradicts).then_some(json)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.root.is_none() && !self.contradicts
    }
}

/// The value of a part; `None` where it has none that is known, or several.
fn value_of(part: Value<'_>) -> Option<Node> {
    let (mut value, mut null, mut goes_on) = (None, false, false);
    for (key, said) in part.members() {
        let node = match &*key.to_text() {
            "jsonPath" => continue,
            "willContinue" => {
                goes_on = said.raw() == "true";
                continue;
            }
            "nullValue" => {
                null = true;
                continue;
            }
            _ if said.is_null() => continue,
            "stringValue" => Node::Text(said.text()?.to_text(), false),
            "numberValue" if said.raw().starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                Node::Json(said.raw().to_owned())
            }
            "boolValue" if matches!(said.raw(), "true" | "false") => Node::Json(said.raw().to_owned()),
            _ => return None,
        };
        if value.replace(node).is_some() {
            return None;
        }
    }
    match value {
        Some(Node::Text(text, _)) => Some(Node::Text(text, goes_on)),
        None if null => Some(Node::Json("null".to_owned())),
        value => value,
    }
}

/// `$.a[0].b` or `$['a'][0]`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == MAX_PATH {
            return None;
        }
        if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (key, after) = name.split_at(end);
            // Neither a step down any number of levels nor an escape is a name.
            if key.is_empty() || key.contains('\\') {
                return None;
            }
            steps.push(Step::Key(key.to_owned()));
            rest = after;
        } else if let Some((open, quote)) =
            [("['", '\''), ("[\"", '"')].into_iter().find(|(open, _)| rest.starts_with(open))
        {
            let (key, after) = quoted_key(&rest[open.len()..], quote)?;
            steps.push(Step::Key(key));
            rest = after.strip_prefix(']')?;
        } else {
            let (item, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Item(item.parse().ok()?));
            rest = after;
        }
    }
    if steps.is_empty() { None } else { Some(steps) }
}

/// The key up to this quote, and what stands behind that (RFC 9535, section 2.3.1: the escapes are those of JSON, and
/// the one of the quote).
fn quoted_key(text: &str, quote: char) -> Option<(String, &str)> {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    let key = text[..end].replace("\\'", "'");
    Some((Text::Escaped(&key).to_text(), &text[end + quote.len_utf8()..]))
}

/// Puts a value where the path leads; a text goes on with the text that is there, if that is to go on. Answers whether
/// it fits.
fn place(root: &mut Node, path: &[Step], value: Node) -> bool {
    let mut node = root;
    for (at, step) in path.iter().enumerate() {
        let last = at + 1 == path.len();
        let fresh = || match path.get(at + 1) {
            None => Node::Text(String::new(), true),
            Some(Step::Key(_)) => Node::Object(Vec::new()),
            Some(Step::Item(_)) => Node::Array(Vec::new()),
        };
        let (child, is_new) = match (node, step) {
            (Node::Object(members), Step::Key(key)) => {
                let known = members.iter().position(|(name, _)| name == key);
                let at = known.unwrap_or_else(|| {
                    members.push((key.clone(), fresh()));
                    members.len() - 1
                });
                (&mut members[at].1, known.is_none())
            }
            (Node::Array(items), Step::Item(item)) if *item <= items.len() => {
                let is_new = *item == items.len();
                if is_new {
                    items.push(fresh());
                }
                (&mut items[*item], is_new)
            }
            _ => return false,
        };
        if last {
            return match (child, value) {
                (Node::Text(text, goes_on @ true), Node::Text(more, still)) => {
                    text.push_str(&more);
                    *goes_on = still;
                    true
                }
                (child, value) if is_new => {
                    *child = value;
                    true
                }
                _ => false,
            };
        }
        node = child;
    }
    false
}

/// Answers whether it was written to its end: nothing follows on a text of which more is to come. As deep as
/// [`MAX_PATH`] at most.
fn write(node: &Node, json: &mut String) -> bool {
    match node {
        Node::Text(text, goes_on) => {
            json.push_str(&quoted(text));
            if *goes_on {
                json.pop();
            }
            return !goes_on;
        }
        Node::Json(text) => json.push_str(text),
        Node::Object(members) => {
            for (at, (key, value)) in members.iter().enumerate() {
                json.push(if at == 0 { '{' } else { ',' });
                json.push_str(&quoted(key));
                json.push(':');
                if !write(value, json) {
                    return false;
                }
            }
            json.push_str(if members.is_empty() { "{}" } else { "}" });
        }
        Node::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                json.push(if at == 0 { '[' } else { ',' });
                if !write(item, json) {
                    return false;
                }
            }
            json.push_str(if items.is_empty() { "[]" } else { "]" });
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::Parts;

    #[test]
    fn parts_make_an_object() {
        let cases: &[(&[&str], Option<&str>)] = &[
            (&[], Some("{}")),
            (
                &[
                    r#"[{"jsonPath":"$.a","stringValue":"x","willContinue":true}]"#,
                    r#"[{"jsonPath":"$.a","stringValue":"y"}]"#,
                ],
                Some(r#"{"a":"xy"}"#),
            ),
            (
                &[
                    r#"[{"jsonPath":"$.a[0].b","numberValue":1.10},{"jsonPath":"$.a[1].b","boolValue":false}]"#,
                ],
                Some(r#"{"a":[{"b":1.10},{"b":false}]}"#),
            ),
            (&[r#"[{"jsonPath":"$['a b']","nullValue":null}]"#], Some(r#"{"a b":null}"#)),
            (&[r#"[{"jsonPath":"$[\"a.b\"]","stringValue":""}]"#], Some(r#"{"a.b":""}"#)),
            (&[r#"[{"jsonPath":"$.a","numberValue":1}]"#, r#"[{"jsonPath":"$.a","numberValue":2}]"#], None),
            (&[r#"[{"jsonPath":"$.a[2]","numberValue":1}]"#], None),
            (&[r#"[{"jsonPath":"a","numberValue":1}]"#], None),
            (&[r#"[{"jsonPath":"$.a","numberValue":1},{"jsonPath":"$.a.b","numberValue":1}]"#], None),
            // Texts that go on by turns.
            (
                &[
                    r#"[{"jsonPath":"$.a","stringValue":"x","willContinue":true},{"jsonPath":"$.b","stringValue":"1"}]"#,
                    r#"[{"jsonPath":"$.a","stringValue":"","willContinue":false}]"#,
                ],
                Some(r#"{"a":"x","b":"1"}"#),
            ),
            // One that has ended does not go on.
            (
                &[r#"[{"jsonPath":"$.a","stringValue":"x"}]"#, r#"[{"jsonPath":"$.a","stringValue":"y"}]"#],
                None,
            ),
            // What the value is is not known, or there are two.
            (&[r#"[{"jsonPath":"$.a","stringValue":"x"},{"jsonPath":"$.b","structValue":{"c":1}}]"#], None),
            (&[r#"[{"jsonPath":"$.a"}]"#], None),
            (&[r#"[{"jsonPath":"$.a","stringValue":7}]"#], None),
            (&[r#"[{"jsonPath":"$.a","numberValue":"NaN"}]"#], None),
            (&[r#"[{"jsonPath":"$.a","boolValue":"true"}]"#], None),
            (&[r#"[{"jsonPath":"$.a","numberValue":1,"stringValue":"1"}]"#], None),
            (&[r#"{"jsonPath":"$.a","numberValue":1}"#], None),
            (
                &[r#"[{"jsonPath":"$.a","numberValue":1,"stringValue":null,"nullValue":null}]"#],
                Some(r#"{"a":1}"#),
            ),
            // Keys in quotes.
            (&[r#"[{"jsonPath":"$['it\\'s']","numberValue":1}]"#], Some(r#"{"it's":1}"#)),
            (&[r#"[{"jsonPath":"$['a\\\\']['b']","numberValue":1}]"#], Some(r#"{"a\\":{"b":1}}"#)),
            (&[r#"[{"jsonPath":"$['a']']","numberValue":1}]"#], None),
            (&[r#"[{"jsonPath":"$['a","numberValue":1}]"#], None),
            (&[r#"[{"jsonPath":"$..a","numberValue":1}]"#], None),
            (&[r#"[{"jsonPath":"$é","numberValue":1}]"#], None),
        ];
        for (arrays, json) in cases {
            let mut parts = Parts::default();
            for array in *arrays {
                parts.take(array, false);
            }
            assert_eq!(parts.json().as_deref(), *json, "{arrays:?}");
        }
    }

    #[test]
    fn what_is_to_go_on_stays_open() {
        let array = r#"[{"jsonPath":"$.a[0]","stringValue":"x","willContinue":true}]"#;
        for (array, more, json) in [
            (array, true, r#"{"a":["x"#),
            (array, false, r#"{"a":["x"#),
            (r#"[{"jsonPath":"$.a","numberValue":1}]"#, true, r#"{"a":1"#),
            // Nothing behind a text that is to go on is told.
            (
                r#"[{"jsonPath":"$.a","stringValue":"x","willContinue":true},{"jsonPath":"$.b","numberValue":1}]"#,
                false,
                r#"{"a":"x"#,
            ),
            ("[]", true, "{"),
            ("[]", false, "{}"),
        ] {
            let mut parts = Parts::default();
            parts.take(array, more);
            assert_eq!(parts.json().as_deref(), Some(json));
        }
    }
}
