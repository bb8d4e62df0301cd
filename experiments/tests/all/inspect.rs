//! `posenc export` and `posenc predict` on finished cells.

mod exported;
#[cfg(feature = "inspect")]
mod heads;
mod predicted;
mod refused;

use crate::cli::{EXPERIMENT, datasets, write_experiment};
use config::Experiment;
use safetensors::SafeTensors;
use std::fs;
use std::path::{Path, PathBuf};
use tch::Device;
use tempfile::TempDir;
use train::checkpoint::save_final;
use train::inference::Loaded;

/// A folder with small datasets and a cell of each game, as a finished run leaves them.
pub(crate) struct Finished {
    dir: TempDir,
}

impl Finished {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        datasets(dir.path());
        let experiment = Experiment::load(&write_experiment(dir.path(), EXPERIMENT)).expect("an experiment");
        for cell in experiment.cells().iter().filter(|cell| cell.run.seed == 0 && cell.label.contains("shaw")) {
            let folder = dir.path().join("runs").join(cell.run.game.name()).join("seed-0");
            fs::create_dir_all(&folder).expect("the cell's folder");
            fs::write(folder.join("config.yaml"), cell.run.to_yaml().expect("YAML")).expect("written");
            let loaded = Loaded::random(cell.run.clone(), 7, Device::Cpu).expect("a network");
            save_final(&folder, loaded.layout(), &loaded.arena.values().expect("weights")).expect("written");
        }
        Self { dir }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The cell of a game, relative to the folder.
    pub(crate) fn cell(&self, game: &str) -> String {
        format!("runs/{game}/seed-0")
    }
}

/// A safetensors file: names, shapes and bytes of its tensors.
fn tensors(path: PathBuf) -> Vec<(String, Vec<usize>, Vec<u8>)> {
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = SafeTensors::deserialize(&bytes).expect("a safetensors file");
    let mut tensors: Vec<_> =
        file.iter().map(|(name, view)| (name.to_owned(), view.shape().to_vec(), view.data().to_vec())).collect();
    tensors.sort();
    tensors
}

/// One tensor's shape and its numbers.
fn numbers(tensors: &[(String, Vec<usize>, Vec<u8>)], name: &str) -> (Vec<usize>, Vec<f32>) {
    let found = tensors.iter().find(|(known, ..)| known == name).unwrap_or_else(|| panic!("there is no {name}"));
    let values = found.2.chunks_exact(4).map(|chunk| f32::from_le_bytes(chunk.try_into().expect("four bytes")));
    (found.1.clone(), values.collect())
}
