//! External sorting: sorted runs on disk, merged in one pass at the end.
//!
//! Equal keys keep their input order through sorting (stable) and merging (by run order), so sums of floats do not
//! depend on the memory limit.

use super::merged::Entry;
use crate::build::next_part;
use crate::error::DatasetError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// How many runs are read at once: each needs an open file and a buffer.
const RUNS_AT_ONCE: usize = 128;

/// Memory of an entry in addition to its bytes.
const OVERHEAD: usize = 48;

/// A key and the bytes of an entry.
type Keyed = (u128, Vec<u8>);

pub(super) struct Sorter {
    dir: PathBuf,
    memory: usize,
    waiting: Vec<Keyed>,
    bytes: usize,
    runs: Vec<PathBuf>,
    /// The number of runs written to disk.
    pub(super) made: usize,
}

impl Sorter {
    pub(super) fn new(dir: &Path, memory: usize) -> Self {
        Self { dir: dir.to_owned(), memory, waiting: Vec::new(), bytes: 0, runs: Vec::new(), made: 0 }
    }

    pub(super) fn push(&mut self, entry: &Entry) -> Result<(), DatasetError> {
        let mut bytes = Vec::new();
        entry.write(&mut bytes);
        bytes.shrink_to_fit();
        self.bytes += bytes.len() + OVERHEAD;
        self.waiting.push((entry.key(), bytes));
        if self.bytes > self.memory { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<(), DatasetError> {
        self.waiting.sort_by_key(|&(key, _)| key);
        let mut run = self.create()?;
        for (key, bytes) in self.waiting.drain(..) {
            run.push(key, &bytes)?;
        }
        self.bytes = 0;
        self.runs.push(run.finish()?);
        Ok(())
    }

    fn create(&mut self) -> Result<RunWriter, DatasetError> {
        let path = self.dir.join(format!(".run-{}", self.made));
        self.made += 1;
        let file = BufWriter::new(File::create(&path).map_err(DatasetError::io("create", &path))?);
        Ok(RunWriter { path, file })
    }

    /// Passes all entries on in order, equal ones adjacent.
    pub(super) fn finish(
        mut self,
        mut take: impl FnMut(Entry) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let damaged = |path: &Path| DatasetError::io("read", path)(io::ErrorKind::InvalidData.into());
        if self.runs.is_empty() {
            self.waiting.sort_by_key(|&(key, _)| key);
            let dir = self.dir;
            return self
                .waiting
                .into_iter()
                .try_for_each(|(_, bytes)| take(Entry::read(&bytes).ok_or_else(|| damaged(&dir))?));
        }
        self.spill()?;
        while self.runs.len() > RUNS_AT_ONCE {
            // Neighbouring runs are merged, so that equal keys keep their order.
            let first: Vec<PathBuf> = self.runs.drain(..RUNS_AT_ONCE).collect();
            let mut run = self.create()?;
            merge(&first, |key, bytes| run.push(key, &bytes))?;
            self.runs.insert(0, run.finish()?);
        }
        let dir = self.dir.clone();
        merge(&self.runs, |_, bytes| take(Entry::read(&bytes).ok_or_else(|| damaged(&dir))?))
    }
}

struct RunWriter {
    path: PathBuf,
    file: BufWriter<File>,
}

impl RunWriter {
    fn push(&mut self, key: u128, bytes: &[u8]) -> Result<(), DatasetError> {
        let mut write = || -> io::Result<()> {
            self.file.write_all(&key.to_le_bytes())?;
            self.file.write_all(&(bytes.len() as u32).to_le_bytes())?;
            self.file.write_all(bytes)
        };
        write().map_err(DatasetError::io("write", &self.path))
    }

    fn finish(mut self) -> Result<PathBuf, DatasetError> {
        self.file.flush().map_err(DatasetError::io("write", &self.path))?;
        Ok(self.path)
    }
}

/// Merges sorted runs and removes them.
fn merge(
    paths: &[PathBuf],
    mut take: impl FnMut(u128, Vec<u8>) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    let mut readers = Vec::with_capacity(paths.len());
    let mut heads = BinaryHeap::new();
    for (number, path) in paths.iter().enumerate() {
        let mut reader = BufReader::new(File::open(path).map_err(DatasetError::io("open", path))?);
        let head = next(&mut reader).map_err(DatasetError::io("read", path))?;
        heads.extend(head.map(|(key, bytes)| Reverse((key, number, bytes))));
        readers.push(reader);
    }
    while let Some(Reverse((key, number, bytes))) = heads.pop() {
        take(key, bytes)?;
        let head = next(&mut readers[number]).map_err(DatasetError::io("read", &paths[number]))?;
        heads.extend(head.map(|(key, bytes)| Reverse((key, number, bytes))));
    }
    paths.iter().try_for_each(|path| fs::remove_file(path).map_err(DatasetError::io("remove", path)))
}

/// The next entry of a run; `None` at its end.
fn next(run: &mut BufReader<File>) -> io::Result<Option<Keyed>> {
    let Some(key) = next_part(run)? else { return Ok(None) };
    let mut length = [0; 4];
    run.read_exact(&mut length)?;
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    run.read_exact(&mut bytes)?;
    Ok(Some((u128::from_le_bytes(key), bytes)))
}
