//! Lets jsonschema validate a [`Doc`] as it stands, without a value tree.

use std::borrow::Cow;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object};
use serde_json::Value;

use crate::doc::{Doc, Kind};
use crate::equal;
use crate::number::{Decimal, nearest};

/// JSON as spans of a text.
pub(crate) struct Spans;

/// A value in a text, or a property's name as a value of its own (for `propertyNames`).
#[derive(Clone, Copy)]
pub(crate) enum Span<'a> {
    At(&'a Doc<'a>, u32),
    Name(&'a str),
}

impl Json for Spans {
    type Node<'a> = Span<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    // One pass over the members beats a search for each property on objects of the usual size.
    const KEYS_PER_LOOKUP: usize = 4;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(_buffer: &mut (), string: &str, f: impl FnOnce(Span<'_>) -> T) -> T {
        f(Span::Name(string))
    }
}

impl<'a> Node<'a, Spans> for Span<'a> {
    type Object = Container<'a>;
    type Array = Container<'a>;
    type Number = Lexeme<'a>;

    fn as_object(&self) -> Option<Container<'a>> {
        self.container(Kind::Object)
    }

    fn as_array(&self) -> Option<Container<'a>> {
        self.container(Kind::Array)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match *self {
            Span::Name(name) => Some(Cow::Borrowed(name)),
            Span::At(doc, i) if doc.kind(i) == Kind::String => {
                let string = doc.string(i);
                doc.effort.step(1 + string.len() as u64 / 64).then_some(string)
            }
            Span::At(..) => None,
        }
    }

    fn as_number(&self) -> Option<Lexeme<'a>> {
        match *self {
            Span::At(doc, i) if doc.kind(i) == Kind::Number => Some(Lexeme(doc.raw(i))),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    fn is_number(&self) -> bool {
        self.kind() == Kind::Number
    }

    fn json_type(&self) -> JsonType {
        match self.kind() {
            Kind::Object => JsonType::Object,
            Kind::Array => JsonType::Array,
            Kind::String | Kind::Key => JsonType::String,
            Kind::Number => JsonType::Number,
            Kind::True | Kind::False => JsonType::Boolean,
            Kind::Null => JsonType::Null,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        match *self {
            Span::Name(name) => expected.as_str() == Some(name),
            Span::At(doc, i) => equal::to_value(doc, i, expected),
        }
    }

    /// Asked for by every error that is made, and used by nobody here: the place is enough to find the
    /// value again. So it only counts the error.
    fn to_value(&self) -> Cow<'a, Value> {
        if let Span::At(doc, _) = self {
            doc.effort.error();
        }
        Cow::Owned(Value::Null)
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(match *self {
            Span::At(doc, i) => NodeIdentity::new(std::ptr::from_ref(doc.item(i)) as usize),
            Span::Name(name) => NodeIdentity::tagged(name.as_ptr() as usize, 1),
        })
    }
}

impl<'a> Span<'a> {
    fn kind(&self) -> Kind {
        match *self {
            Span::At(doc, i) => doc.kind(i),
            Span::Name(_) => Kind::String,
        }
    }

    fn container(&self, kind: Kind) -> Option<Container<'a>> {
        match *self {
            Span::At(doc, at) if doc.kind(at) == kind => Some(Container { doc, at }),
            _ => None,
        }
    }
}

/// An object or array in a text.
pub(crate) struct Container<'a> {
    doc: &'a Doc<'a>,
    at: u32,
}

impl<'a> Container<'a> {
    fn children(&self) -> Children<'a> {
        Children { doc: self.doc, at: self.at + 1, end: self.doc.item(self.at).next }
    }
}

impl<'a> Object<'a, Spans> for Container<'a> {
    type Node = Span<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        self.doc.item(self.at).len as usize
    }

    fn get(&self, key: &String) -> Option<Span<'a>> {
        if !self.doc.effort.step(1) {
            return None;
        }
        self.doc.get(self.at, key).map(|value| Span::At(self.doc, value))
    }

    fn members(&self) -> Members<'a> {
        Members(self.children())
    }
}

impl<'a> Array<'a, Spans> for Container<'a> {
    type Node = Span<'a>;
    type ElementsIter = Elements<'a>;

    fn len(&self) -> usize {
        self.doc.item(self.at).len as usize
    }

    fn elements(&self) -> Elements<'a> {
        Elements(self.children())
    }

    fn is_unique(&self) -> bool {
        equal::all_differ(self.doc, self.at)
    }
}

struct Children<'a> {
    doc: &'a Doc<'a>,
    at: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.at >= self.end || !self.doc.effort.step(1) {
            return None;
        }
        let child = self.at;
        self.at = self.doc.item(child).next;
        Some(child)
    }
}

/// The members that count.
pub(crate) struct Members<'a>(Children<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Span<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let doc = self.0.doc;
        let key = self.0.find(|&key| !doc.item(key).stale)?;
        Some((doc.string(key), Span::At(doc, key + 1)))
    }
}

/// The elements of an array.
pub(crate) struct Elements<'a>(Children<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = Span<'a>;

    fn next(&mut self) -> Option<Span<'a>> {
        let child = self.0.next()?;
        Some(Span::At(self.0.doc, child))
    }
}

/// A number as written.
pub(crate) struct Lexeme<'a>(&'a str);

impl JsonNumber for Lexeme<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|n: &f64| n.is_finite())
    }

    /// Without its exponent, where that is not too long: jsonschema divides plain digits exactly.
    fn as_str(&self) -> Cow<'_, str> {
        match self.0.contains(['e', 'E']) {
            true => Decimal::of(self.0).plain().map_or(Cow::Borrowed(self.0), Cow::Owned),
            false => Cow::Borrowed(self.0),
        }
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        Cow::Owned(self.0.parse().unwrap_or_else(|_| nearest(self.0).0))
    }

    fn is_integer(&self) -> bool {
        Decimal::of(self.0).is_integer()
    }

    fn is_written_as_integer(&self) -> bool {
        !self.0.contains(['.', 'e', 'E'])
    }
}
