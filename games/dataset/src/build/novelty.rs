//! Which positions occur in training: a set of keys that goes to the disk where it grows large.

use crate::error::DatasetError;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Keys in memory: 64 MB.
const KEYS_IN_MEMORY: usize = 8 << 20;

/// The keys of all training positions.
pub(super) struct Novelty {
    dir: PathBuf,
    limit: usize,
    keys: Vec<u64>,
    /// Whether `keys` are sorted and differ from each other.
    sorted: bool,
    /// Files of sorted keys.
    runs: Vec<PathBuf>,
}

impl Novelty {
    pub(super) fn new(dir: &Path) -> Self {
        Self::with_limit(dir, KEYS_IN_MEMORY)
    }

    fn with_limit(dir: &Path, limit: usize) -> Self {
        Self { dir: dir.to_owned(), limit, keys: Vec::new(), sorted: true, runs: Vec::new() }
    }

    /// Adds the keys of a training game.
    pub(super) fn train(&mut self, keys: Vec<u64>) -> Result<(), DatasetError> {
        self.keys.extend(keys);
        self.sorted = false;
        if self.keys.len() >= self.limit {
            self.sort();
            // Many repeated positions need no run yet.
            if self.keys.len() >= self.limit / 2 {
                self.spill()?;
            }
        }
        Ok(())
    }

    fn sort(&mut self) {
        self.keys.sort_unstable();
        self.keys.dedup();
        self.sorted = true;
    }

    fn spill(&mut self) -> Result<(), DatasetError> {
        let path = self.dir.join(format!(".train-keys-{}", self.runs.len()));
        let write = || -> std::io::Result<()> {
            let mut file = BufWriter::new(File::create(&path)?);
            self.keys.iter().try_for_each(|key| file.write_all(&key.to_le_bytes()))?;
            file.flush()
        };
        write().map_err(DatasetError::io("write", &path))?;
        self.runs.push(path);
        self.keys.clear();
        Ok(())
    }

    /// For each of these keys, whether a training position has it.
    pub(super) fn seen(&mut self, keys: &[u64]) -> Result<Vec<bool>, DatasetError> {
        if !self.sorted {
            self.sort();
        }
        let mut seen: Vec<bool> = keys.iter().map(|key| self.keys.binary_search(key).is_ok()).collect();
        if self.runs.is_empty() {
            return Ok(seen);
        }
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_unstable_by_key(|&i| keys[i]);
        for path in &self.runs {
            mark(path, keys, &order, &mut seen).map_err(DatasetError::io("read", path))?;
        }
        Ok(seen)
    }

    /// Removes its files.
    pub(super) fn clear(self) {
        for path in self.runs {
            // The folder is removed or published without them mattering; there is nobody to tell.
            let _ = fs::remove_file(path);
        }
    }
}

/// Walks a sorted run and sorted keys together.
fn mark(path: &Path, keys: &[u64], order: &[usize], seen: &mut [bool]) -> std::io::Result<()> {
    let mut run = BufReader::with_capacity(1 << 20, File::open(path)?);
    let count = run.get_ref().metadata()?.len() / size_of::<u64>() as u64;
    let mut wanted = order.iter().peekable();
    let mut bytes = [0; size_of::<u64>()];
    for _ in 0..count {
        run.read_exact(&mut bytes)?;
        let key = u64::from_le_bytes(bytes);
        while wanted.next_if(|&&i| keys[i] < key).is_some() {}
        while let Some(&i) = wanted.next_if(|&&i| keys[i] == key) {
            seen[i] = true;
        }
        if wanted.peek().is_none() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn runs_on_disk_answer_as_a_set_does() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut novelty = Novelty::with_limit(dir.path(), 100);
        let train: Vec<u64> = (0..2_000).map(|i| (i * i * 7_919) % 10_007).collect();
        for game in train.chunks(30) {
            novelty.train(game.to_vec()).expect("the disk has room");
        }
        assert!(novelty.runs.len() > 3, "the test is about runs");
        let set: HashSet<u64> = train.iter().copied().collect();
        let asked: Vec<u64> = (0..10_007).rev().chain(0..50).collect();
        let expected: Vec<bool> = asked.iter().map(|key| set.contains(key)).collect();
        assert_eq!(novelty.seen(&asked).expect("readable"), expected);
        novelty.clear();
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 0);
    }
}
