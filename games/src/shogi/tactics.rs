//! Attacks and pins of shogi, from rsshogi's tables.

use super::attacked::attacked_from;
use super::{Shogi, ShogiPosition, frame};
use crate::attacks::{Attacked, Pieces, SquareSet, Tactics};
use crate::position::Game as _;
use rsshogi::types::{Bitboard, Color, Square};

impl Tactics for Shogi {
    const MAX_TARGETS: u16 = 20;
    const WORTH: &'static [u8] = &[1, 3, 3, 5, 6, 8, 10, 100, 6, 6, 6, 6, 12, 14];
    const SLIDERS: &'static [&'static str] = &["L", "B", "R", "+B", "+R"];

    fn pieces(position: &ShogiPosition) -> Pieces {
        let rules = &position.rules;
        let (turn, opponent) = (rules.turn(), rules.turn().flip());
        Pieces {
            own: set(rules.bitboards().color_pieces(turn), turn),
            opponent: set(rules.bitboards().color_pieces(opponent), turn),
            pinned: set(rules.pinned_pieces(turn) | rules.pinned_pieces(opponent), turn),
        }
    }

    fn attacks(position: &ShogiPosition) -> Vec<SquareSet> {
        let rules = &position.rules;
        let mut by = vec![SquareSet::default(); Self::GEOMETRY.squares()];
        for from in &rules.bitboards().occupied() {
            by[in_frame(from, rules.turn())] = set(attacked_from(rules, from), rules.turn());
        }
        by
    }

    fn attacked(position: &ShogiPosition) -> Attacked {
        let rules = &position.rules;
        let by = |color| {
            let mut all = Bitboard::EMPTY;
            for from in &rules.bitboards().color_pieces(color) {
                all |= attacked_from(rules, from);
            }
            set(all, rules.turn())
        };
        Attacked { own: by(rules.turn()), opponent: by(rules.turn().flip()) }
    }
}

fn set(squares: Bitboard, turn: Color) -> SquareSet {
    (&squares).into_iter().map(|square| in_frame(square, turn)).collect()
}

fn in_frame(square: Square, turn: Color) -> usize {
    usize::from(frame::IN_FRAME[turn.to_index()][square.to_board_index()])
}
