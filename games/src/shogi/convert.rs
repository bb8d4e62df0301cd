//! Conversion between binary formats, without loss if the target format can express it.
//!
//! | from → to | kept | lost |
//! |---|---|---|
//! | HCPE3 → HCPE | positions, moves, scores, result | where a game begins and ends, plies, visits, how it ended |
//! | PSV → HCPE | position, move, score, result | the ply, which is handed out beside the record |
//! | HCPE → PSV | position, move, score, result | HCPE2's word on how the game ended; the ply must be given (0: not known) |
//!
//! PSV → HCPE → PSV gives the same bytes if the plies are passed back and the record's last byte was 0. HCPE has
//! neither ply nor game, so they cannot be restored from it.

use super::checks::{bad_position, illegal, legal_move, reject};
use super::hcpe::{Hcpe, NotWritten};
use super::hcpe3;
use super::move16::Move16;
use super::psv::{self, Psv};
use super::{hcp, outcome, packed_sfen};
use crate::record::{RejectKind, Rejected};

/// The positions of an HCPE3 game as HCPE. `number` is the game's index in its file, for rejections.
///
/// # Errors
/// Like [`hcpe3::parse`].
pub fn hcpe3_to_hcpe(record: &[u8], number: u64) -> Result<Vec<Hcpe>, Rejected> {
    let game = hcpe3::read_game(record, number)?;
    outcome::read(game.outcome).map_err(|reason| reject(number, RejectKind::Syntax, reason))?;
    let boards = hcpe3::boards(&game, number)?;
    boards
        .iter()
        .zip(&game.turns)
        .map(|((board, mv), turn)| {
            let hcp = hcp::encode(board).map_err(|error| bad_position(&error, number))?;
            let move16 = Move16::Apery.encode(*mv);
            Ok(Hcpe { hcp, score: turn.score, move16, outcome: game.outcome & 3, pad: 0 })
        })
        .collect()
}

/// A PSV record as HCPE, and the number of its move. `number` is the record's index in its file, for rejections.
///
/// # Errors
/// Like [`psv::parse`]; also if pieces are missing, which HCPE does not support.
pub fn psv_to_hcpe(record: &Psv, number: u64) -> Result<(Hcpe, u16), Rejected> {
    let board = packed_sfen::decode(&record.sfen).map_err(|error| bad_position(&error, number))?;
    let mv = legal_move(&board, Move16::YaneuraOu, record.move16).map_err(|reason| illegal(number, reason))?;
    let result = psv::absolute(record.result, board.turn())
        .ok_or_else(|| reject(number, RejectKind::Syntax, format!("{} is not a result", record.result)))?;
    let hcpe = Hcpe::new(&board, mv, record.score, result).map_err(|error| not_written(&error, number))?;
    Ok((hcpe, record.ply))
}

/// An HCPE or HCPE2 record as PSV, with the number of its move (0 if unknown). `number` is the record's index in its
/// file, for rejections.
///
/// # Errors
/// Like [`super::hcpe::parse`].
pub fn hcpe_to_psv(record: &Hcpe, ply: u16, number: u64) -> Result<Psv, Rejected> {
    let board = hcp::decode(&record.hcp).map_err(|error| bad_position(&error, number))?;
    let mv = legal_move(&board, Move16::Apery, record.move16).map_err(|reason| illegal(number, reason))?;
    // A game that was cut off has no result elsewhere; both formats record it as a draw.
    let (result, _) = outcome::read(record.outcome & 3).map_err(|reason| reject(number, RejectKind::Syntax, reason))?;
    Psv::new(&board, mv, record.score, ply, result).map_err(|error| not_written(&error, number))
}

fn not_written(error: &NotWritten, number: u64) -> Rejected {
    reject(number, RejectKind::StartPosition, error.to_string())
}
