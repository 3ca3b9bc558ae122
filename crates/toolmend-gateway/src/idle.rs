//! A wait that is only as long as the other side is silent.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

/// Fires when something has been waited for so long.
///
/// Time counts from the first wait after something moved: who does not ask is not kept waiting, so a client
/// that pauses makes no upstream idle. The timer is made at the first wait, and set anew when it fires.
#[derive(Debug)]
pub(crate) struct Idle {
    limit: Duration,
    /// Since when; `None` where nothing is waited for.
    since: Option<Instant>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Idle {
    pub(crate) fn new(limit: Duration) -> Idle {
        Idle { limit, since: None, sleep: None }
    }

    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    /// Something moved.
    pub(crate) fn moved(&mut self) {
        self.since = None;
    }

    /// Waits; ready when that has been for the whole limit.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let due = *self.since.get_or_insert_with(Instant::now) + self.limit;
        loop {
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

/// Does some work for as long as it moves: until it has not for the whole limit. `moved` says when it last did.
pub(crate) async fn while_it_moves<T>(
    limit: Duration,
    moved: impl Fn() -> Instant,
    work: impl Future<Output = T>,
) -> Option<T> {
    let mut work = std::pin::pin!(work);
    let mut due = Instant::now() + limit;
    loop {
        if let Ok(done) = timeout_at(due, work.as_mut()).await {
            return Some(done);
        }
        due = moved() + limit;
        if due <= Instant::now() {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::time::{sleep, timeout};

    use super::*;

    #[tokio::test]
    async fn only_waiting_counts() {
        let mut idle = Idle::new(Duration::from_millis(30));
        for _ in 0..2 {
            // Nobody waits, so nobody is kept waiting.
            sleep(Duration::from_millis(60)).await;
            assert!(poll_fn(|cx| Poll::Ready(idle.poll(cx).is_pending())).await);
            timeout(Duration::from_secs(60), poll_fn(|cx| idle.poll(cx))).await.unwrap();
            idle.moved();
        }
    }
}
