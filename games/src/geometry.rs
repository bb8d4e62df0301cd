//! Square order, flips, displacement classes and square relations; no other module defines them.
//!
//! A square is an index `rank * files + file` in a [`Frame`], usually that of the side to move: rank 0 is that side's own back
//! rank, file 0 the leftmost file as its player of the first colour sees it (chess: the a-file for both colours,
//! because Black's board is mirrored by rank; shogi: file 9 for Black and file 1 for White, because White's board
//! is rotated by 180°). Every network of posenc sees its squares in this order.

use serde::{Deserialize, Serialize};

/// The view in which squares, pieces' colours and moves are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// The side to move's view.
    SideToMove,
    /// The view of the player who moves first in a game (chess: White), whoever is to move.
    FirstPlayer,
}

impl Frame {
    /// Whose view it is, for messages.
    pub const fn viewer(self) -> &'static str {
        match self {
            Self::SideToMove => "the side to move",
            Self::FirstPlayer => "the first player",
        }
    }
}

/// The size of a board, and everything derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Geometry {
    files: usize,
    ranks: usize,
}

/// The relation of two squares, finest first: which piece could connect them in one move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The same square.
    Same,
    /// On one rank.
    Rank,
    /// On one file.
    File,
    /// On one diagonal, of either direction.
    Diagonal,
    /// A chess knight's jump apart.
    Knight,
    /// None of these.
    Other,
}

impl Relation {
    /// Whether a queen's ray connects the squares.
    pub(crate) const fn is_line(self) -> bool {
        matches!(self, Self::Rank | Self::File | Self::Diagonal)
    }
}

impl Geometry {
    /// A board of `files` × `ranks`.
    pub const fn new(files: usize, ranks: usize) -> Self {
        Self { files, ranks }
    }

    /// Number of files.
    pub const fn files(&self) -> usize {
        self.files
    }

    /// Number of ranks.
    pub const fn ranks(&self) -> usize {
        self.ranks
    }

    /// Number of squares.
    pub const fn squares(&self) -> usize {
        self.files * self.ranks
    }

    /// The index of a square.
    pub const fn square(&self, file: usize, rank: usize) -> usize {
        rank * self.files + file
    }

    /// The file of a square, 0 at the left.
    pub const fn file_of(&self, square: usize) -> usize {
        square % self.files
    }

    /// The rank of a square, 0 at the side to move's own back rank.
    pub const fn rank_of(&self, square: usize) -> usize {
        square / self.files
    }

    /// The square with its rank mirrored, as chess does for Black.
    pub const fn mirror_ranks(&self, square: usize) -> usize {
        self.square(self.file_of(square), self.ranks - 1 - self.rank_of(square))
    }

    /// The square rotated by 180°, as shogi does for White.
    pub const fn rotate(&self, square: usize) -> usize {
        self.squares() - 1 - square
    }

    /// The square that lies this many files to the right and ranks ahead of another; `None` beyond the board.
    pub fn stepped(self, from: usize, (files, ranks): (isize, isize)) -> Option<usize> {
        let file = self.file_of(from).checked_add_signed(files).filter(|&file| file < self.files)?;
        let rank = self.rank_of(from).checked_add_signed(ranks).filter(|&rank| rank < self.ranks)?;
        Some(self.square(file, rank))
    }

    /// The squares in the direction of a step, the nearest first.
    pub fn ray(self, from: usize, step: (isize, isize)) -> impl Iterator<Item = usize> {
        std::iter::successors(self.stepped(from, step), move |&square| self.stepped(square, step))
    }

    /// How many displacements two squares can have: `(2F−1)(2R−1)`.
    pub const fn displacement_classes(&self) -> usize {
        (2 * self.files - 1) * (2 * self.ranks - 1)
    }

    /// The class of the displacement from key `k` to query `q`:
    /// `(2F−1)·(rank_q − rank_k + R−1) + (file_q − file_k + F−1)` (chess: the index of Lc0's training code).
    pub const fn displacement_class(&self, q: usize, k: usize) -> usize {
        self.class_on_torus((self.file_of(q), self.rank_of(q)), (self.file_of(k), self.rank_of(k)))
    }

    /// The files and ranks of the smallest torus on which two squares of the board keep their displacement: 2F−1 and 2R−1.
    pub const fn torus(&self) -> (usize, usize) {
        (2 * self.files - 1, 2 * self.ranks - 1)
    }

    /// The class of the displacement from key to query, each `(file, rank)` on the [torus](Self::torus), where a step
    /// beyond its last file or rank leads to its first: every place sees each class exactly once. On the board it is
    /// [`Self::displacement_class`].
    pub const fn class_on_torus(&self, q: (usize, usize), k: (usize, usize)) -> usize {
        let (files, ranks) = self.torus();
        let (file, rank) = ((q.0 + files + self.files - 1 - k.0) % files, (q.1 + ranks + self.ranks - 1 - k.1) % ranks);
        files * rank + file
    }

    /// The relation of two squares.
    pub const fn relation(&self, a: usize, b: usize) -> Relation {
        let ranks = self.rank_of(a).abs_diff(self.rank_of(b));
        let files = self.file_of(a).abs_diff(self.file_of(b));
        match (files, ranks) {
            (0, 0) => Relation::Same,
            (_, 0) => Relation::Rank,
            (0, _) => Relation::File,
            (1, 2) | (2, 1) => Relation::Knight,
            (f, r) if f == r => Relation::Diagonal,
            _ => Relation::Other,
        }
    }

    /// The pairs of squares whose relation is wanted, ascending by the first square and then the second.
    pub(crate) fn pairs(self, wanted: impl Fn(Relation) -> bool) -> impl Iterator<Item = (usize, usize)> {
        let all = (0..self.squares()).flat_map(move |from| (0..self.squares()).map(move |to| (from, to)));
        all.filter(move |&(from, to)| wanted(self.relation(from, to)))
    }
}
