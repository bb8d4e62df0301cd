//! A position that posenc's own rules made, with its exact label: its row needs no check.

use crate::build::{Draft, fingerprint};
use crate::playback::Move;
use crate::split::{group, without_counters};
use crate::store::GameRow;
use games::{Game, GameResult, Position as _, Termination};

/// The exact label of a position.
#[derive(Debug, Clone, PartialEq)]
pub enum Label<M> {
    /// At least one legal move, all equally right.
    Moves {
        right: Vec<M>,
        /// The game's end under best play, if it is known.
        decided: Option<Decided>,
    },
    /// A map of the board, with a legal move, which a row must have; it is not a policy target.
    Map { mv: M, labels: Vec<i8> },
}

/// The end of a game under best play.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decided {
    pub result: GameResult,
    pub termination: Termination,
    /// Winning probability of the side to move.
    pub value: f32,
}

/// A labelled position as the row that it becomes.
#[derive(Debug)]
pub struct MadePosition {
    pub(crate) draft: Draft,
    /// The number of the game that it comes from, if games give several.
    pub(super) game: Option<u64>,
}

impl MadePosition {
    pub fn new<G: Game>(position: &G::Position, label: Label<Move<G>>) -> Self {
        let start = position.to_text();
        let text = without_counters(G::KIND, &start);
        let row = GameRow { plies: 1, group: Some(group(&text)), start: Some(start), ..GameRow::default() };
        let row = match label {
            Label::Moves { right, decided } => {
                let share = 1.0 / right.len() as f32;
                let candidates: Vec<_> = right.iter().map(|&mv| (position.move_text(mv), share)).collect();
                // The last of the most probable, as for other positions.
                let moves = candidates.last().map(|(mv, _)| mv.clone()).unwrap_or_default();
                let row = GameRow { moves, value: vec![None], policy: Some(vec![candidates]), ..row };
                match decided {
                    Some(Decided { result, termination, value }) => {
                        GameRow { result, termination, value: vec![Some(value)], ..row }
                    }
                    None => row,
                }
            }
            Label::Map { mv, labels } => {
                GameRow { moves: position.move_text(mv), value: vec![None], map: Some(vec![labels]), ..row }
            }
        };
        let fingerprint = Some(fingerprint(Some(&text), ""));
        Self {
            draft: Draft { row, keys: vec![position.repetition_key()], fingerprint, together: Some(text) },
            game: None,
        }
    }

    pub fn key(&self) -> u64 {
        self.draft.keys[0]
    }

    /// One of several positions of a game: all of them go to one split and form one group.
    pub fn of_game(mut self, number: u64) -> Self {
        let game = format!("game {number}");
        self.draft.row.group = Some(group(&game));
        self.draft.together = Some(game);
        self.game = Some(number);
        self
    }
}
