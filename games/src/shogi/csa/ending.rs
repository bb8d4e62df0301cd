//! The meaning of a CSA record's last statement.

use crate::position::Position as _;
use crate::record::{GameResult, Termination};
use crate::shogi::ShogiPosition;
use crate::shogi::repetition::{self, Repetition, Seen};

/// Result and termination; `seen` are the game's positions, `position` the last of them.
pub(in crate::shogi) fn of(
    ending: Option<&str>,
    position: &ShogiPosition,
    seen: &[Seen],
) -> Result<(GameResult, Termination), String> {
    let side_to_move = position.side_to_move();
    let gives_up = GameResult::won_by(side_to_move.other());
    Ok(match ending.unwrap_or("%CHUDAN") {
        "%TORYO" if is_mate(position) => (gives_up, Termination::Checkmate),
        "%TORYO" => (gives_up, Termination::Resignation),
        "%TSUMI" if is_mate(position) => (gives_up, Termination::Checkmate),
        "%TSUMI" => (gives_up, Termination::Other),
        "%KACHI" => (GameResult::won_by(side_to_move), Termination::Declaration),
        "%TIME_UP" => (gives_up, Termination::Time),
        "%ILLEGAL_MOVE" => (gives_up, Termination::IllegalMove),
        "%+ILLEGAL_ACTION" => (GameResult::SecondWins, Termination::IllegalMove),
        "%-ILLEGAL_ACTION" => (GameResult::FirstWins, Termination::IllegalMove),
        "%SENNICHITE" => repeated(seen),
        "%JISHOGI" | "%HIKIWAKE" => (GameResult::Draw, Termination::Other),
        "%MAX_MOVES" => (GameResult::Unknown, Termination::PlyCap),
        "%CHUDAN" | "%MATTA" | "%FUZUMI" | "%ERROR" => (GameResult::Unknown, Termination::Other),
        unknown => return Err(format!("unknown ending \"{}\"", unknown.escape_debug())),
    })
}

/// A draw, unless one side gave check throughout. If the record lacks some of the four occurrences (it may begin inside
/// a game), a draw.
fn repeated(seen: &[Seen]) -> (GameResult, Termination) {
    match repetition::judge(seen) {
        Some(Repetition::PerpetualCheck { loser }) => (GameResult::won_by(loser.other()), Termination::PerpetualCheck),
        Some(Repetition::Draw) | None => (GameResult::Draw, Termination::Repetition),
    }
}

fn is_mate(position: &ShogiPosition) -> bool {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves.is_empty()
}
