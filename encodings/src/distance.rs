//! Distances of two squares, each a function of their displacement.

use crate::displacements::Displacement;
use games::Geometry;
use nn::Constant;
use serde::{Deserialize, Serialize};

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
