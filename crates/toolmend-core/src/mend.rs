//! The entry points: one body at once, or piece by piece.

use alloc::string::String;
use alloc::vec::Vec;

use crate::edit::apply;
use crate::read::frame::{self, Places};
use crate::read::{self, Dead, Level, Reading, spliced};
use crate::rules::LAYERS;
use crate::scan::Status;
use crate::verdict::{Decline, MAX_SHOWN, Note, NoteKind, Reason, Receipt, Verdict};
use crate::{Admission, Clue, Edit, Ending, Evidence, Grade, Judge, Scanner, certify};

/// The longest body that is looked into, in bytes; longer ones are declined.
pub const MAX_BODY: usize = 64 << 20;

/// The most levels of escaping that are taken off one body.
const MAX_LEVELS: usize = 4;

/// Says what is to become of one body.
///
/// `body` is the text of one call's arguments. The verdict is the same for any splitting of it through
/// [`Mender`]. It is not yet under a policy: see [`Verdict::under`].
#[must_use]
pub fn mend(body: &str, evidence: &Evidence<'_>, judge: &dyn Judge) -> Verdict {
    let mut scan = Scanner::new();
    let status = scan.push(body.as_bytes());
    decide(body, status, evidence, judge)
}

/// A body that arrives piece by piece.
///
/// While the text is the beginning of a valid object, each piece costs one scan and nothing else; what
/// departs from JSON is kept and settled by [`finish`](Mender::finish). The verdict is that of [`mend`]
/// on all pieces together.
///
/// ```
/// use toolmend_core::{Evidence, Mender, NoJudge, Verdict};
///
/// let mut mender = Mender::new();
/// for piece in ["{\"q\": \"x", "\", \"n\": 5", ",}"] {
///     mender.feed(piece);
/// }
/// let verdict = mender.finish(&Evidence::new(), &NoJudge);
/// assert!(matches!(verdict, Verdict::Mended { output, .. } if output == "{\"q\": \"x\", \"n\": 5}"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Mender {
    text: String,
    scan: Scanner,
}

impl Mender {
    /// No text yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece of the body, and answers what the text so far is.
    pub fn feed(&mut self, piece: &str) -> Status {
        self.text.push_str(piece);
        self.scan.push(piece.as_bytes())
    }

    /// What has been fed so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the text so far is: the beginning of an object, a whole one, or neither.
    #[must_use]
    pub fn status(&self) -> Status {
        self.scan.status()
    }

    /// The turn is over: says what is to become of the body.
    #[must_use]
    pub fn finish(&self, evidence: &Evidence<'_>, judge: &dyn Judge) -> Verdict {
        decide(&self.text, self.scan.status(), evidence, judge)
    }
}

fn decide(body: &str, status: Status, evidence: &Evidence<'_>, judge: &dyn Judge) -> Verdict {
    let decline = |reason, at| {
        Verdict::Declined(Decline {
            reason,
            at,
            readings: Vec::new(),
            ending: evidence.ending(),
            would: None,
        })
    };
    if status == Status::Whole {
        return whole(body, evidence, judge);
    }
    if let Status::TooDeep { at } = status {
        return decline(Reason::TooDeep, at);
    }
    if body.len() > MAX_BODY {
        return decline(Reason::TooLong, MAX_BODY);
    }
    if body.trim_ascii().is_empty() {
        return decline(Reason::Empty, 0);
    }
    match settle(body, evidence, judge, 0) {
        Ok(choice) => choice.verdict(body, evidence),
        Err(mut no) => {
            no.ending = evidence.ending();
            Verdict::Declined(no)
        }
    }
}

/// The body is a valid object.
fn whole(body: &str, evidence: &Evidence<'_>, judge: &dyn Judge) -> Verdict {
    match judge.admits(body) {
        Admission::Invalid { at, what } => Verdict::Declined(Decline {
            reason: Reason::SchemaInvalid { at, what },
            at: 0,
            readings: Vec::new(),
            ending: evidence.ending(),
            would: None,
        }),
        _ => Verdict::Intact { notes: judge.notes(body) },
    }
}

/// The one reading that is left, and what it rests on.
struct Choice {
    steps: Vec<Vec<Edit>>,
    grade: Grade,
    ending: Ending,
    clue: Option<Clue>,
    notes: Vec<Note>,
}

impl Choice {
    fn verdict(self, body: &str, evidence: &Evidence<'_>) -> Verdict {
        let mut clues = evidence.clues().to_vec();
        clues.extend(self.clue);
        let receipt =
            Receipt { steps: self.steps, grade: self.grade, ending: self.ending, clues, notes: self.notes };
        match certify(body, &receipt) {
            Ok(output) => Verdict::Mended { output, receipt },
            Err(violation) => Verdict::Declined(Decline {
                reason: Reason::Uncertified(violation),
                at: receipt.first_edit(),
                readings: Vec::new(),
                ending: receipt.ending,
                would: None,
            }),
        }
    }
}

/// Takes off whole levels of escaping, then reads what is inside.
fn settle(text: &str, evidence: &Evidence<'_>, judge: &dyn Judge, level: usize) -> Result<Choice, Decline> {
    if level < MAX_LEVELS
        && let Some(edits) = layer(text)
        && let Ok(inner) = apply(text, &edits)
    {
        let mut choice = if Scanner::new().push(inner.as_bytes()) == Status::Whole {
            Choice {
                steps: Vec::new(),
                grade: Grade::Packaging,
                ending: evidence.ending(),
                clue: None,
                notes: Vec::new(),
            }
        } else {
            // Positions inside a level are not positions in the body: the level's begin stands for them.
            settle(&inner, evidence, judge, level + 1).map_err(|no| Decline { at: edits[0].start, ..no })?
        };
        choice.steps.insert(0, edits);
        return Ok(choice);
    }
    let level = readings(text, evidence)?;
    choose(text, level, evidence, judge)
}

/// The edits that take off the level of escaping that is around the whole text.
fn layer(text: &str) -> Option<Vec<Edit>> {
    LAYERS.iter().find_map(|(_, layer)| layer(text))
}

/// The readings of the cheapest level, at the first place where an object can be read.
fn readings(text: &str, evidence: &Evidence<'_>) -> Result<Level, Decline> {
    let mut places = Places::new(text);
    let mut dead = Dead { reason: Reason::NoObject, at: 0 };
    let mut first = true;
    while let Some((start, headless)) = places.next() {
        let mut head = match frame::head(text, start, headless, evidence) {
            Ok(head) => head,
            Err(refused) => return Err(no(refused.reason, refused.at)),
        };
        let level = read::read(text, &mut head, evidence);
        if level.over_budget {
            return Err(no(Reason::OverBudget, start));
        }
        if !level.readings.is_empty() {
            return Ok(level);
        }
        if core::mem::take(&mut first)
            && let Some(d) = level.dead
        {
            dead = d;
        }
        if places.skip_placeholder(start) {
            continue;
        }
        for quote in [b'"', b'\''].into_iter().filter(|_| level.in_strings) {
            let level = read::quotes::read(text, &head, evidence, quote);
            if !level.readings.is_empty() {
                return Ok(level);
            }
        }
        break;
    }
    Err(no(dead.reason, dead.at))
}

/// Chooses the one reading of a level that is left, if one is.
fn choose(text: &str, level: Level, evidence: &Evidence<'_>, judge: &dyn Judge) -> Result<Choice, Decline> {
    let Level { mut readings, .. } = level;
    let several = readings.len() > 1;
    if several {
        let shown: Vec<Reading> = readings.clone();
        readings.retain(|r| {
            spliced(text, &r.edits)
                .is_some_and(|o| judge.admits(&o) == Admission::Valid && judge.declared_only(&o))
        });
        if readings.len() != 1 {
            // Which of several places was meant is not known; the end is the one that can be shown.
            return match shown.iter().find(|r| r.closes_at_end()) {
                Some(reading) => {
                    let mut choice = chosen(text, reading.clone(), evidence, judge)?;
                    choice.grade = choice.grade.max(Grade::Closing);
                    Ok(choice)
                }
                None => Err(ambiguous(text, &shown)),
            };
        }
    }
    let reading = readings.remove(0);
    let mut choice = chosen(text, reading, evidence, judge)?;
    if several {
        choice.grade = choice.grade.max(Grade::Schema);
    }
    Ok(choice)
}

/// The grade of this reading, by the ending that the evidence adds up to.
fn chosen(
    text: &str,
    reading: Reading,
    evidence: &Evidence<'_>,
    judge: &dyn Judge,
) -> Result<Choice, Decline> {
    let mut ending = evidence.ending();
    let mut clue = None;
    if ending == Ending::Unknown && reading.end_mark {
        (ending, clue) = (Ending::Complete, Some(Clue::EndMark));
    }
    let mut grade = reading.cost.grade.max(edits_grade(&reading.edits));
    if !judge.is_blind()
        && let Some(output) = spliced(text, &reading.edits)
        && let Admission::Invalid { at, what } = judge.admits(&output)
    {
        return Err(no(Reason::SchemaInvalid { at, what }, 0));
    }
    if reading.closed > 0 {
        grade = grade.max(match ending {
            Ending::Complete => Grade::Punctuation,
            Ending::Unknown if reading.number_last => Grade::Cut,
            Ending::Unknown => Grade::Closing,
            Ending::Cut => Grade::Cut,
        });
    }
    let notes = if reading.copies {
        alloc::vec![Note { kind: NoteKind::IdenticalCopies, at: String::new() }]
    } else {
        Vec::new()
    };
    Ok(Choice { steps: alloc::vec![reading.edits], grade, ending, clue, notes })
}

fn edits_grade(edits: &[Edit]) -> Grade {
    edits.iter().map(|e| e.rule.grade()).max().unwrap_or(Grade::Packaging)
}

fn ambiguous(text: &str, readings: &[Reading]) -> Decline {
    let at = readings.iter().filter_map(|r| r.edits.first()).map(|e| e.start).min().unwrap_or(0);
    let shown = readings.iter().take(MAX_SHOWN).filter_map(|r| apply(text, &r.edits).ok()).collect();
    Decline { readings: shown, ..no(Reason::Ambiguous, at) }
}

fn no(reason: Reason, at: usize) -> Decline {
    Decline { reason, at, readings: Vec::new(), ending: Ending::Unknown, would: None }
}
