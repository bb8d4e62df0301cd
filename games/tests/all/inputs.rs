//! Packed rows: what they hold, and that both players see the same board the same way.

use crate::samples::{self, position, row};
use games::chess::{Chess, ChessPosition, rights};
use games::minishogi::Minishogi;
use games::shogi::{Shogi, ShogiPosition};
use games::{Feature, FeatureKind, Frame, Game, GameKind, InputLayout, InputName, Position, Side};
use std::collections::BTreeSet;

fn parsed_row<G: Game>(text: &str, repetitions: u8) -> Vec<u8> {
    row::<G>(&position(text), InputName::PieceTokens, repetitions)
}

#[test]
fn layouts_describe_their_rows() {
    for kind in GameKind::LISTED {
        for layout in kind.inputs() {
            let names: BTreeSet<&str> = layout.features.iter().map(|feature| feature.name).collect();
            assert_eq!(names.len(), layout.features.len(), "two features share a name");
            let of_board = layout.scalars().chain(layout.squares()).chain(layout.thermometers());
            let mut seen: Vec<(usize, &Feature)> = of_board.chain(layout.token_features()).collect();
            seen.sort_by_key(|&(offset, _)| offset);
            let all: Vec<(usize, &Feature)> = (layout.features_at()..).zip(&layout.features).collect();
            assert_eq!(seen, all, "every feature is of one kind");
            let expected: Vec<usize> = match (kind, layout.name) {
                (GameKind::Chess, InputName::Lc0_112 | InputName::Lc0_112EnPassant) => (0..12).collect(),
                (GameKind::Chess, _) => (1..13).collect(),
                (GameKind::Shogi, InputName::Dlshogi62_57) => (0..14).chain(31..45).collect(),
                (GameKind::Shogi, _) => (1..29).collect(),
                (GameKind::Minishogi, _) => (1..21).collect(),
                _ => (1..27).collect(),
            };
            assert_eq!(layout.current_pieces(), expected, "the channels of pieces");
        }
        assert!(kind.input(InputName::PieceTokens).aux_tokens().is_empty());
        let aux = kind.input(InputName::PieceTokensAux);
        assert_eq!(aux.aux_tokens().len(), aux.scalars().count());
        assert_eq!(aux.tokens(), kind.geometry().squares() + aux.scalars().count());
    }
}

#[test]
fn a_game_offers_its_own_inputs_only() {
    let names = |kind: GameKind| kind.inputs().iter().map(|layout| layout.name).collect::<Vec<_>>();
    let white = [InputName::Tokens68, InputName::ClsTokens, InputName::ClsTokensWhite];
    assert_eq!(names(GameKind::Chess), [&InputName::ALL[..5], &white].concat());
    assert_eq!(names(GameKind::Shogi), [InputName::ALL[0], InputName::ALL[1], InputName::ALL[2], InputName::ALL[5]]);
    for input in [InputName::Lc0_112, InputName::Tokens68] {
        let own = "piece_tokens, piece_tokens_aux, piece_tokens_rated, dlshogi_62_57";
        let expected = format!("shogi has no input {}: its inputs are {own}", input.name());
        assert_eq!(GameKind::Shogi.offered(input).unwrap_err().to_string(), expected);
    }
}

#[test]
fn features_are_the_documented_ones() {
    let features = |kind: GameKind| -> Vec<(&str, Option<f32>)> {
        let scale = |kind| if let FeatureKind::Scalar { scale } = kind { Some(scale) } else { None };
        kind.input(InputName::PieceTokens).features.iter().map(|feature| (feature.name, scale(feature.kind))).collect()
    };
    assert_eq!(
        features(GameKind::Chess),
        [
            ("castling.own.king_side", Some(1.0)),
            ("castling.own.queen_side", Some(1.0)),
            ("castling.opponent.king_side", Some(1.0)),
            ("castling.opponent.queen_side", Some(1.0)),
            ("en_passant", None),
            ("halfmove_clock", Some(99.0)),
            ("repetitions", Some(2.0)),
            ("check", Some(1.0)),
        ]
    );
    let shogi = features(GameKind::Shogi);
    let scales = [18.0, 4.0, 4.0, 4.0, 4.0, 2.0, 2.0].map(Some);
    assert_eq!(shogi[..7].iter().map(|&(_, scale)| scale).collect::<Vec<_>>(), scales);
    assert_eq!(shogi[7..14].iter().map(|&(_, scale)| scale).collect::<Vec<_>>(), scales);
    assert_eq!((shogi[0].0, shogi[6].0), ("hand.own.pawn", "hand.own.rook"));
    assert_eq!((shogi[7].0, shogi[13].0), ("hand.opponent.pawn", "hand.opponent.rook"));
    assert_eq!(shogi[14..], [("repetitions", Some(3.0)), ("check", Some(1.0))]);
}

#[test]
fn the_chess_start_is_this_row() {
    let mut expected = vec![0; 64];
    expected[..8].copy_from_slice(&[4, 2, 3, 5, 6, 3, 2, 4]);
    expected[8..16].fill(1);
    expected[48..56].fill(7);
    expected[56..].copy_from_slice(&[10, 8, 9, 11, 12, 9, 8, 10]);
    expected.extend([1, 1, 1, 1, 0, 0, 0, 0]);
    assert_eq!(parsed_row::<Chess>(&ChessPosition::start().to_text(), 0), expected);
}

#[test]
fn chess_features_are_seen_from_the_side_to_move() {
    let features = |fen: &str, repetitions| parsed_row::<Chess>(fen, repetitions)[64..].to_vec();
    // Black may castle king-side only, White queen-side only.
    assert_eq!(features("r3k2r/8/8/8/8/8/8/R3K2R w Qk - 7 20", 1), [0, 1, 1, 0, 0, 7, 1, 0]);
    assert_eq!(features("r3k2r/8/8/8/8/8/8/R3K2R b Qk - 7 20", 1), [1, 0, 0, 1, 0, 7, 1, 0]);
    // d6 for White is square 43, Black's d3 is mirrored to the same; without a pawn to capture it is nothing.
    assert_eq!(features("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 0)[4], 44);
    assert_eq!(features("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1", 0)[4], 44);
    assert_eq!(features("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", 0)[4], 0);
    // The capture would uncover the rook's check along the rank.
    assert_eq!(features("4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1", 0)[4], 0);
    // Caps, and check.
    assert_eq!(features("4k3/8/8/8/8/8/4r3/4K3 w - - 4000000000 1", 200)[5..], [100, 2, 1]);
}

#[test]
fn the_shogi_start_is_this_row() {
    let back = [2, 3, 4, 5, 8, 5, 4, 3, 2];
    let mut expected = vec![0; 81];
    expected[..9].copy_from_slice(&back);
    // 8h is the bishop, 2h the rook, seen by Black: files run from 9 at the left to 1 at the right.
    (expected[9 + 1], expected[9 + 7]) = (6, 7);
    expected[18..27].fill(1);
    expected[54..63].fill(15);
    (expected[63 + 1], expected[63 + 7]) = (14 + 7, 14 + 6);
    expected[72..].copy_from_slice(&back.map(|code| code + 14));
    expected.extend([0; 16]);
    assert_eq!(parsed_row::<Shogi>(&ShogiPosition::start().to_text(), 0), expected);
}

#[test]
fn every_shogi_piece_has_its_code() {
    let sfen = "k8/9/9/9/PLNSGBR1K/+P+L+N+S1+B+R2/9/9/9 b 2P2l 1";
    let row = parsed_row::<Shogi>(sfen, 255);
    assert_eq!(row[36..45], [1, 2, 3, 4, 5, 6, 7, 0, 8]);
    assert_eq!(row[27..36], [9, 10, 11, 12, 0, 13, 14, 0, 0]);
    assert_eq!(row[72], 14 + 8);
    assert_eq!(row[81..], [2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0]);
}

#[test]
fn both_inputs_pack_the_same_bytes() {
    fn check<G: Game>(position: &G::Position) {
        let [squares, aux] =
            [InputName::PieceTokens, InputName::PieceTokensAux].map(|input| row::<G>(position, input, 1));
        assert_eq!(squares, aux);
    }
    check::<Shogi>(&ShogiPosition::parse("4k4/4G4/4P4/9/9/9/9/9/4K4 w 3Pp 12").unwrap());
    check::<Chess>(&ChessPosition::start());
}

#[test]
#[should_panic(expected = "another size")]
fn a_row_of_another_size_is_an_error() {
    ChessPosition::start().pack(InputName::PieceTokens, 0, &mut [0; 70]);
}

/// Encodings read where pieces stand from the first bytes of a row, whatever the input, in its frame.
#[test]
fn every_row_begins_with_the_pieces_of_the_current_board() {
    begins_with_the_board::<Chess>();
    begins_with_the_board::<Shogi>();
}

fn begins_with_the_board<G: Game>() {
    for (text, _) in samples::oracle(G::KIND) {
        let position: G::Position = position(&text);
        let board = row::<G>(&position, InputName::PieceTokens, 0);
        for layout in G::inputs() {
            let is_turned = layout.name.frame() == Frame::FirstPlayer && position.side_to_move() != Side::First;
            let found = row::<G>(&position, layout.name, 0);
            for (square, &piece) in found.iter().enumerate().take(layout.geometry.squares()) {
                let seen = if is_turned { layout.geometry.mirror_ranks(square) } else { square };
                assert_eq!(piece > 0, board[seen] > 0, "{text}: square {square} of {}", layout.name.name());
            }
        }
    }
}

#[test]
fn both_players_see_the_same() {
    check_exchanged::<Chess>(exchanged_fen);
    check_exchanged::<Shogi>(exchanged_sfen);
    check_exchanged::<Minishogi>(exchanged_sfen);
}

/// A row without the byte of `cls_tokens` that says who moves, which a network may leave out.
fn without_turn(layout: &games::InputLayout, mut row: Vec<u8>) -> Vec<u8> {
    if let Some(turn) = layout.byte_of("turn") {
        row[turn] = 0;
    }
    row
}

/// The exchange of colours changes neither the row nor the indices of the legal moves.
fn check_exchanged<G: Game>(turn: fn(&str) -> String) {
    let seen = |text: &str| {
        let position: G::Position = position(text);
        let moves = position.list_moves();
        let vocabularies = G::vocabularies().into_iter().filter(|(_, moves)| moves.frames()[0] == Frame::SideToMove);
        let indices: Vec<BTreeSet<u16>> = vocabularies
            .map(|(name, _)| moves.iter().map(|&mv| position.label(mv, name, Frame::SideToMove)).collect())
            .collect();
        // Lc0's planes say who moves.
        let turned = |layout: &&InputLayout| layout.name.frame() == Frame::SideToMove;
        let inputs = G::inputs().iter().filter(turned).filter(|layout| layout.name != InputName::Lc0_112);
        let rows: Vec<Vec<u8>> =
            inputs.map(|layout| without_turn(layout, row::<G>(&position, layout.name, 0))).collect();
        (position.side_to_move(), rows, indices, position.phase())
    };
    for (text, _) in samples::oracle(G::KIND) {
        let (here, there) = (seen(&text), seen(&turn(&text)));
        assert_eq!((here.1, here.2, here.3), (there.1, there.2, there.3), "{text}");
        assert_eq!(here.0, there.0.other());
    }
}

/// A FEN mirrored by rank, colours exchanged.
fn exchanged_fen(fen: &str) -> String {
    let fields: Vec<&str> = fen.split(' ').collect();
    let board: Vec<String> = fields[0].rsplit('/').map(swap_case).collect();
    let turn = if fields[1] == "w" { "b" } else { "w" };
    let en_passant = fields[3].replace('6', "x").replace('3', "6").replace('x', "3");
    let castling = swap_case(fields[2]);
    format!("{} {turn} {castling} {en_passant} {} {}", board.join("/"), fields[4], fields[5])
}

/// An SFEN turned by 180°, colours exchanged.
fn exchanged_sfen(sfen: &str) -> String {
    let fields: Vec<&str> = sfen.split(' ').collect();
    let mut squares: Vec<String> = Vec::new();
    for c in fields[0].chars() {
        match squares.last_mut() {
            Some(plus) if plus == "+" => plus.push(c),
            _ => squares.push(c.to_string()),
        }
    }
    squares.reverse();
    let turn = if fields[1] == "b" { "w" } else { "b" };
    format!("{} {turn} {} {}", swap_case(&squares.concat()), swap_case(fields[2]), fields[3])
}

fn swap_case(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }).collect()
}

fn tokens(fen: &str) -> Vec<String> {
    let layout = Chess::input(InputName::Tokens68);
    let row = row::<Chess>(&position(fen), InputName::Tokens68, 2);
    let squares = row[..64].iter().map(|&code| match usize::from(code).checked_sub(1) {
        None => "empty".to_owned(),
        Some(piece) => format!("{} {}", ["white", "black"][piece / 6], Chess::PIECES[piece % 6]),
    });
    let token = |(at, feature): (usize, &Feature)| match feature.kind {
        FeatureKind::Token { values } => values[usize::from(row[at])].to_owned(),
        other => panic!("{other:?}"),
    };
    squares.chain(layout.token_features().map(token)).collect()
}

#[test]
fn a_row_of_tokens_68_is_its_tokens() {
    let layout = Chess::input(InputName::Tokens68);
    assert_eq!((layout.tokens(), layout.row_bytes()), (68, 66));
    assert_eq!(layout.summary_token(), Some("start_pos"));
    assert_eq!(layout.aux_tokens(), ["end_pos", "castling", "side_to_move"]);

    // White's back rank comes first whoever is to move.
    let start = tokens("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(start[..5], ["white rook", "white knight", "white bishop", "white queen", "white king"]);
    assert_eq!((start[27].as_str(), start[63].as_str()), ("empty", "black rook"));
    assert_eq!(start[64..], ["KQkq", "white_to_move"]);
    let reply = tokens("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b Kq - 0 1");
    assert_eq!((reply[4].as_str(), reply[28].as_str()), ("white king", "white pawn"));
    assert_eq!(reply[64..], ["Kq", "black_to_move"]);
    assert_eq!(tokens("4k3/8/8/8/8/8/8/4K2R b - - 7 9")[64..], ["no_castling_rights", "black_to_move"]);
}

#[test]
fn every_set_of_castling_rights_has_its_own_token() {
    let rights = ["K", "Q", "k", "q", "KQ", "Kk", "Kq", "Qk", "Qq", "kq", "KQk", "KQq", "Kkq", "Qkq", "KQkq"];
    let of = |rights: &str| tokens(&format!("r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1"))[64].clone();
    assert_eq!(rights.map(of), rights.map(str::to_owned));
    assert_eq!(of("-"), "no_castling_rights");
}

#[test]
fn rows_of_cls_tokens_are_these() {
    let pack = |fen: &str, input, repetitions| row::<Chess>(&position(fen), input, repetitions);
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
    let shogi = ShogiPosition::start();
    let mv = shogi.parse_move("7g7f").expect("legal");
    assert_eq!(shogi.rights_after(mv, Frame::SideToMove), None);
}
