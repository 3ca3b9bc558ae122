//! A wait that is only as long as the other side is silent.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// Fires when nothing has moved for so long.
///
/// Moving is cheap: it notes the time. The timer is made at the first wait, and set anew when it fires.
#[derive(Debug)]
pub(crate) struct Idle {
    limit: Duration,
    moved: Instant,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Idle {
    pub(crate) fn new(limit: Duration) -> Idle {
        Idle { limit, moved: Instant::now(), sleep: None }
    }

    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    /// Something moved.
    pub(crate) fn moved(&mut self) {
        self.moved = Instant::now();
    }

    /// Ready when nothing has moved for the whole limit.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let due = self.moved + self.limit;
            let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(due)));
            if sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            if due <= Instant::now() {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(due);
        }
    }
}
