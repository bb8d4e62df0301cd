//! Why a chunk is not a valid game. Records are numbered from 0.

use crate::record::{RejectKind, Rejected};
use std::fmt::Display;

pub(super) fn in_record(record: usize, kind: RejectKind, reason: impl Display) -> Rejected {
    Rejected { game: 0, ply: Some(record as u32), kind, reason: format!("record {record}: {reason}") }
}

pub(super) fn of_chunk(kind: RejectKind, reason: String) -> Rejected {
    Rejected { game: 0, ply: None, kind, reason }
}
