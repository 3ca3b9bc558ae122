//! The JSON that `repair` prints. Keys are sorted, as the fields here are.

use serde::Serialize;
use toolmend::wire::Call;

use crate::receipt::ReceiptJson;

/// One call, as its protocol would carry it in a whole response, with what was done to it.
#[derive(Debug, Serialize)]
pub(crate) struct Envelope<'a> {
    #[serde(rename = "_receipt", skip_serializing_if = "Option::is_none")]
    pub(crate) receipt: Option<ReceiptJson<'a>>,
    /// Whether `arguments` is a repaired text. The text of an intact or a declined call is the original.
    #[serde(rename = "_repaired")]
    pub(crate) repaired: bool,
    pub(crate) function: Function<'a>,
    pub(crate) id: Option<&'a str>,
    pub(crate) index: u32,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Function<'a> {
    pub(crate) arguments: &'a str,
    pub(crate) name: &'a str,
}

impl<'a> Envelope<'a> {
    /// The envelope of a call with these arguments.
    pub(crate) fn new(call: &'a Call, arguments: &'a str, repaired: bool) -> Self {
        Envelope {
            receipt: None,
            repaired,
            function: Function { arguments, name: &call.name },
            id: call.id.as_deref(),
            index: call.index,
            kind: "function",
        }
    }
}
