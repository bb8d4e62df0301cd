//! Positions as packed rows.

use super::Minishogi;
use super::board::{HANDS, SQUARES, TOTAL, in_view};
use super::position::MinishogiPosition;
use crate::input::{Feature, FeatureKind, InputLayout, InputName};
use crate::named::prefixed;
use crate::position::{Game, Position as _};
use std::sync::LazyLock;

/// A fourth occurrence ends the game, so a game has at most three earlier ones.
const REPETITIONS_CAP: u8 = 3;

/// Names of the hands' bytes: the side to move's, then the opponent's.
const HAND_NAMES: [[&str; HANDS]; 2] = [
    prefixed!("hand.own.": "pawn" "silver" "gold" "bishop" "rook"),
    prefixed!("hand.opponent.": "pawn" "silver" "gold" "bishop" "rook"),
];

pub(super) fn layouts() -> &'static [InputLayout] {
    static LAYOUTS: LazyLock<[InputLayout; 3]> = LazyLock::new(|| {
        let scalar = |name, scale: f32| Feature { name, kind: FeatureKind::Scalar { scale } };
        let hands = HAND_NAMES.into_iter().flatten().map(|name| scalar(name, f32::from(TOTAL)));
        let rest = [scalar("repetitions", f32::from(REPETITIONS_CAP)), scalar("check", 1.0)];
        let features: Vec<Feature> = hands.chain(rest).collect();
        InputLayout::piece_tokens(Minishogi::GEOMETRY, Minishogi::PIECES.len(), &features)
    });
    LAYOUTS.as_slice()
}

/// Writes one row; ratings are left to the line.
pub(super) fn pack(position: &MinishogiPosition, name: InputName, repetitions: u8, out: &mut [u8]) {
    let layout = Minishogi::input(name);
    assert_eq!(out.len(), layout.row_bytes(), "a row of {} has another size", name.name());
    let turn = position.turn;
    let (squares, features) = out.split_at_mut(SQUARES);
    for (square, byte) in squares.iter_mut().enumerate() {
        *byte = position.code(in_view(square, turn), turn);
    }
    let hands = [turn, turn.other()].into_iter().flat_map(|side| position.hands[side as usize]);
    let rest = [repetitions.min(REPETITIONS_CAP), u8::from(position.in_check())];
    features.iter_mut().zip(hands.chain(rest)).for_each(|(byte, value)| *byte = value);
}
