//! Mate in one move.

use crate::position::Position;

/// The legal moves that mate: they give check, and the opponent has no legal answer. In the order of
/// [`Position::legal_moves`]. What the rules forbid as a way to mate (shogi's pawn drop) is not legal and so not here.
#[must_use]
pub fn mating_moves<P: Position>(position: &P) -> Vec<P::Move> {
    let (mut moves, mut answers) = (Vec::new(), Vec::new());
    position.legal_moves(&mut moves);
    moves.retain(|&mv| {
        let mut after = position.clone();
        after.play(mv);
        // Few moves give check: only then it pays to look for answers.
        after.in_check() && {
            after.legal_moves(&mut answers);
            answers.is_empty()
        }
    });
    moves
}
