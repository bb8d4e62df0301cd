//! The end of a game of chess. Draws that a player would have to claim (the third repetition, fifty moves) end it, as
//! in engine matches.

use super::{Chess, ChessPosition};
use crate::position::{Position as _, Side};
use crate::record::{GameResult, Termination};
use crate::referee::{Played, Referee};
use shakmaty::{Move, Position as _};

/// Earlier occurrences that make a position a draw.
const REPETITIONS: u8 = 2;

/// Half-moves without a capture or a pawn's move that make a position a draw.
const QUIET_PLIES: u32 = 100;

impl Referee for Chess {
    fn verdict_with(played: &Played<ChessPosition>, legal: &[Move]) -> Option<(GameResult, Termination)> {
        let rules = played.position().as_shakmaty();
        if legal.is_empty() && rules.is_check() {
            let winner = match played.position().side_to_move() {
                Side::First => GameResult::SecondWins,
                Side::Second => GameResult::FirstWins,
            };
            return Some((winner, Termination::Checkmate));
        }
        let drawn = if legal.is_empty() {
            Termination::Stalemate
        } else if rules.is_insufficient_material() {
            Termination::InsufficientMaterial
        } else if played.line().repetitions() >= REPETITIONS {
            Termination::Repetition
        } else if rules.halfmoves() >= QUIET_PLIES {
            Termination::FiftyMoves
        } else {
            return None;
        };
        Some((GameResult::Draw, drawn))
    }

    fn may_declare_win(_position: &ChessPosition) -> bool {
        false
    }
}
