//! The result and ending of a game in dlshogi's records, one byte.
//!
//! | bits | meaning |
//! |---|---|
//! | 0–1 | 0 draw, 1 Black wins, 2 White wins |
//! | 2 | repetition |
//! | 3 | declaration by an entered king |
//! | 4 | stopped at a cap of plies |
//!
//! HCPE has the lowest two only; HCPE2 and HCPE3 have all.

use crate::record::{GameResult, Termination};

const REPETITION: u8 = 4;
const DECLARATION: u8 = 8;
const PLY_CAP: u8 = 16;

/// Reads the byte. A draw at a cap of plies is a game that was cut off: its result is unknown, as everywhere in posenc.
/// A repetition with a loser was a perpetual check.
pub(super) fn read(byte: u8) -> Result<(GameResult, Termination), String> {
    let result = match byte & 3 {
        0 => GameResult::Draw,
        1 => GameResult::FirstWins,
        2 => GameResult::SecondWins,
        _ => return Err(format!("{byte} is not a result: 0 is a draw, 1 Black's win, 2 White's")),
    };
    Ok(match (byte & !3, result) {
        (0, _) => (result, Termination::Other),
        (REPETITION, GameResult::Draw) => (result, Termination::Repetition),
        (REPETITION, _) => (result, Termination::PerpetualCheck),
        (DECLARATION, _) => (result, Termination::Declaration),
        (PLY_CAP, GameResult::Draw) => (GameResult::Unknown, Termination::PlyCap),
        (PLY_CAP, _) => (result, Termination::PlyCap),
        _ => return Err(format!("{byte} has more than one reason for the game's end, or an unknown one")),
    })
}

/// Writes the byte; `None` for a game without a result, unless a cap of plies cut it off. A draw at a cap is written
/// without the cap: with it the game would be read as one without a result.
pub(super) fn write(result: GameResult, termination: Termination) -> Option<u8> {
    if (result, termination) == (GameResult::Unknown, Termination::PlyCap) {
        return Some(PLY_CAP);
    }
    let reason = match termination {
        Termination::Repetition | Termination::PerpetualCheck => REPETITION,
        Termination::Declaration => DECLARATION,
        Termination::PlyCap if result != GameResult::Draw => PLY_CAP,
        _ => 0,
    };
    Some(result_bits(result)? | reason)
}

/// Writes the result's bits; `None` for a game without a result.
pub(super) fn result_bits(result: GameResult) -> Option<u8> {
    match result {
        GameResult::Draw => Some(0),
        GameResult::FirstWins => Some(1),
        GameResult::SecondWins => Some(2),
        GameResult::Unknown => None,
    }
}
