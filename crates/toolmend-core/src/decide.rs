//! Which reading is left: the evidence and the schema decide.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::context::Context;
use crate::edit::apply;
use crate::envelope;
use crate::read::frame::{self, Head, Places};
use crate::read::lexeme::{colon_ahead, identifier_end, inside, key_ahead, skip_white};
use crate::read::{Cost, Dead, Level, Reading, Stuck, quotes, search, speaker, spliced, straight};
use crate::rules::{LAYERS, RuleSet, inner_layer, undecided_entities};
use crate::scan::Status;
use crate::verdict::{Decline, MAX_SHOWN, Note, NoteKind, Reason, Receipt, Verdict};
use crate::{Admission, Clue, Edit, Ending, Grade, Rule, Scanner, Steps, certify};

/// The most levels of escaping that are taken off one body.
const MAX_LEVELS: usize = 4;
/// The most levels of readings that are tried, where the schema admits none of a level.
const MAX_TRIES: usize = 3;

/// The one reading that is left, and what it rests on.
pub(crate) struct Choice {
    /// As in [`Receipt::steps`].
    pub(crate) steps: Steps,
    grade: Grade,
    ending: Ending,
    clue: Option<Clue>,
    copies: bool,
}

impl Choice {
    /// The verdict, if the checker has nothing against it.
    pub(crate) fn verdict(self, body: &str, ctx: &Context<'_>) -> Verdict {
        let known = ctx.evidence.clues();
        let clues = self.clue.map_or(known, |clue| known.with(clue));
        let mut notes = Vec::new();
        if self.copies {
            notes.push(Note { kind: NoteKind::IdenticalCopies, at: String::new() });
        }
        let mut receipt = Receipt { steps: self.steps, grade: self.grade, ending: self.ending, clues, notes };
        match certify(body, &receipt) {
            Ok(output) => {
                let empty = empty_in_cut_turn(&output, ctx);
                if empty {
                    receipt.notes.push(Note { kind: NoteKind::EmptyInCutTurn, at: String::new() });
                }
                if ctx.has_schema() {
                    let (admission, notes) = ctx.judge.examine(&output);
                    if empty && !ctx.judge.takes_nothing() {
                        return declined(no(Reason::EmptyInCutTurn, 0), ctx);
                    }
                    receipt.notes.extend(on_the_schema(&admission).into_iter().chain(notes));
                }
                Verdict::Mended { output, receipt }
            }
            Err(violation) => {
                let at = receipt.first_edit();
                Verdict::Declined(Decline {
                    ending: receipt.ending,
                    ..no(Reason::Uncertified(violation), at)
                })
            }
        }
    }

    /// The body is a valid object; only what the schema decides is done to it.
    fn by_schema(steps: Steps, ctx: &Context<'_>) -> Choice {
        Choice { steps, grade: Grade::Schema, ending: ctx.evidence.ending(), clue: None, copies: false }
    }
}

/// What is to become of a body that is a valid object.
pub(crate) fn whole(body: &str, ctx: &Context<'_>) -> Verdict {
    let empty = empty_in_cut_turn(body, ctx);
    let mut noted = Vec::new();
    if empty {
        noted.push(Note { kind: NoteKind::EmptyInCutTurn, at: String::new() });
    }
    if !ctx.has_schema() {
        return Verdict::Intact { notes: noted };
    }
    let (admission, notes) = ctx.judge.examine(body);
    let Admission::Invalid { at, what } = admission else {
        if empty && admission == Admission::Valid && !ctx.judge.takes_nothing() {
            return Verdict::Declined(Decline { ending: Ending::Cut, ..no(Reason::EmptyInCutTurn, 0) });
        }
        noted.extend(on_the_schema(&admission).into_iter().chain(notes));
        return Verdict::Intact { notes: noted };
    };
    match admit(body, ctx) {
        Ok(Some(choice)) => choice.verdict(body, ctx),
        Ok(None) => declined(no(Reason::SchemaInvalid { at, what }, 0), ctx),
        Err(reason) => declined(no(reason, 0), ctx),
    }
}

/// Whether this object is empty, in a turn that was cut: what was to follow may be missing.
fn empty_in_cut_turn(object: &str, ctx: &Context<'_>) -> bool {
    ctx.evidence.ending() == Ending::Cut
        && object.bytes().all(|c| c.is_ascii_whitespace() || c == b'{' || c == b'}')
}

/// That an object is used whose schema could not be.
fn on_the_schema(admission: &Admission) -> Option<Note> {
    matches!(admission, Admission::Unvalidatable { .. })
        .then(|| Note { kind: NoteKind::SchemaUnusable, at: String::new() })
}

/// What is to become of a body that is no valid object; `strict` has taken it as strict JSON.
pub(crate) fn faulty(body: &str, strict: &Scanner, ctx: &Context<'_>) -> Verdict {
    let choice = match nothing_said(body, ctx) {
        Some(choice) => choice,
        None => settle(body, strict, ctx, 0),
    };
    match choice {
        Ok(choice) => choice.verdict(body, ctx),
        Err(no) => declined(no, ctx),
    }
}

fn declined(no: Decline, ctx: &Context<'_>) -> Verdict {
    // A text that ends inside a word, or where more must follow, proves a cut whatever the server says.
    let breaks_off = matches!(no.reason, Reason::OpenString | Reason::Dangling | Reason::CutToken);
    let ending = match breaks_off && !ctx.evidence.is_stated() {
        true => Ending::Cut,
        false => ctx.evidence.ending(),
    };
    Verdict::Declined(Decline { ending, ..no })
}

pub(crate) fn no(reason: Reason, at: usize) -> Decline {
    Decline { reason, at, readings: Vec::new(), ending: Ending::Unknown, would: None }
}

/// The body says nothing at all: that is the call of a tool that takes nothing, and no other. In a turn that was cut
/// nothing tells that there are no arguments, nor that the tool's name is whole.
fn nothing_said(body: &str, ctx: &Context<'_>) -> Option<Result<Choice, Decline>> {
    if !matches!(body.trim_ascii(), "" | "\"\"" | "null" | "None") {
        return None;
    }
    Some(if ctx.judge.takes_nothing() && ctx.evidence.ending() != Ending::Cut {
        let edits = vec![Edit::replace(Rule::NoArguments, 0, body.len(), "{}")];
        Ok(Choice::by_schema(edits.into(), ctx))
    } else {
        Err(no(Reason::Empty, 0))
    })
}

/// Takes off whole levels of escaping, then reads what is inside.
fn settle(text: &str, strict: &Scanner, ctx: &Context<'_>, level: usize) -> Result<Choice, Decline> {
    if level == MAX_LEVELS {
        return read(text, strict, ctx);
    }
    if let Some(edits) = LAYERS.iter().find_map(|(_, layer)| layer(text)) {
        return beneath(text, edits, ctx, level);
    }
    if undecided_entities(text) {
        return Err(no(Reason::Ambiguous, 0));
    }
    read(text, strict, ctx).or_else(|no| match inner_layer(text) {
        Some(edits) => beneath(text, edits, ctx, level),
        None => Err(no),
    })
}

/// Takes off the level that `edits` take off, then reads what is inside.
fn beneath(text: &str, edits: Vec<Edit>, ctx: &Context<'_>, level: usize) -> Result<Choice, Decline> {
    let start = edits.first().map_or(0, |e| e.start);
    let Ok(inner) = apply(text, &edits) else { return Err(no(Reason::Unreadable, start)) };
    let mut strict = Scanner::new();
    let mut choice = if strict.push(inner.as_bytes()) == Status::Whole {
        valid(&inner, ctx)?
    } else {
        // Positions inside a level are not positions in the body: the level's begin stands for them.
        settle(&inner, &strict, ctx, level + 1).map_err(|no| Decline { at: start, ..no })?
    };
    // What is still wrong within the strings says that only their quotes were escaped, or that an entity
    // between them is content.
    let rules = RuleSet::of(choice.steps.iter().flatten());
    let within = match edits.first().map(|e| e.rule) {
        Some(Rule::HtmlEntities) => rules.has(Rule::InnerQuotes),
        Some(Rule::OverEscaped) => {
            rules.has_any(&[Rule::InnerQuotes, Rule::BareBackslash])
                || rules.has(Rule::RawControl) && doubled_escape(text)
        }
        Some(Rule::DoubleEncoded) => rules.has(Rule::RawControl) && doubled_escape(text),
        _ => false,
    };
    if within {
        return Err(no(Reason::Ambiguous, start));
    }
    choice.steps.prepend(edits);
    Ok(choice)
}

/// Whether the text holds an escape whose backslash is doubled, `\\n`, and no quote that shows that all of
/// them are: `\\\"`.
fn doubled_escape(text: &str) -> bool {
    let b = text.as_bytes();
    memchr::memmem::find_iter(b, "\\\\").any(|at| b.get(at + 2).is_some_and(u8::is_ascii_alphanumeric))
        && memchr::memmem::find(b, "\\\\\\\"".as_bytes()).is_none()
}

/// What was inside of a level is a valid object.
fn valid(object: &str, ctx: &Context<'_>) -> Result<Choice, Decline> {
    let choice = admit(object, ctx).map_err(|reason| no(reason, 0))?;
    choice.ok_or_else(|| not_admitted(object, ctx))
}

/// What makes a valid object one that the schema admits: no step where it does as it stands, its type
/// repairs, or the opening of an envelope. `None` where nothing certain helps.
fn admit(object: &str, ctx: &Context<'_>) -> Result<Option<Choice>, Reason> {
    if ctx.may_be(object) {
        return Ok(Some(Choice { grade: Grade::Packaging, ..Choice::by_schema(Steps::default(), ctx) }));
    }
    if let Some(edits) = repaired(object, ctx) {
        return Ok(Some(Choice::by_schema(edits.into(), ctx)));
    }
    let Some(opened) = envelope::open(object, ctx)? else { return Ok(None) };
    let mut steps = opened.steps;
    let inner = opened.inner;
    let mut strict = Scanner::new();
    if strict.push(inner.as_bytes()) != Status::Whole {
        // Arguments as a string: the string's own end shows that they are whole.
        let whole = ctx.evidence.stated(Ending::Complete);
        let within = Context { evidence: &whole, ..*ctx };
        let Ok(choice) = settle(&inner, &strict, &within, 1) else { return Ok(None) };
        // As where such a level is the whole body.
        if RuleSet::of(choice.steps.iter().flatten()).has(Rule::RawControl) && doubled_escape(object) {
            return Ok(None);
        }
        steps.extend(choice.steps);
        // What is inside may rest on more than the schema.
        let grade = choice.grade.max(Grade::Schema);
        return Ok(Some(Choice { grade, copies: choice.copies, ..Choice::by_schema(steps, ctx) }));
    }
    if !ctx.may_be(&inner) {
        let Some(edits) = repaired(&inner, ctx) else { return Ok(None) };
        steps.push(edits);
    }
    Ok(Some(Choice::by_schema(steps, ctx)))
}

/// The schema's own repairs of a valid object, if they suffice.
fn repaired(object: &str, ctx: &Context<'_>) -> Option<Vec<Edit>> {
    let edits = ctx.judge.settle(object);
    let output = apply(object, &edits).ok()?;
    // A number that is to be a text may stand in another object's place.
    let misplaced = edits.iter().any(|e| e.rule == Rule::StringNumber) && ctx.judge.misplaces(object);
    (!edits.is_empty() && !misplaced && ctx.may_be(&output)).then_some(edits)
}

fn not_admitted(object: &str, ctx: &Context<'_>) -> Decline {
    match ctx.judge.admits(object) {
        Admission::Invalid { at, what } => no(Reason::SchemaInvalid { at, what }, 0),
        _ => no(Reason::SchemaInvalid { at: String::new(), what: "a key that is not declared".into() }, 0),
    }
}

/// The one reading of a text that is left, at the first place where an object can be read.
fn read(text: &str, strict: &Scanner, ctx: &Context<'_>) -> Result<Choice, Decline> {
    let mut places = Places::new(text, ctx);
    let mut dead: Option<Dead> = None;
    while let Some((start, headless)) = places.next() {
        let mut head = frame::head(text, start, headless, ctx).map_err(|r| no(r.reason, r.at))?;
        let other = speaker::other_tool(text, start, &head.edits, ctx);
        let offered = |choice| match other {
            Some(name) => Err(no(Reason::OtherTool { name: name.into() }, 0)),
            None => Ok(choice),
        };
        let (end, stuck) = match levels(text, &mut head, strict, ctx)? {
            Tried::Chosen(choice) => return offered(choice),
            // What can be read without a stray quote is not read with one.
            Tried::Refused(readings) => return by_repair(text, readings, ctx).and_then(offered),
            Tried::Dead { dead, stuck } => (dead, stuck),
        };
        dead = dead.or(end);
        if places.skip_placeholder(start) {
            continue;
        }
        let kinds: &[u8] = match stuck {
            Stuck::AtString => b"\"'",
            Stuck::Behind => b"\"",
            Stuck::Elsewhere => b"",
        };
        for &quote in kinds {
            let mut level = quotes::read(text, &head, ctx, quote, stuck);
            if level.over_budget {
                return Err(no(Reason::OverBudget, start));
            }
            if !level.readings.is_empty() {
                let choice = match choose(text, &mut level.readings, ctx)? {
                    Some(choice) => Ok(choice),
                    None => by_repair(text, level.readings, ctx),
                };
                return choice.and_then(offered);
            }
        }
        break;
    }
    let Dead { reason, at } = dead.unwrap_or(Dead { reason: Reason::NoObject, at: 0 });
    Err(no(reason, at))
}

/// What came of reading at one place.
enum Tried {
    Chosen(Choice),
    /// There are readings, these the cheapest, but the schema admits none.
    Refused(Vec<Reading>),
    Dead {
        dead: Option<Dead>,
        stuck: Stuck,
    },
}

/// Tries one level of readings after the other until the schema admits one.
fn levels(text: &str, head: &mut Head, strict: &Scanner, ctx: &Context<'_>) -> Result<Tried, Decline> {
    // Where every fault has one way on, a search finds no other reading either.
    if let Some(reading) = straight::read(text, head, strict, ctx) {
        if ctx.has_schema() && !admitted(text, &reading, ctx) {
            return Ok(Tried::Refused(vec![reading]));
        }
        return taken(text, reading, Grade::Packaging, ctx).map(Tried::Chosen);
    }
    let (mut above, mut first) = (None, None);
    for _ in 0..MAX_TRIES {
        let Level { mut readings, more, stuck, dead, over_budget } =
            search::read(text, head, strict, ctx, above);
        // A reading that is not kept might be another one: that the schema admits, or that says otherwise.
        if over_budget || more && (ctx.has_schema() || readings.len() == 1) {
            return Err(no(Reason::OverBudget, head.start));
        }
        let Some(cost) = readings.first().map(|r| r.cost) else {
            return Ok(match first {
                Some(readings) => Tried::Refused(readings),
                None => Tried::Dead { dead, stuck },
            });
        };
        if let Some(choice) = choose(text, &mut readings, ctx)? {
            return Ok(Tried::Chosen(choice));
        }
        first.get_or_insert(readings);
        above = Some(cost);
    }
    Ok(Tried::Refused(first.unwrap_or_default()))
}

/// Chooses the one reading of a level that the schema admits, and takes it out; `None`, and the readings
/// stay, where it admits none.
fn choose(text: &str, readings: &mut Vec<Reading>, ctx: &Context<'_>) -> Result<Option<Choice>, Decline> {
    let several = readings.len() > 1;
    let mut grade = if several { Grade::Schema } else { Grade::Packaging };
    let mut index = 0;
    if several || ctx.has_schema() {
        let left: Vec<usize> =
            (0..readings.len()).filter(|&n| !ctx.has_schema() || admitted(text, &readings[n], ctx)).collect();
        // Another reading may be the one that was meant where nothing but the spelling of its keys is wrong.
        let respelled = |n: usize| {
            let edits = spliced(text, &readings[n].edits).map(|object| ctx.judge.settle(&object));
            edits.is_some_and(|e| !e.is_empty() && e.iter().all(|e| e.rule == Rule::KeySpelling))
        };
        index = match left[..] {
            [] => return Ok(None),
            [one] if several && (0..readings.len()).any(|n| n != one && respelled(n)) => {
                return Err(ambiguous(text, readings.iter()));
            }
            [one] => one,
            // Which of several places was meant is not known; the end is the one that can be shown.
            _ => {
                grade = Grade::Closing;
                let at_end = left.iter().copied().find(|&n| readings[n].closes_at_end());
                at_end.ok_or_else(|| ambiguous(text, left.iter().map(|&n| &readings[n])))?
            }
        };
    }
    if readings[index].doubtful {
        return Err(ambiguous(text, readings.iter()));
    }
    taken(text, readings.swap_remove(index), grade, ctx).map(Some)
}

/// The most bare words in one body that the schema is asked about.
const MAX_ASKED: usize = 32;

/// The choice of this reading, of `grade` or above, if its own text has nothing against it.
fn taken(text: &str, reading: Reading, grade: Grade, ctx: &Context<'_>) -> Result<Choice, Decline> {
    undisputed(text, &reading)?;
    if ctx.has_schema() && spliced(text, &reading.edits).is_some_and(|o| misplaces(&o, &reading, ctx)) {
        return Err(ambiguous(text, [&reading].into_iter()));
    }
    let mut choice = chosen(text, reading, ctx);
    choice.grade = choice.grade.max(grade);
    Ok(choice)
}

/// Refuses a reading whose own text says that its escapes may be of another level.
fn undisputed(text: &str, reading: &Reading) -> Result<(), Decline> {
    let disputed = spelled_level(text, reading) || mixed_backslashes(text, reading.rules);
    if disputed { Err(no(Reason::Ambiguous, reading.edits[0].start)) } else { Ok(()) }
}

/// Whether what this reading makes of a body, the brackets of which it touches, holds an argument on another level than
/// its own.
fn misplaces(object: &str, reading: &Reading, ctx: &Context<'_>) -> bool {
    use Rule::{DoubledOpener, ExtraCloser, LeadingComma, MissingCloser, MissingOpener, WrongCloser};
    let brackets = [MissingCloser, ExtraCloser, WrongCloser, MissingOpener, DoubledOpener, LeadingComma];
    reading.rules.has_any(&brackets) && reading.cost != Cost::NONE && ctx.judge.misplaces(object)
}

/// Whether a level of escaping that no quote shows may be what is too much: `{\n 'a': 'x\\n'\n}`,
/// `{'a': '\"x\\n\"'}`.
fn spelled_level(text: &str, reading: &Reading) -> bool {
    let holds = |escape: &[u8]| memchr::memmem::find(text.as_bytes(), escape).is_some();
    let rules = reading.rules;
    let spelled = rules.has_any(&[Rule::SingleQuotes, Rule::SmartQuotes]) && rules.has(Rule::LiteralNewline);
    (spelled || rules.has(Rule::SingleQuotes))
        && holds(b"\\\\")
        && (spelled || !holds(b"\\\\\"") && escapes_needlessly(text, &reading.edits))
}

/// Whether a string in other quotes, that these edits write anew, escapes a double quote.
fn escapes_needlessly(text: &str, edits: &[Edit]) -> bool {
    let rules = [Rule::SingleQuotes, Rule::BareApostrophe, Rule::SmartQuotes];
    let border = |e: &&Edit| rules.contains(&e.rule) && e.put == "\"" && e.start < e.end;
    let mut borders = edits.iter().filter(border);
    while let (Some(open), Some(close)) = (borders.next(), borders.next()) {
        if text[open.end..close.start].contains("\\\"") {
            return true;
        }
    }
    false
}

/// Whether a reading doubles the backslashes of one string, or escapes its quotes, while another one holds
/// escapes that look like backslashes which were not doubled either: `C:\new`, `\bword\b`.
fn mixed_backslashes(text: &str, rules: RuleSet) -> bool {
    let b = text.as_bytes();
    rules.has_any(&[Rule::BareBackslash, Rule::InnerQuotes, Rule::BareApostrophe])
        && memchr::memchr_iter(b'\\', b).any(|at| {
            let doubled = at > 0 && b[at - 1] == b'\\';
            let drive = at > 2 && b[at - 1] == b':' && b[at - 2].is_ascii_alphabetic() && b[at - 3] == b'"';
            let bare = !doubled && rules.has(Rule::BareBackslash);
            match b.get(at + 1) {
                Some(b'b' | b'f') => bare,
                Some(b'n' | b'r' | b't') => drive || bare && is_in_one_word(b, at),
                _ => false,
            }
        })
}

/// The longest string that is looked at as one word, to either side of a place in it, in bytes.
const MAX_WORD: usize = 64;

/// Whether the string around `at` holds no blank: a path, a pattern or a command's name, in which a line break is seldom
/// meant: `src\test.cs`, `\theta`.
fn is_in_one_word(b: &[u8], at: usize) -> bool {
    let quote = |&i: &usize| b[i] == b'"' && (i == 0 || b[i - 1] != b'\\');
    let border = |i: &usize| quote(i) || b[*i].is_ascii_whitespace();
    let before = (at.saturating_sub(MAX_WORD)..at).rev().find(border);
    let behind = (at..b.len().min(at + MAX_WORD)).find(border);
    before.as_ref().is_some_and(quote) && behind.as_ref().is_some_and(quote)
}

/// Whether the schema admits this reading, and fixes the words that it guessed at.
fn admitted(text: &str, reading: &Reading, ctx: &Context<'_>) -> bool {
    // Nothing inside was touched: the object is the model's own, with whatever keys it has.
    let own = reading.cost == Cost::NONE;
    let may = |o: &str| {
        ctx.may_be(o) && (own || !ctx.repeats_key(o)) || own && ctx.judge.admits(o) == Admission::Valid
    };
    let refused = |o: &str| matches!(ctx.judge.admits(o), Admission::Invalid { .. });
    spliced(text, &reading.edits).is_some_and(|o| may(&o)) && words_fixed(text, &reading.edits, refused)
}

/// Whether the schema lets no other words stand where a reading put quotes around a bare word, and no
/// other kind of value where it completed a literal: asked by putting others there. `refused`: what is no call,
/// whatever the schema repairs of it.
fn words_fixed(text: &str, edits: &[Edit], refused: impl Fn(&str) -> bool) -> bool {
    let refuses = |from: usize, to: usize, start: usize, end: usize, put: String| {
        let mut other = edits.to_vec();
        other.splice(from..to, [Edit::replace(edits[from].rule, start, end, put)]);
        apply(text, &other).is_ok_and(|o| refused(&o))
    };
    // Each is asked about with the whole body around it.
    let asked = |e: &&Edit| matches!(e.rule, Rule::UnquotedWord | Rule::CutLiteral);
    if edits.iter().filter(asked).count() > 2 * MAX_ASKED {
        return false;
    }
    let mut n = 0;
    while n < edits.len() {
        let edit = &edits[n];
        match edit.rule {
            Rule::UnquotedWord if n + 1 < edits.len() => {
                let (start, end) = (edit.start, edits[n + 1].end);
                for shift in [7, 13] {
                    let other: String = text[start..end].chars().map(|c| rotated(c, shift)).collect();
                    if !refuses(n, n + 2, start, end, alloc::format!("\"{other}\"")) {
                        return false;
                    }
                }
                n += 1;
            }
            Rule::CutLiteral => {
                let start = text[..edit.start].trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
                if !refuses(n, n + 1, start, edit.end, "\"x\"".into())
                    || !refuses(n, n + 1, start, edit.end, "0".into())
                {
                    return false;
                }
            }
            _ => {}
        }
        n += 1;
    }
    true
}

/// A letter so many places on in the alphabet; anything else as it is.
fn rotated(c: char, shift: u8) -> char {
    let rotate = |base: u8| char::from(base + (c as u8 - base + shift) % 26);
    match c {
        'a'..='z' => rotate(b'a'),
        'A'..='Z' => rotate(b'A'),
        c => c,
    }
}

/// The schema admits no reading as it stands: what its repairs, or an envelope, make of the one there is.
fn by_repair(text: &str, readings: Vec<Reading>, ctx: &Context<'_>) -> Result<Choice, Decline> {
    // Of several readings none fits as it is: which of them to repair is not certain.
    let [reading] = &readings[..] else { return Err(ambiguous(text, readings.iter())) };
    let Some(object) = spliced(text, &reading.edits).map(Cow::into_owned) else {
        return Err(no(Reason::Unreadable, 0));
    };
    let admitted = admit(&object, ctx).map_err(|reason| no(reason, 0))?;
    let Some(Choice { steps, grade, copies, .. }) = admitted.filter(|a| !a.steps.is_empty()) else {
        return Err(not_admitted(&object, ctx));
    };
    undisputed(text, reading)?;
    let refused = |o: &str| !matches!(admit(o, ctx), Ok(Some(_)));
    // Another word or literal may be repaired to a call as well, and a key that stands twice to either value.
    if !words_fixed(text, &reading.edits, refused) || reading.cost != Cost::NONE && ctx.repeats_key(&object) {
        return Err(ambiguous(text, [reading].into_iter()));
    }
    // `+49…` where a string belongs: the sign was taken off before anybody knew that it is one. `[60 1]` may be one, too.
    let respelled = {
        use Rule::{BarePoint, DigitSeparator, HexNumber, LeadingZero, PlusSign};
        reading.rules.has_any(&[PlusSign, LeadingZero, HexNumber, DigitSeparator, BarePoint])
    };
    let parted = reading.edits.iter().any(|e| e.rule == Rule::MissingComma && !is_key(text, e.end));
    if (respelled || parted) && steps.iter().flatten().any(|e| e.rule == Rule::StringNumber) {
        return Err(not_admitted(&object, ctx));
    }
    // `"arguments": "{⏎ \"path\": \"C:\tmp\"}"`: where line breaks are raw, only the quotes may have been escaped.
    let between = |e: &Edit| {
        e.rule == Rule::RawControl
            && text[..e.start].ends_with(['{', '[', ','])
            && text[e.end..].trim_ascii_start().starts_with("\\\"")
    };
    let level = |e: &Edit| matches!(e.rule, Rule::DoubleEncoded | Rule::ContainerString);
    let opens = steps.iter().flatten().any(level) && reading.edits.iter().any(between);
    if opens && escapes_more_than_quotes(text) {
        return Err(no(Reason::Ambiguous, 0));
    }
    // `"tags": "red"`, and the turn breaks off there: a list may have had more items.
    let single = steps.iter().flatten().any(|e| e.rule == Rule::SingleItem);
    if single && reading.closed > 0 && ctx.evidence.ending() != Ending::Complete {
        return Err(not_admitted(&object, ctx));
    }
    let opened = steps[0].iter().any(|e| e.rule == Rule::Envelope);
    let output = steps.iter().try_fold(object, |text, step| apply(&text, step).ok()).unwrap_or_default();
    if misplaces(&output, reading, ctx) {
        return Err(ambiguous(text, [reading].into_iter()));
    }
    let closed = reading.closed;
    // Where the closers of an envelope were set, the schema says nothing about what is missing.
    let proved = !opened && shows_end(text, reading, ctx) && ctx.judge.proves_whole(&output, closed);
    let mut choice = graded(reading.clone(), ctx, proved);
    choice.grade = choice.grade.max(grade);
    choice.copies |= copies;
    choice.steps.extend(steps);
    Ok(choice)
}

/// Whether a key with its colon, in quotes or without, stands at `at`.
fn is_key(text: &str, at: usize) -> bool {
    let key = skip_white(text, at);
    key_ahead(text, key) || identifier_end(text, key).is_some_and(|end| colon_ahead(text, end))
}

/// Whether the string at the end of the text may go on: `"a" + "b"`, two of the three quotes that others have, or
/// a quotation that was not escaped and begins there, `"name = "`.
fn may_go_on(text: &str, reading: &Reading) -> bool {
    let closer = reading.edits.iter().find(|e| e.rule == Rule::MissingCloser);
    let value = closer.map_or("", |e| text[..e.start].trim_ascii_end());
    if value.strip_suffix('"').is_some_and(|string| quotes::opens_word(string, "x")) {
        return true;
    }
    if !reading.rules.has_any(&[Rule::Concatenation, Rule::TripleQuotes]) {
        return false;
    }
    let end = text.trim_ascii_end();
    let two =
        |quotes: &str| end.strip_suffix(quotes).is_some_and(|before| !before.ends_with(['"', '\'', '\\']));
    reading.edits.iter().any(|e| match e.rule {
        Rule::Concatenation => inside(end, e.end, b'"').is_some_and(|read| read.close + 1 == end.len()),
        Rule::TripleQuotes => two("\"\"") || two("''"),
        _ => false,
    })
}

/// Whether backslashes stand before other signs than double quotes.
fn escapes_more_than_quotes(text: &str) -> bool {
    let b = text.as_bytes();
    memchr::memchr_iter(b'\\', b).any(|at| b.get(at + 1) != Some(&b'"'))
}

/// The choice of this reading.
fn chosen(text: &str, reading: Reading, ctx: &Context<'_>) -> Choice {
    let proved = ctx.has_schema()
        && shows_end(text, &reading, ctx)
        && spliced(text, &reading.edits).is_some_and(|o| ctx.judge.proves_whole(&o, reading.closed));
    graded(reading, ctx, proved)
}

/// Whether a reading that sets closers at the end ends in a value that is whole, so that a schema may show that
/// nothing is missing behind it.
fn shows_end(text: &str, reading: &Reading, ctx: &Context<'_>) -> bool {
    // A writer who does not escape what is within strings may not have ended this one.
    let escapes = !reading.rules.has(Rule::BareBackslash) && !may_go_on(text, reading);
    // In a cut turn, what looks like packaging behind an open object may be words of its last string: `"use "```.
    let marks = reading.end_mark && ctx.evidence.ending() == Ending::Cut;
    reading.closed > 0 && !reading.number_last && escapes && !marks
}

/// The grade of a reading, by the ending that the evidence adds up to. `proved`: the schema shows that
/// nothing is missing.
fn graded(reading: Reading, ctx: &Context<'_>, proved: bool) -> Choice {
    let mut ending = ctx.evidence.ending();
    let mut clue = None;
    if ending == Ending::Unknown && reading.end_mark {
        (ending, clue) = (Ending::Complete, Some(Clue::EndMark));
    }
    let mut grade = reading.cost.grade.max(reading.rules.grade());
    if !reading.asks.met_by(ending) {
        grade = Grade::Cut;
    } else if reading.closers > 0 && ending == Ending::Cut && !proved {
        grade = grade.max(Grade::Cut);
    } else if reading.closed > 0 && ending != Ending::Complete {
        if proved {
            clue = Some(Clue::SchemaWhole);
            grade = grade.max(Grade::Schema);
        } else if ending == Ending::Unknown && !reading.number_last {
            grade = grade.max(Grade::Closing);
        } else {
            grade = grade.max(Grade::Cut);
        }
    }
    Choice { steps: reading.edits.into(), grade, ending, clue, copies: reading.copies }
}

fn ambiguous<'a>(text: &str, readings: impl Iterator<Item = &'a Reading> + Clone) -> Decline {
    let at = readings.clone().filter_map(|r| r.edits.first()).map(|e| e.start).min().unwrap_or(0);
    let shown = readings.take(MAX_SHOWN).filter_map(|r| apply(text, &r.edits).ok());
    let shown = shown.filter(|o| Scanner::new().push(o.as_bytes()) == Status::Whole).collect();
    Decline { readings: shown, ..no(Reason::Ambiguous, at) }
}
