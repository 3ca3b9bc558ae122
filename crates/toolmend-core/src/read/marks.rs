//! The marks with which models write calls, as far as any body may show them.
//!
//! A family's own list (see `Evidence::marks`) comes on top; these shapes are known without a model name.

/// The longest mark, in bytes.
pub(super) const MAX_MARK: usize = 96;

/// Marks that have no shape of their own.
const PLAIN: &[&str] = &["</s", "functions.", ">>>"];

/// Where the mark at `at` ends, if one begins there: one of `known`, or one of the shapes
/// `<|…|>`, `<｜…｜>`, `<|word>`, `<word|>`, `<word>`, `</word>`, `<word=name>`, `[WORD]`, `[/WORD]`, `✿WORD✿`; or the stop word
/// of ReAct at the end of the text.
pub(crate) fn mark_end(text: &str, at: usize, known: &[&str]) -> Option<usize> {
    let rest = text.get(at..)?;
    let listed =
        known.iter().chain(PLAIN).filter(|m| !m.is_empty() && rest.starts_with(**m)).map(|m| m.len()).max();
    shape(rest).max(listed).or_else(|| stop_word(rest)).map(|length| at + length)
}

/// The word at which a ReAct turn is stopped, as the last of the text: what stands behind it is no call.
fn stop_word(rest: &str) -> Option<usize> {
    const WORD: &str = "Observation:";
    (rest.trim_ascii_end() == WORD).then_some(WORD.len())
}

fn shape(rest: &str) -> Option<usize> {
    let (open, close) = match rest.chars().next()? {
        '<' => ('<', '>'),
        '[' => ('[', ']'),
        '✿' => ('✿', '✿'),
        _ => return None,
    };
    let inner = &rest[open.len_utf8()..];
    let length = inner.char_indices().take_while(|&(n, _)| n < MAX_MARK).find(|&(_, c)| c == close)?.0;
    let name = &inner[..length];
    let fits = match open {
        '<' => pipes(name) || tag(name),
        '[' => word(name.strip_prefix('/').unwrap_or(name), |c| c.is_ascii_uppercase() || c == '_'),
        _ => word(name, |c| c.is_ascii_uppercase()),
    };
    fits.then_some(open.len_utf8() + length + close.len_utf8())
}

/// `|…|` or `｜…｜`; `|word` or `word|`.
fn pipes(name: &str) -> bool {
    if let Some(one) = name.strip_prefix('|').or_else(|| name.strip_suffix('|'))
        && word(one, |c| c.is_ascii_lowercase() || c == '_')
    {
        return true;
    }
    let inner = |pipe| name.strip_prefix(pipe).and_then(|n: &str| n.strip_suffix(pipe));
    let plain = |n: &str| !n.is_empty() && !n.contains(['<', '{', '"', '\n']);
    inner('|').is_some_and(plain) || inner('｜').is_some_and(plain)
}

/// `word`, `/word`, `word=name`.
fn tag(name: &str) -> bool {
    let name = name.strip_prefix('/').unwrap_or(name);
    let (name, value) = name.split_once('=').unwrap_or((name, "x"));
    word(name, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':'))
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && word(value, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/'))
}

fn word(name: &str, of: impl Fn(char) -> bool) -> bool {
    !name.is_empty() && name.chars().all(of)
}
