//! Reads the records of run folders, which others may have written: regular files of limited size only.

use dataset::bounded;
use std::fs::File;
use std::io;
use std::path::Path;

/// Bytes of the longest record. `metrics.jsonl` is read line by line and may be longer.
const LONGEST: u64 = 1 << 26;

/// The bytes of a file.
///
/// # Errors
/// If it cannot be read, is not a regular file, or is longer than 64 MiB.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    bounded::read(path, LONGEST)
}

/// The BLAKE3 hash of a file.
///
/// # Errors
/// If it cannot be read or is not a regular file.
pub fn hash(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut open(path)?, &mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Opens a regular file of any length.
pub(super) fn open(path: &Path) -> io::Result<File> {
    bounded::open(path)
}
