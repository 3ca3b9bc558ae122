//! Where a JSON container that may be faulty opens and closes.

/// Follows brackets and strings, and nothing else.
///
/// The core's scanner says whether a text is still JSON; this one answers a coarser question, and answers
/// it for broken text too: has the first container been closed? It tells one document from the next where
/// two share a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    depth: u64,
    in_string: bool,
    escaped: bool,
    begun: bool,
}

impl Shape {
    /// The shape of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut shape = Shape::default();
        shape.push_all(text);
        shape
    }

    /// Takes one byte; answers whether it closed the first container.
    pub(crate) fn push(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'{' | b'[' => {
                self.depth += 1;
                self.begun = true;
            }
            b'"' if self.depth > 0 => self.in_string = true,
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }

    /// Takes a whole text.
    pub(crate) fn push_all(&mut self, text: &str) {
        for byte in text.bytes() {
            self.push(byte);
        }
    }

    /// A container has been opened, and every one that was opened has been closed.
    pub(crate) fn closed(self) -> bool {
        self.begun && self.depth == 0
    }

    /// How many containers are open.
    pub(crate) fn depth(self) -> u64 {
        self.depth
    }

    /// The next byte stands inside a string.
    pub(crate) fn in_string(self) -> bool {
        self.in_string
    }

    /// A container is open.
    pub(crate) fn open(self) -> bool {
        self.depth > 0
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn closed() {
        for (text, closed, open) in [
            ("", false, false),
            ("{", false, true),
            ("{}", true, false),
            ("[{}", false, true),
            ("[{}]", true, false),
            ("{\"a\":\"}\"", false, true),
            ("{\"a\":\"\\\"}\"", false, true),
            ("{\"a\":\"}\"}", true, false),
            ("```json\n{\"a\":1}\n```", true, false),
            ("I'd say \"{\" is {\"a\":1}", false, true),
            ("} ]", false, false),
        ] {
            let mut shape = Shape::default();
            shape.push_all(text);
            assert_eq!((shape.closed(), shape.open()), (closed, open), "{text}");
        }
    }
}
