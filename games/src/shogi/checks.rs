//! Common checks of the binary record formats.

use super::board::{BadPosition, Board};
use super::move16::Move16;
use crate::record::{RejectKind, Rejected, Score};
use shogi_core::{Color, Move, ToUsi as _};

/// The move of record number `number`.
pub(super) fn legal_move(board: &Board, format: Move16, code: u16, number: u64) -> Result<Move, Rejected> {
    let illegal =
        |what: String| reject(number, RejectKind::IllegalMove, format!("{what} in position \"{}\"", board.sfen(1)));
    let mv = format.decode(code, board.turn()).ok_or_else(|| illegal(format!("{code} is not a move")))?;
    if board.is_legal(mv) { Ok(mv) } else { Err(illegal(format!("illegal move {}", mv.to_usi_owned()))) }
}

/// A score of the side to move as one of the first player.
pub(super) fn first_players(score: i16, turn: Color) -> Score {
    Score::Centipawns(match turn {
        Color::Black => score.into(),
        Color::White => -i32::from(score),
    })
}

pub(super) fn reject(number: u64, kind: RejectKind, reason: String) -> Rejected {
    Rejected { game: number, ply: None, kind, reason }
}

pub(super) fn cut_off(record: &[u8], length: usize, number: u64) -> Rejected {
    let reason =
        format!("the record has {} of {length} bytes (is the file cut off, or of another format?)", record.len());
    reject(number, RejectKind::Truncated, reason)
}

pub(super) fn bad_position(error: &BadPosition, number: u64) -> Rejected {
    reject(number, RejectKind::StartPosition, error.to_string())
}
