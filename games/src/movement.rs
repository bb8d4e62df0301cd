//! Movements of pieces as sets of displacements.

/// Files to the right and ranks ahead, from the query's square to the key's, as the side to move sees the board.
pub type Step = (isize, isize);

pub(crate) const LINES: &[Step] = &[(0, 1), (0, -1), (1, 0), (-1, 0)];
pub(crate) const DIAGONALS: &[Step] = &[(1, 1), (1, -1), (-1, 1), (-1, -1)];
/// The four lines, then the four diagonals.
pub(crate) const AROUND: &[Step] = &[(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)];
pub(crate) const GOLD_STEPS: &[Step] = &[(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)];
pub(crate) const SILVER_STEPS: &[Step] = &[(-1, 1), (0, 1), (1, 1), (-1, -1), (1, -1)];

crate::named! {
    /// A set of displacements. Forward is where the side to move's pawns go; `…_back` is the same movement of the opponent.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Movement {
        /// The same rank.
        Rank = "rank",
        /// The same file.
        File = "file",
        /// The same rank or file.
        Rook = "rook",
        /// The diagonal from the lower left to the upper right.
        Diagonal = "diagonal",
        /// The diagonal from the upper left to the lower right.
        AntiDiagonal = "anti-diagonal",
        /// The same diagonal, of either direction.
        Bishop = "bishop",
        /// The same rank, file or diagonal.
        Queen = "queen",
        /// The eight jumps of a chess knight.
        Knight = "knight",
        /// The eight neighbours: a distance, not a direction.
        King = "king",
        /// The two squares that a chess pawn attacks.
        Pawn = "pawn",
        /// The same of the opponent's pawn.
        PawnBack = "pawn back",
        /// The squares ahead on the same file.
        Lance = "lance",
        /// The same of the opponent's lance.
        LanceBack = "lance back",
        /// The two jumps of a shogi knight.
        ShogiKnight = "shogi knight",
        /// The same of the opponent's knight.
        ShogiKnightBack = "shogi knight back",
        /// The five steps of a silver general.
        Silver = "silver",
        /// The same of the opponent's silver.
        SilverBack = "silver back",
        /// The six steps of a gold general.
        Gold = "gold",
        /// The same of the opponent's gold.
        GoldBack = "gold back",
    }
}

impl Movement {
    /// Whether the movement is a set of distances, so that distance explains all of it.
    pub const fn is_distance(self) -> bool {
        matches!(self, Self::King)
    }

    /// Whether it contains a displacement. None contains the square itself.
    pub const fn contains(self, (file, rank): Step) -> bool {
        if file == 0 && rank == 0 {
            return false;
        }
        let back = (file, -rank);
        match self {
            Self::Rank => rank == 0,
            Self::File => file == 0,
            Self::Rook => file == 0 || rank == 0,
            Self::Diagonal => file == rank,
            Self::AntiDiagonal => file == -rank,
            Self::Bishop => file.abs() == rank.abs(),
            Self::Queen => file == 0 || rank == 0 || file.abs() == rank.abs(),
            Self::Knight => matches!((file.abs(), rank.abs()), (1, 2) | (2, 1)),
            Self::King => distance((file, rank)) == 1,
            Self::Pawn => file.abs() == 1 && rank == 1,
            Self::PawnBack => Self::Pawn.contains(back),
            Self::Lance => file == 0 && rank > 0,
            Self::LanceBack => Self::Lance.contains(back),
            Self::ShogiKnight => file.abs() == 1 && rank == 2,
            Self::ShogiKnightBack => Self::ShogiKnight.contains(back),
            Self::Silver => matches!((file, rank), (-1..=1, 1) | (-1 | 1, -1)),
            Self::SilverBack => Self::Silver.contains(back),
            Self::Gold => matches!((file, rank), (-1..=1, 1) | (-1 | 1, 0) | (0, -1)),
            Self::GoldBack => Self::Gold.contains(back),
        }
    }
}

/// The number of king's moves.
pub const fn distance((file, rank): Step) -> usize {
    let (files, ranks) = (file.unsigned_abs(), rank.unsigned_abs());
    if files > ranks { files } else { ranks }
}
