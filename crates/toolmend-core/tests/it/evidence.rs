//! What clues add up to.

use toolmend_core::{Clue, Ending, Evidence, Grade, Policy, Verdict};

use crate::checked::mended;

#[test]
fn clues_add_up() {
    let e = Evidence::new;
    for (evidence, ending) in [
        (e(), Ending::Unknown),
        (Evidence::whole(), Ending::Complete),
        (e().finish_reason(Some("stop")), Ending::Complete),
        (e().finish_reason(Some("tool_calls")), Ending::Complete),
        (e().finish_reason(Some("tool_use")), Ending::Complete),
        (e().finish_reason(Some("length")), Ending::Cut),
        (e().finish_reason(Some("max_tokens")), Ending::Cut),
        (e().finish_reason(Some("MAX_TOKENS")), Ending::Cut),
        (e().finish_reason(Some("content_filter")), Ending::Cut),
        (e().finish_reason(None), Ending::Cut),
        (e().finish_reason(Some("tool_calls")).usage(4096, 4096), Ending::Cut),
        (e().finish_reason(Some("tool_calls")).usage(4097, 4096), Ending::Cut),
        (e().finish_reason(Some("tool_calls")).usage(4095, 4096), Ending::Complete),
        (e().usage(10, 0), Ending::Unknown),
        (e().finish_reason(Some("length")).finish_reason(Some("stop")), Ending::Cut),
        (e().stated(Ending::Unknown), Ending::Unknown),
    ] {
        assert_eq!(evidence.ending(), ending, "{evidence:?}");
    }
}

#[test]
fn an_end_mark_is_evidence_only_where_nothing_else_is_known() {
    let clues = |evidence: Evidence<'_>| match mended("{\"a\":[\"b\"\n```", &evidence) {
        Verdict::Mended { receipt, .. } => (receipt.grade, receipt.ending, receipt.clues),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        clues(Evidence::new()),
        (Grade::Punctuation, Ending::Complete, [Clue::EndMark].into_iter().collect())
    );
    let cut = Evidence::new().finish_reason(Some("length"));
    assert_eq!(clues(cut), (Grade::Cut, Ending::Cut, [Clue::FinishLength].into_iter().collect()));
}

#[test]
fn names_lead_back() {
    for ending in [Ending::Complete, Ending::Unknown, Ending::Cut] {
        assert_eq!(Ending::named(ending.name()), Some(ending));
    }
    assert_eq!(Ending::named("whole"), None);
    for (name, highest) in
        [("strict", Grade::Punctuation), ("standard", Grade::Schema), ("inspect", Grade::Cut)]
    {
        let policy = Policy::named(name).expect("a policy");
        assert!(Grade::ALL.iter().all(|&g| policy.accepts(g) == (g <= highest)), "{name}");
    }
    assert_eq!(Policy::named("lax"), None);
    assert_eq!(Policy::default(), Policy::STANDARD);
}

#[test]
fn marks_of_a_family_are_known_only_when_given() {
    let body = "@@call@@{\"a\":1}@@end@@";
    assert_eq!(mended(body, &Evidence::whole()).name(), "declined");
    let marks = ["@@call@@", "@@end@@"];
    let verdict = mended(body, &Evidence::whole().marks(&marks));
    assert_eq!(verdict.text(body), Some("{\"a\":1}"));
}

#[test]
fn the_name_of_the_tool_is_no_member() {
    // A closer too many behind the object: a name before it might be the key of something larger.
    let body = "get_weather: {\"a\":1}}";
    assert_eq!(mended(body, &Evidence::whole()).name(), "declined");
    assert_eq!(mended(body, &Evidence::whole().tool("get_weather")).text(body), Some("{\"a\":1}"));
}

#[test]
fn a_text_that_breaks_off_was_cut_whatever_is_said_of_it() {
    let stop = Evidence::new().finish_reason(Some("stop"));
    for (body, ending) in [
        ("{\"a\": \"x", Ending::Cut),
        ("{\"a\":", Ending::Cut),
        ("{\"a\": tr", Ending::Cut),
        ("{\"a\": [1,,2]}", Ending::Complete),
    ] {
        for (evidence, ending) in [(stop, ending), (Evidence::whole(), Ending::Complete)] {
            let Verdict::Declined(decline) = mended(body, &evidence) else { panic!("{body}") };
            assert_eq!(decline.ending, ending, "{body} {evidence:?}");
        }
    }
}
