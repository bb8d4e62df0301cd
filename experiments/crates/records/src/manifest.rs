//! `manifest.json`: everything about a cell that is known before its first step, and its outcome.

use super::atomic;
use super::conditions::{Determinism, Finish, Seeds};
use super::gpu::Gpu;
use super::identity::Identity;
use super::machine::Cpu;
use super::record_error::RecordError;
use super::revision::Revision;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use std::path::Path;

/// The file's name in a cell's folder.
pub const FILE: &str = "manifest.json";

/// Everything about a cell that is known before its first step, and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The experiment's name, from the folder.
    pub experiment: String,
    /// The row's label, from the folder.
    pub label: String,
    /// The row's hash, from the folder.
    pub hash: String,
    pub posenc: String,
    /// Version of the configuration's meaning.
    pub schema: u32,
    /// The source that the program was built from; `None` for tests, and in cells of older versions.
    pub revision: Option<Revision>,
    /// The conditions on which its bits depend.
    pub identity: Identity,
    pub cpu: Cpu,
    /// The GPU's model, if one computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// The seeds of its random streams; not in cells of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Seeds>,
    /// Whether it is bit-identical when repeated; not in cells of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub determinism: Option<Determinism>,
    /// Whether this is a smoke run, whose results are meaningless.
    pub smoke: bool,
    pub dataset: DatasetFacts,
    pub parameters: Parameters,
    /// Multiplications of one forward pass for one position.
    pub macs: MacsByPart,
    /// The injection points that the encodings use.
    #[serde(alias = "seams")]
    pub injection_points: Vec<String>,
    /// The other sources of position.
    pub position_sources: Vec<String>,
    pub tokens: usize,
    /// Hashes of the first weights.
    pub initial_weights: InitialWeights,
    /// When processes trained it, and under what.
    pub sessions: Vec<Session>,
    /// Where it was copied from, the first copy first; empty for a cell that was trained in its run folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copied_from: Vec<CopiedFrom>,
    /// The resolved run, as trained (a smoke run is shortened), as JSON.
    pub config: Value,
    /// Its outcome, once it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
}

/// The dataset of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetFacts {
    pub name: String,
    /// The hash of its content.
    pub content_hash: String,
    pub train_positions: u64,
    /// Positions of its validation split.
    pub validation_positions: u64,
    /// Positions of its test split.
    pub test_positions: u64,
    /// The share of test positions that occur in no training game.
    pub novel_test_positions: f64,
}

/// Parameters by part of the network, without padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    pub trunk: usize,
    pub encoding: usize,
    pub head: usize,
}

/// Multiplications of one forward pass for one position, by part of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MacsByPart {
    pub trunk: u64,
    pub encoding: u64,
    pub head: u64,
    pub paper: u64,
}

/// BLAKE3 of the first weights: parameters in order of their names, little-endian f32.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InitialWeights {
    /// Everything but the encodings: equal for cells of one seed that differ in their encoding only.
    pub shared: String,
    pub encoding: String,
}

/// One process that trained the cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The step it began at.
    pub from_step: u64,
    pub unix_s: f64,
    /// The conditions that had changed since the cell began, where resuming was forced: such a cell is not bit-identical
    /// with an undisturbed run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<String>,
    /// The GPU, if one computed; not in cells of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Gpu>,
    /// The source of the program, if it was another one than the first session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
}

/// Where a finished cell was copied from, instead of being trained again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedFrom {
    /// The bundle or the run folder.
    pub path: String,
    /// The bundle's identity, BLAKE3 of its list of hashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blake3: Option<String>,
}

/// The part of a cell's manifest that `T` names; `None` if the cell never started. The rest may change between versions.
pub fn read_part<T: DeserializeOwned>(cell: &Path) -> Result<Option<T>, RecordError> {
    RecordError::read_json(&cell.join(FILE))
}

impl Manifest {
    /// Reads the manifest of a cell's folder; `None` if the cell never started.
    pub fn read(cell: &Path) -> Result<Option<Self>, RecordError> {
        read_part(cell)
    }

    /// Replaces the manifest of a cell's folder.
    pub fn write(&self, cell: &Path) -> io::Result<()> {
        atomic::replace(&cell.join(FILE), &serde_json::to_vec_pretty(self)?)
    }
}

/// The BLAKE3 of a cell's files of final weights, by name, whatever version wrote the rest of its manifest; none if it records
/// none.
pub fn files_of_weights(cell: &Path) -> Result<Vec<(String, String)>, RecordError> {
    #[derive(Deserialize)]
    struct Recorded {
        #[serde(default)]
        finish: Option<Files>,
    }
    #[derive(Default, Deserialize)]
    struct Files {
        #[serde(default)]
        files: Vec<(String, String)>,
    }
    let recorded: Option<Recorded> = RecordError::read_json(&cell.join(FILE))?;
    Ok(recorded.and_then(|recorded| recorded.finish).unwrap_or_default().files)
}
