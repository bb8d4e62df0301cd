//! PSV ("PackedSfenValue"), YaneuraOu's training record: one position with a score, a move, its ply and the game's
//! result in 40 bytes.
//!
//! | bytes | content |
//! |---|---|
//! | 0–31 | the position as [`super::packed_sfen`] |
//! | 32–33 | the score from the side to move's view, in points, signed |
//! | 34–35 | the move in YaneuraOu's 16 bits |
//! | 36–37 | the number of the move in its game, from 1; 0 where it is not known |
//! | 38 | the result from the side to move's view: 1 won, −1 lost, 0 drawn |
//! | 39 | nothing |
//!
//! Numbers are little-endian. Plies are stored, games are not: records are often shuffled, and a ply of 1 may begin the
//! next game or belong to another file. The ending is not stored either. Reference: `source/extra/sfen_packer.cpp` and
//! the learner in yaneurao/YaneuraOu.

use super::board::Board;
use super::checks::{bad_position, cut_off, first_players, legal_move, reject};
use super::hcpe::NotWritten;
use super::move16::Move16;
use super::{moves, packed_sfen};
use crate::record::{GameResult, ParsedPosition, RejectKind, Rejected};
use crate::records;
use shogi_core::{Color, Move};
use std::io::{self, Read};

/// A record's length.
pub const BYTES: usize = 40;

/// The unchecked fields of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Psv {
    /// The position as [`super::packed_sfen`] packs it.
    pub sfen: [u8; 32],
    /// The score from the side to move's view.
    pub score: i16,
    /// The move as [`Move16::YaneuraOu`] writes it.
    pub move16: u16,
    /// The number of the move, from 1; 0 if unknown.
    pub ply: u16,
    /// The result from the side to move's view.
    pub result: i8,
    /// The unused byte.
    pub pad: u8,
}

impl Psv {
    /// Reads the fields of a record.
    pub fn read(bytes: &[u8; BYTES]) -> Self {
        let (sfen, rest) = bytes.split_first_chunk().expect("a record is longer than a position");
        Self {
            sfen: *sfen,
            score: i16::from_le_bytes([rest[0], rest[1]]),
            move16: u16::from_le_bytes([rest[2], rest[3]]),
            ply: u16::from_le_bytes([rest[4], rest[5]]),
            result: i8::from_le_bytes([rest[6]]),
            pad: rest[7],
        }
    }

    /// Writes the record.
    pub fn write(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        let (sfen, rest) = bytes.split_at_mut(packed_sfen::BYTES);
        sfen.copy_from_slice(&self.sfen);
        rest[..2].copy_from_slice(&self.score.to_le_bytes());
        rest[2..4].copy_from_slice(&self.move16.to_le_bytes());
        rest[4..6].copy_from_slice(&self.ply.to_le_bytes());
        rest[6..7].copy_from_slice(&self.result.to_le_bytes());
        rest[7] = self.pad;
        bytes
    }

    /// A record of a position, its played move, the move's number from 1 (0 if unknown), its score from the side to
    /// move's view, and the game's result.
    pub fn new(board: &Board, mv: Move, score: i16, ply: u16, result: GameResult) -> Result<Self, NotWritten> {
        let result = [0, 1, -1].into_iter().find(|&own| absolute(own, board.turn()) == Some(result));
        Ok(Self {
            sfen: packed_sfen::encode(board)?,
            score,
            move16: Move16::YaneuraOu.encode(mv),
            ply,
            result: result.ok_or(NotWritten::NoResult)?,
            pad: 0,
        })
    }
}

/// Splits a file into its records; the reader should be buffered.
pub fn records(input: impl Read) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    records::of_length(input, BYTES)
}

/// Reads and checks one record. `number` is its index in the file, from 0, for rejections. An error on a truncated record,
/// an illegal position, an illegal move and an unknown result.
pub fn parse(record: &[u8], number: u64) -> Result<ParsedPosition, Rejected> {
    let Ok(bytes) = record.try_into() else { return Err(cut_off(record, BYTES, number)) };
    let Psv { sfen, score, move16, ply, result, .. } = Psv::read(bytes);
    let board = packed_sfen::decode(&sfen).map_err(|error| bad_position(&error, number))?;
    let result = absolute(result, board.turn()).ok_or_else(|| {
        let reason = format!("{result} is not a result: 1 is a win of the side to move, -1 its loss, 0 a draw");
        reject(number, RejectKind::Syntax, reason)
    })?;
    let mv = legal_move(&board, Move16::YaneuraOu, move16, number)?;
    Ok(ParsedPosition {
        known: Some(board.known()),
        mv: Some(moves::write(mv).into()),
        score: Some(first_players(score, board.turn())),
        result,
        ply: ply.checked_sub(1).map(u32::from),
        ..ParsedPosition::new(board.sfen(ply.max(1).into()))
    })
}

/// A result of the side to move as one of Black and White.
fn absolute(result: i8, turn: Color) -> Option<GameResult> {
    match (result, turn) {
        (0, _) => Some(GameResult::Draw),
        (1, Color::Black) | (-1, Color::White) => Some(GameResult::FirstWins),
        (1, Color::White) | (-1, Color::Black) => Some(GameResult::SecondWins),
        _ => None,
    }
}
