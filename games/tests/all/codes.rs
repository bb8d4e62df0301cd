//! Positions and moves in bits, against cshogi.

use crate::samples::{self, TWO_PIECE_HANDICAP, position};
use games::shogi::move16::Move16;
use games::shogi::{BadPosition, Board, ShogiPosition, hcp, packed_sfen};
use games::{GameKind, Position as _};
use shogi_core::{Color, Move, Piece, PieceKind, Square};
use std::collections::BTreeSet;

const START_HCP: &str = "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> [u8; hcp::BYTES] {
    let byte = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hex");
    std::array::from_fn(byte)
}

/// Every code of the oracle, in both directions: 3,000 positions, each with all its moves.
#[test]
fn codes_equal_cshogi() {
    let text = samples::text("shogi_codes_3k.tsv.zst");
    let (mut positions, mut moves) = (0, 0);
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[sfen, as_hcp, as_packed_sfen, listed] = fields.as_slice() else { panic!("four fields: {line}") };
        let position = position(sfen);
        let board = Board::of(&position);
        assert_eq!(hex(&hcp::encode(&board).unwrap()), as_hcp, "{sfen}");
        assert_eq!(hex(&packed_sfen::encode(&board).unwrap()), as_packed_sfen, "{sfen}");
        assert_eq!(hcp::decode(&bytes(as_hcp)).unwrap(), board, "{sfen}");
        assert_eq!(packed_sfen::decode(&bytes(as_packed_sfen)).unwrap(), board, "{sfen}");
        let ply = sfen.rsplit_once(' ').expect("a move number").1.parse().unwrap();
        assert_eq!(board.sfen(ply), sfen);
        assert_eq!(board.position(ply).unwrap().to_text(), sfen);
        moves += check_moves(&position, listed);
        positions += 1;
    }
    assert_eq!((positions, moves), (3_000, text.matches(':').count() / 3));
}

/// Checks `usi:move16:psv` of every legal move; says how many there are.
fn check_moves(position: &ShogiPosition, listed: &str) -> usize {
    let turn = position.turn();
    for one in listed.split_whitespace() {
        let fields: Vec<&str> = one.split(':').collect();
        let &[usi, apery, yaneuraou, _label] = fields.as_slice() else { panic!("four codes: {one}") };
        let mv = position.parse_move(usi).unwrap_or_else(|error| panic!("{error}"));
        for (format, code) in [(Move16::Apery, apery), (Move16::YaneuraOu, yaneuraou)] {
            let code: u16 = code.parse().expect("a number");
            assert_eq!(format.encode(mv), code, "{usi} in {position:?}");
            assert_eq!(format.decode(code, turn), Some(mv), "{usi} in {position:?}");
        }
    }
    listed.split_whitespace().count()
}

/// The array's rules against rsshogi's and cshogi's: every move that can be written at all, in every tenth position.
#[test]
fn the_boards_rules_equal_the_oracles() {
    for (sfen, listed) in samples::oracle(GameKind::Shogi).iter().step_by(10) {
        let position = position(sfen);
        let board = Board::of(&position);
        assert_eq!(board.check(), Ok(()));
        let legal: BTreeSet<String> =
            conceivable(board.turn()).filter(|&mv| board.is_legal(mv)).map(|mv| position.move_text(mv)).collect();
        let expected: BTreeSet<String> = listed.iter().cloned().collect();
        assert_eq!(legal, expected, "{sfen}");
    }
}

fn conceivable(turn: Color) -> impl Iterator<Item = Move> {
    let board_moves = Square::all().flat_map(|from| {
        Square::all().flat_map(move |to| [false, true].map(|promote| Move::Normal { from, to, promote }))
    });
    let drops = PieceKind::all()
        .into_iter()
        .flat_map(move |kind| Square::all().map(move |to| Move::Drop { piece: Piece::new(kind, turn), to }));
    board_moves.chain(drops)
}

/// Facts of both formats that the oracle's positions, all with 40 pieces, cannot show.
#[test]
fn handicaps_fit_packed_sfen_only() {
    // Two pieces down; and nothing but the kings.
    for sfen in [TWO_PIECE_HANDICAP, "4k4/9/9/9/9/9/9/9/4K4 b - 1"] {
        let board = Board::of(&position(sfen));
        let packed = packed_sfen::encode(&board).unwrap();
        assert_eq!(packed_sfen::decode(&packed).unwrap().sfen(1), sfen);
        assert!(matches!(hcp::encode(&board), Err(BadPosition::Length(bits)) if bits < 256), "{sfen}");
    }
}

#[test]
fn pieces_in_hand_are_read_in_any_order() {
    // Gold before bishop, as cshogi writes, and behind the rook, as YaneuraOu's numbers run.
    let sfen = "4k4/9/9/9/9/9/9/9/4K4 b GBR 1";
    let board = Board::of(&position(sfen));
    let mut packed = packed_sfen::encode(&board).unwrap();
    // Turn, kings and 79 empty squares are 94 bits; gold, bishop and rook take 5, 7 and 7.
    let (gold, bishop, rook) = (bits(&packed, 94, 5), bits(&packed, 99, 7), bits(&packed, 106, 7));
    put(&mut packed, 94, 7, bishop);
    put(&mut packed, 101, 7, rook);
    put(&mut packed, 108, 5, gold);
    assert_ne!(packed, packed_sfen::encode(&board).unwrap());
    assert_eq!(packed_sfen::decode(&packed).unwrap(), board);
}

fn bits(bytes: &[u8], from: usize, count: usize) -> u8 {
    (0..count).map(|i| (bytes[(from + i) / 8] >> ((from + i) % 8) & 1) << i).sum()
}

fn put(bytes: &mut [u8], from: usize, count: usize, value: u8) {
    for i in 0..count {
        let (byte, bit) = ((from + i) / 8, (from + i) % 8);
        bytes[byte] = bytes[byte] & !(1 << bit) | (value >> i & 1) << bit;
    }
}

#[test]
fn bytes_that_are_no_position_say_why() {
    let start = bytes(START_HCP);
    let with = |from: usize, count: usize, value: u8| {
        let mut changed = start;
        put(&mut changed, from, count, value);
        hcp::decode(&changed).expect_err("damaged")
    };
    let king = |color, square| BadPosition::NoKing { color, square };
    assert_eq!(with(1, 7, 81), king(Color::Black, 81));
    assert_eq!(with(8, 7, 127), king(Color::White, 127));
    assert_eq!(with(8, 7, 44), BadPosition::KingsCoincide(44));
    assert!(matches!(hcp::decode(&[0xff; hcp::BYTES]), Err(BadPosition::NoKing { .. })));
    assert!(matches!(hcp::decode(&[0; hcp::BYTES]), Err(BadPosition::KingsCoincide(0))));
    // The king on 5i and 5a, and nothing else but pawns in hand: far too many.
    let mut pawns = [0; hcp::BYTES];
    put(&mut pawns, 1, 7, 44);
    put(&mut pawns, 8, 7, 36);
    assert_eq!(hcp::decode(&pawns), Err(BadPosition::TooMany { kind: PieceKind::Pawn, allowed: 18 }));
    put(&mut pawns, 94, 3, 0b010);
    assert_eq!(hcp::decode(&pawns), Err(BadPosition::NoSuchCode { at: 94 }));
    // A lance of 6 bits instead of the last pawn of 4: the hands' last piece ends behind the last bit.
    put(&mut pawns, 94, 3, 0);
    put(&mut pawns, 253, 3, 0b101);
    assert_eq!(hcp::decode(&pawns), Err(BadPosition::Length(258)));
}

#[test]
fn a_king_that_could_be_captured_is_no_position() {
    let mut checked = 0;
    for (sfen, _) in samples::oracle(GameKind::Shogi) {
        let position = position(&sfen);
        let mut packed = hcp::encode(&Board::of(&position)).unwrap();
        packed[0] ^= 1;
        let passed = hcp::decode(&packed);
        assert_eq!(passed.is_err(), position.in_check(), "{sfen}");
        if let Err(error) = passed {
            assert_eq!(error, BadPosition::KingCapturable(position.turn().flip()));
            checked += 1;
        }
    }
    assert!(checked > 500, "too few checks to mean anything: {checked}");
}

#[test]
fn sixteen_bits_that_are_no_move() {
    let turn = Color::Black;
    // To square 81; from beyond the drops; the drop of a king; a drop that promotes; the bit without meaning; Apery's
    // resignation and win; nothing.
    for code in [81, 5 | 89 << 7, 5 | 88 << 7, 5 | 81 << 7 | 1 << 14, 5 | 6 << 7 | 1 << 15, 258, 387, 0] {
        assert_eq!(Move16::Apery.decode(code, turn), None, "{code}");
    }
    for code in [81, 5 | 81 << 7, 5 | 1 << 14, 5 | 8 << 7 | 1 << 14, 5 | 1 << 7 | 3 << 14, 0] {
        assert_eq!(Move16::YaneuraOu.decode(code, turn), None, "{code}");
    }
    for code in 0..=u16::MAX {
        for format in [Move16::Apery, Move16::YaneuraOu] {
            if let Some(mv) = format.decode(code, turn) {
                assert_eq!(format.encode(mv), code);
            }
        }
    }
}
