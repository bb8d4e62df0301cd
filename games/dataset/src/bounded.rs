//! Reads files from outside: regular files only, and no more bytes than a limit.
//!
//! A path of a user, a bundle or a dataset may lead to a device that never ends, or to a file of any size.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The limit of texts that are read as a whole: plans, statuses, lists of positions.
pub const TEXT: u64 = 256 << 20;

/// The limit of what a run records with every step: metrics, events, games.
pub const RECORD: u64 = 4 << 30;

/// The limit of a network's weights and of a checkpoint.
pub const WEIGHTS: u64 = 1 << 36;

/// The byte order mark that some editors write at the beginning of a UTF-8 file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Opens a regular file. A folder, a device and a pipe are refused before they are opened.
pub fn open(path: &Path) -> io::Result<File> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it must be a regular file, not a device or a pipe"));
    }
    File::open(path)
}

/// Reads a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    if length > limit {
        return Err(too_long(limit));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(0))?;
    read_into(&mut bytes, file, limit)?;
    Ok(bytes)
}

/// Reads a regular file of at most `limit` bytes as text, without its byte order mark.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    text(read(path, limit)?)
}

/// Reads all of a stream, at most `limit` bytes, as text, without its byte order mark.
pub fn read_stream(stream: impl Read, limit: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    read_into(&mut bytes, stream, limit)?;
    text(bytes)
}

/// Bytes without the byte order mark at their beginning.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

fn read_into(bytes: &mut Vec<u8>, stream: impl Read, limit: u64) -> io::Result<()> {
    stream.take(limit.saturating_add(1)).read_to_end(bytes)?;
    if bytes.len() as u64 > limit { Err(too_long(limit)) } else { Ok(()) }
}

fn text(mut bytes: Vec<u8>) -> io::Result<String> {
    let mark = bytes.len() - without_mark(&bytes).len();
    bytes.drain(..mark);
    String::from_utf8(bytes)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, format!("it is not a text in UTF-8: {error}")))
}

fn too_long(limit: u64) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("it is longer than the {limit} bytes allowed here"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("file");
        fs::write(&path, "\u{feff}abc").expect("written");
        assert_eq!(read(&path, 6).expect("as long as the limit").len(), 6);
        assert_eq!(read_text(&path, 6).expect("a text"), "abc");
        assert_eq!(read_stream(File::open(&path).expect("a file"), 6).expect("a text"), "abc");
        let long = read(&path, 5).expect_err("too long").to_string();
        assert!(long.contains("longer than the 5 bytes"), "{long}");
        assert!(read_stream(io::repeat(b'x'), 1000).expect_err("no end").to_string().contains("1000 bytes"));
        assert_eq!(read(dir.path(), 5).expect_err("a folder").kind(), ErrorKind::IsADirectory);
        assert_eq!(read(&dir.path().join("none"), 5).expect_err("none").kind(), ErrorKind::NotFound);
        fs::write(&path, b"\xff").expect("written");
        assert!(read_text(&path, 5).expect_err("not UTF-8").to_string().contains("not a text in UTF-8"));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_refused() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
        assert!(read(&link, u64::MAX).expect_err("endless").to_string().contains("must be a regular file"));
    }
}
