//! Reading a shard, after checking that it is the file that the manifest describes.

use super::GameRow;
use super::columns::{FIRST_COLUMNS, schema};
use super::rows::rows;
use crate::bounded;
use crate::error::DatasetError;
use crate::manifest::Shard;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

const BATCH_GAMES: usize = 1024;

/// Rows in order, some of them in memory at a time; an error stands for what cannot be read.
pub type GameRows<'a> = Box<dyn Iterator<Item = Result<GameRow, DatasetError>> + 'a>;

/// The rows of a shard in order, some of them in memory at a time; nothing after the first error.
pub struct ShardRows {
    path: PathBuf,
    batches: Option<ParquetRecordBatchReader>,
    read: std::vec::IntoIter<GameRow>,
}

impl ShardRows {
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        let footer = footer(path)?;
        let batches = guarded(|| batches(footer)).map_err(file_error(path))?;
        Ok(Self { path: path.to_owned(), batches: Some(batches), read: Vec::new().into_iter() })
    }

    /// The next rows, as many as are read at once; `None` at the end.
    pub(crate) fn more(&mut self) -> Result<Option<Vec<GameRow>>, DatasetError> {
        // A failed reader is not used again.
        let Some(mut batches) = self.batches.take() else { return Ok(None) };
        let unreadable = file_error(&self.path);
        let next = || batches.next().transpose().map_err(|error| error.to_string());
        let Some(batch) = guarded(next).map_err(unreadable)? else { return Ok(None) };
        let read = rows(&batch).map_err(unreadable)?;
        self.batches = Some(batches);
        Ok(Some(read))
    }
}

impl Iterator for ShardRows {
    type Item = Result<GameRow, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.read.next() {
                return Some(Ok(row));
            }
            match self.more() {
                Ok(None) => return None,
                Ok(Some(rows)) => self.read = rows.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

pub(super) fn footer(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, DatasetError> {
    let file = bounded::open(path).map_err(DatasetError::io("open", path))?;
    let read = || ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| error.to_string());
    guarded(read).map_err(file_error(path))
}

/// A reader of the file's rows, after checking its columns.
fn batches(builder: ParquetRecordBatchReaderBuilder<File>) -> Result<ParquetRecordBatchReader, String> {
    for (number, expected) in schema().fields().iter().enumerate() {
        let found = match builder.schema().field_with_name(expected.name()) {
            Ok(found) => found,
            Err(_) if number >= FIRST_COLUMNS => continue,
            Err(error) => return Err(error.to_string()),
        };
        if found.data_type() != expected.data_type() {
            let types = format!("{:?} instead of {:?}", found.data_type(), expected.data_type());
            return Err(format!("column \"{}\" has type {types}", expected.name()));
        }
    }
    builder.with_batch_size(BATCH_GAMES).build().map_err(|error| error.to_string())
}

/// The error of a shard that cannot be read, from the reason.
pub(super) fn file_error(path: &Path) -> impl Fn(String) -> DatasetError + Copy {
    move |reason| DatasetError::ShardUnreadable { path: path.to_owned(), reason }
}

/// Converts a panic to an error: crate parquet panics on some damaged pages (about one in 500 files with a few bytes
/// changed). The reader is not used again afterwards.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err("a damaged page".to_owned()))
}

/// Checks that a shard is the file that the manifest describes. It is not parsed before this has passed.
pub(crate) fn verify(dir: &Path, shard: &Shard) -> Result<(), DatasetError> {
    let path = check_size(dir, shard)?;
    let found = hash_file(&path)?;
    if found == shard.blake3 {
        return Ok(());
    }
    Err(DatasetError::ShardChanged { path, what: "hash", expected: shard.blake3.clone(), found })
}

/// Checks that a shard is a regular file of the size in the manifest; its path.
pub(crate) fn check_size(dir: &Path, shard: &Shard) -> Result<PathBuf, DatasetError> {
    let path = dir.join(&shard.file);
    let metadata = match std::fs::metadata(&path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(DatasetError::ShardMissing(path)),
        Err(error) => return Err(DatasetError::io("read", &path)(error)),
    };
    if !metadata.is_file() {
        let (expected, found) = ("a regular file".to_owned(), "a folder, a device or a pipe".to_owned());
        return Err(DatasetError::ShardChanged { path, what: "kind", expected, found });
    }
    if metadata.len() != shard.bytes {
        let (expected, found) = (format!("{} bytes", shard.bytes), format!("{} bytes", metadata.len()));
        return Err(DatasetError::ShardChanged { path, what: "size", expected, found });
    }
    Ok(path)
}

pub(super) fn hash_file(path: &Path) -> Result<String, DatasetError> {
    let file = bounded::open(path).map_err(DatasetError::io("open", path))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).map_err(DatasetError::io("read", path))?;
    Ok(hasher.finalize().to_hex().to_string())
}
