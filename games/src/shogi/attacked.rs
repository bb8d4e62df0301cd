//! dlshogi's input `dlshogi_62_57`: pieces, attacks and numbers of attackers, hands and check.
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
use super::frame::IN_FRAME;
use super::shown::{HAND_NAMES, hands, pack_board};
use crate::input::{Boards, Feature, FeatureKind, InputLayout, InputName};
use crate::position::Game;
use rsshogi::board::Position as Rules;
use rsshogi::types::{Bitboard, Square};

const SQUARES: usize = Shogi::GEOMETRY.squares();

/// dlshogi's order of kinds as indices into [`Shogi::PIECES`]: rsshogi's raw piece types less 1.
const KINDS: &[u8] = &[0, 1, 2, 3, 5, 6, 4, 7, 8, 9, 10, 11, 12, 13];

/// Channels of each kind in hand.
const HAND_STEPS: [u8; 7] = [8, 4, 4, 4, 4, 2, 2];

/// The first bit of each side's attackers (own, opponent's), and of its number of attackers.
const KIND_BITS: [usize; 2] = [0, KINDS.len()];
const COUNT_BITS: [usize; 2] = [2 * KINDS.len(), 2 * KINDS.len() + Boards::ATTACKERS - 1];

pub(super) fn layout() -> InputLayout {
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
pub(super) fn pack(rules: &Rules, out: &mut [u8]) {
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
    let (by_square, _) = out.as_chunks_mut::<{ size_of::<u32>() }>();
    let occupied = rules.bitboards().occupied();
    for target in (0..SQUARES).map(Square::from_index) {
        let bits = attackers(rules, rules.attackers_to(target, occupied));
        by_square[usize::from(in_frame[target.to_board_index()])] = bits.to_le_bytes();
    }
}

/// The bits of a square attacked by the pieces on `from`.
fn attackers(rules: &Rules, from: Bitboard) -> u32 {
    let mut bits = 0;
    let mut counts = [0; 2];
    for square in &from {
        let piece = rules.piece_on(square);
        let side = usize::from(piece.color() != rules.turn());
        bits |= 1 << (KIND_BITS[side] + piece.piece_type().to_index() - 1);
        counts[side] += 1;
    }
    for (count, at) in counts.into_iter().zip(COUNT_BITS) {
        for more in 2..=Boards::ATTACKERS.min(count) {
            bits |= 1 << (at + more - 2);
        }
    }
    bits
}

const _: () = assert!(COUNT_BITS[1] + Boards::ATTACKERS - 1 == u32::BITS as usize);
