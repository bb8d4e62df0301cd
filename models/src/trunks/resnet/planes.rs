//! Moves as planes: each kind of move has a plane, and is read there at the square that it leaves (a drop: enters).

use crate::heads::plane_policy::Cells;
use games::{Entry, FromTo, Geometry, Vocabulary};
use std::collections::BTreeSet;

/// A kind of move. `files` and `ranks` are its distance, in the frame of the side to move.
///
/// The order of the variants, then of their fields, is the order of the planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MovePlane {
    /// A piece moves: [`Entry::Plain`].
    Plain {
        /// Ranks forward.
        ranks: i64,
        /// Files to the right.
        files: i64,
    },
    /// A piece moves and promotes.
    Promotion {
        /// An index into [`FromTo::promotions`].
        kind: u8,
        /// Ranks forward.
        ranks: i64,
        /// Files to the right.
        files: i64,
    },
    /// A piece is dropped.
    Drop {
        /// An index into [`FromTo::drops`].
        kind: u8,
    },
}

impl MovePlane {
    /// The plane of an entry, and the square where it is read.
    pub fn of(entry: Entry, board: Geometry) -> (Self, usize) {
        let displaced = |from: u8, to: u8| {
            let (from, to) = (usize::from(from), usize::from(to));
            let ranks = board.rank_of(to) as i64 - board.rank_of(from) as i64;
            let files = board.file_of(to) as i64 - board.file_of(from) as i64;
            (ranks, files)
        };
        match entry {
            Entry::Plain { from, to } => {
                let (ranks, files) = displaced(from, to);
                (Self::Plain { ranks, files }, usize::from(from))
            }
            Entry::Promotion { from, to, kind } => {
                let (ranks, files) = displaced(from, to);
                (Self::Promotion { kind, ranks, files }, usize::from(from))
            }
            Entry::Drop { kind, to } => (Self::Drop { kind }, usize::from(to)),
        }
    }
}

/// The planes of a vocabulary, in order: one for each kind of move that it has. In chess they are the 73 of AlphaZero
/// (Silver et al. 2018, doi 10.1126/science.aar6404, supplement), in another order.
pub fn move_planes(moves: &FromTo, board: Geometry) -> Vec<MovePlane> {
    let planes: BTreeSet<MovePlane> = moves.entries().iter().map(|&entry| MovePlane::of(entry, board).0).collect();
    planes.into_iter().collect()
}

/// The planes of a vocabulary, and the place of each of its entries in them. One whose entries are planes already keeps
/// them.
pub(super) fn cells(moves: Vocabulary, board: Geometry) -> Cells {
    match moves {
        Vocabulary::FromTo(moves) => cells_from(moves, board),
        Vocabulary::List(list) => cells_from(&list.moves, board),
        Vocabulary::Planes(moves) => Cells::of(moves),
    }
}

/// One whose entries go from square to square: they are read at the square that is left.
fn cells_from(moves: &FromTo, board: Geometry) -> Cells {
    let planes = move_planes(moves, board);
    let cell = |&entry: &Entry| {
        let (plane, square) = MovePlane::of(entry, board);
        [planes.partition_point(|other| *other < plane), square]
    };
    Cells { classes: planes.len(), cells: moves.entries().iter().map(cell).collect() }
}
