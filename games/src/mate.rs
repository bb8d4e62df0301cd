//! Mate in one move.

use crate::position::Position;

/// The mating moves among these legal moves, in the same order: they give check, and the opponent has no legal answer.
pub fn mating_among<P: Position>(position: &P, legal: &[P::Move]) -> Vec<P::Move> {
    let mut answers = Vec::new();
    let mut mates = |mv: P::Move| {
        // Few moves give check; only for these the move is made and answers are generated.
        position.gives_check(mv) && {
            position.after(mv).legal_moves(&mut answers);
            answers.is_empty()
        }
    };
    legal.iter().copied().filter(|&mv| mates(mv)).collect()
}
