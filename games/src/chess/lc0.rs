//! Lc0's training chunks, V3 to V6: a game of self-play with the search's evaluation of each move.
//!
//! A chunk is the concatenation of fixed-size records, packed without padding and little-endian, one per position of
//! one game; files hold it gzipped. Readers here take the unpacked bytes. [`Records`] gives the records, [`parse`]
//! converts them to a game. Reference: lc0 `src/trainingdata/trainingdata_v6.h` and its predecessors.
//!
//! What is exact and what is not: V6 stores every move. V3 to V5 do not store the played move; it is derived from the
//! next record, so the move of the last record is lost and the game ends before it. A chunk may begin inside a game
//! (Lc0 plays openings without recording them): the game then starts from its first recorded position, and the earlier
//! ones in its planes are not used. Full-move numbers are not recorded.

mod game;
mod record;
mod record_data;
mod state;

pub use game::parse;
pub use record::{PLANES, POLICY, Record, RecordedEvaluation, RecordedSearch, Records, Version, records};
pub use record_data::ValueSource;

use crate::record::{RejectKind, Rejected};
use std::fmt::Display;

/// Why a chunk is not a valid game; `record` counts from 0.
fn in_record(record: usize, kind: RejectKind, reason: impl Display) -> Rejected {
    Rejected { game: 0, ply: Some(record as u32), kind, reason: format!("record {record}: {reason}") }
}

fn of_chunk(kind: RejectKind, reason: String) -> Rejected {
    Rejected { game: 0, ply: None, kind, reason }
}
