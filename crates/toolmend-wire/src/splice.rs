//! Changes of an event's bytes: what stands in some places gives way, everything else stays as it is.

use core::ops::Range;

use crate::json::Value;

/// A stretch of bytes, and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Splice {
    range: Range<usize>,
    put: String,
    kind: Kind,
}

/// What a change is about: commas depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Bytes like any other.
    Plain,
    /// A member of an object is put in front of the others; a comma follows where one stays.
    Member,
    /// A member or an item is taken out.
    Cut,
}

/// The changes of one text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Splices(Vec<Splice>);

impl Splices {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add(&mut self, range: Range<usize>, put: impl Into<String>) {
        self.0.push(Splice { range, put: put.into(), kind: Kind::Plain });
    }

    /// Puts this JSON in the place of a value.
    pub(crate) fn replace(&mut self, bytes: &[u8], value: Value<'_>, put: impl Into<String>) {
        self.add(value.range_in(bytes), put);
    }

    /// Puts this JSON into an object: in the place of the member's value, or as its first member. What is no
    /// object, as `null`, becomes one.
    pub(crate) fn set(&mut self, bytes: &[u8], object: Value<'_>, key: &str, put: &str) {
        if let Some((_, value)) = object.member(key) {
            return self.replace(bytes, value, put);
        }
        let range = object.range_in(bytes);
        if object.is_object() {
            let inside = range.start + 1..range.start + 1;
            self.0.push(Splice { range: inside, put: format!("\"{key}\":{put}"), kind: Kind::Member });
            return;
        }
        match self.0.iter_mut().find(|splice| splice.range == range && splice.put.starts_with('{')) {
            Some(splice) => splice.put.insert_str(1, &format!("\"{key}\":{put},")),
            None => self.add(range, format!("{{\"{key}\":{put}}}")),
        }
    }

    /// As [`Splices::set`], for a member of an object that is itself a member and need not be there yet.
    pub(crate) fn set_within(&mut self, bytes: &[u8], object: Value<'_>, within: &str, key: &str, put: &str) {
        if let Some((_, inner)) = object.member(within) {
            return self.set(bytes, inner, key, put);
        }
        let begin = format!("\"{within}\":{{");
        let inside = object.range_in(bytes).start + 1;
        let is_it = |splice: &&mut Splice| splice.range == (inside..inside) && splice.put.starts_with(&begin);
        match self.0.iter_mut().find(is_it) {
            Some(splice) => splice.put.insert_str(begin.len(), &format!("\"{key}\":{put},")),
            None => self.set(bytes, object, within, &format!("{{\"{key}\":{put}}}")),
        }
    }

    /// Puts another member into an object in the place of this one.
    pub(crate) fn replace_member(&mut self, bytes: &[u8], object: Value<'_>, key: &str, put: &str) {
        if let Some((name, value)) = object.member(key) {
            self.add(name.range_in(bytes).start..value.range_in(bytes).end, put);
        }
    }

    /// Takes a member out of an object, with the comma that it needs no more.
    pub(crate) fn remove(&mut self, bytes: &[u8], object: Value<'_>, key: &str) {
        if let Some((name, value)) = object.member(key) {
            self.cut(name.range_in(bytes).start..value.range_in(bytes).end);
        }
    }

    /// Takes an item out of its array, or a member out of its object, with the comma that it needs no more.
    pub(crate) fn cut(&mut self, item: Range<usize>) {
        self.0.push(Splice { range: item, put: String::new(), kind: Kind::Cut });
    }

    /// Appends the text with its changes to `out`. Where two changes overlap, the later one gives way.
    pub(crate) fn apply(mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.0.sort_by_key(|splice| (splice.range.start, splice.range.end));
        self.0.retain(|splice| splice.range.end <= bytes.len());
        self.join_cuts(bytes);
        self.part_members(bytes);
        let mut from = 0;
        for Splice { range, put, .. } in &self.0 {
            if range.start >= from {
                out.extend_from_slice(&bytes[from..range.start]);
                out.extend_from_slice(put.as_bytes());
                from = range.end;
            }
        }
        out.extend_from_slice(&bytes[from..]);
    }

    /// Cuts of neighbours become one, which takes the comma behind them, else the one before.
    fn join_cuts(&mut self, bytes: &[u8]) {
        let mut joined: Vec<Splice> = Vec::with_capacity(self.0.len());
        for splice in self.0.drain(..) {
            let last = joined.last_mut().filter(|last| last.kind == Kind::Cut && splice.kind == Kind::Cut);
            let between = |last: &Splice| bytes.get(last.range.end..splice.range.start);
            match last {
                Some(last) if between(last).is_some_and(|between| between.trim_ascii() == b",") => {
                    last.range.end = splice.range.end;
                }
                _ => joined.push(splice),
            }
        }
        for Splice { range, .. } in joined.iter_mut().filter(|splice| splice.kind == Kind::Cut) {
            let behind = bytes[range.end..].trim_ascii_start();
            if let Some(rest) = behind.strip_prefix(b",") {
                range.end = bytes.len() - rest.trim_ascii_start().len();
            } else if let Some(before) = bytes[..range.start].trim_ascii_end().strip_suffix(b",") {
                range.start = before.len();
            }
        }
        self.0 = joined;
    }

    /// Members that are put into an object are parted by commas, from each other and from those that stay.
    fn part_members(&mut self, bytes: &[u8]) {
        for at in 0..self.0.len() {
            if self.0[at].kind != Kind::Member {
                continue;
            }
            let inside = self.0[at].range.start;
            let next = self.0[at + 1..].first();
            let is_followed =
                next.is_some_and(|next| next.kind == Kind::Member && next.range.start == inside);
            let cut = self.0[at + 1..].iter().find(|splice| splice.range.start >= inside);
            let stays = |from: usize| !bytes[from..].trim_ascii_start().starts_with(b"}");
            let first_is_cut = cut.filter(|cut| {
                cut.kind == Kind::Cut && bytes[inside..cut.range.start].trim_ascii().is_empty()
            });
            if is_followed || stays(first_is_cut.map_or(inside, |cut| cut.range.end)) {
                self.0[at].put.push(',');
            }
        }
    }
}

/// The JSON with a space for each line end between its tokens, for framings that end an event with its line.
pub(crate) fn on_a_line(json: &str) -> String {
    // JSON has none inside its strings.
    json.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::Splices;
    use crate::json::Value;

    fn changed(text: &str, change: impl Fn(&mut Splices, Value<'_>)) -> String {
        let mut splices = Splices::default();
        change(&mut splices, Value::parse(text).unwrap());
        let mut out = Vec::new();
        splices.apply(text.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn members_are_set() {
        for (text, after) in [
            (r#"{"a": 1 }"#, r#"{"a": 7 }"#),
            (r#"{"a":null,"b":2}"#, r#"{"a":7,"b":2}"#),
            (r#"{}"#, r#"{"a":7}"#),
            (r#"{ "b":2}"#, r#"{"a":7, "b":2}"#),
        ] {
            assert_eq!(changed(text, |splices, value| splices.set(text.as_bytes(), value, "a", "7")), after);
        }
    }

    #[test]
    fn members_are_removed() {
        for (text, after) in [
            (r#"{"a":1}"#, "{}"),
            (r#"{"a":"x", "b":2}"#, r#"{"b":2}"#),
            (r#"{"b":2 , "a":{"c":1}}"#, r#"{"b":2 }"#),
            (r#"{"b":2,"a":1,"c":3}"#, r#"{"b":2,"c":3}"#),
            (r#"{"b":2}"#, r#"{"b":2}"#),
        ] {
            let after_change = changed(text, |splices, value| splices.remove(text.as_bytes(), value, "a"));
            assert_eq!(after_change, after);
            assert!(Value::parse(&after_change).is_ok());
        }
    }

    /// Whatever is set and removed together, JSON stays JSON.
    #[test]
    fn changes_of_one_object() {
        for (text, after) in [
            ("{}", r#"{"x":1,"y":2}"#),
            ("null", r#"{"y":2,"x":1}"#),
            (r#"{"a":1}"#, r#"{"x":1,"y":2}"#),
            (r#"{"a":1,"b":2}"#, r#"{"x":1,"y":2}"#),
            (r#"{ "a":1 , "b":2 , "c":3 }"#, r#"{"x":1,"y":2, "c":3 }"#),
            (r#"{"c":3, "a":1,"b":2}"#, r#"{"x":1,"y":2,"c":3}"#),
            (r#"{"a":1,"c":3,"b":2}"#, r#"{"x":1,"y":2,"c":3}"#),
            (r#"{"c":3}"#, r#"{"x":1,"y":2,"c":3}"#),
        ] {
            let after_change = changed(text, |splices, value| {
                splices.set(text.as_bytes(), value, "x", "1");
                splices.remove(text.as_bytes(), value, "b");
                splices.remove(text.as_bytes(), value, "a");
                splices.set(text.as_bytes(), value, "y", "2");
            });
            assert_eq!(after_change, after, "{text}");
            assert!(Value::parse(&after_change).is_ok());
        }
        for (text, after) in [
            ("{}", r#"{"f":{"y":2,"x":1}}"#),
            (r#"{"f":null}"#, r#"{"f":{"y":2,"x":1}}"#),
            (r#"{"f":{}}"#, r#"{"f":{"x":1,"y":2}}"#),
            (r#"{"f":{"z":3}}"#, r#"{"f":{"x":1,"y":2,"z":3}}"#),
        ] {
            let after_change = changed(text, |splices, value| {
                splices.set_within(text.as_bytes(), value, "f", "x", "1");
                splices.set_within(text.as_bytes(), value, "f", "y", "2");
            });
            assert_eq!(after_change, after, "{text}");
        }
    }
}
