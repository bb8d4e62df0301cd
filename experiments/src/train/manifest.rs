//! `manifest.json`: everything about a cell that is known before its first step, and how it came out.

use super::conditions::{Determinism, Finish, Seeds, gpu};
use super::error::TrainError;
use super::identity::Identity;
use super::machine::{Cpu, Revision};
use super::setup::Setup;
use super::{atomic, cell::CellOptions};
use crate::config::identity::SCHEMA_VERSION;
use crate::config::{RunConfig, Shape};
use dataset::Split;
use models::Macs;
use nn::{Arena, Layout, ParamSpec, Part};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The file's name in a cell's folder.
pub const FILE: &str = "manifest.json";

/// Everything about a cell that is known before its first step, and how it came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The experiment's name, from the folder.
    pub experiment: String,
    /// The row's label, from the folder.
    pub label: String,
    /// The row's hash, from the folder.
    pub hash: String,
    /// Version of this program.
    pub posenc: String,
    /// Version of the configuration's meaning.
    pub schema: u32,
    /// The source that this program was built in, where git knows it.
    pub revision: Option<Revision>,
    /// What the bits depend on.
    pub identity: Identity,
    /// The processor.
    pub cpu: Cpu,
    /// The GPU, if one computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// What randomness is drawn from; cells of older versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Seeds>,
    /// Whether the same bits come again; cells of older versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub determinism: Option<Determinism>,
    /// Whether this is a smoke run, whose numbers mean nothing.
    pub smoke: bool,
    /// The data.
    pub dataset: DatasetFacts,
    /// Trained numbers by part.
    pub parameters: Parameters,
    /// Multiplications of one forward pass for one position.
    pub macs: MacsByPart,
    /// The injection points that the encodings touch.
    #[serde(alias = "seams")]
    pub injection_points: Vec<String>,
    /// What else tells squares apart.
    pub position_sources: Vec<String>,
    /// Tokens of the sequence.
    pub tokens: usize,
    /// Hashes of the first weights.
    pub initial_weights: InitialWeights,
    /// When processes trained it, and under what.
    pub sessions: Vec<Session>,
    /// The resolved run, as trained (a smoke run is shortened).
    pub config: RunConfig,
    /// How it came out, once it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
}

/// The dataset of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetFacts {
    /// Its name.
    pub name: String,
    /// The hash of its content.
    pub content_hash: String,
    /// Positions of an epoch.
    pub train_positions: u64,
    /// Positions of its validation split.
    pub validation_positions: u64,
    /// Positions of its test split.
    pub test_positions: u64,
    /// The share of test positions that occur in no training game.
    pub novel_test_positions: f64,
}

/// Trained numbers by part of the network, padding left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// Input embedding and body.
    pub trunk: usize,
    /// Position encodings.
    pub encoding: usize,
    /// Heads.
    pub head: usize,
}

/// Multiplications of one forward pass for one position; see [`Macs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MacsByPart {
    /// Input embedding and body.
    pub trunk: u64,
    /// Position encodings.
    pub encoding: u64,
    /// Heads.
    pub head: u64,
    /// The paper's count.
    pub paper: u64,
}

/// BLAKE3 of the first weights: parameters in order of their names, little-endian f32.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InitialWeights {
    /// Everything but the encodings: equal for cells of one seed that differ in their encoding only.
    pub shared: String,
    /// The encodings'.
    pub encoding: String,
}

/// One process that trained the cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The step it began at.
    pub from_step: u64,
    /// When: seconds since 1970.
    pub unix_s: f64,
    /// What had changed since the cell began, where going on was forced: such a cell does not have the bits of an
    /// undisturbed run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<String>,
}

impl Manifest {
    /// Describes a cell whose parameters have their first values.
    ///
    /// # Errors
    /// If the weights cannot be read from the device.
    pub fn describe(cell: &Path, setup: &Setup, arena: &Arena, options: &CellOptions) -> Result<Self, TrainError> {
        let (experiment, label, hash) = place(cell);
        let shape = Shape::of(&setup.config)?;
        Ok(Self {
            experiment,
            label,
            hash,
            posenc: env!("CARGO_PKG_VERSION").to_owned(),
            schema: SCHEMA_VERSION,
            revision: Revision::detect(),
            identity: setup.identity(),
            cpu: Cpu::detect(),
            gpu: gpu(setup.device),
            seeds: Some(Seeds::of(&setup.config)),
            determinism: Some(Determinism::of(setup)),
            smoke: options.smoke,
            dataset: DatasetFacts::of(setup),
            parameters: Parameters { trunk: shape.trunk, encoding: shape.encoding, head: shape.heads },
            macs: shape.macs.into(),
            injection_points: setup.network.injection_points().names().into_iter().map(str::to_owned).collect(),
            position_sources: shape.position_sources,
            tokens: setup.network.tokens().len(),
            initial_weights: InitialWeights::of(&setup.layout, &arena.values()?),
            sessions: Vec::new(),
            config: setup.config.clone(),
            finish: None,
        })
    }

    /// Reads the manifest of a cell's folder; `None` if the cell never started.
    ///
    /// # Errors
    /// If the file is there and cannot be read.
    pub fn read(cell: &Path) -> Result<Option<Self>, TrainError> {
        let path = cell.join(FILE);
        match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(TrainError::io("read", &path)(error)),
            Ok(text) => serde_json::from_slice(&text)
                .map(Some)
                .map_err(|error| TrainError::Config { path, reason: error.to_string() }),
        }
    }

    /// Notes a session and writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin_session(&mut self, cell: &Path, from_step: u64, forced: Vec<String>) -> Result<(), TrainError> {
        self.sessions.push(Session { from_step, unix_s: now_s(), forced });
        self.write(cell)
    }

    /// Notes how the cell came out and writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(&mut self, cell: &Path, finish: Finish) -> Result<(), TrainError> {
        self.finish = Some(finish);
        self.write(cell)
    }

    fn write(&self, cell: &Path) -> Result<(), TrainError> {
        let path = cell.join(FILE);
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::from).map_err(TrainError::io("write", &path))?;
        atomic::replace(&path, &text).map_err(TrainError::io("write", &path))
    }
}

/// Seconds since 1970.
pub(super) fn now_s() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

impl DatasetFacts {
    fn of(setup: &Setup) -> Self {
        let manifest = setup.dataset.manifest();
        Self {
            name: manifest.name.clone(),
            content_hash: manifest.content_hash.clone(),
            train_positions: setup.dataset.positions(Split::Train),
            validation_positions: setup.dataset.positions(Split::Validation),
            test_positions: setup.dataset.positions(Split::Test),
            novel_test_positions: manifest.split.novel_test_positions,
        }
    }
}

impl From<Macs> for MacsByPart {
    fn from(macs: Macs) -> Self {
        Self { trunk: macs.trunk, encoding: macs.encoding, head: macs.of_heads(), paper: macs.paper }
    }
}

impl InitialWeights {
    fn of(layout: &Layout, values: &[f32]) -> Self {
        let hash = |wanted: &dyn Fn(Part) -> bool| {
            let mut params: Vec<&ParamSpec> = layout.params().iter().filter(|p| wanted(p.part)).collect();
            params.sort_by(|a, b| a.name.cmp(&b.name));
            let mut hasher = blake3::Hasher::new();
            for param in params {
                hasher.update(param.name.as_bytes());
                for value in &values[param.offset..param.offset + param.len()] {
                    hasher.update(&value.to_le_bytes());
                }
            }
            hasher.finalize().to_hex().to_string()
        };
        Self { shared: hash(&|part| part != Part::Encoding), encoding: hash(&|part| part == Part::Encoding) }
    }
}

/// Experiment, label and hash from `<experiment>/<label>-<hash>/seed-<n>`.
fn place(cell: &Path) -> (String, String, String) {
    let absolute = std::path::absolute(cell).unwrap_or_else(|_| cell.to_owned());
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let row = absolute.parent();
    let row_name = name(row);
    let (label, hash) = row_name.rsplit_once('-').unwrap_or((&row_name, ""));
    (name(row.and_then(Path::parent)), label.to_owned(), hash.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_tells_its_cell() {
        let (experiment, label, hash) = place(Path::new("/runs/quickstart/chess-shaw-0123456789ab/seed-2"));
        assert_eq!((&experiment[..], &label[..], &hash[..]), ("quickstart", "chess-shaw", "0123456789ab"));
    }
}
