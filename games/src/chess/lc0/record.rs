//! The records of a chunk, in sequence, and one record with the offset of each field.

use super::{in_record, of_chunk};
use crate::record::{RejectKind, Rejected};
use crate::records;
use std::io::{self, Read};

/// Entries of the policy: the moves of [`Chess::from_to`](crate::Game::from_to), in its order.
pub const POLICY: usize = 1858;

/// Bitboards of a record: 8 history steps of 12 piece planes and a repetition plane.
pub const PLANES: usize = 104;

const PLANES_A_STEP: usize = 13;
const PIECE_PLANES: usize = 12;

/// The supported versions of Lc0's training data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// 8,276 bytes: policy, planes, result.
    V3 = 3,
    /// 8,292 bytes: also the search's values.
    V4 = 4,
    /// 8,308 bytes: also the input format, moves left, how the game ended.
    V5 = 5,
    /// 8,356 bytes: also the played move, the network's values before the search, visits.
    V6 = 6,
}

/// In what the records of two versions differ.
struct Layout {
    bytes: usize,
    /// The offset of the policy: after the version, and from V5 on the input format.
    policy_at: usize,
    /// How many values follow the single bytes.
    values: usize,
}

impl Version {
    fn of(number: u32) -> Option<Self> {
        [Self::V3, Self::V4, Self::V5, Self::V6].into_iter().find(|&version| version as u32 == number)
    }

    const fn layout(self) -> Layout {
        match self {
            Self::V3 => Layout { bytes: 8276, policy_at: 4, values: 0 },
            Self::V4 => Layout { bytes: 8292, policy_at: 4, values: 4 },
            Self::V5 => Layout { bytes: 8308, policy_at: 8, values: 7 },
            Self::V6 => Layout { bytes: 8356, policy_at: 8, values: 15 },
        }
    }

    /// Bytes of a record.
    pub const fn bytes(self) -> usize {
        self.layout().bytes
    }

    const fn policy_at(self) -> usize {
        self.layout().policy_at
    }

    const fn planes_at(self) -> usize {
        self.policy_at() + POLICY * size_of::<f32>()
    }

    /// The offset of the eight single bytes.
    const fn flags_at(self) -> usize {
        self.planes_at() + PLANES * size_of::<u64>()
    }

    /// The offset of the values after the single bytes, and their number.
    const fn values(self) -> (usize, usize) {
        (self.flags_at() + 8, self.layout().values)
    }
}

/// An evaluation of a position, from the side to move's view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordedEvaluation {
    /// Win minus loss, −1…1.
    pub q: f32,
    /// The probability of a draw, 0…1.
    pub d: f32,
    /// Plies until the end; `None` in V4.
    pub m: Option<f32>,
}

/// V6's data about a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedSearch {
    /// Visits of the root. 0 in records that lc0's rescorer converted from older versions: then `played` is invalid.
    pub visits: u32,
    /// The policy index of the played move.
    pub played: u16,
}

/// One record, as a view of its bytes.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    version: Version,
    bytes: &'a [u8],
}

impl<'a> Record<'a> {
    /// A view of [`Version::bytes`] bytes.
    fn new(version: Version, bytes: &'a [u8]) -> Self {
        assert_eq!(bytes.len(), version.bytes(), "a record of {version:?} has another size");
        Self { version, bytes }
    }

    /// Its version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The input format; V3 and V4 always have 1 (classic).
    pub fn input_format(&self) -> u32 {
        match self.version {
            Version::V3 | Version::V4 => 1,
            Version::V5 | Version::V6 => u32::from_le_bytes(self.array(4)),
        }
    }

    /// The share of the search's visits of each move; −1 (or NaN) for illegal moves, 0 in V3.
    pub fn policy(&self) -> impl ExactSizeIterator<Item = f32> + 'a {
        let (floats, _) = self.bytes[self.version.policy_at()..self.version.planes_at()].as_chunks();
        floats.iter().map(|&bytes| f32::from_le_bytes(bytes))
    }

    /// Plane `i` of [`PLANES`], from the side to move's view: bit 8·rank + file. Panics if there is no such plane.
    pub fn plane(&self, i: usize) -> u64 {
        assert!(i < PLANES, "there are {PLANES} planes, {i} is not among them");
        // Within each byte, the highest bit of Lc0's planes is file a.
        u64::from_be_bytes(self.array(self.version.planes_at() + i * size_of::<u64>())).reverse_bits()
    }

    /// The pieces of a history step, 0 being the current position: own pawn, knight, bishop, rook, queen, king, then the
    /// opponent's. Panics if there is no such step.
    pub fn pieces(&self, step: usize) -> [u64; PIECE_PLANES] {
        std::array::from_fn(|i| self.plane(step * PLANES_A_STEP + i))
    }

    /// Rights to castle: own queen side, own king side, the opponent's likewise.
    pub fn castling(&self) -> [u8; 4] {
        self.array(self.version.flags_at())
    }

    /// 0 if White is to move, 1 if Black is.
    pub fn side_to_move(&self) -> u8 {
        self.flag(4)
    }

    /// Plies since the last capture or pawn move.
    pub fn rule_50(&self) -> u8 {
        self.flag(5)
    }

    /// From V5 on, flags of the record: bit 3 best move proven, 4 game at its length cap, 5 adjudicated, 6 marked for
    /// deletion; 0 to 2 and 7 are for other input formats. 0 before V5.
    pub fn invariance_info(&self) -> u8 {
        if self.version >= Version::V5 { self.flag(6) } else { 0 }
    }

    /// The search's result at the root. `None` in V3.
    pub fn root(&self) -> Option<RecordedEvaluation> {
        self.evaluation([0, 2, 4])
    }

    /// The search's result after its best move. `None` in V3.
    pub fn best(&self) -> Option<RecordedEvaluation> {
        self.evaluation([1, 3, 5])
    }

    /// The search's result after the played move. V6 only.
    pub fn played(&self) -> Option<RecordedEvaluation> {
        self.value(11).and_then(|_| self.evaluation([9, 10, 11]))
    }

    /// The network's result before the search. V6 only, `None` if not recorded (NaN). A cached value can come from
    /// another history.
    pub fn original(&self) -> Option<RecordedEvaluation> {
        let found = self.value(14).and_then(|_| self.evaluation([12, 13, 14]))?;
        (!found.q.is_nan()).then_some(found)
    }

    /// The result from the side to move's view. Before V6 it is a win, a draw or a loss; rescorers write any value
    /// between.
    pub fn result(&self) -> RecordedEvaluation {
        match (self.value(7), self.value(8)) {
            (Some(q), Some(d)) => RecordedEvaluation { q, d, m: None },
            _ => {
                let result = self.flag(7) as i8;
                RecordedEvaluation { q: f32::from(result), d: f32::from(u8::from(result == 0)), m: None }
            }
        }
    }

    /// V6's data about the search.
    pub fn search(&self) -> Option<RecordedSearch> {
        let (at, count) = self.version.values();
        let at = at + count * size_of::<f32>();
        (self.version == Version::V6).then(|| RecordedSearch {
            visits: u32::from_le_bytes(self.array(at)),
            played: u16::from_le_bytes(self.array(at + 4)),
        })
    }

    fn evaluation(&self, [q, d, m]: [usize; 3]) -> Option<RecordedEvaluation> {
        Some(RecordedEvaluation { q: self.value(q)?, d: self.value(d)?, m: self.value(m) })
    }

    /// The `i`-th value after the single bytes, if the version has it.
    fn value(&self, i: usize) -> Option<f32> {
        let (at, count) = self.version.values();
        (i < count).then(|| f32::from_le_bytes(self.array(at + i * size_of::<f32>())))
    }

    fn flag(&self, i: usize) -> u8 {
        self.bytes[self.version.flags_at() + i]
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        *self.bytes[at..].first_chunk().expect("fields lie within their record")
    }
}

const _: () = assert!(Version::V3.flags_at() + 8 == Version::V3.bytes());
const _: () = assert!(Version::V4.values().0 + 4 * 4 == Version::V4.bytes());
const _: () = assert!(Version::V5.values().0 + 4 * 7 == Version::V5.bytes());
const _: () = assert!(Version::V6.values().0 + 4 * 15 + 16 == Version::V6.bytes());

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
