//! Attacked squares and pinned pieces.
//!
//! A piece attacks the squares on which it could capture at once if an opponent's piece were there, whether or not its
//! own king would then be safe. So a piece's own side is attacked too (defended), pins do not matter, and any piece
//! blocks a slider. Pawns attack the squares on which they capture. Castling, en passant and drops attack nothing.

use crate::geometry::Geometry;
use crate::movement::Step;
use crate::position::{Game, Side};

/// A set of squares, as bits in the frame of the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SquareSet(u128);

impl SquareSet {
    /// The squares whose bits are set.
    pub(crate) const fn of_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// Adds a square. Panics if the square is beyond the largest board.
    pub fn insert(&mut self, square: usize) {
        self.0 |= 1 << square;
    }

    /// Whether the square is in the set.
    pub const fn contains(self, square: usize) -> bool {
        self.0 >> square & 1 == 1
    }

    /// Its squares, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let first = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(first)
        })
    }

    /// How many squares are in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The intersection.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The union.
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

/// The pieces of a position, and which of them are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pieces {
    /// Squares of the side to move's pieces.
    pub own: SquareSet,
    /// Squares of the opponent's pieces.
    pub opponent: SquareSet,
    /// Pieces of both sides that are pinned to their king: each is the only piece between its king and an opponent's
    /// slider that would attack the king without it. Whether it can still move along the line does not matter.
    pub pinned: SquareSet,
}

/// The squares that each side attacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attacked {
    /// By the side to move.
    pub own: SquareSet,
    /// By the opponent.
    pub opponent: SquareSet,
}

/// A game with known attacks.
pub trait Tactics: Game {
    /// The largest number of squares to which a single piece can have legal moves: the queen's 27, the promoted
    /// bishop's 20.
    const MAX_TARGETS: u16;

    /// The customary worth of each of [`Game::PIECES`], the same order; only its order matters, and the king is above all.
    const WORTH: &'static [u8];

    /// The pieces that move along lines until something stands in their way, by their letters in FEN and SFEN.
    const SLIDERS: &'static [&'static str];

    /// The pieces of a position.
    fn pieces(position: &Self::Position) -> Pieces;

    /// For each square, the squares that its piece attacks; empty for an empty square.
    fn attacks(position: &Self::Position) -> Vec<SquareSet>;

    /// The squares that the pieces of each side attack: the unions of [`Self::attacks`]. Games override it where that is cheaper.
    fn attacked(position: &Self::Position) -> Attacked {
        let (pieces, attacks) = (Self::pieces(position), Self::attacks(position));
        let by = |side: SquareSet| side.iter().fold(SquareSet::default(), |all, from| all.or(attacks[from]));
        Attacked { own: by(pieces.own), opponent: by(pieces.opponent) }
    }
}

/// The squares that a side's piece attacks, given its single steps and the directions in which it moves until something stands in
/// its way, as its player sees the board.
pub(crate) fn reached(
    board: Geometry,
    from: usize,
    side: Side,
    [single, sliding]: [&[Step]; 2],
    is_empty: impl Fn(usize) -> bool,
) -> SquareSet {
    let ahead = if side == Side::First { 1 } else { -1 };
    let seen = |&(files, ranks): &Step| (files * ahead, ranks * ahead);
    let mut attacked: SquareSet = single.iter().filter_map(|step| board.stepped(from, seen(step))).collect();
    for step in sliding {
        for to in board.ray(from, seen(step)) {
            attacked.insert(to);
            if !is_empty(to) {
                break;
            }
        }
    }
    attacked
}
