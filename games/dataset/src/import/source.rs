//! Input files: plain or zstd, cut into records.

use crate::error::DatasetError;
use games::{GameKind, chess::pgn, shogi::csa};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The first bytes of a zstd frame.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The text of a game, or why its file could not be read on.
pub(super) type Record = Result<Vec<u8>, String>;

/// A file that is being read.
pub(super) struct Source {
    path: PathBuf,
    total_bytes: u64,
    bytes_read: Arc<AtomicU64>,
    records: Box<dyn Iterator<Item = io::Result<Vec<u8>>>>,
    taken: u64,
}

impl Source {
    pub(super) fn open(path: &Path, game: GameKind) -> Result<Self, DatasetError> {
        let file = File::open(path).map_err(DatasetError::io("open", path))?;
        let metadata = file.metadata().map_err(DatasetError::io("read", path))?;
        if metadata.is_dir() {
            return Err(DatasetError::io("read", path)(io::ErrorKind::IsADirectory.into()));
        }
        let bytes_read = Arc::new(AtomicU64::new(0));
        let counted = Counted { file, bytes_read: Arc::clone(&bytes_read) };
        let mut plain = BufReader::new(counted);
        let magic = plain.fill_buf().map_err(DatasetError::io("read", path))?.starts_with(&ZSTD_MAGIC);
        let text: Box<dyn BufRead> = if magic {
            let decoder = zstd::Decoder::with_buffer(plain).map_err(DatasetError::io("read", path))?;
            Box::new(BufReader::new(decoder))
        } else {
            Box::new(plain)
        };
        let records: Box<dyn Iterator<Item = io::Result<Vec<u8>>>> = match game {
            GameKind::Chess => Box::new(pgn::records(text)),
            GameKind::Shogi => Box::new(csa::records(text)),
        };
        Ok(Self { path: path.to_owned(), total_bytes: metadata.len(), bytes_read, records, taken: 0 })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The file's name without folders, which are nobody's business but the importer's.
    pub(super) fn file_name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    pub(super) fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// How many records were taken so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Takes up to `count` records, fewer only at the end of the file.
    pub(super) fn take(&mut self, count: usize) -> Vec<Record> {
        let records: Vec<Record> =
            self.records.by_ref().take(count).map(|record| record.map_err(|error| error.to_string())).collect();
        self.taken += records.len() as u64;
        records
    }
}

/// What format a game's records are in.
pub(super) const fn format(game: GameKind) -> &'static str {
    match game {
        GameKind::Chess => "PGN",
        GameKind::Shogi => "CSA",
    }
}

/// Counts what is read, before it is unpacked.
struct Counted {
    file: File,
    bytes_read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.bytes_read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
