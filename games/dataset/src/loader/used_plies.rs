//! The plies of a game that batches contain, and their legal moves.

use super::stored::{Candidates, StoredGame};
use crate::error::DatasetError;
use crate::playback::Move;
use games::{Game, IllegalMove, InputLayout, Line, MoveText, Position as _};

pub(super) struct VisitedPly<'a, G: Game> {
    pub(super) line: &'a Line<G::Position>,
    pub(super) played: Move<G>,
    pub(super) candidates: Candidates<'a>,
    /// Whether it is one of the dataset's positions. In a sequence the others serve as context.
    pub(super) used: bool,
    pub(super) is_target: bool,
}

impl StoredGame {
    /// Replays the game and visits its used positions, in a sequence all of its plies. An error if the game cannot be
    /// replayed, or at the first ply for which `each` reports an illegal move.
    pub(super) fn visit<G: Game>(
        &self,
        layout: &InputLayout,
        in_sequence: bool,
        mut each: impl FnMut(VisitedPly<'_, G>) -> Result<(), IllegalMove>,
    ) -> Result<(), DatasetError> {
        let mut plies = self.policy.as_ref().map(|policy| policy.plies());
        let mut wrong = None;
        // With what the input shows of a game: the history, and the players' ratings.
        let begin = |start| Line::for_input(start, layout).rated(self.ratings);
        self.play_from::<G>(begin, |line, played| {
            let ply = line.plies();
            let candidates = plies.as_mut().and_then(Iterator::next).unwrap_or_default();
            let used = self.is_used(ply);
            if wrong.is_some() || !(used || in_sequence) {
                return;
            }
            let is_target = used && ply >= usize::from(self.policy_from_ply);
            wrong = each(VisitedPly { line, played, candidates, used, is_target }).err().map(|error| (ply, error));
        })?;
        match wrong {
            None => Ok(()),
            Some((ply, error)) => Err(DatasetError::BadGame { game: self.id, ply, reason: error.to_string() }),
        }
    }
}

/// Legal moves, in storage that is used again for the next position.
pub(super) struct LegalMoves<G: Game> {
    /// In the order of [`games::Position::legal_moves`].
    pub(super) moves: Vec<Move<G>>,
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
