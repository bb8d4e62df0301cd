//! rsshogi's repetition key of a board, from its tables, without setting up its position.

use super::Board;
use crate::position::Side;
use crate::record::PositionFacts;
use crate::shogi::frame::{self, HAND};
use crate::shogi::piece_numbers::{SQUARES, WHITE, piece};
use rsshogi::board::zobrist::Zobrist;
use rsshogi::types as rules;
use shogi_core::Color;
use std::sync::LazyLock;

/// The part of a key of each piece on each square; 0 for an empty one.
static MEN: LazyLock<Box<[[u64; SQUARES]; MAN_NUMBERS]>> = LazyLock::new(|| {
    let mut men = Box::new([[0; SQUARES]; MAN_NUMBERS]);
    for (man, row) in (0..).zip(men.iter_mut()) {
        let Some(piece) = piece(man).map(frame::rules_piece) else { continue };
        for (index, key) in row.iter_mut().enumerate() {
            *key = Zobrist::psq(rules::Square::from_index(index), piece).low_u64();
        }
    }
    men
});

/// Numbers of pieces and empty squares.
const MAN_NUMBERS: usize = 2 * WHITE as usize;

impl Board {
    /// The [repetition key](crate::Position::repetition_key) of this position.
    pub fn repetition_key(&self) -> u64 {
        let men = &**MEN;
        let mut key = if self.turn == Color::White { Zobrist::side().low_u64() } else { 0 };
        for (index, &man) in self.squares.iter().enumerate() {
            key ^= men[usize::from(man) % MAN_NUMBERS][index];
        }
        for (hand, color) in self.hands.iter().zip([rules::Color::BLACK, rules::Color::WHITE]) {
            for (&count, (_, kind)) in hand.iter().zip(HAND) {
                if count > 0 {
                    key ^= Zobrist::hand(color, kind.to_piece_type(), count.into()).low_u64();
                }
            }
        }
        key
    }

    /// The facts of this position that an import needs.
    pub(in crate::shogi) fn known(&self) -> PositionFacts {
        let side_to_move = match self.turn {
            Color::Black => Side::First,
            Color::White => Side::Second,
        };
        PositionFacts { key: self.repetition_key(), side_to_move }
    }
}
