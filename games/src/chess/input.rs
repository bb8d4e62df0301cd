//! Chess positions as packed rows.

use super::history::{self, HistoryFill};
use super::{Chess, ChessPosition, rights};
use crate::input::{Boards, Feature, FeatureKind, InputLayout, InputName};
use crate::position::{Earlier, Game};
use shakmaty::{Color, Position};
use std::sync::LazyLock;

/// The bytes after the board. The clock's scale is the last value before a draw can be claimed.
const FEATURES: [Feature; 8] = [
    flag("castling.own.king_side"),
    flag("castling.own.queen_side"),
    flag("castling.opponent.king_side"),
    flag("castling.opponent.queen_side"),
    Feature { name: "en_passant", kind: FeatureKind::Square },
    Feature { name: "halfmove_clock", kind: FeatureKind::Scalar { scale: 99.0 } },
    Feature { name: "repetitions", kind: FeatureKind::Scalar { scale: 2.0 } },
    flag("check"),
];

/// Halfmove clocks above this are encoded alike: the game could have been drawn.
const CLOCK_CAP: u32 = 100;
/// A third occurrence is a draw, so a game has at most two earlier ones.
const REPETITIONS_CAP: u8 = 2;

/// The tokens of `tokens_68` after the squares: castling rights and side to move.
const TOKEN_FEATURES: [Feature; 2] = [
    Feature { name: "castling", kind: FeatureKind::Token { values: &RIGHTS } },
    Feature { name: "side_to_move", kind: FeatureKind::Token { values: &["white_to_move", "black_to_move"] } },
];

/// Every set of castling rights, in ChessDecoder's order.
const RIGHTS: [&str; 16] =
    ["K", "Q", "k", "q", "KQ", "Kk", "Kq", "Qk", "Qq", "kq", "KQk", "KQq", "Kkq", "Qkq", "KQkq", "no_castling_rights"];
/// The features of `cls_tokens`, a byte and a token each: the summary token (its byte is unused), the side to move (1
/// for Black), the rights, the number of earlier occurrences of the position, and FEN's two counters, in units of 50
/// and of 100 moves.
fn cls_features() -> Vec<Feature> {
    let scalar = |name, scale| Feature { name, kind: FeatureKind::Scalar { scale } };
    let counters = [
        scalar("repetitions", f32::from(CLS_REPETITIONS_CAP)),
        scalar("halfmove_clock", 50.0),
        scalar("fullmove_number", 100.0),
    ];
    [flag("cls"), flag("turn")].into_iter().chain(rights::NAMES.map(flag)).chain(counters).collect()
}

/// The documents have embeddings for up to three earlier occurrences.
const CLS_REPETITIONS_CAP: u8 = 3;

const fn flag(name: &'static str) -> Feature {
    Feature { name, kind: FeatureKind::Scalar { scale: 1.0 } }
}

pub(super) fn layouts() -> &'static [InputLayout] {
    static LAYOUTS: LazyLock<[InputLayout; 8]> = LazyLock::new(|| {
        let [squares, aux, rated] = InputLayout::piece_tokens(Chess::GEOMETRY, Chess::PIECES.len(), &FEATURES);
        let (tokens, parts) = (TOKEN_FEATURES.as_slice(), cls_features());
        let current = |name, features: &[Feature]| {
            InputLayout::new(name, Chess::GEOMETRY, Chess::PIECES.len(), Boards::Current, features)
        };
        [
            squares,
            aux,
            rated,
            history::layout(InputName::Lc0_112),
            history::layout(InputName::Lc0_112EnPassant),
            current(InputName::Tokens68, tokens),
            current(InputName::ClsTokens, &parts),
            current(InputName::ClsTokensWhite, &parts),
        ]
    });
    LAYOUTS.as_slice()
}

/// Writes one row. The inputs of piece tokens pack the same bytes, from which the device makes different tokens; ratings are
/// left to the line.
pub(super) fn pack(
    current: &ChessPosition,
    earlier: &[Earlier<ChessPosition>],
    name: InputName,
    repetitions: u8,
    out: &mut [u8],
) {
    let layout = Chess::input(name);
    assert_eq!(out.len(), layout.row_bytes(), "a row of {} has another size", name.name());
    let rules = current.as_shakmaty();
    if layout.needs_history() {
        return history::pack(name, current, repetitions, earlier, HistoryFill::No, out);
    }
    let (squares, features) = out.split_at_mut(Chess::GEOMETRY.squares());
    let viewer = rights::viewer(rules.turn(), name.frame());
    current.pack_board(viewer, squares);
    match name {
        InputName::Tokens68 => features.copy_from_slice(&pack_token_features(rules)),
        InputName::ClsTokens | InputName::ClsTokensWhite => pack_cls(rules, viewer, repetitions, features),
        _ => features[..FEATURES.len()].copy_from_slice(&pack_features(rules, repetitions)),
    }
}

/// Writes the bytes of [`cls_features`].
fn pack_cls(rules: &shakmaty::Chess, viewer: Color, repetitions: u8, out: &mut [u8]) {
    let capped = |count: u32| count.min(u32::from(u8::MAX)) as u8;
    let (head, rest) = out.split_at_mut(2);
    let (rights, counters) = rest.split_at_mut(rights::RIGHTS);
    head.copy_from_slice(&[0, u8::from(rules.turn() == Color::Black)]);
    rights.copy_from_slice(&rights::of(rules, viewer));
    let (halfmoves, fullmoves) = (capped(rules.halfmoves()), capped(rules.fullmoves().get()));
    counters.copy_from_slice(&[repetitions.min(CLS_REPETITIONS_CAP), halfmoves, fullmoves]);
}

/// ChessDecoder's tokens of castling rights and side to move.
fn pack_token_features(rules: &shakmaty::Chess) -> [u8; TOKEN_FEATURES.len()] {
    let letters = "KQkq".chars().zip(rights::castling(rules, Color::White));
    let rights: String = letters.filter(|&(_, has)| has).map(|(letter, _)| letter).collect();
    let castling = RIGHTS.iter().position(|&word| word == rights).unwrap_or(RIGHTS.len() - 1);
    [castling as u8, u8::from(rules.turn() == Color::Black)]
}

fn pack_features(rules: &shakmaty::Chess, repetitions: u8) -> [u8; FEATURES.len()] {
    let turn = rules.turn();
    let [own_king_side, own_queen_side, king_side, queen_side, ..] = rights::of(rules, turn);
    [
        own_king_side,
        own_queen_side,
        king_side,
        queen_side,
        rights::en_passant(rules),
        rules.halfmoves().min(CLOCK_CAP) as u8,
        repetitions.min(REPETITIONS_CAP),
        u8::from(rules.is_check()),
    ]
}
