//! The plies of a game that batches contain.

use super::stored::{Candidates, StoredGame};
use crate::error::DatasetError;
use crate::playback::Move;
use games::{Game, IllegalMove, InputLayout, Line};

pub(super) struct Visit<'a, G: Game> {
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
        mut each: impl FnMut(Visit<'_, G>) -> Result<(), IllegalMove>,
    ) -> Result<(), DatasetError> {
        let mut plies = self.policy.as_ref().map(|policy| policy.plies());
        let mut wrong = None;
        self.play_through_for::<G>(layout, |line, played| {
            let ply = line.plies();
            let candidates = plies.as_mut().and_then(Iterator::next).unwrap_or_default();
            let used = self.used.as_ref().is_none_or(|used| used[ply]);
            if wrong.is_some() || !(used || in_sequence) {
                return;
            }
            let is_target = used && ply >= usize::from(self.policy_from_ply);
            wrong = each(Visit { line, played, candidates, used, is_target }).err().map(|error| (ply, error));
        })?;
        match wrong {
            None => Ok(()),
            Some((ply, error)) => Err(DatasetError::BadGame { game: self.id, ply, reason: error.to_string() }),
        }
    }
}
