//! Cells that are finished in another run folder are taken from there: a cell's folder name holds the hash of all that
//! decides its numbers, so a finished cell of the same hash and seed is the same cell.

use records::folder::CONFIG_FILE;
use records::lock::CellLock;
use records::{CellState, atomic, status};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders between an output folder and a row: the experiment, and in it the trials of a tuned one.
const DEPTH: usize = 2;

/// Finished cells by the hash of their row and by their seed.
#[derive(Debug, Default)]
pub(super) struct FinishedCells(HashMap<(String, String), PathBuf>);

impl FinishedCells {
    /// Those below some folders; what cannot be read is left out. Smoke runs are no results.
    pub(super) fn below<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut found = Self::default();
        folders.into_iter().for_each(|folder| found.add(folder, DEPTH));
        found
    }

    fn add(&mut self, folder: &Path, depth: usize) {
        for (name, path) in folders(folder).into_iter().filter(|(name, _)| !name.starts_with("smoke-")) {
            let cells: Vec<(String, PathBuf)> =
                folders(&path).into_iter().filter(|(name, _)| name.starts_with("seed-")).collect();
            if let Some((_, hash)) = name.rsplit_once('-').filter(|_| !cells.is_empty()) {
                for (seed, cell) in cells.into_iter().filter(|(_, cell)| CellState::of(cell) == CellState::Done) {
                    self.0.entry((hash.to_owned(), seed)).or_insert(cell);
                }
            } else if depth > 0 {
                self.add(&path, depth - 1);
            }
        }
    }

    /// Makes a cell's folder a copy of a finished one, if there is one. Returns whether it did. A cell that another
    /// process is training is left to it.
    pub(super) fn copy_to(&self, hash: &str, cell: &Path) -> io::Result<bool> {
        let seed = cell.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(known) = self.0.get(&(hash.to_owned(), seed)) else { return Ok(false) };
        let Some(_lock) = CellLock::try_take(cell)? else { return Ok(false) };
        // It may have begun since its state was read.
        if cell.join(status::FILE).exists() {
            return Ok(false);
        }
        copy(known, cell)?;
        // The status comes last, and whole: a copy that was interrupted is no finished cell.
        atomic::replace(&cell.join(status::FILE), &fs::read(known.join(status::FILE))?)?;
        Ok(true)
    }
}

/// The folders in a folder, with their names and in the order of them, so that of several copies of a cell every run
/// takes the same.
fn folders(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<(String, PathBuf)> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .filter(|(_, path)| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// Copies what is not there yet, but for the status and for what belongs to one place (the configuration has the
/// dataset's path).
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (name, path) = {
            let entry = entry?;
            (entry.file_name(), entry.path())
        };
        let other = to.join(&name);
        match path.is_dir() {
            true => copy(&path, &other)?,
            false if name == status::FILE || name == CONFIG_FILE || name == "lock" => {}
            false => {
                fs::copy(&path, &other)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::Status;
    use records::folder::CHECKPOINTS;
    use records::status::State;

    #[test]
    fn a_finished_cell_is_found_wherever_it_lies() {
        let runs = tempfile::TempDir::new().expect("a temporary folder");
        let put = |path: &str, state: State| {
            let cell = runs.path().join(path);
            fs::create_dir_all(cell.join(CHECKPOINTS)).expect("a folder");
            fs::write(cell.join("metrics.jsonl"), "x\n").expect("a file");
            Status::new(state, 1, 1).write(&cell).expect("a status");
        };
        put("first/chess-shaw-abc/seed-0", State::Done);
        put("first/chess-shaw-abc/seed-1", State::Running);
        put("second/tuning/chess-none-def/seed-7", State::Done);
        put("smoke-first/chess-none-bcd/seed-0", State::Done);
        let known = FinishedCells::below([runs.path()]);
        let taken = |hash: &str, seed: &str| {
            let cell = runs.path().join("third/row").join(seed);
            fs::create_dir_all(&cell).expect("a folder");
            known.copy_to(hash, &cell).expect("a copy") && CellState::of(&cell) == CellState::Done
        };
        assert!(taken("abc", "seed-0") && taken("def", "seed-7"));
        assert!(!taken("abc", "seed-1") && !taken("bcd", "seed-0") && !taken("abc", "seed-7"));
        assert!(runs.path().join("third/row/seed-7/metrics.jsonl").exists());
        // A cell that another process holds is not written to.
        let held = runs.path().join("fourth/row/seed-0");
        fs::create_dir_all(&held).expect("a folder");
        let lock = CellLock::try_take(&held).expect("a lock");
        assert!(lock.is_some() && !known.copy_to("abc", &held).expect("no copy"));
        drop(lock);
        assert!(known.copy_to("abc", &held).expect("a copy"));
    }
}
