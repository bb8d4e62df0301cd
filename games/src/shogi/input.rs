//! Shogi positions as packed rows: pieces, hands, repetitions and check; or dlshogi's input `dlshogi_62_57`: pieces, attacks and
//! numbers of attackers, hands and check.
//!
//! Of the 119 channels of a square the first 31 are the side to move's: 14 kinds of pieces (pawn, lance, knight, silver,
//! bishop, rook, gold, king, then the promoted six in the same order), the same 14 for those that attack the square, and
//! 1 or more, 2 or more, 3 or more attackers; 31 more are the opponent's. Then come hands as thermometers (pawns up to 8,
//! lances, knights, silvers, golds up to 4, bishops, rooks up to 2; own, then the opponent's) and check, the same on all
//! squares. The king attacks too, and sliders stop at the first piece.
//!
//! Channels have dlshogi's order; squares have the order of posenc's frame, rank by rank from the mover's left corner,
//! while dlshogi's planes are ordered file by file from the mover's 1a. A row stores each square's attackers as 32
//! bits, so it has 420 bytes instead of 119 planes. Reference: `cppshogi/cppshogi.cpp` (`make_input_features`) in
//! TadaoYamaoka/DeepLearningShogi, without its planes for entering kings (a compile option there); checked against the
//! planes that cshogi computes.

use super::Shogi;
use super::frame::{HAND, HAND_TOTALS, IN_FRAME};
use super::piece_numbers::{CODES, SQUARES};
use crate::input::{Boards, Feature, FeatureKind, InputLayout, InputName};
use crate::named::prefixed;
use crate::position::Game;
use rsshogi::board::attack_tables::{bishop_attacks, lance_attacks, rook_attacks};
use rsshogi::board::{GOLD_ATTACKS, KING_ATTACKS, KNIGHT_ATTACKS, PAWN_ATTACKS, Position as Rules, SILVER_ATTACKS};
use rsshogi::types::{Bitboard, Color, PieceType, Square};
use std::sync::LazyLock;

/// A fourth occurrence ends the game, so a game has at most three earlier ones.
const REPETITIONS_CAP: u8 = 3;

pub(super) fn layouts() -> &'static [InputLayout] {
    static LAYOUTS: LazyLock<[InputLayout; 4]> = LazyLock::new(|| {
        let [squares, aux, rated] = InputLayout::piece_tokens(Shogi::GEOMETRY, Shogi::PIECES.len(), &features());
        [squares, aux, rated, attacked_layout()]
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
        return pack_attacked(rules, out);
    }
    let (squares, features) = out.split_at_mut(SQUARES);
    pack_board(rules, squares);
    let rest = [repetitions.min(REPETITIONS_CAP), u8::from(rules.is_in_check())];
    features.iter_mut().zip(hands(rules).chain(rest)).for_each(|(byte, value)| *byte = value);
}

/// Names of the hands' bytes: the side to move's, then the opponent's.
const HAND_NAMES: [[&str; 7]; 2] = [
    prefixed!("hand.own.": "pawn" "lance" "knight" "silver" "gold" "bishop" "rook"),
    prefixed!("hand.opponent.": "pawn" "lance" "knight" "silver" "gold" "bishop" "rook"),
];

/// Writes the piece codes from the side to move's view.
fn pack_board(rules: &Rules, out: &mut [u8]) {
    let turn = rules.turn();
    let in_frame = &IN_FRAME[turn.to_index()];
    for (square, piece) in rules.board_array().iter() {
        let own = CODES[piece.piece_type().to_index()];
        let code = if own == 0 || piece.color() == turn { own } else { own + Shogi::PIECES.len() as u8 };
        out[usize::from(in_frame[square.to_board_index()])] = code;
    }
}

/// The number of pieces of each kind in hand: the side to move's, then the opponent's.
fn hands(rules: &Rules) -> impl Iterator<Item = u8> {
    let turn = rules.turn();
    [turn, turn.flip()].into_iter().flat_map(|side| HAND.map(|(_, piece)| rules.hand(side).count(piece) as u8))
}

const _: () = assert!(CODES[PieceType::GOLD.to_index()] == 5 && CODES[PieceType::DRAGON.to_index()] == 14);
const _: () = assert!(Color::BLACK.to_index() == 0 && Color::WHITE.to_index() == 1);

/// dlshogi's order of kinds as indices into [`Shogi::PIECES`]: rsshogi's raw piece types less 1.
const KINDS: &[u8] = &[0, 1, 2, 3, 5, 6, 4, 7, 8, 9, 10, 11, 12, 13];

/// Channels of each kind in hand.
const HAND_STEPS: [u8; 7] = [8, 4, 4, 4, 4, 2, 2];

/// The first bit of each side's attackers (own, opponent's), and of its number of attackers.
const KIND_BITS: [usize; 2] = [0, KINDS.len()];
const COUNT_BITS: [usize; 2] = [2 * KINDS.len(), 2 * KINDS.len() + Boards::ATTACKERS - 1];

fn attacked_layout() -> InputLayout {
    let hands = HAND_NAMES
        .iter()
        .flat_map(|names| names.iter().zip(HAND_STEPS))
        .map(|(&name, steps)| Feature { name, kind: FeatureKind::Thermometer { steps } });
    let check = Feature { name: "check", kind: FeatureKind::Scalar { scale: 1.0 } };
    let features: Vec<Feature> = hands.chain([check]).collect();
    InputLayout::new(
        InputName::Dlshogi62_57,
        Shogi::GEOMETRY,
        Shogi::PIECES.len(),
        Boards::Attacked { kinds: KINDS },
        &features,
    )
}

/// Writes one row: the pieces, each square's attackers, hands and check.
fn pack_attacked(rules: &Rules, out: &mut [u8]) {
    let (board, rest) = out.split_at_mut(SQUARES);
    let (attacks, features) = rest.split_at_mut(SQUARES * size_of::<u32>());
    pack_board(rules, board);
    pack_attacks(rules, attacks);
    for (byte, value) in features.iter_mut().zip(hands(rules).chain([u8::from(rules.is_in_check())])) {
        *byte = value;
    }
}

fn pack_attacks(rules: &Rules, out: &mut [u8]) {
    let in_frame = &IN_FRAME[rules.turn().to_index()];
    let mut bits = [0; SQUARES];
    let mut counts = [[0; SQUARES]; 2];
    for from in &rules.bitboards().occupied() {
        let piece = rules.piece_on(from);
        let side = usize::from(piece.color() != rules.turn());
        let kind = 1 << (KIND_BITS[side] + piece.piece_type().to_index() - 1);
        for target in &attacked_from(rules, from) {
            let square = usize::from(in_frame[target.to_board_index()]);
            bits[square] |= kind;
            counts[side][square] += 1;
        }
    }
    let (by_square, _) = out.as_chunks_mut::<{ size_of::<u32>() }>();
    for (square, bytes) in by_square.iter_mut().enumerate() {
        let [own, opponent] = [0, 1].map(|side| more_attackers(counts[side][square]) << COUNT_BITS[side]);
        *bytes = (bits[square] | own | opponent).to_le_bytes();
    }
}

/// The squares that the piece on a square attacks; none if there is no piece.
pub(super) fn attacked_from(rules: &Rules, square: Square) -> Bitboard {
    let (piece, occupied) = (rules.piece_on(square), rules.bitboards().occupied());
    let (kind, color) = (piece.piece_type(), piece.color());
    match kind {
        PieceType::PAWN => PAWN_ATTACKS[square][color.to_index()],
        PieceType::LANCE => lance_attacks(square, occupied, color),
        PieceType::KNIGHT => KNIGHT_ATTACKS[square][color.to_index()],
        PieceType::SILVER => SILVER_ATTACKS[square][color.to_index()],
        PieceType::BISHOP => bishop_attacks(square, occupied),
        PieceType::ROOK => rook_attacks(square, occupied),
        PieceType::KING => KING_ATTACKS[square],
        PieceType::HORSE => bishop_attacks(square, occupied) | KING_ATTACKS[square],
        PieceType::DRAGON => rook_attacks(square, occupied) | KING_ATTACKS[square],
        PieceType::GOLD
        | PieceType::PRO_PAWN
        | PieceType::PRO_LANCE
        | PieceType::PRO_KNIGHT
        | PieceType::PRO_SILVER => GOLD_ATTACKS[square][color.to_index()],
        _ => Bitboard::EMPTY,
    }
}

/// A bit for each number of attackers from 2 on that is reached.
fn more_attackers(count: usize) -> u32 {
    (1 << Boards::ATTACKERS.min(count).saturating_sub(1)) - 1
}

const _: () = assert!(COUNT_BITS[1] + Boards::ATTACKERS - 1 == u32::BITS as usize);
