//! The records of a chunk, in sequence.

use super::record::{Record, Version};
use super::{in_record, of_chunk};
use crate::record::{RejectKind, Rejected};
use crate::records;
use std::io::{self, Read};

/// The limit on records: Lc0 ends its own games at 450 plies.
const MAX_RECORDS: usize = 4096;

/// The game of an unpacked chunk, for [`parse`](super::parse), limited to the size of the longest game. An empty chunk
/// has none.
pub fn records(chunk: impl Read) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let limit = ((MAX_RECORDS + 1) * Version::V6.bytes()) as u64;
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
    read: usize,
}

impl<R: Read> Records<R> {
    /// Records of the chunk that `reader` holds.
    pub fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; Version::V6.bytes()], version: None, read: 0 }
    }

    /// The next record, `None` at the chunk's end. It must be whole, of a supported version and input format, and of the
    /// same version as those before it.
    #[expect(clippy::should_implement_trait, reason = "a record borrows the reader's buffer")]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, Rejected> {
        let record = self.read;
        let number = self.fill(0, size_of::<u32>())?;
        if number == 0 {
            return Ok(None);
        }
        let version = self.version(number)?;
        let wanted = version.bytes();
        let found = number + self.fill(number, wanted)?;
        if found < wanted {
            return Err(truncated(record, found, wanted));
        }
        if record == MAX_RECORDS {
            return Err(of_chunk(RejectKind::TooLong, format!("the chunk has more than {MAX_RECORDS} records")));
        }
        self.read += 1;
        let view = Record::new(version, &self.buffer[..wanted]);
        match view.input_format() {
            1 => Ok(Some(view)),
            found => {
                let name = format_name(found);
                let remedy = "only 1 (classic) is readable: convert the chunk with lc0's rescorer";
                Err(in_record(record, RejectKind::Variant, format!("input format {found} ({name}), {remedy}")))
            }
        }
    }

    fn version(&mut self, found: usize) -> Result<Version, Rejected> {
        let record = self.read;
        let Some(&bytes) = self.buffer[..found].first_chunk() else {
            return Err(truncated(record, found, size_of::<u32>()));
        };
        let found = u32::from_le_bytes(bytes);
        let version = Version::of(found).filter(|&version| *self.version.get_or_insert(version) == version);
        version.ok_or_else(|| {
            let remedy = "a chunk has one version: leave it out, or make it again with lc0";
            in_record(record, RejectKind::Variant, format!("version {found}, readable are 3 to 6; {remedy}"))
        })
    }

    /// Fills the buffer from `from` up to `to` with the available bytes, and returns their number.
    fn fill(&mut self, from: usize, to: usize) -> Result<usize, Rejected> {
        records::fill(&mut self.reader, &mut self.buffer[from..to]).map_err(|error| {
            let reason = format!("the chunk cannot be read further: {error}");
            in_record(self.read, RejectKind::Unreadable, reason)
        })
    }
}

fn truncated(record: usize, found: usize, wanted: usize) -> Rejected {
    in_record(record, RejectKind::Truncated, format!("{found} of {wanted} bytes: the chunk is cut off"))
}

/// Lc0's name of an input format.
fn format_name(format: u32) -> &'static str {
    match format {
        2 => "with castling planes",
        3 => "canonical",
        4 => "canonical, hectoplies",
        5 => "canonical v2",
        132 => "canonical, hectoplies, armageddon",
        133 => "canonical v2, armageddon",
        _ => "unknown",
    }
}
