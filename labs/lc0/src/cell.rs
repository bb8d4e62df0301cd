//! An imported network as a cell: its configuration and final weights, and optionally its metrics on a dataset.

use super::error::NetError;
use super::{Imported, spec};
use config::{ImportedWeights, RunConfig};
use games::GameKind;
use nn::{Arena, Layout};
use records::folder::CONFIG_FILE;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use tch::{Device, Kind};
use train::TrainError;
use train::checkpoint::save_final;
use train::inference::export::ExportFolder;
use train::inference::{Loaded, Origin};
use train::setup::declare;

/// The configuration of an imported network's run, beside its network. No step is trained ([`train::setup`] ensures
/// that), so it only sets the size of the evaluation.
const RUN: &str = "
game: chess
data: .
input: lc0_112
model: {resnet: {blocks: 1, channels: 1}}
encoding: [none]
train:
  steps: 1
  batch: 256
  optimizer: {adamw: {}}
  learning_rate: {values: [0.001]}
eval: {validation_positions: 4096, test_positions: 16384, every: 1}
seed: 0
";

/// The run of an imported network. `data` is the dataset to evaluate it on; without one it can only predict.
pub fn run_of(imported: &Imported, file: &Path, data: Option<&Path>) -> Result<RunConfig, NetError> {
    let run = RunConfig::from_yaml(RUN).map_err(|error| wrong(file, &error))?;
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    Ok(RunConfig {
        game: GameKind::Chess,
        input: spec().input.name,
        model: imported.model.clone(),
        encoding: imported.encoding.clone(),
        data: data.map_or(run.data, Path::to_owned),
        imported: Some(ImportedWeights { file: name, blake3: imported.blake3.clone() }),
        ..run
    })
}

fn wrong(path: &Path, error: &dyn Display) -> NetError {
    NetError::Train(TrainError::Config { path: path.to_owned(), reason: error.to_string() })
}

/// The network, for evaluation without a folder.
pub fn loaded(imported: &Imported, device: Device) -> Result<Loaded, NetError> {
    let config = run_of(imported, Path::new("net.pb.gz"), None)?;
    let (network, layout) = declare(&config)?;
    let weights = in_layout_order(imported, &layout)?;
    let arena = Arena::from_values(Arc::new(layout), &weights, device).map_err(TrainError::from)?;
    Ok(Loaded { config, network, arena, origin: Origin::Final, kind: Kind::Float })
}

/// Writes the cell's folder, which must not exist yet, completely or not at all.
pub fn write(imported: &Imported, run: &RunConfig, out: &Path) -> Result<(), NetError> {
    let (_, layout) = declare(run)?;
    let weights = in_layout_order(imported, &layout)?;
    let folder = ExportFolder::begin(out)?;
    let config = folder.path().join(CONFIG_FILE);
    let text = run.to_yaml().map_err(|error| wrong(&config, &error))?;
    std::fs::write(&config, text).map_err(|cause| NetError::Io { action: "write", path: config.clone(), cause })?;
    save_final(folder.path(), &layout, &weights)?;
    Ok(folder.finish()?)
}

/// The parameters in a layout's order: every one exactly once, and no others.
pub fn in_layout_order(imported: &Imported, layout: &Layout) -> Result<Vec<f32>, NetError> {
    let mut weights = vec![0.0; layout.len()];
    for param in layout.params() {
        let found = imported.parameters.iter().find(|(name, _)| *name == param.name);
        let (_, numbers) = found.ok_or_else(|| NetError::tensor(&param.name, "is missing"))?;
        if numbers.len() != param.len() {
            let what = format!("has {} numbers instead of {}", numbers.len(), param.len());
            return Err(NetError::tensor(&param.name, what));
        }
        weights[param.offset..][..numbers.len()].copy_from_slice(numbers);
    }
    match imported.parameters.iter().find(|(name, _)| layout.find(name).is_none()) {
        Some((name, _)) => Err(NetError::tensor(name, "belongs to no part of the network")),
        None => Ok(weights),
    }
}
