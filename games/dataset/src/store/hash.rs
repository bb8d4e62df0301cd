//! Checks that a shard is the file that the manifest describes.

use crate::error::DatasetError;
use crate::manifest::Shard;
use std::fs::File;
use std::io;
use std::path::Path;

/// Checks that a shard is the file that the manifest describes. It is not parsed before this has passed.
pub(crate) fn verify(dir: &Path, shard: &Shard) -> Result<(), DatasetError> {
    let path = dir.join(&shard.file);
    let bytes = match std::fs::metadata(&path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(DatasetError::ShardMissing(path)),
        Err(error) => return Err(DatasetError::io("read", &path)(error)),
    };
    let changed = |what, expected: String, found: String| DatasetError::ShardChanged {
        path: path.clone(),
        what,
        expected,
        found,
    };
    if bytes != shard.bytes {
        return Err(changed("size", format!("{} bytes", shard.bytes), format!("{bytes} bytes")));
    }
    let hash = hash_file(&path)?;
    if hash == shard.blake3 { Ok(()) } else { Err(changed("hash", shard.blake3.clone(), hash)) }
}

/// A file's BLAKE3 hash, in hex.
pub(super) fn hash_file(path: &Path) -> Result<String, DatasetError> {
    let file = File::open(path).map_err(DatasetError::io("open", path))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).map_err(DatasetError::io("read", path))?;
    Ok(hasher.finalize().to_hex().to_string())
}
