//! Reads a small, possibly packed text file completely.

use super::container::walk;
use crate::bounded::{open, without_mark};
use crate::error::DatasetError;
use std::io::{self, BufRead as _, Read as _};
use std::path::Path;

const MOST_BYTES: u64 = 1 << 30;

/// Reads a file into memory, plain or packed in any way that an import accepts; for an archive, all its files,
/// concatenated, each without its byte order mark.
/// Refuses more than 1 GiB of unpacked bytes.
pub fn unpacked(path: &Path) -> Result<Vec<u8>, DatasetError> {
    let file = open(path).map_err(DatasetError::io("open", path))?;
    let mut bytes = Vec::new();
    let mut read = |_: Option<&str>, mut input: Box<dyn io::BufRead + '_>| {
        // A file of an archive starts on a new line.
        if bytes.last().is_some_and(|&last| last != b'\n') {
            bytes.push(b'\n');
        }
        let start = bytes.len();
        let room = MOST_BYTES.saturating_sub(start as u64);
        input.by_ref().take(room).read_to_end(&mut bytes)?;
        let mark = bytes.len() - start - without_mark(&bytes[start..]).len();
        bytes.drain(start..start + mark);
        match input.fill_buf()? {
            [] => Ok(()),
            _ => Err(io::Error::other("it is larger than 1 GiB unpacked")),
        }
    };
    walk(file, &mut read).map_err(DatasetError::io("read", path))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_and_packed_files_are_read_alike() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (plain, packed) = (dir.path().join("book.epd"), dir.path().join("book.epd.zst"));
        std::fs::write(&plain, b"startpos").expect("written");
        std::fs::write(&packed, zstd::encode_all(&b"startpos"[..], 3).expect("packed")).expect("written");
        assert_eq!(unpacked(&plain).expect("plain"), b"startpos");
        assert_eq!(unpacked(&packed).expect("packed"), b"startpos");
        std::fs::write(&plain, "\u{feff}startpos").expect("written");
        assert_eq!(unpacked(&plain).expect("with a byte order mark"), b"startpos");
        let absent = unpacked(&dir.path().join("absent")).expect_err("there is none").to_string();
        assert!(absent.contains("absent"), "{absent}");
    }
}
