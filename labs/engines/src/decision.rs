//! Search results of a position that posenc's rules accept.

use super::choose::choice_first;
use crate::engine::{Answer, Search};
use games::{Position, Score};

/// The engine's search result, checked by the rules.
pub(super) struct Decision {
    pub(super) best: String,
    /// Its score, from the mover's point of view.
    pub(super) score: Option<Score>,
    /// The legal moves that the search compared, the chosen one first; empty if one move was requested.
    pub(super) lines: Vec<(String, Score)>,
    /// Whether the engine answered with something else, and the best legal move that it compared replaces it.
    pub(super) was_refused: bool,
}

impl Decision {
    /// The legal part of a search for the `most` best moves; `None` if it has no legal move.
    pub(super) fn of<P: Position>(position: &P, search: &Search, most: usize) -> Option<Self> {
        // In posenc's notation: engines write castling in two ways.
        let legal = |text: &str| position.parse_move(text).ok().map(|mv| position.move_text(mv));
        let compared = search.lines.compared(most).into_iter();
        let lines: Vec<(String, Score)> = compared.filter_map(|(mv, score)| Some((legal(&mv)?, score))).collect();
        let answered = match &search.answer {
            Answer::Move(mv) => legal(mv).map(|legal| (legal, search.lines.score_of(mv))),
            _ => None,
        };
        let was_refused = answered.is_none();
        let (best, score) = answered.or_else(|| lines.first().map(|(mv, score)| (mv.clone(), Some(*score))))?;
        let lines = if most > 1 { choice_first(lines, &best, most) } else { Vec::new() };
        Some(Self { best, score, lines, was_refused })
    }
}
