//! Reads and writes the records of run folders. Others may have written them: only regular files of limited size are read.

use crate::atomic;
use dataset::bounded;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes of the longest record. `metrics.jsonl` is read line by line and may be longer.
const LONGEST: u64 = 1 << 26;

#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("cannot read {path}: {cause}; correct it and run the experiment again")]
    Io { path: PathBuf, cause: io::Error },
    #[error("{path} is damaged: {cause}; delete it and run the experiment again")]
    Damaged { path: PathBuf, cause: serde_json::Error },
    /// It contains an invalid name or contradicts itself.
    #[error("{path} is refused: {reason}; get it again from its source, or delete it and run the experiment again")]
    Refused { path: PathBuf, reason: String },
}

/// Reads a regular file of at most 64 MiB.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    bounded::read(path, LONGEST)
}

/// The BLAKE3 hash of a regular file of any length.
pub fn hash(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut bounded::open(path)?, &mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// The end of a file as text: at most `most` bytes, from byte `from` on.
pub fn tail(path: &Path, from: u64, most: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(most).max(from);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a JSON file; `None` if it does not exist.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, RecordError> {
    match read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(RecordError::Io { path: path.to_owned(), cause }),
        Ok(text) => {
            let damaged = |cause| RecordError::Damaged { path: path.to_owned(), cause };
            serde_json::from_slice(&text).map(Some).map_err(damaged)
        }
    }
}

/// A record as indented JSON, with a line break at its end.
pub(super) fn json(record: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(record)?;
    text.push(b'\n');
    Ok(text)
}

pub(super) fn write_json(path: &Path, record: &impl Serialize) -> io::Result<()> {
    atomic::replace(path, &json(record)?)
}
