//! The gateway over real sockets on loopback.

mod demo;
mod faults;
mod harness;
mod limits;
mod mend;
mod pass;
mod reissue;
mod shutdown;
mod stream;
mod threads;
mod tls;
mod upgrade;
