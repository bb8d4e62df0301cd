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
    refuse_links(run_dir)?;
    let mut pruned = Pruned::default();
    for (row, &seed) in plan.rows.iter().flat_map(|row| plan.seeds.iter().map(move |seed| (row, seed))) {
        let dir = Plan::cell_dir(run_dir, row, seed);
        if !dir.is_dir() {
            continue;
        }
        // The lock prevents other processes from writing here.
        let lock = CellLock::try_take(&dir).map_err(not_removed(&dir))?;
        let done = lock.is_some() && CellState::of(&dir) == CellState::Done;
        *(if done { &mut pruned.finished } else { &mut pruned.unfinished }) += 1;
        if lock.is_none() {
            continue;
        }
        for path in removable(&dir, done, options.weights).map_err(not_removed(&dir))? {
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

/// Refuses a run folder with links that lead out of it: files are written and removed below it. The folder itself may be a link.
pub fn refuse_links(run_dir: &Path) -> Result<(), UserError> {
    let outside = link_out_of(run_dir, run_dir).map_err(|cause| {
        let message = format!("cannot look for links below {}: {cause}", run_dir.display());
        UserError::new(message, "give this user the right to read the folder")
    })?;
    outside.map_or(Ok(()), |link| {
        let message = format!(
            "{} leads out of the run folder or to nothing, so nothing below it is written or removed",
            link.display()
        );
        Err(UserError::new(message, "replace the link by what it leads to, or remove it"))
    })
}

/// The first link below a folder that leads out of the run folder or to nothing.
fn link_out_of(run_dir: &Path, folder: &Path) -> io::Result<Option<PathBuf>> {
    for entry in entries(folder)? {
        let path = entry.path();
        // Another runner may have renamed it.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_symlink() {
            let run_dir = run_dir.canonicalize()?;
            if !path.canonicalize().is_ok_and(|place| place.starts_with(&run_dir)) {
                return Ok(Some(path));
            }
        } else if kind.is_dir()
            && let Some(link) = link_out_of(run_dir, &path)?
        {
            return Ok(Some(link));
        }
    }
    Ok(None)
}

/// The files of a cell that can go: temporary ones of a killed process, and of a finished cell its checkpoints.
fn removable(cell: &Path, done: bool, weights: bool) -> io::Result<Vec<PathBuf>> {
    let is_temporary = |path: &PathBuf| path.extension().is_some_and(|end| end == TEMPORARY_EXTENSION);
    let is_final = |path: &PathBuf| path.file_name().is_some_and(|name| name == FINAL || name == AVERAGED);
    let in_folder = listed(&cell.join(CHECKPOINTS))?.into_iter();
    let (temporary, checkpoints): (Vec<PathBuf>, Vec<PathBuf>) = in_folder.partition(is_temporary);
    let mut files = listed(cell)?;
    files.retain(is_temporary);
    files.extend(temporary);
    files.extend(checkpoints.into_iter().filter(|path| done && (weights || !is_final(path))));
    Ok(files)
}

/// The files of a folder, sorted; none if the folder is missing.
fn listed(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = entries(dir)?.into_iter().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}
