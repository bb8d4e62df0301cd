//! Positions of a solved endgame.

use dataset::{Decided, Label, MadePosition};
use games::chess::endgame::{Ending, Solved, Value};
use games::chess::{Chess, ChessPosition};
use games::{GameResult, Position as _, Termination};

/// All positions of an endgame with a legal move, in a random order. White is the strong side in every one: networks
/// see positions from the side to move's view, where the colour-flipped position would be a duplicate, possibly in
/// another split.
pub(super) fn positions(ending: Ending, seed: u64) -> impl Iterator<Item = MadePosition> {
    let solved = Solved::new(ending);
    let mut placements: Vec<_> = ending.placements().collect();
    let stream = &["generate", "probe", "endgame", ending.name()];
    streams::shuffle(&mut streams::stream(seed, stream), &mut placements);
    placements.into_iter().filter_map(move |placement| label(&solved, &placement.position()))
}

fn label(solved: &Solved, position: &ChessPosition) -> Option<MadePosition> {
    let right = solved.keeping(position);
    let value = solved.value(position).filter(|_| !right.is_empty())?;
    let side = position.side_to_move();
    let (winner, value) = match value {
        Value::Win(_) => (Some(side), 1.0),
        Value::Draw => (None, 0.5),
        Value::Loss(_) => (Some(side.other()), 0.0),
    };
    let result = winner.map_or(GameResult::Draw, GameResult::won_by);
    // The label is exact, so the position is not played out.
    let termination = Termination::Adjudication;
    let decided = Some(Decided { result, termination, value });
    Some(MadePosition::new::<Chess>(position, Label::Moves { right, decided }))
}
