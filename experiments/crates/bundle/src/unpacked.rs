//! A bundle as a run folder again, so that it can be reported and its cells taken from there.

use super::error::cannot;
use super::leftovers;
use super::names::{CELLS, PACKED, SUMS};
use super::read::Limits;
use super::verify::{Verified, unpack_to};
use records::CellLock;
use records::folder::CHECKPOINTS;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Temporary folders are called by this, the number of their process and a random end.
const PREFIX: &str = "posenc-bundle-";

/// The name of the run folder in the temporary folder; it does not depend on the bundle.
const RUN: &str = "run";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnpackedPart {
    Everything,
    /// All but weights, which no report reads.
    Records,
}

/// The run folder of a bundle whose hashes are right, in a temporary folder that is removed with this value.
#[derive(Debug)]
pub struct Unpacked {
    folder: TempDir,
    run_dir: PathBuf,
    verified: Verified,
    /// Keeps other processes from removing the folder as a leftover.
    _lock: Option<CellLock>,
}

/// Whether a path is a bundle by its name or by its list of hashes.
pub fn is_bundle(path: &Path) -> bool {
    path.to_string_lossy().ends_with(PACKED) || path.join(SUMS).is_file()
}

impl Unpacked {
    /// Verifies a bundle and unpacks it into a temporary folder.
    pub fn of(bundle: &Path, limits: Limits, part: UnpackedPart) -> anyhow::Result<Self> {
        Self::below(&std::env::temp_dir(), bundle, limits, part)
    }

    /// The same with the temporary folder in another one.
    pub fn below(parent: &Path, bundle: &Path, limits: Limits, part: UnpackedPart) -> anyhow::Result<Self> {
        leftovers::remove(parent, PREFIX, "-");
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let folder = TempDir::with_prefix_in(prefix, parent).map_err(cannot("make a folder in", parent))?;
        let lock = CellLock::try_take(folder.path()).map_err(cannot("lock", folder.path()))?;
        let run_dir = folder.path().join(RUN);
        let place = |path: &str| {
            let inside = path.strip_prefix(CELLS).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path);
            let is_weights = path.split('/').any(|name| name == CHECKPOINTS);
            (part == UnpackedPart::Everything || !is_weights).then(|| run_dir.join(inside))
        };
        let verified = unpack_to(bundle, limits, &run_dir, &place)?;
        Ok(Self { run_dir, verified, _lock: lock, folder })
    }

    pub fn run_dir(&self) -> &Path {
        &self.run_dir
    }

    /// The folder that contains the run folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn verified(&self) -> &Verified {
        &self.verified
    }
}
