//! The end of a game. A player without a legal move has lost. The fourth occurrence of a position loses for the side that gave
//! check with every one of its moves since the first one; otherwise for the player who moved first in the game.

use super::{Minishogi, MinishogiPosition};
use crate::position::Side;
use crate::record::{GameResult, Termination};
use crate::referee::{Played, Referee};
use crate::shogi::repetition::{OCCURRENCES, Repetition, judge_line};

impl Referee for Minishogi {
    fn verdict_with_moves(played: &Played<MinishogiPosition>) -> Option<(GameResult, Termination)> {
        if usize::from(played.line().repetitions()) + 1 < OCCURRENCES {
            return None;
        }
        judge_line(played.start(), played.moves()).map(|repetition| match repetition {
            Repetition::Draw => (GameResult::won_by(Side::Second), Termination::Repetition),
            Repetition::PerpetualCheck { loser } => (GameResult::won_by(loser.other()), Termination::PerpetualCheck),
        })
    }
}
