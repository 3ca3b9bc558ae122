//! How a text is cut, as a fuzzer writes it.

/// The most lengths that one split names.
const MAX_LENGTHS: usize = 16;

/// Lengths of pieces, taken again and again until the text is used up.
///
/// In bytes: how many lengths there are, then one byte for each, then the text.
pub struct Split {
    lengths: Vec<usize>,
}

impl Split {
    /// A split that takes these lengths in turn.
    pub fn of(lengths: &[usize]) -> Split {
        Split { lengths: lengths.to_vec() }
    }

    /// Takes the split off the front of the data, and answers the rest.
    pub fn read(data: &[u8]) -> (Split, &[u8]) {
        let Some((&count, rest)) = data.split_first() else { return (Split::of(&[]), data) };
        let (lengths, text) = rest.split_at((usize::from(count) % (MAX_LENGTHS + 1)).min(rest.len()));
        (Split { lengths: lengths.iter().map(|&length| usize::from(length)).collect() }, text)
    }

    /// The bytes as [`Split::read`] takes them.
    pub fn write(&self, text: &[u8]) -> Vec<u8> {
        let lengths = self.lengths.iter().take(MAX_LENGTHS).map(|&length| length.min(255) as u8);
        let mut data = vec![lengths.len() as u8];
        data.extend(lengths);
        data.extend_from_slice(text);
        data
    }

    /// Where the text of this length is cut; every place once for each cut, ascending.
    pub fn places(&self, length: usize) -> Vec<usize> {
        let mut places = Vec::new();
        if self.lengths.iter().all(|&length| length == 0) {
            return places;
        }
        let mut at = 0;
        for step in self.lengths.iter().cycle() {
            at += step;
            if at >= length {
                return places;
            }
            places.push(at);
        }
        places
    }

    /// The bytes in pieces.
    pub fn bytes<'a>(&self, text: &'a [u8]) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        let mut from = 0;
        for at in self.places(text.len()) {
            pieces.push(&text[from..at]);
            from = at;
        }
        pieces.push(&text[from..]);
        pieces
    }

    /// The text in pieces; a cut inside a character stands behind it.
    pub fn text<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let mut pieces = Vec::new();
        let mut from = 0;
        for at in self.places(text.len()) {
            let at = (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
            if at >= from {
                pieces.push(&text[from..at]);
                from = at;
            }
        }
        pieces.push(&text[from..]);
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::Split;

    #[test]
    fn pieces_are_the_whole_text() {
        for lengths in [&[][..], &[0], &[1], &[2, 0, 3], &[255]] {
            let split = Split::of(lengths);
            for text in ["", "a", "北京 ✓ x"] {
                assert_eq!(split.text(text).concat(), text);
                assert_eq!(split.bytes(text.as_bytes()).concat(), text.as_bytes());
                let data = split.write(text.as_bytes());
                let (again, rest) = Split::read(&data);
                assert_eq!((again.lengths, rest), (lengths.to_vec(), text.as_bytes()));
            }
        }
    }
}
