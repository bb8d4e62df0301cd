//! Moves in 16 bits: Apery's (HCPE, HCPE2, HCPE3) and YaneuraOu's (PSV).
//!
//! | bits | Apery | YaneuraOu |
//! |---|---|---|
//! | 0–6 | target square | target square |
//! | 7–13 | square it leaves; 81 + kind − 1 in a drop | square it leaves; the kind in a drop |
//! | 14 | promotion | drop |
//! | 15 | never | promotion |
//!
//! Squares count file by file from 1a; kinds are pawn 1, lance, knight, silver, bishop, rook, gold 7 in both.

use super::piece_numbers::{self, SQUARES};
use shogi_core::{Color, Move, Piece, Square};

/// The two encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move16 {
    /// Apery's, dlshogi's and cshogi's `move16`.
    Apery,
    /// YaneuraOu's, as in PSV.
    YaneuraOu,
}

const LOW: u16 = 0x7f;
const BIT_14: u16 = 1 << 14;
const BIT_15: u16 = 1 << 15;

impl Move16 {
    /// Reads a move that `turn` makes. `None` if it is not a move on any board: a square beyond the board, a piece that
    /// cannot be in hand, an undefined bit, equal squares (Apery's resignation and win are written so). Its legality
    /// depends on the position and is not checked.
    pub fn decode(self, code: u16, turn: Color) -> Option<Move> {
        let (to, from) = (square(code & LOW)?, code >> 7 & LOW);
        let (promotion, dropped) = match self {
            Self::Apery if code & BIT_15 != 0 => return None,
            Self::Apery => (code & BIT_14 != 0, (from >= SQUARES as u16).then(|| from - SQUARES as u16 + 1)),
            Self::YaneuraOu => (code & BIT_15 != 0, (code & BIT_14 != 0).then_some(from)),
        };
        if let Some(kind) = dropped {
            let kind = piece_numbers::kind(kind as u8).filter(|_| (1..=7).contains(&kind) && !promotion)?;
            return Some(Move::Drop { piece: Piece::new(kind, turn), to });
        }
        let from = square(from).filter(|&from| from != to)?;
        Some(Move::Normal { from, to, promote: promotion })
    }

    /// Writes a move.
    pub fn encode(self, mv: Move) -> u16 {
        let (from, to, promote, drop) = match mv {
            Move::Normal { from, to, promote } => (from.array_index() as u16, to, promote, false),
            Move::Drop { piece, to } => (piece_numbers::man_of_kind(piece.piece_kind()).into(), to, false, true),
        };
        let (flag, base) = match self {
            Self::Apery => (if promote { BIT_14 } else { 0 }, if drop { SQUARES as u16 - 1 } else { 0 }),
            Self::YaneuraOu => (if promote { BIT_15 } else { 0 } | if drop { BIT_14 } else { 0 }, 0),
        };
        to.array_index() as u16 | (from + base) << 7 | flag
    }
}

fn square(index: u16) -> Option<Square> {
    Square::from_u8(index as u8 + 1)
}
