//! What became of a call, told for logs and metrics.

/// What became of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallReport {
    /// The tool's name.
    pub name: String,
    /// `intact`, `mended` or `declined`.
    pub verdict: &'static str,
    /// The rules that changed bytes.
    pub rules: Vec<&'static str>,
    /// The grade of the repair.
    pub grade: Option<&'static str>,
    /// Whether the model had finished: `complete`, `unknown` or `cut`.
    pub ending: Option<&'static str>,
    /// Why it was declined.
    pub reason: Option<String>,
    /// Bytes of the body, and of what stands in its place.
    pub bytes: (usize, usize),
}
