//! Reads files that others may have written: regular files of limited size only.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// Bytes of the longest record. `metrics.jsonl` is read line by line and may be longer.
const LONGEST: u64 = 1 << 26;

/// The bytes of a file.
///
/// # Errors
/// If it cannot be read, is not a regular file, or is longer than 64 MiB.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, LONGEST)
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

/// Opens a regular file. Others, such as `/dev/zero` or a pipe, may never end.
pub(super) fn open(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

fn read_up_to(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more, so that exceeding the limit differs from ending there.
    open(path)?.take(longest + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > longest {
        true => Err(io::Error::new(ErrorKind::InvalidData, format!("it is longer than {longest} bytes"))),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("status.json");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_up_to(&path, 5).unwrap(), b"12345");
        assert!(read_up_to(&path, 4).unwrap_err().to_string().contains("longer than 4 bytes"));
        assert_eq!(hash(&path).unwrap(), blake3::hash(b"12345").to_hex().to_string());
        assert!(read(dir.path()).unwrap_err().to_string().contains("not a regular file"));
        #[cfg(target_os = "linux")]
        assert!(read(Path::new("/dev/zero")).unwrap_err().to_string().contains("not a regular file"));
        assert_eq!(read(&dir.path().join("missing")).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
