//! Cells that were never trained, as a finished run leaves them.

use crate::{EXPERIMENT, place};
use config::{Experiment, RunConfig, Weights};
use std::fs;
use std::path::Path;
use tch::Device;
use tempfile::TempDir;
use train::checkpoint::save_final;
use train::inference::Loaded;

/// A folder with small datasets and a cell of each game.
pub struct Finished {
    dir: TempDir,
}

impl Finished {
    pub fn new() -> Self {
        let dir = place(EXPERIMENT);
        let experiment = Experiment::load(&dir.path().join("experiment.yaml")).expect("an experiment");
        for cell in experiment.cells().iter().filter(|cell| cell.run.seed == 0 && cell.label.contains("shaw")) {
            save(&dir.path().join("runs").join(cell.run.game.name()).join("seed-0"), &cell.run);
        }
        Self { dir }
    }

    /// Another cell of a game, whose network has these outputs (JSON), relative to the folder.
    pub fn with_outputs(&self, game: &str, outputs: &str) -> String {
        let mut run = self.loaded(game).config;
        *run.model.outputs_mut() = serde_json::from_str(outputs).expect("outputs");
        let cell = self.cell(&format!("{game}-outputs"));
        save(&self.path().join(&cell), &run);
        cell
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The cell of a game, relative to the folder.
    pub fn cell(&self, game: &str) -> String {
        format!("runs/{game}/seed-0")
    }

    pub fn loaded(&self, game: &str) -> Loaded {
        Loaded::cell(&self.path().join(self.cell(game)), Weights::Raw, Device::Cpu).expect("a cell")
    }
}

/// Writes a cell with random weights.
fn save(folder: &Path, run: &RunConfig) {
    fs::create_dir_all(folder).expect("the cell's folder");
    fs::write(folder.join("config.yaml"), run.to_yaml().expect("YAML")).expect("written");
    let loaded = Loaded::random(run.clone(), 7, Device::Cpu).expect("a network");
    save_final(folder, loaded.layout(), &loaded.arena.values().expect("weights")).expect("written");
}
