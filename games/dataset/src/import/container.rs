//! Containers: recognised by their first bytes and unpacked while reading.
//!
//! Compression (zstd in several frames, gzip, bzip2) and tar may be nested; zip and 7z must be files themselves,
//! because they are read from their ends. Nothing is unpacked completely, on disk or in memory.

use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};

/// Bytes that identify a container: tar's magic is at 257.
const HEAD_BYTES: usize = 512;

/// The largest nesting depth: a `.tar.gz` has two layers.
const MOST_LAYERS: usize = 6;

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
        _ => descend(None, &head, Box::new(BufReader::new(input)), 0, on_file),
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

fn descend(
    path: Option<&str>,
    head: &[u8],
    input: Box<dyn BufRead + '_>,
    layers: usize,
    on_file: OnFile<'_>,
) -> io::Result<()> {
    if layers > MOST_LAYERS {
        return Err(io::Error::other(format!("it is packed more than {MOST_LAYERS} times over")));
    }
    let mut unpack = |packed: Box<dyn Read + '_>| {
        let (head, input) = peek(BufReader::new(packed), HEAD_BYTES);
        descend(path, &head, Box::new(input), layers + 1, on_file)
    };
    match Kind::of(head) {
        Kind::Plain => on_file(path, input),
        Kind::Zstd => unpack(Box::new(zstd::Decoder::with_buffer(input)?)),
        Kind::Gzip => unpack(Box::new(flate2::bufread::MultiGzDecoder::new(input))),
        Kind::Bzip2 => unpack(Box::new(bzip2::bufread::MultiBzDecoder::new(input))),
        Kind::Tar => tar(path, input, layers, on_file),
        Kind::Zip | Kind::SevenZip => Err(io::Error::other("an archive inside an archive: unpack the outer one first")),
    }
}

fn tar(path: Option<&str>, input: Box<dyn BufRead + '_>, layers: usize, on_file: OnFile<'_>) -> io::Result<()> {
    let mut archive = tar::Archive::new(input);
    for entry in archive.entries()? {
        let entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = inside(path, &String::from_utf8_lossy(&entry.path_bytes()));
        let (head, input) = peek(BufReader::new(entry), HEAD_BYTES);
        descend(Some(&name), &head, Box::new(input), layers + 1, &mut *on_file)?;
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
        let (head, input) = peek(BufReader::new(entry), HEAD_BYTES);
        descend(Some(&name), &head, Box::new(input), 1, &mut *on_file)?;
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
            let (head, input) = peek(BufReader::new(&mut *bytes), HEAD_BYTES);
            outcome = descend(Some(entry.name()), &head, Box::new(input), 1, &mut *on_file);
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
