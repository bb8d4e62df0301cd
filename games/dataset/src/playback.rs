//! Replays a stored game.

use games::{Game, InputLayout, Line, Position};

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
    play_line::<G>(start, moves, Line::new, on_ply)
}

/// Like [`play_through`], with lines that have what an input shows: the history, and the players' `ratings`.
pub(crate) fn play_through_for<G: Game>(
    layout: &InputLayout,
    ratings: [Option<i32>; 2],
    start: Option<&str>,
    moves: &str,
    on_ply: impl FnMut(&Line<G::Position>, Move<G>),
) -> Result<(), ReplayError> {
    play_line::<G>(start, moves, |position| Line::for_input(position, layout).rated(ratings), on_ply)
}

fn play_line<G: Game>(
    start: Option<&str>,
    moves: &str,
    begin: impl FnOnce(G::Position) -> Line<G::Position>,
    mut on_ply: impl FnMut(&Line<G::Position>, Move<G>),
) -> Result<(), ReplayError> {
    let start = match start {
        None => G::Position::start(),
        Some(text) => G::Position::parse(text).map_err(|error| ReplayError { ply: 0, reason: error.to_string() })?,
    };
    let mut line = begin(start);
    for (ply, text) in moves.split_ascii_whitespace().enumerate() {
        let mv = line.position().parse_move(text).map_err(|error| ReplayError { ply, reason: error.to_string() })?;
        on_ply(&line, mv);
        line.play(mv);
    }
    Ok(())
}
