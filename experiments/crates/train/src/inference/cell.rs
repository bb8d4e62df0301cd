//! A cell's network with its weights, without its dataset.

use super::error::InferenceError;
use super::{random, recorded};
use crate::cell::weights_hash;
use crate::checkpoint::{Checkpoint, load_averaged, load_final};
use crate::setup::{declare, read_config, use_arithmetic};
use config::RunConfig;
use config::Weights;
use models::Network;
use nn::{Arena, Layout};
use records::folder::{CHECKPOINTS, CONFIG_FILE, FINAL, METRICS_FILE};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use tch::{Device, Kind};

/// A network and its weights.
#[derive(Debug)]
pub struct Loaded {
    pub config: RunConfig,
    pub network: Network,
    pub arena: Arena,
    /// Where the weights come from.
    pub origin: Origin,
    /// The element type of matrix products: f32, unless devices are compared in another type.
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Final,
    /// A checkpoint of a cell that is not done.
    Checkpoint {
        step: u64,
    },
    /// A stream of random numbers; see [`Loaded::random`].
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
    /// The network of a cell's folder with its final weights, raw or averaged. If the cell is not done, the weights of
    /// its newest checkpoint.
    ///
    /// # Errors
    /// If the folder is not a cell's, or has no valid weights of this kind: final weights must be those whose hash the cell
    /// recorded, and all weights finite.
    pub fn cell(dir: &Path, which: Weights, device: Device) -> Result<Self, InferenceError> {
        let config = config_of(dir)?;
        if which == Weights::Averaged && config.train.averaging.is_none() {
            return Err(InferenceError::NoAverage { dir: dir.to_owned() });
        }
        use_arithmetic(&config);
        let (network, layout) = declare(&config)?;
        let final_weights = dir.join(CHECKPOINTS).join(FINAL);
        let (weights, origin) = if final_weights.is_file() {
            let load = if which == Weights::Averaged { load_averaged } else { load_final };
            let weights = load(dir, &layout)?;
            recorded::check(dir, which, &weights)?;
            (weights, Origin::Final)
        } else {
            let newest = Checkpoint::newest(dir, &dir.join(METRICS_FILE), &layout)?;
            let (checkpoint, _) = newest.ok_or_else(|| InferenceError::NoWeights { dir: dir.to_owned() })?;
            let tensors = checkpoint.tensors;
            let weights = if which == Weights::Averaged { tensors.average } else { Some(tensors.weights) };
            let weights = weights.ok_or_else(|| InferenceError::NoWeights { dir: dir.to_owned() })?;
            (weights, Origin::Checkpoint { step: checkpoint.progress.step })
        };
        recorded::check_finite(dir, &layout, &weights)?;
        let arena = Arena::from_values(Arc::new(layout), &weights, device)?;
        Ok(Self { config, network, arena, origin, kind: Kind::Float })
    }

    /// A run's network with random weights, none of them zero, for comparing implementations. Initial weights would
    /// hide errors, because tables that start at zero do not change the output.
    ///
    /// # Errors
    /// If the network cannot be declared, or the device has no room.
    pub fn random(config: RunConfig, seed: u64, device: Device) -> Result<Self, InferenceError> {
        use_arithmetic(&config);
        let (network, layout) = declare(&config)?;
        let weights = random::weights(&layout, seed);
        let arena = Arena::from_values(Arc::new(layout), &weights, device)?;
        Ok(Self { config, network, arena, origin: Origin::Random { seed }, kind: Kind::Float })
    }

    /// The BLAKE3 hash of its weights, as in `status.json`.
    pub fn weights_hash(&self) -> Result<String, InferenceError> {
        Ok(weights_hash(&self.arena.values()?))
    }

    /// Names, shapes and offsets of its parameters.
    pub fn layout(&self) -> &Layout {
        self.arena.layout()
    }
}

/// The configuration in a cell's folder.
pub fn config_of(dir: &Path) -> Result<RunConfig, InferenceError> {
    if !dir.join(CONFIG_FILE).is_file() {
        return Err(InferenceError::NoCell { dir: dir.to_owned(), hint: hint(dir) });
    }
    Ok(read_config(&dir.join(CONFIG_FILE))?)
}

/// The first cell below a folder, or how cell folders are named.
fn hint(dir: &Path) -> String {
    match cell_below(dir, 2) {
        Some(cell) => format!("A cell below it is {}", cell.display()),
        None => "Cells are the folders runs/<experiment>/<row>/seed-<n> that `posenc run` makes".to_owned(),
    }
}

fn cell_below(dir: &Path, depth: usize) -> Option<std::path::PathBuf> {
    let mut folders: Vec<_> =
        std::fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    let below = |folder: &std::path::PathBuf| {
        if folder.join(CONFIG_FILE).is_file() {
            Some(folder.clone())
        } else {
            depth.checked_sub(1).and_then(|depth| cell_below(folder, depth))
        }
    };
    folders.iter().find_map(below)
}
