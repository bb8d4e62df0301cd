//! Frees disk space: removes checkpoints of finished cells and incomplete files of killed processes. Metrics are kept.

use records::folder::{AVERAGED, CHECKPOINTS, FINAL};
use records::lock::CellLock;
use records::plan::{Plan, PlanError};
use records::status::CellState;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The extension of files that are being written, see [`records::atomic`].
const TEMPORARY_EXTENSION: &str = "tmp";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PruneOptions {
    /// Also remove the final weights of finished cells; their hash stays in the status.
    pub weights: bool,
    /// Only list the files, without removing them.
    pub dry: bool,
}

/// The removed files, or those that would be removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Files and their sizes, ordered by cell.
    pub files: Vec<(PathBuf, u64)>,
    /// The number of finished cells.
    pub finished: usize,
    /// The number of unfinished cells; their checkpoints stay.
    pub unfinished: usize,
}

impl Pruned {
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Why a run folder cannot be pruned.
#[derive(Debug, thiserror::Error)]
pub enum PruneError {
    /// The folder is not a run folder.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The folder of a cell is a link to another place.
    #[error(
        "{0} leads out of the run folder, so nothing of it is removed; replace the link by a folder, or remove the files there by hand"
    )]
    Elsewhere(PathBuf),
    /// A file cannot be read or removed.
    #[error("cannot remove {path}: {cause}; what was removed before it is gone, everything else is as it was")]
    Io { path: PathBuf, cause: io::Error },
}

/// Prunes every cell of a run folder that no process works in.
///
/// # Errors
/// If the folder has no plan, or a file cannot be removed.
pub fn prune(run_dir: &Path, options: PruneOptions) -> Result<Pruned, PruneError> {
    let plan = Plan::read(run_dir)?;
    let mut pruned = Pruned::default();
    for (row, &seed) in plan.rows.iter().flat_map(|row| plan.seeds.iter().map(move |seed| (row, seed))) {
        let dir = Plan::cell_dir(run_dir, row, seed);
        if !dir.is_dir() {
            continue;
        }
        let io = |cause| PruneError::Io { path: dir.clone(), cause };
        if let Some(link) =
            [dir.clone(), dir.join(CHECKPOINTS)].into_iter().find(|folder| leads_out_of(run_dir, folder))
        {
            return Err(PruneError::Elsewhere(link));
        }
        // The lock prevents other processes from writing here.
        let lock = CellLock::try_take(&dir).map_err(io)?;
        let done = lock.is_some() && CellState::of(&dir) == CellState::Done;
        *(if done { &mut pruned.finished } else { &mut pruned.unfinished }) += 1;
        if lock.is_none() {
            continue;
        }
        let mut files = temporary_files(&dir).map_err(io)?;
        if done {
            files.extend(checkpoints(&dir, options.weights).map_err(io)?);
        }
        for path in files {
            let remove = || {
                let bytes = fs::metadata(&path)?.len();
                if !options.dry {
                    fs::remove_file(&path)?;
                }
                Ok(bytes)
            };
            let bytes = remove().map_err(|cause| PruneError::Io { path: path.clone(), cause })?;
            pruned.files.push((path, bytes));
        }
    }
    Ok(pruned)
}

/// Whether a folder that exists is not below the run folder once all links are followed.
fn leads_out_of(run_dir: &Path, folder: &Path) -> bool {
    let (Ok(folder), Ok(run_dir)) = (folder.canonicalize(), run_dir.canonicalize()) else { return false };
    !folder.starts_with(run_dir)
}

/// Temporary files of a killed process, in the cell's folder and its checkpoint folder.
fn temporary_files(cell: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = listed(cell)?;
    files.extend(listed(&cell.join(CHECKPOINTS))?);
    files.retain(|path| path.extension().is_some_and(|end| end == TEMPORARY_EXTENSION));
    Ok(files)
}

fn checkpoints(cell: &Path, weights: bool) -> io::Result<Vec<PathBuf>> {
    let mut files = listed(&cell.join(CHECKPOINTS))?;
    let is_final = |path: &PathBuf| path.file_name().is_some_and(|name| name == FINAL || name == AVERAGED);
    files.retain(|path| (weights || !is_final(path)) && path.extension().is_none_or(|end| end != TEMPORARY_EXTENSION));
    Ok(files)
}

/// The files of a folder, sorted; none if the folder is missing.
fn listed(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
