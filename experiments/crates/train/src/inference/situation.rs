//! A game in progress and its positions, as a network sees them.

use super::readme::entry_name;
use config::RunConfig;
use games::{Game, InputLayout, Line, MovesName, Played, Position, Vocabulary};

pub type Move<G> = <<G as Game>::Position as Position>::Move;

/// A game in progress: its moves for the rules, and its history for the network's input.
#[derive(Debug)]
pub struct Situation<G: Game> {
    played: Played<G::Position>,
    line: Line<G::Position>,
    input: &'static InputLayout,
    moves: MovesName,
    earlier: Vec<EarlierPly>,
    keeps_plies: bool,
}

// A derived one would require that the game itself is `Clone`.
impl<G: Game> Clone for Situation<G> {
    fn clone(&self) -> Self {
        let (played, line, earlier) = (self.played.clone(), self.line.clone(), self.earlier.clone());
        Self { played, line, earlier, ..*self }
    }
}

impl<G: Game> Situation<G> {
    /// The beginning at `start`, for a network of this input and vocabulary. Packed rows of earlier plies are kept if `plies`,
    /// the network's sequence, is more than one.
    pub fn new(start: G::Position, input: &'static InputLayout, moves: MovesName, plies: usize) -> Self {
        let line = Line::for_input(start.clone(), input);
        let played = Played::from(start);
        Self { played, line, input, moves, earlier: Vec::new(), keeps_plies: plies > 1 }
    }

    /// The same for the network of a run. A network that comes from Lc0 sees missing history as Lc0 makes it up in play.
    pub fn of_run(start: G::Position, run: &RunConfig) -> Self {
        let situation = Self::new(start, G::input(run.input), run.moves, run.plies());
        Self { line: situation.line.filled(run.imported.is_some()), ..situation }
    }

    /// The same between players of these ratings, the first player's first.
    pub fn rated(self, ratings: [Option<i32>; 2]) -> Self {
        Self { line: self.line.rated(ratings), ..self }
    }

    pub fn position(&self) -> &G::Position {
        self.line.position()
    }

    /// The game so far, as the rules need it.
    pub fn played(&self) -> &Played<G::Position> {
        &self.played
    }

    /// Plays a legal move; other moves may panic.
    pub fn play(&mut self, mv: Move<G>) {
        if self.keeps_plies {
            let played = self.position().label(mv, self.moves, self.input.name.frame());
            self.earlier.push(EarlierPly { row: self.row(), played });
        }
        self.played.play(mv);
        self.line.play(mv);
    }

    /// The position for the network, without its moves.
    pub fn without_moves(&self, text: String) -> Request {
        let (row, earlier) = (self.row(), self.earlier.clone());
        Request { text, row, earlier, legal: Vec::new(), squares: self.input.geometry.squares() }
    }

    /// The position for the network, with its moves in the order of the rules.
    pub fn request(&self, text: String) -> Request {
        let (position, frame) = (self.position(), self.input.name.frame());
        let named = |mv: Move<G>| LegalMove {
            text: position.move_text(mv),
            index: position.label(mv, self.moves, frame),
            repetitions: self.line.repetitions_after(mv),
        };
        Request { legal: position.list_moves().into_iter().map(named).collect(), ..self.without_moves(text) }
    }

    fn row(&self) -> Vec<u8> {
        let mut row = vec![0; self.input.row_bytes()];
        self.line.pack(self.input, &mut row);
        row
    }

    /// The current position with the positions before it that the input shows.
    pub(super) fn line(&self) -> &Line<G::Position> {
        &self.line
    }
}

/// A position, ready for the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub text: String,
    /// The packed row of the cell's input.
    pub row: Vec<u8>,
    /// The plies before it, the earliest first.
    pub earlier: Vec<EarlierPly>,
    /// Its legal moves, in a fixed order for each position.
    pub legal: Vec<LegalMove>,
    pub squares: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierPly {
    pub row: Vec<u8>,
    pub played: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegalMove {
    pub text: String,
    pub index: u16,
    /// How often the position after it occurred before.
    pub repetitions: u8,
}

impl Request {
    /// The same, with the vocabulary's other entries after its legal moves.
    pub(super) fn with_all_moves(&self, moves: Vocabulary) -> Self {
        let is_illegal = |index: &u16| self.legal.iter().all(|legal| legal.index != *index);
        let others = (0..moves.len()).map(|index| index as u16).filter(is_illegal);
        let named = |index: u16| LegalMove { text: entry_name(moves, usize::from(index)), index, repetitions: 0 };
        let legal = self.legal.iter().cloned().chain(others.map(named)).collect();
        Self { legal, ..self.clone() }
    }

    /// The rows of a sequence of this many plies that ends with the position, and the position's index there: as much
    /// history as fits, then padding. A network that reads single positions gets one row.
    pub fn sequence(&self, plies: usize) -> (Vec<u8>, usize) {
        if plies == 1 {
            return (self.row.clone(), 0);
        }
        let known = self.earlier.len().min(plies - 1);
        let earlier = self.earlier[self.earlier.len() - known..].iter().map(|ply| (&ply.row, ply.played));
        let mut rows = Vec::with_capacity(plies * (self.row.len() + InputLayout::MOVE_BYTES));
        // The position itself has no played move.
        for (row, played) in earlier.chain([(&self.row, InputLayout::NO_MOVE)]) {
            rows.extend_from_slice(row);
            rows.extend(played.to_le_bytes());
        }
        for _ in known + 1..plies {
            rows.resize(rows.len() + self.row.len(), 0);
            rows.extend(InputLayout::NO_MOVE.to_le_bytes());
        }
        (rows, known)
    }
}
