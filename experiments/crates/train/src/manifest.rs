//! The manifest of a cell.

use crate::environment;
use crate::error::TrainError;
use crate::setup::{CellOptions, Setup};
use config::NetworkCost;
use config::identity::SCHEMA_VERSION;
use dataset::Split;
use nn::{Arena, Layout, ParamSpec, Part};
use records::Revision;
use records::machine::Cpu;
use records::manifest::{DatasetFacts, Determinism, InitialWeights, MacsByPart, Manifest, Parameters, Seeds, Session};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use tch::Device;

/// The manifest of a cell before its first step.
pub(super) fn describe(
    cell: &Path,
    setup: &Setup,
    arena: &Arena,
    options: &CellOptions,
) -> Result<Manifest, TrainError> {
    let (experiment, label, hash) = cell_names(cell);
    let cost = NetworkCost::of(&setup.config)?;
    Ok(Manifest {
        experiment,
        label,
        hash,
        posenc: env!("CARGO_PKG_VERSION").to_owned(),
        schema: SCHEMA_VERSION,
        revision: options.revision.clone(),
        identity: setup.identity(),
        cpu: Cpu::detect(),
        gpu: setup.gpu.as_ref().and_then(|gpu| gpu.model.clone()),
        seeds: Some(Seeds { data_order: setup.config.seed, parameters: setup.config.seed, twin: setup.config.twin }),
        determinism: Some(determinism(setup)),
        smoke: options.smoke,
        dataset: dataset_facts(setup),
        parameters: Parameters { trunk: cost.facts.trunk, encoding: cost.facts.encoding, head: cost.facts.heads },
        macs: {
            let macs = &cost.macs;
            MacsByPart { trunk: macs.trunk, encoding: macs.encoding, head: macs.of_heads(), paper: macs.paper }
        },
        injection_points: setup.network.injection_points().names().into_iter().map(str::to_owned).collect(),
        position_sources: cost.facts.position_sources,
        tokens: setup.network.tokens().len(),
        initial_weights: initial_weights(&setup.layout, &arena.values()?),
        sessions: Vec::new(),
        copied_from: Vec::new(),
        config: setup.config.to_json(),
        finish: None,
    })
}

/// A session of this process that begins at a step; `forced`: the changed conditions. GPU and source of the program may
/// differ from the manifest's.
pub(super) fn session(
    manifest: &Manifest,
    setup: &Setup,
    from_step: u64,
    forced: Vec<String>,
    revision: Option<&Revision>,
) -> Session {
    let revision = revision.filter(|&own| manifest.revision.as_ref() != Some(own)).cloned();
    let ranks = setup.ranks.as_ref().map(|ranks| ranks.size());
    Session { from_step, unix_s: now_s(), forced, gpu: setup.gpu.clone(), revision, ranks }
}

pub(super) fn write(manifest: &Manifest, cell: &Path) -> Result<(), TrainError> {
    manifest.write(cell).map_err(TrainError::io("write the manifest in", cell))
}

pub(super) fn now_s() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

fn determinism(setup: &Setup) -> Determinism {
    Determinism {
        same_bits: setup.device == Device::Cpu || setup.config.train.deterministic,
        intra_op_threads: setup.threads,
        inter_op_threads: 1,
        environment: environment::result_affecting(),
    }
}

fn dataset_facts(setup: &Setup) -> DatasetFacts {
    let manifest = setup.dataset.manifest();
    DatasetFacts {
        name: manifest.name.clone(),
        content_hash: manifest.identity(),
        test: setup.dataset.test_set().cloned(),
        train_positions: match setup.dataset.is_endless() {
            true => setup.config.trained_positions(),
            false => setup.dataset.positions(Split::Train),
        },
        validation_positions: setup.dataset.positions(Split::Validation),
        test_positions: setup.dataset.positions(Split::Test),
        // Whatever occurs in a test set of its own has left training.
        novel_test_positions: setup.dataset.test_set().map_or(manifest.split.novel_test_positions, |_| 1.0),
    }
}

fn initial_weights(layout: &Layout, values: &[f32]) -> InitialWeights {
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
    InitialWeights { shared: hash(&|part| part != Part::Encoding), encoding: hash(&|part| part == Part::Encoding) }
}

/// Experiment, label and hash from `<experiment>/<label>-<hash>/seed-<n>`.
fn cell_names(cell: &Path) -> (String, String, String) {
    let row = row_of(cell);
    let (label, hash) = row.rsplit_once('-').unwrap_or((&row, ""));
    (folder_above(cell, 2), label.to_owned(), hash.to_owned())
}

pub(super) fn row_of(cell: &Path) -> String {
    folder_above(cell, 1)
}

fn folder_above(cell: &Path, levels: usize) -> String {
    let absolute = std::path::absolute(cell).unwrap_or_else(|_| cell.to_owned());
    let name = absolute.ancestors().nth(levels).and_then(Path::file_name);
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_tells_its_cell() {
        let (experiment, label, hash) = cell_names(Path::new("/runs/quickstart/chess-shaw-0123456789ab/seed-2"));
        assert_eq!((&experiment[..], &label[..], &hash[..]), ("quickstart", "chess-shaw", "0123456789ab"));
    }
}
