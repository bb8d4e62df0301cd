//! Containers: recognised by their first bytes and unpacked while reading.
//!
//! Compression (zstd in several frames, gzip, bzip2) and tar may be nested; zip and 7z must be files themselves,
//! because they are read from their ends. [`walk`] unpacks nothing completely, on disk or in memory.

use crate::bounded::{open, without_mark};
use crate::error::DatasetError;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;

/// Bytes that identify a container: tar's magic is at 257.
const HEAD_BYTES: usize = 512;

/// The largest nesting depth: a `.tar.gz` has two layers.
const MOST_LAYERS: usize = 6;

/// The most unpacked bytes of a file that is read as a whole.
const MOST_BYTES: u64 = 1 << 30;

/// Receives each unpacked file: its path inside the container (`None` if the file is not an archive) and its bytes. An
/// error stops the walk and is returned.
pub(super) type OnFile<'a> = &'a mut dyn FnMut(Option<&str>, Box<dyn BufRead + '_>) -> io::Result<()>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Zstd,
    Gzip,
    Bzip2,
    Tar,
    Zip,
    SevenZip,
}

impl Kind {
    fn of(head: &[u8]) -> Self {
        match head {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // A zstd stream may begin with a skippable frame (pzstd writes one).
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..] => Self::Bzip2,
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Self::Zip,
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Self::SevenZip,
            _ if head.get(257..262) == Some(b"ustar") => Self::Tar,
            _ => Self::Plain,
        }
    }
}

/// Visits the files inside `input`, in order.
pub(super) fn walk<R: Read + Seek>(mut input: R, on_file: OnFile<'_>) -> io::Result<()> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    input.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    input.rewind()?;
    match Kind::of(&head) {
        Kind::Zip => zip(BufReader::new(input), on_file),
        Kind::SevenZip => seven_zip(input, on_file),
        _ => descend(None, Box::new(input), 0, on_file),
    }
}

/// The first bytes, at most so many, and the input including them. If it cannot be read so far, the error follows what
/// was read, so that records before it are used.
pub(super) fn peek<'a>(mut input: impl BufRead + 'a, most: usize) -> (Vec<u8>, impl BufRead + 'a) {
    let mut head = Vec::with_capacity(most);
    let outcome = input.by_ref().take(most as u64).read_to_end(&mut head);
    let rest: Box<dyn BufRead + 'a> = match outcome {
        Ok(_) => Box::new(input),
        Err(error) => Box::new(BufReader::new(Broken(Some(error)))),
    };
    (head.clone(), Cursor::new(head).chain(rest))
}

/// An error, and then nothing.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

fn descend(path: Option<&str>, packed: Box<dyn Read + '_>, layers: usize, on_file: OnFile<'_>) -> io::Result<()> {
    if layers > MOST_LAYERS {
        return Err(io::Error::other(format!("it is packed more than {MOST_LAYERS} times over")));
    }
    let (head, input) = peek(BufReader::new(packed), HEAD_BYTES);
    let mut unpack = |packed: Box<dyn Read + '_>| descend(path, packed, layers + 1, on_file);
    match Kind::of(&head) {
        Kind::Plain => on_file(path, Box::new(input)),
        Kind::Zstd => unpack(Box::new(zstd::Decoder::with_buffer(input)?)),
        Kind::Gzip => unpack(Box::new(flate2::bufread::MultiGzDecoder::new(input))),
        Kind::Bzip2 => unpack(Box::new(bzip2::bufread::MultiBzDecoder::new(input))),
        Kind::Tar => tar(path, input, layers, on_file),
        Kind::Zip | Kind::SevenZip => Err(io::Error::other("an archive inside an archive: unpack the outer one first")),
    }
}

fn tar(path: Option<&str>, input: impl Read, layers: usize, on_file: OnFile<'_>) -> io::Result<()> {
    let mut archive = tar::Archive::new(input);
    for entry in archive.entries()? {
        let entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = inside(path, &String::from_utf8_lossy(&entry.path_bytes()));
        descend(Some(&name), Box::new(entry), layers + 1, &mut *on_file)?;
    }
    Ok(())
}

fn zip(file: impl Read + Seek, on_file: OnFile<'_>) -> io::Result<()> {
    let mut archive = zip::ZipArchive::new(file)?;
    for number in 0..archive.len() {
        let entry = archive.by_index(number)?;
        if !entry.is_file() {
            continue;
        }
        let name = entry.name().to_owned();
        descend(Some(&name), Box::new(entry), 1, &mut *on_file)?;
    }
    Ok(())
}

fn seven_zip(file: impl Read + Seek, on_file: OnFile<'_>) -> io::Result<()> {
    let unreadable = |error: sevenz_rust2::Error| io::Error::other(error.to_string());
    let mut archive = sevenz_rust2::ArchiveReader::new(file, sevenz_rust2::Password::empty()).map_err(unreadable)?;
    let mut outcome = Ok(());
    archive
        .for_each_entries(|entry, bytes| {
            if entry.is_directory() || !entry.has_stream() {
                return Ok(true);
            }
            outcome = descend(Some(entry.name()), Box::new(&mut *bytes), 1, &mut *on_file);
            if outcome.is_err() {
                return Ok(false);
            }
            // A solid archive's next file begins where this one ends.
            io::copy(bytes, &mut io::sink())?;
            Ok(true)
        })
        .map_err(unreadable)?;
    outcome
}

fn inside(path: Option<&str>, name: &str) -> String {
    path.map_or_else(|| name.to_owned(), |path| format!("{path}/{name}"))
}

/// Reads a file into memory, plain or packed in any way that an import accepts; for an archive, all its files,
/// concatenated, each without its byte order mark.
/// Refuses more than 1 GiB of unpacked bytes.
pub fn unpacked(path: &Path) -> Result<Vec<u8>, DatasetError> {
    let file = open(path).map_err(DatasetError::io("open", path))?;
    let mut bytes = Vec::new();
    let mut read = |_: Option<&str>, mut input: Box<dyn BufRead + '_>| {
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
