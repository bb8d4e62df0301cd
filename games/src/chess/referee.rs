//! The end of a game of chess. Draws that a player would have to claim (the third repetition, fifty moves) end it, as
//! in engine matches.

use super::pgn::ending;
use super::{Chess, ChessPosition};
use crate::position::Position as _;
use crate::record::{GameResult, Termination};
use crate::referee::{Played, Referee};
use shakmaty::Move;

impl Referee for Chess {
    fn verdict_with(played: &Played<ChessPosition>, legal: &[Move]) -> Option<(GameResult, Termination)> {
        let position = played.position();
        let outcome = match (legal.is_empty(), position.in_check()) {
            (true, true) => (GameResult::won_by(position.side_to_move().other()), Termination::Checkmate),
            (true, false) => (GameResult::Draw, Termination::Stalemate),
            (false, _) => (GameResult::Draw, ending::drawn(played.line())?),
        };
        Some(outcome)
    }

    fn may_declare_win(_position: &ChessPosition) -> bool {
        false
    }
}
