//! A bundle as a run folder again, so that it can be reported and its cells taken from there.

use super::error::BundleError;
use super::read::Limits;
use super::verify::verify;
use super::{CELLS, PACKED, SUMS};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The run folder of a bundle whose hashes are right, in a temporary folder that is removed with this value.
#[derive(Debug)]
pub struct Unpacked {
    folder: TempDir,
    run_dir: PathBuf,
}

/// Whether a path is a bundle by its name or by its list of hashes.
#[must_use]
pub fn is_bundle(path: &Path) -> bool {
    path.to_string_lossy().ends_with(PACKED) || path.join(SUMS).is_file()
}

impl Unpacked {
    /// Verifies a bundle and unpacks it.
    ///
    /// # Errors
    /// If the bundle is not what its list says, or the temporary folder cannot be written.
    pub fn of(bundle: &Path, limits: Limits) -> Result<Self, BundleError> {
        let folder = TempDir::with_prefix("posenc-bundle-").map_err(BundleError::io("make", &std::env::temp_dir()))?;
        let into = folder.path().join("bundle");
        let plan = verify(bundle, limits, Some(&into))?.plan;
        let cells = into.join(CELLS);
        for row in fs::read_dir(&cells).into_iter().flatten() {
            let row = row.map_err(BundleError::io("list", &cells))?;
            let to = into.join(row.file_name());
            fs::rename(row.path(), &to).map_err(BundleError::io("write", &to))?;
        }
        let run_dir = folder.path().join(&plan.experiment);
        fs::rename(&into, &run_dir).map_err(BundleError::io("write", &run_dir))?;
        Ok(Self { folder, run_dir })
    }

    /// The run folder.
    #[must_use]
    pub fn run_dir(&self) -> &Path {
        &self.run_dir
    }

    /// The folder that contains the run folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}
