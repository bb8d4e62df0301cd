//! Attacks and pins.

use super::board::in_view;
use super::{Minishogi, MinishogiPosition};
use crate::attacks::{Pieces, SquareSet, Tactics};
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
        let pinned = board.pinned(Side::First).or(board.pinned(Side::Second));
        Pieces { own: of(turn), opponent: of(turn.other()), pinned: set(pinned, turn) }
    }

    fn attacks(position: &MinishogiPosition) -> Vec<SquareSet> {
        let turn = position.turn;
        let attacks = |square| set(position.board.attacks(in_view(square, turn)), turn);
        (0..Self::GEOMETRY.squares()).map(attacks).collect()
    }
}

fn set(squares: SquareSet, turn: Side) -> SquareSet {
    squares.iter().map(|square| in_view(square, turn)).collect()
}
