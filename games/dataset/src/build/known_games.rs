//! The games of the dataset so far: fingerprints and ids, the newest in memory and the others sorted on disk.
//!
//! The newest are in a table. When it is full it becomes a sorted run; runs of similar length are merged, so that their
//! number grows with the logarithm of the number of games. Of a run, memory holds the first fingerprint of each block,
//! and a look-up reads one block.

use super::append_log::{AppendLog, next_part};
use crate::error::DatasetError;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Games in the table, which takes 67 MB.
const GAMES_IN_MEMORY: usize = 7 << 18;

/// Entries in a block of a run; a look-up reads one block.
const BLOCK: usize = 256;

/// A fingerprint and an id, as bytes.
const ENTRY: usize = 16 + 4;

type Entry = (u128, u32);

pub(crate) struct KnownGames {
    dir: PathBuf,
    limit: usize,
    recent: HashMap<u128, u32>,
    runs: Vec<Run>,
    /// The number of runs written, for their names.
    written: usize,
    /// All games in input order, for resuming from a checkpoint.
    pub(super) log: AppendLog,
}

impl KnownGames {
    /// Loads the games of a checkpoint; none for 0 bytes.
    pub(crate) fn resume(dir: &Path, bytes: u64) -> Result<Self, DatasetError> {
        Self::with_limit(dir, bytes, GAMES_IN_MEMORY)
    }

    fn with_limit(dir: &Path, bytes: u64, limit: usize) -> Result<Self, DatasetError> {
        let log = AppendLog::resume(dir.join(".games"), bytes)?;
        let mut known = Self { dir: dir.to_owned(), limit, recent: HashMap::new(), runs: Vec::new(), written: 0, log };
        let mut entries = known.log.read()?;
        while let Some(bytes) = next_part(&mut entries).map_err(DatasetError::io("read", &known.log.path))? {
            let (fingerprint, id) = entry(bytes);
            known.insert(fingerprint, id)?;
        }
        Ok(known)
    }

    /// The id of the game with this fingerprint; if there is none, the fingerprint is added with `id`.
    pub(crate) fn find_or_add(&mut self, fingerprint: u128, id: u32) -> Result<Option<u32>, DatasetError> {
        if let Some(&first) = self.recent.get(&fingerprint) {
            return Ok(Some(first));
        }
        for run in &self.runs {
            if let Some(first) = run.find(fingerprint).map_err(DatasetError::io("read", &run.path))? {
                return Ok(Some(first));
            }
        }
        self.log.append(&bytes((fingerprint, id)))?;
        self.insert(fingerprint, id)?;
        Ok(None)
    }

    fn insert(&mut self, fingerprint: u128, id: u32) -> Result<(), DatasetError> {
        self.recent.insert(fingerprint, id);
        if self.recent.len() < self.limit {
            return Ok(());
        }
        let mut entries: Vec<Entry> = self.recent.drain().collect();
        entries.sort_unstable();
        let run = self.write(entries.into_iter().map(Ok))?;
        self.runs.push(run);
        while let [.., longer, last] = self.runs.as_slice() {
            if longer.entries > 2 * last.entries {
                break;
            }
            let merged = merged(longer, last).map_err(DatasetError::io("read", &longer.path))?;
            let merged = self.write(merged)?;
            for run in self.runs.drain(self.runs.len() - 2..) {
                fs::remove_file(&run.path).map_err(DatasetError::io("remove", &run.path))?;
            }
            self.runs.push(merged);
        }
        Ok(())
    }

    fn write(&mut self, entries: impl Iterator<Item = io::Result<Entry>>) -> Result<Run, DatasetError> {
        let path = self.dir.join(format!(".games-{}", self.written));
        self.written += 1;
        let (mut firsts, mut count) = (Vec::new(), 0);
        let write = || -> io::Result<File> {
            let mut file = BufWriter::new(File::create(&path)?);
            for entry in entries {
                let entry = entry?;
                if count % BLOCK == 0 {
                    firsts.push(entry.0);
                }
                file.write_all(&bytes(entry))?;
                count += 1;
            }
            file.flush()?;
            File::open(&path)
        };
        let file = write().map_err(DatasetError::io("write", &path))?;
        Ok(Run { path, file, firsts, entries: count })
    }
}

struct Run {
    path: PathBuf,
    file: File,
    /// The first fingerprint of every block.
    firsts: Vec<u128>,
    entries: usize,
}

impl Run {
    fn find(&self, fingerprint: u128) -> io::Result<Option<u32>> {
        let Some(block) = self.firsts.partition_point(|&first| first <= fingerprint).checked_sub(1) else {
            return Ok(None);
        };
        let entries = BLOCK.min(self.entries - block * BLOCK);
        let mut bytes = [0; BLOCK * ENTRY];
        let bytes = &mut bytes[..entries * ENTRY];
        let mut file = &self.file;
        file.seek(SeekFrom::Start((block * BLOCK * ENTRY) as u64))?;
        file.read_exact(bytes)?;
        let (parts, _) = bytes.as_chunks::<ENTRY>();
        let found = parts.binary_search_by_key(&fingerprint, |&part| entry(part).0);
        Ok(found.ok().map(|at| entry(parts[at]).1))
    }

    fn read(&self) -> io::Result<impl Iterator<Item = io::Result<Entry>> + use<>> {
        let mut file = BufReader::with_capacity(1 << 18, File::open(&self.path)?);
        Ok(std::iter::from_fn(move || next_part(&mut file).map(|bytes| bytes.map(entry)).transpose()))
    }
}

fn merged(a: &Run, b: &Run) -> io::Result<impl Iterator<Item = io::Result<Entry>> + use<>> {
    let (mut a, mut b) = (a.read()?.peekable(), b.read()?.peekable());
    Ok(std::iter::from_fn(move || {
        let first_is_less = match (a.peek(), b.peek()) {
            (Some(Ok(first)), Some(Ok(second))) => first <= second,
            // An error is returned at once; when one run ends the other continues.
            (Some(_), Some(Ok(_)) | None) => true,
            (_, _) => false,
        };
        if first_is_less { a.next() } else { b.next() }
    }))
}

fn bytes((fingerprint, id): Entry) -> [u8; ENTRY] {
    let mut bytes = [0; ENTRY];
    bytes[..16].copy_from_slice(&fingerprint.to_le_bytes());
    bytes[16..].copy_from_slice(&id.to_le_bytes());
    bytes
}

fn entry(bytes: [u8; ENTRY]) -> Entry {
    let mut fingerprint = [0; 16];
    fingerprint.copy_from_slice(&bytes[..16]);
    let mut id = [0; 4];
    id.copy_from_slice(&bytes[16..]);
    (u128::from_le_bytes(fingerprint), u32::from_le_bytes(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spread over all 128 bits, every third one twice.
    fn fingerprints() -> Vec<u128> {
        let number = |i: u128| (i * i).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        (1..=9_000).flat_map(|i| [Some(number(i)), (i % 3 == 0).then(|| number(i / 2 + 1))]).flatten().collect()
    }

    #[test]
    fn runs_on_disk_answer_as_a_map_does() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut known = KnownGames::with_limit(dir.path(), 0, 700).expect("nothing is there");
        let mut map = HashMap::new();
        let mut duplicates = 0;
        for (number, fingerprint) in fingerprints().into_iter().enumerate() {
            // Halfway it is resumed from the files.
            if number == 7_777 {
                let bytes = known.log.sync().expect("room");
                drop(known);
                known = KnownGames::with_limit(dir.path(), bytes, 700).expect("readable");
            }
            let id = map.len() as u32;
            let expected = map.get(&fingerprint).copied();
            map.entry(fingerprint).or_insert(id);
            assert_eq!(known.find_or_add(fingerprint, id).expect("room"), expected, "number {number}");
            duplicates += usize::from(expected.is_some());
        }
        assert_eq!((map.len(), duplicates), (9_000, 3_000));
        assert!((1..=4).contains(&known.runs.len()), "{} runs", known.runs.len());
        let runs = fs::read_dir(dir.path()).expect("a folder").count() - 1;
        assert_eq!(runs, known.runs.len(), "merged runs are removed");
    }
}
