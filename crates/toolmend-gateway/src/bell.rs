//! What wakes the reader of a body, and not while it reads.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

/// Whoever rings wakes the one who listens.
const OPEN: u8 = 0;
/// Nobody listens.
const MUTED: u8 = 1;
/// Nobody listens, and somebody rang.
const MISSED: u8 = 2;

/// A waker that stays the same, whoever waits, and that is mute while nobody does.
///
/// A body and its connection that are polled together wake each other with each frame that one hands to the other: that
/// is no news to who polls both. And what is registered with each poll need not be cloned where it is the same.
#[derive(Debug)]
pub(crate) struct Bell {
    state: AtomicU8,
    listener: Mutex<Waker>,
}

impl Bell {
    /// A mute one, and what rings it.
    pub(crate) fn new() -> (Arc<Bell>, Waker) {
        let bell = Bell { state: AtomicU8::new(MUTED), listener: Mutex::new(Waker::noop().clone()) };
        let bell = Arc::new(bell);
        (Arc::clone(&bell), bell.into())
    }

    /// Wakes nobody until somebody listens again.
    pub(crate) fn mute(&self) {
        self.state.store(MUTED, Ordering::Release);
    }

    /// From now on this is woken; at once where it rang since it was muted.
    pub(crate) fn listen(&self, waker: &Waker) {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).clone_from(waker);
        if self.state.swap(OPEN, Ordering::AcqRel) == MISSED {
            waker.wake_by_ref();
        }
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Bell>) {
        if self.state.compare_exchange(MUTED, MISSED, Ordering::AcqRel, Ordering::Acquire) == Err(OPEN) {
            self.listener.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Count>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn only_who_listens_is_woken_and_nothing_is_missed() {
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let (waker, woken) = (Waker::from(Arc::clone(&count)), || count.0.load(Ordering::Relaxed));
        let (bell, ring) = Bell::new();
        ring.wake_by_ref();
        assert_eq!(woken(), 0);
        bell.listen(&waker);
        assert_eq!(woken(), 1);
        bell.listen(&waker);
        assert_eq!(woken(), 1);
        ring.wake_by_ref();
        ring.wake_by_ref();
        assert_eq!(woken(), 3);
        bell.mute();
        ring.wake_by_ref();
        ring.wake_by_ref();
        assert_eq!(woken(), 3);
        // Another one listens now.
        let other = Arc::new(Count(AtomicUsize::new(0)));
        bell.listen(&Waker::from(Arc::clone(&other)));
        ring.wake();
        assert_eq!((woken(), other.0.load(Ordering::Relaxed)), (3, 2));
    }
}
