//! Copies finished cells from other run folders and bundles: the name of a row's folder contains the hash of everything that
//! decides its numbers, so a finished cell of the same hash and seed is the same cell. Configuration, dataset, weights and
//! metrics are checked first, because others may have made it.

use crate::authenticity::{records_of, same_files, same_run};
use records::folder::CONFIG_FILE;
use records::manifest::{self, CopiedFrom};
use records::{CellLock, CellState, Manifest, UserError, atomic, status};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders between an output folder and a row: the experiment, and the trials of a tuned one.
const DEPTH: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellBundle {
    /// The folder that contains the unpacked run folder.
    pub folder: PathBuf,
    pub path: PathBuf,
    /// BLAKE3 of its list of hashes.
    pub identity: String,
}

/// Finished cells by hash of the row and seed.
#[derive(Debug, Default)]
pub(super) struct FinishedCells(HashMap<(String, String), FinishedCell>);

#[derive(Debug)]
struct FinishedCell {
    dir: PathBuf,
    from: CopiedFrom,
}

impl FinishedCells {
    /// Those below some folders, then those of bundles, without smoke runs and unreadable folders.
    pub(super) fn find<'a>(folders: impl IntoIterator<Item = &'a Path>, bundles: &[CellBundle]) -> Self {
        let mut found = Self::default();
        folders.into_iter().for_each(|folder| found.add(folder, DEPTH, None));
        for CellBundle { folder, path, identity } in bundles {
            let from = CopiedFrom { path: path.display().to_string(), blake3: Some(identity.clone()) };
            found.add(folder, DEPTH, Some(&from));
        }
        found
    }

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

    /// Copies a finished cell to a cell's folder, if there is one and no other process trains the cell. Returns whether it
    /// did. A finished cell that does not agree with its folder's name is refused.
    pub(super) fn copy_to(&self, hash: &str, cell: &Path) -> Result<bool, UserError> {
        let seed = cell.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(known) = self.0.get(&(hash.to_owned(), seed.clone())) else { return Ok(false) };
        let Some(_lock) = CellLock::try_take(cell).map_err(unwritable(cell))? else { return Ok(false) };
        // It may have begun since its state was read.
        if cell.join(status::FILE).exists() {
            return Ok(false);
        }
        let manifest = checked_manifest(&known.dir, hash, &seed).map_err(|reason| known.refused(&reason))?;
        known.copy_to(cell, manifest).map_err(unwritable(cell))?;
        Ok(true)
    }
}

impl FinishedCell {
    fn copy_to(&self, cell: &Path, mut manifest: Manifest) -> io::Result<()> {
        copy(&self.dir, cell)?;
        manifest.copied_from.push(self.from.clone());
        manifest.write(cell)?;
        // The status comes last: an interrupted copy is not a finished cell.
        atomic::replace(&cell.join(status::FILE), &fs::read(self.dir.join(status::FILE))?)
    }

    fn refused(&self, reason: &str) -> UserError {
        let names = [self.dir.parent().and_then(Path::file_name), self.dir.file_name()];
        let names: Vec<_> = names.into_iter().flatten().map(|name| name.to_string_lossy().into_owned()).collect();
        let message = format!("the finished cell {} in {} is refused: {reason}", names.join("/"), self.from.path);
        let help = "leave out what holds it (--from, --cells) or delete its folder, and the cell is trained here";
        UserError::new(message, help)
    }
}

/// Names and paths of the folders in a folder, sorted, so that every run takes the same one of several copies.
fn folders(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<(String, PathBuf)> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .filter(|(_, path)| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// Copies everything but manifest, status, lock and configuration, which has the dataset's path. Links are left out: they may
/// lead anywhere.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (name, path, kind) = (entry.file_name(), entry.path(), entry.file_type()?);
        let other = to.join(&name);
        let is_own = [status::FILE, manifest::FILE, CONFIG_FILE, "lock"].iter().any(|own| name == *own);
        if kind.is_dir() {
            copy(&path, &other)?;
        } else if kind.is_file() && !is_own {
            fs::copy(&path, &other)?;
        }
    }
    Ok(())
}

/// The manifest of a finished cell, if the cell has this hash and seed.
fn checked_manifest(cell: &Path, wanted: &str, seed: &str) -> Result<Manifest, String> {
    let (config, manifest) = records_of(cell)?;
    same_run(&config, &manifest, wanted, seed)?;
    same_files(cell, &config, &manifest)?;
    Ok(manifest)
}

pub(super) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> UserError {
    move |cause| {
        let message = format!("cannot write to {}: {cause}", path.display());
        UserError::new(message, "free or repair it, or name another place with --out")
    }
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
        let known = FinishedCells::find([runs.path().join("runs").as_path()], &[bundle]);
        let from = |hash: &str, seed: &str| known.0.get(&(hash.to_owned(), seed.to_owned())).map(|cell| &cell.from);
        let first = from("abc", "seed-0").expect("a finished cell");
        assert!(first.path.ends_with("runs/first") && first.blake3.is_none(), "{first:?}");
        assert!(from("def", "seed-7").is_some_and(|from| from.path.ends_with("second/tuning")));
        let bundled = CopiedFrom { path: "study.tar.zst".to_owned(), blake3: Some("ab12".to_owned()) };
        assert_eq!(from("cde", "seed-0"), Some(&bundled));
        assert!([("abc", "seed-1"), ("bcd", "seed-0"), ("abc", "seed-7")].iter().all(|(h, s)| from(h, s).is_none()));

        // Links are not copied.
        let from = runs.path().join("runs/first/chess-shaw-abc/seed-0");
        fs::write(from.join("log.txt"), "trained").expect("written");
        std::os::unix::fs::symlink(runs.path(), from.join("folder")).expect("a link");
        std::os::unix::fs::symlink(from.join("log.txt"), from.join("file")).expect("a link");
        let to = runs.path().join("copy");
        copy(&from, &to).expect("copied");
        let copied = ["log.txt", "folder", "file", status::FILE].map(|name| to.join(name).exists());
        assert_eq!(copied, [true, false, false, false]);

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
