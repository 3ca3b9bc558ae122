//! What is the same for every call of an application: its policy, its model, its tools.

use core::fmt;
use std::sync::Arc;

use toolmend_core::{CallJudge, Evidence, FoundCall, Judge, Kinds, NoJudge, Offer, Policy, Verdict, mend};
use toolmend_formats::{Match, Promote, Reader, family};
use toolmend_schema::Tool;
use toolmend_wire::{Call, CallFault, Limits, Promoter, Recorded};

use crate::settled::{Outcome, SettledCall};

/// Mends calls under one policy, for one model and its tools.
///
/// ```
/// use toolmend::{Evidence, Policy, Tool, Toolmend};
///
/// let tools = Tool::list(r#"[{"type": "function", "function": {"name": "search", "parameters": {
///     "type": "object",
///     "properties": {"query": {"type": "string"}, "top_k": {"type": "integer"}},
///     "required": ["query"]
/// }}}]"#)?;
/// let toolmend = Toolmend::new().policy(Policy::STANDARD).model("deepseek-v4").tools(tools);
///
/// let body = "<｜tool▁call▁arguments▁begin｜>{\"query\": \"vllm\", \"top_k\": \"3\"}";
/// let verdict = toolmend.mend(body, Evidence::new());
/// assert_eq!(verdict.text(body), Some("{\"query\": \"vllm\", \"top_k\": 3}"));
/// # Ok::<(), toolmend::ToolError>(())
/// ```
#[derive(Clone)]
pub struct Toolmend<'a> {
    policy: Policy,
    model: Match,
    tools: Vec<Offered<'a>>,
}

/// A tool that the model was offered.
#[derive(Clone)]
struct Offered<'a> {
    /// A JSON Schema alone has none.
    name: Option<String>,
    judge: Judging<'a>,
}

#[derive(Clone)]
enum Judging<'a> {
    Tool(Tool),
    Other(&'a (dyn Judge + Sync)),
}

impl<'a> Toolmend<'a> {
    /// [`Policy::STANDARD`], no model, no tools.
    #[must_use]
    pub fn new() -> Self {
        Toolmend { policy: Policy::STANDARD, model: Match::Empty, tools: Vec::new() }
    }

    /// The highest grade of repair to accept.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// The model that writes the calls: says which marks it is known to leak. An empty or unknown name
    /// leaves the general rules; see [`Toolmend::model_match`].
    #[must_use]
    pub fn model(mut self, model: &str) -> Self {
        self.model = family(model);
        self
    }

    /// The tools that the model was offered. A call of any other tool is declined, and each call is judged by
    /// its own tool's schema. Without any tools, nothing is known of them: no name is refused, and nothing
    /// is judged.
    ///
    /// Of two tools of one name the later one counts. A tool without a name (a JSON Schema alone) judges
    /// calls of any name where no other tool was offered, and none elsewhere.
    #[must_use]
    pub fn tools(self, tools: impl IntoIterator<Item = Tool>) -> Self {
        tools
            .into_iter()
            .fold(self, |toolmend, tool| toolmend.offer(tool.name().map(str::to_owned), Judging::Tool(tool)))
    }

    /// One tool that the model was offered, judged by something else than a [`Tool`] of its own, or by one
    /// that is only lent; by [`NoJudge`] where nothing judges its arguments.
    #[must_use]
    pub fn tool(self, name: impl Into<String>, judge: &'a (dyn Judge + Sync)) -> Self {
        self.offer(Some(name.into()), Judging::Other(judge))
    }

    fn offer(mut self, name: Option<String>, judge: Judging<'a>) -> Self {
        self.tools.retain(|known| known.name.is_none() || known.name != name);
        self.tools.push(Offered { name, judge });
        self
    }

    /// What the model's name said.
    #[must_use]
    pub const fn model_match(&self) -> Match {
        self.model
    }

    /// Says what is to become of one body, under the policy. Where exactly one tool was offered, the body is
    /// taken for the arguments of a call of it.
    #[must_use]
    pub fn mend(&self, body: &str, evidence: Evidence<'_>) -> Verdict {
        match &self.tools[..] {
            [Offered { name: Some(name), judge }] if !name.is_empty() => {
                self.judged(body, evidence.tool(name), judge.judge())
            }
            [only] => self.judged(body, evidence, only.judge.judge()),
            _ => self.judged(body, evidence, &NoJudge),
        }
    }

    /// As [`Toolmend::mend`], for a call of this tool; `None` where tools were offered and it is none of
    /// them.
    #[must_use]
    pub fn mend_call<'e>(&self, name: &'e str, body: &str, evidence: Evidence<'e>) -> Option<Verdict> {
        Some(self.judged(body, evidence.tool(name), self.judge_of(name)?))
    }

    /// A reader of one assistant's text that makes calls of these tools, under this policy and for this
    /// model. Without tools it makes none: a call in a text counts only if its tool was offered.
    ///
    /// ```
    /// use toolmend::{Ending, TextEvent, TextReader, Tool, Toolmend};
    ///
    /// let tool = Tool::new("search", r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#);
    /// let toolmend = Toolmend::new().tools([tool]);
    /// let mut reader = toolmend.reader();
    /// let mut found = Vec::new();
    /// let text = "<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"sse\"}}\n</tool_call>";
    /// reader.push(text, &mut |_| {});
    /// reader.finish(Ending::Complete, &mut |event| {
    ///     if let TextEvent::Call(call) = event {
    ///         found.push((call.name, call.arguments));
    ///     }
    /// });
    /// assert_eq!(found, [("search".to_owned(), "{\"query\": \"sse\"}".to_owned())]);
    /// ```
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        self.told(if self.tools.is_empty() { Reader::without_tools() } else { Reader::new(self) })
    }

    /// As [`Toolmend::reader`], for a reader that lives longer than this borrow.
    #[must_use]
    pub fn shared_reader(self: &Arc<Self>) -> Reader<'static>
    where
        'a: 'static,
    {
        self.told(if self.tools.is_empty() { Reader::without_tools() } else { Reader::shared(self.clone()) })
    }

    /// What a reader has to know beside the tools.
    fn told<'r>(&self, reader: Reader<'r>) -> Reader<'r> {
        reader.matched(self.model).policy(self.policy).promote(Promote::All)
    }

    /// Makes calls of the text of one turn, bytes in and bytes out: what [`Toolmend::reader`] reads, in the
    /// words of the turn's protocol. `max_tokens` is the request's cap on output tokens, where it is known.
    #[must_use]
    pub fn promoter(&self, promote: Promote, max_tokens: Option<u64>) -> Promoter<Reader<'_>> {
        Promoter::new(self.reader().promote(promote), Limits::default(), max_tokens)
    }

    fn judge_of(&self, name: &str) -> Option<&dyn Judge> {
        let named = self.tools.iter().find(|tool| tool.name.as_deref() == Some(name));
        match (&self.tools[..], named) {
            ([], _) => Some(&NoJudge),
            (_, Some(tool)) => Some(tool.judge.judge()),
            ([only], None) if only.name.is_none() => Some(only.judge.judge()),
            (_, None) => None,
        }
    }

    /// Settles every call of a turn. `max_tokens` is the request's cap on output tokens, where it is known.
    #[must_use]
    pub fn turn(&self, turn: &Recorded, max_tokens: Option<u64>) -> Vec<SettledCall> {
        let settle = |call: &Call| {
            let settled = self.settle(call, turn.evidence(call, max_tokens));
            let mended = settled.arguments().is_some_and(|arguments| arguments != call.arguments);
            // As for a turn in flight.
            let outcome = match mended && turn.is_in_parts(call) {
                true => Outcome::Misassembled(CallFault::ValueByValue),
                false => settled.outcome,
            };
            SettledCall { outcome, ..settled }
        };
        turn.calls.iter().map(settle).collect()
    }

    /// Settles one call, where `evidence` is what is known of its own ending.
    pub(crate) fn settle<'e>(&self, call: &'e Call, evidence: Evidence<'e>) -> SettledCall {
        let outcome = match &call.fault {
            Some(fault) => Outcome::Misassembled(fault.clone()),
            None => self
                .mend_call(&call.name, &call.arguments, evidence)
                .map_or(Outcome::UnknownTool, Outcome::Judged),
        };
        SettledCall {
            choice: call.choice,
            index: call.index,
            id: call.id.clone(),
            name: call.name.clone(),
            body: call.arguments.clone(),
            outcome,
        }
    }

    fn judged(&self, body: &str, evidence: Evidence<'_>, judge: &dyn Judge) -> Verdict {
        mend(body, &evidence.marks(self.model.marks()), judge).under(self.policy)
    }
}

impl Offer for Toolmend<'_> {
    fn judge(&self, tool: &str) -> Option<&dyn Judge> {
        // A tool without a name judges calls of any, but no text names it.
        let named = |known: &&Offered<'_>| known.name.as_deref() == Some(tool);
        self.tools.iter().find(named).map(|tool| tool.judge.judge())
    }

    fn kinds(&self, tool: &str, parameter: &str) -> Kinds {
        match self.tools.iter().find(|known| known.name.as_deref() == Some(tool)) {
            Some(Offered { judge: Judging::Tool(tool), .. }) => tool.kinds(parameter),
            _ => Kinds::UNKNOWN,
        }
    }
}

/// The turn's own name of the model counts where none was given.
impl CallJudge for Toolmend<'_> {
    fn judge(&self, call: FoundCall<'_>, evidence: Evidence<'_>) -> Option<Verdict> {
        let model = match (self.model, call.model) {
            (Match::Empty, Some(model)) => family(model),
            (model, _) => model,
        };
        let evidence = evidence.tool(call.name).marks(model.marks());
        Some(mend(call.body, &evidence, self.judge_of(call.name)?).under(self.policy))
    }

    fn offers(&self, name: &str) -> Option<bool> {
        (!self.tools.is_empty()).then(|| self.judge_of(name).is_some())
    }
}

impl Judging<'_> {
    fn judge(&self) -> &dyn Judge {
        match self {
            Judging::Tool(tool) => tool,
            Judging::Other(judge) => *judge,
        }
    }
}

impl Default for Toolmend<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Toolmend<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<Option<&str>> = self.tools.iter().map(|tool| tool.name.as_deref()).collect();
        f.debug_struct("Toolmend")
            .field("policy", &self.policy)
            .field("model", &self.model)
            .field("tools", &tools)
            .finish()
    }
}
