//! Mate in one move.

use crate::position::Position;

/// The legal moves that mate: they give check, and the opponent has no legal answer. In the order of
/// [`Position::legal_moves`]. Forbidden mates (shogi's pawn drop) are not legal moves, so they are not included.
pub fn mating_moves<P: Position>(position: &P) -> Vec<P::Move> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    mating_among(position, &moves)
}

/// The mating moves among these legal moves.
pub fn mating_among<P: Position>(position: &P, legal: &[P::Move]) -> Vec<P::Move> {
    let mut answers = Vec::new();
    let mut mates = |mv: P::Move| {
        // Few moves give check; only for these the move is made and answers are generated.
        position.gives_check(mv) && {
            let mut after = position.clone();
            after.play(mv);
            after.legal_moves(&mut answers);
            answers.is_empty()
        }
    };
    legal.iter().copied().filter(|&mv| mates(mv)).collect()
}
