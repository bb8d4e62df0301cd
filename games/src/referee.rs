//! When a game is over: what a program that plays games itself needs beyond the rules of moving.

use crate::line::Line;
use crate::position::{Game, Position};
use crate::record::{GameResult, Termination};

/// A game from its start: where it began, what was played, where it stands.
#[derive(Debug, Clone)]
pub struct Played<P: Position> {
    start: P,
    moves: Vec<P::Move>,
    line: Line<P>,
}

impl<P: Position> Played<P> {
    /// Begins at a position without history.
    #[must_use]
    pub fn from(start: P) -> Self {
        Self { line: Line::new(start.clone()), start, moves: Vec::new() }
    }

    /// Where it began.
    #[must_use]
    pub fn start(&self) -> &P {
        &self.start
    }

    /// What was played.
    #[must_use]
    pub fn moves(&self) -> &[P::Move] {
        &self.moves
    }

    /// Where it stands, with the history that repetitions need.
    #[must_use]
    pub fn line(&self) -> &Line<P> {
        &self.line
    }

    /// Where it stands.
    #[must_use]
    pub fn position(&self) -> &P {
        self.line.position()
    }

    /// Plays a legal move.
    ///
    /// # Panics
    /// May panic if `mv` is not legal here.
    pub fn play(&mut self, mv: P::Move) {
        self.line.play(mv);
        self.moves.push(mv);
    }
}

/// A game whose rules say when it is over.
pub trait Referee: Game {
    /// Result and ending, if the position reached ends the game without anybody's word: mate, stalemate, dead
    /// material, the threefold repetition and fifty moves in chess; mate, the fourfold repetition and perpetual check
    /// in shogi.
    fn verdict(played: &Played<Self::Position>) -> Option<(GameResult, Termination)> {
        let mut legal = Vec::new();
        played.position().legal_moves(&mut legal);
        Self::verdict_with(played, &legal)
    }

    /// The same where the legal moves of the position reached are known.
    fn verdict_with(
        played: &Played<Self::Position>,
        legal: &[<Self::Position as Position>::Move],
    ) -> Option<(GameResult, Termination)>;

    /// Whether the side to move may end the game with a win by declaring it (entering kings in shogi).
    fn may_declare_win(position: &Self::Position) -> bool;
}
