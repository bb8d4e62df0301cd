//! A cell's network with its weights, without its dataset.

use crate::checkpoint::{Checkpoint, load_averaged, load_final, weights_hash};
use crate::error::TrainError;
use crate::setup::{declare, read_config, use_arithmetic};
use config::{RunConfig, Weights};
use models::Network;
use nn::{Arena, Init, Layout, Part, Range};
use records::folder::{AVERAGED, CHECKPOINTS, CONFIG_FILE, FINAL, METRICS_FILE};
use records::{CellState, Manifest, Status, UserError, files, manifest, status};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use streams::stream;
use tch::{Device, Kind};

#[derive(Debug)]
pub struct Loaded {
    pub config: RunConfig,
    pub network: Network,
    pub arena: Arena,
    pub origin: Origin,
    /// The element type of matrix products: f32, unless devices are compared in another type.
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Final,
    /// Of an unfinished cell.
    Checkpoint {
        step: u64,
    },
    /// See [`Loaded::random`].
    Random {
        seed: u64,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Final => f.write_str("the end of training"),
            Self::Checkpoint { step } => write!(f, "the checkpoint of step {step}"),
            Self::Random { seed } => write!(f, "random numbers of seed {seed}, not trained"),
        }
    }
}

impl Loaded {
    /// The network of a cell's folder with its final weights, raw or averaged, or with those of the newest checkpoint of an
    /// unfinished cell. Final weights must have the recorded hash, and all weights must be finite.
    pub fn cell(dir: &Path, which: Weights, device: Device) -> Result<Self, TrainError> {
        let config = config_of(dir)?;
        if which == Weights::Averaged && config.train.averaging.is_none() {
            let message = format!("{} has no averaged weights: its run has no `averaging`", dir.display());
            return Err(UserError::new(message, "leave --averaged out").into());
        }
        use_arithmetic(&config);
        let (network, layout) = declare(&config)?;
        let final_weights = dir.join(CHECKPOINTS).join(FINAL);
        let (weights, origin) = if final_weights.is_file() {
            let load = if which == Weights::Averaged { load_averaged } else { load_final };
            let weights = load(dir, &layout)?;
            check_recorded(dir, which, &weights)?;
            (weights, Origin::Final)
        } else {
            let newest = Checkpoint::newest(dir, &dir.join(METRICS_FILE), &layout)?;
            let (checkpoint, _) = newest.ok_or_else(|| no_weights(dir))?;
            let (step, tensors) = (checkpoint.progress.step, checkpoint.tensors);
            let weights = match which {
                Weights::Raw => tensors.weights,
                Weights::Averaged => tensors.average.ok_or_else(|| no_average(dir, step))?,
            };
            (weights, Origin::Checkpoint { step })
        };
        check_finite(dir, &layout, &weights)?;
        let arena = Arena::from_values(Arc::new(layout), &weights, device)?;
        Ok(Self { config, network, arena, origin, kind: Kind::Float })
    }

    /// A run's network with random weights, none of them zero, for comparing implementations. Initial weights would
    /// hide errors, because tables that start at zero do not change the output.
    pub fn random(config: RunConfig, seed: u64, device: Device) -> Result<Self, TrainError> {
        use_arithmetic(&config);
        let (network, layout) = declare(&config)?;
        let weights = random_weights(&layout, seed);
        let arena = Arena::from_values(Arc::new(layout), &weights, device)?;
        Ok(Self { config, network, arena, origin: Origin::Random { seed }, kind: Kind::Float })
    }

    /// The BLAKE3 hash of its weights, as in `status.json`.
    pub fn weights_hash(&self) -> Result<String, TrainError> {
        Ok(weights_hash(&self.arena.values()?))
    }

    pub fn layout(&self) -> &Layout {
        self.arena.layout()
    }
}

/// Why a cell has no weights, and how it gets some.
fn no_weights(dir: &Path) -> UserError {
    let cell = dir.display();
    if CellState::of(dir) != CellState::Done {
        let message = format!("{cell} has no weights yet, neither final ones nor a checkpoint");
        return UserError::new(message, "run its experiment first");
    }
    let copied = Manifest::read(dir).ok().flatten().and_then(|mut manifest| manifest.copied_from.pop());
    let cause = match copied {
        Some(from) => format!("it was copied from {} without weights", from.path),
        None => "they were removed".to_owned(),
    };
    let help = "to train it again, run its experiment with another folder at --out, without --from";
    UserError::new(format!("{cell} is finished, but has no weights: {cause}"), help)
}

fn no_average(dir: &Path, step: u64) -> UserError {
    let message =
        format!("{} has no averaged weights yet: its checkpoint of step {step} has no average", dir.display());
    UserError::new(message, "leave --averaged out, or run its experiment further")
}

pub fn config_of(dir: &Path) -> Result<RunConfig, TrainError> {
    if !dir.join(CONFIG_FILE).is_file() {
        let message = format!("{} is not a cell: it has no {CONFIG_FILE}. {}", dir.display(), hint(dir));
        return Err(UserError::new(message, "name the folder of a cell").into());
    }
    read_config(&dir.join(CONFIG_FILE))
}

/// The first cell below a folder, or how cell folders are named.
fn hint(dir: &Path) -> String {
    match cell_below(dir, 2) {
        Some(cell) => format!("A cell below it is {}", cell.display()),
        None => "Cells are the folders runs/<experiment>/<row>/seed-<n> that `posenc run` makes".to_owned(),
    }
}

fn cell_below(dir: &Path, depth: usize) -> Option<PathBuf> {
    let mut folders: Vec<_> =
        std::fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    let below = |folder: &PathBuf| {
        if folder.join(CONFIG_FILE).is_file() {
            Some(folder.clone())
        } else {
            depth.checked_sub(1).and_then(|depth| cell_below(folder, depth))
        }
    };
    folders.iter().find_map(below)
}

const COPY_AGAIN: &str =
    "copy the cell's folder again from where it was trained, or remove it and run its experiment again";

/// Refuses final weights without the recorded hash. Imported networks and cells of older versions have no record.
fn check_recorded(dir: &Path, which: Weights, weights: &[f32]) -> Result<(), TrainError> {
    let name = if which == Weights::Averaged { AVERAGED } else { FINAL };
    let file = dir.join(CHECKPOINTS).join(name);
    let of_file = manifest::files_of_weights(dir)?.into_iter().find(|(of, _)| of == name);
    let (record, expected, found) = if let Some((_, expected)) = of_file {
        (manifest::FILE, expected, files::hash(&file).map_err(TrainError::file("read", &file))?)
    } else if let Some(result) = Status::read(dir)?.and_then(|status| status.result).filter(|_| name == FINAL) {
        (status::FILE, result.weights, weights_hash(weights))
    } else {
        return Ok(());
    };
    if expected == found {
        return Ok(());
    }
    let message = format!(
        "{} is damaged or holds other weights: {record} records the BLAKE3 {expected}, found {found}",
        file.display()
    );
    Err(UserError::new(message, COPY_AGAIN).into())
}

fn check_finite(dir: &Path, layout: &Layout, weights: &[f32]) -> Result<(), TrainError> {
    for param in layout.params() {
        let values = &weights[param.offset..param.offset + param.len()];
        let count = values.iter().filter(|value| !value.is_finite()).count();
        if count > 0 {
            let message = format!(
                "the weights of {} cannot be used: {count} of the {} numbers of {} are infinite or not numbers",
                dir.display(),
                values.len(),
                param.name
            );
            return Err(UserError::new(message, COPY_AGAIN).into());
        }
    }
    Ok(())
}

/// Standard deviation of the noise on tables, norms, biases and gates: large enough that every one of them changes the
/// output, and that some gates close.
const FULL_STD: f64 = 0.4;

/// Standard deviation of the noise on matrices: small against Glorot's values, large enough for those that start at
/// zero.
const MATRIX_STD: f64 = 0.02;

/// Weights in layout order: initial values plus normal noise from separate streams; padding is zero.
fn random_weights(layout: &Layout, seed: u64) -> Vec<f32> {
    let mut values = vec![0f32; layout.len()];
    for param in layout.params() {
        // Kernels of convolutions in f32 start as matrices do; more noise would grow with every convolution.
        let is_kernel = matches!((&param.init, &param.shape[..]), (Init::TruncatedNormal { .. }, [_, _, _, _]));
        let std = if param.range == Range::Matrix || is_kernel { MATRIX_STD } else { FULL_STD };
        let first = param.init.values(&mut stream(seed, &["random weights", "first", &param.name]), &param.shape);
        let steps =
            Init::Normal { std }.values(&mut stream(seed, &["random weights", "step", &param.name]), &param.shape);
        for ((value, first), step) in values[param.offset..].iter_mut().zip(first).zip(steps) {
            let moved = first + step;
            // A variance must be positive.
            *value = if param.part == Part::Statistic { moved.abs() } else { moved };
        }
    }
    values
}
