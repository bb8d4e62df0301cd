//! Why a stored record (status, manifest) cannot be read.

use super::stored;
use serde::de::DeserializeOwned;
use std::io;
use std::path::{Path, PathBuf};

/// Why a stored record cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be read.
    #[error("cannot read {path}: {cause}; correct it and run the experiment again")]
    Io { path: PathBuf, cause: io::Error },
    /// The file does not hold such a record.
    #[error("{path} is damaged: {cause}; delete it and run the experiment again")]
    Damaged { path: PathBuf, cause: serde_json::Error },
    /// It names what it must not name.
    #[error("{path} is refused: {reason}; get it again from its source, or delete it and run the experiment again")]
    Refused { path: PathBuf, reason: String },
}

impl RecordError {
    /// Reads a JSON file; `None` if it does not exist.
    pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Self> {
        match stored::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(Self::Io { path: path.to_owned(), cause }),
            Ok(text) => {
                serde_json::from_slice(&text).map(Some).map_err(|cause| Self::Damaged { path: path.to_owned(), cause })
            }
        }
    }
}
