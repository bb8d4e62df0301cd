//! Shogi positions as packed rows.

use super::frame::HAND_TOTALS;
use super::shown::{HAND_NAMES, hands, pack_board};
use super::{Shogi, attacked};
use crate::input::{Boards, Feature, FeatureKind, InputLayout, InputName};
use crate::position::Game;
use rsshogi::board::Position as Rules;
use std::sync::LazyLock;

/// A fourth occurrence ends the game, so a game has at most three earlier ones.
const REPETITIONS_CAP: u8 = 3;

pub(super) fn layouts() -> &'static [InputLayout] {
    static LAYOUTS: LazyLock<[InputLayout; 4]> = LazyLock::new(|| {
        let [squares, aux, rated] = InputLayout::piece_tokens(Shogi::GEOMETRY, Shogi::PIECES.len(), &features());
        [squares, aux, rated, attacked::layout()]
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

/// Writes one row. The inputs of piece tokens pack the same bytes, from which the device makes different tokens; ratings are
/// left to the line.
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

fn pack_features(rules: &Rules, repetitions: u8, out: &mut [u8]) {
    let rest = [repetitions.min(REPETITIONS_CAP), u8::from(rules.is_in_check())];
    for (byte, value) in out.iter_mut().zip(hands(rules).chain(rest)) {
        *byte = value;
    }
}
