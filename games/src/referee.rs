//! The end of a game, for programs that play games.

use crate::line::Line;
use crate::position::{Game, Position};
use crate::record::{GameResult, Termination};

/// A game from its start: start position, moves, current position.
#[derive(Debug, Clone)]
pub struct Played<P: Position> {
    start: P,
    moves: Vec<P::Move>,
    line: Line<P>,
}

impl<P: Position> Played<P> {
    /// Begins at a position without history.
    pub fn from(start: P) -> Self {
        Self { line: Line::new(start.clone()), start, moves: Vec::new() }
    }

    /// The same with memory for this number of plies.
    pub fn with_room(start: P, plies: usize) -> Self {
        let mut played = Self::from(start);
        played.line.reserve(plies);
        played.moves.reserve(plies);
        played
    }

    /// The start position.
    pub fn start(&self) -> &P {
        &self.start
    }

    /// The moves.
    pub fn moves(&self) -> &[P::Move] {
        &self.moves
    }

    /// The current position, with the history that repetitions need.
    pub fn line(&self) -> &Line<P> {
        &self.line
    }

    /// The current position.
    pub fn position(&self) -> &P {
        self.line.position()
    }

    /// Plays a legal move. May panic if `mv` is not legal here.
    pub fn play(&mut self, mv: P::Move) {
        self.line.play(mv);
        self.moves.push(mv);
    }
}

/// A game whose rules determine when it ends.
pub trait Referee: Game {
    /// Result and ending, if the current position ends the game: mate, stalemate, dead material, the threefold
    /// repetition and fifty moves in chess; mate, the fourfold repetition and perpetual check in shogi.
    fn verdict(played: &Played<Self::Position>) -> Option<(GameResult, Termination)> {
        Self::verdict_with(played, &played.position().list_moves())
    }

    /// The result and ending, given the legal moves of the current position.
    fn verdict_with(
        played: &Played<Self::Position>,
        legal: &[<Self::Position as Position>::Move],
    ) -> Option<(GameResult, Termination)> {
        match legal {
            [] => Some(Self::verdict_without_moves(played.position())),
            _ => Self::verdict_with_moves(played),
        }
    }

    /// The result and ending of a position without a legal move; by default the side to move is checkmated.
    fn verdict_without_moves(position: &Self::Position) -> (GameResult, Termination) {
        (GameResult::won_by(position.side_to_move().other()), Termination::Checkmate)
    }

    /// The result and ending, if the game ends although the current position has a legal move.
    fn verdict_with_moves(played: &Played<Self::Position>) -> Option<(GameResult, Termination)>;

    /// Whether the side to move may declare a win (entering kings in shogi).
    fn may_declare_win(_position: &Self::Position) -> bool {
        false
    }
}

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
