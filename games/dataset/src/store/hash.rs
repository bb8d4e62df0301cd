//! Checks that a shard is the file that the manifest describes.

use crate::bounded;
use crate::error::DatasetError;
use crate::manifest::Shard;
use std::io;
use std::path::{Path, PathBuf};

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
