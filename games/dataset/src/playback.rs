//! Replays a stored game.

use games::{Game, Line, Position};

pub(crate) type Move<G> = <<G as Game>::Position as Position>::Move;

/// Why a stored game cannot be replayed: the ply and the reason.
pub(crate) struct ReplayError {
    pub(crate) ply: usize,
    pub(crate) reason: String,
}

/// Replays `moves` (UCI or USI, separated by spaces) from `start` and calls `on_ply` with the line before each move and
/// the move.
pub(crate) fn play_through<G: Game>(
    start: Option<&str>,
    moves: &str,
    on_ply: impl FnMut(&Line<G::Position>, Move<G>),
) -> Result<(), ReplayError> {
    let start = G::Position::beginning(start).map_err(|error| ReplayError { ply: 0, reason: error.to_string() })?;
    play::<G>(Line::new(start), moves, on_ply)
}

/// Replays `moves` on a line, see [`play_through`].
pub(crate) fn play<G: Game>(
    mut line: Line<G::Position>,
    moves: &str,
    mut on_ply: impl FnMut(&Line<G::Position>, Move<G>),
) -> Result<(), ReplayError> {
    for (ply, text) in moves.split_ascii_whitespace().enumerate() {
        let mv = line.position().parse_move(text).map_err(|error| ReplayError { ply, reason: error.to_string() })?;
        on_ply(&line, mv);
        line.play(mv);
    }
    Ok(())
}
