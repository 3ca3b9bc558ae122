//! An event on its way out: its own bytes, or a splice of them.

use std::collections::BTreeMap;

use toolmend_core::CallJudge;
use toolmend_core::quote::quoted;

use super::plan::{Fate, Plan, State};
use super::queue::{Has, Note, Piece, Way};
use super::{Flow, Hold, OnCut};
use crate::assembly::same_tokens;
use crate::frame::{BOM, ends_with_blank_line, lines};
use crate::json::Value;
use crate::made_up::made_up_id;
use crate::protocol::Needs;
use crate::recorder::single;
use crate::signal::Form;
use crate::site::{Part, Site};
use crate::splice::{Splices, on_a_line};

impl<J: CallJudge> Flow<J> {
    /// An event leaves.
    pub(super) fn leave(&mut self, note: &Note, raw: &[u8], pieces: &[Piece], out: &mut Vec<u8>) {
        if self.options.observe {
            out.extend_from_slice(raw);
            return;
        }
        self.part(note, out);
        let needs = self.needs();
        let mut changes = note.changes.is_some() && (!note.silent || needs.data)
            || !note.finish.is_empty() && !self.hidden_cuts().is_empty();
        for piece in pieces {
            self.introduce(piece, needs);
            changes |= self.must_change(piece, needs);
        }
        if changes {
            self.write(note, raw, pieces, needs, out);
        } else {
            out.extend_from_slice(raw);
        }
        for piece in pieces {
            let streams = self.options.hold == Hold::Deviation;
            let state = &mut self.states[piece.call];
            state.begun = true;
            state.sent = state.sent.max(if piece.has == Has::Copy { 0 } else { piece.end });
            let is_piece = piece.has == Has::Text || piece.has == Has::Nothing && needs.ids;
            let is_nameless = piece.name == 0 || needs.ids && piece.way == Way::Streamed;
            let is_pattern = pieces.len() == 1 && note.finish.is_empty() && is_piece && is_nameless;
            if streams && state.fate.is_none() && is_pattern {
                state.pattern.keep(note, raw, piece);
            }
        }
    }

    /// Where an event that came before the last one of the stream follows it, that one gets the blank line that it
    /// lacks: else both were lost.
    fn part(&mut self, note: &Note, out: &mut Vec<u8>) {
        while self.torn && !ends_with_blank_line(out) {
            out.push(b'\n');
        }
        self.torn = self.breaks_off && note.number + 1 == self.events;
    }

    /// Everything leaves. A finish that came before the last pieces of its choice's good calls goes behind them.
    pub(super) fn leave_all(&mut self, out: &mut Vec<u8>) {
        self.append_missing(out);
        // Mostly it leaves as it came, and then this is all the room that it needs.
        out.reserve(self.queue.held());
        let needs = self.needs();
        let good = |piece: &&Piece| matches!(self.states[piece.call].fate, Some(Fate::Good(_)));
        let told = |piece: &&Piece| matches!(piece.has, Has::Text | Has::Json) && piece.adds;
        let may_go = |note: &Note| needs.finish && !note.finish.is_empty() && !note.end && note.pieces == 0;
        let first = self.queue.notes().position(|(note, _)| may_go(note)).unwrap_or(usize::MAX);
        let mut last = BTreeMap::new();
        for (at, (_, pieces)) in self.queue.notes().enumerate().skip(first) {
            let pieces = pieces.filter(|piece| told(piece) && good(piece));
            let choices = pieces.filter_map(|piece| self.assembly.known_as(piece.call));
            last.extend(choices.map(|(choice, ..)| (choice, at)));
        }
        let goes_behind = |note: &Note| {
            let choices = note.finish.iter().filter(|_| may_go(note));
            choices.filter_map(|choice| last.get(choice).copied()).max()
        };
        let (mut at, mut late) = (0, BTreeMap::<usize, Vec<_>>::new());
        while let Some(note) = self.queue.front() {
            match goes_behind(note).filter(|place| at < *place) {
                Some(place) => {
                    if let Some((note, bytes, own)) = self.queue.pop(&mut Vec::new()) {
                        late.entry(place).or_default().push((note, bytes[own].to_vec()));
                        self.queue.give_back(bytes);
                    }
                }
                None => self.leave_first(out),
            }
            for (note, raw) in late.remove(&at).unwrap_or_default() {
                self.rewritten = true;
                self.leave(&note, &raw, &[], out);
            }
            at += 1;
        }
    }

    /// What the pieces of a call lack that have all left: one more event.
    fn append_missing(&mut self, out: &mut Vec<u8>) {
        for state in &self.states {
            if let Some(Fate::Good(Plan { append: Some(event), .. })) = &state.fate {
                out.extend_from_slice(event.as_bytes());
                self.rewritten = true;
            }
        }
    }

    /// The first piece of a call that leaves says how the client is to know it.
    fn introduce(&mut self, piece: &Piece, needs: Needs) {
        let state = &self.states[piece.call];
        if state.begun || state.name.is_some() || piece.way == Way::Other || state.withheld {
            return;
        }
        let Some((choice, id, name)) = self.assembly.known_as(piece.call) else { return };
        let (name, left) = (name.to_owned(), matches!(state.fate, Some(Fate::Left)));
        let voices = needs.roles && !left && piece.no_role && self.voiced.insert(choice);
        let id = match id {
            Some(id) => id.to_owned(),
            None if needs.ids => made_up_id(self.seed.unwrap_or_default(), piece.call),
            None => String::new(),
        };
        let assembly = &self.assembly;
        let index = self.numbers.give(choice, piece.index, left, |own| assembly.counts_on_from(choice, own));
        let state = &mut self.states[piece.call];
        (state.untouched, state.voices) = (left, voices);
        (state.name, state.id, state.index) = (Some(name), Some(id), Some(index));
    }

    /// Whether a piece leaves in other bytes than it came, as far as that can be told without its event.
    fn must_change(&self, piece: &Piece, needs: Needs) -> bool {
        let state = &self.states[piece.call];
        let plan = match &state.fate {
            _ if state.withheld || self.hides_cut(piece.call) => return true,
            Some(Fate::Left) => return renumbered(state, piece, needs),
            Some(Fate::Good(plan)) => Some(plan),
            None => None,
        };
        let text = plan.is_some_and(|plan| match piece.has {
            Has::Copy => true,
            Has::Nothing if piece.object && piece.number == 0 => true,
            _ => plan.touches(piece) || plan.spares(piece),
        });
        let first = piece.number == 0;
        let envelope = match piece.way {
            Way::Other => false,
            Way::Line => needs.numbers && piece.index != state.index,
            Way::Whole => needs.ids && first && (!piece.new_id || piece.kind != Some(true)),
            Way::Streamed => {
                let name = state.name.as_ref().map_or(0, String::len);
                needs.numbers && piece.index != state.index
                    || needs.ids && first && (!piece.new_id || piece.name != name || piece.kind.is_none())
                    || needs.ids && !first && (piece.new_id || piece.name > 0) && self.repeats(piece)
                    || needs.ids && piece.kind == Some(false)
                    || state.voices && piece.no_role
            }
        };
        text || envelope
    }

    /// Whether the id and the name that a later piece may give are of the call that the client knows: the name once
    /// more, or a part of it.
    fn repeats(&self, piece: &Piece) -> bool {
        let known = self.states[piece.call].name.as_deref();
        !piece.faulty && self.assembly.known_as(piece.call).is_some_and(|(_, _, name)| known == Some(name))
    }

    fn write(&mut self, note: &Note, raw: &[u8], pieces: &[Piece], needs: Needs, out: &mut Vec<u8>) {
        let joined;
        let (own, (raw, at, data)) = (
            raw,
            match note.at {
                Some(at) => (raw, at, note.data),
                None => {
                    joined = on_one_line(raw, note.number);
                    (&joined.0[..], joined.1, joined.2)
                }
            },
        );
        let mut changes = note.changes.as_deref().cloned().unwrap_or_default();
        if let Ok(text) = core::str::from_utf8(&raw[at..at + data]) {
            let mut needless = false;
            self.each_site(text, pieces, |site, piece| {
                needless |= self.is_needless(site, piece);
                self.change(raw, site, piece, needs, &mut changes);
            });
            if needless {
                self.rewritten = true;
                return;
            }
            if !note.finish.is_empty() {
                self.relabel(raw, text, &mut changes);
            }
        }
        if changes.is_empty() {
            out.extend_from_slice(own);
            return;
        }
        let from = out.len();
        changes.apply(raw, out);
        self.rewritten |= out[from..] != *own;
    }

    /// Tells each site of an event with the piece that stands there.
    fn each_site<'a>(&self, text: &'a str, pieces: &[Piece], mut each: impl FnMut(Site<'a>, &Piece)) {
        let (Some((_, protocol)), Ok(value)) = (&self.protocol, Value::parse(single(text))) else { return };
        let mut pieces = pieces.iter();
        let mut sites = |value| {
            protocol.sites(value, &mut |site| {
                if let Some(piece) = pieces.next() {
                    each(site, piece);
                }
            });
        };
        if value.is_array() { value.items().for_each(sites) } else { sites(value) }
    }

    /// What changes about a piece.
    fn change(&self, raw: &[u8], site: Site<'_>, piece: &Piece, needs: Needs, changes: &mut Splices) {
        let state = &self.states[piece.call];
        if state.withheld {
            return self.withhold(raw, site, piece, changes);
        }
        if let Some((key, word)) = site.keys.status
            && let Some(said) = site.entry.get(key).and_then(Value::text)
            && !said.is(word)
            && self.hides_cut(piece.call)
        {
            changes.set(raw, site.entry, key, &quoted(word));
        }
        let plan = match &state.fate {
            Some(Fate::Left) => {
                if let (true, Some(key), Some(index)) =
                    (renumbered(state, piece, needs), site.keys.index, state.index)
                {
                    changes.set(raw, site.entry, key, &index.to_string());
                }
                return;
            }
            Some(Fate::Good(plan)) => Some(plan),
            None => None,
        };
        if let Some(plan) = plan {
            if site.keys.form == Form::Object && piece.number > 0 {
                if matches!(piece.has, Has::Text | Has::Json) {
                    spare(raw, site, changes);
                }
                // A mark that no more comes says nothing of them, and stays.
                return;
            }
            self.change_arguments(raw, site, piece, plan, changes);
        }
        if piece.way == Way::Other {
            return;
        }
        let keys = site.keys;
        let first = piece.number == 0;
        if let (true, Some(key), Some(index)) =
            (needs.numbers && piece.index != state.index, keys.index, state.index)
        {
            changes.set(raw, site.entry, key, &index.to_string());
        }
        if !needs.ids || piece.way == Way::Line {
            return;
        }
        if let Some((key, word)) = keys.kind
            && (piece.kind == Some(false) || first && piece.kind.is_none())
        {
            changes.set(raw, site.entry, key, &quoted(word));
        }
        if let (Some(key), Some(id)) = (keys.id, &state.id) {
            match first {
                true if !piece.new_id && !id.is_empty() => changes.set(raw, site.entry, key, &quoted(id)),
                false if piece.new_id && self.repeats(piece) => changes.remove(raw, site.entry, key),
                _ => {}
            }
        }
        if let (Some(key), Some(name), Way::Streamed) = (keys.name, &state.name, piece.way) {
            match first {
                true if piece.name != name.len() && !name.is_empty() => {
                    set_in_function(raw, site, key, &quoted(name), changes);
                }
                false if piece.name > 0 && self.repeats(piece) => changes.remove(raw, site.function, key),
                _ => {}
            }
        }
        if let (true, Some(message), Way::Streamed) = (state.voices && piece.no_role, site.message, piece.way)
        {
            changes.set(raw, message, "role", "\"assistant\"");
        }
    }

    fn change_arguments(
        &self,
        raw: &[u8],
        site: Site<'_>,
        piece: &Piece,
        plan: &Plan,
        changes: &mut Splices,
    ) {
        let key = site.keys.arguments;
        let present = site.function.member(key).map(|(_, value)| value);
        let mut put = |json: String| match present {
            Some(value) if value.raw() == json => {}
            Some(value) => changes.replace(raw, value, json),
            None if json == "\"\"" => {}
            None => set_in_function(raw, site, key, &json, changes),
        };
        let says = |value: Value<'_>, output: &str| match value.text() {
            Some(text) => site.keys.form == Form::Text && text.is(output),
            None => site.keys.form == Form::Object && value.raw() == output,
        };
        match (site.keys.part, site.keys.form) {
            (Part::Start, _) => {
                // Where pieces say it all, the start says nothing.
                let output = if plan.in_pieces { "{}" } else { &plan.output };
                if present.is_none_or(|value| !says(value, output)) {
                    put(on_a_line(output));
                }
            }
            (Part::Copy, form) => {
                // Servers space their copies in their own way.
                let is_alike = |value: Value<'_>| {
                    let text = value.text().filter(|_| plan.cuts.is_empty());
                    text.is_some_and(|text| same_tokens(&text.to_text(), &plan.output))
                };
                if present.is_none_or(|value| !says(value, &plan.output) && !is_alike(value)) {
                    put(written(&plan.output, form));
                }
            }
            (Part::Piece, Form::Object) => {
                // Where the protocol takes what is not there for no arguments, none are written.
                let is_said = present.is_none() && piece.has == Has::Json && plan.output == "{}";
                if !is_said && present.is_none_or(|value| !says(value, &plan.output)) {
                    put(on_a_line(&plan.output));
                }
            }
            (Part::Piece, Form::Text) if piece.restarts < plan.restarts => put("\"\"".to_owned()),
            (Part::Piece, Form::Text) if plan.touches(piece) => {
                let said = self.assembly.said(piece.call).map_or("", |(said, _, _)| said);
                put(quoted(&plan.cuts.text_of(piece, said)));
            }
            (Part::Piece, Form::Text) => {}
        }
    }

    /// The choices whose last call is known to be cut while their finish reason says otherwise, each with that call.
    fn hidden_cuts(&self) -> BTreeMap<u32, usize> {
        let mut last = BTreeMap::new();
        if self.options.on_cut != OnCut::Pass && self.states.iter().any(|state| state.cut) {
            for at in 0..self.states.len() {
                last.extend(self.assembly.known_as(at).map(|(choice, ..)| (choice, at)));
            }
            last.retain(|choice, at| self.states[*at].cut && self.assembly.claims_end(*choice));
        }
        last
    }

    fn hides_cut(&self, call: usize) -> bool {
        self.states[call].cut && self.hidden_cuts().values().any(|at| *at == call)
    }

    fn relabel(&self, raw: &[u8], text: &str, changes: &mut Splices) {
        let (Some((_, protocol)), Ok(value)) = (&self.protocol, Value::parse(single(text))) else { return };
        let cut = self.hidden_cuts();
        for (choice, said, word) in protocol.ends_as_cut(value) {
            if !cut.contains_key(&choice) {
                continue;
            }
            if said.raw() == word {
                continue;
            }
            changes.replace(raw, said, word);
            // The event's name says it again.
            for line in lines(raw) {
                let named = raw[line.clone()].strip_prefix(b"event:").map(<[u8]>::trim_ascii);
                if named.is_some_and(|name| name == said.raw().trim_matches('"').as_bytes()) {
                    changes.add(line, format!("event: {}", word.trim_matches('"')));
                }
            }
        }
    }
}

/// Whether a piece of a declined call gets another number: another call has its own, or the client knows the call by
/// another one already.
fn renumbered(state: &State, piece: &Piece, needs: Needs) -> bool {
    let is_numbered = piece.index.is_some() || !state.untouched;
    needs.numbers
        && matches!(piece.way, Way::Streamed | Way::Line)
        && is_numbered
        && piece.index != state.index
}

/// Takes the second part of a call out, of which a protocol of whole calls had two: the first one has all of it now.
fn spare(raw: &[u8], site: Site<'_>, changes: &mut Splices) {
    let (own, beside): (Vec<_>, Vec<_>) = site.item.members().partition(|(_, value)| *value == site.entry);
    match own.last().filter(|_| !beside.is_empty()) {
        // What is said beside it, as a signature, stays.
        Some((key, _)) => changes.replace_member(raw, site.item, &key.to_text(), "\"text\":\"\""),
        None => changes.cut(site.item.range_in(raw)),
    }
}

/// Sets a member of the object that holds the name and the arguments; where there is none yet, it comes with
/// the member.
fn set_in_function(raw: &[u8], site: Site<'_>, key: &str, json: &str, changes: &mut Splices) {
    let keys = site.keys;
    let is_flat = keys.name.is_some_and(|name| site.entry.has(name)) || site.entry.has(keys.arguments);
    match keys.function {
        Some(function) if !is_flat => changes.set_within(raw, site.entry, function, key, json),
        _ => changes.set(raw, site.function, key, json),
    }
}

/// Arguments as a protocol writes them.
fn written(output: &str, form: Form) -> String {
    match form {
        Form::Text => quoted(output),
        Form::Object => on_a_line(output),
    }
}

/// An event whose data stands in several lines, with its data in one; with the place and the length of it.
/// Between the tokens of JSON, a space says what a line end says. The first event of a stream may begin with a byte
/// order mark.
pub(super) fn on_one_line(raw: &[u8], number: u64) -> (Vec<u8>, usize, usize) {
    let (mut head, mut data, mut tail) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = false;
    let mut from = 0;
    for line in lines(raw) {
        let text = &raw[line.clone()];
        let text = if number == 0 && from == 0 { text.strip_prefix(BOM).unwrap_or(text) } else { text };
        let value = text.strip_prefix(b"data").filter(|rest| rest.is_empty() || rest.starts_with(b":"));
        let next = line.end;
        match value {
            Some(value) => {
                let value = value.strip_prefix(b":").unwrap_or(value);
                if seen {
                    data.push(b' ');
                } else {
                    head.extend_from_slice(&raw[from..line.end - text.len()]);
                    head.extend_from_slice(b"data: ");
                }
                data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
                seen = true;
            }
            None if seen => tail.extend_from_slice(&raw[from..next]),
            None => head.extend_from_slice(&raw[from..next]),
        }
        from = next;
    }
    tail.extend_from_slice(&raw[from..]);
    let (at, length) = (head.len(), data.len());
    head.append(&mut data);
    head.append(&mut tail);
    (head, at, length)
}
