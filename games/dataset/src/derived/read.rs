//! Reading rows at random.

use super::index::{Index, OptionalColumns, RowSize};
use super::row;
use super::{DIGEST, MAGIC, TRAILER, digest};
use crate::bounded;
use crate::error::DatasetError;
use crate::loader::StoredGame;
use crate::manifest::Manifest;
use crate::split::Split;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

pub(crate) struct Derived {
    bytes: Bytes,
    index: Index,
}

pub(super) enum Bytes {
    Memory(Vec<u8>),
    File { file: File, path: PathBuf },
}

/// The unit that was read last, so that its other rows need no reading.
#[derive(Debug, Default)]
pub(crate) struct UnitCache {
    unit: Option<(Split, usize)>,
    bytes: Vec<u8>,
}

impl Derived {
    pub(super) fn new(bytes: Bytes, index: Index) -> Self {
        Self { bytes, index }
    }

    /// Opens a complete file, whose index has to be that of the dataset.
    pub(super) fn of_file(path: &Path, dir: &Path, manifest: &Manifest) -> Result<Self, DatasetError> {
        let file = bounded::open(path).map_err(DatasetError::io("open", path))?;
        let index = index_of(&file).map_err(|reason| damaged(path, "index".to_owned(), reason))?;
        let facts = &index.facts;
        if (&facts.content_hash, facts.game) != (&manifest.content_hash, manifest.game) {
            let reason = format!("it is of the content {}", facts.content_hash);
            return Err(damaged(path, "index".to_owned(), reason));
        }
        facts.contents.check(dir, manifest)?;
        Ok(Self::new(Bytes::File { file, path: path.to_owned() }, index))
    }

    /// The file that the rows are read from; `None` if they are in memory.
    pub(crate) fn file(&self) -> Option<&Path> {
        match &self.bytes {
            Bytes::Memory(_) => None,
            Bytes::File { path, .. } => Some(path),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        Split::ALL.iter().flat_map(|&split| &self.index.splits[split].lengths).map(|&length| u64::from(length)).sum()
    }

    pub(crate) fn rows(&self, split: Split) -> usize {
        self.index.splits[split].facts.rows as usize
    }

    pub(crate) fn positions(&self, split: Split) -> u64 {
        self.index.splits[split].facts.positions
    }

    /// The optional columns that any row of a split has.
    pub(crate) fn has(&self, split: Split) -> OptionalColumns {
        self.index.splits[split].facts.has
    }

    pub(crate) fn size(&self, split: Split, row: usize) -> RowSize {
        self.index.splits[split].size(row)
    }

    /// The names of the rating buckets, by their places.
    pub(crate) fn buckets(&self) -> &[String] {
        &self.index.facts.buckets
    }

    /// A row of a split. `cache` is of this dataset only.
    pub(crate) fn get(&self, split: Split, row: usize, cache: &mut UnitCache) -> Result<StoredGame, DatasetError> {
        let together = self.index.splits[split].facts.together as usize;
        let (unit, place) = (row / together, row % together);
        let rows = self.unit(split, unit, cache)?;
        let (kind, buckets) = (self.index.facts.game, self.buckets());
        let size = self.size(split, row);
        let agrees = |game: &StoredGame| (game.plies, game.positions) == (size.plies, u32::from(size.positions));
        let found = part(rows, place).and_then(|bytes| row::decode(bytes, kind, buckets.len()));
        let found = found.and_then(|game| if agrees(&game) { Ok(game) } else { Err("the size") });
        found.map_err(|what| self.wrong(split, unit, format!("{what} of row {place} cannot be read")))
    }

    /// The rows of a unit, checked when they are read from the file.
    fn unit<'a>(&'a self, split: Split, unit: usize, cache: &'a mut UnitCache) -> Result<&'a [u8], DatasetError> {
        let range = self.index.splits[split].unit(unit);
        match &self.bytes {
            Bytes::Memory(bytes) => {
                let rows = bytes.get(range.start as usize + DIGEST..range.end as usize);
                rows.ok_or_else(|| self.wrong(split, unit, "it is not there".to_owned()))
            }
            Bytes::File { file, .. } => {
                if cache.unit != Some((split, unit)) {
                    cache.unit = None;
                    read_unit(file, range, &mut cache.bytes).map_err(|reason| self.wrong(split, unit, reason))?;
                    cache.unit = Some((split, unit));
                }
                Ok(&cache.bytes[DIGEST..])
            }
        }
    }

    fn wrong(&self, split: Split, unit: usize, reason: String) -> DatasetError {
        let path = self.file().unwrap_or(Path::new("memory"));
        damaged(path, format!("{unit} of {}", split.name()), reason)
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Derived").field("file", &self.file()).field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// The error of a file that changed after it was made.
fn damaged(path: &Path, block: String, reason: String) -> DatasetError {
    DatasetError::Derived { path: path.to_owned(), block, reason }
}

/// The bytes of one row in a unit.
fn part(rows: &[u8], place: usize) -> Result<&[u8], &'static str> {
    let (mut rows, what) = (row::Bytes(rows), "the length");
    for _ in 0..place {
        rows.long(what)?;
    }
    rows.long(what)
}

fn read_unit(file: &File, range: Range<u64>, bytes: &mut Vec<u8>) -> Result<(), String> {
    bytes.resize((range.end - range.start) as usize, 0);
    file.read_exact_at(bytes, range.start).map_err(|error| read_error(&error))?;
    match bytes.split_first_chunk() {
        Some((stated, rows)) if *stated == digest(rows) => Ok(()),
        _ => Err("its hash is another one".to_owned()),
    }
}

fn read_error(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => "the file ends before it".to_owned(),
        _ => error.to_string(),
    }
}

/// Reads and checks the index of a file.
fn index_of(file: &File) -> Result<Index, String> {
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    let read = |range: Range<u64>| {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        file.read_exact_at(&mut bytes, range.start).map_err(|error| read_error(&error)).map(|()| bytes)
    };
    let first = MAGIC.len() as u64;
    let Some(end) = length.checked_sub(TRAILER as u64).filter(|&end| end >= first) else {
        return Err("the file is too short".to_owned());
    };
    let trailer = read(end..length)?;
    let (numbers, rest) = trailer.split_at(16);
    let (hash, magic) = rest.split_at(blake3::OUT_LEN);
    if magic != MAGIC || read(0..first)? != MAGIC {
        return Err("the file was cut off, or is another one".to_owned());
    }
    let (numbers, _) = numbers.as_chunks::<8>();
    let (start, bytes) = (u64::from_le_bytes(numbers[0]), u64::from_le_bytes(numbers[1]));
    if start < first || start.checked_add(bytes) != Some(end) {
        return Err("its place is wrong".to_owned());
    }
    let bytes = read(start..end)?;
    if blake3::hash(&bytes).as_bytes()[..] != *hash {
        return Err("its hash is another one".to_owned());
    }
    Index::of_bytes(&bytes, start)
}
