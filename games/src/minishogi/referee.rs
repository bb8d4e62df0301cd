//! The end of a game. A player without a legal move has lost. The fourth occurrence of a position loses for the side that gave
//! check with every one of its moves since the first one; otherwise for the player who moved first in the game.

use super::{Minishogi, MinishogiPosition};
use crate::position::{Position as _, Side};
use crate::record::{GameResult, Termination};
use crate::referee::{Played, Referee};

/// How often a position must occur to end the game.
const OCCURRENCES: usize = 4;

impl Referee for Minishogi {
    fn verdict_without_moves(position: &MinishogiPosition) -> (GameResult, Termination) {
        (GameResult::won_by(position.side_to_move().other()), Termination::Checkmate)
    }

    fn verdict_with_moves(played: &Played<MinishogiPosition>) -> Option<(GameResult, Termination)> {
        if usize::from(played.line().repetitions()) + 1 < OCCURRENCES {
            return None;
        }
        let mut positions = vec![*played.start()];
        for &mv in played.moves() {
            positions.push(positions[positions.len() - 1].after(mv));
        }
        let key = played.position().repetition_key();
        let mut occurrences =
            positions.iter().enumerate().rev().filter(|(_, position)| position.repetition_key() == key);
        let (first, _) = occurrences.nth(OCCURRENCES - 1)?;
        let cycle = &positions[first + 1..];
        // A move gave check if its opponent is in check after it.
        let always_checks = |side: Side| {
            let mut answers = cycle.iter().filter(|position| position.turn != side);
            answers.all(|position| position.in_check())
        };
        Some(match (always_checks(Side::First), always_checks(Side::Second)) {
            (true, false) => (GameResult::won_by(Side::Second), Termination::PerpetualCheck),
            (false, true) => (GameResult::won_by(Side::First), Termination::PerpetualCheck),
            _ => (GameResult::won_by(Side::Second), Termination::Repetition),
        })
    }

    /// Minishogi has no declaration.
    fn may_declare_win(_: &MinishogiPosition) -> bool {
        false
    }
}
