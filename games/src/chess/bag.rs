//! DeepMind's bags (`.bag`, `.bagz`): positions with a move, a winning probability, or both.
//!
//! A bag is its records, concatenated, then the end offset of each record as a 64-bit little-endian number; the last
//! offset is also where these numbers begin. In a `.bagz` each record is a separate zstd frame. Reference:
//! google-deepmind/searchless_chess `src/bagz.py`, `src/constants.py`.
//!
//! Records are positions without games, so inputs with history cannot be made of them. They are Apache Beam's tuples of text
//! and numbers: a text inside a tuple is preceded by its length, 7 bits per byte, lowest first; the last field of a tuple has
//! no length. A number is a 64-bit float, big-endian. Reference: Apache Beam `sdks/python/apache_beam/coders/coder_impl.py`.

use super::ChessPosition;
use crate::position::Position as _;
use crate::record::{ParsedPosition, RejectKind, Rejected};
use std::io::{self, Read, Seek, SeekFrom};

/// Records whose offsets and bytes are in memory at a time.
const BLOCK: u64 = 1024;

/// The size limit of a record, packed or not.
const MAX_RECORD: usize = 4096;

const END_BYTES: u64 = size_of::<u64>() as u64;

/// Why a bag cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BagError {
    /// The file cannot be read.
    #[error("the bag cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The end offsets are invalid.
    #[error("the bag's index is damaged ({0}): the file is cut off or no bag, fetch it again")]
    Index(String),
}

/// Reads the records of one file, with a block of them in memory.
#[derive(Debug)]
pub struct Bag<R> {
    reader: R,
    compressed: bool,
    index_start: u64,
    records: u64,
    /// Records of the blocks read so far.
    loaded: u64,
    /// The current block: its bytes, the end offsets of its records, and the number of delivered records.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    handed_out: usize,
    /// The offset of the block's end in the file.
    end: u64,
    unpacked: Vec<u8>,
}

impl<R: Read + Seek> Bag<R> {
    /// Opens a bag; `compressed` is true for `.bagz`.
    pub fn open(mut reader: R, compressed: bool) -> Result<Self, BagError> {
        let size = reader.seek(SeekFrom::End(0))?;
        let index_start = match size {
            0 => 0,
            1..END_BYTES => return Err(BagError::Index(format!("the file has {size} bytes"))),
            _ => {
                reader.seek(SeekFrom::Start(size - END_BYTES))?;
                read_end(&mut reader)?
            }
        };
        if index_start > size || (size - index_start) % END_BYTES != 0 {
            return Err(BagError::Index(format!("it should begin at byte {index_start} of {size}")));
        }
        Ok(Self {
            reader,
            compressed,
            index_start,
            records: (size - index_start) / END_BYTES,
            loaded: 0,
            bytes: Vec::new(),
            ends: Vec::new(),
            handed_out: 0,
            end: 0,
            unpacked: Vec::new(),
        })
    }

    /// The number of records.
    pub fn len(&self) -> u64 {
        self.records
    }

    /// Whether it has no records.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// The next record, unpacked, or its fault; `None` at the end of the bag.
    #[expect(clippy::should_implement_trait, reason = "a record borrows the bag's buffer")]
    pub fn next(&mut self) -> Result<Option<Result<&[u8], String>>, BagError> {
        if self.handed_out == self.ends.len() {
            if self.loaded == self.records {
                return Ok(None);
            }
            self.load()?;
        }
        let start = self.handed_out.checked_sub(1).map_or(0, |before| self.ends[before]);
        let record = &self.bytes[start..self.ends[self.handed_out]];
        self.handed_out += 1;
        if !self.compressed || record.is_empty() {
            return Ok(Some(Ok(record)));
        }
        // The output is limited, whatever size the frame states.
        self.unpacked.resize(MAX_RECORD, 0);
        let unpacked = zstd::bulk::decompress_to_buffer(record, self.unpacked.as_mut_slice());
        Ok(Some(match unpacked {
            Ok(bytes) => Ok(&self.unpacked[..bytes]),
            Err(error) => Err(format!("the record cannot be unpacked: {error}")),
        }))
    }

    /// Reads the next block: first its end offsets, then its bytes.
    fn load(&mut self) -> Result<(), BagError> {
        let count = BLOCK.min(self.records - self.loaded);
        let start = self.end;
        self.reader.seek(SeekFrom::Start(self.index_start + self.loaded * END_BYTES))?;
        let mut index = vec![0; (count * END_BYTES) as usize];
        self.reader.read_exact(&mut index)?;
        self.ends.clear();
        for (i, bytes) in index.as_chunks().0.iter().enumerate() {
            let end = u64::from_le_bytes(*bytes);
            let fits = end <= self.index_start && end >= self.end && end - self.end <= MAX_RECORD as u64;
            if !fits {
                let number = self.loaded + i as u64;
                let reason = format!("record {number} should go from byte {} to byte {end}", self.end);
                self.ends.clear();
                return Err(BagError::Index(reason));
            }
            self.ends.push((end - start) as usize);
            self.end = end;
        }
        self.bytes.resize((self.end - start) as usize, 0);
        self.reader.seek(SeekFrom::Start(start))?;
        self.reader.read_exact(&mut self.bytes)?;
        self.loaded += count;
        self.handed_out = 0;
        Ok(())
    }
}

fn read_end(reader: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; size_of::<u64>()];
    reader.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// The kind of a bag's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BagRecord {
    /// FEN, move, and the probability that the side to move wins after this move: one record for each legal move.
    ActionValue,
    /// FEN and the probability that the side to move wins.
    StateValue,
    /// FEN and the best move.
    BehavioralCloning,
}

/// Reads a record and checks that position, move and probability are valid. An action's value is that of its move, so
/// it is the position's value only for the best move.
pub fn parse(record: &[u8], kind: BagRecord, number: u64) -> Result<ParsedPosition, Rejected> {
    let wrong = |kind, reason| Rejected { game: number, ply: None, kind, reason };
    let fields = fields(record, kind).map_err(|(kind, reason)| wrong(kind, reason.to_owned()))?;
    let position =
        ChessPosition::parse(fields.fen).map_err(|error| wrong(RejectKind::StartPosition, error.to_string()))?;
    let mv = fields.mv.map(|text| position.parse_move(text).map(|mv| position.move_text(mv)));
    let mv = mv.transpose().map_err(|error| wrong(RejectKind::IllegalMove, error.to_string()))?;
    if let Some(value) = fields.win_probability.filter(|value| !(0.0..=1.0).contains(value)) {
        return Err(wrong(RejectKind::Syntax, format!("the probability of winning is {value}")));
    }
    let value = fields.win_probability.map(|value| value as f32);
    Ok(ParsedPosition { mv, value, ..ParsedPosition::new(position.to_text()) })
}

/// The unchecked fields of a record.
struct Fields<'a> {
    fen: &'a str,
    mv: Option<&'a str>,
    win_probability: Option<f64>,
}

type Wrong = (RejectKind, &'static str);

fn fields(record: &[u8], kind: BagRecord) -> Result<Fields<'_>, Wrong> {
    let mut rest = record;
    let fen = text(nested(&mut rest)?)?;
    let mv = match kind {
        BagRecord::ActionValue => Some(text(nested(&mut rest)?)?),
        BagRecord::BehavioralCloning => Some(text(std::mem::take(&mut rest))?),
        BagRecord::StateValue => None,
    };
    let win_probability = match kind {
        BagRecord::ActionValue | BagRecord::StateValue => Some(number(&mut rest)?),
        BagRecord::BehavioralCloning => None,
    };
    if !rest.is_empty() {
        return Err((RejectKind::Syntax, "the record continues after its last field: is it another kind of record?"));
    }
    Ok(Fields { fen, mv, win_probability })
}

const CUT_OFF: Wrong = (RejectKind::Truncated, "the record ends inside a field: cut off, or another kind of record");

/// The bytes of a field preceded by its length.
fn nested<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Wrong> {
    let length = usize::try_from(varint(rest)?).map_err(|_| CUT_OFF)?;
    let (field, behind) = rest.split_at_checked(length).ok_or(CUT_OFF)?;
    *rest = behind;
    Ok(field)
}

fn varint(rest: &mut &[u8]) -> Result<u64, Wrong> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, behind) = rest.split_first().ok_or(CUT_OFF)?;
        *rest = behind;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err((RejectKind::Syntax, "the length of a field has too many bytes"))
}

fn text(bytes: &[u8]) -> Result<&str, Wrong> {
    std::str::from_utf8(bytes).map_err(|_| (RejectKind::Syntax, "a text is not UTF-8"))
}

fn number(rest: &mut &[u8]) -> Result<f64, Wrong> {
    let (&bytes, behind) = rest.split_first_chunk().ok_or(CUT_OFF)?;
    *rest = behind;
    Ok(f64::from_be_bytes(bytes))
}
