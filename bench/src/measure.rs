//! Times that a busy machine spoils as little as possible.
//!
//! All jobs of a group are measured in turns, a short sample each, so that whatever disturbs the machine
//! disturbs all of them. The best sample of a job is its time: noise only ever adds. How far the median
//! lies above it says how much noise there was.

use std::time::{Duration, Instant};

/// How long to measure.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Samples of each job, at most.
    pub rounds: usize,
    /// How long one sample is to take, at least.
    pub sample: Duration,
    /// How long all samples of one job may take together.
    pub budget: Duration,
}

impl Effort {
    /// For numbers that are published.
    pub const FULL: Effort =
        Effort { rounds: 60, sample: Duration::from_micros(1500), budget: Duration::from_millis(1500) };
    /// Only shows that everything runs.
    pub const QUICK: Effort = Effort { rounds: 1, sample: Duration::ZERO, budget: Duration::ZERO };
}

/// Samples that are taken even where they exceed the budget.
const MIN_ROUNDS: usize = 3;

const MAX_TIMES: u64 = 1 << 22;

/// Something to be timed.
pub struct Job<'a> {
    bytes: usize,
    run: Box<dyn FnMut(u64) -> Duration + 'a>,
}

impl<'a> Job<'a> {
    /// A job of this process; one run goes through `bytes`.
    pub fn new<T>(bytes: usize, mut work: impl FnMut() -> T + 'a) -> Job<'a> {
        let run = move |times| {
            let start = Instant::now();
            for _ in 0..times {
                std::hint::black_box(work());
            }
            start.elapsed()
        };
        Job { bytes, run: Box::new(run) }
    }

    /// A job of this process that goes through several texts; they are counted as `bytes`.
    pub fn through<T>(bytes: usize, texts: &'a [String], work: impl Fn(&'a str) -> T + 'a) -> Job<'a> {
        Job::new(bytes, move || {
            for text in texts {
                std::hint::black_box(work(text));
            }
        })
    }

    /// A job that takes its own time: it is told how often to run.
    pub fn timed_elsewhere(bytes: usize, run: impl FnMut(u64) -> Duration + 'a) -> Job<'a> {
        Job { bytes, run: Box::new(run) }
    }
}

/// What was measured of one job.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// Bytes that one run goes through.
    pub bytes: usize,
    /// Nanoseconds of one run in the best sample.
    pub best: f64,
    /// Nanoseconds of one run in the median sample.
    pub median: f64,
    /// Samples taken.
    pub samples: usize,
}

impl Timing {
    /// Nanoseconds a byte in the best sample.
    pub fn per_byte(&self) -> f64 {
        self.best / self.bytes as f64
    }
}

/// Measures the jobs in turns.
pub fn interleave(mut jobs: Vec<Job<'_>>, effort: Effort) -> Vec<Timing> {
    let times: Vec<u64> = jobs.iter_mut().map(|job| calibrate(job, effort)).collect();
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); jobs.len()];
    let mut spent = vec![Duration::ZERO; jobs.len()];
    let rounds = effort.rounds;
    for round in 0..rounds {
        for turn in 0..jobs.len() {
            let job = (round + turn) % jobs.len();
            if spent[job] > effort.budget && samples[job].len() >= MIN_ROUNDS.min(rounds) {
                continue;
            }
            let took = (jobs[job].run)(times[job]);
            spent[job] += took;
            samples[job].push(took.as_nanos() as f64 / times[job] as f64);
        }
    }
    jobs.iter().zip(samples).map(|(job, samples)| summary(job.bytes, samples)).collect()
}

/// How often a job runs in one sample.
fn calibrate(job: &mut Job<'_>, effort: Effort) -> u64 {
    let mut times = 1;
    loop {
        let took = (job.run)(times);
        if took >= effort.sample || times >= MAX_TIMES {
            return times;
        }
        let wanted = effort.sample.as_nanos() as f64 / (took.as_nanos().max(1) as f64);
        times = ((times as f64 * wanted * 1.2) as u64).clamp(times + 1, MAX_TIMES);
    }
}

fn summary(bytes: usize, mut samples: Vec<f64>) -> Timing {
    samples.sort_by(f64::total_cmp);
    Timing { bytes, best: samples[0], median: samples[samples.len() / 2], samples: samples.len() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Effort, Job, interleave};

    #[test]
    fn the_best_sample_is_the_time_of_one_run() {
        let mut calls = 0;
        let job = Job::timed_elsewhere(10, |times| {
            calls += 1;
            Duration::from_nanos(times * if calls % 2 == 0 { 100 } else { 300 })
        });
        let effort = Effort { rounds: 8, sample: Duration::from_nanos(1), budget: Duration::from_secs(1) };
        let timing = interleave(vec![job], effort)[0];
        assert_eq!((timing.best, timing.per_byte(), timing.samples), (100.0, 10.0, 8));
        assert_eq!(timing.median, 300.0);
    }

    #[test]
    fn a_slow_job_is_not_run_beyond_its_budget() {
        let job = Job::timed_elsewhere(1, |_| Duration::from_secs(5));
        let effort = Effort { rounds: 60, ..Effort::FULL };
        assert_eq!(interleave(vec![job], effort)[0].samples, 3);
    }
}
