//! Who attacks which square, and who is pinned.
//!
//! A piece attacks the squares on which it could capture at once if an opponent's piece stood there, whether or not its
//! own king would then be safe: a piece's own side is attacked too (it is defended), pins do not matter, and whatever
//! stands in a slider's way blocks it. Pawns attack where they capture, not where they go. Castling, en passant and
//! drops attack nothing.

use crate::position::Game;

/// A set of squares, as bits in the frame of the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SquareSet(u128);

impl SquareSet {
    /// Adds a square.
    ///
    /// # Panics
    /// If no board is so large.
    pub fn insert(&mut self, square: usize) {
        self.0 |= 1 << square;
    }

    /// Whether the square is in the set.
    #[must_use]
    pub const fn contains(self, square: usize) -> bool {
        self.0 >> square & 1 == 1
    }

    /// How many squares are in the set.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether no square is.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// What is in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in either set.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<usize> for SquareSet {
    fn from_iter<I: IntoIterator<Item = usize>>(squares: I) -> Self {
        let mut set = Self::default();
        squares.into_iter().for_each(|square| set.insert(square));
        set
    }
}

/// Where pieces stand, and which of them are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pieces {
    /// Where the side to move has pieces.
    pub own: SquareSet,
    /// Where the opponent has.
    pub opponent: SquareSet,
    /// Pieces of both sides that are pinned to their king: each stands alone between its king and an opponent's slider
    /// that would attack the king without it. Whether it can still move (along the line) does not matter.
    pub pinned: SquareSet,
}

/// A game whose attacks are known.
pub trait Tactics: Game {
    /// To how many squares a single piece can ever have legal moves: the queen's 27, the promoted bishop's 20.
    const MOST_TARGETS: u16;

    /// The customary worth of each of [`Game::PIECES`], the same order; only its order matters, and the king is above all.
    const WORTH: &'static [u8];

    /// The pieces of a position.
    fn pieces(position: &Self::Position) -> Pieces;

    /// For each square, what the piece on it attacks; nothing where there is none.
    fn attacks(position: &Self::Position) -> Vec<SquareSet>;
}
