//! HCPE, dlshogi's training record: one position with a score, a move and the game's result in 38 bytes.
//!
//! | bytes | content |
//! |---|---|
//! | 0–31 | the position as [`super::hcp`] |
//! | 32–33 | the score from the side to move's view, in points, signed |
//! | 34–35 | the move in Apery's 16 bits |
//! | 36 | the result: 0 draw, 1 Black won, 2 White won; in HCPE2 with how the game ended in the higher bits |
//! | 37 | nothing |
//!
//! Numbers are little-endian. HCPE2 has no mark: an HCPE is an HCPE2 without how the game ended, and
//! both are read here. There is neither a ply nor a game in a record: which positions belong together, and in which order
//! they came, cannot be restored. Reference: `HuffmanCodedPosAndEval` in TadaoYamaoka/DeepLearningShogi.

use super::board::{BadPosition, Board};
use super::checks::{bad_position, cut_off, first_players, legal_move, reject};
use super::move16::Move16;
use super::{hcp, moves, outcome};
use crate::record::{GameResult, ParsedPosition, RejectKind, Rejected};
use crate::records;
use shogi_core::Move;
use std::io::{self, Read};

/// A record's length.
pub const BYTES: usize = 38;

/// The unchecked fields of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hcpe {
    /// The position as [`super::hcp`] packs it.
    pub hcp: [u8; 32],
    /// The score from the side to move's view.
    pub score: i16,
    /// The move as [`Move16::Apery`] writes it.
    pub move16: u16,
    /// Result and, in HCPE2, how the game ended.
    pub outcome: u8,
    /// The unused byte.
    pub pad: u8,
}

impl Hcpe {
    /// Reads the fields of a record.
    pub fn read(bytes: &[u8; BYTES]) -> Self {
        let (hcp, rest) = bytes.split_first_chunk().expect("a record is longer than a position");
        Self {
            hcp: *hcp,
            score: i16::from_le_bytes([rest[0], rest[1]]),
            move16: u16::from_le_bytes([rest[2], rest[3]]),
            outcome: rest[4],
            pad: rest[5],
        }
    }

    /// Writes the record.
    pub fn write(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        let (hcp, rest) = bytes.split_at_mut(hcp::BYTES);
        hcp.copy_from_slice(&self.hcp);
        rest[..2].copy_from_slice(&self.score.to_le_bytes());
        rest[2..4].copy_from_slice(&self.move16.to_le_bytes());
        rest[4] = self.outcome;
        rest[5] = self.pad;
        bytes
    }

    /// A record of a position, its played move, its score from the side to move's view, and the game's result.
    pub fn new(board: &Board, mv: Move, score: i16, result: GameResult) -> Result<Self, NotWritten> {
        Ok(Self {
            hcp: hcp::encode(board)?,
            score,
            move16: Move16::Apery.encode(mv),
            outcome: outcome::result_bits(result).ok_or(NotWritten::NoResult)?,
            pad: 0,
        })
    }
}

/// Why something cannot be written as HCPE, HCPE3 or PSV.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotWritten {
    /// The position has no code: pieces are missing, or it is illegal.
    #[error("the position cannot be packed: {0}")]
    Position(#[from] BadPosition),
    /// The game has no result; the formats would record a draw.
    #[error("the game has no result, and the format has no way to say so; leave such games out")]
    NoResult,
}

/// Splits a file into its records; the reader should be buffered.
pub fn records(input: impl Read) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    records::of_length(input, BYTES)
}

/// Reads and checks one record. `number` is its index in the file, from 0, for rejections. An error on a truncated record,
/// an illegal position, an illegal move and an unknown result.
pub fn parse(record: &[u8], number: u64) -> Result<ParsedPosition, Rejected> {
    let Ok(bytes) = record.try_into() else { return Err(cut_off(record, BYTES, number)) };
    let Hcpe { hcp, score, move16, outcome, .. } = Hcpe::read(bytes);
    let board = hcp::decode(&hcp).map_err(|error| bad_position(&error, number))?;
    let (result, termination) = outcome::read(outcome).map_err(|reason| reject(number, RejectKind::Syntax, reason))?;
    let mv = legal_move(&board, Move16::Apery, move16, number)?;
    Ok(ParsedPosition {
        known: Some(board.known()),
        mv: Some(moves::write(mv).into()),
        score: Some(first_players(score, board.turn())),
        result,
        termination,
        ..ParsedPosition::new(board.sfen(1))
    })
}
