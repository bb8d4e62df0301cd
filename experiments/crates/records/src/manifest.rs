//! `manifest.json`: everything about a cell that is known before its first step, and its outcome.

use crate::atomic;
use crate::files::{RecordError, read_json};
use crate::gpu::Gpu;
use crate::identity::Identity;
use crate::machine::Cpu;
use dataset::{GenerationCounts, TestSet, content};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::io;
use std::path::Path;

pub const FILE: &str = "manifest.json";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Experiment, label and hash come from the names of the folders.
    pub experiment: String,
    pub label: String,
    pub hash: String,
    pub posenc: String,
    pub schema: u32,
    /// The source that the program was built from; `None` for tests, and in cells of older versions.
    pub revision: Option<Revision>,
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
    #[serde(alias = "seams")]
    pub injection_points: Vec<String>,
    pub position_sources: Vec<String>,
    pub tokens: usize,
    pub initial_weights: InitialWeights,
    pub sessions: Vec<Session>,
    /// Where it was copied from, the first copy first; empty for a cell that was trained in its run folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copied_from: Vec<CopiedFrom>,
    /// The resolved run, as trained (a smoke run is shortened), as JSON.
    pub config: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seeds {
    /// The order of the training data: a function of the dataset and this.
    pub data_order: u64,
    /// The first weights: each parameter has its own stream, keyed by this and its name.
    pub parameters: u64,
    /// Whether the cell is an A/A control, whose parameters have other streams.
    pub twin: bool,
}

/// Whether the cell is bit-identical when repeated, and the settings that decide it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Determinism {
    /// On a CPU, and on a GPU with `train.deterministic`; otherwise a GPU may add in any order.
    pub same_bits: bool,
    pub intra_op_threads: usize,
    pub inter_op_threads: usize,
    /// The environment variables that change how LibTorch and its libraries compute.
    pub environment: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finish {
    pub unix_s: f64,
    /// Seconds trained and evaluated, over all sessions.
    pub wall_s: f64,
    /// Training positions a second over that time, evaluations included.
    pub positions_per_s: f64,
    /// BLAKE3 of the final weights: little-endian f32 in layout order, as in `status.json`.
    pub weights: String,
    /// BLAKE3 of the files of final weights, by name.
    pub files: Vec<(String, String)>,
    /// What the training positions took to make in all sessions, in whole blocks, if they are generated; `None` if an older
    /// version began the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<GenerationCounts>,
}

/// The source that a program was built from. No metric and no hash of a cell depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The commit; the release, such as `v0.1.0`, of a program that was built outside a git work tree.
    pub commit: String,
    /// The commit by the nearest tag (`git describe --always --tags`); not in cells of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub described: Option<String>,
    pub dirty: bool,
    /// The hash of `git diff HEAD` if that is not empty: two dirty builds with the same hash are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.described.as_ref().unwrap_or(&self.commit))?;
        if self.dirty { f.write_str(" with changes") } else { Ok(()) }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetFacts {
    pub name: String,
    pub content_hash: String,
    /// The dataset of the test games, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestSet>,
    pub train_positions: u64,
    pub validation_positions: u64,
    pub test_positions: u64,
    /// The share of test positions that occur in no training game.
    pub novel_test_positions: f64,
}

impl DatasetFacts {
    /// What of it enters a cell's hash.
    pub fn content(&self) -> String {
        content(&self.content_hash, self.test.as_ref().map(|test| test.content_hash.as_str()))
    }
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

/// One process that trained the cell, or several at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    pub from_step: u64,
    pub unix_s: f64,
    /// The changed conditions of a forced resumption: the cell is not bit-identical with an undisturbed run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<String>,
    /// The GPU, if one computed; not in cells of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Gpu>,
    /// The source of the program, if it was another one than the first session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// How many processes divided each step, if there were several. No number depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<usize>,
}

/// Where a finished cell was copied from, instead of being trained again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedFrom {
    pub path: String,
    /// The bundle's identity, BLAKE3 of its list of hashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blake3: Option<String>,
}

/// The part of a cell's manifest that `T` names; `None` if the cell never started. The rest may change between versions.
pub fn read_part<T: DeserializeOwned>(cell: &Path) -> Result<Option<T>, RecordError> {
    read_json(&cell.join(FILE))
}

impl Manifest {
    pub fn read(cell: &Path) -> Result<Option<Self>, RecordError> {
        read_part(cell)
    }

    pub fn write(&self, cell: &Path) -> io::Result<()> {
        atomic::replace(&cell.join(FILE), &serde_json::to_vec_pretty(self)?)
    }
}

/// The BLAKE3 of a cell's files of final weights, by name. Manifests of other versions are read too; the list is empty if
/// nothing is recorded.
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
    let recorded: Option<Recorded> = read_part(cell)?;
    Ok(recorded.and_then(|recorded| recorded.finish).unwrap_or_default().files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_printed_by_its_tag_and_older_records_are_read() {
        let old: Revision = serde_json::from_str(r#"{"commit": "fdf8bb7c", "dirty": true}"#).expect("an older record");
        assert_eq!(old.to_string(), "fdf8bb7c with changes");
        let new = Revision { described: Some("v0.1.0-12-gfdf8bb7".to_owned()), dirty: false, ..old };
        assert_eq!(new.to_string(), "v0.1.0-12-gfdf8bb7");
        let again = serde_json::to_string(&new).expect("JSON");
        assert_eq!(serde_json::from_str::<Revision>(&again).expect("the same"), new);
    }
}
