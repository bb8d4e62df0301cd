//! The records of a chunk, in sequence.

use super::error::Lc0Error;
use super::record::{Record, Version};
use std::io::{self, ErrorKind, Read};

/// The limit on records: Lc0 ends its own games at 450 plies.
pub(super) const MAX_RECORDS: u32 = 4096;

/// The game of an unpacked chunk, for [`parse`](super::parse), limited to the size of the longest game. An empty chunk
/// has none.
pub fn records(chunk: impl Read) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let limit = (u64::from(MAX_RECORDS) + 1) * Version::V6.bytes() as u64;
    let mut bytes = Vec::new();
    let read = chunk.take(limit).read_to_end(&mut bytes).map(|_| bytes);
    std::iter::once(read).filter(|read| !matches!(read, Ok(bytes) if bytes.is_empty()))
}

/// Reads records from unpacked bytes, with one record in memory at a time.
#[derive(Debug)]
pub struct Records<R> {
    reader: R,
    buffer: Vec<u8>,
    version: Option<Version>,
    /// Records read so far.
    read: u32,
}

impl<R: Read> Records<R> {
    /// Records of the chunk that `reader` holds.
    pub fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; Version::V6.bytes()], version: None, read: 0 }
    }

    /// The next record, `None` at the chunk's end.
    ///
    /// # Errors
    /// If the chunk cannot be read, ends inside a record, has too many records, or the record's version or input format
    /// differs from the record before or is not supported.
    #[expect(clippy::should_implement_trait, reason = "a record borrows the reader's buffer")]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, Lc0Error> {
        let record = self.read;
        let number = self.fill(0, size_of::<u32>())?;
        if number == 0 {
            return Ok(None);
        }
        let version = self.version(number)?;
        let wanted = version.bytes();
        let found = number + self.fill(number, wanted)?;
        if found < wanted {
            return Err(Lc0Error::Truncated { record, found, wanted });
        }
        if record == MAX_RECORDS {
            return Err(Lc0Error::TooLong(MAX_RECORDS));
        }
        self.read += 1;
        let view = Record::new(version, &self.buffer[..wanted]);
        match view.input_format() {
            1 => Ok(Some(view)),
            found => Err(Lc0Error::InputFormat { record, found }),
        }
    }

    fn version(&mut self, found: usize) -> Result<Version, Lc0Error> {
        let record = self.read;
        let wanted = size_of::<u32>();
        let Some(&bytes) = self.buffer[..found].first_chunk() else {
            return Err(Lc0Error::Truncated { record, found, wanted });
        };
        let found = u32::from_le_bytes(bytes);
        let version = Version::of(found).ok_or(Lc0Error::Version { record, found })?;
        if *self.version.get_or_insert(version) != version {
            return Err(Lc0Error::Version { record, found });
        }
        Ok(version)
    }

    /// Fills the buffer from `from` up to `to` with the available bytes, and returns their number.
    fn fill(&mut self, from: usize, to: usize) -> Result<usize, Lc0Error> {
        let mut filled = from;
        while filled < to {
            match self.reader.read(&mut self.buffer[filled..to]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(Lc0Error::Unreadable { record: self.read, source }),
            }
        }
        Ok(filled - from)
    }
}
