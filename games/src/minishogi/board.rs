//! Pieces, and the squares that they attack. Squares are in the first player's view.

use super::Minishogi;
use crate::attacks::{SquareSet, reached};
use crate::conventions::Orientation;
use crate::geometry::Geometry;
use crate::movement::{AROUND, DIAGONALS, GOLD_STEPS, LINES, SILVER_STEPS, Step};
use crate::placement::Codes;
use crate::position::{Game, Side};

pub(super) const BOARD: Geometry = Minishogi::GEOMETRY;
pub(super) const SQUARES: usize = BOARD.squares();

/// A kind of piece, in the order of [`Game::PIECES`]; the first five can be in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    Pawn,
    Silver,
    Gold,
    Bishop,
    Rook,
    King,
    PromotedPawn,
    PromotedSilver,
    Horse,
    Dragon,
}

/// The kinds' letters in SFEN.
pub(super) const LETTERS: [&str; PieceKind::ALL.len()] = ["P", "S", "G", "B", "R", "K", "+P", "+S", "+B", "+R"];

pub(super) const CODES: Codes<{ PieceKind::ALL.len() }> = Codes(LETTERS);

/// The number of kinds that can be in hand.
pub(super) const HANDS: usize = 5;

/// How many pieces of each kind that can be in hand a set has.
pub(super) const TOTAL: u8 = 2;

impl PieceKind {
    pub(super) const ALL: [Self; 10] = [
        Self::Pawn,
        Self::Silver,
        Self::Gold,
        Self::Bishop,
        Self::Rook,
        Self::King,
        Self::PromotedPawn,
        Self::PromotedSilver,
        Self::Horse,
        Self::Dragon,
    ];

    pub(super) const fn promoted(self) -> Option<Self> {
        match self {
            Self::Pawn => Some(Self::PromotedPawn),
            Self::Silver => Some(Self::PromotedSilver),
            Self::Bishop => Some(Self::Horse),
            Self::Rook => Some(Self::Dragon),
            _ => None,
        }
    }

    pub(super) const fn unpromoted(self) -> Self {
        match self {
            Self::PromotedPawn => Self::Pawn,
            Self::PromotedSilver => Self::Silver,
            Self::Horse => Self::Bishop,
            Self::Dragon => Self::Rook,
            unpromoted => unpromoted,
        }
    }

    /// Single steps, and directions in which it moves until something stands in its way.
    const fn steps(self) -> [&'static [Step]; 2] {
        match self {
            Self::Pawn => [&[(0, 1)], &[]],
            Self::Silver => [SILVER_STEPS, &[]],
            Self::Gold | Self::PromotedPawn | Self::PromotedSilver => [GOLD_STEPS, &[]],
            Self::Bishop => [&[], DIAGONALS],
            Self::Rook => [&[], LINES],
            Self::King => [AROUND, &[]],
            Self::Horse => [LINES, DIAGONALS],
            Self::Dragon => [DIAGONALS, LINES],
        }
    }
}

pub(super) type Piece = (Side, PieceKind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Board(pub(super) [Option<Piece>; SQUARES]);

impl Board {
    pub(super) fn pieces(&self) -> impl Iterator<Item = (usize, Piece)> + '_ {
        self.0.iter().enumerate().filter_map(|(square, &piece)| Some((square, piece?)))
    }

    pub(super) fn king(&self, side: Side) -> Option<usize> {
        self.0.iter().position(|&piece| piece == Some((side, PieceKind::King)))
    }

    pub(super) fn attacks(&self, from: usize) -> SquareSet {
        let Some((side, kind)) = self.0[from] else { return SquareSet::default() };
        reached(BOARD, from, side, kind.steps(), |square| self.0[square].is_none())
    }

    pub(super) fn is_in_check(&self, side: Side) -> bool {
        self.king(side).is_some_and(|king| {
            let mut others = self.pieces().filter(|&(_, (owner, _))| owner != side);
            others.any(|(square, _)| self.attacks(square).contains(king))
        })
    }

    /// The pieces of a side that alone stand between its king and a slider.
    pub(super) fn pinned(&self, side: Side) -> SquareSet {
        let Some(king) = self.king(side) else { return SquareSet::default() };
        let pinned = |direction: &Step| {
            let mut pieces = BOARD.ray(king, *direction).filter_map(|square| Some((square, self.0[square]?)));
            let (near, (owner, _)) = pieces.next()?;
            let (_, (slider, kind)) = pieces.next()?;
            (owner == side && slider != side && kind.steps()[1].contains(direction)).then_some(near)
        };
        AROUND.iter().filter_map(pinned).collect()
    }
}

/// A square in a side's view, or one of that view in the first player's.
pub(super) const fn in_view(square: usize, side: Side) -> usize {
    match side {
        Side::First => square,
        Side::Second => Orientation::Turned.other_view(BOARD, square),
    }
}

/// The number of ranks ahead of a square for a side.
pub(super) const fn ranks_left(square: usize, side: Side) -> usize {
    BOARD.ranks() - 1 - BOARD.rank_of(in_view(square, side))
}
