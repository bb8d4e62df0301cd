//! Moves, their texts in USI, and their indices: 540 entries in the side to move's frame.
//!
//! - 320 plain pairs, ascending by from and to: every queen's ray;
//! - 100 promoting pairs, ascending: the rays that start or end on the last rank;
//! - 120 drops in the order pawn, silver, gold, bishop, rook, each by square: pawns not on the last rank.

use super::Minishogi;
use super::board::{BOARD, HANDS, SQUARES, in_view, ranks_left};
use crate::conventions::Notation;
use crate::geometry::Relation;
use crate::move_text::MoveText;
use crate::position::{Game, Side};
use crate::vocabulary::{Entry, FromTo};
use std::sync::LazyLock;

/// A move, with squares in the first player's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MinishogiMove {
    /// A piece on the board moves.
    Board {
        /// The square it leaves.
        from: u8,
        /// The square it enters.
        to: u8,
        /// Whether it promotes.
        promotes: bool,
    },
    /// A piece in hand is dropped.
    Drop {
        /// Which piece, an index into [`Game::PIECES`].
        kind: u8,
        /// The square it enters.
        to: u8,
    },
}

const PROMOTIONS: &[&str] = &["promote"];
const DROPS: &[&str; HANDS] = &["pawn", "silver", "gold", "bishop", "rook"];

pub(super) fn vocabulary() -> &'static FromTo {
    static VOCABULARY: LazyLock<FromTo> = LazyLock::new(|| {
        let pairs = || BOARD.pairs(Relation::is_line);
        let plain = pairs().map(Entry::plain);
        let is_last = |square| ranks_left(square, Side::First) == 0;
        let promoting = pairs().filter(|&(from, to)| is_last(from) || is_last(to));
        let promoting = promoting.map(|pair| Entry::promotion(pair, 0));
        let drops = (0..HANDS).flat_map(|kind| (0..SQUARES).map(move |to| (kind, to)));
        let drops = drops.filter(|&(kind, to)| kind != 0 || !is_last(to));
        let drops = drops.map(|(kind, to)| Entry::Drop { kind: kind as u8, to: to as u8 });
        let entries = plain.chain(promoting).chain(drops).collect();
        FromTo::new("from_to_minishogi_540", BOARD, PROMOTIONS, DROPS, entries)
    });
    &VOCABULARY
}

/// The index of a move that `turn` could make. Panics if no piece could ever make the move.
pub(super) fn index(mv: MinishogiMove, turn: Side) -> u16 {
    let seen = |square: u8| in_view(usize::from(square), turn) as u8;
    let entry = match mv {
        MinishogiMove::Board { from, to, promotes: false } => Entry::Plain { from: seen(from), to: seen(to) },
        MinishogiMove::Board { from, to, promotes: true } => {
            Entry::Promotion { from: seen(from), to: seen(to), kind: 0 }
        }
        MinishogiMove::Drop { kind, to } => Entry::Drop { kind, to: seen(to) },
    };
    let index = vocabulary().index_of(entry).unwrap_or_else(|| panic!("{mv:?} is not a move of minishogi"));
    index as u16
}

pub(super) fn write(mv: MinishogiMove) -> MoveText {
    let name = |square: u8| Notation::usi_square(BOARD, usize::from(square));
    match mv {
        MinishogiMove::Board { from, to, promotes } => {
            MoveText::of_parts(name(from), name(to), promotes.then_some(b'+'))
        }
        MinishogiMove::Drop { kind, to } => {
            MoveText::of_parts([Minishogi::DROPS[usize::from(kind)], b'*'], name(to), None)
        }
    }
}
