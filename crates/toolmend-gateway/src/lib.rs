//! A reverse proxy that mends the tool calls of a model server's answers while they stream.
//!
//! ```text
//!  agent ──── request ────▶ proxy ──── request ────▶ model server
//!                             │
//!  agent ◀── TurnBody ◀── Inspector ◀── answer ───── model server
//! ```
//!
//! Every method, path and content type passes. Only answers of the endpoints that make tool calls are looked
//! into, and only where the request offers tools; everything else crosses byte for byte. Whatever goes wrong
//! inside lets the answer through as it came.
//!
//! What it does not do: it holds no repair logic (that is [`toolmend`]'s). Of a client's credentials it logs and stores
//! none; in memory they last as long as their request, which may be kept to be made once more ([`Settings::reissue`]).
//! Arguments of calls come into a log only with [`Settings::log_bodies`], turns into files only with
//! [`Settings::record`].
//!
//! The modules, from the outside in: `server` (connections of clients), `proxy` (one request's life), `turn`
//! (the body of an answer that is looked into), `inspect` (what looks at it).

#![forbid(unsafe_code)]

mod admin;
mod bell;
mod body;
mod demo;
mod endpoint;
mod facts;
mod headers;
mod idle;
mod inbound;
mod inspect;
mod limits;
mod mending;
mod metrics;
mod pieces;
mod pool;
mod proxy;
mod record;
mod refusal;
mod reissue;
mod request;
mod server;
mod settings;
mod tls;
mod told;
mod turn;
mod upstream;
mod usage;
mod watch;
mod workers;

pub use demo::Demo;
pub use endpoint::{NoUpstream, Speaks, Upstream};
pub use facts::{Facts, OfferedTool, ToolChoice};
pub use inspect::{GaveUp, Inspector, Settled};
pub use limits::{
    CONNECT_SECONDS, DRAIN_SECONDS, HEADER_READ_SECONDS, IDLE_SECONDS, KEEP_ALIVE_SECONDS, Limits,
    MAX_CONNECTIONS, MAX_HEADER_BYTES, MAX_HEADERS, MAX_HELD_CALL_BYTES, MAX_HELD_TOTAL_BYTES,
    MAX_HELD_TURN_BYTES, MAX_OPEN_TURNS, MAX_RECORDED, MAX_RECORDED_BYTES, MAX_REQUEST_BYTES, MOST_HEADERS,
    REISSUE_SECONDS,
};
pub use mending::Mending;
pub use proxy::Inspectors;
pub use request::UNPARSED;
pub use server::Server;
pub use settings::{Hold, Mode, OnCut, Settings, SetupError};
