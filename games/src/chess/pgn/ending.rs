//! The ending of a game: the board's, if it is decided; otherwise the record's.

use super::movetext;
use crate::chess::ChessPosition;
use crate::line::Line;
use crate::position::Position as _;
use crate::record::{GameResult, Termination};
use shakmaty::Position as _;

pub(super) struct Stated<'a> {
    pub(super) tag: Option<&'a str>,
    pub(super) movetext: GameResult,
    /// The `Termination` tag, empty if missing.
    pub(super) termination: &'a str,
}

/// Result and termination of a game whose moves are `line`.
pub(super) fn of(line: &Line<ChessPosition>, stated: &Stated<'_>) -> Result<(GameResult, Termination), String> {
    let said = stated.result()?;
    if let Some((proven, termination)) = proven(line.position()) {
        return match said {
            GameResult::Unknown => Ok((proven, termination)),
            said if said == proven => Ok((proven, termination)),
            said => Err(format!("the record says {said:?}, but the board shows {termination:?}")),
        };
    }
    let named = named(stated.termination);
    let termination = match said {
        GameResult::Draw => drawn(line).or(named).or_else(|| claimable(line)).unwrap_or(Termination::Other),
        GameResult::Unknown => named.unwrap_or(Termination::Other),
        GameResult::FirstWins | GameResult::SecondWins => named.unwrap_or(Termination::Resignation),
    };
    Ok((said, termination))
}

impl Stated<'_> {
    /// The tag's result, or the movetext's if the tag is empty; they must not contradict each other.
    fn result(&self) -> Result<GameResult, String> {
        let tag = self.tag.and_then(|tag| movetext::result(tag.trim().as_bytes())).unwrap_or_default();
        match (tag, self.movetext) {
            (GameResult::Unknown, result) | (result, GameResult::Unknown) => Ok(result),
            (tag, movetext) if tag == movetext => Ok(tag),
            (tag, movetext) => Err(format!("the Result tag says {tag:?}, the moves end with {movetext:?}")),
        }
    }
}

/// Endings that are forced by the position.
pub(in crate::chess) fn proven(position: &ChessPosition) -> Option<(GameResult, Termination)> {
    let rules = position.as_shakmaty();
    if rules.is_checkmate() {
        return Some((GameResult::won_by(position.side_to_move().other()), Termination::Checkmate));
    }
    rules.is_stalemate().then_some((GameResult::Draw, Termination::Stalemate))
}

/// Plies without a capture or a pawn move in which a position can occur three times.
const PLIES_OF_THREE: u32 = 8;

/// The reason of a draw, if the board shows it.
pub(in crate::chess) fn drawn(line: &Line<ChessPosition>) -> Option<Termination> {
    let rules = line.position().as_shakmaty();
    if rules.is_insufficient_material() {
        Some(Termination::InsufficientMaterial)
    } else if rules.halfmoves() >= PLIES_OF_THREE && line.repetitions() >= 2 {
        Some(Termination::Repetition)
    } else if rules.halfmoves() >= 100 {
        Some(Termination::FiftyMoves)
    } else {
        None
    }
}

/// A draw that the side to move may claim with a move it need not play (FIDE 9.2 and 9.3): records made with
/// python-chess end there, one ply before the board shows the draw.
fn claimable(line: &Line<ChessPosition>) -> Option<Termination> {
    let quiet_enough = line.position().as_shakmaty().halfmoves() >= 99;
    let moves = line.position().list_moves();
    if moves.iter().any(|&mv| line.repetitions_after(mv) >= 2) {
        Some(Termination::Repetition)
    } else if quiet_enough && moves.iter().any(|mv| !mv.is_zeroing()) {
        Some(Termination::FiftyMoves)
    } else {
        None
    }
}

/// The `Termination` tag, as in the PGN standard, on Lichess and in cutechess; `None` if it is uninformative.
fn named(tag: &str) -> Option<Termination> {
    match tag.trim().to_ascii_lowercase().as_str() {
        "" | "?" | "normal" => None,
        "adjudication" => Some(Termination::Adjudication),
        "time forfeit" | "time" => Some(Termination::Time),
        "rules infraction" | "illegal move" => Some(Termination::IllegalMove),
        _ => Some(Termination::Other),
    }
}
