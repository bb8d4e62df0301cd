//! Positions of a solved endgame.

use super::labelled;
use games::chess::ChessPosition;
use games::chess::endgame::{Ending, Solved, Value};
use games::{GameResult, ParsedPosition, Position as _, Side, Termination};

/// All positions of an endgame with a legal move, in a random order. White is the strong side in every one: networks
/// see positions from the side to move's view, where the colour-flipped position would be a duplicate, possibly in
/// another split.
pub(super) fn positions(ending: Ending, seed: u64) -> impl Iterator<Item = ParsedPosition> {
    let solved = Solved::new(ending);
    let mut placements: Vec<_> = ending.placements().collect();
    let stream = &["generate", "probe", "endgame", ending.name()];
    streams::shuffle(&mut streams::stream(seed, stream), &mut placements);
    placements.into_iter().filter_map(move |placement| label(&solved, &placement.position()))
}

fn label(solved: &Solved, position: &ChessPosition) -> Option<ParsedPosition> {
    let moves = solved.keeping(position);
    let value = solved.value(position).filter(|_| !moves.is_empty())?;
    let side = position.side_to_move();
    let (winner, value) = match value {
        Value::Win(_) => (Some(side), 1.0),
        Value::Draw => (None, 0.5),
        Value::Loss(_) => (Some(side.other()), 0.0),
    };
    let result = match winner {
        Some(Side::First) => GameResult::FirstWins,
        Some(Side::Second) => GameResult::SecondWins,
        None => GameResult::Draw,
    };
    // The label is exact, so the position is not played out.
    let termination = Termination::Adjudication;
    Some(ParsedPosition { result, termination, value: Some(value), ..labelled(position, &moves) })
}
