//! A reader of text for tests that are about turns, not about formats.

use toolmend_core::{Ending, TextCall, TextEvent, TextReader};

/// Takes `<c>NAME ARGUMENTS</c>` for a call, or `<c>NAME#ID ARGUMENTS</c>`.
#[derive(Default)]
pub(crate) struct Marks(String);

impl TextReader for Marks {
    fn push(&mut self, piece: &str, sink: &mut dyn FnMut(TextEvent<'_>)) {
        if self.0.is_empty() && !piece.contains('<') {
            return sink(TextEvent::Content(piece));
        }
        self.0.push_str(piece);
    }

    fn finish(&mut self, _ending: Ending, sink: &mut dyn FnMut(TextEvent<'_>)) {
        let mut rest = self.0.as_str();
        while let Some((before, behind)) = rest.split_once("<c>") {
            let Some((inside, behind)) = behind.split_once("</c>") else { break };
            let (name, arguments) = inside.split_once(' ').unwrap();
            let (name, id) = name.split_once('#').map_or((name, None), |(name, id)| (name, Some(id)));
            if !before.is_empty() {
                sink(TextEvent::Content(before));
            }
            sink(TextEvent::Call(TextCall {
                name: name.to_owned(),
                arguments: arguments.to_owned(),
                id: id.map(str::to_owned),
                source: format!("<c>{inside}</c>"),
                rules: Vec::new(),
                grade: None,
            }));
            rest = behind;
        }
        if !rest.is_empty() {
            sink(TextEvent::Content(rest));
        }
    }
}
