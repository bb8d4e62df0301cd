//! Displacements of two squares: their distances, the classes of pairs in which relative encodings share parameters, and logits
//! that are a function of the head and of the displacement.
//!
//! For such logits an encoding computes one number per head and class of displacement, once for all positions of a batch, and
//! every pair of tokens takes that of its class. The classes are those of [`PairClasses`], so such an encoding sees tokens by
//! their displacement on the torus only.

use crate::Tokens;
use games::Geometry;
use nn::{Constant, Init, PairClasses, ParamId, Scope};
use serde::{Deserialize, Serialize};
use tch::Tensor;

/// From the square of the key to the square of the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Displacement {
    /// Rank of the query less that of the key.
    pub ranks: i64,
    /// File of the query less that of the key.
    pub files: i64,
}

impl Displacement {
    /// Every displacement of a board, in the order of [`Geometry::displacement_class`].
    pub fn all(board: Geometry) -> Vec<Self> {
        let largest = |size: usize| size as i64 - 1;
        let along = |size: usize| -largest(size)..=largest(size);
        along(board.ranks()).flat_map(|ranks| along(board.files()).map(move |files| Self { ranks, files })).collect()
    }

    /// Its class on a board; `None` where the board is too small for it.
    pub fn class_on(self, board: Geometry) -> Option<usize> {
        let along =
            |size: usize, steps: i64| usize::try_from(steps + size as i64 - 1).ok().filter(|&i| i < 2 * size - 1);
        Some((2 * board.files() - 1) * along(board.ranks(), self.ranks)? + along(board.files(), self.files)?)
    }

    /// A constant `[classes]` that is this function of every displacement of a board.
    pub(crate) fn numbers(board: Geometry, of: impl Fn(Self) -> f64 + Send + 'static) -> Constant {
        Constant::floats_from(&[board.displacement_classes() as i64], move || {
            Self::all(board).into_iter().map(|displacement| of(displacement) as f32).collect()
        })
    }
}

/// How far two squares are from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// Ranks and files together: steps of a wazir.
    L1,
    /// The larger of ranks and files: steps of a king.
    Chebyshev,
    /// The length of the straight line.
    Euclidean,
    /// The fewest moves of a chess knight on a board without an edge.
    Knight,
}

impl Distance {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::L1, Self::Chebyshev, Self::Euclidean, Self::Knight];

    /// The distance of two squares with this displacement.
    pub fn of(self, displacement: Displacement) -> f64 {
        let (ranks, files) = (displacement.ranks.unsigned_abs(), displacement.files.unsigned_abs());
        match self {
            Self::L1 => (ranks + files) as f64,
            Self::Chebyshev => ranks.max(files) as f64,
            Self::Euclidean => (ranks as f64).hypot(files as f64),
            Self::Knight => knight_moves(ranks.max(files), ranks.min(files)) as f64,
        }
    }

    /// The distance of every class of displacements of a board, `[classes]`.
    pub(crate) fn numbers(self, board: Geometry) -> Constant {
        Displacement::numbers(board, move |displacement| self.of(displacement))
    }
}

/// The fewest knight moves over `long` ≥ `short` squares: a move covers at most 2 of the longer side and 3 of both, and
/// changes the colour of the square. Two displacements take more than these bounds.
fn knight_moves(long: u64, short: u64) -> u64 {
    match (long, short) {
        (1, 0) => 3,
        (2, 2) => 4,
        _ => {
            let least = long.div_ceil(2).max((long + short).div_ceil(3));
            least + (least + long + short) % 2
        }
    }
}

/// Which pairs of tokens share a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairSharing {
    /// Pairs of squares with the same displacement in files and ranks.
    Displacement,
    /// None: every pair has its own.
    Pair,
}

impl PairSharing {
    /// The classes of a sequence. By displacement these are [`games::Geometry::displacement_class`] for two squares (on the torus,
    /// if squares outside the board [hide its edge](Tokens::hide_edge)) and, only if some token has no square, one class
    /// each for square → auxiliary, auxiliary → square and auxiliary → auxiliary.
    pub fn classes(self, tokens: &Tokens) -> PairClasses {
        if self == Self::Pair {
            return PairClasses::own(tokens.len());
        }
        let on_board = tokens.geometry().displacement_classes();
        let count = on_board + if tokens.has_aux() { 3 } else { 0 };
        let sequence = tokens.clone();
        PairClasses::shared(tokens.len(), count, move |query, key| match (sequence.place(query), sequence.place(key)) {
            (Some(query), Some(key)) => sequence.geometry().class_on_torus(query, key),
            (Some(_), None) => on_board,
            (None, Some(_)) => on_board + 1,
            (None, None) => on_board + 2,
        })
    }
}

/// Pairs of tokens and the logits of their displacements.
#[derive(Debug)]
pub(crate) struct ByDisplacement {
    classes: PairClasses,
    has_aux: bool,
}

impl ByDisplacement {
    pub(crate) fn new(tokens: &Tokens) -> Self {
        Self { classes: PairSharing::Displacement.classes(tokens), has_aux: tokens.has_aux() }
    }

    /// Declares `aux [h,3]`, starting at zero, if some token has no square: the numbers of square → auxiliary, auxiliary →
    /// square and auxiliary → auxiliary.
    pub(crate) fn declare_aux(&self, scope: &mut Scope<'_>, heads: usize) -> Option<ParamId> {
        self.has_aux.then(|| scope.f32_param("aux", &[heads as i64, 3], Init::ZEROS))
    }

    /// `[h, classes]`, and for pairs with auxiliary tokens `[h, 3]` or else 0, as logits `[h,l,l]`.
    pub(crate) fn logits(&self, by_class_hc: &Tensor, aux_h3: Option<&Tensor>) -> Tensor {
        match (self.has_aux, aux_h3) {
            (false, _) => self.classes.expand(by_class_hc),
            (true, Some(aux)) => self.classes.expand(&Tensor::cat(&[by_class_hc, aux], 1)),
            (true, None) => self.classes.expand(&by_class_hc.constant_pad_nd([0, 3])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameKind;

    #[test]
    fn a_smaller_board_has_the_inner_displacements() {
        let [chess, shogi] = [GameKind::Chess, GameKind::Shogi].map(GameKind::geometry);
        let on_chess = |displacement: &Displacement| displacement.class_on(chess);
        let inner: Vec<usize> = Displacement::all(shogi).iter().filter_map(on_chess).collect();
        assert_eq!(inner, (0..chess.displacement_classes()).collect::<Vec<_>>(), "each one once, in their order");
        let largest = Displacement { ranks: shogi.ranks() as i64 - 1, files: 0 };
        assert_eq!((largest.class_on(chess), largest.class_on(shogi).is_some()), (None, true));
    }
}
