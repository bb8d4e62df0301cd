//! One cell of a grid: a resolved run, its label and its content-named folder.

use super::RunConfig;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    pub experiment: String,
    /// The game's and the varied axes' short names, e.g. `chess-shaw`; the same for every seed.
    pub label: String,
    /// Hash of what decides its numbers, the seed left out: schema version, resolved configuration without default
    /// values, the dataset's content hash, the code's numerics version.
    pub hash: String,
    pub run: RunConfig,
}

impl Cell {
    /// The row's folder name, `<label>-<hash>`.
    pub fn row(&self) -> String {
        format!("{}-{}", self.label, self.hash)
    }

    /// The cell's folder below the output folder: `<experiment>/<label>-<hash>/seed-<n>`.
    pub fn dir(&self, runs: &Path) -> PathBuf {
        runs.join(&self.experiment).join(self.row()).join(format!("seed-{}", self.run.seed))
    }
}
