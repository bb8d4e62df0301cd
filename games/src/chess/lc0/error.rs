//! Why a chunk is not a valid game.

use super::record::Version;
use crate::record::{RejectKind, Rejected};

/// A fault of a chunk. Records are numbered from 0.
#[derive(Debug, thiserror::Error)]
pub enum Lc0Error {
    /// The bytes cannot be read further: a damaged gzip stream, or a disk error.
    #[error("record {record}: the chunk cannot be read on: {source}")]
    Unreadable {
        /// The record.
        record: u32,
        /// The reader's error.
        source: std::io::Error,
    },
    /// The chunk ends inside a record.
    #[error("record {record} has {found} of {wanted} bytes: the chunk is cut off")]
    Truncated {
        /// The record.
        record: u32,
        /// Bytes available.
        found: usize,
        /// Bytes of a record of its version.
        wanted: usize,
    },
    /// A version that is not one of [`Version`], or differs from that of the records before.
    #[error(
        "record {record} has version {found}, readable are 3 to 6; a chunk has one version: leave it out, or make it again with lc0"
    )]
    Version {
        /// The record.
        record: u32,
        /// The number found.
        found: u32,
    },
    /// An input format other than 1 (classic), the only supported one.
    #[error("record {record} has input format {found} ({}), only 1 (classic) is readable: convert the chunk with lc0's rescorer", format_name(*.found))]
    InputFormat {
        /// The record.
        record: u32,
        /// The number found.
        found: u32,
    },
    /// A value is not a number or is outside its range.
    #[error("record {record}: {field} is {found}")]
    Number {
        /// The record.
        record: u32,
        /// Which field.
        field: &'static str,
        /// The value found.
        found: f32,
    },
    /// The planes show an illegal position.
    #[error("record {record}: {reason}")]
    Board {
        /// The record.
        record: u32,
        /// What is wrong.
        reason: String,
    },
    /// The records do not form one game.
    #[error("record {record}: {reason}")]
    Order {
        /// The record.
        record: u32,
        /// What is wrong.
        reason: &'static str,
    },
    /// The policy or the played move is illegal on the board.
    #[error("record {record}: {what} {index} of the 1,858 moves, which is not legal in {position}")]
    Illegal {
        /// The record.
        record: u32,
        /// The field that names the move.
        what: &'static str,
        /// Its index.
        index: u16,
        /// The position as FEN.
        position: String,
    },
    /// The board contradicts the recorded result.
    #[error("the records say {stated}, but the board shows {shown}")]
    Contradiction {
        /// The recorded result.
        stated: &'static str,
        /// The ending on the board.
        shown: &'static str,
    },
    /// A chunk without a move.
    #[error("the chunk holds {records} records of {version:?} and so no move")]
    NoMoves {
        /// The number of records.
        records: u32,
        /// Their version.
        version: Option<Version>,
    },
    /// More records than plies of a dataset's game.
    #[error("the chunk has more than {0} records")]
    TooLong(u32),
}

impl Lc0Error {
    /// The rejection of game number `game` of a file.
    pub fn rejected(&self, game: u64) -> Rejected {
        let (kind, ply) = match *self {
            Self::Unreadable { record, .. } => (RejectKind::Unreadable, Some(record)),
            Self::Truncated { record, .. } => (RejectKind::Truncated, Some(record)),
            Self::Version { record, .. } | Self::InputFormat { record, .. } => (RejectKind::Variant, Some(record)),
            Self::Number { record, .. } | Self::Order { record, .. } => (RejectKind::Syntax, Some(record)),
            Self::Board { record, .. } => (RejectKind::StartPosition, Some(record)),
            Self::Illegal { record, .. } => (RejectKind::IllegalMove, Some(record)),
            Self::Contradiction { .. } => (RejectKind::Contradiction, None),
            Self::NoMoves { .. } => (RejectKind::NoMoves, None),
            Self::TooLong(_) => (RejectKind::TooLong, None),
        };
        Rejected { game, ply, kind, reason: self.to_string() }
    }
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
