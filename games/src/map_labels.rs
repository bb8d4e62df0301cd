//! Labels for every square or pair of squares that follow from the rules: the targets of probes.
//!
//! Squares are numbered in the frame of the side to move ([`crate::geometry`]), so a label's index is that of the
//! square's token. [`NO_LABEL`] marks cells without a label.

use crate::attacks::{Attacked, Pieces, SquareSet, Tactics};
use crate::position::Position;
use crate::vocabulary::Entry;
use serde::{Deserialize, Serialize};

/// Marks a cell without a label.
pub const NO_LABEL: i8 = -1;

/// The cells of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MapShape {
    /// A cell for each square.
    Squares,
    /// A cell for each pair of squares, at `from · squares + to`.
    Pairs,
}

impl MapShape {
    /// The number of cells on a board with this many squares.
    pub const fn cells(self, squares: usize) -> usize {
        match self {
            Self::Squares => squares,
            Self::Pairs => squares * squares,
        }
    }
}

crate::named! {
    /// A question about every cell. [`crate::attacks`] defines attacks and pins.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum MapTask {
        /// For each square: who attacks it? 0 nobody, 1 only the side to move, 2 only the opponent, 3 both.
        AttackedSquares = "attacked-squares",
        /// For each piece of the side to move: the number of squares to which it has legal moves. Promotions of one move
        /// count once, castling counts as one. Other squares have no label.
        Mobility = "mobility",
        /// For each pair of squares: 1 if the piece on the first attacks the second, otherwise 0.
        Attackers = "attackers",
        /// For each piece: 0 not pinned to its king, 1 pinned and the side to move's, 2 pinned and the opponent's. Empty
        /// squares have no label.
        Pins = "pins",
    }
}

impl MapTask {
    /// The task of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|task| task.name() == name)
    }

    /// The cells that it labels.
    pub const fn shape(self) -> MapShape {
        match self {
            Self::Attackers => MapShape::Pairs,
            Self::AttackedSquares | Self::Mobility | Self::Pins => MapShape::Squares,
        }
    }

    /// The number of its classes in a game. Mobility has one for every possible number.
    pub fn classes<G: Tactics>(self) -> u16 {
        match self {
            Self::Mobility => G::MAX_TARGETS + 1,
            Self::AttackedSquares | Self::Attackers | Self::Pins => self.class_names().len() as u16,
        }
    }

    /// The names of its classes; empty if the classes are numbers.
    pub const fn class_names(self) -> &'static [&'static str] {
        match self {
            Self::AttackedSquares => &["nobody", "own", "opponent", "both"],
            Self::Mobility => &[],
            Self::Attackers => &["no", "yes"],
            Self::Pins => &["free", "own pinned", "opponent pinned"],
        }
    }

    /// The labels of a position, one for each cell.
    pub fn labels<G: Tactics>(self, position: &G::Position) -> Vec<i8> {
        match self {
            Self::AttackedSquares => attacked_squares(G::attacked(position), G::GEOMETRY.squares()),
            Self::Mobility => mobility::<G>(position),
            Self::Attackers => attackers(&G::attacks(position)),
            Self::Pins => pins(G::pieces(position), G::GEOMETRY.squares()),
        }
    }
}

fn attacked_squares(attacked: Attacked, squares: usize) -> Vec<i8> {
    let label = |square| i8::from(attacked.own.contains(square)) + 2 * i8::from(attacked.opponent.contains(square));
    (0..squares).map(label).collect()
}

fn mobility<G: Tactics>(position: &G::Position) -> Vec<i8> {
    let entries = G::from_to().entries();
    let mut targets = vec![SquareSet::default(); G::GEOMETRY.squares()];
    for mv in position.list_moves() {
        match entries[usize::from(position.move_index(mv))] {
            Entry::Plain { from, to } | Entry::Promotion { from, to, .. } => {
                targets[usize::from(from)].insert(to.into());
            }
            Entry::Drop { .. } => {}
        }
    }
    let own = G::pieces(position).own;
    let label = |(square, targets): (usize, &SquareSet)| match own.contains(square) {
        true => targets.len() as i8,
        false => NO_LABEL,
    };
    targets.iter().enumerate().map(label).collect()
}

fn attackers(attacks: &[SquareSet]) -> Vec<i8> {
    let squares = attacks.len();
    attacks.iter().flat_map(|targets| (0..squares).map(move |to| i8::from(targets.contains(to)))).collect()
}

fn pins(pieces: Pieces, squares: usize) -> Vec<i8> {
    let label = |square| match (pieces.own.contains(square), pieces.opponent.contains(square)) {
        (false, false) => NO_LABEL,
        _ if !pieces.pinned.contains(square) => 0,
        (true, _) => 1,
        (false, _) => 2,
    };
    (0..squares).map(label).collect()
}
