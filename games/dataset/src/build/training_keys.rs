//! The keys of all training positions, on disk, sorted once all of them are known.

use super::append_log::{AppendLog, next_part};
use crate::error::DatasetError;
use rayon::slice::ParallelSliceMut as _;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

/// Keys in memory at a time, for training positions and for looked-up ones: 64 MB each.
pub(crate) const KEYS_IN_MEMORY: usize = 8 << 20;

/// The keys of all training positions, in input order.
pub(crate) struct TrainingKeys {
    dir: PathBuf,
    pub(super) log: AppendLog,
}

impl TrainingKeys {
    /// Loads the keys of a checkpoint; none for 0 bytes.
    pub(crate) fn resume(dir: &Path, bytes: u64) -> Result<Self, DatasetError> {
        Ok(Self { dir: dir.to_owned(), log: AppendLog::resume(dir.join(".train-keys"), bytes)? })
    }

    pub(crate) fn train(&mut self, keys: &[u64]) -> Result<(), DatasetError> {
        keys.iter().try_for_each(|key| self.log.append(&key.to_le_bytes()))
    }

    pub(crate) fn sorted(self) -> Result<SortedKeys, DatasetError> {
        self.sorted_by(KEYS_IN_MEMORY)
    }

    fn sorted_by(mut self, limit: usize) -> Result<SortedKeys, DatasetError> {
        let mut keys = self.log.read()?;
        let mut trained = SortedKeys { keys: Vec::new(), runs: Vec::new() };
        loop {
            let block = read_keys(&mut keys, limit).map_err(DatasetError::io("read", &self.log.path))?;
            if block.is_empty() {
                return Ok(trained);
            }
            if !trained.keys.is_empty() {
                let path = self.dir.join(format!(".train-keys-{}", trained.runs.len()));
                write_run(&path, &trained.keys).map_err(DatasetError::io("write", &path))?;
                trained.runs.push(path);
            }
            trained.keys = block;
            trained.keys.par_sort_unstable();
            trained.keys.dedup();
        }
    }
}

/// The next keys of a file, at most `limit`.
pub(crate) fn read_keys(from: &mut impl Read, limit: usize) -> io::Result<Vec<u64>> {
    let mut keys = Vec::new();
    while keys.len() < limit {
        match next_part(from)? {
            Some(bytes) => keys.push(u64::from_le_bytes(bytes)),
            None => break,
        }
    }
    Ok(keys)
}

fn write_run(path: &Path, keys: &[u64]) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    keys.iter().try_for_each(|key| file.write_all(&key.to_le_bytes()))?;
    file.flush()
}

/// All training keys, sorted: some in memory, the others in sorted files.
pub(crate) struct SortedKeys {
    keys: Vec<u64>,
    runs: Vec<PathBuf>,
}

impl SortedKeys {
    /// For each of these keys, whether a training position has it.
    pub(crate) fn seen(&self, keys: &[u64]) -> Result<Vec<bool>, DatasetError> {
        let mut seen: Vec<bool> = keys.iter().map(|key| self.keys.binary_search(key).is_ok()).collect();
        if self.runs.is_empty() {
            return Ok(seen);
        }
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.par_sort_unstable_by_key(|&i| keys[i as usize]);
        for path in &self.runs {
            mark(path, keys, &order, &mut seen).map_err(DatasetError::io("read", path))?;
        }
        Ok(seen)
    }
}

/// Marks the keys that a sorted run contains.
fn mark(path: &Path, keys: &[u64], order: &[u32], seen: &mut [bool]) -> io::Result<()> {
    let mut run = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut wanted = order.iter().map(|&i| i as usize).peekable();
    while let Some(bytes) = next_part(&mut run)? {
        let key = u64::from_le_bytes(bytes);
        while wanted.next_if(|&i| keys[i] < key).is_some() {}
        while let Some(i) = wanted.next_if(|&i| keys[i] == key) {
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
        let train: Vec<u64> = (0..2_000).map(|i| (i * i * 7_919) % 10_007).collect();
        let set: HashSet<u64> = train.iter().copied().collect();
        let asked: Vec<u64> = (0..10_007).rev().chain(0..50).collect();
        let expected: Vec<bool> = asked.iter().map(|key| set.contains(key)).collect();
        for (limit, runs) in [(100, 19), (5_000, 0)] {
            let mut novelty = TrainingKeys::resume(dir.path(), 0).expect("nothing is there");
            for game in train.chunks(30) {
                novelty.train(game).expect("the disk has room");
            }
            let trained = novelty.sorted_by(limit).expect("the disk has room");
            assert_eq!(trained.runs.len(), runs);
            assert_eq!(trained.seen(&asked).expect("readable"), expected);
        }
    }
}
