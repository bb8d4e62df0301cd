//! The end of a game of chess. Draws that a player would have to claim (the third repetition, fifty moves) end it, as
//! in engine matches.

use super::pgn::ending;
use super::{Chess, ChessPosition};
use crate::position::Position as _;
use crate::record::{GameResult, Termination};
use crate::referee::{Played, Referee};

impl Referee for Chess {
    fn verdict_without_moves(position: &ChessPosition) -> (GameResult, Termination) {
        match position.in_check() {
            true => (GameResult::won_by(position.side_to_move().other()), Termination::Checkmate),
            false => (GameResult::Draw, Termination::Stalemate),
        }
    }

    fn verdict_with_moves(played: &Played<ChessPosition>) -> Option<(GameResult, Termination)> {
        ending::drawn(played.line()).map(|termination| (GameResult::Draw, termination))
    }
}
