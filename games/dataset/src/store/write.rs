//! Writing a shard.

use super::GameRow;
use super::columns::{Columns, schema};
use crate::error::DatasetError;
use crate::manifest::Shard;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Games in a row group: what a reader has in memory at a time.
const ROW_GROUP_GAMES: usize = 2048;

/// zstd's level: beyond this, minutes buy percents.
const ZSTD_LEVEL: i32 = 15;

/// The level of files that are read once and removed.
const ZSTD_LEVEL_FOR_NOW: i32 = 1;

/// Writes games to one Parquet file.
pub struct ShardWriter {
    path: PathBuf,
    parquet: ArrowWriter<File>,
    columns: Columns,
    games: u64,
    positions: u64,
}

impl ShardWriter {
    /// Starts a file.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path) -> Result<Self, DatasetError> {
        Self::create_at(path, ZSTD_LEVEL)
    }

    /// Starts a file that is read once and removed: written quickly instead of small.
    pub(crate) fn create_for_now(path: &Path) -> Result<Self, DatasetError> {
        Self::create_at(path, ZSTD_LEVEL_FOR_NOW)
    }

    fn create_at(path: &Path, level: i32) -> Result<Self, DatasetError> {
        let file = File::create(path).map_err(DatasetError::io("create", path))?;
        let level = ZstdLevel::try_new(level).map_err(|error| failed(path, error))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(concat!("posenc ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let parquet = ArrowWriter::try_new(file, schema(), Some(properties)).map_err(|error| failed(path, error))?;
        Ok(Self { path: path.to_owned(), parquet, columns: Columns::new(), games: 0, positions: 0 })
    }

    /// How many games it holds.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push(&mut self, row: &GameRow) -> Result<(), DatasetError> {
        self.columns.push(row);
        self.games += 1;
        self.positions += u64::from(row.plies);
        if self.columns.rows() >= ROW_GROUP_GAMES { self.flush() } else { Ok(()) }
    }

    /// Finishes the file and describes it.
    ///
    /// # Errors
    /// If the file cannot be written or read back.
    pub fn finish(mut self) -> Result<Shard, DatasetError> {
        self.flush()?;
        let path = &self.path;
        let file = self.parquet.into_inner().map_err(|error| failed(path, error))?;
        file.sync_all().map_err(DatasetError::io("write", path))?;
        let bytes = file.metadata().map_err(DatasetError::io("read", path))?.len();
        let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Shard { file, games: self.games, positions: self.positions, bytes, blake3: hash_file(path)? })
    }

    fn flush(&mut self) -> Result<(), DatasetError> {
        let rows = self.columns.take().map_err(|error| failed(&self.path, error.into()))?;
        self.parquet.write(&rows).and_then(|()| self.parquet.flush()).map_err(|error| failed(&self.path, error))
    }
}

/// A file's BLAKE3 hash, in hex.
pub(crate) fn hash_file(path: &Path) -> Result<String, DatasetError> {
    let file = File::open(path).map_err(DatasetError::io("open", path))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).map_err(DatasetError::io("read", path))?;
    Ok(hasher.finalize().to_hex().to_string())
}

fn failed(path: &Path, error: ParquetError) -> DatasetError {
    DatasetError::io("write", path)(io::Error::other(error))
}
