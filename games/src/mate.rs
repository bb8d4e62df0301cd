//! Mate in one move.

use crate::position::Position;

/// The legal moves that mate: they give check, and the opponent has no legal answer. In the order of
/// [`Position::legal_moves`]. What the rules forbid as a way to mate (shogi's pawn drop) is not legal and so not here.
#[must_use]
pub fn mating_moves<P: Position>(position: &P) -> Vec<P::Move> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    mating_among(position, &moves)
}

/// Those of these legal moves that mate.
#[must_use]
pub fn mating_among<P: Position>(position: &P, legal: &[P::Move]) -> Vec<P::Move> {
    let mut answers = Vec::new();
    let mut mates = |mv: P::Move| {
        // Few moves give check: only then it pays to make the move and to look for answers.
        position.gives_check(mv) && {
            let mut after = position.clone();
            after.play(mv);
            after.legal_moves(&mut answers);
            answers.is_empty()
        }
    };
    legal.iter().copied().filter(|&mv| mates(mv)).collect()
}
