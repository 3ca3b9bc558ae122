//! The way through a body where every fault has one way on: nothing is searched.

use super::doubt::Parsed;
use super::fault::{Fault, Moves};
use super::frame::{self, Head};
use super::{Asks, Cost, Reading, advance, resume};
use crate::context::Context;
use crate::rules::{RuleSet, ways};
use crate::scan::{AT_CLOSE, Halt, Scanner, Slot};
use crate::{Grade, Rule};

/// The one reading of the body, if each of its faults has one way on and none of them sets a closer;
/// `None` where a search must decide. It is the reading that the search would find: with one way on from
/// every fault there is no other.
pub(crate) fn read(text: &str, head: &mut Head, strict: &Scanner, ctx: &Context<'_>) -> Option<Reading> {
    let (mut scan, mut at) = resume(text, head, strict);
    let mut edits = core::mem::take(&mut head.edits);
    let inside = edits.len();
    loop {
        match advance::<AT_CLOSE>(text, ctx, &mut scan, at, |more| more.append_to(&mut edits)) {
            Halt::Closed(end) => {
                let before = edits.len();
                let Ok(tail) = frame::tail(text, end, head, ctx, &mut edits) else { break };
                let rules = RuleSet::of(&edits[inside..before]);
                let parsed = Parsed {
                    text,
                    head,
                    before: &edits[..inside],
                    inside: &edits[inside..before],
                    rules,
                    behind: &edits[before..],
                    closers_behind: tail.closers,
                    ctx,
                };
                if parsed.is_doubtful() {
                    break;
                }
                let begun = if head.headless { Cost::NONE.with(Grade::Punctuation, 1) } else { Cost::NONE };
                let cost = begun.with(rules.grade(), before - inside);
                let rules = rules.with(RuleSet::of(&edits[..inside])).with(RuleSet::of(&edits[before..]));
                if !edits.is_sorted_by_key(|e| (e.start, e.end)) {
                    edits.sort_by_key(|e| (e.start, e.end));
                }
                let asks = Asks::of(text, head, &edits, rules, ctx);
                return Some(Reading {
                    edits,
                    rules,
                    cost: cost.with(Grade::Packaging, tail.closers),
                    closed: 0,
                    closers: 0,
                    number_last: false,
                    end_mark: tail.end_mark,
                    copies: tail.copies,
                    doubtful: false,
                    asks,
                });
            }
            Halt::Fault(fault) => {
                let slot = scan.slot();
                if slot == Slot::After && matches!(text.as_bytes()[fault], b'`' | b'~' | b'<' | b'[') {
                    break;
                }
                let mut moves = Moves::default();
                ways(&Fault { text, at: fault, slot, scan: &scan, ctx }, &mut moves);
                let Some(way) = moves.only() else { break };
                let from = edits.len();
                way.edits.append_to(&mut edits);
                if edits[from..].iter().any(|e| e.rule == Rule::MissingCloser) {
                    break;
                }
                way.then.apply_to(&mut scan);
                at = way.at;
            }
            _ => break,
        }
    }
    edits.truncate(inside);
    head.edits = edits;
    None
}
