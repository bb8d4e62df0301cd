//! Writing a shard.

use super::columns::{Columns, Optional, places, schema, with_values};
use super::read::hash_file;
use super::{GameRow, ShardRows};
use crate::error::DatasetError;
use crate::manifest::Shard;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Games in a row group, which a reader has in memory at a time.
const ROW_GROUP_GAMES: usize = 2048;

/// The zstd level; higher levels take minutes longer for a few percent.
const ZSTD_LEVEL: i32 = 15;

const ZSTD_LEVEL_TEMPORARY: i32 = 1;

pub struct ShardWriter {
    path: PathBuf,
    properties: WriterProperties,
    /// Opened with the first row group, when the used columns are known.
    parquet: Option<ArrowWriter<File>>,
    optional: Optional,
    columns: Columns,
    pub(crate) games: u64,
    positions: u64,
}

impl ShardWriter {
    pub fn create(path: &Path) -> Result<Self, DatasetError> {
        Self::create_at(path, ZSTD_LEVEL, [false; 2])
    }

    /// Starts a temporary file, optimised for speed instead of size.
    pub(crate) fn create_temporary(path: &Path) -> Result<Self, DatasetError> {
        Self::create_at(path, ZSTD_LEVEL_TEMPORARY, [true; 2])
    }

    fn create_at(path: &Path, level: i32, optional: Optional) -> Result<Self, DatasetError> {
        File::create(path).map_err(DatasetError::io("create", path))?;
        let level = ZstdLevel::try_new(level).map_err(|error| failed(path, error))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(concat!("posenc ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let path = path.to_owned();
        Ok(Self { path, properties, parquet: None, optional, columns: Columns::new(), games: 0, positions: 0 })
    }

    pub fn push(&mut self, row: &GameRow) -> Result<(), DatasetError> {
        self.columns.push(row);
        self.games += 1;
        self.positions += u64::from(row.plies);
        if self.columns.rows() >= ROW_GROUP_GAMES { self.flush() } else { Ok(()) }
    }

    pub fn finish(mut self) -> Result<Shard, DatasetError> {
        self.flush()?;
        let file = self.close()?;
        let path = &self.path;
        file.sync_all().map_err(DatasetError::io("write", path))?;
        let bytes = file.metadata().map_err(DatasetError::io("read", path))?.len();
        let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Shard { file, games: self.games, positions: self.positions, bytes, blake3: hash_file(path)? })
    }

    fn flush(&mut self) -> Result<(), DatasetError> {
        let rows = self.columns.take().map_err(|error| failed(&self.path, error.into()))?;
        let found = with_values(&rows);
        let optional: Optional = std::array::from_fn(|i| self.optional[i] || found[i]);
        if optional != self.optional {
            self.widen(optional)?;
        }
        let rows = rows.project(&places(optional)).map_err(|error| failed(&self.path, error.into()))?;
        let mut parquet = self.take_parquet()?;
        parquet.write(&rows).and_then(|()| parquet.flush()).map_err(|error| failed(&self.path, error))?;
        self.parquet = Some(parquet);
        Ok(())
    }

    fn take_parquet(&mut self) -> Result<ArrowWriter<File>, DatasetError> {
        if let Some(parquet) = self.parquet.take() {
            return Ok(parquet);
        }
        let file = File::create(&self.path).map_err(DatasetError::io("create", &self.path))?;
        let schema = schema().project(&places(self.optional)).map_err(|error| failed(&self.path, error.into()))?;
        let properties = Some(self.properties.clone());
        ArrowWriter::try_new(file, schema.into(), properties).map_err(|error| failed(&self.path, error))
    }

    fn close(&mut self) -> Result<File, DatasetError> {
        self.take_parquet()?.into_inner().map_err(|error| failed(&self.path, error))
    }

    /// Adds optional columns, which are empty in the rows so far, before rows that use them. The bytes are the same as
    /// if the file had had the columns from the start.
    fn widen(&mut self, optional: Optional) -> Result<(), DatasetError> {
        self.optional = optional;
        if self.parquet.is_none() {
            return Ok(());
        }
        self.close()?;
        let narrow = self.path.with_extension("narrow");
        fs::rename(&self.path, &narrow).map_err(DatasetError::io("rename", &narrow))?;
        for row in ShardRows::open(&narrow)? {
            self.columns.push(&row?);
            if self.columns.rows() >= ROW_GROUP_GAMES {
                self.flush()?;
            }
        }
        fs::remove_file(&narrow).map_err(DatasetError::io("remove", &narrow))
    }
}

fn failed(path: &Path, error: ParquetError) -> DatasetError {
    DatasetError::io("write", path)(io::Error::other(error))
}
