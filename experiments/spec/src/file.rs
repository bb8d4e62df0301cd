//! An experiment as its file says it, before anything is expanded.

use super::axes::{Axes, AxisName, Point};
use super::data::DataFolders;
use super::interactions::InteractionEntry;
use super::losses::LossWeights;
use super::matched::entry::ControlEntry;
use super::phases::Phase;
use super::run::{EvalConfig, Mask};
use super::step::{Dtype, MicroBatch};
use super::teach::MissingTargets;
use super::values::{EncodingStack, OptimizerChoice, RateChoice, ReadAt};
use super::weights::Weights;
use games::{GameKind, InputName, MovesName};
use models::{AverageConfig, ModelConfig};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The whole document; its `base` as written, or completed by [`super::base`].
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentFile<B = Base> {
    /// The experiment's name, a folder below the output folder.
    pub name: String,
    /// The question that it answers.
    pub question: Option<String>,
    /// What its author expects.
    pub expect: Option<String>,
    /// What it costs, in words.
    pub cost: Option<String>,
    /// A place for values with a YAML anchor (`&name`) that the rest of the file repeats (`*name`); read by nobody.
    #[serde(default)]
    pub anchors: IgnoredAny,
    /// A run, with what the axes supply left out.
    pub base: B,
    /// What is varied; every combination is a row.
    #[serde(default)]
    pub axes: Axes,
    /// Groups of axes whose values advance together instead of being combined.
    #[serde(default)]
    pub zip: Vec<Vec<AxisName>>,
    /// Further axes for the rows that have certain values.
    #[serde(default)]
    pub conditional: Vec<Conditional>,
    /// Rows to leave out: those that have all the values named.
    #[serde(default)]
    pub exclude: Vec<Point>,
    /// Values to add to the rows that they fit to, or rows of their own.
    #[serde(default)]
    pub include: Vec<Point>,
    /// Rows to add whose network is made as large, as expensive or as slow as another's.
    #[serde(default)]
    pub controls: Vec<ControlEntry>,
    /// The seeds; each is run for every row.
    pub seeds: Vec<u64>,
    /// The row that every difference is taken against; one per game.
    pub reference: Point,
    /// What decides.
    pub primary: Primary,
    /// Gaps between rows that are compared over something else that the rows vary.
    #[serde(default)]
    pub interactions: Vec<InteractionEntry>,
    /// Whether each reference gets a twin with other parameter streams, the A/A row: yes, unless it is switched off. A
    /// table without one does not show how large a difference is where there is none.
    #[serde(default = "yes")]
    pub twin: bool,
}

/// Axes of some rows only.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditional {
    /// The rows: those that have all the values named.
    pub when: Point,
    /// What is varied in them; the other rows have what `base` says.
    pub axes: Axes,
}

fn yes() -> bool {
    true
}

/// The metric that verdicts are about, and when it is read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Primary {
    /// Its name; whether more or less of it is better belongs to the metric.
    pub metric: String,
    /// When it is read.
    pub at: ReadAt,
    /// Of which weights.
    pub weights: Weights,
    /// A difference that matters: reports say how many seeds would show it.
    pub difference: Option<f64>,
}

/// A run in which anything that is an axis may be left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Base {
    /// The game.
    pub game: Option<GameKind>,
    /// The dataset's folder, or one per game; relative to the experiment file.
    pub data: DataFolders,
    /// How a position becomes tokens.
    pub input: Option<InputName>,
    /// How moves are numbered; the game's `from_to` by default.
    pub moves: Option<MovesName>,
    /// The network.
    pub model: Option<ModelConfig>,
    /// What happens to heads that the dataset has no targets for.
    pub missing_targets: MissingTargets,
    /// The position encodings.
    pub encoding: Option<EncodingStack>,
    /// How it is trained.
    pub train: BaseTrain,
    /// How it is measured.
    pub eval: EvalConfig,
}

/// [`super::TrainConfig`] with the axes optional.
#[derive(Debug, Clone, PartialEq)]
pub struct BaseTrain {
    /// Optimiser steps.
    pub steps: Option<u64>,
    /// Positions a step.
    pub batch: Option<usize>,
    /// The optimiser.
    pub optimizer: Option<OptimizerChoice>,
    /// Learning rate over steps.
    pub learning_rate: Option<RateChoice>,
    /// Largest global norm of the gradient.
    pub clip: Option<f64>,
    /// An average of the weights.
    pub averaging: Option<AverageConfig>,
    /// How many positions go through the network at once.
    pub micro_batch: Option<MicroBatch>,
    /// The element type of activations and matrix products.
    pub dtype: Dtype,
    /// When illegal moves are masked.
    pub mask: Option<Mask>,
    /// In which order training takes the rating buckets; all games mixed by default.
    pub phases: Option<Vec<Phase>>,
    /// Weights of the losses.
    pub loss: LossWeights,
    /// Steps between two lines of training metrics.
    pub log_every: u64,
    /// Steps between two checkpoints.
    pub checkpoint_every: u64,
}

impl Base {
    /// What it says about the axes.
    #[must_use]
    pub fn point(&self) -> Point {
        Point {
            game: self.game,
            encoding: self.encoding.clone(),
            model: self.model.clone(),
            input: self.input,
            moves: self.moves,
            mask: self.train.mask,
            optimizer: self.train.optimizer.clone(),
            learning_rate: self.train.learning_rate.clone(),
            batch: self.train.batch,
            steps: self.train.steps,
            phases: self.train.phases.clone(),
        }
    }
}
