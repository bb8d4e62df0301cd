//! The legal moves of a position, and the places of stored candidates among them.

use crate::playback::Move;
use games::{Game, IllegalMove, MoveText, Position as _};

/// Legal moves, in storage that is used again for the next position.
pub(super) struct LegalMoves<G: Game> {
    moves: Vec<Move<G>>,
    /// Their texts as [numbers](MoveText::key), in the same order; empty until a candidate is looked up.
    texts: Vec<u64>,
}

impl<G: Game> Default for LegalMoves<G> {
    fn default() -> Self {
        Self { moves: Vec::new(), texts: Vec::new() }
    }
}

impl<G: Game> LegalMoves<G> {
    /// Replaces the moves by those of this position.
    pub(super) fn fill(&mut self, position: &G::Position) {
        position.legal_moves(&mut self.moves);
        self.texts.clear();
    }

    /// The moves, in the order of [`games::Position::legal_moves`].
    pub(super) fn moves(&self) -> &[Move<G>] {
        &self.moves
    }

    /// The place of a move of this position. To compare texts is several times faster than to read the move and to check
    /// that it is legal.
    pub(super) fn find(&mut self, position: &G::Position, text: &MoveText) -> Result<usize, IllegalMove> {
        if self.texts.is_empty() {
            self.texts.extend(self.moves.iter().map(|&mv| position.write_move(mv).key()));
        }
        let key = text.key();
        if let Some(place) = self.texts.iter().position(|&known| known == key) {
            return Ok(place);
        }
        let mv = position.parse_move(text)?;
        Ok(self.moves.iter().position(|&known| known == mv).expect("a legal move is in the list"))
    }
}
