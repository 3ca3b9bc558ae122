//! Work spread over threads, with its results in order and its memory bounded.
//!
//! Plain threads, because the two things that matter here are the order of the answers and a bound on
//! what is in flight. The reader takes from a budget of bytes before it hands a job out, and the job's
//! bytes go back when its answer has been filed; so neither a slow worker nor a slow output lets memory
//! grow. Order is kept by a queue of answers to come: each job travels with the sending half of a
//! one-answer channel, whose receiving half stands in that queue.
//!
//! The threads are not joined: when the output has gone, the reader may be waiting for an input that
//! never comes, and the run must end all the same.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::failure::Failure;

/// How much may be in flight, in bytes of [`Job::weight`]; a heavier job travels alone.
pub(crate) const IN_FLIGHT: usize = 16 << 20;

/// Where jobs come from.
pub(crate) trait Work: Send + 'static {
    type Job: Job;
    /// The next job; none at the end.
    fn next(&mut self) -> Result<Option<Self::Job>, Failure>;
}

/// Something to be done by one worker.
pub(crate) trait Job: Send + 'static {
    /// About how many bytes it holds until its answer is filed.
    fn weight(&self) -> usize;

    /// The number of its first line, for messages.
    fn first_line(&self) -> u64;
}

/// An answer to come, or the end of the input by a failure.
enum Due<A> {
    Answer { answer: Receiver<A>, weight: usize, line: u64 },
    Failed(Failure),
}

/// Does all work on `threads` workers; `file` gets the answers on this thread, in the order of the jobs.
pub(crate) fn run<W, A>(
    threads: usize,
    work: W,
    answer: impl Fn(W::Job) -> A + Send + Sync + 'static,
    mut file: impl FnMut(A) -> Result<(), Failure>,
) -> Result<(), Failure>
where
    W: Work,
    A: Send + 'static,
{
    let budget = Arc::new(Budget::new(IN_FLIGHT));
    let (jobs, to_do) = mpsc::channel::<(W::Job, Sender<A>)>();
    let (queue, due) = mpsc::channel();
    let (to_do, answer) = (Arc::new(Mutex::new(to_do)), Arc::new(answer));
    for _ in 0..threads {
        let (to_do, answer) = (Arc::clone(&to_do), Arc::clone(&answer));
        start(move || {
            loop {
                // A statement of its own: the lock is held while waiting, but not while working.
                let next = locked(&to_do).recv();
                let Ok((job, reply)) = next else { return };
                // Nobody waits any more when the run has ended early.
                let _ = reply.send(answer(job));
            }
        })?;
    }
    let reader_budget = Arc::clone(&budget);
    start(move || hand_out(work, &reader_budget, &jobs, &queue))?;
    for next in due {
        match next {
            Due::Failed(failure) => return Err(failure),
            Due::Answer { answer, weight, line } => {
                file(answer.recv().map_err(|_| Failure::LostWorker { line })?)?;
                budget.give(weight);
            }
        }
    }
    Ok(())
}

/// Starts a thread, which the system may refuse.
fn start(work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    thread::Builder::new().spawn(work).map(drop).map_err(Failure::Thread)
}

/// The reader's thread; ends with the input, or when nobody takes what it reads.
fn hand_out<W: Work, A>(
    mut work: W,
    budget: &Budget,
    jobs: &Sender<(W::Job, Sender<A>)>,
    queue: &Sender<Due<A>>,
) {
    loop {
        let job = match work.next() {
            Ok(Some(job)) => job,
            Ok(None) => return,
            Err(failure) => {
                let _ = queue.send(Due::Failed(failure));
                return;
            }
        };
        let (weight, line) = (job.weight(), job.first_line());
        budget.take(weight);
        let (reply, answer) = mpsc::channel();
        let queued = queue.send(Due::Answer { answer, weight, line }).is_ok();
        if !queued || jobs.send((job, reply)).is_err() {
            return;
        }
    }
}

/// Bytes that may still be handed out.
struct Budget {
    limit: usize,
    taken: Mutex<usize>,
    given: Condvar,
}

impl Budget {
    fn new(limit: usize) -> Self {
        Budget { limit, taken: Mutex::new(0), given: Condvar::new() }
    }

    /// Waits until there is room for `weight`, or until nothing else is out.
    fn take(&self, weight: usize) {
        let full = |taken: &mut usize| *taken > 0 && *taken + weight > self.limit;
        let mut taken =
            self.given.wait_while(locked(&self.taken), full).unwrap_or_else(PoisonError::into_inner);
        *taken += weight;
    }

    fn give(&self, weight: usize) {
        *locked(&self.taken) -= weight;
        self.given.notify_one();
    }
}

/// A lock whose holder has panicked guards nothing here that could be half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    struct Numbers {
        next: usize,
        end: usize,
        fails: bool,
        out: Arc<AtomicUsize>,
        most: Arc<AtomicUsize>,
    }

    struct Number(usize);

    /// As heavy as it takes for four of them to fill the budget.
    const WEIGHT: usize = IN_FLIGHT / 4;

    impl Job for Number {
        fn weight(&self) -> usize {
            WEIGHT
        }

        fn first_line(&self) -> u64 {
            self.0 as u64
        }
    }

    impl Work for Numbers {
        type Job = Number;

        fn next(&mut self) -> Result<Option<Number>, Failure> {
            if self.next == self.end {
                let failure = Failure::LostWorker { line: 7 };
                return if self.fails { Err(failure) } else { Ok(None) };
            }
            self.next += 1;
            self.most.fetch_max(self.out.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
            Ok(Some(Number(self.next)))
        }
    }

    fn numbers(end: usize, fails: bool) -> Numbers {
        Numbers { next: 0, end, fails, out: Arc::default(), most: Arc::default() }
    }

    /// The earlier a number, the longer it takes, so that answers are ready out of order.
    fn slow(number: Number) -> usize {
        thread::sleep(Duration::from_micros(400 / number.0 as u64));
        number.0
    }

    #[test]
    fn answers_come_in_order_and_the_budget_holds() {
        let work = numbers(200, false);
        let (out, most) = (Arc::clone(&work.out), Arc::clone(&work.most));
        let mut filed = Vec::new();
        run(4, work, slow, |n| {
            out.fetch_sub(1, Ordering::SeqCst);
            filed.push(n);
            Ok(())
        })
        .unwrap();
        assert!(filed.iter().copied().eq(1..=200));
        // Four in flight, one more read and waiting for room, one filed whose room is not yet given back.
        assert!(most.load(Ordering::SeqCst) <= 6);
    }

    /// Each job waits for three others: without four workers at work this would not end.
    #[test]
    fn workers_work_at_the_same_time() {
        struct Light;
        impl Job for Light {
            fn weight(&self) -> usize {
                1
            }

            fn first_line(&self) -> u64 {
                1
            }
        }
        struct Eight(usize);
        impl Work for Eight {
            type Job = Light;

            fn next(&mut self) -> Result<Option<Light>, Failure> {
                self.0 += 1;
                Ok((self.0 <= 8).then_some(Light))
            }
        }
        let meeting = Barrier::new(4);
        let mut filed = 0;
        run(
            4,
            Eight(0),
            move |_| {
                meeting.wait();
            },
            |()| {
                filed += 1;
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(filed, 8);
    }

    #[test]
    fn what_was_read_before_a_failure_is_answered() {
        let mut filed = Vec::new();
        let ended = run(4, numbers(20, true), slow, |n| {
            filed.push(n);
            Ok(())
        });
        assert!(matches!(ended, Err(Failure::LostWorker { line: 7 })));
        assert!(filed.into_iter().eq(1..=20));
    }

    #[test]
    fn a_job_heavier_than_the_budget_travels_alone() {
        let budget = Budget::new(10);
        budget.take(100);
        budget.give(100);
        budget.take(10);
        budget.give(10);
    }
}
