//! Cells that are finished in another run folder are taken from there: a cell's folder name holds the hash of all that
//! decides its numbers, so a finished cell of the same hash and seed is the same cell. What is taken is checked, because
//! others may have made it.

use super::error::GridError;
use super::genuine;
use records::folder::CONFIG_FILE;
use records::lock::CellLock;
use records::manifest::{self, CopiedFrom};
use records::{CellState, Manifest, atomic, status};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders between an output folder and a row: the experiment, and in it the trials of a tuned one.
const DEPTH: usize = 2;

/// An unpacked bundle in which finished cells are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellBundle {
    /// The folder of its run folder.
    pub folder: PathBuf,
    pub path: PathBuf,
    /// BLAKE3 of its list of hashes.
    pub identity: String,
}

/// Finished cells by the hash of their row and by their seed.
#[derive(Debug, Default)]
pub(super) struct FinishedCells(HashMap<(String, String), FinishedCell>);

#[derive(Debug)]
struct FinishedCell {
    dir: PathBuf,
    from: CopiedFrom,
}

impl FinishedCells {
    /// Those below some folders, then those of bundles; what cannot be read is left out. Smoke runs are no results.
    pub(super) fn among<'a>(folders: impl IntoIterator<Item = &'a Path>, bundles: &[CellBundle]) -> Self {
        let mut found = Self::default();
        folders.into_iter().for_each(|folder| found.add(folder, DEPTH, None));
        for CellBundle { folder, path, identity } in bundles {
            let from = CopiedFrom { path: path.display().to_string(), blake3: Some(identity.clone()) };
            found.add(folder, DEPTH, Some(&from));
        }
        found
    }

    /// `bundle` is the bundle that a folder belongs to.
    fn add(&mut self, folder: &Path, depth: usize, bundle: Option<&CopiedFrom>) {
        for (name, path) in folders(folder).into_iter().filter(|(name, _)| !name.starts_with("smoke-")) {
            let cells: Vec<(String, PathBuf)> =
                folders(&path).into_iter().filter(|(name, _)| name.starts_with("seed-")).collect();
            if let Some((_, hash)) = name.rsplit_once('-').filter(|_| !cells.is_empty()) {
                let run_folder = || CopiedFrom { path: folder.display().to_string(), blake3: None };
                for (seed, dir) in cells.into_iter().filter(|(_, dir)| CellState::of(dir) == CellState::Done) {
                    let from = bundle.cloned().unwrap_or_else(run_folder);
                    self.0.entry((hash.to_owned(), seed)).or_insert(FinishedCell { dir, from });
                }
            } else if depth > 0 {
                self.add(&path, depth - 1, bundle);
            }
        }
    }

    /// Makes a cell's folder a copy of a finished one, if there is one. Returns whether it did. A cell that another
    /// process is training is left to it.
    ///
    /// # Errors
    /// If the finished one is not what its folder's name says, or cannot be copied.
    pub(super) fn copy_to(&self, hash: &str, cell: &Path) -> Result<bool, GridError> {
        let unwritable = |cause| GridError::Unwritable { path: cell.to_owned(), cause };
        let seed = cell.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(known) = self.0.get(&(hash.to_owned(), seed.clone())) else { return Ok(false) };
        let Some(_lock) = CellLock::try_take(cell).map_err(unwritable)? else { return Ok(false) };
        // It may have begun since its state was read.
        if cell.join(status::FILE).exists() {
            return Ok(false);
        }
        let manifest = genuine::check(&known.dir, hash, &seed).map_err(|reason| known.refused(reason))?;
        known.copy_to(cell, manifest).map_err(unwritable)?;
        Ok(true)
    }
}

impl FinishedCell {
    fn copy_to(&self, cell: &Path, mut manifest: Manifest) -> io::Result<()> {
        copy(&self.dir, cell)?;
        manifest.copied_from.push(self.from.clone());
        manifest.write(cell)?;
        // The status comes last, and whole: a copy that was interrupted is no finished cell.
        atomic::replace(&cell.join(status::FILE), &fs::read(self.dir.join(status::FILE))?)
    }

    fn refused(&self, reason: String) -> GridError {
        let names = [self.dir.parent().and_then(Path::file_name), self.dir.file_name()];
        let names: Vec<_> = names.into_iter().flatten().map(|name| name.to_string_lossy().into_owned()).collect();
        GridError::NotGenuine { cell: names.join("/"), from: self.from.path.clone(), reason }
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

/// Copies what is not there yet, but for the manifest, the status and what belongs to one place (the configuration has the
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
            false if [status::FILE, manifest::FILE, CONFIG_FILE, "lock"].iter().any(|own| name == *own) => {}
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
    use records::status::State;

    #[test]
    fn a_finished_cell_is_found_wherever_it_lies() {
        let runs = tempfile::TempDir::new().expect("a temporary folder");
        let put = |path: &str, state: State| {
            let cell = runs.path().join(path);
            fs::create_dir_all(&cell).expect("a folder");
            Status::new(state, 1, 1).write(&cell).expect("a status");
        };
        put("runs/first/chess-shaw-abc/seed-0", State::Done);
        put("runs/first/chess-shaw-abc/seed-1", State::Running);
        put("runs/second/tuning/chess-none-def/seed-7", State::Done);
        put("runs/smoke-first/chess-none-bcd/seed-0", State::Done);
        put("unpacked/run/chess-rope-cde/seed-0", State::Done);
        let bundle = CellBundle {
            folder: runs.path().join("unpacked"),
            path: "study.tar.zst".into(),
            identity: "ab12".to_owned(),
        };
        let known = FinishedCells::among([runs.path().join("runs").as_path()], &[bundle]);
        let from = |hash: &str, seed: &str| known.0.get(&(hash.to_owned(), seed.to_owned())).map(|cell| &cell.from);
        let first = from("abc", "seed-0").expect("a finished cell");
        assert!(first.path.ends_with("runs/first") && first.blake3.is_none(), "{first:?}");
        assert!(from("def", "seed-7").is_some_and(|from| from.path.ends_with("second/tuning")));
        let bundled = CopiedFrom { path: "study.tar.zst".to_owned(), blake3: Some("ab12".to_owned()) };
        assert_eq!(from("cde", "seed-0"), Some(&bundled));
        assert!([("abc", "seed-1"), ("bcd", "seed-0"), ("abc", "seed-7")].iter().all(|(h, s)| from(h, s).is_none()));

        // A cell that another process holds is left alone; one that only has the right name is refused.
        let cell = runs.path().join("third/row/seed-0");
        fs::create_dir_all(&cell).expect("a folder");
        let lock = CellLock::try_take(&cell).expect("a lock");
        assert!(lock.is_some() && !known.copy_to("abc", &cell).expect("no copy"));
        drop(lock);
        assert!(!known.copy_to("bcd", &cell).expect("no copy"));
        let error = known.copy_to("cde", &cell).expect_err("no configuration").to_string();
        for part in ["chess-rope-cde/seed-0", "study.tar.zst", "config.yaml"] {
            assert!(error.contains(part), "{part} is not in {error}");
        }
        assert!(!cell.join(status::FILE).exists());
    }
}
