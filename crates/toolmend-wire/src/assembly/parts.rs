//! Arguments that come value by value, each with the path that it belongs to (Vertex AI,
//! `streamFunctionCallArguments`): `{"jsonPath":"$.items[0].name","stringValue":"ap","willContinue":true}`.

use toolmend_core::quote::quoted;

use crate::json::Value;

/// The values so far.
#[derive(Debug, Default)]
pub(super) struct Parts {
    root: Option<Node>,
    /// A part has no place, or one that holds another kind of value already.
    contradicts: bool,
    /// A text is to go on, and more parts are to come.
    open_text: bool,
    more: bool,
}

#[derive(Debug)]
enum Node {
    Text(String),
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
        let Ok(parts) = Value::parse(parts) else {
            self.contradicts = true;
            return 0;
        };
        for part in parts.items() {
            let [path, text, number, boolean, goes_on] =
                part.pick(["jsonPath", "stringValue", "numberValue", "boolValue", "willContinue"]);
            self.open_text = text.is_some() && goes_on.is_some_and(|goes_on| goes_on.raw() == "true");
            let node = match (text.and_then(Value::text), number.or(boolean)) {
                (Some(text), _) => Node::Text(text.to_text()),
                (None, Some(json)) => Node::Json(json.raw().to_owned()),
                (None, None) if part.has("nullValue") => Node::Json("null".to_owned()),
                (None, None) => continue,
            };
            let steps = path.and_then(Value::text).and_then(|path| steps(&path.to_text()));
            let placed = steps
                .is_some_and(|steps| place(self.root.get_or_insert(Node::Object(Vec::new())), &steps, node));
            self.contradicts |= !placed;
        }
        parts.raw().len()
    }

    /// The arguments as JSON; `None` where the parts contradict each other. Where more was to come, the end is
    /// open: a text without its quote, or an object without its brace.
    pub(super) fn json(&self) -> Option<String> {
        let mut json = String::new();
        match &self.root {
            Some(root) => write(root, &mut json),
            None => json.push_str("{}"),
        }
        if self.open_text {
            json.truncate(json.trim_end_matches(['}', ']']).len());
        }
        if self.open_text || self.more {
            json.pop();
        }
        (!self.contradicts).then_some(json)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.root.is_none() && !self.contradicts
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
            steps.push(Step::Key(name[..end].to_owned()));
            rest = &name[end..];
        } else if let Some(quote) = ["['", "[\""].into_iter().find(|quote| rest.starts_with(quote)) {
            let close = if quote == "['" { "']" } else { "\"]" };
            let (key, after) = rest[2..].split_once(close)?;
            steps.push(Step::Key(key.to_owned()));
            rest = after;
        } else {
            let (item, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Item(item.parse().ok()?));
            rest = after;
        }
    }
    if steps.is_empty() { None } else { Some(steps) }
}

/// Puts a value where the path leads; a text goes on with the text that is there. Answers whether it fits.
fn place(root: &mut Node, path: &[Step], value: Node) -> bool {
    let mut node = root;
    for (at, step) in path.iter().enumerate() {
        let last = at + 1 == path.len();
        let fresh = || match path.get(at + 1) {
            None => Node::Text(String::new()),
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
                (Node::Text(text), Node::Text(more)) => {
                    text.push_str(&more);
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

/// As deep as [`MAX_PATH`] at most.
fn write(node: &Node, json: &mut String) {
    match node {
        Node::Text(text) => json.push_str(&quoted(text)),
        Node::Json(text) => json.push_str(text),
        Node::Object(members) => {
            for (at, (key, value)) in members.iter().enumerate() {
                json.push(if at == 0 { '{' } else { ',' });
                json.push_str(&quoted(key));
                json.push(':');
                write(value, json);
            }
            json.push_str(if members.is_empty() { "{}" } else { "}" });
        }
        Node::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                json.push(if at == 0 { '[' } else { ',' });
                write(item, json);
            }
            json.push_str(if items.is_empty() { "[]" } else { "]" });
        }
    }
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
            ("[]", true, "{"),
            ("[]", false, "{}"),
        ] {
            let mut parts = Parts::default();
            parts.take(array, more);
            assert_eq!(parts.json().as_deref(), Some(json));
        }
    }
}
