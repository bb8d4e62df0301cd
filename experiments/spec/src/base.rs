//! `base` as a file writes it, and where the rest of it comes from.
//!
//! ```yaml
//! base:
//!   from: quickstart.yaml        # the `base` of another file; what stands here is said anew
//!   train: {steps: 5000}
//! ```
//! `train` and `eval` are taken together key by key; any other key that stands here replaces the other file's as a whole.
//! What this file varies (`axes`) is not taken from the other one.

use super::axes::AxisName;
use super::data::DataFolders;
use super::file::{Base, BaseTrain, ExperimentFile};
use super::losses::LossWeights;
use super::phases::Phase;
use super::pictures::Pictures;
use super::run::{EvalConfig, Mask, default_checkpoint_every, default_eval_batch, default_log_every};
use super::source::{ConfigError, Source, YamlPath, at, dotted};
use super::step::{Dtype, MicroBatch};
use super::syntax;
use super::teach::MissingTargets;
use super::values::{EncodingStack, OptimizerChoice, RateChoice};
use games::{GameKind, InputName, MovesName};
use models::{AverageConfig, ModelConfig};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Files that may stand behind each other; more are a circle.
const LONGEST_CHAIN: usize = 10;

macro_rules! partly {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty, $field_doc:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $(#[doc = $field_doc] pub $field: Option<$type>,)*
        }

        impl $name {
            /// The same, with what it leaves open taken from another.
            fn or(self, other: Self) -> Self {
                Self { $($field: self.$field.or(other.$field),)* }
            }
        }
    };
}

partly! {
    /// `base.train` as written.
    WrittenTrain {
        steps: u64, "Optimiser steps.";
        batch: usize, "Positions a step.";
        optimizer: OptimizerChoice, "The optimiser.";
        learning_rate: RateChoice, "Learning rate over steps.";
        clip: f64, "Largest global norm of the gradient.";
        averaging: AverageConfig, "An average of the weights.";
        micro_batch: MicroBatch, "How many positions go through the network at once.";
        dtype: Dtype, "The element type of activations and matrix products.";
        mask: Mask, "When illegal moves are masked.";
        loss: LossWeights, "Weights of the losses.";
        phases: Vec<Phase>, "In which order training takes the rating buckets: a curriculum.";
        log_every: u64, "Steps between two lines of training metrics.";
        checkpoint_every: u64, "Steps between two checkpoints.";
    }
}

partly! {
    /// `base.eval` as written.
    WrittenEval {
        validation_positions: usize, "Validation positions an evaluation looks at.";
        test_positions: usize, "Test positions that the end looks at.";
        every: u64, "Steps between two evaluations on validation.";
        batch: usize, "Positions a batch.";
        pictures: Pictures, "When pictures of the encodings are drawn.";
    }
}

partly! {
    /// `base` as written.
    WrittenBase {
        from: PathBuf, "Another experiment file, relative to this one, whose `base` says what this one leaves open.";
        game: GameKind, "The game.";
        data: DataFolders, "The dataset's folder, or one per game; relative to the experiment file.";
        input: InputName, "How a position becomes tokens.";
        moves: MovesName, "How moves are numbered.";
        model: ModelConfig, "The network.";
        missing_targets: MissingTargets, "What happens to heads that the dataset has no targets for.";
        encoding: EncodingStack, "The position encodings.";
        train: WrittenTrain, "How it is trained.";
        eval: WrittenEval, "How it is measured.";
    }
}

/// What another file is read for.
#[derive(Deserialize)]
struct OnlyBase {
    base: WrittenBase,
}

/// Reads an experiment file, and the files that its `base` comes from.
pub(super) fn read(source: &Source) -> Result<ExperimentFile, ConfigError> {
    let mut file: ExperimentFile<WrittenBase> = syntax::parse(source)?;
    let own = std::mem::take(&mut file.base);
    let varied: Vec<AxisName> =
        AxisName::ALL.iter().copied().filter(|&axis| file.axes.points(axis).is_some()).collect();
    let base = match own.from.clone() {
        None => own,
        Some(from) => {
            let inherited = without(inherited(source, &from, LONGEST_CHAIN)?, &varied);
            over(own, inherited)
        }
    };
    let base = complete(base, source)?;
    let ExperimentFile {
        name,
        question,
        expect,
        cost,
        anchors,
        base: _,
        axes,
        zip,
        conditional,
        exclude,
        include,
        controls,
        seeds,
        reference,
        primary,
        interactions,
        twin,
    } = file;
    Ok(ExperimentFile {
        name,
        question,
        expect,
        cost,
        anchors,
        base,
        axes,
        zip,
        conditional,
        exclude,
        include,
        controls,
        seeds,
        reference,
        primary,
        interactions,
        twin,
    })
}

/// The `base` of another file, with paths that hold wherever it is used.
fn inherited(source: &Source, from: &Path, links: usize) -> Result<WrittenBase, ConfigError> {
    let place = at!["base", "from"];
    if links == 0 {
        let error = source.error_at(&place, format!("`base.from` leads through more than {LONGEST_CHAIN} files"));
        return Err(error.help("a file must not come from itself; copy what you need"));
    }
    let path = source.path().parent().unwrap_or(Path::new("")).join(from);
    let other = Source::read(&path).map_err(|error| {
        let message = format!("`base.from`: {} cannot be read: {}", path.display(), error.message);
        source.error_at(&place, message).help("the path is relative to this file")
    })?;
    let OnlyBase { mut base } = syntax::parse(&other)?;
    if let Some(data) = &mut base.data {
        let folder = path.parent().unwrap_or(Path::new(""));
        data.paths_mut()
            .for_each(|path| *path = std::path::absolute(folder.join(&path)).unwrap_or_else(|_| path.clone()));
    }
    match base.from.take() {
        None => Ok(base),
        Some(next) => Ok(over(base, inherited(&other, &next, links - 1)?)),
    }
}

/// `own` where it says something, else `other`.
fn over(own: WrittenBase, other: WrittenBase) -> WrittenBase {
    let train = match (own.train.clone(), other.train.clone()) {
        (Some(own), Some(other)) => Some(own.or(other)),
        (own, other) => own.or(other),
    };
    let eval = match (own.eval.clone(), other.eval.clone()) {
        (Some(own), Some(other)) => Some(own.or(other)),
        (own, other) => own.or(other),
    };
    WrittenBase { train, eval, ..own.or(other) }
}

/// A base without the values of some axes.
fn without(mut base: WrittenBase, axes: &[AxisName]) -> WrittenBase {
    for axis in axes {
        let train = base.train.get_or_insert_default();
        match axis {
            AxisName::Game => base.game = None,
            AxisName::Encoding => base.encoding = None,
            AxisName::Model => base.model = None,
            AxisName::Input => base.input = None,
            AxisName::Moves => base.moves = None,
            AxisName::Mask => train.mask = None,
            AxisName::Phases => train.phases = None,
            AxisName::Optimizer => train.optimizer = None,
            AxisName::LearningRate => train.learning_rate = None,
            AxisName::Batch => train.batch = None,
            AxisName::Steps => train.steps = None,
        }
    }
    base
}

/// The base with what has a default, or an error about the first key that has none.
fn complete(base: WrittenBase, source: &Source) -> Result<Base, ConfigError> {
    let missing = |key: &str, within: YamlPath| {
        let message = format!("`{key}` is missing in `{}`", dotted(&within));
        source.error_at(&within, message).help(format!("add `{key}: …`; it has no default"))
    };
    let in_base = |key: &str| missing(key, at!["base"]);
    let in_eval = |key: &str| missing(key, at!["base", "eval"]);
    let train = base.train.ok_or_else(|| in_base("train"))?;
    let eval = base.eval.ok_or_else(|| in_base("eval"))?;
    Ok(Base {
        game: base.game,
        data: base.data.ok_or_else(|| in_base("data"))?,
        input: base.input,
        moves: base.moves,
        model: base.model,
        missing_targets: base.missing_targets.unwrap_or_default(),
        encoding: base.encoding,
        train: BaseTrain {
            steps: train.steps,
            batch: train.batch,
            optimizer: train.optimizer,
            learning_rate: train.learning_rate,
            clip: train.clip,
            averaging: train.averaging,
            micro_batch: train.micro_batch,
            dtype: train.dtype.unwrap_or_default(),
            mask: train.mask,
            loss: train.loss.unwrap_or_default(),
            phases: train.phases,
            log_every: train.log_every.unwrap_or_else(default_log_every),
            checkpoint_every: train.checkpoint_every.unwrap_or_else(default_checkpoint_every),
        },
        eval: EvalConfig {
            validation_positions: eval.validation_positions.ok_or_else(|| in_eval("validation_positions"))?,
            test_positions: eval.test_positions.ok_or_else(|| in_eval("test_positions"))?,
            every: eval.every.ok_or_else(|| in_eval("every"))?,
            batch: eval.batch.unwrap_or_else(default_eval_batch),
            pictures: eval.pictures.unwrap_or_default(),
        },
    })
}
