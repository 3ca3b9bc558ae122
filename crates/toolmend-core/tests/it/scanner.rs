//! The scanner against a naive one and against serde_json, in every split.

use proptest::prelude::*;
use serde_json::Value;
use toolmend_core::Scanner;
use toolmend_core::scan::Status;

use crate::oracle;
use crate::tape::Tape;
use crate::tree::{WORDS, joined, object, style};

/// `text => what it is`, where it is not said by the oracle alone.
const TABLE: &[(&str, Status)] = &[
    ("", Status::Prefix),
    (" \n", Status::Prefix),
    ("{", Status::Prefix),
    ("{}", Status::Whole),
    (" {} \r\n\t", Status::Whole),
    ("{}x", Status::Fault { at: 2 }),
    ("{}{", Status::Fault { at: 2 }),
    ("[", Status::Fault { at: 0 }),
    ("\"a\"", Status::Fault { at: 0 }),
    ("\u{feff}{}", Status::Fault { at: 0 }),
    ("{\"a\":tr", Status::Prefix),
    ("{\"a\":trU", Status::Fault { at: 7 }),
    ("{\"a\":true,}", Status::Fault { at: 10 }),
    ("{\"a\":01}", Status::Fault { at: 6 }),
    ("{\"a\":-}", Status::Fault { at: 6 }),
    ("{\"a\":1.}", Status::Fault { at: 7 }),
    ("{\"a\":1e+}", Status::Fault { at: 8 }),
    ("{\"a\":1E5", Status::Prefix),
    ("{\"a\":[1,]", Status::Fault { at: 8 }),
    ("{\"a\":[1}", Status::Fault { at: 7 }),
    ("{\"a\":\"\\u12", Status::Prefix),
    ("{\"a\":\"\\u12x", Status::Fault { at: 10 }),
    ("{\"a\":\"\\x", Status::Fault { at: 7 }),
    ("{\"a\":\"\n", Status::Fault { at: 6 }),
    ("{\"a\":\"\u{7f}\u{85}\"}", Status::Whole),
    ("{\"a\" \"b\"}", Status::Fault { at: 5 }),
    ("{a:1}", Status::Fault { at: 1 }),
    ("{\"a\":1 2}", Status::Fault { at: 7 }),
];

/// The scanner after these bytes, and the same bytes in two pieces at every place and one at a time.
fn in_every_split(bytes: &[u8]) -> Scanner {
    let mut whole = Scanner::new();
    let status = whole.push(bytes);
    assert_eq!(status, whole.status());
    for at in 0..=bytes.len() {
        let mut two = Scanner::new();
        two.push(&bytes[..at]);
        assert_eq!(two.status(), oracle::scan(&bytes[..at]), "{:?}", String::from_utf8_lossy(&bytes[..at]));
        two.push(&bytes[at..]);
        assert_eq!(two, whole, "split at {at}: {:?}", String::from_utf8_lossy(bytes));
    }
    let mut bytewise = Scanner::new();
    for byte in bytes {
        bytewise.push(std::slice::from_ref(byte));
    }
    assert_eq!(bytewise, whole);
    whole
}

#[test]
fn table() {
    for (text, status) in TABLE {
        assert_eq!(oracle::scan(text.as_bytes()), *status, "the oracle on {text:?}");
        assert_eq!(in_every_split(text.as_bytes()).status(), *status, "{text:?}");
    }
}

#[test]
fn nothing_is_taken_after_a_fault() {
    let mut scan = Scanner::new();
    scan.push(b"{\"a\":1,}");
    let stopped = scan.clone();
    assert_eq!((scan.status(), scan.offset()), (Status::Fault { at: 7 }, 7));
    scan.push(b"{}");
    assert_eq!(scan, stopped);
}

#[test]
fn depth_and_strings_are_known_after_any_prefix() {
    for (text, depth, in_string) in [
        ("", 0, false),
        ("{\"a", 1, true),
        ("{\"a\"", 1, false),
        ("{\"a\":[{\"b\":\"c\\", 3, true),
        ("{\"a\":[{\"b\":\"c\\u00", 3, true),
        ("{\"a\":[{}", 2, false),
        ("{\"a\":[{}]}", 0, false),
    ] {
        let scan = in_every_split(text.as_bytes());
        assert_eq!((scan.depth(), scan.in_string()), (depth, in_string), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn valid_bodies(words in prop::collection::vec(any::<u32>(), 0..60)) {
        let mut tape = Tape::new(words);
        let tree = object(&mut tape, 3, WORDS);
        let style = style(&mut tape);
        let text = joined(&tree.tokens(style, &mut tape));
        prop_assert_eq!(in_every_split(text.as_bytes()).status(), Status::Whole);
    }

    #[test]
    fn changed_bodies(
        words in prop::collection::vec(any::<u32>(), 0..40),
        at in any::<prop::sample::Index>(),
        byte in prop::sample::select(b"{}[],:\"\\'u0123456789.-+eEtrunfalse \n\t\x00\x1f\x7f\xff/".to_vec()),
        how in 0..3,
    ) {
        let mut tape = Tape::new(words);
        let tree = object(&mut tape, 3, WORDS);
        let style = style(&mut tape);
        let mut bytes = joined(&tree.tokens(style, &mut tape)).into_bytes();
        let at = at.index(bytes.len());
        match how {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            _ => { bytes.remove(at); }
        }
        in_every_split(&bytes);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(prop::sample::select(b"{}[],:\"\\u0aAe1.-trunfals \n\x01\xc3\xa9".to_vec()), 0..40)) {
        in_every_split(&bytes);
    }

    #[test]
    fn as_serde_json_has_it(text in "[{}\\[\\],:\"\\\\ 0-2eE.+ntrufals-]{0,24}") {
        let whole = Scanner::new().push(text.as_bytes()) == Status::Whole;
        let object = serde_json::from_str::<Value>(&text).is_ok_and(|v| v.is_object());
        // serde_json has no strings for halves of surrogate pairs, and this text cannot write one.
        prop_assert_eq!(whole, object, "{:?}", text);
    }

    #[test]
    fn long_strings(words in prop::collection::vec("[ -~]{0,9}|\u{e9}|\u{1f642}|\\\\\"|\\\\u00e9|\n|\"|\u{1}", 0..12)) {
        // Every length beside the words of eight bytes that are skipped at once.
        let text = format!("{{\"k\":\"{}\"}}", words.concat());
        in_every_split(text.as_bytes());
    }
}
