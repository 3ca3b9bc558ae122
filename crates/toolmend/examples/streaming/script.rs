//! What is asked, and what the model writes.

/// One turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn<'t> {
    pub(crate) title: &'t str,
    pub(crate) question: &'t str,
    /// The reply, as the server's events cut it.
    pub(crate) deltas: &'t [&'t str],
    pub(crate) finish_reason: &'t str,
}

impl<'t> Turn<'t> {
    /// Stands for a model server: whatever the prompt, the reply is the one of the script.
    pub(crate) fn reply(&self, _prompt: &str) -> &'t [&'t str] {
        self.deltas
    }
}

pub(crate) const TURNS: &[Turn<'_>] = &[
    Turn {
        title: "a good call",
        question: "When is the practice open on Fridays?",
        deltas: &["{\"tool\": \"search\", \"query\": \"open on Fri", "days\", \"top_k\": 1}"],
        finish_reason: "stop",
    },
    Turn {
        title: "a comma too many, and words behind the object",
        question: "What do the hypertension guidelines ask for?",
        deltas: &[
            "{\n  \"tool\": \"search\",\n  \"query\": \"hypertension guidelines\",\n  \"top_k\": 5,",
            "\n}\nExtra trailing text not part of JSON.",
        ],
        finish_reason: "stop",
    },
    Turn {
        title: "a string without its closing quote",
        question: "What do the hypertension guidelines ask for?",
        deltas: &[
            "{\n  \"tool\": \"search\",\n  \"query\": \"hypertension guidelines,\n",
            "  \"top_k\": 5\n}",
        ],
        finish_reason: "stop",
    },
    Turn {
        title: "Python's quotes, and an allowed word in another case",
        question: "Please have somebody call me about inhalers.",
        deltas: &["{'tool': 'create_ticket', 'title': ", "'Call back about inhalers', 'priority': 'High'}"],
        finish_reason: "stop",
    },
    Turn {
        title: "cut inside a string",
        question: "Please have somebody call me about my diabetes check.",
        deltas: &["{\"tool\": \"create_ticket\", \"title\": ", "\"Cancel the appointment and then re"],
        finish_reason: "length",
    },
    Turn {
        title: "cut inside a string, and the server says that all is well",
        question: "Please have somebody call me about my diabetes check.",
        deltas: &["{\"tool\": \"create_ticket\", \"title\": ", "\"Cancel the appointment and then re"],
        finish_reason: "stop",
    },
    Turn {
        title: "a tool that does not exist",
        question: "Forget everything.",
        deltas: &["{\"tool\": \"drop_database\"}"],
        finish_reason: "stop",
    },
];
