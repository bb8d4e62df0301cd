//! The two lists of 1,968 moves: order, round trips on every position of the oracle, and both boards.

use crate::samples::{self, position};
use games::chess::{Chess, ChessPosition, rights};
use games::{Frame, GameKind, InputName, MovesName, Position, Side, Vocabulary};

const NAMES: [MovesName; 2] = [MovesName::Uci1968Dm, MovesName::Uci1968Sid];

/// The moves of a list, in UCI.
fn entries(name: MovesName) -> Vec<String> {
    match GameKind::Chess.vocabulary(name) {
        Ok(Vocabulary::List(list)) => {
            list.moves.entries().iter().map(|&entry| samples::uci(entry, &["q", "r", "b", "n"])).collect()
        }
        other => panic!("{other:?} is no list"),
    }
}

/// A move on the board that its ranks are mirrored on.
fn mirrored(uci: &str) -> String {
    let rank = |c: char| char::from(b'1' + b'8' - c as u8);
    uci.chars().map(|c| if c.is_ascii_digit() { rank(c) } else { c }).collect()
}

/// FNV-1a of the moves, a line each, by a program in Python that makes the lists as the two projects describe them.
#[test]
fn the_lists_are_those_of_the_two_projects() {
    for (name, print) in NAMES.into_iter().zip([0xbb4d_c8aa_74ef_56f5, 0x5896_8dbe_4fc6_b729]) {
        assert_eq!(samples::fnv1a(entries(name).join("\n").bytes()), print, "{}", name.name());
    }
}

#[test]
fn every_legal_move_is_the_entry_of_its_index_on_either_board() {
    for (fen, _) in samples::oracle(GameKind::Chess) {
        let position = position::<ChessPosition>(&fen);
        let turned_around = position.side_to_move() == Side::Second;
        let legal = position.list_moves();
        for name in NAMES {
            let entries = entries(name);
            for &mv in &legal {
                let uci = position.move_text(mv);
                let as_mover = if turned_around { mirrored(&uci) } else { uci.clone() };
                assert_eq!(entries[usize::from(position.label(mv, name, Frame::FirstPlayer))], uci, "{fen}");
                assert_eq!(entries[usize::from(position.index_in(mv, name))], as_mover, "{fen}");
            }
        }
    }
}

#[test]
fn a_vocabulary_of_the_movers_moves_does_not_serve_whites_board() {
    assert!(NAMES.into_iter().all(|name| name.supports(InputName::ClsTokensWhite).is_ok()));
    assert!(MovesName::FromTo.supports(InputName::ClsTokens).is_ok());
    let error = MovesName::FromTo.supports(InputName::ClsTokensWhite).unwrap_err().to_string();
    assert!(error.contains("from_to") && error.contains("uci_1968_dm or uci_1968_sid"), "{error}");
    assert!(GameKind::Shogi.vocabulary(MovesName::Uci1968Dm).is_err());
}

#[test]
fn rows_of_cls_tokens_are_these() {
    let pack = |fen: &str, input, repetitions| samples::row::<Chess>(&position(fen), input, repetitions);
    let layout = GameKind::Chess.input(InputName::ClsTokens);
    assert_eq!((layout.row_bytes(), layout.tokens()), (82, 82), "64 squares, CLS, turn, 4, 9, repetition, 2 counters");
    let fen = "r3k2r/8/8/8/3Pp3/8/8/4K2R b Kq d3 33 300";
    let (own, white) = (pack(fen, InputName::ClsTokens, 9), pack(fen, InputName::ClsTokensWhite, 1));
    // Black moves: castling k none, q; White K; en passant on the file d.
    assert_eq!(own[64..], [0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 3, 33, 255]);
    assert_eq!(white[64..], [0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 33, 255]);
    // The white king on e1: the opponent's on the mover's e8, White's own on e1. The black pawn on e4 likewise.
    assert_eq!((own[60], white[4]), (12, 6));
    assert_eq!((own[36], white[28]), (1, 7));
    let colours_exchanged = "4k2r/8/8/3pP3/8/8/8/R3K2R w kQ d6 33 300";
    let same = pack(colours_exchanged, InputName::ClsTokens, 9);
    assert_eq!((&own[..65], &own[66..]), (&same[..65], &same[66..]), "but for the turn both players see the same");
    assert_eq!(same[65], 0);
}

#[test]
fn rights_behind_a_move_are_these() {
    let after = |fen: &str, mv: &str, view| {
        let position = position::<ChessPosition>(fen);
        let mv = position.parse_move(mv).expect("legal");
        let bits = position.rights_after(mv, view).expect("chess has rights");
        let named = rights::NAMES.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
        named.map(|(_, name)| name.replace("castling.", "")).collect::<Vec<_>>().join(" ")
    };
    let all = "r3k2r/3p4/8/4P3/8/8/3P4/R3K2R w KQkq - 0 1";
    let black = "r3k2r/3p4/8/4P3/8/8/3P4/R3K2R b KQkq - 0 1";
    let everything = "own.king_side own.queen_side opponent.king_side opponent.queen_side";
    assert_eq!(after(all, "d2d3", Frame::SideToMove), everything);
    assert_eq!(after(all, "e1g1", Frame::SideToMove), "opponent.king_side opponent.queen_side");
    assert_eq!(after(all, "a1a8", Frame::SideToMove), "own.king_side opponent.king_side", "both a rooks are gone");
    // Black's double step past White's pawn on e5; the rights are the mover's, or White's, first.
    assert_eq!(after(black, "d7d5", Frame::SideToMove), format!("{everything} en_passant en_passant.d"));
    assert_eq!(after(black, "e8e7", Frame::SideToMove), "opponent.king_side opponent.queen_side");
    assert_eq!(after(black, "e8e7", Frame::FirstPlayer), "own.king_side own.queen_side");
    let shogi = games::shogi::ShogiPosition::start();
    let mv = shogi.parse_move("7g7f").expect("legal");
    assert_eq!(shogi.rights_after(mv, Frame::SideToMove), None);
}
