//! Token counts that the gateway asked for are kept from a client that did not.

use toolmend::wire::json::Value;

use crate::inspect::{Inspector, Settled};

/// Takes the event of a chat stream out that says nothing but the usage.
///
/// OpenAI sends it as one more chunk without choices, after the last choice has ended.
pub(crate) struct WithoutUsage {
    inner: Box<dyn Inspector>,
    /// What the inner one gave, up to the end of an event.
    event: Vec<u8>,
    given: Vec<u8>,
}

impl WithoutUsage {
    pub(crate) fn new(inner: Box<dyn Inspector>) -> WithoutUsage {
        WithoutUsage { inner, event: Vec::new(), given: Vec::new() }
    }

    fn pass(&mut self, out: &mut Vec<u8>) {
        for line in self.given.split_inclusive(|byte| *byte == b'\n') {
            self.event.extend_from_slice(line);
            if matches!(line, b"\n" | b"\r\n") {
                if !says_only_usage(&self.event) {
                    out.extend_from_slice(&self.event);
                }
                self.event.clear();
            }
        }
        self.given.clear();
    }
}

impl Inspector for WithoutUsage {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.inner.push(bytes, &mut self.given);
        self.pass(out);
    }

    fn finish(&mut self, whole: bool, out: &mut Vec<u8>) {
        self.inner.finish(whole, &mut self.given);
        self.pass(out);
        out.append(&mut self.event);
    }

    fn held(&self) -> usize {
        self.inner.held() + self.event.len()
    }

    fn holds(&self) -> bool {
        self.inner.holds() && self.event.is_empty()
    }

    fn release(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.event);
        self.inner.release(out);
    }

    fn held_call(&self) -> usize {
        self.inner.held_call()
    }

    fn settled(&mut self) -> Vec<Settled> {
        self.inner.settled()
    }
}

fn says_only_usage(event: &[u8]) -> bool {
    let Some(data) = std::str::from_utf8(event).ok().and_then(|event| event.trim_end().strip_prefix("data:"))
    else {
        return false;
    };
    let Ok(chunk) = Value::parse(data) else { return false };
    let [choices, usage] = chunk.pick(["choices", "usage"]);
    choices.is_some_and(|choices| choices.is_array() && choices.items().next().is_none())
        && usage.is_some_and(Value::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_events_say_only_usage() {
        for (event, only) in [
            ("data: {\"choices\":[],\"usage\":{\"completion_tokens\":1}}\n\n", true),
            ("data:{\"usage\":{},\"choices\":[ ]}\r\n\r\n", true),
            ("data: {\"choices\":[],\"usage\":null}\n\n", false),
            ("data: {\"choices\":[],\"prompt_filter_results\":[]}\n\n", false),
            ("data: {\"choices\":[{\"index\":0}],\"usage\":{}}\n\n", false),
            ("data: {\"usage\":{}}\n\n", false),
            ("data: [DONE]\n\n", false),
            (": {\"choices\":[],\"usage\":{}}\n\n", false),
            ("\n", false),
        ] {
            assert_eq!(says_only_usage(event.as_bytes()), only, "{event}");
        }
    }
}
