//! Edits: applied, inverted and composed.

use std::borrow::Cow;

use proptest::prelude::*;
use toolmend_core::edit::{EditError, apply, compose, invert};
use toolmend_core::{Edit, Rule};

fn edit(start: usize, end: usize, put: &str) -> Edit {
    Edit { start, end, put: Cow::Owned(put.into()), rule: Rule::Comment }
}

#[test]
fn what_does_not_apply() {
    for (text, edits, error) in [
        ("abc", vec![edit(2, 1, "")], EditError::OutOfRange { edit: 0 }),
        ("abc", vec![edit(0, 4, "")], EditError::OutOfRange { edit: 0 }),
        ("abc", vec![edit(0, 1, ""), edit(4, 4, "x")], EditError::OutOfRange { edit: 1 }),
        ("abc", vec![edit(0, 2, ""), edit(1, 3, "")], EditError::Overlap { edit: 1 }),
        ("abc", vec![edit(2, 2, "x"), edit(1, 1, "y")], EditError::Overlap { edit: 1 }),
        ("aéb", vec![edit(2, 2, "x")], EditError::InsideCharacter { edit: 0 }),
        ("aéb", vec![edit(0, 2, "x")], EditError::InsideCharacter { edit: 0 }),
    ] {
        assert_eq!(apply(text, &edits), Err(error), "{text:?} {edits:?}");
        assert_eq!(invert(text, &edits), Err(error));
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn insertions_at_one_place_stay_in_their_order() {
    let edits = [edit(1, 1, "]"), edit(1, 1, "}"), edit(1, 2, "")];
    assert_eq!(apply("abc", &edits).as_deref(), Ok("a]}c"));
}

#[test]
fn composed_where_they_touch() {
    for (text, first, second, both) in [
        ("abc", vec![edit(1, 2, "XY")], vec![edit(1, 3, "")], "ac"),
        ("abc", vec![edit(1, 2, "XY")], vec![edit(2, 2, "-")], "aX-Yc"),
        ("abc", vec![edit(1, 1, "X")], vec![edit(0, 1, "")], "Xbc"),
        ("abc", vec![edit(0, 3, "")], vec![edit(0, 0, "z")], "z"),
        ("abc", vec![], vec![edit(1, 2, "")], "ac"),
        ("abc", vec![edit(1, 2, "")], vec![], "ac"),
        ("abcdef", vec![edit(1, 2, ""), edit(4, 5, "E")], vec![edit(0, 5, "-")], "-"),
    ] {
        let made = compose(text, &first, &second).expect("both apply");
        assert_eq!(apply(text, &made).as_deref(), Ok(both), "{text:?} {first:?} {second:?} -> {made:?}");
    }
}

/// Edits that apply to a text of this many bytes.
fn edits(text: &str, places: &[(prop::sample::Index, u8, String)]) -> Vec<Edit> {
    let bounds: Vec<usize> = (0..=text.len()).filter(|&i| text.is_char_boundary(i)).collect();
    let mut starts: Vec<(usize, u8, &String)> =
        places.iter().map(|(at, span, put)| (at.index(bounds.len()), *span, put)).collect();
    starts.sort_by_key(|s| s.0);
    let mut edits: Vec<Edit> = Vec::new();
    let mut from = 0;
    for (start, span, put) in starts {
        let start = start.max(from);
        let end = (start + span as usize).min(bounds.len() - 1);
        edits.push(edit(bounds[start], bounds[end], put));
        from = end;
    }
    edits
}

fn places() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, String)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, "[a-cé🙂]{0,3}"), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn inverted_is_undone(text in "[a-dé北🙂]{0,16}", at in places()) {
        let edits = edits(&text, &at);
        let made = apply(&text, &edits).expect("sorted and disjoint");
        let back = invert(&text, &edits).expect("as they apply");
        prop_assert_eq!(apply(&made, &back), Ok(text));
        // Twice inverted is the first again.
        prop_assert_eq!(invert(&made, &back), Ok(edits));
    }

    #[test]
    fn composed_does_both(text in "[a-dé北🙂]{0,16}", first in places(), second in places(), third in places()) {
        let one = edits(&text, &first);
        let middle = apply(&text, &one).expect("sorted and disjoint");
        let two = edits(&middle, &second);
        let end = apply(&middle, &two).expect("sorted and disjoint");
        let both = compose(&text, &one, &two).expect("both apply");
        prop_assert!(both.windows(2).all(|w| w[0].end <= w[1].start), "{:?}", both);
        prop_assert_eq!(apply(&text, &both), Ok(end.clone()), "{:?} {:?} -> {:?}", one, two, both);
        // It does not matter which two of three are composed first.
        let three = edits(&end, &third);
        let last = apply(&end, &three).expect("sorted and disjoint");
        let left = compose(&text, &both, &three).expect("all apply");
        let right = compose(&text, &one, &compose(&middle, &two, &three).expect("both apply")).expect("all apply");
        prop_assert_eq!(apply(&text, &left), Ok(last.clone()));
        prop_assert_eq!(apply(&text, &right), Ok(last));
        // What does nothing changes nothing.
        prop_assert_eq!(compose(&text, &one, &[]), Ok(one.clone()));
        prop_assert_eq!(compose(&text, &[], &one), Ok(one));
    }
}
