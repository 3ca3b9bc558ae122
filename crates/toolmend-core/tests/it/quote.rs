//! What is written as a string reads as the text.

use proptest::prelude::*;
use toolmend_core::quote::quoted;

proptest! {
    #[test]
    fn a_quoted_text_reads_as_it_was(text in "[\\x00-\\x22\\\\a-z\u{7f}é\u{2028}😀]{0,24}") {
        let json = quoted(&text);
        prop_assert_eq!(serde_json::from_str::<String>(&json).ok(), Some(text));
        prop_assert!(json.bytes().all(|c| c >= 0x20));
    }
}
