//! Frees disk space: removes checkpoints of finished cells and incomplete files of killed processes. Metrics are kept.

use records::folder::{AVERAGED, CHECKPOINTS, FINAL, entries};
use records::{CellLock, CellState, Plan, UserError};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The extension of files that are being written, see [`records::atomic`].
const TEMPORARY_EXTENSION: &str = "tmp";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PruneOptions {
    /// Also remove the final weights of finished cells; their hash stays in the status.
    pub weights: bool,
    pub dry: bool,
}

/// The removed files, or those that would be removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Files and their sizes, ordered by cell.
    pub files: Vec<(PathBuf, u64)>,
    pub finished: usize,
    /// Unfinished cells; their checkpoints stay.
    pub unfinished: usize,
}

impl Pruned {
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Prunes every cell of a run folder that no process works in.
pub fn prune(run_dir: &Path, options: PruneOptions) -> Result<Pruned, UserError> {
    let plan = Plan::read(run_dir)?;
    let mut pruned = Pruned::default();
    for (row, &seed) in plan.rows.iter().flat_map(|row| plan.seeds.iter().map(move |seed| (row, seed))) {
        let dir = Plan::cell_dir(run_dir, row, seed);
        if !dir.is_dir() {
            continue;
        }
        if let Some(link) = folder_outside(run_dir, &dir) {
            let message = format!("{} leads out of the run folder, so nothing of it is removed", link.display());
            return Err(UserError::new(message, "replace the link by a folder, or remove the files there by hand"));
        }
        // The lock prevents other processes from writing here.
        let lock = CellLock::try_take(&dir).map_err(not_removed(&dir))?;
        let done = lock.is_some() && CellState::of(&dir) == CellState::Done;
        *(if done { &mut pruned.finished } else { &mut pruned.unfinished }) += 1;
        if lock.is_none() {
            continue;
        }
        let mut files = temporary_files(&dir).map_err(not_removed(&dir))?;
        if done {
            files.extend(checkpoints(&dir, options.weights).map_err(not_removed(&dir))?);
        }
        for path in files {
            let remove = || -> io::Result<u64> {
                let bytes = fs::metadata(&path)?.len();
                if !options.dry {
                    fs::remove_file(&path)?;
                }
                Ok(bytes)
            };
            let bytes = remove().map_err(not_removed(&path))?;
            pruned.files.push((path, bytes));
        }
    }
    Ok(pruned)
}

fn not_removed(path: &Path) -> impl FnOnce(io::Error) -> UserError {
    move |cause| {
        let message = format!("cannot remove {}: {cause}", path.display());
        UserError::new(message, "files removed before it are gone, all others are unchanged")
    }
}

/// Refuses a cell that a process would write to outside of the run folder: its folders and files may be links.
pub(super) fn refuse_links(run_dir: &Path, cell: &Path) -> Result<(), UserError> {
    let files = [cell.to_owned(), cell.join(CHECKPOINTS)].into_iter().flat_map(|dir| entries(&dir).unwrap_or_default());
    let mut links = files.map(|entry| entry.path()).filter(|path| path.is_symlink());
    let outside = folder_outside(run_dir, cell).or_else(|| links.find(|path| leads_out_of(run_dir, path)));
    outside.map_or(Ok(()), |link| {
        let message = format!("{} leads out of the run folder, so nothing is trained there", link.display());
        Err(UserError::new(message, "replace the link by what it leads to"))
    })
}

/// The folder of a cell, or that of its checkpoints, if a link leads from it out of the run folder.
fn folder_outside(run_dir: &Path, cell: &Path) -> Option<PathBuf> {
    [cell.to_owned(), cell.join(CHECKPOINTS)].into_iter().find(|folder| leads_out_of(run_dir, folder))
}

/// Whether a path is not below the run folder after following all links, or is a link to nothing.
fn leads_out_of(run_dir: &Path, path: &Path) -> bool {
    let Ok(run_dir) = run_dir.canonicalize() else { return false };
    path.canonicalize().map_or_else(|_| path.is_symlink(), |path| !path.starts_with(&run_dir))
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
    let paths = entries(dir)?.into_iter().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}
