//! Shogi positions as packed rows.

use super::frame::{HAND, HAND_TOTALS, IN_FRAME};
use super::{Shogi, attacked};
use crate::input::{Boards, Feature, FeatureKind, InputLayout, InputName};
use crate::position::Game;
use rsshogi::board::Position as Rules;
use rsshogi::types::{Color, PieceType};
use std::sync::LazyLock;

/// Names of the hands' bytes: the side to move's, then the opponent's.
pub(super) const HAND_NAMES: [[&str; 7]; 2] = [
    [
        "hand.own.pawn",
        "hand.own.lance",
        "hand.own.knight",
        "hand.own.silver",
        "hand.own.gold",
        "hand.own.bishop",
        "hand.own.rook",
    ],
    [
        "hand.opponent.pawn",
        "hand.opponent.lance",
        "hand.opponent.knight",
        "hand.opponent.silver",
        "hand.opponent.gold",
        "hand.opponent.bishop",
        "hand.opponent.rook",
    ],
];

/// A fourth occurrence ends the game, so that three earlier ones are the most that a game shows.
const REPETITIONS_CAP: u8 = 3;

/// Piece code of the side to move by rsshogi's raw piece type, which puts the gold behind the rook.
const CODES: [u8; 15] = [0, 1, 2, 3, 4, 6, 7, 5, 8, 9, 10, 11, 12, 13, 14];

pub(super) fn layouts() -> &'static [InputLayout] {
    static LAYOUTS: LazyLock<[InputLayout; 3]> = LazyLock::new(|| {
        let [squares, aux] = InputLayout::piece_tokens::<Shogi>(&features());
        [squares, aux, attacked::layout()]
    });
    LAYOUTS.as_slice()
}

fn features() -> Vec<Feature> {
    let scalar = |name, scale: f32| Feature { name, kind: FeatureKind::Scalar { scale } };
    let hands = HAND_NAMES
        .iter()
        .flat_map(|names| names.iter().zip(HAND_TOTALS))
        .map(|(&name, total)| scalar(name, f32::from(total)));
    hands.chain([scalar("repetitions", f32::from(REPETITIONS_CAP)), scalar("check", 1.0)]).collect()
}

/// Writes one row. The inputs of piece tokens pack the same bytes; they differ in how the device makes tokens of them.
pub(super) fn pack(rules: &Rules, name: InputName, repetitions: u8, out: &mut [u8]) {
    let layout = Shogi::input(name);
    assert_eq!(out.len(), layout.row_bytes(), "a row of {} has another size", name.name());
    if let Boards::Attacked { .. } = layout.boards {
        return attacked::pack(rules, out);
    }
    let (squares, features) = out.split_at_mut(Shogi::GEOMETRY.squares());
    pack_board(rules, squares);
    pack_features(rules, repetitions, features);
}

/// Writes the piece codes as the side to move sees them.
pub(super) fn pack_board(rules: &Rules, out: &mut [u8]) {
    let turn = rules.turn();
    let in_frame = &IN_FRAME[turn.to_index()];
    for (square, piece) in rules.board_array().iter() {
        let own = CODES[piece.piece_type().to_index()];
        let code = if own == 0 || piece.color() == turn { own } else { own + Shogi::PIECES.len() as u8 };
        out[usize::from(in_frame[square.to_board_index()])] = code;
    }
}

fn pack_features(rules: &Rules, repetitions: u8, out: &mut [u8]) {
    let rest = [repetitions.min(REPETITIONS_CAP), u8::from(rules.is_in_check())];
    for (byte, value) in out.iter_mut().zip(hands(rules).chain(rest)) {
        *byte = value;
    }
}

/// How many pieces of each kind are in hand: the side to move's, then the opponent's.
pub(super) fn hands(rules: &Rules) -> impl Iterator<Item = u8> {
    let turn = rules.turn();
    [turn, turn.flip()].into_iter().flat_map(|side| HAND.map(|(_, piece)| rules.hand(side).count(piece) as u8))
}

const _: () = assert!(CODES[PieceType::GOLD.to_index()] == 5 && CODES[PieceType::DRAGON.to_index()] == 14);
const _: () = assert!(Color::BLACK.to_index() == 0 && Color::WHITE.to_index() == 1);
