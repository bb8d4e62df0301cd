//! The state of one cell between two steps, and the step.

use super::checkpoint::{Checkpoint, CheckpointTensors, Prefix, TrainingProgress, Window, weights_hash};
use super::error::TrainError;
use super::evaluate::{Evaluated, evaluate};
use super::feed::{self, ChainedBatch, Feed};
use super::learner::{Learner, StepMetrics, finite, salt};
use super::manifest::now_s;
use super::micro::measure;
use super::phases::phase_schedule;
use super::setup::{Setup, loader};
use super::start_tables::{self, InitialNetwork};
use crate::pictures::{self, Picture};
use config::{Weights, metrics};
use dataset::{GenerationCounts, Split};
use models::{Average, Column, OptimizerProgress};
use nn::Arena;
use records::identity::Identity;
use records::manifest::Finish;
use records::positions::PositionMetrics;
use records::{MetricLine, Metrics, Part, Time};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tch::{Device, Tensor};

const STEPS: &str = "steps";
const MOMENTUM_PRODUCT: &str = "momentum_product";

/// The gap between training and test is measured on at most this many training positions, the same for every cell of a
/// dataset.
const TRAIN_SAMPLE: usize = 2048;

/// An evaluation: its line, and the metrics of each position.
pub(super) struct SplitEvaluation {
    pub(super) line: MetricLine,
    pub(super) positions: Vec<PositionMetrics>,
}

pub(super) struct Trainer {
    setup: Setup,
    identity: Identity,
    learner: Learner,
    feed: Feed,
    chain: blake3::Hash,
    step: u64,
    /// The step that this session began at, and what the positions before it took to make, if that is known.
    before: (u64, Option<GenerationCounts>),
    /// Of the steps that nobody waited for.
    unread: Vec<StepMetrics>,
    window: Window,
    clock: Clock,
}

/// Times, by which runs are not compared.
struct Clock {
    before_s: f64,
    began: Instant,
    /// Time in steps since the last training line, and their number.
    stepping: Duration,
    steps: u64,
}

pub(super) fn first_weights(setup: &Setup) -> Result<Arena, TrainError> {
    let salt = salt(&setup.config);
    let first = Arena::initialise(Arc::clone(&setup.layout), setup.config.seed, salt, setup.device)?;
    let Some(start) = &setup.config.train.start else { return Ok(first) };
    let mut weights = first.values()?;
    start_tables::write_over(start, InitialNetwork::of(setup), &mut weights)?;
    Ok(Arena::from_values(Arc::clone(&setup.layout), &weights, setup.device)?)
}

impl Trainer {
    /// A cell at its first step, or at a checkpoint's.
    pub(super) fn new(
        setup: Setup,
        identity: Identity,
        first: Arena,
        checkpoint: Option<Checkpoint>,
    ) -> Result<Self, TrainError> {
        let mut learner = Learner::new(&setup.config, first, setup.micro_batch, setup.ranks.clone())?;
        let progress = match checkpoint {
            None => None,
            Some(Checkpoint { tensors, progress, .. }) => {
                learner.load(&tensors, &progress)?;
                Some(progress)
            }
        };
        let progress = progress.as_ref();
        let step = progress.map_or(0, |progress| progress.step);
        let before = (step, progress.map_or(Some(GenerationCounts::default()), |progress| progress.made));
        let chain = progress.and_then(|p| blake3::Hash::from_hex(&p.batches).ok()).unwrap_or_else(feed::initial_hash);
        let learns_values = measure(&setup.config).reads(Column::Value);
        let loader = loader(&setup.config, setup.device);
        let (segments, phases) = phase_schedule(&setup.dataset, &setup.config.train);
        learner.phases = phases;
        Ok(Self {
            feed: Feed::start(segments, (loader, setup.device), step, chain, learns_values)?,
            clock: Clock::new(progress.map_or(0.0, |progress| progress.wall_s)),
            window: progress.map(|progress| progress.window.clone()).unwrap_or_default(),
            setup,
            identity,
            learner,
            chain,
            step,
            before,
            unread: Vec::new(),
        })
    }

    pub(super) fn setup(&self) -> &Setup {
        &self.setup
    }

    pub(super) fn steps_done(&self) -> u64 {
        self.step
    }

    pub(super) fn weights(&self) -> Result<Vec<f32>, TrainError> {
        Ok(self.learner.arena.values()?)
    }

    /// Their average, if the run averages.
    pub(super) fn averaged(&self) -> Result<Option<Vec<f32>>, TrainError> {
        let flat = self.learner.average.as_ref().and_then(Average::flat);
        Ok(flat.map(|flat| Vec::try_from(flat.f_to_device(Device::Cpu)?)).transpose()?)
    }

    /// The manifest's outcome, with these hashes.
    pub(super) fn finish(&self, weights: String, files: Vec<(String, String)>) -> Finish {
        let wall_s = self.clock.wall_s();
        let positions = self.step as f64 * self.setup.config.train.batch as f64;
        let positions_per_s = positions / wall_s.max(f64::MIN_POSITIVE);
        Finish { unix_s: now_s(), wall_s, positions_per_s, weights, files, made: self.made() }
    }

    /// What the training positions so far took to make, if they are not stored.
    fn made(&self) -> Option<GenerationCounts> {
        let (from, before) = self.before;
        let [from, to] = [from, self.step].map(|step| step.saturating_mul(self.setup.config.train.batch as u64));
        Some(before? + self.setup.dataset.made(from..to)?)
    }

    /// The hash chain over all batches so far.
    pub(super) fn batches(&self) -> String {
        self.chain.to_hex().to_string()
    }

    /// Whether to stop before the next step: because of this flag, or that of another rank.
    pub(super) fn stops(&self, stop: &AtomicBool) -> Result<bool, TrainError> {
        let stop = stop.load(Ordering::Relaxed);
        self.setup.ranks.as_ref().map_or(Ok(stop), |ranks| ranks.any(stop))
    }

    /// The answer of the first rank to a question that it alone can answer.
    pub(super) fn of_first(&self, yes: bool) -> Result<bool, TrainError> {
        let Some(ranks) = &self.setup.ranks else { return Ok(yes) };
        ranks.any(ranks.is_first() && yes)
    }

    /// Checks that all ranks have the same weights and have seen the same batches.
    pub(super) fn compare_ranks(&self) -> Result<(), TrainError> {
        let Some(ranks) = &self.setup.ranks else { return Ok(()) };
        let weights = weights_hash(&self.weights()?);
        let state = blake3::hash(format!("{weights} {}", self.batches()).as_bytes());
        ranks.compare(&format!("weights and batches of step {}", self.step), &state)
    }

    pub(super) fn step(&mut self) -> Result<(), TrainError> {
        let began = Instant::now();
        let ChainedBatch { batch, chain } = self.feed.next()?;
        let metrics = self.learner.step(&self.setup.network, &self.setup.config, &batch, self.step + 1)?;
        self.unread.push(metrics);
        self.chain = chain;
        self.step += 1;
        self.clock.stepping += began.elapsed();
        self.clock.steps += 1;
        // A GPU goes on until somebody needs a number.
        if self.setup.device == Device::Cpu { self.read_pending_metrics() } else { Ok(()) }
    }

    /// Waits for the steps taken, and adds their metrics to those of the next training line. An error names the first step that
    /// has a value that is not finite.
    fn read_pending_metrics(&mut self) -> Result<(), TrainError> {
        let began = Instant::now();
        for values in StepMetrics::read(&self.unread)? {
            self.window.add(&values);
        }
        self.unread.clear();
        self.clock.stepping += began.elapsed();
        Ok(())
    }

    /// The means over the steps since the last training line; starts a new window.
    pub(super) fn train_line(&mut self) -> Result<MetricLine, TrainError> {
        self.read_pending_metrics()?;
        let mut line = std::mem::take(&mut self.window).means()?;
        let last = self.step.saturating_sub(1);
        let schedule = &self.setup.config.train.learning_rate;
        line.push("learning_rate", self.learner.phases.at(last).learning_rate(schedule, last));
        let positions = self.clock.steps * self.setup.config.train.batch as u64;
        let rate = positions as f64 / std::mem::take(&mut self.clock.stepping).as_secs_f64();
        self.clock.steps = 0;
        // No step was timed if the cell resumed exactly at a line.
        Ok(self.line(Part::Train, line, if rate.is_finite() { rate } else { 0.0 }))
    }

    /// An evaluation of the raw or the averaged weights; `None` before the first average, and without positions. All ranks take part,
    /// and the first one has the result.
    pub(super) fn evaluation(&mut self, part: Part, weights: Weights) -> Result<Option<SplitEvaluation>, TrainError> {
        self.read_pending_metrics()?;
        // Training positions that are made as they are needed are not there to be evaluated.
        if part == Part::TrainSample && self.setup.dataset.is_endless() {
            return Ok(None);
        }
        let Some(views) = self.learner.evaluated(&self.setup.config, weights) else { return Ok(None) };
        let eval = &self.setup.config.eval;
        let (split, positions) = match part {
            Part::Train | Part::TrainSample => (Split::Train, eval.test_positions.min(TRAIN_SAMPLE)),
            Part::Validation => (Split::Validation, eval.validation_positions),
            Part::Test => (Split::Test, eval.test_positions),
        };
        let began = Instant::now();
        let Evaluated { metrics, positions } = evaluate(self.setup.subject(), &views, split, positions)?;
        for (name, value) in metrics.iter() {
            finite(&format!("{} {name}", part.name()), self.step, value)?;
        }
        let rate = metrics.get("positions").unwrap_or(0.0) / began.elapsed().as_secs_f64();
        Ok(Some(SplitEvaluation { line: MetricLine { weights, ..self.line(part, metrics, rate) }, positions }))
    }

    pub(super) fn pictures(&self) -> anyhow::Result<Vec<Picture>> {
        pictures::of_network(&self.setup, &self.learner.views(&self.setup.config), self.step)
    }

    fn line(&self, split: Part, metrics: Metrics, positions_per_s: f64) -> MetricLine {
        let seen = self.step as f64 * self.setup.config.train.batch as f64;
        let epochs = match self.setup.dataset.is_endless() {
            // All positions that the run trains on are one epoch.
            true => seen / self.setup.config.trained_positions().max(1) as f64,
            false => seen / self.setup.dataset.rows(Split::Train) as f64,
        };
        let (step, weights, time) = (self.step, Weights::Raw, self.clock.time(positions_per_s));
        MetricLine { step, split, weights, epochs, metrics, time }
    }

    /// The checkpoint of this step, with `metrics.jsonl` at `metrics`.
    pub(super) fn checkpoint(&mut self, metrics: Prefix) -> Result<Checkpoint, TrainError> {
        self.read_pending_metrics()?;
        let mut moments = BTreeMap::new();
        for (name, moment) in self.learner.optimizer.state() {
            moments.insert(name.to_owned(), Vec::try_from(moment.f_to_device(Device::Cpu)?)?);
        }
        let OptimizerProgress { steps, momentum_product } = self.learner.optimizer.progress();
        let optimizer = [(STEPS, steps as f64), (MOMENTUM_PRODUCT, momentum_product)];
        Ok(Checkpoint {
            tensors: CheckpointTensors { weights: self.weights()?, moments, average: self.averaged()? },
            progress: TrainingProgress {
                step: self.step,
                optimizer: optimizer.map(|(name, value)| (name.to_owned(), value)).into(),
                average_updates: self.learner.average.as_ref().map(Average::updates),
                metrics,
                window: self.window.clone(),
                batches: self.batches(),
                wall_s: self.clock.wall_s(),
                made: self.made(),
            },
            identity: self.identity.clone(),
        })
    }
}

impl Learner {
    fn load(&mut self, tensors: &CheckpointTensors, progress: &TrainingProgress) -> Result<(), TrainError> {
        let moments: Vec<(&String, Tensor)> =
            tensors.moments.iter().map(|(name, moment)| (name, Tensor::from_slice(moment))).collect();
        let updates = progress.average_updates.unwrap_or_default();
        let scalar = |name: &str, at_rest: f64| progress.optimizer.get(name).copied().unwrap_or(at_rest);
        let progress =
            OptimizerProgress { steps: scalar(STEPS, 0.0) as u64, momentum_product: scalar(MOMENTUM_PRODUCT, 1.0) };
        self.optimizer.load_state(&moments, progress)?;
        let (layout, device) = (Arc::clone(self.arena.layout()), self.arena.device());
        self.arena = Arena::from_values(layout, &tensors.weights, device)?;
        if let (Some(average), Some(saved)) = (&mut self.average, &tensors.average) {
            average.load(&Tensor::from_slice(saved), updates)?;
        }
        Ok(())
    }
}

impl Window {
    fn add(&mut self, step: &[(&'static str, f64)]) {
        self.steps += 1;
        for &(name, value) in step {
            *self.sums.entry(name.to_owned()).or_default() += value;
        }
    }

    /// The mean of each metric over the steps, in the registry's order; an error names a metric that the registry lacks.
    fn means(&self) -> Result<Metrics, TrainError> {
        if let Some(name) = self.sums.keys().find(|name| metrics::find(name).is_err()) {
            return Err(TrainError::UnknownMetric(name.clone()));
        }
        let mut means = Metrics::default();
        for name in metrics::names() {
            if let Some(sum) = self.sums.get(name) {
                means.push(name, sum / self.steps.max(1) as f64);
            }
        }
        Ok(means)
    }
}

impl Clock {
    fn new(before_s: f64) -> Self {
        Self { before_s, began: Instant::now(), stepping: Duration::ZERO, steps: 0 }
    }

    fn wall_s(&self) -> f64 {
        self.before_s + self.began.elapsed().as_secs_f64()
    }

    fn time(&self, positions_per_s: f64) -> Time {
        Time { unix_s: now_s(), wall_s: self.wall_s(), positions_per_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_mean_of_every_metric_of_its_steps_or_names_the_one_that_the_registry_lacks() {
        let mut window = Window::default();
        window.add(&[("gradient_norm", 1.0), ("loss", 4.0)]);
        window.add(&[("gradient_norm", 2.0), ("loss", 2.0)]);
        let line = window.means().expect("known metrics");
        assert_eq!(line.iter().collect::<Vec<_>>(), [("loss", 3.0), ("gradient_norm", 1.5)]);
        window.add(&[("weight_norm", 1.0)]);
        let message = window.means().expect_err("an unknown metric").to_string();
        assert!(message.contains("weight_norm") && message.contains("of_training"), "{message}");
    }
}
