//! The documents, and how the ones that fit a question are found.

/// A document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
}

const DOCUMENTS: &[Document] = &[
    Document {
        title: "Hypertension guidelines, adults",
        text: "Hypertension is confirmed by readings at home. Guidelines ask for a review every year.",
    },
    Document {
        title: "Measuring blood pressure at home",
        text: "Sit for five minutes, measure twice, write both readings down.",
    },
    Document {
        title: "Diabetes guidelines, adults",
        text: "Guidelines ask for a blood test every six months and for a yearly eye check.",
    },
    Document { title: "Inhalers", text: "Breathe out first. Breathe in slowly, then hold for ten seconds." },
    Document {
        title: "Opening hours",
        text: "The practice is open from eight to six, on Fridays until noon.",
    },
];

/// The documents that share words with the query, the best ones first, at most `limit`. A word counts the
/// more, the fewer documents have it; of equal documents the earlier one comes first.
pub(crate) fn retrieve(query: &str, limit: usize) -> Vec<&'static Document> {
    let asked = words(query);
    let has = |document: &Document, word: &String| {
        words(document.title).contains(word) || words(document.text).contains(word)
    };
    let weight = |word: &String| match DOCUMENTS.iter().filter(|document| has(document, word)).count() {
        0 => 0,
        documents => 1000 / documents,
    };
    let score =
        |document: &Document| -> usize { asked.iter().filter(|word| has(document, word)).map(weight).sum() };
    let mut found: Vec<_> = DOCUMENTS.iter().map(|document| (score(document), document)).collect();
    found.retain(|(score, _)| *score > 0);
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().take(limit).map(|(_, document)| document).collect()
}

/// The words of a text that say something, in lower case, each once.
fn words(text: &str) -> Vec<String> {
    const EMPTY: &[&str] = &["a", "an", "and", "at", "for", "is", "of", "the", "to", "what"];
    let mut words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty() && !EMPTY.contains(&word.as_str()))
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}
