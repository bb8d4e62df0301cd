//! Step times of several runs, measured by alternating between them.
//!
//! Runs timed side by side, or one after the other on a machine that throttles, are not comparable. Here every round
//! takes one step of each run (A B C A B C …), so a slow period affects all of them. A ratio is the median over rounds
//! of the ratio within a round.

mod count;

pub use count::{GPUS, StepCount, step_counts};

use super::environment::use_threads;
use super::error::TrainError;
use super::learner::Learner;
use super::random_batch::random_batch;
use super::setup::declare;
use super::tensors::Staged;
use config::RunConfig;
use models::Network;
use nn::Arena;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tch::{Cuda, Device};

/// A run whose step is timed. Its dataset is not read.
#[derive(Debug, Clone)]
pub struct BenchRun {
    pub name: String,
    pub run: RunConfig,
}

#[derive(Debug, Clone, Copy)]
pub struct BenchOptions {
    pub threads: usize,
    pub device: Device,
    pub rounds: usize,
    /// Unmeasured rounds before them, for caches and for the kernel selection of libraries.
    pub warm_up: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StepTime {
    pub name: String,
    pub parameters: usize,
    pub batch: usize,
    pub rounds: Vec<Duration>,
}

impl StepTime {
    pub fn median_s(&self) -> f64 {
        median(self.rounds.iter().map(Duration::as_secs_f64).collect())
    }

    /// Positions per second at the median step time.
    pub fn positions_per_s(&self) -> f64 {
        self.batch as f64 / self.median_s()
    }

    /// The step time relative to `other`: the median over rounds of the ratio within a round.
    pub fn ratio_to(&self, other: &Self) -> f64 {
        let pairs = self.rounds.iter().zip(&other.rounds);
        median(pairs.map(|(own, other)| own.as_secs_f64() / other.as_secs_f64()).collect())
    }
}

/// Times a training step of every run, alternating between runs. Batches are random legal positions, the same for all
/// runs of one game, input and batch size.
pub fn step_times(contenders: &[BenchRun], options: &BenchOptions) -> Result<Vec<StepTime>, TrainError> {
    use_threads(options.threads);
    let mut runners = Vec::with_capacity(contenders.len());
    for contender in contenders {
        runners.push(Runner::new(contender, options.device)?);
    }
    for round in 0..options.warm_up + options.rounds.max(1) {
        for runner in &mut runners {
            let took = runner.step(round as u64 + 1)?;
            if round >= options.warm_up {
                runner.time.rounds.push(took);
            }
        }
    }
    Ok(runners.into_iter().map(|runner| runner.time).collect())
}

struct Runner {
    run: RunConfig,
    network: Network,
    learner: Learner,
    batch: Staged,
    time: StepTime,
}

impl Runner {
    fn new(contender: &BenchRun, device: Device) -> Result<Self, TrainError> {
        let run = contender.run.clone();
        let (network, layout) = declare(&run)?;
        let time = StepTime {
            name: contender.name.clone(),
            parameters: layout.total(),
            batch: run.train.batch,
            rounds: Vec::new(),
        };
        let arena = Arena::initialise(Arc::new(layout), run.seed, "", device)?;
        let batch = Staged::new(&random_batch(&run, run.train.batch), device)?;
        let micro = run.micro_batch().unwrap_or(run.train.batch);
        Ok(Self { learner: Learner::new(&run, arena, micro, None)?, run, network, batch, time })
    }

    fn step(&mut self, number: u64) -> Result<Duration, TrainError> {
        self.run.train.arithmetic().set();
        let began = Instant::now();
        self.learner.step(&self.network, &self.run, &self.batch, number)?;
        if let Device::Cuda(index) = self.learner.arena.device() {
            Cuda::synchronize(index as i64);
        }
        Ok(began.elapsed())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n.is_multiple_of(2) => (values[n / 2 - 1] + values[n / 2]) / 2.0,
        n => values[n / 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(milliseconds: &[u64]) -> StepTime {
        let rounds = milliseconds.iter().copied().map(Duration::from_millis).collect();
        StepTime { name: "x".to_owned(), parameters: 1, batch: 10, rounds }
    }

    #[test]
    fn a_ratio_is_taken_within_rounds_so_a_slow_spell_does_not_show() {
        let (steady, reference) = (time(&[20, 200, 20]), time(&[10, 100, 10]));
        assert_eq!(steady.ratio_to(&reference), 2.0);
        assert_eq!(steady.median_s(), 0.02);
        assert_eq!(steady.positions_per_s(), 500.0);
    }

    #[test]
    fn the_median_of_an_even_count_lies_between() {
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.5);
    }
}
