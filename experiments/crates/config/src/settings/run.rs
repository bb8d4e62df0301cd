//! One complete, resolved run: everything that decides a cell's numbers.

use super::data::{DataFolders, DataView, Generate};
use super::losses::LossWeights;
use super::phase::Phase;
use super::pictures::Pictures;
use super::precision::{Dtype, MicroBatch, Products};
use super::start_weights::Start;
use crate::checks::targets::OnMissingTargets;
use dataset::{Dataset, DatasetError};
use encodings::EncodingConfig;
use facts::numbers::{above_zero_if_any, at_least_one, at_least_one_if_any, is_default, not_negative, number};
use facts::numerics::components;
use facts::{Mask, Numerics, described};
use games::{GameKind, InputName, MovesName};
use models::{AverageConfig, GameSpec, ModelConfig, OptimizerConfig, Schedule};
use nn::Arithmetic;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

described! {
/// A complete run as experiment files write it: `base` with the values of a row. What it says about training and
/// evaluation is what the cell does; a [`RunConfig`] has its dataset and the heads that the dataset has targets for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseConfig {
    /// The game.
    pub game: GameKind,
    /// The dataset's folder, or one to train on and one to test on, or a source of positions, or one of these for each
    /// game. Paths are relative to the file.
    #[serde(skip_serializing)]
    pub data: DataFolders,
    /// How a position becomes tokens.
    pub input: InputName,
    /// The vocabulary of moves.
    #[serde(default)]
    pub moves: MovesName,
    /// An architecture with its sizes, or a preset and sizes that differ.
    pub model: ModelConfig,
    /// `skip` leaves out heads for which the dataset has no target.
    #[serde(default, skip_serializing)]
    pub missing_targets: OnMissingTargets,
    /// One position encoding, or a list of encodings that act together.
    #[serde(deserialize_with = "crate::yaml::values::encodings")]
    pub encoding: Vec<EncodingConfig>,
    /// How a cell is trained.
    pub train: TrainConfig,
    /// How a cell is measured.
    pub eval: EvalConfig,
}
}

described! {
/// A resolved run, as `config.yaml` of its cell holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// The game.
    pub game: GameKind,
    /// The dataset's folder.
    pub data: PathBuf,
    /// The folder of the dataset that it is tested on, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_data: Option<PathBuf>,
    /// Where positions come from if they are made while it trains; then it has no folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generate: Option<Generate>,
    /// What of the dataset is taken; everything by default.
    #[serde(default)]
    pub view: DataView,
    /// How a position becomes tokens.
    pub input: InputName,
    /// How moves are numbered.
    #[serde(default)]
    pub moves: MovesName,
    /// The network.
    pub model: ModelConfig,
    /// The stack of position encodings.
    pub encoding: Vec<EncodingConfig>,
    /// How it is trained.
    pub train: TrainConfig,
    /// How it is measured.
    pub eval: EvalConfig,
    /// Seed of data order and parameters.
    pub seed: u64,
    /// Whether this is the reference's twin: the same run with other parameter streams (the A/A row).
    #[serde(default)]
    pub twin: bool,
    /// The file that its weights were read from, if they were not trained here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportedWeights>,
}
}

/// Where weights come from that were not trained here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportedWeights {
    /// The file's name.
    pub file: String,
    pub blake3: String,
}

impl RunConfig {
    /// Opens the dataset of training and validation, and of the test games unless these are of another one.
    pub fn open_dataset(&self) -> Result<Dataset, DatasetError> {
        match &self.generate {
            None => Dataset::open(&self.data),
            Some(generate) => {
                let [validation, test] = [self.eval.validation_positions, self.eval.test_positions];
                generate.probe()?.open(validation as u64, test as u64)
            }
        }
    }

    /// Positions that it trains on, with repetition.
    pub fn trained_positions(&self) -> u64 {
        self.train.steps.saturating_mul(self.train.batch as u64)
    }

    /// The run as JSON, as manifests hold it.
    ///
    /// # Panics
    /// If the dataset's path is not UTF-8; that of a run which was read is.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("a run has string keys and UTF-8 paths only")
    }

    /// Positions that go through the network at once; `None` for `micro_batch: auto`, which a device decides.
    pub fn micro_batch(&self) -> Option<usize> {
        match self.train.micro_batch {
            None => Some(self.train.batch),
            Some(MicroBatch::Of(positions)) => Some(self.whole_sequences(positions.min(self.train.batch))),
            Some(MicroBatch::Auto) => None,
        }
    }

    /// Rounds down to whole sequences, at least one.
    pub fn whole_sequences(&self, positions: usize) -> usize {
        let plies = self.plies();
        (positions / plies).max(1) * plies
    }

    /// With the number of positions that `micro_batch: auto` became on a device.
    #[must_use]
    pub fn with_micro_batch(mut self, chosen: Option<usize>) -> Self {
        if let (Some(MicroBatch::Auto), Some(positions)) = (self.train.micro_batch, chosen) {
            self.train.micro_batch = Some(MicroBatch::Of(positions));
        }
        self
    }

    /// The versions of the arithmetic that this program computes it with.
    pub fn numerics(&self) -> Numerics {
        Numerics::of(&components(&self.to_json()).unwrap_or_default())
    }

    pub fn outputs(&self) -> models::Outputs {
        self.model.outputs().clone()
    }

    /// The mask that has an effect: without a policy there is nothing to mask.
    pub fn acting_mask(&self) -> Mask {
        let outputs = self.model.outputs();
        if outputs.policy.is_none() && outputs.soft_policy.is_none() { Mask::None } else { self.train.mask }
    }

    /// How many consecutive plies of a game its network reads at once.
    pub fn plies(&self) -> usize {
        self.model.plies()
    }

    /// What its game's network must know.
    pub fn spec(&self) -> GameSpec {
        GameSpec { input: self.game.input(self.input), moves: self.game.moves(self.moves) }
    }
}

described! {
/// How a cell is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// Optimiser steps.
    #[serde(deserialize_with = "at_least_one")]
    pub steps: u64,
    /// Positions a step.
    #[serde(deserialize_with = "at_least_one")]
    pub batch: usize,
    /// The optimiser with its options.
    pub optimizer: OptimizerConfig,
    /// The learning rate: a number, or a schedule over steps.
    #[serde(deserialize_with = "crate::yaml::values::rate")]
    pub learning_rate: Schedule,
    /// Factor on the learning rate of encodings; `groups` override it. The best differs between encodings, so tune it.
    #[serde(default = "number::<1, _>", deserialize_with = "not_negative")]
    pub encoding_rate: f64,
    /// Tables or trunk of another network, as first values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// Largest global norm of the gradient.
    #[serde(default, deserialize_with = "above_zero_if_any")]
    pub clip: Option<f64>,
    /// An average of the weights, which is evaluated too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub averaging: Option<AverageConfig>,
    /// Positions that go through the network at once; the batch by default. `auto` takes the largest number that fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_batch: Option<MicroBatch>,
    /// Element type of matrix products and activations.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dtype: Dtype,
    /// Matrix products of f32 on GPUs: `tf32` rounds operands to 10 bits and is faster.
    #[serde(default, skip_serializing_if = "is_default")]
    pub products: Products,
    /// Whether a GPU uses only algorithms that give the same bits each time. A CPU always does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
    /// When illegal moves are removed. In training the mask shows the network the rules' geometry.
    #[serde(default)]
    pub mask: Mask,
    /// Parts of training with other games, losses or learning rates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<Phase>,
    /// Weights of the losses of the heads.
    #[serde(default)]
    pub loss: LossWeights,
    /// Steps between two lines of training metrics, each a mean over these steps.
    #[serde(default = "number::<50, _>", deserialize_with = "at_least_one")]
    pub log_every: u64,
    /// Steps between two checkpoints. No number depends on it.
    #[serde(default = "number::<1000, _>", deserialize_with = "at_least_one")]
    pub checkpoint_every: u64,
    /// Threads that replay games: by default 2 on GPUs, otherwise 1. No number depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "at_least_one_if_any")]
    pub workers: Option<usize>,
}
}

impl TrainConfig {
    /// The optimiser with [`Self::encoding_rate`], which groups that the experiment writes itself override, or with frozen
    /// encodings, which override these.
    pub fn optimizer(&self) -> OptimizerConfig {
        let optimizer = self.optimizer.clone();
        match self.freezes_encodings() {
            true => optimizer.with_frozen_encodings(),
            false => optimizer.with_encoding_rate(self.encoding_rate),
        }
    }

    /// The switches of LibTorch that it sets.
    pub const fn arithmetic(&self) -> Arithmetic {
        Arithmetic { tf32: matches!(self.products, Products::Tf32), deterministic: self.deterministic }
    }

    /// Whether the encodings' parameters keep their first values.
    pub fn freezes_encodings(&self) -> bool {
        self.start.as_ref().is_some_and(|start| start.frozen)
    }
}

described! {
/// How a cell is measured: on validation positions while it trains, on test positions at its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvalConfig {
    /// Validation positions of each evaluation, the same in every cell.
    #[serde(deserialize_with = "at_least_one")]
    pub validation_positions: usize,
    /// Test positions after the last step, the same in every cell.
    #[serde(deserialize_with = "at_least_one")]
    pub test_positions: usize,
    /// Steps between two evaluations on validation.
    #[serde(deserialize_with = "at_least_one")]
    pub every: u64,
    /// Positions a batch.
    #[serde(default = "number::<256, _>", deserialize_with = "at_least_one")]
    pub batch: usize,
    /// When encodings are drawn: at both ends of training, never, or also every so many steps. No number depends on it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pictures: Pictures,
}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_components_of_a_run_are_named_as_its_types_are() {
        let models = [
            "{chessformer: {layers: 1, width: 8, heads: 1, ff: 8}}",
            "{chessformer: {layers: 1, width: 8, heads: 1, ff: 8, outputs: {policy: {}, result: {}, result_shares: {}, \
             value_result: {}, value_shares: {}, win_rate: {}, soft_policy: {}, further_policies: {a: {}}, q: {}, short_term: {}, moves_left: {}, \
             per_square: {classes: 2}, pairs: {}, board: {}, rights: {}}}}",
            "{resnet: {blocks: 1, channels: 8}}",
            "{resnet_transformer: {resnet: {blocks: 1, channels: 8}, attention: {layers: 1, heads: 1, ff: 8}}}",
            "{decoder: {plies: 2, layers: 1, width: 8, heads: 1, ff: 8}}",
        ];
        for model in models {
            let text = format!(
                "game: chess\ndata: x\ninput: piece_tokens\nmodel: {model}\nencoding: [absolute, shaw]\n\
                 train: {{steps: 1, batch: 1, optimizer: {{adamw: {{}}}}, learning_rate: {{values: [0.1]}}, \
                 averaging: {{swa: {{}}}}, dtype: bf16}}\n\
                 eval: {{validation_positions: 1, test_positions: 1, every: 1}}\nseed: 0\n"
            );
            let run = RunConfig::from_yaml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let heads = run.outputs().names().into_iter().map(|head| format!("head.{head}"));
            let others = [
                "encoding.absolute".to_owned(),
                "encoding.shaw".to_owned(),
                "averaging.swa".to_owned(),
                format!("model.{}", run.model.name()),
                format!("input.{}", run.input.name()),
                format!("moves.{}", run.moves.name()),
                format!("optimizer.{}", run.train.optimizer.name()),
                format!("dtype.{}", run.train.dtype.name()),
            ];
            let expected: BTreeSet<String> = heads.chain(others).collect();
            assert_eq!(components(&run.to_json()), Some(expected), "{text}");
        }
    }
}
