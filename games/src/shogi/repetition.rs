//! Repetition (sennichite) and perpetual check, of shogi and minishogi.
//!
//! The fourth occurrence of a position (board, hands, side to move) ends a game without result, unless one side gave
//! check with every one of its moves since the first occurrence: then that side loses. Many programs and record formats
//! ignore the checks, so their "repetition" may be a loss.

use crate::position::{Position, Side};
use crate::record::{GameResult, Termination};
use crate::referee::Played;

/// How often a position must occur to end the game.
const OCCURRENCES: usize = 4;

/// The meaning of a fourth occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// No result (treated as a draw).
    Draw,
    /// One side gave check with every move of the cycle.
    PerpetualCheck {
        /// The checking side.
        loser: Side,
    },
}

impl Repetition {
    /// Result and ending of the game; `drawn` is the result if no side gave check throughout.
    pub(crate) const fn verdict(self, drawn: GameResult) -> (GameResult, Termination) {
        match self {
            Self::Draw => (drawn, Termination::Repetition),
            Self::PerpetualCheck { loser } => (GameResult::won_by(loser.other()), Termination::PerpetualCheck),
        }
    }
}

/// The data of a position that repetition needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// [`Position::repetition_key`].
    pub key: u64,
    /// The side to move.
    pub side_to_move: Side,
    /// Whether that side was in check, so that the previous move gave it.
    pub in_check: bool,
}

impl Seen {
    /// The data of a position.
    pub fn of<P: Position>(position: &P) -> Self {
        Self { key: position.repetition_key(), side_to_move: position.side_to_move(), in_check: position.in_check() }
    }
}

/// Judges the last position of a game, given all of them from the start: `None` unless it occurs for at least the
/// fourth time. If both sides gave only checks, neither loses.
pub fn judge(game: &[Seen]) -> Option<Repetition> {
    let last = game.last()?;
    let mut occurrences = game.iter().enumerate().rev().filter(|(_, seen)| seen.key == last.key);
    let (first, _) = occurrences.nth(OCCURRENCES - 1)?;
    let cycle = &game[first + 1..];
    Some(match (always_checked(cycle, Side::First), always_checked(cycle, Side::Second)) {
        (true, false) => Repetition::PerpetualCheck { loser: Side::Second },
        (false, true) => Repetition::PerpetualCheck { loser: Side::First },
        (true, true) | (false, false) => Repetition::Draw,
    })
}

/// Whether every move against `side` gave check.
fn always_checked(cycle: &[Seen], side: Side) -> bool {
    let checks = cycle.iter().filter(|seen| seen.side_to_move == side).map(|seen| seen.in_check);
    checks.reduce(|all, check| all && check).unwrap_or(false)
}

/// The verdict on a game whose last position occurs for the fourth time.
pub(crate) fn verdict<P: Position>(played: &Played<P>, drawn: GameResult) -> Option<(GameResult, Termination)> {
    if usize::from(played.line().repetitions()) + 1 < OCCURRENCES {
        return None;
    }
    let mut position = played.start().clone();
    let mut game = vec![Seen::of(&position)];
    for &mv in played.moves() {
        position.play(mv);
        game.push(Seen::of(&position));
    }
    judge(&game).map(|repetition| repetition.verdict(drawn))
}
