//! Attacks and pins.

use super::board::{Squares, in_view, members};
use super::{Minishogi, MinishogiPosition};
use crate::attacks::{Attacked, Pieces, SquareSet, Tactics};
use crate::position::{Game as _, Side};

impl Tactics for Minishogi {
    /// Of a dragon or a horse in the middle.
    const MAX_TARGETS: u16 = 12;
    const WORTH: &'static [u8] = &[1, 5, 6, 8, 10, 100, 6, 6, 12, 14];
    const SLIDERS: &'static [&'static str] = &["B", "R", "+B", "+R"];

    fn pieces(position: &MinishogiPosition) -> Pieces {
        let (board, turn) = (&position.board, position.turn);
        let of = |side: Side| {
            let squares = board.pieces().filter(move |&(_, (owner, _))| owner == side);
            squares.map(|(square, _)| in_view(square, turn)).collect()
        };
        let pinned = board.pinned(Side::First) | board.pinned(Side::Second);
        Pieces { own: of(turn), opponent: of(turn.other()), pinned: set(pinned, turn) }
    }

    fn attacks(position: &MinishogiPosition) -> Vec<SquareSet> {
        let turn = position.turn;
        let attacks = |square| set(position.board.attacks(in_view(square, turn)), turn);
        (0..Self::GEOMETRY.squares()).map(attacks).collect()
    }

    fn attacked(position: &MinishogiPosition) -> Attacked {
        let by = |side| set(position.board.attacks_of(side), position.turn);
        Attacked { own: by(position.turn), opponent: by(position.turn.other()) }
    }
}

fn set(squares: Squares, turn: Side) -> SquareSet {
    members(squares).map(|square| in_view(square, turn)).collect()
}
